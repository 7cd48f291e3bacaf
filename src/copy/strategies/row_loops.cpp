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

/// Items that are packed at a time.
constexpr Index piece_items = 512;
/// A long run is cut into pieces of this many bytes for the threads.
constexpr Index chunk_bytes = Index{128} << 10;
/// Up to this many chunks are divided into two ranges for each thread: 14.5 → 13.8 us against eight ranges (1
/// MiB filled by two threads).
constexpr Index max_chunks_of_two_ranges = 32;
/// Ranges for each thread, where there are more chunks. Not a range for each chunk: a worker that scales by a
/// number for each channel takes microseconds to set up, and with one for each chunk two threads were only
/// 1.2 times as fast as one.
constexpr Index ranges_per_thread = 32;

/// The longest rows that one call copies many of.
constexpr std::size_t max_row_bytes = 4096;
/// The longest rows that are collected in the L1 cache before they are streamed.
constexpr std::size_t max_collected_row_bytes = 1024;
/// The longest gathered rows of items of 1 and 2 bytes that are collected: ordinary stores between streaming
/// ones, at both ends of each row, cost more than collecting does. .29 -> .40 of a plain copy (rows of 2370
/// bytes backwards), .12 -> .23 (of 83; Zen 3). Longer items lose: .53 -> .43 (rows of 200 complex numbers).
constexpr std::size_t max_gathered_row_bytes = 4096;
constexpr std::size_t max_short_gathered_item = 2;
/// The longest repeated rows that are written as short items by one kernel.
constexpr Index max_short_item_bytes = 16;
/// Bytes that are collected at a time. Larger buffers wait less often for loads behind streaming stores.
constexpr std::size_t collected_bytes = 8192;
/// Pieces of the source of at least this length are prefetched before they are gathered.
constexpr std::size_t min_prefetched_bytes = 2048;

/// How many times each row is repeated side by side, where rows are short (as pixels of 3 bytes); 1 for all
/// other copies. The row and its repetitions are then treated as one longer row.
std::size_t repetitions(const BoundPlan& bound) {
  const CopyPlan& plan = bound.plan;
  const std::size_t last = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::rows || plan.conversion != CopyConversion::none || last < 2) return 1;
  const Loop& repeated = bound.loop(last - 1);
  const Index bytes = plan.loops[last].extent * static_cast<Index>(bound.dst_item);
  const Index all = bytes * repeated.extent;
  const bool is_one_row =
      repeated.src_stride == 0 && repeated.dst_stride == bytes && bound.loop(last - 2).dst_stride == all;
  if (!is_one_row || bytes > max_short_item_bytes || all > static_cast<Index>(max_collected_row_bytes))
    return 1;
  return static_cast<std::size_t>(repeated.extent);
}

/// Copies the rows of one thread.
class RunWorker {
 public:
  RunWorker(const BoundPlan& bound, std::size_t times)
      : bound_(bound),
        inner_(bound.innermost()),
        is_scaled_(bound.is_scaled(bound.plan.loops.size() - 1)),
        times_(times),
        sink_(bound.plan, bound.kernels) {}

  /// Whether rows are copied without a conversion, many in one call.
  [[nodiscard]] bool copies_many_rows() const {
    if (bound_.plan.conversion != CopyConversion::none) return false;
    if (bound_.plan.kernel == CopyKernel::gather) return collects_gathered_rows();
    return (bound_.plan.kernel == CopyKernel::rows || bound_.plan.kernel == CopyKernel::fill) &&
           row_bytes() <= (bound_.plan.streaming ? max_collected_row_bytes : max_row_bytes);
  }

  /// Copies `count` rows along the loop around the row.
  void rows(const Cursor& at, Index count) {
    const Loop run = at.run();
    const auto pitch = static_cast<Index>(row_bytes());
    if (!bound_.plan.streaming || run.dst_stride != pitch) {
      put_rows(at.dst(), run.dst_stride, at.src(), run.src_stride, count);
      return;
    }
    if (at.dst() != collected_dst_ + collected_) write_collected();
    for (Index done = 0; done < count;) {
      const Index room = (static_cast<Index>(collected_bytes) - collected_) / pitch;
      if (room == 0) {
        write_collected();
        continue;
      }
      const Index part = std::min(count - done, room);
      if (collected_ == 0) collected_dst_ = at.dst() + done * pitch;
      put_rows(packed_.data() + collected_, pitch, at.src() + done * run.src_stride, run.src_stride, part);
      collected_ += part * pitch;
      done += part;
    }
  }

  /// Whether rows are streamed by pieces that alternate between several rows.
  [[nodiscard]] static bool alternates_rows(const BoundPlan& bound, std::size_t row_bytes) {
    return bound.plan.kernel == CopyKernel::rows && bound.plan.conversion == CopyConversion::none &&
           bound.plan.streaming && row_bytes > max_collected_row_bytes;
  }

  /// Streams up to `Kernels::max_alternating` rows along the loop around the row. A line that two of them
  /// share is written once.
  void alternating_rows(const Cursor& at, Index count) {
    const Loop run = at.run();
    const std::size_t bytes = row_bytes();
    bound_.kernels.stream_alternating(at.dst(), run.dst_stride, at.src(), run.src_stride,
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

  /// Writes the collected rows. Has to be called after the last ones.
  void write_collected() {
    if (collected_ == 0) return;
    sink_.write(collected_dst_, packed_.data(), static_cast<std::size_t>(collected_));
    collected_ = 0;
  }

  /// Copies items [begin, end) of the innermost loop at one position of the outer loops.
  void operator()(const Cursor& at, Index begin, Index end) {
    std::byte* dst = at.dst() + begin * inner_.dst_stride;
    const std::byte* src = at.src() + begin * inner_.src_stride;
    const std::size_t number_step = is_scaled_ ? 1 : 0;
    const std::size_t first = is_scaled_ ? static_cast<std::size_t>(begin) : bound_.scale_index(at);
    switch (bound_.plan.kernel) {
      case CopyKernel::fill:
        fill(dst, src, end - begin, first, number_step);
        return;
      case CopyKernel::gather:
        gather(dst, src, end - begin, first, number_step);
        return;
      case CopyKernel::strided:
        strided(dst, src, end - begin, first, number_step);
        return;
      default:
        dense(dst, src, static_cast<std::size_t>(end - begin), first, number_step);
        return;
    }
  }

 private:
  [[nodiscard]] std::size_t row_bytes() const {
    return static_cast<std::size_t>(inner_.extent) * bound_.dst_item * times_;
  }

  [[nodiscard]] bool collects_gathered_rows() const {
    const std::size_t loops = bound_.plan.loops.size();
    const std::size_t limit =
        bound_.dst_item <= max_short_gathered_item ? max_gathered_row_bytes : max_collected_row_bytes;
    return bound_.plan.streaming && loops > 1 && row_bytes() <= limit &&
           bound_.loop(loops - 2).dst_stride == static_cast<Index>(row_bytes());
  }

  void put_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, Index count) const {
    const auto rows = static_cast<std::size_t>(count);
    if (times_ > 1) {
      bound_.kernels.short_items->repeat(dst, src, src_pitch, row_bytes() / times_, times_, rows);
    } else if (bound_.plan.kernel == CopyKernel::fill) {
      bound_.kernels.fill_rows[bound_.item_log2()](dst, dst_pitch, src, src_pitch, rows,
                                                   static_cast<std::size_t>(inner_.extent));
    } else if (bound_.plan.kernel == CopyKernel::gather) {
      for (Index row = 0; row < count; ++row)
        pack(dst + row * dst_pitch, src + row * src_pitch, inner_.src_stride, inner_.extent);
    } else {
      bound_.kernels.copy_rows(dst, dst_pitch, src, src_pitch, rows, row_bytes());
    }
  }

  void dense(std::byte* dst, const std::byte* src, std::size_t count, std::size_t first,
             std::size_t number_step) {
    if (bound_.plan.conversion == CopyConversion::none && !bound_.plan.streaming) {
      bound_.kernels.copy_rows(dst, 0, src, 0, 1, count * bound_.dst_item);
    } else {
      sink_.run(dst, src, count, first, number_step);
    }
  }

  /// Fills a run with one item; where it is converted, from repetitions of it in the L1 cache.
  void fill(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t number_step) {
    if (bound_.plan.conversion == CopyConversion::none) {
      if (bound_.plan.streaming && reinterpret_cast<std::uintptr_t>(dst) % bound_.dst_item == 0) {
        fill_lines(dst, src, static_cast<std::size_t>(count) * bound_.dst_item);
      } else {
        bound_.kernels.fill_rows[bound_.item_log2()](dst, 0, src, 0, 1, static_cast<std::size_t>(count));
      }
      return;
    }
    pack(src, 0, std::min(count, piece_items));
    for (Index done = 0; done < count; done += piece_items) {
      sink_.run(dst + done * inner_.dst_stride, packed_.data(),
                static_cast<std::size_t>(std::min(count - done, piece_items)),
                first + static_cast<std::size_t>(done) * number_step, number_step);
    }
  }

  /// Fills a run with one item, its whole lines by streaming stores.
  void fill_lines(std::byte* dst, const std::byte* src, std::size_t bytes) {
    pack(src, 0, static_cast<Index>(line_bytes / bound_.dst_item));
    const std::size_t head = std::min(bytes_to_line(dst), bytes);
    const std::size_t lines = (bytes - head) / line_bytes * line_bytes;
    if (head != 0) sink_.write(dst, packed_.data(), head);
    bound_.kernels.stream_line(dst + head, packed_.data(), lines);
    if (head + lines < bytes) sink_.write(dst + head + lines, packed_.data(), bytes - head - lines);
  }

  void gather(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t number_step) {
    if (const Index head = items_to_line(dst); writes_lines(dst) && head <= count) {
      pack(src, inner_.src_stride, head);
      sink_.run(dst, packed_.data(), static_cast<std::size_t>(head), first, number_step);
      const auto lines = static_cast<Index>(bound_.kernels.gather_lines[bound_.item_log2()](
          dst + head * inner_.dst_stride, src + head * inner_.src_stride, inner_.src_stride,
          static_cast<std::size_t>(count - head), bound_.plan.streams));
      const Index done = head + lines * static_cast<Index>(line_bytes / bound_.dst_item);
      gather_by_pieces(dst + done * inner_.dst_stride, src + done * inner_.src_stride, count - done, first,
                       number_step);
      return;
    }
    gather_by_pieces(dst, src, count, first, number_step);
  }

  [[nodiscard]] bool writes_lines(const std::byte* dst) const {
    return bound_.plan.streaming && bound_.plan.conversion == CopyConversion::none &&
           reinterpret_cast<std::uintptr_t>(dst) % bound_.dst_item == 0;
  }

  [[nodiscard]] Index items_to_line(const std::byte* dst) const {
    return static_cast<Index>(bytes_to_line(dst) / bound_.dst_item);
  }

  void gather_by_pieces(std::byte* dst, const std::byte* src, Index count, std::size_t first,
                        std::size_t number_step) {
    for (Index done = 0; done < count; done += piece_items) {
      const auto part = std::min(count - done, piece_items);
      pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (done + part < count)
        prefetch_lines(src + (done + part) * inner_.src_stride, std::min(count - done - part, piece_items));
      sink_.run(dst + done * inner_.dst_stride, packed_.data(), static_cast<std::size_t>(part),
                first + static_cast<std::size_t>(done) * number_step, number_step);
    }
  }

  /// Has `count` items from `src` on prefetched while as many are written, if they lie close together.
  void prefetch_lines(const std::byte* src, Index count) {
    sink_.prefetch() = {};
    const Index stride = inner_.src_stride;
    const auto distance = static_cast<std::size_t>(stride < 0 ? -stride : stride);
    // The processor prefetches shorter pieces by itself.
    if (distance > line_bytes || static_cast<std::size_t>(count) * distance < min_prefetched_bytes) return;
    const auto items = static_cast<std::size_t>(count);
    sink_.prefetch().rows.first = stride < 0 ? src + count * stride : src;
    sink_.prefetch().count = 1;
    sink_.prefetch().lines = items * distance / line_bytes + 1;
    sink_.prefetch().pace = (distance + bound_.dst_item - 1) / bound_.dst_item;
  }

  void strided(std::byte* dst, const std::byte* src, Index count, std::size_t first,
               std::size_t number_step) {
    const bool converts = bound_.plan.conversion != CopyConversion::none;
    if (!converts && inner_.src_stride == 0) {
      bound_.kernels.fill_strided[bound_.item_log2()](dst, inner_.dst_stride, src,
                                                      static_cast<std::size_t>(count));
      return;
    }
    for (Index done = 0; done < count; done += piece_items) {
      const auto part = std::min(count - done, piece_items);
      if (done == 0 || inner_.src_stride != 0) pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (converts) {
        sink_.run(converted_.data(), packed_.data(), static_cast<std::size_t>(part),
                  first + static_cast<std::size_t>(done) * number_step, number_step);
      }
      scatter(dst + done * inner_.dst_stride, converts ? converted_.data() : packed_.data(), part);
    }
  }

  void pack(std::byte* to, const std::byte* src, Index stride, Index count) const {
    bound_.kernels.gather[bound_.item_log2()](to, src, stride, static_cast<std::size_t>(count));
  }
  void pack(const std::byte* src, Index stride, Index count) { pack(packed_.data(), src, stride, count); }

  void scatter(std::byte* dst, const std::byte* from, Index count) {
    switch (bound_.dst_item) {
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

  const BoundPlan& bound_;
  const Loop& inner_;
  bool is_scaled_;
  std::size_t times_;
  Sink sink_;
  /// The destination of the collected rows, and their bytes.
  std::byte* collected_dst_ = nullptr;
  Index collected_ = 0;
  alignas(line_bytes) std::array<std::byte, piece_items * 16 + spill_bytes> packed_;
  alignas(line_bytes) std::array<std::byte, piece_items * 16 + spill_bytes> converted_;
};

/// Pieces of a row: the row as a whole, or pieces of a long one for the threads.
LinePieces pieces_of(const BoundPlan& bound) {
  const Loop& inner = bound.innermost();
  const auto item = static_cast<Index>(bound.dst_item);
  const Index chunk = std::max<Index>(chunk_bytes / item, 1);
  if (inner.extent <= 2 * chunk) return {inner.extent, inner.extent, 0};
  const bool is_contiguous = inner.dst_stride == item;
  return {inner.extent, chunk, is_contiguous ? static_cast<Index>(line_offset(bound.dst)) / item : 0};
}

/// The rows of a group: at least a chunk, and such that the ranges of threads meet where a line of a
/// contiguous destination begins.
Index rows_per_group(Index row_bytes, Index row_stride, Index alternating) {
  const Index group = std::lcm(strides_to_line(row_stride), alternating);
  return ceil_divide(std::max<Index>(chunk_bytes / std::max<Index>(row_bytes, 1), 1), group) * group;
}

}  // namespace

void run(const RowLoops& /*strategy*/, const BoundPlan& bound) {
  const LinePieces pieces = pieces_of(bound);
  const Index each = pieces.count();
  const std::size_t times = repetitions(bound);
  const std::size_t row_bytes = static_cast<std::size_t>(bound.innermost().extent) * bound.dst_item * times;
  const Index alternating = each == 1 && RunWorker::alternates_rows(bound, row_bytes)
                                ? static_cast<Index>(Kernels::max_alternating)
                                : 1;
  // The loops around a row.
  const std::size_t row_loops = bound.plan.loops.size() - (times > 1 ? 2 : 1);
  Shares shares{bound.outer(row_loops).count() * each, ranges_per_thread, 1};
  if (each == 1) {
    const Index row_stride =
        row_loops >= 1 ? bound.loop(row_loops - 1).dst_stride : static_cast<Index>(bound.dst_item);
    shares.group = rows_per_group(static_cast<Index>(row_bytes), row_stride, alternating);
  }
  if (ceil_divide(shares.units, shares.group) <= max_chunks_of_two_ranges) shares.ranges_per_thread = 2;
  share_out(bound.plan, shares, [&](Index unit, Index end) {
    RunWorker worker(bound, times);
    Cursor at = bound.outer(row_loops);
    at.seek(unit / each);
    const auto take = [&](Index count) {
      at.skip(count);
      unit += count;
    };
    if (worker.copies_many_rows()) {
      while (unit < end) {
        const Index count = std::min(at.run_left(), end - unit);
        worker.rows(at, count);
        take(count);
      }
      worker.write_collected();
    }
    while (alternating > 1 && unit < end) {
      const Index count = std::min({at.run_left(), end - unit, alternating});
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
