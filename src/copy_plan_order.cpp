// SPDX-License-Identifier: Apache-2.0
// Four things bound a tile's way through memory, measured on a machine whose pages of 2 MiB the host maps by
// pages of 4 KiB, 16 rows of floats at a time, as times of a plain copy of 200 MB (alone: reading .55,
// streaming stores .83; both together, well arranged, .95-1.05):
// - 16 rows read on and on cost no more than one (.5-.6). From 32 pages in turn on the processor's prefetcher
//   loses track: 64 rows 2.2 by runs of 384 bytes, 1.4 by 1 KiB, .7 only by whole pages.
// - Each start of a run elsewhere costs a wait and lines read in vain: runs of 1920 bytes +.3, of 5 KiB +.1.
// - Lines written to up to 1500 pages in turn, 64 bytes to each, are as fast as in order; where each line
//   finds its page gone from the TLB, the copy takes 1.5-2 times as long.
// - Pieces of 128 bytes are .08 faster than pieces of 64, which 16 rows of floats give.
#include "copy_plan_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tenstride::detail {
namespace {

constexpr Index page_bytes = 4096;
constexpr Index large_page_bytes = Index{2} << 20;
/// The columns of a tile that lie this far apart in all need many upper entries of the page table as well.
constexpr Index far_bytes = Index{128} << 20;
/// Pages that the TLB finds again, and as many as are safe for a while.
constexpr Index most_pages = 1500;
constexpr Index safe_pages = 900;
/// From so many pages on the rows' own matter, which 16 rows halve.
constexpr Index many_pages = 512;
/// Rows that the processor's prefetcher follows without fail.
constexpr Index sure_streams = 16;
/// Columns of the destination up to this length are gone on with after all loops: their next lines, and the
/// columns after them, lie on the same page anyway.
constexpr Index short_column_bytes = 384;

/// Takes a loop to a place further in.
void move_loop(CopyPlan& plan, std::size_t from, std::size_t to, bool has_scale_loop) {
  const auto follow = [&](std::size_t& loop) {
    if (loop == from) {
      loop = to;
    } else if (loop > from && loop <= to) {
      --loop;
    }
  };
  CopyLoop* loops = plan.loops.data();
  std::rotate(loops + from, loops + from + 1, loops + to + 1);
  follow(plan.turned_loop);
  if (has_scale_loop) follow(plan.scale_loop);
}

/// How the tiles of a strip meet the memory, in the order of the plan.
struct Passage {
  /// Bytes of a row of the source that are read before another row's.
  Index run_bytes = 0;
  /// Places of the destination that are written before the first of them is gone on with.
  Index places = 0;
  /// How far apart two of those rounds are in the destination.
  Index round_step = 0;
};

Passage passage_of(const CopyPlan& plan, Index item) {
  const CopyLoop& run = plan.loops[plan.turned_loop];
  Passage passage{run.extent * item, run.extent};
  bool reads_on = true;
  bool writes_on = true;
  for (std::size_t d = plan.strip_loop; d-- > plan.strip_depth;) {
    if (d == plan.turned_loop) continue;
    const CopyLoop& loop = plan.loops[d];
    const Index src_step = loop.src_stride / plan.item_elements * item;
    const Index dst_step = loop.dst_stride / plan.item_elements * item;
    reads_on = reads_on && src_step == passage.run_bytes;
    if (reads_on) passage.run_bytes *= loop.extent;
    if (writes_on && dst_step < page_bytes) {
      passage.round_step = dst_step;
      writes_on = false;
    }
    if (writes_on) passage.places *= loop.extent;
  }
  return passage;
}

/// The largest divisor of `extent` up to `limit`.
Index largest_part(Index extent, Index limit) {
  Index part = std::min(extent, std::max<Index>(limit, 1));
  while (extent % part != 0) --part;
  return part;
}

/// Innermost the loops that go on along the rows of the source, as far as the places of the destination stay
/// in the TLB, one of the loops in two parts; around them the strips; then all others as the destination
/// lies; the strips around these too where columns are short.
void order_by_pages(CopyPlan& plan, Index item) {
  CopyLoop* loops = plan.loops.data();
  Index run_bytes = loops[plan.turned_loop].extent * item;
  Index places = loops[plan.turned_loop].extent;
  move_loop(plan, plan.turned_loop, plan.strip_loop - 1, false);
  std::size_t end = plan.strip_loop - 1;
  while (run_bytes < page_bytes) {
    std::size_t next = end;
    for (std::size_t d = 0; d < end; ++d) {
      if (loops[d].src_stride / plan.item_elements * item == run_bytes) next = d;
    }
    if (next == end) break;
    const CopyLoop loop = loops[next];
    const Index part = largest_part(loop.extent, safe_pages / places);
    if (part == 1) break;
    run_bytes *= part;
    places *= part;
    if (part < loop.extent) {
      // The outer part stays where it is.
      loops[next] = {loop.extent / part, loop.dst_stride * part, loop.src_stride * part};
      plan.loops.push_back({});
      loops = plan.loops.data();
      std::rotate(loops + end, loops + plan.loops.size() - 1, loops + plan.loops.size());
      loops[end] = {part, loop.dst_stride, loop.src_stride};
      ++plan.strip_loop;
      ++plan.turned_loop;
      break;
    }
    move_loop(plan, next, end - 1, false);
    --end;
  }
  std::sort(loops, loops + end,
            [](const CopyLoop& a, const CopyLoop& b) { return a.dst_stride > b.dst_stride; });
  const Index column_bytes = loops[plan.loops.size() - 1].extent * item;
  plan.strip_depth = column_bytes <= short_column_bytes ? 0 : end;
}

/// Whether strips of two lines, which are not the only ones, are turned straight to memory.
bool has_wide_strips(const CopyPlan& plan, Index item) {
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  return plan.conversion == CopyConversion::none && plan.strip_loop + 1 == plan.loops.size() &&
         inner.extent > plan.tile_dst && plan.tile_dst * item == 2 * line_bytes &&
         bytes_apart(plan, item) >= apart_bytes;
}

/// Whether columns of three lines are one strip, not one of two lines and one of a line, which costs as much:
/// where rows are long (48 x 352 floats .74 to .81 of a plain copy), or each has upper entries of the page
/// table of its own (48 x 48 floats 4 MiB apart .73 to .79; 150 KiB apart .85 to .79).
bool is_odd_strip(Index column_bytes, Index row_bytes, Index apart) {
  return column_bytes == 3 * line_bytes && (row_bytes >= short_run_bytes || apart >= large_page_bytes);
}

/// Whether the leaves for columns of whole lines apply; shorter items need more rows for a line.
bool writes_whole_lines(const CopyPlan& plan, Index item) {
  return plan.conversion == CopyConversion::none && item >= 4 && plan.strip_loop + 1 == plan.loops.size() &&
         plan.loops[plan.loops.size() - 1].extent * item % line_bytes == 0;
}

/// Whether columns begin anywhere in a line.
bool is_shifted(const CopyPlan& plan, Index item) {
  return plan.loops[plan.turned_loop].dst_stride / plan.item_elements * item % line_bytes != 0;
}

/// Whether a tile of long rows takes more of each column. Not where rows lie whole pages apart, and share
/// sets of the caches (Zen 5: 4096 x 4096 float32 .86 of a plain copy, .70 so; 7264 x 7264 .82 and .95), and
/// not where ends of columns are kept in registers, of two lines (4097 x 4099 float32 .83, .77 so).
bool takes_wider_strips(const CopyPlan& plan, Index item) {
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const Index apart = bytes_apart(plan, item);
  return has_wide_strips(plan, item) && item >= 4 && (item == 16 || !is_shifted(plan, item)) &&
         inner.extent * item >= 4 * wide_strip_bytes && plan.tile_src * item >= long_row_bytes &&
         apart >= page_bytes && apart % page_bytes != 0;
}

}  // namespace

bool fill_sets(Index rows, Index apart, Index way_pages) {
  constexpr Index ways = 16;
  const Index pages = (apart + page_bytes / 2) / page_bytes;
  const Index drift = std::abs(apart - pages * page_bytes) * rows;
  return drift < short_run_bytes && rows * std::gcd(pages, way_pages) >= ways * way_pages;
}

Index bytes_apart(const CopyPlan& plan, Index item) {
  return std::abs(plan.loops[plan.loops.size() - 1].src_stride) / plan.item_elements * item;
}

void sort_by_destination(CopyLoops& loops) {
  std::sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.dst_stride) > std::abs(b.dst_stride);
  });
}

CopyPlan in_destination_order(const CopyPlan& plan) {
  CopyPlan result = plan;
  result.dst_offset = 0;
  result.src_offset = 0;
  sort_by_destination(result.loops);
  return result;
}

void order_outer_loops(CopyPlan& plan, OuterOrder order) {
  CopyLoop* loops = plan.loops.data();
  const bool per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  bool by_source = true;
  for (std::size_t end = plan.strip_loop; end > 0; --end) {
    std::size_t next = end - 1;
    const auto stride = [&](std::size_t d) {
      return by_source ? std::abs(loops[d].src_stride) : std::abs(loops[d].dst_stride);
    };
    for (std::size_t d = end - 1; d-- > 0;) {
      if (stride(d) < stride(next)) next = d;
    }
    if (order == OuterOrder::both && end == plan.strip_loop) next = plan.turned_loop;
    by_source = !by_source || order == OuterOrder::source || next == plan.turned_loop;
    move_loop(plan, next, end - 1, per_index);
  }
}

void place_strips(CopyPlan& plan) {
  const Index step = std::abs(plan.loops[plan.loops.size() - 1].src_stride);
  std::size_t d = 0;
  while (d < plan.turned_loop && std::abs(plan.loops[d].src_stride) > step) ++d;
  plan.strip_depth = d;
}

void arrange_for_pages(CopyPlan& plan, Index item) {
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const CopyLoop& run = plan.loops[plan.turned_loop];
  const Index apart = bytes_apart(plan, item);
  // Where ends are kept from strip to strip narrow strips are a tenth faster (.04-.10 of a plain copy).
  if (has_wide_strips(plan, item) &&
      (is_shifted(plan, item) || (item <= 2 && fill_sets(plan.tile_dst, apart, small_way_pages)))) {
    plan.tile_dst = line_bytes / item;
  }
  if (!writes_whole_lines(plan, item)) return;
  const Index column_bytes = inner.extent * item;
  if (apart == run.extent * item && apart < short_run_bytes) {
    // The tile is one stream. A strip and a half are one.
    if (column_bytes == 3 * line_bytes && apart <= 4 * line_bytes) {
      plan.tile_dst = inner.extent;
      plan.tile_src = plan.block_src = run.extent;
    }
    return;
  }
  const Index spread = run.dst_stride / plan.item_elements * item * std::min(plan.tile_src, run.extent);
  const Passage passage = passage_of(plan, item);
  const bool is_far = spread >= far_bytes;
  const bool loses_pages =
      passage.places > most_pages || (passage.places > safe_pages && passage.round_step >= page_bytes / 2);
  const bool takes_turns = is_far && (loses_pages || passage.run_bytes < short_run_bytes);
  const bool is_narrow = takes_turns || plan.tile_src * item < long_row_bytes ||
                         column_bytes % (2 * line_bytes) != 0 || apart < page_bytes ||
                         (is_far && (passage.places >= many_pages || passage.run_bytes < page_bytes));
  if (takes_turns) order_by_pages(plan, item);
  if (is_narrow && plan.tile_dst > sure_streams && sure_streams * item >= line_bytes) {
    plan.tile_dst = sure_streams;
    // A tile of short columns, one after another, was shorter than a row.
    plan.tile_src = std::min(plan.loops[plan.turned_loop].extent, page_bytes / item);
  }
}

void arrange_for_streams(CopyPlan& plan, Index item) {
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const Index extent = plan.loops[plan.turned_loop].extent;
  const Index row_bytes = extent * item;
  const Index apart = bytes_apart(plan, item);
  // Rows are gone on with for as long as what is kept of the columns leaves room in the L2 cache (4097 x 4099
  // float32 .78 of a plain copy by 4 KiB, .81 by 8, .83 by 16 KiB and by whole rows).
  if (has_wide_strips(plan, item)) plan.tile_src = std::min({extent, long_panel_bytes / item, most_kept});
  // Strips that keep their ends stay wide too (4097x4099 float32 .72 of a plain copy, narrow .60).
  if (item <= 2 && has_wide_strips(plan, item) && fill_sets(plan.tile_dst, apart, large_way_pages))
    plan.tile_dst = line_bytes / item;
  if (plan.streams == MemoryStreams::one && takes_wider_strips(plan, item)) {
    const Index wide = wide_strip_bytes / item;
    plan.block_src = std::max<Index>(plan.block_src * plan.tile_dst / wide, 1);
    plan.tile_dst = wide;
  }
  if (!writes_whole_lines(plan, item)) return;
  if (inner.extent * item == 3 * line_bytes && apart == row_bytes && apart <= 4 * line_bytes) {
    // The tile is one stream. A strip and a half are one.
    plan.tile_dst = inner.extent;
    plan.tile_src = plan.block_src = extent;
    return;
  }
  // Columns one behind the other are packed through a buffer: they stay as `plan` has them.
  const bool is_dense = plan.loops[plan.turned_loop].dst_stride == inner.extent * plan.item_elements;
  if (!is_dense && is_odd_strip(inner.extent * item, row_bytes, apart)) plan.tile_dst = inner.extent;
  if (plan.tile_src * item >= long_row_bytes) {
    if (apart >= page_bytes) return;
    // Rows near each other are not brought page by page, but as short rows are (75x12x96x608 .73, so .83).
    plan.tile_src = long_row_bytes / 2 / item;
    plan.block_src = std::min(plan.tile_src, plan.block_src);
  }
  order_outer_loops(plan, OuterOrder::source);
  move_loop(plan, plan.turned_loop, plan.strip_loop - 1, false);
  Index run_bytes = row_bytes;
  std::size_t depth = plan.strip_loop - 1;
  while (depth > 0 && run_bytes < page_bytes &&
         plan.loops[depth - 1].src_stride / plan.item_elements * item == run_bytes) {
    run_bytes *= plan.loops[--depth].extent;
  }
  plan.strip_depth = depth;
}

}  // namespace tenstride::detail
