// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// Memory for `count` accumulators, aligned to 64 bytes, and for the `group_slack` ones that `combine_groups`
/// may overwrite behind them.
class States {
 public:
  States(const ReduceKernel& kernel, Index count)
      : memory_(
            new Slot[static_cast<std::size_t>(count + group_slack) * kernel.state_size / sizeof(Slot) + 1]) {}
  [[nodiscard]] std::byte* data() const { return memory_[0].bytes; }

 private:
  struct alignas(64) Slot {
    std::byte bytes[64];
  };
  std::unique_ptr<Slot[]> memory_;
};

}  // namespace tenstride::detail
