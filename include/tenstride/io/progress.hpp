// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tenstride/base/error.hpp"

namespace tenstride::io {

/// How far a long run is. Bytes count once read and once written, in each pass.
struct Progress {
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes = 0;
  /// Parts that are finished and need not be done again.
  std::uint64_t tiles_done = 0;
  std::uint64_t tiles = 0;
  /// 1, or 2 in the second of two passes.
  int pass = 1;
  int passes = 1;
  /// Since the run began, and what it was foretold to take.
  double seconds = 0;
  double seconds_foretold = 0;
  /// The part of `bytes_done` that an earlier run had done: it took none of the seconds.
  std::uint64_t bytes_earlier = 0;
};

/// Since the run began; nothing before the first byte and in the first moment.
TENSTRIDE_API std::optional<double> bytes_per_second(const Progress& progress);
/// What is left by that speed, or by what was foretold before there is one; nothing where neither is known.
TENSTRIDE_API std::optional<double> seconds_left(const Progress& progress);

/// A line without its end; what is not known is left out.
/// Example: "25%, 1.0 GiB of 4.0 GiB, 0.54 GB/s, 6 s left, pass 1 of 2".
TENSTRIDE_API std::string progress_text(const Progress& progress);
/// A bar of at most `columns` characters, with the same behind it. What does not fit is left out from the
/// end, then the bar; the percentage is always there. Example, 60 columns: "[===>        ]  25%  1.0 GiB
/// of 4.0 GiB  0.54 GB/s  6 s left".
TENSTRIDE_API std::string progress_bar(const Progress& progress, std::size_t columns);

enum class ProgressEvent : unsigned char { start, progress, done, interrupted, error };
/// One JSON object on a line without its end: "event", "bytes_done", "bytes", "tiles_done", "tiles", "pass",
/// "passes", "seconds", "seconds_left" and "bytes_per_second" (null where they are not known), and "message"
/// where there is one.
TENSTRIDE_API std::string progress_json(ProgressEvent event, const Progress& progress,
                                        std::string_view message = {});

/// Is called now and then (at most some 20 times a second), from the thread that began the run. What it
/// throws ends the run, which can be resumed.
using ProgressCallback = std::function<void(const Progress&)>;

/// A run was ended from outside; what it finished is kept, and the message says how to go on.
class TENSTRIDE_API Interrupted : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

}  // namespace tenstride::io
