// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "tenstride/base/index.hpp"

namespace tenstride::detail {

/// Indices [begin, end) in ranges that differ in length by at most one: one range where there are at most
/// `grain` indices, otherwise ranges of about an eighth of a grain or more. Threads get equally many of them,
/// where there are enough.
class Ranges {
 public:
  Ranges(Index begin, Index end, Index grain, int threads) : begin_(begin), length_(end - begin) {
    constexpr Index max_per_thread = 32;
    if (threads <= 1 || length_ <= grain) return;
    count_ = ceil_divide(length_, std::max<Index>(grain / 8, 1));
    if (count_ > threads) count_ = std::min(count_ / threads, max_per_thread) * threads;
  }

  [[nodiscard]] Index count() const { return count_; }
  /// The first index of a range. Pre: 0 <= range <= count().
  [[nodiscard]] Index first(Index range) const {
    return begin_ + length_ / count_ * range + length_ % count_ * range / count_;
  }

 private:
  Index begin_;
  Index length_;
  Index count_ = 1;
};

}  // namespace tenstride::detail
