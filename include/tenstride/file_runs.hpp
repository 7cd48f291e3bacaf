// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tenstride/export.hpp"
#include "tenstride/layout.hpp"

namespace tenstride {

/// The runs of consecutive elements that a box of a file consists of, and a buffer in which they lie one
/// behind the other. All counts are in elements; positions are relative to the box's first element in memory
/// (the lowest).
struct FileRuns {
  /// Elements from the first to the last of one run, with the gaps that are read over.
  Index span = 1;
  /// How the runs repeat, the slowest first: extents and the (positive) distances in the file.
  Dims extents;
  Dims strides;

  /// How many runs there are.
  [[nodiscard]] Index count() const {
    Index result = 1;
    for (const Index extent : extents) result *= extent;
    return result;
  }
};

/// The runs of a box of `extents` in a file whose elements lie at `strides`. Gaps of at most `max_gap`
/// elements belong to the run. Example: the box (2,3,4) of a row-major file (9,4,8) without gaps, strides
/// (32,8,1): 6 runs of 4 elements at (2,3):(32,8); with gaps of up to 4 elements 2 runs of 20 at (2):(32).
TENSTRIDE_API FileRuns runs_of_box(const Dims& extents, const Dims& strides, Index max_gap);

/// How far below its first index the lowest element of a box lies: 0, or negative with negative strides.
TENSTRIDE_API Index lowest_of_box(const Dims& extents, const Dims& strides);

/// Where the elements of a box lie in a buffer of the runs: `pitch` says how many elements of the buffer lie
/// between the beginnings of two runs, for each axis of the runs. The result has the box's extents, and the
/// lowest element lies at 0. Pre: the runs are those of the box.
TENSTRIDE_API Layout box_in_buffer(const Dims& extents, const Dims& strides, const FileRuns& runs,
                                   const Dims& pitch);

/// The pitches of a buffer without padding. Example: of 6 runs of 4 at (2,3) they are (12,4).
TENSTRIDE_API Dims dense_pitch(const FileRuns& runs);

/// Calls `visit(file, buffer)` with the position of each run in the file and in the buffer, in the order of
/// the file.
template <class Visit>
void for_each_run(const FileRuns& runs, const Dims& pitch, const Visit& visit) {
  Dims index = Dims::filled(runs.extents.size(), 0);
  Index file = 0, buffer = 0;
  for (;;) {
    visit(file, buffer);
    std::size_t d = index.size();
    for (;;) {
      if (d == 0) return;
      --d;
      file += runs.strides[d];
      buffer += pitch[d];
      if (++index[d] < runs.extents[d]) break;
      file -= runs.strides[d] * runs.extents[d];
      buffer -= pitch[d] * runs.extents[d];
      index[d] = 0;
    }
  }
}

}  // namespace tenstride
