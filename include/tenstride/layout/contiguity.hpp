// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "tenstride/layout/layout.hpp"

namespace tenstride::detail {

/// Whether a layout is contiguous, remembered from the first question on: libraries ask again and again of
/// the same tensor, and views of which nobody asks do not pay for the answer. Copies know what the original
/// knew. Thread-safety: as of an atomic number.
class Contiguity {
 public:
  Contiguity() noexcept = default;
  Contiguity(const Contiguity& other) noexcept : known_(other.known_.load(std::memory_order_relaxed)) {}
  Contiguity& operator=(const Contiguity& other) noexcept {
    known_.store(other.known_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  ~Contiguity() = default;

  /// Pre: the layout is the same at each call, or `forget` came between.
  [[nodiscard]] bool of(const Layout& layout) const noexcept {
    const Answer known = known_.load(std::memory_order_relaxed);
    if (known != Answer::unknown) [[likely]] {
      return known == Answer::yes;
    }
    const bool found = is_contiguous(layout);
    known_.store(found ? Answer::yes : Answer::no, std::memory_order_relaxed);
    return found;
  }
  void forget() noexcept { known_.store(Answer::unknown, std::memory_order_relaxed); }

 private:
  enum class Answer : unsigned char { unknown, no, yes };
  mutable std::atomic<Answer> known_{Answer::unknown};
};

}  // namespace tenstride::detail
