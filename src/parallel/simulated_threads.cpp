// SPDX-License-Identifier: Apache-2.0
#include "tenstride/parallel/simulated_threads.hpp"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "parallel/ranges.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

thread_local constinit SimulatedThreads* simulation = nullptr;

// Where a process has no threads, the time that passes.
#if defined(CLOCK_THREAD_CPUTIME_ID)
constexpr clockid_t thread_clock = CLOCK_THREAD_CPUTIME_ID;
#else
const clockid_t thread_clock = CLOCK_MONOTONIC;
#endif

double thread_seconds() {
  timespec now{};
  clock_gettime(thread_clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The seconds that one look at the clock takes.
double clock_seconds() {
  static const double seconds = [] {
    constexpr int looks = 1000;
    const double begin = thread_seconds();
    for (int i = 0; i < looks; ++i) static_cast<void>(thread_seconds());
    return (thread_seconds() - begin) / looks;
  }();
  return seconds;
}

int at_least_one(int count) {
  if (count >= 1) return count;
  throw ValueError(detail::message("SimulatedThreads: count (", count, ") must be at least 1"));
}

/// No simulation, for loops within a range: they are that range's own.
class Suspended {
 public:
  Suspended() : outer_(std::exchange(simulation, nullptr)) {}
  ~Suspended() { simulation = outer_; }
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;

 private:
  SimulatedThreads* outer_;
  ThreadScope serial_{1};
};

}  // namespace

SimulatedThreads::SimulatedThreads(int count)
    : scope_(at_least_one(count)), count_(count), outer_(simulation), begin_(0) {
  static_cast<void>(clock_seconds());
  simulation = this;
  begin_ = thread_seconds();
}

SimulatedThreads::~SimulatedThreads() {
  simulation = outer_;
}

SimulatedThreads* SimulatedThreads::current() {
  return simulation;
}

void SimulatedThreads::run(const detail::Ranges& ranges, int threads, void (*body)(void*, Index, Index),
                           void* state) {
  const double before = thread_seconds();
  std::vector<double> busy(static_cast<std::size_t>(std::min(threads, count_)), 0.0);
  double sequential = 0;
  for (Index range = 0; range < ranges.count(); ++range) {
    const Suspended suspended;
    const double begin = thread_seconds();
    body(state, ranges.first(range), ranges.first(range + 1));
    const double seconds = std::max(thread_seconds() - begin - clock_seconds(), 0.0);
    *std::min_element(busy.begin(), busy.end()) += seconds;
    sequential += seconds;
  }
  sequential_ += sequential;
  shared_ += *std::max_element(busy.begin(), busy.end());
  ranges_ += ranges.count();
  // What the simulation itself takes is no work of the caller.
  begin_ += std::max(thread_seconds() - before - sequential, 0.0);
}

double SimulatedThreads::alone() const {
  return std::max(thread_seconds() - begin_ - sequential_, 0.0);
}

double SimulatedThreads::speed_up() const {
  const double alone = this->alone();
  return alone + shared_ > 0 ? (alone + sequential_) / (alone + shared_) : 1;
}

}  // namespace tenstride
