// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"
#include "check.hpp"
#include "tenstride/pattern/pattern.hpp"

namespace tenstride::bench {

struct ChainStep {
  enum class Kind : unsigned char { permute, reshape };
  Kind kind;
  Dims dims;
};

/// The same in einops' notation.
struct ChainPattern {
  std::string text;
  std::vector<AxisSize> sizes;
};

/// Layout operations on a row-major tensor, applied in this order, with a row-major result.
struct ChainCase {
  std::string name;
  DType type = DType::float32;
  Dims shape;
  std::vector<ChainStep> steps;
  std::vector<ChainPattern> patterns;
  bool is_quick = false;

  [[nodiscard]] std::string full_name() const { return "chains/" + name; }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(count_elements(shape)) * item_size(type);
  }
  /// Whether a user writes it as one pattern. Otherwise a user writes the steps.
  [[nodiscard]] bool is_pattern() const { return patterns.size() == 1; }
};

/// Where a chain reads; it makes a new result. The calls made for it must not outlive it.
struct ChainJob {
  const ChainCase& what;
  const std::byte* src;
};

std::vector<ChainCase> chain_cases(Scope scope);
/// The result by its definition: each position is followed back through the steps. The job must outlive it.
Expected expected_chain(const ChainJob& job);

}  // namespace tenstride::bench
