// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "tenstride/error.hpp"

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
};

/// Is called now and then (at most some 20 times a second), from the thread that began the run. What it
/// throws ends the run, which can be resumed.
using ProgressCallback = std::function<void(const Progress&)>;

/// A run was ended from outside; what it finished is kept, and the message says how to go on.
class TENSTRIDE_API Interrupted : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

}  // namespace tenstride::io
