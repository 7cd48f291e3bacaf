// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "io/large/file_chain.hpp"
#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// Where each index of a result comes from, axis by axis. Example: of x.permute(1, 0)[2:], x of shape (4,9):
/// axis 0 is axis 1 of x from index 2 on by steps of 1, axis 1 is axis 0 from 0 on by 1.
struct AxisMap {
  struct Axis {
    /// Nothing: every index of the axis has the same elements (expand, unsqueeze).
    std::optional<std::size_t> source;
    /// In indices of the source's axis; negative where the result is flipped.
    Index step = 1;
  };
  /// One for each axis of the result.
  std::vector<Axis> axes;
  /// The index of the source that the first element of the result has, one for each axis of the source.
  Dims first;
};

/// The map of a chain on a source of `shape`; nothing where an axis of the result is made of several axes of
/// the source or the other way round, where the chain reduces, and where it copies more than once.
/// `chain` was followed on the row-major layout of the shape.
std::optional<AxisMap> axis_map_of(const FileChain& chain, const Dims& shape);

/// The map of a row-major copy.
AxisMap identity_map(std::size_t rank);

}  // namespace tenstride::io
