// SPDX-License-Identifier: Apache-2.0
#include "distribution/divisions.hpp"

#include "tenstride/layout.hpp"

namespace tenstride::distributed {
namespace {

/// The one form of equal divisions. `period` is that of the axis.
Division canonical(Index width, Index parts, Index period, Index total) {
  if (period % saturating_multiply(width, parts) == 0) return {width, parts, width * parts};
  return {width, parts, period == total ? 0 : period};
}

/// An axis of the tensor, as far as axes of the mesh have divided it.
struct DividedAxis {
  Index length = 0;  ///< the indices that each rank holds
  /// Whether all ranks hold as many, one after another.
  bool is_even = true;
};

/// Divides an axis further. Nothing where positions do not say what a rank then holds.
std::optional<Division> divide(DividedAxis& axis, const Placement& placement, Index parts, Index stride,
                               Index total) {
  if (!axis.is_even) return std::nullopt;
  const Index length = axis.length;
  const bool is_shard = placement.kind == PlacementKind::shard;
  const Index each = is_shard ? ceil_divide(length, parts) : placement.block;
  // The first part is all. How ranks without any element would be divided further does not matter.
  if (each >= length) return Division{};
  axis = {each, is_shard && length % parts == 0};
  return canonical(each * stride, parts, length * stride, total);
}

}  // namespace

std::vector<MeshDivision> divisions_of(const Distribution& distribution) {
  const Dims strides = row_major_strides(distribution.shape);
  const Index total = count_elements(distribution.shape);
  std::vector<DividedAxis> axes;
  for (const Index size : distribution.shape) axes.push_back({size});
  std::vector<MeshDivision> result(distribution.placements.size());
  for (std::size_t m = 0; m < result.size(); ++m) {
    const Placement& placement = distribution.placements[m];
    const Index parts = distribution.mesh.shape[m];
    if (placement.is_replicate() || parts == 1) continue;
    const std::size_t d = detail::at(placement.axis);
    result[m].division = divide(axes[d], placement, parts, strides[d], total);
    result[m].is_nested = !result[m].division;
  }
  return result;
}

}  // namespace tenstride::distributed
