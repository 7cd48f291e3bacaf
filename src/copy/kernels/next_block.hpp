// SPDX-License-Identifier: Apache-2.0
// The prefetch of the block that is packed next, while this one is.
#pragma once

#include <cstddef>

#include "copy/kernels/pack.hpp"

namespace tenstride::copy {

/// Prefetches the block after this one, an equal share with each step.
class NextBlockPrefetch {
 public:
  /// `steps`: in how many the whole block is packed, as many for each panel.
  NextBlockPrefetch(const Pack& pack, std::size_t steps) {
    table_ = pack.prefetch.next_table;
    if (table_ == nullptr) return;
    src_ = pack.prefetch.next_src;
    each_ = (table_->src_runs.size() * table_->src_run_lines + steps - 1) / steps;
    const std::size_t done = each_ * (steps / pack.table->panels()) * pack.first_panel;
    run_ = done / table_->src_run_lines;
    line_ = done % table_->src_run_lines;
  }
  void step() {
    for (std::size_t i = 0; i < each_ && run_ < table_->src_runs.size(); ++i) {
      __builtin_prefetch(src_ + table_->src_runs[run_] + line_ * line_bytes, 0, 2);
      if (++line_ < table_->src_run_lines) continue;
      line_ = 0;
      ++run_;
    }
  }

 private:
  const PackTable* table_;
  const std::byte* src_ = nullptr;
  std::size_t each_ = 0;
  std::size_t run_ = 0;
  std::size_t line_ = 0;
};

}  // namespace tenstride::copy
