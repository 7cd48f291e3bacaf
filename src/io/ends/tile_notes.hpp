// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "io/output/part_sum.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {

/// What is kept of the tiles of a flat file, and who is told.
struct TileNotes {
  /// The tiles that an earlier run has finished, or other tasks do.
  std::vector<bool> left_out;
  /// Is called by the thread that passes tiles on, now and then, while it waits for the disk.
  std::function<void()> while_waiting{};
  /// Is called by the writing thread, with the number of a tile that is written.
  std::function<void(Index tile, const PartSum& sum)> finish{};
};

}  // namespace tenstride::io
