// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tenstride/base/index.hpp"

namespace tenstride::bench {

/// How much more memory this process comes to use at once, from the construction on: its resident pages, as
/// Linux counts them. Memory that was freed before is given back to the system first.
class PeakMemory {
 public:
  PeakMemory();
  /// Bytes above those at the construction. Nothing where the system does not say.
  [[nodiscard]] std::optional<Index> extra_bytes() const;

 private:
  std::optional<Index> start_;
};

}  // namespace tenstride::bench
