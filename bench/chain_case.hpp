// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"
#include "check.hpp"
#include "tenstride/pattern.hpp"

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

/// Layout operations one after the other on a row-major tensor; the result is to be row-major.
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
  /// Whether it is one pattern, as people write it; otherwise the steps are what is written.
  [[nodiscard]] bool is_pattern() const { return patterns.size() == 1; }
};

/// Where a chain reads. It makes its own result. Lives as long as the calls made of it.
struct ChainJob {
  const ChainCase& what;
  const std::byte* src;
};

std::vector<ChainCase> chain_cases(Scope scope);
/// Each position followed back through the steps. The job must outlive it.
Expected expected_chain(const ChainJob& job);

}  // namespace tenstride::bench
