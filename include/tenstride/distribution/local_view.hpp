// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenstride/base/error.hpp"
#include "tenstride/distribution/distribution.hpp"

/// Views of distributed tensors. A view stays local where each rank can take it of its own part, and what the
/// ranks then hold is a distribution again.
namespace tenstride::distributed {

enum class LocalReason : unsigned char {
  cut_inside,    ///< parts end within an index of every axis of the new shape
  uneven_parts,  ///< parts of an axis differ, and the new shape has no such axis
  sharded_axis,  ///< the operation takes some indices of an axis that is sharded
};

/// Why a view of a distributed tensor needs a redistribution.
struct LocalObstacle {
  Distribution from;
  /// The shape of the view.
  Dims to;
  LocalReason reason = LocalReason::cut_inside;
  /// The axis of the mesh that stands in the way; its placement may be changed.
  std::size_t mesh_axis = 0;
  /// How many elements of a part lie one after another in the row-major order of all elements; 0 where that
  /// differs.
  Index part = 0;
  /// Placements of `from` with which this axis of the mesh would not stand in the way; only its own is
  /// another. On a mesh of one axis the view is local with them.
  std::vector<Placement> remedy;

  /// One line for people: what is held, what stands in the way, and the remedy.
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// A view that needs a redistribution.
class TENSTRIDE_API LocalViewError : public RuntimeError {
 public:
  LocalViewError(std::string_view operation, LocalObstacle obstacle);
  [[nodiscard]] const LocalObstacle& obstacle() const noexcept { return obstacle_; }

 private:
  LocalObstacle obstacle_;
};

/// The distribution of a view of another shape that each rank can take of its own part, its elements staying
/// in their order; nothing where there is none. Exact where each axis of both tensors is divided by one axis
/// of the mesh, and pieces of a StridedShard are equal: where it then gives nothing, no placements of these
/// kinds exist. Where several divide one axis, runs of one length are found in other shapes, too; what else
/// they hold only along with its axis. Shard is preferred, then BlockCyclic. Pre: as many elements, sizes not
/// negative. Example: of (4,6) with Shard(0) on two ranks, (24) has Shard(0), and (2,12) too; of (4,6) with
/// Shard(1), (24) has BlockCyclic(0,3).
TENSTRIDE_API std::optional<Distribution> try_local_view(const Distribution& from, const Dims& shape);

/// What stands in the way of a local view; nothing where it is possible. Pre: as `try_local_view`.
TENSTRIDE_API std::optional<LocalObstacle> why_not_local(const Distribution& from, const Dims& shape);

/// The local view; one size may be -1. Throws ShapeError as `view`, LocalViewError where it is not local.
TENSTRIDE_API Distribution view(const Distribution& from, const Dims& sizes);

/// Axes in another order, which is always local. Throws as `permute`. Example: (4,6) with Shard(0) by (1,0)
/// is (6,4) with Shard(1).
TENSTRIDE_API Distribution permute(const Distribution& from, const Dims& order);

/// Indices start, start+step, … below `end` of an axis; local where the axis is not sharded, or where all its
/// indices are taken. Bounds and negative numbers as `slice`. Throws LocalViewError where it is not local,
/// and as `slice`.
TENSTRIDE_API Distribution slice(const Distribution& from, Index axis, Index start, Index end,
                                 Index step = 1);

/// One index of an axis, which is dropped. Throws as the slice, and as `select`.
TENSTRIDE_API Distribution select(const Distribution& from, Index axis, Index index);

/// Axes of size 1 repeated, and new axes in front. An axis that is repeated must not be sharded: only some
/// ranks hold it. Throws LocalViewError where it is, and as `expand`.
TENSTRIDE_API Distribution expand(const Distribution& from, const Dims& sizes);

}  // namespace tenstride::distributed
