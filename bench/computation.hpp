// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"
#include "check.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride::bench {

enum class ComputationKind : unsigned char { reduction, add, multiply, maximum, less };

/// A tensor that is read: a view of a row-major source.
struct ComputationInput {
  Dims source;
  Layout view;
};

/// A reduction of one tensor, or arithmetic with two of one shape. All inputs have one type.
struct ComputationCase {
  std::string family;
  std::string name;
  ComputationKind kind = ComputationKind::reduction;
  DType type = DType::float32;
  std::vector<ComputationInput> inputs;
  Reduction reduction = Reduction::sum;
  Dims axes{};  ///< that are reduced

  [[nodiscard]] std::string full_name() const { return family + "/" + name; }
  [[nodiscard]] DType result_type() const;
  [[nodiscard]] Dims result_shape() const;
  /// Bytes of all sources, which lie one after the other, each from a multiple of 64 on.
  [[nodiscard]] std::size_t source_bytes() const;
  /// Where the source of an input begins.
  [[nodiscard]] std::size_t begin(std::size_t input) const;
  /// Bytes of the cache lines that are read, and of the result.
  [[nodiscard]] std::size_t bytes_read() const;
  [[nodiscard]] std::size_t bytes_written() const;
  /// Of the sources' pattern. Products are of zeros and ones; any has zeros alone, to read all of them.
  [[nodiscard]] std::uint32_t mask() const;
};

/// Where a computation reads; it makes a new result.
struct ComputationJob {
  const ComputationCase& what;
  const std::byte* src;

  [[nodiscard]] const std::byte* source(std::size_t input) const { return src + what.begin(input); }
};

/// "sum", "add", …
std::string computation_name(const ComputationCase& what);

/// The result by its definition. The job must outlive it.
Expected expected_result(const ComputationJob& job);

}  // namespace tenstride::bench
