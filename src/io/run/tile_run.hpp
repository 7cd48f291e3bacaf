// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "io/ends/sink.hpp"
#include "io/ends/source.hpp"
#include "io/run/conversion.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

/// What a pass goes through, tile by tile, and with what.
struct TileWork {
  Dims shape;
  /// Extents of a tile; the last one of an axis may be shorter.
  Dims tile;
  Index tiles = 0;
  Conversion conversion{};
  /// The place of each element in the checksum; nothing where no checksum is wanted.
  std::optional<Layout> positions{};
  int threads = 1;
  /// Bytes of the units that may be open at once.
  std::uint64_t units_nbytes = 0;
};

/// How many tiles were written so far, and how many were skipped, as none of their units was left.
using TellTiles = std::function<void(Index written, Index skipped)>;

/// Carries a pass out: reads the parts of a tile that its units need, copies each to all units that have
/// elements of it, and writes a unit when it has all its elements. Of several threads each takes a part or a
/// unit, units first, so that their memory is free again. Where the sink has a thread of its own the calling
/// thread does the rest, and its copies use as many threads as it may. `tell` is called by the calling thread
/// again and again. What it, the source or the sink throws ends the run.
void run_tiles(const TileWork& work, Source& source, Sink& sink, const TellTiles& tell);

}  // namespace tenstride::io
