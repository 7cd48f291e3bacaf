// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {

namespace detail {
class Ranges;
}  // namespace detail

/// Tells how evenly work would be shared by more threads than there are processors. During the scope the
/// calling thread makes the ranges of its parallel loops one after the other. Each is timed and given to the
/// imaginary thread that is free first, as if all of them had a processor, and the memory were as fast for
/// each. Pre: the scope ends on the thread that it began on.
///
/// Example: `const SimulatedThreads threads(16); y.copy_(x); threads.speed_up()`.
class TENSTRIDE_API SimulatedThreads {
 public:
  /// Throws ValueError where `count` is less than 1.
  explicit SimulatedThreads(int count);
  ~SimulatedThreads();
  SimulatedThreads(const SimulatedThreads&) = delete;
  SimulatedThreads& operator=(const SimulatedThreads&) = delete;

  /// Seconds of the calling thread in parallel loops, all ranges one after the other.
  [[nodiscard]] double sequential() const { return sequential_; }
  /// Seconds until the last imaginary thread was done, summed over the loops.
  [[nodiscard]] double shared() const { return shared_; }
  /// Seconds of the calling thread outside parallel loops, so far.
  [[nodiscard]] double alone() const;
  /// The number of ranges.
  [[nodiscard]] Index ranges() const { return ranges_; }
  /// How many times as fast the threads would be as one.
  [[nodiscard]] double speed_up() const;

 private:
  friend void detail::parallel_run(Index begin, Index end, Index grain, int threads,
                                   void (*body)(void*, Index, Index), void* state);
  static SimulatedThreads* current();
  void run(const detail::Ranges& ranges, int threads, void (*body)(void*, Index, Index), void* state);

  ThreadScope scope_;
  int count_;
  SimulatedThreads* outer_;
  double begin_;
  double sequential_ = 0;
  double shared_ = 0;
  Index ranges_ = 0;
};

}  // namespace tenstride
