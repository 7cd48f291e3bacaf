// SPDX-License-Identifier: Apache-2.0
// Memory that is read as one stream comes at the speed of a plain copy, and streaming stores may go anywhere
// by some lines at a time. In the destination's order, from row to row of the source, the processor foresees
// nothing: on Zen 5 rows of 1472 bytes have .57 of a plain copy in that order, .96 in the source's.
//
// A line in which two rows meet is not written until both are there. They meet along one loop, the joined
// one, and in the source's order all rows of the loops inside of it lie between them; so a line is carried
// for each of these.
#include "copy/scattered_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "../message.hpp"
#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// Shorter rows are moved faster by blocks, longer ones as well one by one in the destination's order.
constexpr Index shortest_row = 72;
constexpr Index longest_row = 16384;
/// Rows without neighbours in the destination write to parts of lines at both ends.
constexpr Index shortest_lone_row = 512;
/// Lines carried at most: 512 KiB with what lies between them, in the L2 cache.
constexpr Index most_carried = 4096;
/// The joined loop is cut for the threads into parts of so many bytes at least of each destination row.
constexpr Index shortest_part = 16384;
/// Units of work for each thread.
constexpr Index units_each = 8;
/// Rows that carry nothing are cut into units of so many bytes.
constexpr Index unit_bytes = Index{1} << 20;

/// The order of the loops, and where it is cut: outer loops, the joined loop, the cut loop, inner loops, the
/// row.
struct Scatter {
  CopyPlan plan;
  std::size_t joined = 0;
  Index cut_part = 1;
  Index row_bytes = 0;
  bool carries = false;

  [[nodiscard]] std::size_t cut() const { return joined + 1; }
  [[nodiscard]] std::size_t row() const { return plan.loops.size() - 1; }
};

bool may_scatter(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::rows && plan.conversion == CopyConversion::none && plan.streaming &&
         plan.loops.size() >= 3 &&
         std::none_of(plan.loops.begin(), plan.loops.end(),
                      [](const CopyLoop& loop) { return loop.src_stride == 0; });
}

/// Whether every row begins and ends with a line.
bool are_whole_lines(const Walk& walk, Index row_bytes) {
  auto misfit = reinterpret_cast<std::uintptr_t>(walk.dst) | static_cast<std::uintptr_t>(row_bytes);
  for (std::size_t d = 0; d + 1 < walk.plan.loops.size(); ++d)
    misfit |= static_cast<std::uintptr_t>(walk.loop(d).dst_stride);
  return misfit % line_bytes == 0;
}

/// As many of the loops inside of the joined one as can be carried stay there, one of them in part; the
/// others go around it.
void limit_carried(Scatter& scatter) {
  CopyLoops& loops = scatter.plan.loops;
  Index inner = 1;
  std::size_t d = scatter.row();
  while (d > scatter.cut() && inner * loops[d - 1].extent <= most_carried) inner *= loops[--d].extent;
  if (d > scatter.cut()) {
    std::rotate(loops.begin() + scatter.joined, loops.begin() + scatter.cut(), loops.begin() + (d - 1));
    scatter.joined = d - 2;
    scatter.cut_part = most_carried / inner;
  } else {
    scatter.cut_part = loops[scatter.cut()].extent;
  }
}

/// The least stride of the destination.
std::size_t nearest(const CopyLoops& loops, std::size_t row) {
  std::size_t least = 0;
  for (std::size_t d = 1; d < row; ++d) {
    if (std::abs(loops[d].dst_stride) < std::abs(loops[least].dst_stride)) least = d;
  }
  return least;
}

/// False where other ways are as good.
bool find_scatter(const Walk& walk, Scatter& scatter) {
  if (!may_scatter(walk.plan)) return false;
  scatter.plan = walk.plan;
  scatter.plan.dst_offset = 0;
  scatter.plan.src_offset = 0;
  CopyLoops& loops = scatter.plan.loops;
  const std::size_t row = scatter.row();
  scatter.row_bytes = loops[row].extent * static_cast<Index>(walk.dst_item);
  if (scatter.row_bytes < shortest_row || scatter.row_bytes > longest_row) return false;
  std::stable_sort(loops.begin(), loops.begin() + row, [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.src_stride) > std::abs(b.src_stride);
  });
  const std::size_t near = nearest(loops, row);
  if (near == row - 1) return false;  // one order on both sides
  scatter.joined = row - 2;
  scatter.cut_part = std::clamp<Index>(unit_bytes / scatter.row_bytes, 1, loops[row - 1].extent);
  if (are_whole_lines(walk, scatter.row_bytes)) return true;
  // What is carried from row to row is read from a cache in between, which streams of memory are lost for.
  if (walk.plan.streams == MemoryStreams::several) return false;
  const Walk ordered(scatter.plan, walk.kernels, walk.dst, walk.src);
  if (ordered.loop(near).dst_stride != scatter.row_bytes) return scatter.row_bytes >= shortest_lone_row;
  scatter.carries = true;
  scatter.joined = near;
  limit_carried(scatter);
  return true;
}

/// The parts that one thread after another takes: along the joined loop, the cut one, the outer ones.
struct Units {
  Index joined_part = 1;
  Index joined_parts = 1;
  Index cut_parts = 1;
  Index count = 1;

  Units(const Walk& walk, const Scatter& scatter) {
    const Index joined = scatter.plan.loops[scatter.joined].extent;
    cut_parts = ceil_divide(scatter.plan.loops[scatter.cut()].extent, scatter.cut_part);
    const Index others = Odometer(walk, 0, scatter.joined, max_rank).count() * cut_parts;
    const Index threads = threads_of(scatter.plan);
    const Index wanted = threads == 1 ? 1 : ceil_divide(units_each * threads, others);
    const Index shortest = scatter.carries ? ceil_divide(shortest_part, scatter.row_bytes) : 1;
    joined_part = std::clamp<Index>(ceil_divide(joined, wanted), std::min(shortest, joined), joined);
    joined_parts = ceil_divide(joined, joined_part);
    count = others * joined_parts;
  }
};

/// The work of one thread.
class ScatterWorker {
 public:
  /// `walk` in the order of `scatter`.
  ScatterWorker(const Walk& walk, const Scatter& scatter, const Units& units)
      : walk_(walk),
        scatter_(scatter),
        units_(units),
        joined_(walk.loop(scatter.joined)),
        cut_(walk.loop(scatter.cut())),
        inner_(walk, scatter.cut() + 1, scatter.row(), max_rank) {
    inner_.seek(0);
    if (!scatter.carries) return;
    const auto lines = static_cast<std::size_t>(scatter.cut_part * inner_.count());
    lines_.reset(static_cast<std::byte*>(
        ::operator new ((lines + 1) * CarriedRows::pitch, std::align_val_t{line_bytes})));
  }

  void operator()(Index from, Index to) {
    for (Index unit = from; unit < to; ++unit) {
      const Index joined = unit % units_.joined_parts * units_.joined_part;
      const Index rest = unit / units_.joined_parts;
      const Index cut = rest % units_.cut_parts * scatter_.cut_part;
      Odometer outer(walk_, 0, scatter_.joined, max_rank);
      outer.seek(rest / units_.cut_parts);
      copy(outer.dst() + joined * joined_.dst_stride + cut * cut_.dst_stride,
           outer.src() + joined * joined_.src_stride + cut * cut_.src_stride,
           std::min(units_.joined_part, joined_.extent - joined),
           std::min(scatter_.cut_part, cut_.extent - cut));
    }
    walk_.kernels.fence();
  }

 private:
  struct Free {
    void operator()(std::byte* lines) const { ::operator delete (lines, std::align_val_t{line_bytes}); }
  };

  /// Part of the joined loop and of the cut one.
  void copy(std::byte* dst, const std::byte* src, Index joined, Index cut) {
    CarriedRows rows;
    rows.bytes = static_cast<std::size_t>(scatter_.row_bytes);
    for (Index i = 0; i < joined; ++i, dst += joined_.dst_stride, src += joined_.src_stride) {
      if (scatter_.carries) {
        rows.lines = lines_.get() + line_bytes;
        rows.is_first = i == 0;
        rows.is_last = i + 1 == joined;
      }
      copy_inner(rows, dst, src, cut);
    }
  }

  void copy_inner(CarriedRows& rows, std::byte* dst, const std::byte* src, Index cut) {
    if (scatter_.cut() + 1 == scatter_.row()) {
      copy_rows(rows, dst, src, cut_, cut);
      return;
    }
    for (Index i = 0; i < cut; ++i, dst += cut_.dst_stride, src += cut_.src_stride) {
      for (Index left = inner_.count(); left > 0;) {
        const Index count = inner_.run_left();
        copy_rows(rows, dst + (inner_.dst() - walk_.dst), src + (inner_.src() - walk_.src), inner_.run(),
                  count);
        inner_.skip(count);
        left -= count;
      }
    }
  }

  void copy_rows(CarriedRows& rows, std::byte* dst, const std::byte* src, const ByteLoop& along,
                 Index count) const {
    rows.dst = dst;
    rows.dst_pitch = along.dst_stride;
    rows.src = src;
    rows.src_pitch = along.src_stride;
    rows.rows = static_cast<std::size_t>(count);
    walk_.kernels.carry_rows(rows);
    if (rows.lines != nullptr) rows.lines += rows.rows * CarriedRows::pitch;
  }

  const Walk& walk_;
  const Scatter& scatter_;
  const Units& units_;
  ByteLoop joined_;
  ByteLoop cut_;
  Odometer inner_;
  std::unique_ptr<std::byte, Free> lines_;
};

}  // namespace

bool run_scattered_rows(const Walk& walk) {
  Scatter scatter;
  if (!find_scatter(walk, scatter)) return false;
  const Walk ordered(scatter.plan, walk.kernels, walk.dst, walk.src);
  const Units units(ordered, scatter);
  parallel_for(
      0, units.count, ceil_divide(units.count, units_each * threads_of(walk.plan)),
      [&](Index from, Index to) { ScatterWorker(ordered, scatter, units)(from, to); }, walk.plan.threads);
  return true;
}

std::string scattered_rows_text(const Walk& walk) {
  Scatter scatter;
  if (!find_scatter(walk, scatter)) return {};
  return tenstride::detail::message("in the source's order: rows of ", scatter.row_bytes,
                                    " bytes, each past the cache to its place",
                                    scatter.carries ? ", lines in which two meet once both are there" : "");
}

}  // namespace tenstride::copy
