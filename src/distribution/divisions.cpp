// SPDX-License-Identifier: Apache-2.0
#include "distribution/divisions.hpp"

#include "tenstride/layout/layout.hpp"

namespace tenstride::distributed {
namespace {

/// The one form of equal divisions. `period` is that of the axis.
Division canonical(Index width, Index parts, Index period, Index total) {
  if (period % saturating_multiply(width, parts) == 0) return {width, parts, width * parts};
  return {width, parts, period == total ? 0 : period};
}

/// An axis of the tensor, as far as axes of the mesh have divided it.
struct DividedAxis {
  Index size = 0;    ///< undivided
  Index length = 0;  ///< the indices that each rank holds; where run is 0, it differs
  /// What each rank holds are runs of so many consecutive indices, each at a multiple of it. 0: it is not.
  Index run = 0;
  /// Each rank holds as many indices of each of so many pieces, of `piece` indices each, that follow one
  /// another.
  Index pieces = 1;
  Index piece = 0;
};

/// Divides an axis further. Nothing where positions do not say what a rank then holds.
std::optional<Division> divide(DividedAxis& axis, const Placement& placement, Index parts, Index stride,
                               Index total) {
  const DividedAxis before = axis;
  const bool is_cyclic = placement.kind == PlacementKind::block_cyclic;
  const bool is_shard = placement.kind == PlacementKind::shard;
  // A part that is all. How ranks without any element are divided further does not matter.
  if (is_cyclic && placement.block >= before.size) return Division{};
  const Index factor = placement.kind == PlacementKind::strided_shard ? placement.split_factor : 1;
  const Index pieces_each = before.pieces / saturating_multiply(factor, parts);
  if (!is_cyclic && before.pieces > 1 && pieces_each * factor * parts == before.pieces) {  // whole pieces
    axis.length = before.length / parts;
    axis.pieces = factor == 1 ? pieces_each : 1;
    return canonical(pieces_each * before.piece * stride, parts, pieces_each * parts * before.piece * stride,
                     total);
  }
  axis = {before.size, 0, 0, 1, 0};
  // What is divided as if it stood alone.
  Index piece = before.length;
  if (!is_cyclic) piece = ceil_divide(piece, factor);
  if (is_cyclic && before.run != before.length) piece = saturating_multiply(placement.block, parts);
  if (before.run == 0 || before.run % piece != 0) return std::nullopt;
  const Index each = is_cyclic ? placement.block : ceil_divide(piece, parts);
  if (each >= piece) {
    axis = before;
    return Division{};
  }
  const Index round = saturating_multiply(each, parts);
  const bool is_consecutive = before.run == before.length;
  if (piece % round == 0) {
    axis = {before.size, before.length / parts, each, is_consecutive ? before.length / round : 1, round};
    if (is_shard) axis.pieces = 1;
  } else if (is_consecutive && !is_cyclic) {
    axis = {before.size, 0, 0, before.length / piece, piece};
  }
  return canonical(each * stride, parts, piece * stride, total);
}

}  // namespace

std::vector<MeshDivision> divisions_of(const Distribution& distribution) {
  const Dims strides = row_major_strides(distribution.shape);
  const Index total = count_elements(distribution.shape);
  std::vector<DividedAxis> axes;
  for (const Index size : distribution.shape) axes.push_back({size, size, size, 1, 0});
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
