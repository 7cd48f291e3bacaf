// SPDX-License-Identifier: Apache-2.0
#include "operation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <random>

#include "arena.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::bench {
namespace {

using enum Operation;

using Numbers = std::vector<std::int64_t>;

/// The element of an input that is an element of the result.
struct Origin {
  int input = 0;
  Index position = 0;
};

/// The origin of the result's element at `position`, of an operation that only moves elements.
Origin origin(const OperationCase& what, Index position, const Numbers& list) {
  const Index rows = what.rows();
  const Index columns = what.columns();
  const Index width = what.result_shape().back();
  const Index i = position / width;
  const Index j = position % width;
  const Index step = what.amount;
  const auto at = [&](Index row, Index column) { return row * columns + column; };
  const auto entry = [&](Index k) { return list[static_cast<std::size_t>(k)]; };
  switch (what.operation) {
    case cat:
      if (what.axis == 0) return {static_cast<int>(i / rows), at(i % rows, j)};
      return {static_cast<int>(j / columns), at(i, j % columns)};
    case stack:
      if (what.axis == 0) return {static_cast<int>(i / rows), at(i % rows, j)};
      if (what.axis == 1) return {static_cast<int>(i % 3), at(i / 3, j)};
      return {static_cast<int>(j), i};
    case block_diag:
      return {static_cast<int>(i / rows), at(i % rows, j % columns)};
    case repeat:
      return {0, at(i % rows, j % columns)};
    case repeat_interleave:
      return {0, what.axis == 0 ? at(i / 2, j) : at(i, j / 2)};
    case repeat_interleave_flat:
      return {0, position / 2};
    case roll:
      return {0, what.axis == 0 ? at((i + rows - step) % rows, j) : at(i, (j + columns - step) % columns)};
    case roll_both:
      return {0, at((i + rows - step) % rows, (j + columns - step) % columns)};
    case roll_all:
      return {0, (position + rows * columns - step) % (rows * columns)};
    case flip:
      return {0, what.axis == 0 ? at(rows - 1 - i, j) : at(i, columns - 1 - j)};
    case rot90:
      return {0, rows * columns - 1 - position};
    case repeat_interleave_list:
    case index_rows:
    case index_row_mask:
    case put_rows_:
      return {0, at(entry(i), j)};
    case index_columns:
    case put_columns_:
      return {0, at(i, entry(j))};
    case index_points:
    case index_mask:
    case put_points_:
      return {0, entry(position)};
    case copy_row_:
      return {0, j};
    case copy_column_:
      return {0, at(i, 0)};
    default:
      return {0, position};
  }
}

/// list[inverse[i]] = i
Numbers inverse(const Numbers& list) {
  Numbers result(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    result[static_cast<std::size_t>(list[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

Numbers positions_set(const std::vector<unsigned char>& mask) {
  Numbers positions;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) positions.push_back(static_cast<std::int64_t>(i));
  }
  return positions;
}

/// For each entry that is set, the number of set entries before it; -1 for the others.
Numbers ranks_of(const std::vector<unsigned char>& mask) {
  Numbers ranks;
  std::int64_t count = 0;
  for (const unsigned char is_set : mask) ranks.push_back(is_set != 0 ? count++ : -1);
  return ranks;
}

/// PyTorch's randperm: each position is swapped with a random one that is not before it.
Numbers shuffled(Index count) {
  std::mt19937 random(static_cast<unsigned>(operation_seed));
  Numbers numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    std::swap(numbers[i], numbers[i + random() % (numbers.size() - i)]);
  }
  return numbers;
}

Numbers list_of(const OperationJob& job) {
  const OperationCase& what = job.what;
  switch (what.operation) {
    case index_rows:
      return scattered(what.rows());
    case index_columns:
      return scattered(what.columns());
    case index_points:
      return scattered(what.input_elements());
    case put_rows_:
      return inverse(scattered(what.rows()));
    case put_columns_:
      return inverse(scattered(what.columns()));
    case put_points_:
      return inverse(scattered(what.input_elements()));
    case index_mask:
      return positions_set(mask_of(job));
    case index_row_mask:
      return positions_set(row_mask(what.rows()));
    case put_mask_:
    case put_mask_number_:
      return ranks_of(mask_of(job));
    case repeat_interleave_list: {
      Numbers rows;
      const Numbers repeats = repeats_of(what.rows());
      for (std::size_t i = 0; i < repeats.size(); ++i) {
        rows.insert(rows.end(), static_cast<std::size_t>(repeats[i]), static_cast<std::int64_t>(i));
      }
      return rows;
    }
    case randperm:
      return shuffled(what.input_elements());
    case rand:
    case randn:
    case randint: {
      std::mt19937 random(static_cast<unsigned>(operation_seed));
      Numbers drawn(static_cast<std::size_t>(what.input_elements()));
      for (std::int64_t& one : drawn) one = static_cast<std::int64_t>(random());
      return drawn;
    }
    default:
      return {};
  }
}

double value_at(const OperationJob& job, int input, Index position) {
  return visit(job.what.type, [&]<class T>(std::type_identity<T>) {
    const auto offset = static_cast<std::size_t>(position) * sizeof(T);
    return convert_element<double>(load_element<T>(job.input(input) + offset));
  });
}

bool truth(const OperationJob& job, Index position) {
  const OperationCase& what = job.what;
  const Index columns = what.columns();
  switch (what.operation) {
    case lt_number:
      return value_at(job, 0, position) < static_cast<double>(what.amount);
    case eq:
      return value_at(job, 0, position) == value_at(job, 1, position);
    case eq_transposed:
      return value_at(job, 0, position) ==
             value_at(job, 1, position % columns * columns + position / columns);
    case eq_row:
      return value_at(job, 0, position) == value_at(job, 1, position % columns);
    case eq_column:
      return value_at(job, 0, position) == value_at(job, 1, position / columns * columns);
    case all_along:
    case any_along: {
      const bool is_all = what.operation == all_along;
      const Index count = what.axis == 0 ? what.rows() : columns;
      for (Index k = 0; k < count; ++k) {
        const Index at = what.axis == 0 ? k * columns + position : position * columns + k;
        if ((value_at(job, 0, at) != 0) != is_all) return !is_all;
      }
      return is_all;
    }
    default:
      return what.operation != any;  // of a tensor of zeros
  }
}

/// The numbers of rand, and those of randn, made of them by Box and Muller's method in groups of 16, of which
/// the first eight are the radii.
double uniform(const Numbers& drawn, Index position) {
  return static_cast<double>(drawn[static_cast<std::size_t>(position)] & 0xffffff) * 0x1p-24;
}
double normal(const Numbers& drawn, Index position) {
  const Index first = position / 16 * 16 + position % 8;
  const double radius = std::sqrt(-2 * std::log1p(-uniform(drawn, first)));
  const double angle = 2 * std::numbers::pi * uniform(drawn, first + 8);
  return radius * (position % 16 < 8 ? std::cos(angle) : std::sin(angle));
}

/// The element at `position` that an operation without inputs gives.
double number_at(const OperationCase& what, Index position, const Numbers& list) {
  const auto drawn = [&] { return list[static_cast<std::size_t>(position)]; };
  switch (what.operation) {
    case arange:
      return static_cast<double>(position);
    case linspace:
      return static_cast<double>(position) / static_cast<double>(what.input_elements() - 1);
    case eye:
      return position / what.columns() == position % what.columns() ? 1 : 0;
    case rand:
      return uniform(list, position);
    case randn:
      return normal(list, position);
    case randint:
      return static_cast<double>(drawn() % what.amount);
    case randperm:
      return static_cast<double>(drawn());
    default:
      return static_cast<double>(what.amount);
  }
}

/// Whether the operation does not write this element of the destination.
bool is_left_alone(const OperationCase& what, Index position, const Numbers& list) {
  if (what.operation == fill_every_second_) return position % what.columns() % 2 != 0;
  const bool puts = what.operation == put_mask_ || what.operation == put_mask_number_;
  return puts && list[static_cast<std::size_t>(position)] < 0;
}

bool is_cleared(const OperationCase& what, Index position) {
  const Index width = what.result_shape().back();
  const Index i = position / width;
  const Index j = position % width;
  if (what.operation == tril) return j > i;
  if (what.operation == triu) return j < i;
  return what.operation == block_diag && i / what.rows() != j / what.columns();
}

}  // namespace

std::vector<unsigned char> mask_of(const OperationJob& job) {
  std::vector<unsigned char> mask(static_cast<std::size_t>(job.what.input_elements()));
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = pattern(i, operation_mask) > operation_mask / 2;
  return mask;
}

Expected expected_result(const OperationJob& job) {
  const OperationCase& what = job.what;
  Expected expected;
  expected.type = what.result_type();
  expected.elements = count_elements(what.result_shape());
  if (what.operation == randn || what.operation == linspace || what.operation == arange) {
    expected.tolerance = 1e-5;
  }
  const auto list = std::make_shared<Numbers>(list_of(job));
  if (what.operation == index_mask) expected.elements = static_cast<Index>(list->size());
  expected.define = [&job, list](Index position, std::byte* element) {
    const OperationCase& one = job.what;
    const std::size_t item = item_size(one.result_type());
    const auto store = [&](double value) {
      visit(one.result_type(),
            [&]<class T>(std::type_identity<T>) { store_element<T>(element, convert_element<T>(value)); });
    };
    if (is_left_alone(one, position, *list)) {
      std::memset(element, 0xA5, item);
    } else if (is_cleared(one, position)) {
      store(0);
    } else if (one.operation >= eq && one.operation <= any_along) {
      store(truth(job, position) ? 1 : 0);
    } else if (one.inputs() == 0 || one.operation == put_mask_number_) {
      store(number_at(one, position, *list));
    } else {
      const Origin from = one.operation == put_mask_ ? Origin{0, (*list)[static_cast<std::size_t>(position)]}
                                                     : origin(one, position, *list);
      std::memcpy(element, job.input(from.input) + static_cast<std::size_t>(from.position) * item, item);
    }
  };
  return expected;
}

}  // namespace tenstride::bench
