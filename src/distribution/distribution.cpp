// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distribution/distribution.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "tenstride/layout/views_axes.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;
using detail::message;
using Ranges = std::vector<IndexRange>;

Index count_of(const Ranges& ranges) {
  Index count = 0;
  for (const IndexRange& range : ranges) count += range.size();
  return count;
}

/// Takes indices out of ranges by their positions, counted over all ranges, from the front to the back.
class RangeTaker {
 public:
  explicit RangeTaker(const Ranges& from) : from_(from) {}

  /// Adds positions [begin, end) to `to`. Pre: `begin` is not before the end of the call before.
  void operator()(Index begin, Index end, Ranges& to) {
    while (begin < end) {
      while (begin - passed_ >= from_[range_].size()) passed_ += from_[range_++].size();
      const IndexRange& range = from_[range_];
      const Index first = begin - passed_;
      const Index last = std::min(end - passed_, range.size());
      add({range.begin + first, range.begin + last}, to);
      begin += last - first;
    }
  }

 private:
  static void add(const IndexRange& part, Ranges& to) {
    if (!to.empty() && to.back().end == part.begin) {
      to.back().end = part.end;
    } else {
      to.push_back(part);
    }
  }

  const Ranges& from_;
  std::size_t range_ = 0;
  Index passed_ = 0;  ///< positions before that range
};

/// Adds the part of positions [begin, end) that a rank of `parts` holds where they are sharded.
void take_shard(RangeTaker& taker, Index begin, Index end, Index parts, Index rank, Ranges& part) {
  const Index each = ceil_divide(end - begin, parts);
  const Index first = begin + std::min(saturating_multiply(rank, each), end - begin);
  taker(first, first + std::min(each, end - first), part);
}

/// The part of some ranges that a rank of `parts` holds.
Ranges part_of(const Ranges& whole, const Placement& placement, Index parts, Index rank) {
  const Index count = count_of(whole);
  RangeTaker taker(whole);
  Ranges part;
  if (placement.kind == PlacementKind::block_cyclic) {
    const Index round = saturating_multiply(placement.block, parts);
    for (Index begin = saturating_multiply(placement.block, rank); begin < count;) {
      taker(begin, begin + std::min(placement.block, count - begin), part);
      if (round >= count - begin) break;
      begin += round;
    }
    return part;
  }
  const Index pieces = placement.kind == PlacementKind::shard ? 1 : placement.split_factor;
  const Index piece = ceil_divide(count, pieces);
  for (Index begin = 0; begin < count;) {
    const Index end = begin + std::min(piece, count - begin);
    take_shard(taker, begin, end, parts, rank, part);
    begin = end;
  }
  return part;
}

}  // namespace

Index Mesh::size() const {
  return count_elements(shape, "mesh");
}

Dims Mesh::coordinate(Index rank) const {
  return unravel(rank, shape);
}

Dims Holding::local_shape() const {
  Dims shape;
  for (const Ranges& axis : ranges) shape.push_back(count_of(axis));
  return shape;
}

bool Holding::is_box() const {
  return std::all_of(ranges.begin(), ranges.end(), [](const Ranges& axis) { return axis.size() <= 1; });
}

Holding Distribution::held_by(Index rank) const {
  if (rank < 0 || rank >= mesh.size()) {
    throw IndexError(
        message("held_by: rank ", rank, " must lie in [0,", mesh.size() - 1, "] (mesh ", mesh.shape, ")"),
        rank, 0, mesh.size() - 1);
  }
  const Dims coordinate = mesh.coordinate(rank);
  Holding holding;
  for (const Index size : shape) {
    Ranges whole;
    if (size > 0) whole.push_back({0, size});
    holding.ranges.push_back(std::move(whole));
  }
  for (std::size_t m = 0; m < placements.size(); ++m) {
    if (placements[m].is_replicate()) continue;
    Ranges& axis = holding.ranges[at(placements[m].axis)];
    axis = part_of(axis, placements[m], mesh.shape[m], coordinate[m]);
  }
  return holding;
}

std::string Distribution::to_string() const {
  std::string text = message(shape, " on ", mesh.shape, ":");
  for (std::size_t m = 0; m < placements.size(); ++m) {
    text += m == 0 ? " " : ", ";
    text += distributed::to_string(placements[m]);
  }
  return text;
}

Distribution distribute(const Dims& shape, const Mesh& mesh, std::vector<Placement> placements) {
  count_elements(shape, "distribute");
  if (mesh.size() == 0) {
    throw ShapeError(message("distribute: mesh ", mesh.shape, " must have a rank"), shape, mesh.shape);
  }
  if (placements.size() != mesh.shape.size()) {
    throw ValueError(message("distribute: ", placements.size(), " placements must be ", mesh.shape.size(),
                             ", one for each axis of the mesh ", mesh.shape));
  }
  for (Placement& placement : placements) {
    if (placement.is_replicate()) continue;
    placement.axis = static_cast<Index>(detail::wrap_axis("distribute", placement.axis, shape, shape.size()));
    if (placement.kind == PlacementKind::block_cyclic && placement.block < 1) {
      throw ValueError(message("distribute: ", to_string(placement), ": a block must have an index"));
    }
    if (placement.kind == PlacementKind::strided_shard && placement.split_factor < 1) {
      throw ValueError(message("distribute: ", to_string(placement), ": there must be a piece"));
    }
  }
  return {shape, mesh, std::move(placements)};
}

}  // namespace tenstride::distributed
