// SPDX-License-Identifier: Apache-2.0
#include "io/plan/file_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tenstride {
namespace {

/// The axes along which a box has more than one position in the file, the fastest first.
std::vector<std::size_t> moving_axes(const Dims& extents, const Dims& strides) {
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1 && strides[d] != 0) axes.push_back(d);
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  return axes;
}

}  // namespace

FileRuns runs_of_box(const Dims& extents, const Dims& strides, Index max_gap) {
  FileRuns runs;
  bool is_run = true;
  for (const std::size_t d : moving_axes(extents, strides)) {
    const Index stride = std::abs(strides[d]);
    // Gaps are read over only within a run: behind the first axis that is no part of it, all axes are loops
    // over runs.
    is_run = is_run && stride - runs.span <= max_gap;
    if (is_run) {
      runs.span += stride * (extents[d] - 1);
    } else {
      runs.extents.insert(0, extents[d]);
      runs.strides.insert(0, stride);
    }
  }
  return runs;
}

Index lowest_of_box(const Dims& extents, const Dims& strides) {
  Index lowest = 0;
  for (std::size_t d = 0; d < extents.size(); ++d)
    lowest += std::min<Index>(strides[d], 0) * (extents[d] - 1);
  return lowest;
}

Layout box_in_buffer(const Dims& extents, const Dims& strides, const FileRuns& runs, const Dims& pitch) {
  Layout result{extents, strides, 0};
  const std::vector<std::size_t> axes = moving_axes(extents, strides);
  const std::size_t outside = runs.extents.size();
  for (std::size_t i = 0; i < outside; ++i) {
    const std::size_t d = axes[axes.size() - 1 - i];
    result.strides[d] = strides[d] < 0 ? -pitch[i] : pitch[i];
  }
  result.offset = -lowest_of_box(extents, result.strides);
  return result;
}

Dims dense_pitch(const FileRuns& runs) {
  Dims pitch = Dims::filled(runs.extents.size(), 0);
  Index next = runs.span;
  for (std::size_t d = pitch.size(); d-- > 0;) {
    pitch[d] = next;
    next *= runs.extents[d];
  }
  return pitch;
}

}  // namespace tenstride
