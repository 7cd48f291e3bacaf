// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/row_loops.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "copy/shares.hpp"
#include "copy/sink.hpp"

namespace tenstride::copy {
namespace {

/// Items of one packed piece.
constexpr Index piece = 512;
/// A long run is cut into pieces of so many bytes for the threads.
constexpr Index chunk_bytes = Index{128} << 10;
/// Up to so many chunks are two ranges for each thread: 1 MiB filled by two threads takes 13.8 us so, 14.5 by
/// eight ranges.
constexpr Index few_parts = 32;
/// Otherwise up to so many ranges for each thread: a worker that scales by numbers for each channel takes
/// some microseconds to set up, and for each chunk anew two threads were 1.2 times as fast as one.
constexpr Index ranges_each = 32;

/// Rows up to so long are moved many in one call.
constexpr std::size_t longest_row = 4096;
/// Rows up to so long are put side by side in the L1 cache before they go past it.
constexpr std::size_t longest_collected_row = 1024;
/// Rows up to so long that are repeated are items of a leaf.
constexpr Index longest_short_item = 16;
/// As many bytes at once: the less often, the less a load waits for stores that wait behind streaming ones.
constexpr std::size_t collected_bytes = 8192;
/// Stretches of the source from this length on are asked for before they are gathered.
constexpr std::size_t far_bytes = 2048;

/// So often each row comes in a row, where short ones are repeated: pixels of 3 bytes. Then the loop of
/// repetitions is taken with the row, as one row that is longer.
std::size_t repetitions(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  const std::size_t last = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::rows || plan.conversion != CopyConversion::none || last < 2) return 1;
  const Loop& repeated = walk.loop(last - 1);
  const Index bytes = plan.loops[last].extent * static_cast<Index>(walk.dst_item);
  const Index all = bytes * repeated.extent;
  const bool is_one_row =
      repeated.src_stride == 0 && repeated.dst_stride == bytes && walk.loop(last - 2).dst_stride == all;
  if (!is_one_row || bytes > longest_short_item || all > static_cast<Index>(longest_collected_row)) return 1;
  return static_cast<std::size_t>(repeated.extent);
}

/// The work of one thread: a range of chunks.
class RunWorker {
 public:
  RunWorker(const Walk& walk, std::size_t times)
      : walk_(walk),
        inner_(walk.innermost()),
        is_scaled_(walk.is_scaled(walk.plan.loops.size() - 1)),
        times_(times),
        sink_(walk.plan, walk.kernels) {}

  /// Whether rows go to the destination as they are, many in one call.
  [[nodiscard]] bool takes_rows() const {
    return (walk_.plan.kernel == CopyKernel::rows || walk_.plan.kernel == CopyKernel::fill) &&
           walk_.plan.conversion == CopyConversion::none &&
           row_bytes() <= (walk_.plan.streaming ? longest_collected_row : longest_row);
  }

  /// `count` rows along the innermost outer loop.
  void rows(const Cursor& at, Index count) {
    const Loop run = at.run();
    const auto pitch = static_cast<std::ptrdiff_t>(row_bytes());
    if (!walk_.plan.streaming || run.dst_stride != pitch) {
      put_rows(at.dst(), run.dst_stride, at.src(), run.src_stride, count);
      return;
    }
    if (at.dst() != collected_for_ + collected_) write_collected();
    for (Index done = 0; done < count;) {
      const Index room = (static_cast<Index>(collected_bytes) - collected_) / pitch;
      if (room == 0) {
        write_collected();
        continue;
      }
      const Index part = std::min(count - done, room);
      if (collected_ == 0) collected_for_ = at.dst() + done * pitch;
      put_rows(packed_.data() + collected_, pitch, at.src() + done * run.src_stride, run.src_stride, part);
      collected_ += part * pitch;
      done += part;
    }
  }

  /// Whether rows go to the destination past the cache, some in turn.
  [[nodiscard]] static bool takes_alternating_rows(const Walk& walk, std::size_t row_bytes) {
    return walk.plan.kernel == CopyKernel::rows && walk.plan.conversion == CopyConversion::none &&
           walk.plan.streaming && row_bytes > longest_collected_row;
  }

  /// Up to as many rows as are written in turn, along the innermost outer loop. The line in which one ends
  /// and the next begins is written once.
  void alternating_rows(const Cursor& at, Index count) {
    const Loop run = at.run();
    const std::size_t bytes = row_bytes();
    walk_.kernels.stream_alternating(at.dst(), run.dst_stride, at.src(), run.src_stride,
                                     static_cast<std::size_t>(count), bytes);
    for (Index row = 0; row < count; ++row) {
      std::byte* const dst = at.dst() + row * run.dst_stride;
      const std::byte* const src = at.src() + row * run.src_stride;
      const std::size_t head = bytes_to_line(dst);
      const std::size_t tail = (bytes - head) % line_bytes;
      if (head != 0) sink_.write(dst, src, head);
      if (tail != 0) sink_.write(dst + (bytes - tail), src + (bytes - tail), tail);
    }
  }

  /// Writes the rows put side by side. To be called after the last ones.
  void write_collected() {
    if (collected_ == 0) return;
    sink_.write(collected_for_, packed_.data(), static_cast<std::size_t>(collected_));
    collected_ = 0;
  }

  /// Items [from, to) of the inner loop at one position of the outer ones.
  void operator()(const Cursor& at, Index from, Index to) {
    std::byte* dst = at.dst() + from * inner_.dst_stride;
    const std::byte* src = at.src() + from * inner_.src_stride;
    const std::size_t step = is_scaled_ ? 1 : 0;
    const std::size_t first = is_scaled_ ? static_cast<std::size_t>(from) : walk_.scale_index(at);
    switch (walk_.plan.kernel) {
      case CopyKernel::fill:
        fill(dst, src, to - from, first, step);
        return;
      case CopyKernel::gather:
        gather(dst, src, to - from, first, step);
        return;
      case CopyKernel::strided:
        strided(dst, src, to - from, first, step);
        return;
      default:
        dense(dst, src, static_cast<std::size_t>(to - from), first, step);
        return;
    }
  }

 private:
  [[nodiscard]] std::size_t row_bytes() const {
    return static_cast<std::size_t>(inner_.extent) * walk_.dst_item * times_;
  }

  void put_rows(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src, std::ptrdiff_t src_pitch,
                Index count) const {
    const auto rows = static_cast<std::size_t>(count);
    if (times_ > 1) {
      walk_.kernels.short_items->repeat(dst, src, src_pitch, row_bytes() / times_, times_, rows);
    } else if (walk_.plan.kernel == CopyKernel::fill) {
      walk_.kernels.fill_rows[walk_.item_log2()](dst, dst_pitch, src, src_pitch, rows,
                                                 static_cast<std::size_t>(inner_.extent));
    } else {
      walk_.kernels.copy_rows(dst, dst_pitch, src, src_pitch, rows, row_bytes());
    }
  }

  void dense(std::byte* dst, const std::byte* src, std::size_t count, std::size_t first, std::size_t step) {
    if (walk_.plan.conversion == CopyConversion::none && !walk_.plan.streaming) {
      walk_.kernels.copy_rows(dst, 0, src, 0, 1, count * walk_.dst_item);
    } else {
      sink_.run(dst, src, count, first, step);
    }
  }

  /// One item again and again; where it is converted, from a piece of it in the L1 cache.
  void fill(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    if (walk_.plan.conversion == CopyConversion::none) {
      if (walk_.plan.streaming && reinterpret_cast<std::uintptr_t>(dst) % walk_.dst_item == 0) {
        fill_lines(dst, src, static_cast<std::size_t>(count) * walk_.dst_item);
      } else {
        walk_.kernels.fill_rows[walk_.item_log2()](dst, 0, src, 0, 1, static_cast<std::size_t>(count));
      }
      return;
    }
    pack(src, 0, std::min(count, piece));
    for (Index done = 0; done < count; done += piece) {
      sink_.run(dst + done * inner_.dst_stride, packed_.data(),
                static_cast<std::size_t>(std::min(count - done, piece)),
                first + static_cast<std::size_t>(done) * step, step);
    }
  }

  /// The whole lines of a run of one item past the cache.
  void fill_lines(std::byte* dst, const std::byte* src, std::size_t bytes) {
    pack(src, 0, static_cast<Index>(line_bytes / walk_.dst_item));
    const std::size_t head = std::min(bytes_to_line(dst), bytes);
    const std::size_t lines = (bytes - head) / line_bytes * line_bytes;
    if (head != 0) sink_.write(dst, packed_.data(), head);
    walk_.kernels.stream_line(dst + head, packed_.data(), lines);
    if (head + lines < bytes) sink_.write(dst + head + lines, packed_.data(), bytes - head - lines);
  }

  void gather(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    if (const Index head = items_to_line(dst); writes_lines(dst) && head <= count) {
      pack(src, inner_.src_stride, head);
      sink_.run(dst, packed_.data(), static_cast<std::size_t>(head), first, step);
      const auto lines = static_cast<Index>(walk_.kernels.gather_lines[walk_.item_log2()](
          dst + head * inner_.dst_stride, src + head * inner_.src_stride, inner_.src_stride,
          static_cast<std::size_t>(count - head), walk_.plan.streams));
      const Index done = head + lines * static_cast<Index>(line_bytes / walk_.dst_item);
      gather_rest(dst + done * inner_.dst_stride, src + done * inner_.src_stride, count - done, first, step);
      return;
    }
    gather_rest(dst, src, count, first, step);
  }

  [[nodiscard]] bool writes_lines(const std::byte* dst) const {
    return walk_.plan.streaming && walk_.plan.conversion == CopyConversion::none &&
           reinterpret_cast<std::uintptr_t>(dst) % walk_.dst_item == 0;
  }

  [[nodiscard]] Index items_to_line(const std::byte* dst) const {
    return static_cast<Index>(bytes_to_line(dst) / walk_.dst_item);
  }

  void gather_rest(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    for (Index done = 0; done < count; done += piece) {
      const auto part = std::min(count - done, piece);
      pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (done + part < count)
        prefetch_lines(src + (done + part) * inner_.src_stride, std::min(count - done - part, piece));
      sink_.run(dst + done * inner_.dst_stride, packed_.data(), static_cast<std::size_t>(part),
                first + static_cast<std::size_t>(done) * step, step);
    }
  }

  /// `count` items from `src` on, while as many are written. Only where they lie close together.
  void prefetch_lines(const std::byte* src, Index count) {
    sink_.prefetch = {};
    const std::ptrdiff_t stride = inner_.src_stride;
    const auto apart = static_cast<std::size_t>(stride < 0 ? -stride : stride);
    // Shorter stretches the processor foresees by itself.
    if (apart > line_bytes || static_cast<std::size_t>(count) * apart < far_bytes) return;
    const auto items = static_cast<std::size_t>(count);
    sink_.prefetch.rows.first = stride < 0 ? src + count * stride : src;
    sink_.prefetch.count = 1;
    sink_.prefetch.lines = items * apart / line_bytes + 1;
    sink_.prefetch.pace = (apart + walk_.dst_item - 1) / walk_.dst_item;
  }

  void strided(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    const bool converts = walk_.plan.conversion != CopyConversion::none;
    if (!converts && inner_.src_stride == 0) {
      walk_.kernels.fill_strided[walk_.item_log2()](dst, inner_.dst_stride, src,
                                                    static_cast<std::size_t>(count));
      return;
    }
    for (Index done = 0; done < count; done += piece) {
      const auto part = std::min(count - done, piece);
      if (done == 0 || inner_.src_stride != 0) pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (converts) {
        sink_.run(converted_.data(), packed_.data(), static_cast<std::size_t>(part),
                  first + static_cast<std::size_t>(done) * step, step);
      }
      scatter(dst + done * inner_.dst_stride, converts ? converted_.data() : packed_.data(), part);
    }
  }

  void pack(const std::byte* src, std::ptrdiff_t stride, Index count) {
    walk_.kernels.gather[walk_.item_log2()](packed_.data(), src, stride, static_cast<std::size_t>(count));
  }

  void scatter(std::byte* dst, const std::byte* from, Index count) {
    switch (walk_.dst_item) {
      case 1:
        scatter_items<1>(dst, from, count);
        return;
      case 2:
        scatter_items<2>(dst, from, count);
        return;
      case 4:
        scatter_items<4>(dst, from, count);
        return;
      case 8:
        scatter_items<8>(dst, from, count);
        return;
      default:
        scatter_items<16>(dst, from, count);
        return;
    }
  }

  template <std::size_t item>
  void scatter_items(std::byte* dst, const std::byte* from, Index count) const {
    for (Index i = 0; i < count; ++i) {
      std::memcpy(dst + i * inner_.dst_stride, from + static_cast<std::size_t>(i) * item, item);
    }
  }

  const Walk& walk_;
  const Loop& inner_;
  bool is_scaled_;
  std::size_t times_;
  Sink sink_;
  /// Where the rows put side by side belong, and how many bytes they are.
  std::byte* collected_for_ = nullptr;
  Index collected_ = 0;
  alignas(line_bytes) std::array<std::byte, piece * 16 + spill_bytes> packed_;
  alignas(line_bytes) std::array<std::byte, piece * 16 + spill_bytes> converted_;
};

/// Rows as they are, or a long one in pieces for the threads.
LinePieces pieces_of(const Walk& walk) {
  const Loop& inner = walk.innermost();
  const auto item = static_cast<Index>(walk.dst_item);
  const Index chunk = std::max<Index>(chunk_bytes / item, 1);
  if (inner.extent <= 2 * chunk) return {inner.extent, inner.extent, 0};
  const bool is_contiguous = inner.dst_stride == item;
  return {inner.extent, chunk, is_contiguous ? static_cast<Index>(place_in_line(walk.dst)) / item : 0};
}

/// As many rows as make a chunk, such that threads meet where a line of a contiguous destination begins.
Index rows_together(Index row_bytes, Index row_stride, Index in_turn) {
  const Index together = std::lcm(steps_to_line(row_stride), in_turn);
  return ceil_divide(std::max<Index>(chunk_bytes / std::max<Index>(row_bytes, 1), 1), together) * together;
}

}  // namespace

void run(const RowLoops& /*strategy*/, const Walk& walk) {
  const LinePieces pieces = pieces_of(walk);
  const Index each = pieces.count();
  const std::size_t times = repetitions(walk);
  const std::size_t row_bytes = static_cast<std::size_t>(walk.innermost().extent) * walk.dst_item * times;
  const Index in_turn = each == 1 && RunWorker::takes_alternating_rows(walk, row_bytes)
                            ? static_cast<Index>(Kernels::max_alternating)
                            : 1;
  // The loops that go from row to row.
  const std::size_t row_loops = walk.plan.loops.size() - (times > 1 ? 2 : 1);
  Shares shares{walk.outer(row_loops).count() * each, ranges_each, 1};
  if (each == 1) {
    const Index row_stride =
        row_loops >= 1 ? walk.loop(row_loops - 1).dst_stride : static_cast<Index>(walk.dst_item);
    shares.together = rows_together(static_cast<Index>(row_bytes), row_stride, in_turn);
  }
  if (ceil_divide(shares.units, shares.together) <= few_parts) shares.ranges_each = 2;
  share_out(walk.plan, shares, [&](Index unit, Index end) {
    RunWorker worker(walk, times);
    Cursor at = walk.outer(row_loops);
    at.seek(unit / each);
    const auto take = [&](Index count) {
      at.skip(count);
      unit += count;
    };
    if (worker.takes_rows()) {
      while (unit < end) {
        const Index count = std::min(at.run_left(), end - unit);
        worker.rows(at, count);
        take(count);
      }
      worker.write_collected();
    }
    while (in_turn > 1 && unit < end) {
      const Index count = std::min({at.run_left(), end - unit, in_turn});
      worker.alternating_rows(at, count);
      take(count);
    }
    for (; unit < end; ++unit) {
      const Index part = unit % each;
      worker(at, pieces.first(part), pieces.last(part));
      if (part + 1 == each) at.next();
    }
  });
}

}  // namespace tenstride::copy
