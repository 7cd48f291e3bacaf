// SPDX-License-Identifier: Apache-2.0
#include "ops/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "elementwise/dense_runs.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Boxes of at least this many elements are copied by a plan, whose call of `run` costs about 50 ns.
constexpr Index min_planned_box = 64;
/// The least number of bytes for a thread.
constexpr Index grain_bytes = Index{1} << 18;
/// Rows of at least this many bytes are copied with a prefetch of both sides, across their end into the next
/// row.
constexpr Index min_row_bytes = 1024;
/// Items that are scattered over more bytes than this are prefetched.
constexpr Index min_prefetched_bytes = Index{1} << 20;

/// The positions where boxes begin on one side, in elements: from a table, or at a fixed step.
struct Positions {
  const Index* table = nullptr;
  Index first = 0;
  Index step = 0;
  Index operator[](Index k) const { return table != nullptr ? table[k] : first + k * step; }
};

/// Computes the positions of a grid's elements in row-major order.
class GridPositions {
 public:
  explicit GridPositions(const Layout& grid) {
    const Layout fewest = coalesce(grid);
    positions_.first = fewest.offset;
    if (fewest.rank() == 1) positions_.step = fewest.strides[0];
    if (fewest.rank() <= 1) return;
    table_.reserve(static_cast<std::size_t>(numel(fewest)));
    Dims index = Dims::filled(fewest.rank(), 0);
    Index at = fewest.offset;
    for (Index n = numel(fewest); n > 0; --n) {
      table_.push_back(at);
      for (std::size_t d = fewest.rank(); d-- > 0;) {
        at += fewest.strides[d];
        if (++index[d] < fewest.shape[d]) break;
        at -= fewest.shape[d] * fewest.strides[d];
        index[d] = 0;
      }
    }
    positions_.table = table_.data();
  }
  GridPositions(const GridPositions&) = delete;
  GridPositions& operator=(const GridPositions&) = delete;
  [[nodiscard]] const Positions& positions() const noexcept { return positions_; }

 private:
  std::vector<Index> table_;
  Positions positions_;
};

/// Which side is prefetched, `prefetch_distance` items before its use, so that as many cache misses overlap
/// as the processor allows.
enum class Prefetch : unsigned char { nothing, source, destination };
constexpr Index prefetch_distance = 32;

/// The items at the same position of each box.
struct ItemsToMove {
  std::byte* dst;  ///< of the item in a box that begins at position 0
  const std::byte* src;
  Positions dst_positions;
  Positions src_positions;
  Index item;
  std::size_t bytes;
};

/// Copies the item of each of the boxes [from, to): `fixed` bytes, or `bytes` where that is 0.
template <std::size_t fixed, Prefetch prefetch>
void move_items(const ItemsToMove& what, Index from, Index to) {
  const Positions dst = what.dst_positions;
  const Positions src = what.src_positions;
  for (Index k = from; k < to; ++k) {
    if constexpr (prefetch != Prefetch::nothing) {
      if (k + prefetch_distance < to) {
        if constexpr (prefetch == Prefetch::source) {
          __builtin_prefetch(what.src + src.table[k + prefetch_distance] * what.item, 0);
        } else {
          __builtin_prefetch(what.dst + dst.table[k + prefetch_distance] * what.item, 1);
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

/// The source and the destination of all boxes.
struct Sides {
  std::byte* dst;
  const std::byte* src;
  Positions dst_positions;
  Positions src_positions;
  const Layout& dst_box;
  const Layout& src_box;
  DType dtype;
  Conjugation conjugation;
  Negation negation;
  /// Whether boxes may overlap in the destination, so that they are written in their order.
  bool is_ordered;
  /// Whether no two elements of the scattered layout share memory.
  bool is_unique;
  Prefetch prefetch;
  bool has_long_rows = false;

  /// Returns whether elements are conjugated or negated.
  [[nodiscard]] bool changes_signs() const {
    return conjugation == Conjugation::conjugate || negation != Negation::none;
  }
};

/// Returns whether, on the dense side, the strides within a box are smaller than those of the grid.
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

/// Copies the boxes by one plan, which is run for each of them.
void move_by_plan(const Sides& sides, Index from, Index to) {
  PlanOptions options = options_here();
  options.max_threads = 1;
  options.conjugation = sides.conjugation;
  options.negation = sides.negation;
  const CopyPlan copy = plan_copy(sides.dst_box, sides.dtype, sides.src_box, sides.dtype, options);
  const auto item = static_cast<Index>(item_size(sides.dtype));
  for (Index k = from; k < to; ++k) {
    run_plan(copy, sides.dst + sides.dst_positions[k] * item, sides.src + sides.src_positions[k] * item);
  }
}

/// Copies boxes that are long dense runs on both sides. No hardware prefetcher follows the jump from one row
/// to the next, so lines of both sides are prefetched 1 KiB ahead: 0.79 of the time of memcpy (4096 rows of
/// 16 KiB in any order).
void move_long_rows(const Sides& sides, Index from, Index to) {
  constexpr Index distance = 1024;
  const auto item = static_cast<Index>(item_size(sides.dtype));
  const Index bytes = numel(sides.dst_box) * item;
  std::byte* const dst = sides.dst + sides.dst_box.offset * item;
  const std::byte* const src = sides.src + sides.src_box.offset * item;
  for (Index k = from; k < to; ++k) {
    const Index next = std::min(k + 1, to - 1);
    std::byte* const row = dst + sides.dst_positions[k] * item;
    const std::byte* const source = src + sides.src_positions[k] * item;
    std::byte* const next_row = dst + sides.dst_positions[next] * item;
    const std::byte* const next_source = src + sides.src_positions[next] * item;
    Index i = 0;
    for (; i + 64 <= bytes; i += 64) {
      const Index at = i + distance;
      __builtin_prefetch(at < bytes ? source + at : next_source + (at - bytes), 0);
      __builtin_prefetch(at < bytes ? row + at : next_row + (at - bytes), 1);
      std::memcpy(row + i, source + i, 64);
    }
    std::memcpy(row + i, source + i, static_cast<std::size_t>(bytes - i));
  }
}

using BoxLoops = JointLoops<2>;

/// Copies elements [first, last) of each of the boxes [from, to), row by row: one row of all boxes, then the
/// next. A row is a run that is dense on both sides.
void move_by_rows(const Sides& sides, const BoxLoops& loops, Index first, Index last, Index from, Index to) {
  const auto item = static_cast<Index>(item_size(sides.dtype));
  loops(first, last, last - first, [&](const auto& at, const auto& steps, Index count) {
    const bool is_dense = steps[0] == 1 && steps[1] == 1;
    const auto bytes = static_cast<std::size_t>((is_dense ? count : 1) * item);
    const MoveItems move = items_of(bytes, sides.prefetch);
    for (Index i = 0; i < (is_dense ? 1 : count); ++i) {
      move({sides.dst + (at[0] + i * steps[0]) * item, sides.src + (at[1] + i * steps[1]) * item,
            sides.dst_positions, sides.src_positions, item, bytes},
           from, to);
    }
    return true;
  });
}

/// Divides the destination into parts in which about equally many boxes begin, estimated from a sample of the
/// boxes. Part t is [result[t], result[t + 1]).
std::vector<Index> equal_parts(const Index* positions, Index count, int parts) {
  constexpr Index max_samples = 128;
  const Index step = std::max<Index>(count / max_samples, 1);
  std::vector<Index> sample;
  for (Index k = 0; k < count; k += step) sample.push_back(positions[k]);
  std::sort(sample.begin(), sample.end());
  std::vector<Index> cuts{INT64_MIN};
  for (int part = 1; part < parts; ++part) {
    cuts.push_back(sample[sample.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts)]);
  }
  cuts.push_back(INT64_MAX);
  return cuts;
}

/// Writes the boxes in their order: each thread writes those that begin in its part of the destination.
/// Precondition: boxes that begin at different positions have no element in common.
void scatter_by_part(const Sides& sides, const BoxLoops& loops, Index count, int threads) {
  const std::vector<Index> cuts = equal_parts(sides.dst_positions.table, count, threads);
  const Index box = numel(sides.dst_box);
  parallel_for(0, threads, 1, [&](Index from, Index to) {
    const Index begin = cuts[static_cast<std::size_t>(from)];
    const Index end = cuts[static_cast<std::size_t>(to)];
    constexpr Index longest = 512;
    std::array<Index, static_cast<std::size_t>(longest)> dst{};
    std::array<Index, static_cast<std::size_t>(longest)> src{};
    Sides chosen = sides;
    chosen.dst_positions = {dst.data()};
    chosen.src_positions = {src.data()};
    for (Index block = 0; block < count; block += longest) {
      const Index last = std::min(block + longest, count);
      std::size_t n = 0;
      for (Index k = block; k < last; ++k) {  // without a branch, which would be mispredicted
        const Index at = sides.dst_positions.table[k];
        dst[n] = at;
        src[n] = sides.src_positions[k];
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
  // Where the elements of a box do not overlap each other or other elements of other boxes, each thread may
  // write a part of every box.
  const bool splits_boxes = !sides.is_ordered || sides.is_unique;
  const BoxLoops loops({sides.dst_box, sides.src_box});
  sides.has_long_rows = !sides.changes_signs() && has_slow_grid(boxes) && loops.is_one_run() &&
                        box * item >= min_row_bytes && count * box * item > min_prefetched_bytes;
  // Rows within a cache need no plan: a call of memcpy is enough.
  const bool has_cached_rows =
      !sides.changes_signs() && loops.is_one_run() && count * box * item <= min_prefetched_bytes;
  if (sides.is_ordered && threads > 1 && (splits_boxes || box == 1)) {
    if (box < min_planned_box || has_slow_grid(boxes)) return scatter_by_part(sides, loops, count, threads);
  }
  if (sides.changes_signs() || (box >= min_planned_box && has_slow_grid(boxes))) {
    parallel_for(0, count, sides.is_ordered ? count : grain(box * item), [&](Index from, Index to) {
      if (sides.has_long_rows) return move_long_rows(sides, from, to);
      if (has_cached_rows) return move_by_rows(sides, loops, 0, box, from, to);
      move_by_plan(sides, from, to);
    });
    return;
  }
  if (box < min_planned_box) {
    parallel_for(0, count, sides.is_ordered ? count : grain(box * item),
                 [&](Index from, Index to) { move_by_rows(sides, loops, 0, box, from, to); });
    return;
  }
  // The boxes alternate in the dense side: a thread writes a part of each, so that it writes whole lines.
  parallel_for(0, box, splits_boxes ? grain(count * item) : box,
               [&](Index first, Index last) { move_by_rows(sides, loops, first, last, 0, count); });
}

/// Returns the side to prefetch: `side` where items are scattered over more memory than the caches hold.
Prefetch prefetch_of(const Tensor& scattered, const Boxes& boxes, Prefetch side) {
  const auto item = static_cast<Index>(scattered.element_size());
  const bool is_far = static_cast<Index>(scattered.storage().nbytes()) > min_prefetched_bytes &&
                      static_cast<Index>(boxes.starts.size()) * item > min_prefetched_bytes;
  return is_far ? side : Prefetch::nothing;
}

}  // namespace

void gather_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes) {
  const GridPositions grid(boxes.grid);
  move_boxes({dst.mutable_storage_data(),
              src.storage_data(),
              grid.positions(),
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
  const GridPositions grid(boxes.grid);
  move_boxes({dst.mutable_storage_data(),
              src.storage_data(),
              {boxes.starts.data()},
              grid.positions(),
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
