// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "copy/line_buffer.hpp"
#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// Memory for `count` accumulators, aligned to 64 bytes, and for the `group_slack` ones that `combine_groups`
/// may overwrite behind them.
class States {
 public:
  States(const ReduceKernel& kernel, Index count)
      : memory_(static_cast<std::size_t>(count + group_slack) * kernel.state_size) {}
  [[nodiscard]] std::byte* data() const { return memory_.data(); }

 private:
  copy::LineBuffer memory_;
};

}  // namespace tenstride::detail
