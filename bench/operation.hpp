// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"
#include "check.hpp"

namespace tenstride::bench {

/// Operations that are more than one copy. Those that end in `_` write into the destination; the others make
/// a new result, as in a user's code.
enum class Operation : unsigned char {
  cat,                     ///< 3 inputs along `axis`
  stack,                   ///< 3 inputs along the new `axis`
  block_diag,              ///< 3 inputs
  repeat,                  ///< (2, 3) times
  repeat_interleave,       ///< twice along `axis`
  repeat_interleave_flat,  ///< twice, of the flattened tensor
  repeat_interleave_list,  ///< row i is repeated 1, 2, 3, 1, 2, 3, … times
  roll,                    ///< by `amount` along `axis`
  roll_both,               ///< by `amount` along both axes
  roll_all,                ///< by `amount`
  flip,                    ///< along `axis`
  rot90,                   ///< by 180 degrees
  tril,
  triu,
  index_rows,        ///< x[rows], rows = scattered(i)
  index_columns,     ///< x[:, columns]
  index_points,      ///< x[rows, columns], with as many points as elements
  index_mask,        ///< x[x > half of the pattern's range], the mask given
  index_row_mask,    ///< x[all rows but every third]
  put_rows_,         ///< y[rows] = x
  put_columns_,      ///< y[:, columns] = x
  put_points_,       ///< y[rows, columns] = x
  put_mask_,         ///< y[mask] = elements of x
  put_mask_number_,  ///< y[mask] = amount
  eq,                ///< x == y
  eq_transposed,     ///< x == y.t()
  eq_row,            ///< x == a row of y
  eq_column,         ///< x == a column of y
  lt_number,         ///< x < amount
  equal,             ///< whether x and a copy of it are equal
  allclose,          ///< the same with a tolerance
  all,               ///< whether all elements are non-zero, of a tensor of ones like x
  any,               ///< whether any is, of a tensor of zeros like x
  all_along,         ///< all along `axis`
  any_along,         ///< any along `axis`
  fill_,
  fill_every_second_,  ///< y[:, ::2]; the columns between are left as they are
  zero_,
  copy_row_,     ///< y = a row of x, broadcast
  copy_column_,  ///< y = a column of x, broadcast
  zeros,
  full,
  arange,  ///< int64 or float32
  linspace,
  eye,
  clone,
  clone_transposed,  ///< of x.t(), whose order in memory is preserved
  rand,
  randn,
  randint,  ///< below `amount`
  randperm,
};

struct OperationCase {
  Operation operation = Operation::clone;
  std::string name;
  DType type = DType::float32;
  Dims shape;  ///< of each input
  Index axis = 0;
  Index amount = 0;
  bool is_quick = false;

  [[nodiscard]] std::string full_name() const { return "operations/" + name; }
  [[nodiscard]] Index rows() const { return shape[0]; }
  [[nodiscard]] Index columns() const { return shape[1]; }
  [[nodiscard]] Index input_elements() const { return count_elements(shape); }
  [[nodiscard]] std::size_t input_bytes() const {
    return static_cast<std::size_t>(input_elements()) * item_size(type);
  }
  /// The number of inputs, which follow each other in the source.
  [[nodiscard]] int inputs() const;
  [[nodiscard]] DType result_type() const;
  /// The shape of the result, its axes in the order of memory.
  [[nodiscard]] Dims result_shape() const;
  /// The bytes that the operation has to read and to write.
  [[nodiscard]] std::size_t bytes_read() const;
  [[nodiscard]] std::size_t bytes_written() const;
  /// Whether nothing is read, so that the yardstick is a fill.
  [[nodiscard]] bool only_writes() const { return bytes_read() == 0; }
};

/// Where an operation reads and writes; input k begins at src + k * input_bytes().
struct OperationJob {
  const OperationCase& what;
  const std::byte* src;
  std::byte* dst;

  [[nodiscard]] std::byte* input(int k) const {
    return const_cast<std::byte*>(src) + static_cast<std::size_t>(k) * what.input_bytes();
  }
};

/// The mask of the source's pattern in the cases of operations: elements are 0 to 127.
inline constexpr std::uint32_t operation_mask = 127;

/// The index tensor of all contenders: an irregular permutation of 0 … count-1.
std::vector<std::int64_t> scattered(Index count);
/// The mask of index_mask, one byte for each element.
std::vector<unsigned char> mask_of(const OperationJob& job);
/// The mask of index_row_mask, one byte for each row.
std::vector<unsigned char> row_mask(Index rows);
/// 1, 2, 3, 1, 2, 3, …
std::vector<std::int64_t> repeats_of(Index rows);
/// The seed of all contenders' generators.
inline constexpr std::uint64_t operation_seed = 5;

std::vector<OperationCase> operation_cases(Scope scope);
/// The result by its definition. The job must outlive it.
Expected expected_result(const OperationJob& job);

}  // namespace tenstride::bench
