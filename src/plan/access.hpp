// SPDX-License-Identifier: Apache-2.0
// What a nest asks of memory: the one classification that all ways are proposed by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// How the rows of the destination lie in the source.
enum class AccessKind : std::uint8_t {
  contiguous,    ///< both sides are one run
  rows,          ///< contiguous runs on both sides
  fill,          ///< one item fills a run of the destination
  gather,        ///< a run of the destination from a source with a stride
  transpose,     ///< the source is contiguous along another loop than the destination
  interleave,    ///< the same, and 2 to 16 source runs become one destination run
  deinterleave,  ///< the same, and one source run becomes 2 to 64 destination runs
  strided,       ///< the destination has no run
};

struct Access {
  AccessKind kind = AccessKind::strided;
  /// For the kinds that transpose: the loop along which the source is contiguous, forwards or backwards.
  std::size_t source_loop = 0;

  [[nodiscard]] bool has_channels() const {
    return kind == AccessKind::interleave || kind == AccessKind::deinterleave;
  }
  [[nodiscard]] bool transposes() const { return kind == AccessKind::transpose || has_channels(); }
};

/// What a copy of `bytes` bytes to sequential memory uses on the machine.
SequentialStores sequential_stores(Index bytes, const PlanOptions& options);

/// The access of a copy of `bytes` bytes.
Access access_of(const Nest& nest, const Conversion& conversion, Index bytes, const PlanOptions& options);

/// Whether a copy of `bytes` bytes is written by streaming stores where it is carried out as its access says.
bool streams(const Nest& nest, const Conversion& conversion, const Access& access, Index bytes,
             const PlanOptions& options);

/// Whether all positions of some loops have the same offset in a cache line of the destination.
bool have_line_strides(std::span<const Loop> loops);

/// Whether the rows of the destination all begin at the same offset in a cache line.
inline bool has_uniform_line_offset(const Nest& nest) {
  return have_line_strides(nest.loops.first(nest.size() - 1));
}

}  // namespace tenstride::detail
