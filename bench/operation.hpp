// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"
#include "check.hpp"

namespace tenstride::bench {

/// Operations that are more than one copy. Those that end in `_` write into the destination, the others
/// make their result, as everyone writes them.
enum class Operation : unsigned char {
  cat,                ///< 3 inputs along `axis`
  stack,              ///< 3 inputs along the new `axis`
  repeat,             ///< (2, 3) times
  repeat_interleave,  ///< twice along `axis`
  roll,               ///< by `amount` along `axis`
  roll_all,           ///< by `amount`
  tril,
  index_rows,     ///< x[rows], rows = scattered(i)
  index_columns,  ///< x[:, columns]
  index_points,   ///< x[rows, columns], as many as elements
  index_mask,     ///< x[x > half of the pattern's range], the mask given
  index_put_,     ///< y[rows] = x
  eq,             ///< x == y
  eq_turned,      ///< x == y.t()
  eq_row,         ///< x == a row of y
  lt_number,      ///< x < amount
  equal,          ///< whether x and a copy of it are equal
  all,            ///< whether all elements are non-zero, of a tensor of ones like x
  fill_,
  zero_,
  zeros,
  full,
  arange,  ///< int64
  clone,
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
  /// How many inputs stand one after the other in the source.
  [[nodiscard]] int inputs() const;
  [[nodiscard]] DType result_type() const;
  [[nodiscard]] Dims result_shape() const;
  /// What has to be read and written at least.
  [[nodiscard]] std::size_t bytes_read() const;
  [[nodiscard]] std::size_t bytes_written() const;
  /// Whether nothing is read: the yardstick is a fill then.
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

/// The pattern's numbers are below this in the cases of operations.
inline constexpr std::uint32_t operation_mask = 127;

/// The index tensors of all contenders: a permutation of 0 … count-1 without a pattern.
std::vector<std::int64_t> scattered(Index count);
/// The mask of index_mask, one byte an element.
std::vector<unsigned char> mask_of(const OperationJob& job);

std::vector<OperationCase> operation_cases(Scope scope);
/// The definition. The job must outlive it.
Expected expected_result(const OperationJob& job);

}  // namespace tenstride::bench
