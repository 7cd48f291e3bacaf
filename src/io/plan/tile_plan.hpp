// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/io/disk.hpp"
#include "tenstride/layout/index_map.hpp"
#include "tenstride/layout/layout.hpp"

/// Plans that write the elements of a file in another order with limited memory, as data: no file is needed.
/// A side is flat (elements one after the other, read and written in runs of a tile), or the whole plan is in
/// parts (chunks on one side or both, which any threads read and write).
namespace tenstride {

/// The elements to be moved: index n of `src` goes to index n of `dst`.
struct BlockProblem {
  /// The source in elements of `src_item` bytes, from byte `src_begin` on. Any strides.
  Layout src;
  /// The destination in elements of `dst_item` bytes, from byte `dst_begin` on. Dense: every element has one
  /// index. A stride of 0 marks an axis that is reduced.
  Layout dst;
  /// The position of each element in the row-major order of the result, for checksums; `dst` is used where
  /// this has no axes.
  Layout positions{};
  Index src_item = 1;
  Index dst_item = 1;
  Index src_begin = 0;
  Index dst_begin = 0;
  /// An axis that must not be merged with others, because scale and shift have a number for each of its
  /// indices.
  std::optional<std::size_t> unmerged_axis{};
};

/// The resources that a plan may use.
struct BlockLimits {
  /// Bytes of all buffers together.
  Index memory = Index{64} << 20;
  DiskRates disk{};
  /// Bytes read plus bytes written per second by the copies in memory.
  double copy_bytes_per_second = 4e9;
  /// 1 where two passes must not be, which have to follow each other.
  int max_passes = 2;
};

/// The reads or the writes of one pass.
struct BlockTraffic {
  /// Bytes of a run of a full tile: consecutive in the file.
  Index run_bytes = 0;
  /// The number of runs of all tiles, and of the requests for them (a long run takes several).
  Index runs = 0;
  Index requests = 0;
  /// All bytes, each run extended to whole pages. In parts: of their elements, however they are compressed;
  /// those of a chunk count as often as it is read.
  Index bytes = 0;
  friend bool operator==(const BlockTraffic&, const BlockTraffic&) = default;
};

/// One pass over all elements: tile by tile, each read, permuted and written.
struct TilePass {
  /// Extents of a tile along each axis of the plan; the last tile of an axis may be shorter. Tiles are done
  /// in the row-major order of the plan's axes.
  Dims tile;
  /// The number of tiles.
  Index tiles = 1;
  BlockTraffic read;
  BlockTraffic write;
  /// Bytes of the buffer of a tile that is read, and of a group of runs that is written. There are two of
  /// each.
  Index tile_bytes = 0;
  Index group_bytes = 0;
  /// The most pages that are kept in memory until neighbouring tiles, whose runs share them, have filled
  /// them.
  Index kept_pages = 0;
  double seconds = 0;
  /// What is read at a time, over the axes of the source, and what is written, in parts.
  Dims part{};
  Dims unit{};
  /// The axes of the destination, slowest first: the order in which the parts that a tile needs are read, so
  /// that some of its units are complete before others begin. Empty: as they stand in the source.
  Dims order{};
  /// Bytes of the units that may be in memory at once.
  Index units_bytes = 0;
  friend bool operator==(const TilePass&, const TilePass&) = default;
};

struct TilePlan {
  /// The given problem with its axes sorted in the destination's order, the slowest first, and merged where
  /// both sides allow it. In parts: with the axes of the result, row-major on both sides.
  BlockProblem problem;
  bool is_in_parts = false;
  /// The map from the axes of the result to those of the source, in parts.
  IndexMap map{};
  /// One pass, or two with a temporary file between them.
  std::vector<TilePass> passes;
  /// For two passes: the temporary file consists of blocks, each the intersection of a tile of the first pass
  /// and one of the second (in parts: of which those tiles consist). Each block has a slot of its own; the
  /// slots of a tile of the second pass follow each other.
  Dims block;
  Index slot_bytes = 0;
  Index temporary_item = 0;
  Index temporary_bytes = 0;
  /// Bytes of the longest request; offsets and lengths are multiples of the page.
  Index request_bytes = 0;
  Index requests_in_flight = 32;
  Index page = 1;
  /// Bytes of all buffers together, at most.
  Index memory = 0;
  /// The number of threads that read and write parts.
  int threads = 1;
  /// The time of all passes.
  double seconds = 0;
  /// Whether the first of two passes converts elements, rather than the second.
  bool converts_first = true;
  /// Whether requests and bytes were counted run by run, or estimated from a full tile's because there are
  /// more than 2^24 runs.
  bool is_counted = true;

  [[nodiscard]] Index tiles() const;
  [[nodiscard]] Index bytes_read() const;
  [[nodiscard]] Index bytes_written() const;
  [[nodiscard]] Index requests() const;
};

/// The fastest plan within the limits, by the disk's rates. Tiles are products of parts of axes, long along
/// the fastest axes of both sides: with tiles of M bytes of a matrix of items of e bytes, runs cannot be
/// longer than sqrt(M e) on both sides (Aggarwal and Vitter, "The input/output complexity of sorting and
/// related problems", CACM 31(9), 1988). Where such runs cost more than moving everything twice, the plan has
/// two passes through a file of blocks, whose runs are longer on all sides (Suh and Prasanna, "An efficient
/// algorithm for out-of-core matrix transposition", IEEE Trans. Comput. 51(4), 2002; costs by the length of
/// runs: Krishnamoorthy et al., "Efficient parallel out-of-core matrix transposition", IJHPCN 2(2), 2004).
/// Throws ValueError where the memory is less than `min_block_memory`.
TENSTRIDE_API TilePlan plan_blocks(const BlockProblem& problem, const BlockLimits& limits);

/// The smallest `memory` that plan_blocks accepts, to within a sixteenth: it suffices, and memory smaller by
/// more than a sixteenth and one byte does not.
TENSTRIDE_API Index min_block_memory(const BlockProblem& problem);

/// The first index and the extents of a tile. Pre: 0 <= tile < tiles of the pass.
struct Box {
  Dims first;
  Dims extents;
};
TENSTRIDE_API Box tile_box(const Dims& shape, const Dims& tile, Index number);
/// How many tiles there are along each axis.
TENSTRIDE_API Dims tile_counts(const Dims& shape, const Dims& tile);

/// The byte offset in the temporary file of the block whose first index is `first`. Pre: a block begins
/// there.
TENSTRIDE_API Index block_offset(const TilePlan& plan, const Dims& first);

/// Several lines for people: axes, passes, runs, requests, bytes, memory, seconds. See docs/large-files.md.
TENSTRIDE_API std::string to_string(const TilePlan& plan);
/// The plan as JSON.
TENSTRIDE_API std::string to_json(const TilePlan& plan);

}  // namespace tenstride
