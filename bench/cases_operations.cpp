// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "operation.hpp"

namespace tenstride::bench {
namespace {

using enum Operation;

bool is_comparison(Operation operation) {
  return operation >= eq && operation <= any_along;
}

/// Whether the operation makes its elements and reads no input.
bool makes_numbers(Operation operation) {
  switch (operation) {
    case fill_:
    case fill_every_second_:
    case zero_:
    case zeros:
    case full:
    case arange:
    case linspace:
    case eye:
    case rand:
    case randn:
    case randint:
    case randperm:
      return true;
    default:
      return false;
  }
}

/// The cases of one column of the table, either of up to 64 MiB or of up to 1 MiB.
std::vector<OperationCase> cases_of(const Dims& square, const Dims& half, const Dims& odd) {
  constexpr DType f32 = DType::float32;
  constexpr DType u8 = DType::uint8;
  constexpr DType i64 = DType::int64;
  return {
      {cat, "cat of 3 along axis 0", f32, half, 0, 0, true},
      {cat, "cat of 3 along axis 1", f32, half, 1, 0, true},
      {stack, "stack of 3 along axis 0", f32, half, 0, 0},
      {stack, "stack of 3 along axis 1", f32, half, 1, 0},
      {stack, "stack of 3 along the last axis", f32, half, 2, 0, true},
      {stack, "stack of 3 along the last axis", u8, square, 2, 0},
      {block_diag, "block_diag of 3", f32, {half[0] / 2, half[1] / 2}, 0, 0},
      {repeat, "repeat(2,3)", f32, half, 0, 0, true},
      {repeat_interleave, "repeat_interleave(2) along axis 0", f32, half, 0, 0},
      {repeat_interleave, "repeat_interleave(2) along axis 1", f32, half, 1, 0},
      {repeat_interleave_flat, "repeat_interleave(2)", f32, half, 0, 0},
      {repeat_interleave_list, "repeat_interleave(repeats) along axis 0", f32, half, 0, 0},
      {roll, "roll by 5 along axis 1", f32, square, 1, 5, true},
      {roll, "roll by 5 along axis 0", f32, square, 0, 5},
      {roll_both, "roll by (5,5)", f32, square, 0, 5},
      {roll_all, "roll by 5", f32, square, 0, 5},
      {flip, "flip along axis 0", f32, square, 0, 0},
      {flip, "flip along axis 1", f32, square, 1, 0},
      {flip, "flip along axis 1", u8, square, 1, 0},
      {rot90, "rot90(2)", f32, square, 0, 0},
      {tril, "tril", f32, square, 0, 0},
      {triu, "triu", f32, square, 0, 0},
      {index_rows, "x[rows]", f32, square, 0, 0, true},
      {index_columns, "x[:, columns]", f32, square, 0, 0, true},
      {index_columns, "x[:, columns]", u8, square, 0, 0},
      {index_points, "x[rows, columns]", f32, half, 0, 0},
      {index_mask, "x[mask]", f32, square, 0, 0, true},
      {index_mask, "x[mask]", u8, square, 0, 0},
      {index_row_mask, "x[mask of rows]", f32, square, 0, 0},
      {put_rows_, "y[rows] = x", f32, square, 0, 0},
      {put_columns_, "y[:, columns] = x", f32, square, 0, 0},
      {put_points_, "y[rows, columns] = x", f32, half, 0, 0},
      {put_mask_, "y[mask] = values", f32, square, 0, 0},
      {put_mask_number_, "y[mask] = 3", f32, square, 0, 3},
      {eq, "x == y", f32, square, 0, 0, true},
      {eq, "x == y", u8, square, 0, 0},
      {eq, "x == y", i64, half, 0, 0},
      {eq, "x == y", DType::float16, square, 0, 0},
      {eq_transposed, "x == y.t()", f32, square, 0, 0},
      {eq_row, "x == a row", f32, square, 0, 0},
      {eq_column, "x == a column", f32, square, 0, 0},
      {lt_number, "x < 64", f32, square, 0, 64, true},
      {lt_number, "x < 64", u8, square, 0, 64},
      {equal, "equal(x, y)", f32, square, 0, 0, true},
      {allclose, "allclose(x, y)", f32, half, 0, 0},
      {all, "all(x)", u8, square, 0, 0},
      {all, "all(x)", f32, square, 0, 0},
      {any, "any(x)", f32, square, 0, 0},
      {all_along, "all(x, 0)", f32, square, 0, 0},
      {all_along, "all(x, 1)", f32, square, 1, 0},
      {any_along, "any(x, 1)", u8, square, 1, 0},
      {fill_, "fill_", f32, square, 0, 3, true},
      {fill_, "fill_", u8, square, 0, 3},
      {fill_every_second_, "y[:, ::2].fill_", f32, square, 0, 3},
      {zero_, "zero_", f32, square, 0, 0},
      {copy_row_, "copy_ of a row", f32, square, 0, 0},
      {copy_column_, "copy_ of a column", f32, square, 0, 0},
      {zeros, "zeros", f32, square, 0, 0},
      {full, "full", f32, square, 0, 3, true},
      {arange, "arange", i64, half, 0, 0},
      {arange, "arange", f32, half, 0, 0},
      {linspace, "linspace", f32, half, 0, 0},
      {eye, "eye", f32, square, 0, 0},
      {clone, "clone", f32, square, 0, 0, true},
      {clone_transposed, "clone of x.t()", f32, odd, 0, 0},
      {rand, "rand", f32, half, 0, 0},
      {randn, "randn", f32, half, 0, 0},
      {randint, "randint", i64, half, 0, 1000},
      {randperm, "randperm", i64, {half[0] / 4, half[1]}, 0, 0},
  };
}

}  // namespace

int OperationCase::inputs() const {
  if (operation == cat || operation == stack || operation == block_diag) return 3;
  if (operation == eq || operation == eq_transposed || operation == eq_row || operation == eq_column)
    return 2;
  return makes_numbers(operation) ? 0 : 1;
}

DType OperationCase::result_type() const {
  const bool keeps_bytes =
      (operation == all || operation == any || operation == all_along || operation == any_along) &&
      type == DType::uint8;
  return is_comparison(operation) && !keeps_bytes ? DType::bool_ : type;
}

Dims OperationCase::result_shape() const {
  Dims result = shape;
  switch (operation) {
    case cat:
      result[static_cast<std::size_t>(axis)] *= 3;
      return result;
    case stack:
      // As a matrix whose rows run along the last axis.
      return axis < 2 ? Dims{3 * rows(), columns()} : Dims{input_elements(), 3};
    case block_diag:
      return {3 * rows(), 3 * columns()};
    case repeat:
      return {2 * rows(), 3 * columns()};
    case repeat_interleave:
      result[static_cast<std::size_t>(axis)] *= 2;
      return result;
    case repeat_interleave_flat:
      return {2 * input_elements()};
    case repeat_interleave_list: {
      const std::vector<std::int64_t> repeats = repeats_of(rows());
      return {std::accumulate(repeats.begin(), repeats.end(), Index{0}), columns()};
    }
    case index_row_mask: {
      const std::vector<unsigned char> mask = row_mask(rows());
      return {std::accumulate(mask.begin(), mask.end(), Index{0}), columns()};
    }
    case index_points:
    case index_mask:
    case arange:
    case linspace:
    case randperm:
      return {input_elements()};
    case all_along:
    case any_along:
      return {axis == 0 ? columns() : rows()};
    case equal:
    case allclose:
    case all:
    case any:
      return {1};
    default:
      return result;
  }
}

std::size_t OperationCase::bytes_read() const {
  switch (operation) {
    case equal:
    case allclose:
      return 2 * input_bytes();
    case eq_row:
      return input_bytes() + static_cast<std::size_t>(columns()) * item_size(type);
    case eq_column:
      return input_bytes() + static_cast<std::size_t>(rows()) * item_size(type);
    case copy_row_:
      return static_cast<std::size_t>(columns()) * item_size(type);
    case copy_column_:
      return static_cast<std::size_t>(rows()) * item_size(type);
    case index_points:
    case put_points_:
      return input_bytes() + 16 * static_cast<std::size_t>(input_elements());
    case index_mask:
    case put_mask_:
      return input_bytes() + static_cast<std::size_t>(input_elements());
    case put_mask_number_:
      return static_cast<std::size_t>(input_elements());
    case index_row_mask:
      return bytes_written();
    case tril:
    case triu:
      return input_bytes() / 2;
    default:
      return static_cast<std::size_t>(inputs()) * input_bytes();
  }
}

std::size_t OperationCase::bytes_written() const {
  const std::size_t all_elements =
      static_cast<std::size_t>(count_elements(result_shape())) * item_size(result_type());
  const bool is_half = operation == index_mask || operation == put_mask_ || operation == put_mask_number_ ||
                       operation == fill_every_second_;
  return is_half ? all_elements / 2 : all_elements;  // about half of the mask is true
}

std::vector<std::int64_t> scattered(Index count) {
  Index step = 7919;  // a prime: without a common divisor with `count`, the steps visit every index
  while (std::gcd(step, count) != 1) ++step;
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = (i * step + 13) % count;
  return result;
}

std::vector<unsigned char> row_mask(Index rows) {
  std::vector<unsigned char> mask(static_cast<std::size_t>(rows), 1);
  for (std::size_t i = 0; i < mask.size(); i += 3) mask[i] = 0;
  return mask;
}

std::vector<std::int64_t> repeats_of(Index rows) {
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < repeats.size(); ++i) repeats[i] = static_cast<std::int64_t>(1 + i % 3);
  return repeats;
}

std::vector<OperationCase> operation_cases(Scope scope) {
  std::vector<std::vector<OperationCase>> sizes;
  if (scope == Scope::smoke) {
    sizes.push_back(cases_of({37, 37}, {24, 46}, {37, 41}));
  } else {
    sizes.push_back(cases_of({4096, 4096}, {2048, 4096}, {4096, 4096}));
    sizes.push_back(cases_of({512, 512}, {256, 512}, {512, 512}));
  }
  std::vector<OperationCase> chosen;
  for (std::vector<OperationCase>& cases : sizes) {
    const bool is_first = &cases == sizes.data();
    for (OperationCase& one : cases) {
      one.name += ", " + shape_name(one.shape, one.type);
      if (scope != Scope::quick || (one.is_quick && is_first)) chosen.push_back(std::move(one));
    }
  }
  return chosen;
}

}  // namespace tenstride::bench
