// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan_log.hpp"

#include <utility>

namespace tenstride {
namespace {

thread_local constinit PlanLog* innermost = nullptr;

}  // namespace

PlanLog::PlanLog(std::size_t most) : most_(most), outer_(std::exchange(innermost, this)) {}

PlanLog::~PlanLog() {
  innermost = outer_;
}

void PlanLog::clear() noexcept {
  plans_.clear();
  count_ = 0;
}

PlanLog* PlanLog::current() noexcept {
  return innermost;
}

void PlanLog::add(CopyPlan plan) {
  if (plans_.size() < most_) plans_.push_back(std::move(plan));
  ++count_;
}

}  // namespace tenstride
