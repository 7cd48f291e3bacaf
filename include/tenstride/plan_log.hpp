// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tenstride/copy_plan.hpp"
#include "tenstride/export.hpp"

namespace tenstride {

/// The plans of the copies that the calling thread makes while this lives, in order. A copy on meta moves
/// nothing, but is planned all the same. Of logs within each other the inner one is written. Pre: ends on the
/// thread that it began on, the inner log before the outer.
/// Example: `PlanLog log; (void)zeros({2, 3}, {.device = Device::meta}).t().contiguous();` gives one plan.
class TENSTRIDE_API PlanLog {
 public:
  /// Keeps the first `most` plans, and counts the others.
  explicit PlanLog(std::size_t most = 16);
  ~PlanLog();
  PlanLog(const PlanLog&) = delete;
  PlanLog& operator=(const PlanLog&) = delete;

  [[nodiscard]] const std::vector<CopyPlan>& plans() const noexcept { return plans_; }
  /// How many copies there were, also those beyond what is kept.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Begins anew.
  void clear() noexcept;

  /// The log that the calling thread writes, or null. What carries out copies calls `add` on it.
  [[nodiscard]] static PlanLog* current() noexcept;
  void add(CopyPlan plan);

 private:
  std::size_t most_;
  std::size_t count_ = 0;
  std::vector<CopyPlan> plans_;
  PlanLog* outer_;
};

}  // namespace tenstride
