// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "io/job/job_plan.hpp"

namespace tenstride::io {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Tells what was done, now and then.
class RunReport {
 public:
  RunReport(const FileJob& job, const ProgressCallback& callback, Clock::time_point start)
      : callback_(callback), start_(start) {
    now_.bytes = job.bytes_read + job.bytes_written;
    now_.seconds_foretold = job.seconds.value_or(0);
    for (const TensorPlan& tensor : plan_of(job).tensors) now_.tiles += tensor.tiles();
    now_.passes = static_cast<int>(job.passes);
  }
  void begin_pass(int pass) { now_.pass = pass; }
  /// Takes off what other tasks do.
  void leave_out(std::uint64_t bytes) { now_.bytes -= std::min(now_.bytes, bytes); }
  /// Counts what an earlier run has done.
  void skip(std::uint64_t bytes) { now_.bytes_earlier += bytes; }
  void finish_tiles(std::uint64_t tiles) { now_.tiles_done = tiles; }
  /// Calls back where that was not done within the last 50 ms; may throw.
  void tell(std::uint64_t bytes_moved) {
    if (!callback_) return;
    const double seconds = seconds_since(start_);
    if (told_ && seconds - now_.seconds < 0.05) return;
    told_ = true;
    now_.seconds = seconds;
    now_.bytes_done = std::min(now_.bytes, now_.bytes_earlier + bytes_moved);
    callback_(now_);
  }
  void tell_end() {
    if (!callback_) return;
    now_.seconds = seconds_since(start_);
    now_.bytes_done = now_.bytes;
    now_.tiles_done = now_.tiles;
    callback_(now_);
  }

 private:
  const ProgressCallback& callback_;
  Clock::time_point start_;
  Progress now_{};
  bool told_ = false;
};

}  // namespace tenstride::io
