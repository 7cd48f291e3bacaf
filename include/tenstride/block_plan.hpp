// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tenstride/disk_rates.hpp"
#include "tenstride/export.hpp"
#include "tenstride/layout.hpp"

/// How the elements of a file are written in another order under a memory limit: data, with no file behind
/// it.
namespace tenstride {

/// The elements to be moved: the n-th index of `src` is that of `dst`.
struct BlockProblem {
  /// In elements of `src_item` bytes from byte `src_begin` of the source on. Any strides.
  Layout src;
  /// In elements of `dst_item` bytes from byte `dst_begin` of the destination on. Dense: every element of the
  /// destination has one index. A stride of 0 marks an axis that is reduced.
  Layout dst;
  /// Where each element stands in the row-major order of the result, for checksums; as `dst` where it has no
  /// axes.
  Layout positions{};
  Index src_item = 1;
  Index dst_item = 1;
  Index src_begin = 0;
  Index dst_begin = 0;
  /// An axis that is not merged with others: numbers run along it.
  std::optional<std::size_t> kept_axis{};
};

/// What the plan may use.
struct BlockLimits {
  /// Bytes of all buffers together.
  Index memory = Index{64} << 20;
  DiskRates disk{};
  /// Bytes read plus bytes written per second by the copies in memory.
  double copy_bytes_per_second = 4e9;
};

/// What one side of a pass asks of the disk.
struct BlockTraffic {
  /// Bytes of a full tile's run: consecutive in the file.
  Index run_bytes = 0;
  /// All runs of all tiles, and the requests that they take (a long run takes several).
  Index runs = 0;
  Index requests = 0;
  /// All bytes, each run rounded to whole pages.
  Index bytes = 0;
  friend bool operator==(const BlockTraffic&, const BlockTraffic&) = default;
};

/// One pass over all elements: tile by tile, each read, permuted and written.
struct BlockPass {
  /// Extents of a tile along each axis of the plan; the last tile of an axis may be shorter. Tiles are done
  /// in the row-major order of the plan's axes.
  Dims tile;
  /// How many tiles there are.
  Index tiles = 1;
  BlockTraffic read;
  BlockTraffic write;
  /// Of the buffers: of one tile as it is read (there are two), of one group of runs to be written (two).
  Index tile_bytes = 0;
  Index group_bytes = 0;
  /// Pages that runs of neighbouring tiles share are kept until they are full: at most so many.
  Index kept_pages = 0;
  double seconds = 0;
  friend bool operator==(const BlockPass&, const BlockPass&) = default;
};

struct BlockPlan {
  /// As given, with the axes in the order of the destination, the slowest first, and merged where both sides
  /// allow.
  BlockProblem problem;
  /// One pass, or two with a temporary file between.
  std::vector<BlockPass> passes;
  /// Of two passes: the temporary file consists of blocks, the parts that a tile of the first pass and one of
  /// the second have in common; each lies in a slot of its own, those of a tile of the second pass one behind
  /// the other.
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
  /// Of all passes.
  double seconds = 0;
  /// Whether requests and bytes were counted run by run, or, for more than 2^24 runs, estimated from a full
  /// tile's.
  bool is_counted = true;

  [[nodiscard]] Index bytes_read() const;
  [[nodiscard]] Index bytes_written() const;
  [[nodiscard]] Index requests() const;
};

/// The fastest plan under the limit, by the disk's rates. Tiles are products of parts of axes, long along the
/// fastest axes of both sides: with tiles of M bytes of a matrix of items of e bytes no run on both sides can
/// be longer than sqrt(M e) (Aggarwal and Vitter, "The input/output complexity of sorting and related
/// problems", CACM 31(9), 1988). Where such runs cost more than moving everything twice, the elements go
/// through a file of blocks, whose runs are longer on all sides (Suh and Prasanna, "An efficient algorithm
/// for out-of-core matrix transposition", IEEE Trans. Comput. 51(4), 2002; costs by the length of runs:
/// Krishnamoorthy et al., "Efficient parallel out-of-core matrix transposition", IJHPCN 2(2), 2004). Throws
/// ValueError where the limit is below `min_block_memory`.
TENSTRIDE_API BlockPlan plan_blocks(const BlockProblem& problem, const BlockLimits& limits);

/// The least `memory` that plan_blocks accepts, found to a sixteenth: it suffices, and less by more than that
/// (and one byte) does not.
TENSTRIDE_API Index min_block_memory(const BlockProblem& problem);

/// The first index and the extents of a tile. Pre: 0 <= tile < tiles of the pass.
struct BlockBox {
  Dims first;
  Dims extents;
};
TENSTRIDE_API BlockBox tile_box(const Dims& shape, const Dims& tile, Index number);
/// How many tiles there are along each axis.
TENSTRIDE_API Dims tile_counts(const Dims& shape, const Dims& tile);

/// Where in the temporary file a block begins, in bytes: that of the tile `q` of the second pass whose first
/// index is `first`. Pre: `first` is where a block begins.
TENSTRIDE_API Index block_offset(const BlockPlan& plan, const Dims& first);
/// The slots of one tile of the second pass.
TENSTRIDE_API Index slots_per_tile(const BlockPlan& plan);

/// Several lines for people: axes, passes, runs, requests, bytes, memory, seconds. See docs/large-files.md.
TENSTRIDE_API std::string to_string(const BlockPlan& plan);
/// The same as JSON.
TENSTRIDE_API std::string to_json(const BlockPlan& plan);

}  // namespace tenstride
