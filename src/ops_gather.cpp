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

/// Where boxes begin on one side, in elements: listed, or a fixed step apart.
struct Places {
  const Index* list = nullptr;
  Index first = 0;
  Index step = 0;
  Index operator[](Index k) const { return list != nullptr ? list[k] : first + k * step; }
};

/// The positions of a grid's elements in row-major order.
class GridPlaces {
 public:
  explicit GridPlaces(const Layout& grid) {
    const Layout fewest = coalesce(grid);
    places_.first = fewest.offset;
    if (fewest.rank() == 1) places_.step = fewest.strides[0];
    if (fewest.rank() <= 1) return;
    list_.reserve(static_cast<std::size_t>(numel(fewest)));
    Dims index = Dims::filled(fewest.rank(), 0);
    Index at = fewest.offset;
    for (Index n = numel(fewest); n > 0; --n) {
      list_.push_back(at);
      for (std::size_t d = fewest.rank(); d-- > 0;) {
        at += fewest.strides[d];
        if (++index[d] < fewest.shape[d]) break;
        at -= fewest.shape[d] * fewest.strides[d];
        index[d] = 0;
      }
    }
    places_.list = list_.data();
  }
  GridPlaces(const GridPlaces&) = delete;
  GridPlaces& operator=(const GridPlaces&) = delete;
  [[nodiscard]] const Places& places() const noexcept { return places_; }

 private:
  std::vector<Index> list_;
  Places places_;
};

/// Moves an item of `fixed` bytes, or of `bytes` where that is 0, for each box from..to-1. The bases are
/// those of the item in a box that begins at 0.
template <std::size_t fixed>
void move_items(std::byte* dst, const std::byte* src, Places dst_places, Places src_places, Index from,
                Index to, Index item, std::size_t bytes) {
  for (Index k = from; k < to; ++k) {
    std::memcpy(dst + dst_places[k] * item, src + src_places[k] * item, fixed == 0 ? bytes : fixed);
  }
}
using MoveItems = void (*)(std::byte*, const std::byte*, Places, Places, Index, Index, Index, std::size_t);

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

/// Both sides of all boxes.
struct Sides {
  std::byte* dst;
  const std::byte* src;
  Places dst_places;
  Places src_places;
  const Layout& dst_box;
  const Layout& src_box;
  DType dtype;
  bool conjugates;
  bool in_order;
};

/// Whether boxes are denser than the steps between them, in the dense place.
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
    run(copy, sides.dst + sides.dst_places[k] * item, sides.src + sides.src_places[k] * item);
  }
}

using BoxWalk = JointWalk<2>;

/// Elements first..last-1 of the box's walk, row by row, of all boxes from..to-1 at once; a row is what is
/// dense on both sides.
void move_by_rows(const Sides& sides, const BoxWalk& walk, Index first, Index last, Index from, Index to) {
  const auto item = static_cast<Index>(item_size(sides.dtype));
  walk(first, last, last - first, [&](const auto& at, const auto& steps, Index count) {
    const bool is_dense = steps[0] == 1 && steps[1] == 1;
    const auto bytes = static_cast<std::size_t>((is_dense ? count : 1) * item);
    const MoveItems move = items_of(bytes);
    for (Index i = 0; i < (is_dense ? 1 : count); ++i) {
      move(sides.dst + (at[0] + i * steps[0]) * item, sides.src + (at[1] + i * steps[1]) * item,
           sides.dst_places, sides.src_places, from, to, item, bytes);
    }
    return true;
  });
}

void move_boxes(const Sides& sides, const Boxes& boxes) {
  const auto count = static_cast<Index>(boxes.starts.size());
  const Index box = numel(boxes.box);
  if (count == 0 || box == 0) return;
  const auto item = static_cast<Index>(item_size(sides.dtype));
  const auto grain = [&](Index bytes_of_one) { return std::max<Index>(grain_bytes / bytes_of_one, 1); };
  if (sides.conjugates || (box >= least_planned_box && has_slow_grid(boxes))) {
    parallel_for(0, count, sides.in_order ? count : grain(box * item),
                 [&](Index from, Index to) { move_by_plan(sides, from, to); });
    return;
  }
  const BoxWalk walk({sides.dst_box, sides.src_box});
  if (box < least_planned_box) {
    parallel_for(0, count, sides.in_order ? count : grain(box * item),
                 [&](Index from, Index to) { move_by_rows(sides, walk, 0, box, from, to); });
    return;
  }
  // The boxes lie side by side: a thread takes a part of each, so that it writes whole lines.
  parallel_for(0, box, sides.in_order ? box : grain(count * item),
               [&](Index first, Index last) { move_by_rows(sides, walk, first, last, 0, count); });
}

}  // namespace

void gather_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes) {
  const GridPlaces grid(boxes.grid);
  move_boxes({dst.mutable_storage_data(),
              src.storage_data(),
              grid.places(),
              {boxes.starts.data()},
              boxes.box,
              boxes.scattered_box,
              dst.dtype(),
              src.is_conj(),
              false},
             boxes);
}

void scatter_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes) {
  const GridPlaces grid(boxes.grid);
  move_boxes({dst.mutable_storage_data(),
              src.storage_data(),
              {boxes.starts.data()},
              grid.places(),
              boxes.scattered_box,
              boxes.box,
              dst.dtype(),
              false,
              true},
             boxes);
}

}  // namespace tenstride::detail
