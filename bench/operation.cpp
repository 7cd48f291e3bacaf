// SPDX-License-Identifier: Apache-2.0
#include "operation.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "arena.hpp"
#include "tenstride/element.hpp"

namespace tenstride::bench {
namespace {

using enum Operation;

/// Where an element of a result comes from.
struct Origin {
  int input = 0;
  Index position = 0;
};

bool is_comparison(Operation operation) {
  return operation == eq || operation == eq_turned || operation == eq_row || operation == lt_number;
}

/// For the operations that only move elements.
Origin origin(const OperationCase& what, Index position, const std::vector<std::int64_t>& indices) {
  const Index rows = what.rows();
  const Index columns = what.columns();
  const Index width = what.result_shape().back();
  const Index i = position / width;
  const Index j = position % width;
  const auto at = [&](Index row, Index column) { return row * columns + column; };
  const auto entry = [&](Index k) { return indices[static_cast<std::size_t>(k)]; };
  switch (what.operation) {
    case cat:
      if (what.axis == 0) return {static_cast<int>(i / rows), at(i % rows, j)};
      return {static_cast<int>(j / columns), at(i, j % columns)};
    case stack:
      if (what.axis == 0) return {static_cast<int>(i / rows), at(i % rows, j)};
      return {static_cast<int>(j), i};  // the new axis is the last
    case repeat:
      return {0, at(i % rows, j % columns)};
    case repeat_interleave:
      return {0, what.axis == 0 ? at(i / 2, j) : at(i, j / 2)};
    case roll:
      return {0, what.axis == 0 ? at((i + rows - what.amount) % rows, j)
                                : at(i, (j + columns - what.amount) % columns)};
    case roll_all:
      return {0, (position + rows * columns - what.amount) % (rows * columns)};
    case index_rows:
      return {0, at(entry(i), j)};
    case index_columns:
      return {0, at(i, entry(j))};
    case index_points:
      return {0, at(entry(position) / columns, entry(position) % columns)};
    case index_mask:
      return {0, entry(position)};
    case index_put_: {
      const auto found = std::find(indices.begin(), indices.end(), i);
      return {0, at(found - indices.begin(), j)};
    }
    default:
      return {0, position};
  }
}

double value_at(const OperationJob& job, int input, Index position) {
  return visit(job.what.type, [&]<class T>(std::type_identity<T>) {
    const auto offset = static_cast<std::size_t>(position) * sizeof(T);
    return convert_element<double>(load_element<T>(job.input(input) + offset));
  });
}

bool compare(const OperationJob& job, Index position) {
  const OperationCase& what = job.what;
  const double x = value_at(job, 0, position);
  const Index i = position / what.columns();
  const Index j = position % what.columns();
  if (what.operation == lt_number) return x < static_cast<double>(what.amount);
  if (what.operation == eq_turned) return x == value_at(job, 1, j * what.columns() + i);
  return x == value_at(job, 1, what.operation == eq_row ? j : position);
}

std::vector<std::int64_t> indices_of(const OperationJob& job) {
  const OperationCase& what = job.what;
  switch (what.operation) {
    case index_rows:
    case index_put_:
      return scattered(what.rows());
    case index_columns:
      return scattered(what.columns());
    case index_points:
      return scattered(what.input_elements());
    case index_mask: {
      std::vector<std::int64_t> positions;
      const std::vector<unsigned char> mask = mask_of(job);
      for (std::size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) positions.push_back(static_cast<std::int64_t>(i));
      }
      return positions;
    }
    default:
      return {};
  }
}

}  // namespace

int OperationCase::inputs() const {
  if (operation == cat || operation == stack) return 3;
  if (operation == eq || operation == eq_turned || operation == eq_row) return 2;
  return operation == fill_ || operation == zero_ || operation == zeros || operation == full ||
                 operation == arange
             ? 0
             : 1;
}

DType OperationCase::result_type() const {
  if (operation == arange) return DType::int64;
  return is_comparison(operation) || operation == equal || operation == all ? DType::bool_ : type;
}

Dims OperationCase::result_shape() const {
  Dims result = shape;
  switch (operation) {
    case cat:
      result[static_cast<std::size_t>(axis)] *= 3;
      return result;
    case stack:
      // Seen as a matrix with rows of the last axis.
      return axis == 0 ? Dims{3 * rows(), columns()} : Dims{input_elements(), 3};
    case repeat:
      return {2 * rows(), 3 * columns()};
    case repeat_interleave:
      result[static_cast<std::size_t>(axis)] *= 2;
      return result;
    case index_points:
    case index_mask:
    case arange:
      return {input_elements()};
    case equal:
    case all:
      return {1};
    default:
      return result;
  }
}

std::size_t OperationCase::bytes_read() const {
  switch (operation) {
    case equal:
      return 2 * input_bytes();
    case eq_row:
      return input_bytes() + static_cast<std::size_t>(columns()) * item_size(type);
    case index_points:
      return input_bytes() + 16 * static_cast<std::size_t>(input_elements());
    case index_mask:
      return input_bytes() + static_cast<std::size_t>(input_elements());
    case tril:
      return input_bytes() / 2;
    default:
      return static_cast<std::size_t>(inputs()) * input_bytes();
  }
}

std::size_t OperationCase::bytes_written() const {
  const std::size_t all_elements =
      static_cast<std::size_t>(count_elements(result_shape())) * item_size(result_type());
  return operation == index_mask ? all_elements / 2 : all_elements;  // about half of them are true
}

std::vector<std::int64_t> scattered(Index count) {
  Index step = 7919;  // a prime; a step without a common divisor visits all
  while (std::gcd(step, count) != 1) ++step;
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = (i * step + 13) % count;
  return result;
}

std::vector<unsigned char> mask_of(const OperationJob& job) {
  std::vector<unsigned char> mask(static_cast<std::size_t>(job.what.input_elements()));
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = pattern(i, operation_mask) > operation_mask / 2;
  return mask;
}

std::vector<OperationCase> operation_cases(Scope scope) {
  constexpr DType f32 = DType::float32;
  constexpr DType u8 = DType::uint8;
  const Dims large = scope == Scope::smoke ? Dims{37, 41} : Dims{4096, 4096};
  const Dims square = scope == Scope::smoke ? Dims{37, 37} : large;
  const Dims half = scope == Scope::smoke ? Dims{23, 41} : Dims{2048, 4096};
  const std::vector<OperationCase> all_cases{
      {cat, "cat of 3 along axis 0, float32", f32, half, 0, 0, true},
      {cat, "cat of 3 along axis 1, float32", f32, half, 1, 0, true},
      {stack, "stack of 3 along axis 0, float32", f32, half, 0, 0},
      {stack, "stack of 3 along the last axis, float32", f32, half, 2, 0, true},
      {stack, "stack of 3 along the last axis, uint8", u8, large, 2, 0},
      {repeat, "repeat(2,3), float32", f32, half, 0, 0, true},
      {repeat_interleave, "repeat_interleave(2) along axis 0, float32", f32, half, 0, 0},
      {repeat_interleave, "repeat_interleave(2) along axis 1, float32", f32, half, 1, 0},
      {roll, "roll by 5 along axis 1, float32", f32, large, 1, 5, true},
      {roll, "roll by 5 along axis 0, float32", f32, large, 0, 5},
      {roll_all, "roll by 5, float32", f32, large, 0, 5},
      {tril, "tril, float32", f32, large, 0, 0},
      {index_rows, "x[rows], float32", f32, large, 0, 0, true},
      {index_columns, "x[:, columns], float32", f32, large, 0, 0, true},
      {index_points, "x[rows, columns], float32", f32, half, 0, 0},
      {index_mask, "x[mask], float32", f32, large, 0, 0, true},
      {index_mask, "x[mask], uint8", u8, large, 0, 0},
      {index_put_, "y[rows] = x, float32", f32, large, 0, 0},
      {eq, "x == y, float32", f32, large, 0, 0, true},
      {eq, "x == y, uint8", u8, large, 0, 0},
      {eq_turned, "x == y.t(), float32", f32, square, 0, 0},
      {eq_row, "x == a row, float32", f32, large, 0, 0},
      {lt_number, "x < 64, float32", f32, large, 0, 64, true},
      {lt_number, "x < 64, uint8", u8, large, 0, 64},
      {equal, "equal(x, y), float32", f32, large, 0, 0, true},
      {all, "all(x), uint8", u8, large, 0, 0},
      {fill_, "fill_, float32", f32, large, 0, 3, true},
      {fill_, "fill_, uint8", u8, large, 0, 3},
      {zero_, "zero_, float32", f32, large, 0, 0},
      {zeros, "zeros, float32", f32, large, 0, 0},
      {full, "full, float32", f32, large, 0, 3, true},
      {arange, "arange, int64", DType::int64, half, 0, 0},
      {clone, "clone, float32", f32, large, 0, 0, true},
  };
  std::vector<OperationCase> chosen;
  for (const OperationCase& one : all_cases) {
    if (scope != Scope::quick || one.is_quick) chosen.push_back(one);
  }
  return chosen;
}

Expected expected_result(const OperationJob& job) {
  const OperationCase& what = job.what;
  Expected expected;
  expected.type = what.result_type();
  expected.elements = count_elements(what.result_shape());
  const auto store = [type = what.result_type()](std::byte* element, std::int64_t value) {
    visit(type,
          [&]<class T>(std::type_identity<T>) { store_element<T>(element, convert_element<T>(value)); });
  };
  if (what.operation == equal || what.operation == all) {
    expected.define = [store](Index, std::byte* element) { store(element, 1); };
  } else if (is_comparison(what.operation)) {
    expected.define = [&job, store](Index position, std::byte* element) {
      store(element, compare(job, position) ? 1 : 0);
    };
  } else if (what.inputs() == 0) {
    expected.define = [&what, store](Index position, std::byte* element) {
      store(element, what.operation == arange ? position : what.amount);
    };
  } else {
    auto indices = std::make_shared<std::vector<std::int64_t>>(indices_of(job));
    if (what.operation == index_mask) expected.elements = static_cast<Index>(indices->size());
    expected.define = [&job, store, indices](Index position, std::byte* element) {
      const OperationCase& one = job.what;
      if (one.operation == tril && position % one.columns() > position / one.columns()) {
        store(element, 0);
        return;
      }
      const Origin from = origin(one, position, *indices);
      const std::size_t item = item_size(one.type);
      std::memcpy(element, job.input(from.input) + static_cast<std::size_t>(from.position) * item, item);
    };
  }
  return expected;
}

}  // namespace tenstride::bench
