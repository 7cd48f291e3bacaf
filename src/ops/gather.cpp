// SPDX-License-Identifier: Apache-2.0
#include "ops/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "elementwise/dense_runs.hpp"
#include "tenstride/overlap.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride::detail {
namespace {

/// From here on, boxes are worth a plan of their own run: a call of `run` costs about 50 ns.
constexpr Index min_planned_box = 64;
/// Bytes that one thread takes at a time.
constexpr Index grain_bytes = Index{1} << 18;
/// Rows of at least this many bytes are moved with prefetches of both sides that go on into the next rows.
constexpr Index min_row_bytes = 1024;
/// Items that are scattered over more bytes than this are prefetched.
constexpr Index prefetched_above = Index{1} << 20;

/// Where boxes begin on one side, in elements: positions from a list, or a fixed step apart.
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

/// The side whose items are prefetched, `prefetch_distance` items before they are moved: the processor then
/// has as many reads, or lines to be written, in flight as it allows.
enum class Prefetch : unsigned char { nothing, source, destination };
constexpr Index prefetch_distance = 32;

/// Where the items of boxes stand.
struct ItemsToMove {
  std::byte* dst;  ///< of the item in a box that begins at 0
  const std::byte* src;
  Places dst_places;
  Places src_places;
  Index item;
  std::size_t bytes;
};

/// Moves an item of `fixed` bytes, or of `bytes` where that is 0, for each box from..to-1.
template <std::size_t fixed, Prefetch prefetch>
void move_items(const ItemsToMove& what, Index from, Index to) {
  const Places dst = what.dst_places;
  const Places src = what.src_places;
  for (Index k = from; k < to; ++k) {
    if constexpr (prefetch != Prefetch::nothing) {
      if (k + prefetch_distance < to) {
        if constexpr (prefetch == Prefetch::source) {
          __builtin_prefetch(what.src + src.list[k + prefetch_distance] * what.item, 0);
        } else {
          __builtin_prefetch(what.dst + dst.list[k + prefetch_distance] * what.item, 1);
        }
      }
    }
    std::memcpy(what.dst + dst[k] * what.item, what.src + src[k] * what.item,
                fixed == 0 ? what.bytes : fixed);
  }
}
using MoveItems = void (*)(const ItemsToMove&, Index, Index);

template <Prefetch prefetch>
MoveItems items_of(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return &move_items<1, prefetch>;
    case 2:
      return &move_items<2, prefetch>;
    case 4:
      return &move_items<4, prefetch>;
    case 8:
      return &move_items<8, prefetch>;
    case 16:
      return &move_items<16, prefetch>;
    default:
      return &move_items<0, prefetch>;
  }
}

MoveItems items_of(std::size_t bytes, Prefetch prefetch) {
  switch (prefetch) {
    case Prefetch::source:
      return items_of<Prefetch::source>(bytes);
    case Prefetch::destination:
      return items_of<Prefetch::destination>(bytes);
    default:
      return items_of<Prefetch::nothing>(bytes);
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
  Conjugation conjugation;
  Negation negation;
  /// Whether boxes may meet in the destination, which is written in their order.
  bool in_order;
  /// Whether the scattered layout has every element in a place of its own.
  bool is_unique;
  Prefetch prefetch;
  bool has_long_rows = false;

  /// Whether elements change on their way.
  [[nodiscard]] bool changes_signs() const {
    return conjugation == Conjugation::conjugate || negation != Negation::none;
  }
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
  PlanOptions options = options_here();
  options.max_threads = 1;
  options.conjugation = sides.conjugation;
  options.negation = sides.negation;
  const CopyPlan copy = plan(sides.dst_box, sides.dtype, sides.src_box, sides.dtype, options);
  const auto item = static_cast<Index>(item_size(sides.dtype));
  for (Index k = from; k < to; ++k) {
    run(copy, sides.dst + sides.dst_places[k] * item, sides.src + sides.src_places[k] * item);
  }
}

/// Boxes that are dense runs on both sides, far apart. Hardware prefetchers do not foresee the jump to the
/// next row, so the lines of both sides are prefetched 1 KiB before they are moved (4096 rows of 16 KiB in
/// any order: 0.79 of the time of memcpy).
void move_long_rows(const Sides& sides, Index from, Index to) {
  constexpr Index prefetch_bytes = 1024;
  const auto item = static_cast<Index>(item_size(sides.dtype));
  const Index bytes = numel(sides.dst_box) * item;
  std::byte* const dst = sides.dst + sides.dst_box.offset * item;
  const std::byte* const src = sides.src + sides.src_box.offset * item;
  for (Index k = from; k < to; ++k) {
    const Index next = std::min(k + 1, to - 1);
    std::byte* const row = dst + sides.dst_places[k] * item;
    const std::byte* const source = src + sides.src_places[k] * item;
    std::byte* const next_row = dst + sides.dst_places[next] * item;
    const std::byte* const next_source = src + sides.src_places[next] * item;
    Index i = 0;
    for (; i + 64 <= bytes; i += 64) {
      const Index at = i + prefetch_bytes;
      __builtin_prefetch(at < bytes ? source + at : next_source + (at - bytes), 0);
      __builtin_prefetch(at < bytes ? row + at : next_row + (at - bytes), 1);
      std::memcpy(row + i, source + i, 64);
    }
    std::memcpy(row + i, source + i, static_cast<std::size_t>(bytes - i));
  }
}

using BoxLoops = JointWalk<2>;

/// Moves elements first..last-1 of the boxes from..to-1, row by row, each row of all boxes at once; a row is
/// what is dense on both sides.
void move_by_rows(const Sides& sides, const BoxLoops& loops, Index first, Index last, Index from, Index to) {
  const auto item = static_cast<Index>(item_size(sides.dtype));
  loops(first, last, last - first, [&](const auto& at, const auto& steps, Index count) {
    const bool is_dense = steps[0] == 1 && steps[1] == 1;
    const auto bytes = static_cast<std::size_t>((is_dense ? count : 1) * item);
    const MoveItems move = items_of(bytes, sides.prefetch);
    for (Index i = 0; i < (is_dense ? 1 : count); ++i) {
      move({sides.dst + (at[0] + i * steps[0]) * item, sides.src + (at[1] + i * steps[1]) * item,
            sides.dst_places, sides.src_places, item, bytes},
           from, to);
    }
    return true;
  });
}

/// Cuts the destination into parts in which about as many boxes begin, judged by a sample of the boxes: part
/// t begins at entry t and ends before the next one.
std::vector<Index> equal_parts(const Index* places, Index count, int parts) {
  constexpr Index sample_size = 128;
  const Index step = std::max<Index>(count / sample_size, 1);
  std::vector<Index> sample;
  for (Index k = 0; k < count; k += step) sample.push_back(places[k]);
  std::sort(sample.begin(), sample.end());
  std::vector<Index> cuts{INT64_MIN};
  for (int part = 1; part < parts; ++part) {
    cuts.push_back(sample[sample.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts)]);
  }
  cuts.push_back(INT64_MAX);
  return cuts;
}

/// In their order: each thread writes the boxes that begin in its part of the destination, and passes over
/// the rest. Pre: boxes that do not begin in one place have no element in common.
void scatter_by_place(const Sides& sides, const BoxLoops& loops, Index count, int threads) {
  const std::vector<Index> cuts = equal_parts(sides.dst_places.list, count, threads);
  const Index box = numel(sides.dst_box);
  parallel_for(0, threads, 1, [&](Index from, Index to) {
    const Index begin = cuts[static_cast<std::size_t>(from)];
    const Index end = cuts[static_cast<std::size_t>(to)];
    constexpr Index longest = 512;
    std::array<Index, static_cast<std::size_t>(longest)> dst{};
    std::array<Index, static_cast<std::size_t>(longest)> src{};
    Sides chosen = sides;
    chosen.dst_places = {dst.data()};
    chosen.src_places = {src.data()};
    for (Index block = 0; block < count; block += longest) {
      const Index last = std::min(block + longest, count);
      std::size_t n = 0;
      for (Index k = block; k < last; ++k) {  // without a branch that would be guessed wrong
        const Index at = sides.dst_places.list[k];
        dst[n] = at;
        src[n] = sides.src_places[k];
        n += at >= begin && at < end ? 1 : 0;
      }
      if (n == 0) continue;
      if (sides.has_long_rows) {
        move_long_rows(chosen, 0, static_cast<Index>(n));
      } else if (box >= min_planned_box) {
        move_by_plan(chosen, 0, static_cast<Index>(n));
      } else {
        move_by_rows(chosen, loops, 0, box, 0, static_cast<Index>(n));
      }
    }
  });
}

void move_boxes(Sides sides, const Boxes& boxes) {
  const auto count = static_cast<Index>(boxes.starts.size());
  const Index box = numel(boxes.box);
  if (count == 0 || box == 0) return;
  const auto item = static_cast<Index>(item_size(sides.dtype));
  const auto grain = [&](Index bytes_of_one) { return std::max<Index>(grain_bytes / bytes_of_one, 1); };
  const bool is_large = count * box * item > grain_bytes;
  const int threads = is_large ? num_threads() : 1;
  // Where no two elements of a box meet and none meets another box's other elements, each thread may have its
  // part of every box.
  const bool splits_boxes = !sides.in_order || sides.is_unique;
  const BoxLoops loops({sides.dst_box, sides.src_box});
  sides.has_long_rows = !sides.changes_signs() && has_slow_grid(boxes) && loops.is_one_run() &&
                        box * item >= min_row_bytes && count * box * item > prefetched_above;
  // What lies in a cache needs no plan for each row: a call of memcpy is enough.
  const bool has_cached_rows =
      !sides.changes_signs() && loops.is_one_run() && count * box * item <= prefetched_above;
  if (sides.in_order && threads > 1 && (splits_boxes || box == 1)) {
    if (box < min_planned_box || has_slow_grid(boxes)) return scatter_by_place(sides, loops, count, threads);
  }
  if (sides.changes_signs() || (box >= min_planned_box && has_slow_grid(boxes))) {
    parallel_for(0, count, sides.in_order ? count : grain(box * item), [&](Index from, Index to) {
      if (sides.has_long_rows) return move_long_rows(sides, from, to);
      if (has_cached_rows) return move_by_rows(sides, loops, 0, box, from, to);
      move_by_plan(sides, from, to);
    });
    return;
  }
  if (box < min_planned_box) {
    parallel_for(0, count, sides.in_order ? count : grain(box * item),
                 [&](Index from, Index to) { move_by_rows(sides, loops, 0, box, from, to); });
    return;
  }
  // The boxes lie side by side: a thread takes a part of each, so that it writes whole lines.
  parallel_for(0, box, splits_boxes ? grain(count * item) : box,
               [&](Index first, Index last) { move_by_rows(sides, loops, first, last, 0, count); });
}

/// Whether what is scattered lies far apart.
Prefetch prefetch_of(const Tensor& scattered, const Boxes& boxes, Prefetch side) {
  const auto item = static_cast<Index>(scattered.element_size());
  const bool is_far = static_cast<Index>(scattered.storage().nbytes()) > prefetched_above &&
                      static_cast<Index>(boxes.starts.size()) * item > prefetched_above;
  return is_far ? side : Prefetch::nothing;
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
              src.is_conj() ? Conjugation::conjugate : Conjugation::keep,
              src.is_neg() ? Negation::source : Negation::none,
              false,
              true,
              prefetch_of(src, boxes, Prefetch::source)},
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
              Conjugation::keep,
              Negation::none,
              true,
              is_provably_unique(dst.layout()),
              prefetch_of(dst, boxes, Prefetch::destination)},
             boxes);
}

}  // namespace tenstride::detail
