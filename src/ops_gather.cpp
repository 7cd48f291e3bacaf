// SPDX-License-Identifier: Apache-2.0
#include "ops_gather.hpp"

#include <cstring>

#include "compare_blocks.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride::detail {
namespace {

/// From here on, boxes are worth a plan of their own run: a call of `run` costs about 50 ns.
constexpr Index least_planned_box = 64;
/// Bytes that one thread takes at a time.
constexpr Index grain_bytes = Index{1} << 20;

/// The position of each element of the grid, in row-major order.
std::vector<Index> positions_of(const Layout& grid) {
  std::vector<Index> result;
  result.reserve(static_cast<std::size_t>(numel(grid)));
  Dims index = Dims::filled(grid.rank(), 0);
  Index at = grid.offset;
  for (Index n = numel(grid); n > 0; --n) {
    result.push_back(at);
    for (std::size_t d = grid.rank(); d-- > 0;) {
      at += grid.strides[d];
      if (++index[d] < grid.shape[d]) break;
      at -= grid.shape[d] * grid.strides[d];
      index[d] = 0;
    }
  }
  return result;
}

/// Moves `count` items between dense-or-strided places: `fixed` bytes each where that is not 0, else `bytes`.
template <std::size_t fixed>
void move_items(std::byte* dst, const std::byte* src, const Index* dst_at, const Index* src_at, Index count,
                Index item, std::size_t bytes) {
  for (Index k = 0; k < count; ++k) {
    std::memcpy(dst + dst_at[k] * item, src + src_at[k] * item, fixed == 0 ? bytes : fixed);
  }
}
using MoveItems = void (*)(std::byte*, const std::byte*, const Index*, const Index*, Index, Index,
                           std::size_t);

MoveItems items_of(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return &move_items<1>;
    case 2:
      return &move_items<2>;
    case 4:
      return &move_items<4>;
    case 8:
      return &move_items<8>;
    case 16:
      return &move_items<16>;
    default:
      return &move_items<0>;
  }
}

/// Both sides of all boxes, as positions in elements.
struct Sides {
  std::byte* dst;
  const std::byte* src;
  const std::vector<Index>& dst_starts;
  const std::vector<Index>& src_starts;
  const Layout& dst_box;
  const Layout& src_box;
  DType dtype;
  bool conjugates;
  bool in_order;
};

bool has_slow_grid(const Boxes& boxes) {
  Index fastest = INT64_MAX;
  for (std::size_t d = 0; d < boxes.box.rank(); ++d) {
    if (boxes.box.shape[d] > 1) fastest = std::min(fastest, boxes.box.strides[d]);
  }
  for (std::size_t d = 0; d < boxes.grid.rank(); ++d) {
    if (boxes.grid.shape[d] > 1 && boxes.grid.strides[d] < fastest) return false;
  }
  return true;
}

/// One plan for all boxes, run at each place.
void move_by_plan(const Sides& sides, Index from, Index to) {
  PlanOptions options;
  options.max_threads = 1;
  options.conjugation = sides.conjugates ? Conjugation::conjugate : Conjugation::keep;
  const CopyPlan copy = plan(sides.dst_box, sides.dtype, sides.src_box, sides.dtype, options);
  const auto item = static_cast<Index>(item_size(sides.dtype));
  for (Index k = from; k < to; ++k) {
    const auto at = static_cast<std::size_t>(k);
    run(copy, sides.dst + sides.dst_starts[at] * item, sides.src + sides.src_starts[at] * item);
  }
}

/// Row by row of the box, all boxes' rows at once; a row is what is dense on both sides.
void move_by_rows(const Sides& sides, Index from, Index to) {
  const auto item = static_cast<Index>(item_size(sides.dtype));
  const JointWalk<2> walk({sides.dst_box, sides.src_box});
  const auto first = static_cast<std::size_t>(from);
  walk(0, walk.count(), walk.count(), [&](const auto& at, const auto& steps, Index count) {
    const bool is_dense = steps[0] == 1 && steps[1] == 1;
    const std::size_t bytes = static_cast<std::size_t>((is_dense ? count : 1) * item);
    const MoveItems move = items_of(bytes);
    for (Index i = 0; i < (is_dense ? 1 : count); ++i) {
      move(sides.dst + (at[0] + i * steps[0]) * item, sides.src + (at[1] + i * steps[1]) * item,
           &sides.dst_starts[first], &sides.src_starts[first], to - from, item, bytes);
    }
    return true;
  });
}

void move_boxes(const Sides& sides, const Boxes& boxes) {
  const auto count = static_cast<Index>(boxes.starts.size());
  const Index box = numel(boxes.box);
  if (count == 0 || box == 0) return;
  const bool planned = sides.conjugates || (box >= least_planned_box && has_slow_grid(boxes));
  const Index box_bytes = box * static_cast<Index>(item_size(sides.dtype));
  const Index grain = sides.in_order ? count : std::max<Index>(grain_bytes / box_bytes, 1);
  parallel_for(0, count, grain, [&](Index from, Index to) {
    if (planned) {
      move_by_plan(sides, from, to);
    } else {
      move_by_rows(sides, from, to);
    }
  });
}

}  // namespace

void gather_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes) {
  const std::vector<Index> grid = positions_of(boxes.grid);
  const std::vector<Index> starts(boxes.starts.begin(), boxes.starts.end());
  move_boxes({dst.mutable_storage_data(), src.storage_data(), grid, starts, boxes.box, boxes.scattered_box,
              dst.dtype(), src.is_conj(), false},
             boxes);
}

void scatter_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes) {
  const std::vector<Index> grid = positions_of(boxes.grid);
  const std::vector<Index> starts(boxes.starts.begin(), boxes.starts.end());
  move_boxes({dst.mutable_storage_data(), src.storage_data(), starts, grid, boxes.scattered_box, boxes.box,
              dst.dtype(), false, true},
             boxes);
}

}  // namespace tenstride::detail
