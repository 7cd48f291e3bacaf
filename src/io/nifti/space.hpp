// SPDX-License-Identifier: Apache-2.0
// Where voxels are in space, after their axes were permuted, flipped, cut, stepped over or averaged.
#pragma once

#include <array>
#include <cstddef>

namespace tenstride::io {

/// What the first three axes of a result are of the first three of the source.
struct SpaceMove {
  struct Axis {
    std::size_t source = 0;
    /// The step in voxels of the source; negative where the axis is flipped. Of an average of n voxels, n.
    double step = 1;
  };
  std::array<Axis, 3> axes{{{0}, {1}, {2}}};
  /// The voxel of the source whose middle is that of the result's first voxel, along the source's axes.
  std::array<double, 3> first{};

  /// Whether axes keep their places and directions.
  [[nodiscard]] bool keeps_directions() const;
};

/// Three rows of an affine transform: from voxels to places.
using AffineRows = std::array<std::array<double, 4>, 3>;
AffineRows moved(const AffineRows& rows, const SpaceMove& move);

/// A rotation by the quaternion sqrt(1-b²-c²-d²), b, c, d of voxels of the sizes, the third axis times qfac,
/// then a shift (METHOD 2 of https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h).
struct NiftiRotation {
  std::array<double, 3> quaternion{};
  std::array<double, 3> offset{};
  /// 1 or -1.
  double qfac = 1;
};
/// `sizes`: of the source's voxels.
NiftiRotation moved(const NiftiRotation& rotation, const std::array<double, 3>& sizes, const SpaceMove& move);

}  // namespace tenstride::io
