// SPDX-License-Identifier: Apache-2.0
#include "io/output/finished_units.hpp"

namespace tenstride::io {

void FinishedUnits::finish(std::size_t part, const PartSum& sum) {
  std::unique_lock lock(mutex_);
  if (is_flushing_) {
    waiting_.emplace_back(part, sum);
    return;
  }
  output_.finish(part, sum);
  if (Clock::now() - flushed_ < between_) return;
  is_flushing_ = true;
  lock.unlock();
  output_.flush_parts();
  lock.lock();
  output_.flushed();
  for (const auto& [number, of_part] : waiting_) output_.finish(number, of_part);
  waiting_.clear();
  is_flushing_ = false;
  flushed_ = Clock::now();
}

}  // namespace tenstride::io
