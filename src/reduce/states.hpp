// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// Accumulators, aligned as any type wants them, with room for what `gather` writes beyond.
class States {
 public:
  States(const ReduceKernel& kernel, Index count)
      : memory_(
            new Slot[static_cast<std::size_t>(count + gather_slack) * kernel.state_size / sizeof(Slot) + 1]) {
  }
  [[nodiscard]] std::byte* data() const { return memory_[0].bytes; }

 private:
  struct alignas(64) Slot {
    std::byte bytes[64];
  };
  std::unique_ptr<Slot[]> memory_;
};

}  // namespace tenstride::detail
