// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride {

/// The runs of consecutive elements that a box of a file consists of, and a buffer that holds them one behind
/// the other. All counts are in elements; positions are relative to the box's element at the lowest address.
struct FileRuns {
  /// Elements of one run, gaps that are read over included.
  Index span = 1;
  /// The loops over the runs, outermost first: extents, and (positive) strides in the file.
  Dims extents;
  Dims strides;

  /// The number of runs.
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

/// The position of a box's lowest element relative to its first index: 0, or negative with negative strides.
TENSTRIDE_API Index lowest_of_box(const Dims& extents, const Dims& strides);

/// The layout of a box's elements in a buffer of its runs, with the box's extents and the lowest element at
/// 0. `pitch` is the distance of the beginnings of two runs in the buffer, for each loop over the runs. Pre:
/// the runs are those of the box.
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
