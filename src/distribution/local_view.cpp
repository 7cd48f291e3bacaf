// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distribution/local_view.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "distribution/divisions.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;
using detail::message;

/// The search for placements of another shape by which each rank holds the same elements. One axis of the
/// mesh after the other: what one does depends only on those before it.
class LocalSearch {
 public:
  LocalSearch(const Distribution& from, const Dims& shape)
      : from_(from),
        divisions_(divisions_of(from)),
        kept_(from.shape.size()),
        is_kept_(shape.size(), false),
        found_{shape, from.mesh, std::vector<Placement>(from.placements.size())} {
    keep_nested_axes();
    is_local_ = try_from(0);
  }

  [[nodiscard]] bool is_local() const { return is_local_; }
  [[nodiscard]] const Distribution& found() const { return found_; }
  /// The axis of the mesh for which nothing was found. Pre: !is_local().
  [[nodiscard]] std::size_t obstacle() const { return furthest_; }
  [[nodiscard]] const MeshDivision& division(std::size_t mesh_axis) const { return divisions_[mesh_axis]; }

 private:
  /// An axis that was divided in a way that positions do not say must be an axis of the new shape, too, and
  /// no other is placed on it.
  void keep_nested_axes() {
    const Dims strides = row_major_strides(from_.shape);
    const Dims new_strides = row_major_strides(found_.shape);
    for (std::size_t m = 0; m < divisions_.size(); ++m) {
      if (!divisions_[m].is_nested) continue;
      const std::size_t d = at(from_.placements[m].axis);
      for (std::size_t j = 0; j < found_.shape.size(); ++j) {
        if (found_.shape[j] == from_.shape[d] && new_strides[j] == strides[d] && from_.shape[d] > 1) {
          kept_[d] = j;
          is_kept_[j] = true;
        }
      }
    }
  }

  bool try_from(std::size_t mesh_axis) {
    furthest_ = std::max(furthest_, mesh_axis);
    if (mesh_axis == divisions_.size()) return true;
    Placement placement = from_.placements[mesh_axis];
    const MeshDivision& wanted = divisions_[mesh_axis];
    if (!wanted.division && !wanted.is_nested) return accept(mesh_axis, replicate());
    if (const auto axis = kept_[at(placement.axis)]) {
      placement.axis = static_cast<Index>(*axis);
      return accept(mesh_axis, placement);
    }
    if (wanted.is_nested) return false;
    for (const Placement& candidate : candidates(mesh_axis)) {
      if (fits(mesh_axis, candidate) && try_from(mesh_axis + 1)) return true;
    }
    found_.placements[mesh_axis] = replicate();
    return false;
  }

  /// The placements that may divide the new shape so: Shard first, then BlockCyclic, then StridedShard.
  [[nodiscard]] std::vector<Placement> candidates(std::size_t mesh_axis) const {
    const Division& wanted = *divisions_[mesh_axis].division;
    std::vector<Placement> shards;
    std::vector<Placement> blocks;
    std::vector<Placement> strided;
    const Dims strides = row_major_strides(found_.shape);
    for (std::size_t j = 0; j < strides.size(); ++j) {
      if (is_kept_[j]) continue;
      const auto axis = static_cast<Index>(j);
      const Index size = found_.shape[j];
      shards.push_back(shard(axis));
      if (wanted.width == 0) {
        blocks.push_back(block_cyclic(axis, size));
        continue;
      }
      if (wanted.width % strides[j] == 0) blocks.push_back(block_cyclic(axis, wanted.width / strides[j]));
      if (wanted.period == 0 || wanted.period % strides[j] != 0) continue;
      const Index piece = wanted.period / strides[j];
      // Pieces of the axis, or of what each rank holds of it.
      for (const Index length : {size, size / parts_before(mesh_axis, axis)}) {
        if (length > 0 && length % piece == 0) strided.push_back(strided_shard(axis, length / piece));
      }
    }
    shards.insert(shards.end(), blocks.begin(), blocks.end());
    shards.insert(shards.end(), strided.begin(), strided.end());
    return shards;
  }

  /// The number of parts into which the axes of the mesh before one divide an axis of the new shape.
  [[nodiscard]] Index parts_before(std::size_t mesh_axis, Index axis) const {
    Index parts = 1;
    for (std::size_t m = 0; m < mesh_axis; ++m) {
      const Placement& placement = found_.placements[m];
      if (!placement.is_replicate() && placement.axis == axis) parts *= found_.mesh.shape[m];
    }
    return parts;
  }

  bool accept(std::size_t mesh_axis, const Placement& placement) {
    found_.placements[mesh_axis] = placement;
    return try_from(mesh_axis + 1);
  }

  /// Whether a placement, behind those found, gives each rank the same elements.
  bool fits(std::size_t mesh_axis, const Placement& placement) {
    Distribution tried{found_.shape, found_.mesh, found_.placements};
    std::fill(tried.placements.begin() + static_cast<std::ptrdiff_t>(mesh_axis), tried.placements.end(),
              replicate());
    tried.placements[mesh_axis] = placement;
    if (divisions_of(tried)[mesh_axis].division != divisions_[mesh_axis].division) return false;
    found_.placements[mesh_axis] = placement;
    return true;
  }

  const Distribution& from_;
  std::vector<MeshDivision> divisions_;
  std::vector<std::optional<std::size_t>> kept_;  ///< by axis of `from`
  std::vector<bool> is_kept_;                     ///< by axis of the new shape
  Distribution found_;
  std::size_t furthest_ = 0;
  bool is_local_ = false;
};

/// The elements of a part that lie one after another.
Index part_of(const MeshDivision& division, Index total) {
  if (!division.division) return 0;
  return division.division->width == 0 ? total : division.division->width;
}

/// The first placements that make a view local where another placement of one axis of the mesh does; that
/// axis replicated where none does.
std::vector<Placement> remedy_of(const Distribution& from, const Dims& shape, std::size_t mesh_axis) {
  Distribution tried = from;
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    tried.placements[mesh_axis] = shard(static_cast<Index>(d));
    if (try_local_view(tried, shape)) return tried.placements;
  }
  tried.placements[mesh_axis] = replicate();
  return tried.placements;
}

/// The axis of the mesh that shards an axis of the tensor; nothing where none does.
std::optional<std::size_t> sharding_axis(const Distribution& from, std::size_t axis) {
  for (std::size_t m = 0; m < from.placements.size(); ++m) {
    const Placement& placement = from.placements[m];
    if (!placement.is_replicate() && at(placement.axis) == axis && from.mesh.shape[m] > 1) return m;
  }
  return std::nullopt;
}

/// Throws where an axis is sharded of which `operation` takes some indices, or repeats one.
void require_unsharded(std::string_view operation, const Distribution& from, std::size_t axis,
                       const Dims& to) {
  const std::optional<std::size_t> mesh_axis = sharding_axis(from, axis);
  if (!mesh_axis || is_empty(row_major(from.shape))) return;
  LocalObstacle obstacle{from, to, LocalReason::sharded_axis, *mesh_axis, 0, from.placements};
  obstacle.remedy[*mesh_axis] = replicate();
  throw LocalViewError(operation, std::move(obstacle));
}

/// The placements in another shape; `moved(axis)` is where an axis is now.
template <class Moved>
Distribution placed(const Distribution& from, const Dims& shape, const Moved& moved) {
  Distribution result{shape, from.mesh, from.placements};
  for (Placement& placement : result.placements) {
    if (!placement.is_replicate()) placement.axis = moved(placement.axis);
  }
  return result;
}

}  // namespace

std::string LocalObstacle::to_string() const {
  const Placement& placement = from.placements[mesh_axis];
  std::string text = message("(shape ", from.shape, ") on mesh ", from.mesh.shape, ": ",
                             distributed::to_string(placement), " of mesh axis ", mesh_axis);
  switch (reason) {
    case LocalReason::cut_inside:
      text += message(" cuts the elements into parts of ", part,
                      ", which end within an index of every axis of ", to);
      break;
    case LocalReason::uneven_parts:
      text += message(" gives the ranks unequal parts of axis ", placement.axis, ", and ", to,
                      " has no axis with these");
      break;
    case LocalReason::sharded_axis:
      text += message(" spreads axis ", placement.axis, " of size ", from.shape[at(placement.axis)],
                      ", which the view takes indices of");
      break;
  }
  return text + message("; redistribute to ", distributed::to_string(remedy[mesh_axis]), " on mesh axis ",
                        mesh_axis, " first");
}

LocalViewError::LocalViewError(std::string_view operation, LocalObstacle obstacle)
    : RuntimeError(message(operation, ": the view is not local ", obstacle.to_string())),
      obstacle_(std::move(obstacle)) {}

std::optional<Distribution> try_local_view(const Distribution& from, const Dims& shape) {
  if (shape == from.shape) return from;
  if (is_empty(row_major(shape))) {  // no rank holds an element, whatever the placements
    return Distribution{shape, from.mesh, std::vector<Placement>(from.placements.size())};
  }
  const LocalSearch search(from, shape);
  return search.is_local() ? std::optional(search.found()) : std::nullopt;
}

std::optional<LocalObstacle> why_not_local(const Distribution& from, const Dims& shape) {
  if (shape == from.shape || is_empty(row_major(shape))) return std::nullopt;
  const LocalSearch search(from, shape);
  if (search.is_local()) return std::nullopt;
  const std::size_t mesh_axis = search.obstacle();
  const MeshDivision& division = search.division(mesh_axis);
  const bool is_uneven =
      !division.division || (!division.division->is_even() && division.division->period != 0);
  LocalObstacle obstacle{from,
                         shape,
                         is_uneven ? LocalReason::uneven_parts : LocalReason::cut_inside,
                         mesh_axis,
                         part_of(division, count_elements(from.shape)),
                         {}};
  obstacle.remedy = remedy_of(from, shape, mesh_axis);
  return obstacle;
}

Distribution view(const Distribution& from, const Dims& sizes) {
  const Dims shape = tenstride::view(row_major(from.shape), sizes).shape;
  if (auto local = try_local_view(from, shape)) return *std::move(local);
  throw LocalViewError("view", *why_not_local(from, shape));
}

Distribution permute(const Distribution& from, const Dims& order) {
  const Layout moved = tenstride::permute(row_major(from.shape), order);
  Dims inverse = order;
  for (std::size_t j = 0; j < order.size(); ++j)
    inverse[detail::wrap_axis("permute", order[j], from.shape, order.size())] = static_cast<Index>(j);
  return placed(from, moved.shape, [&](Index axis) { return inverse[at(axis)]; });
}

Distribution slice(const Distribution& from, Index axis, Index start, Index end, Index step) {
  const Layout whole = row_major(from.shape);
  const Layout part = tenstride::slice(whole, axis, start, end, step);
  const std::size_t d = detail::wrap_axis("slice", axis, from.shape, from.shape.size());
  if (part != whole) require_unsharded("slice", from, d, part.shape);
  return placed(from, part.shape, [](Index kept) { return kept; });
}

Distribution select(const Distribution& from, Index axis, Index index) {
  const Layout part = tenstride::select(row_major(from.shape), axis, index);
  const auto d = static_cast<Index>(detail::wrap_axis("select", axis, from.shape, from.shape.size()));
  require_unsharded("select", from, at(d), part.shape);
  Distribution result = placed(from, part.shape, [d](Index kept) { return kept > d ? kept - 1 : kept; });
  for (std::size_t m = 0; m < result.placements.size(); ++m) {
    if (!from.placements[m].is_replicate() && from.placements[m].axis == d)
      result.placements[m] = replicate();
  }
  return result;
}

Distribution expand(const Distribution& from, const Dims& sizes) {
  const Dims shape = tenstride::expand(row_major(from.shape), sizes).shape;
  const auto added = static_cast<Index>(shape.size() - from.shape.size());
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    if (from.shape[d] != shape[d + at(added)]) require_unsharded("expand", from, d, shape);
  }
  return placed(from, shape, [added](Index axis) { return axis + added; });
}

}  // namespace tenstride::distributed
