// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace tenstride::io {

/// What the two ends of a run have moved so far, by any thread.
struct MovedBytes {
  /// Bytes of files.
  std::atomic<std::uint64_t> read{0};
  std::atomic<std::uint64_t> written{0};
  /// Bytes in the measure of forecasts: of files too, but of chunks their uncompressed elements.
  std::atomic<std::uint64_t> done{0};

  void add_read(std::uint64_t of_file, std::uint64_t of_forecast) {
    read += of_file;
    done += of_forecast;
  }
  void add_written(std::uint64_t of_file, std::uint64_t of_forecast) {
    written += of_file;
    done += of_forecast;
  }
};

}  // namespace tenstride::io
