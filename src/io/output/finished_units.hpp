// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "io/output/resumable_output.hpp"

namespace tenstride::io {

/// Keeps in a journal which units any threads have written, and flushes them every few seconds. Units that
/// are finished meanwhile wait for the end of the flush, so that the journal says of no unit that it is on
/// the disk before it is; no thread waits.
class FinishedUnits {
 public:
  explicit FinishedUnits(ResumableOutput& output, double seconds = seconds_between_flushes)
      : output_(output), between_(seconds) {}

  /// The unit was written, which is part `part` of the output. Throws FileError.
  void finish(std::size_t part, const PartSum& sum);

 private:
  using Clock = std::chrono::steady_clock;

  ResumableOutput& output_;
  std::chrono::duration<double> between_;
  std::mutex mutex_;
  Clock::time_point flushed_ = Clock::now();
  bool is_flushing_ = false;
  std::vector<std::pair<std::size_t, PartSum>> waiting_;
};

}  // namespace tenstride::io
