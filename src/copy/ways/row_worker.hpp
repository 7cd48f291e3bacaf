// SPDX-License-Identifier: Apache-2.0
// What the ways that go row after row share: how rows are divided among threads, and how many go at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "copy/shares.hpp"
#include "copy/sink.hpp"

namespace tenstride::copy {

/// The rows of one thread. A way derives from it and says `put`, which copies many rows without a conversion,
/// and `row`, which copies a part of one row.
class RowWorker {
 public:
  RowWorker(const RowByRow& way, const Bound& bound)
      : way_(way), bound_(bound), inner_(bound.innermost()), sink_(bound, way.stores) {}

 protected:
  /// Items that are packed at a time.
  static constexpr Index piece_items = 512;

  [[nodiscard]] bool is_streaming() const { return way_.stores != Stores::ordinary; }
  [[nodiscard]] bool converts() const { return way_.method == RowMethod::converted; }

  void pack(std::byte* to, const std::byte* src, Index stride, Index count) const {
    bound_.kernels.gather[bound_.item_log2()](to, src, stride, static_cast<std::size_t>(count));
  }
  void pack(const std::byte* src, Index stride, Index count) { pack(packed_.data(), src, stride, count); }

  /// Writes packed items, converted. Item i is scaled by number first + i * step.
  void write_packed(std::byte* dst, Index count, std::size_t first, std::size_t step) {
    sink_.run(dst, packed_.data(), static_cast<std::size_t>(count), first, step);
  }

  const RowByRow& way_;
  const Bound& bound_;
  const Loop& inner_;
  Sink sink_;
  alignas(line_bytes) std::array<std::byte, piece_items * 16 + spill_bytes> packed_;
};

/// Collects successive rows in the L1 cache and streams them. Larger buffers wait less often for loads behind
/// streaming stores.
class RowCollector {
 public:
  RowCollector(Sink& sink, std::byte* buffer) : sink_(sink), buffer_(buffer) {}
  ~RowCollector() { write(); }

  /// Collects `count` rows of `pitch` bytes for `dst`; `put(to, n, k)` puts k of them, from number n on.
  template <class Put>
  void add(std::byte* dst, Index pitch, Index count, const Put& put) {
    if (dst != dst_ + size_) write();
    for (Index done = 0; done < count;) {
      const Index room = (capacity - size_) / pitch;
      if (room == 0) {
        write();
        continue;
      }
      const Index part = std::min(count - done, room);
      if (size_ == 0) dst_ = dst + done * pitch;
      put(buffer_ + size_, done, part);
      size_ += part * pitch;
      done += part;
    }
  }

 private:
  static constexpr Index capacity = 8192;

  void write() {
    if (size_ == 0) return;
    sink_.write(dst_, buffer_, static_cast<std::size_t>(size_));
    size_ = 0;
  }

  Sink& sink_;
  std::byte* buffer_;
  /// The destination of the collected rows, and their bytes.
  std::byte* dst_ = nullptr;
  Index size_ = 0;
};

/// How rows are divided among threads.
class RowShares {
 public:
  RowShares(const RowByRow& way, const Bound& bound)
      : row_(static_cast<Index>(bound.row_bytes()) * way.times),
        loops_(bound.nest.size() - (way.times > 1 ? 2 : 1)),
        pieces_(pieces_of(bound)),
        shares_{bound.outer(loops_).count() * pieces_.count(), ranges_per_thread, 1} {
    if (pieces_.count() == 1) {
      const Index stride =
          loops_ >= 1 ? bound.loop(loops_ - 1).dst_stride : static_cast<Index>(bound.dst_item);
      const Index rows = way.method == RowMethod::alternating ? Kernels::max_alternating : 1;
      const Index group = std::lcm(strides_to_line(stride), rows);
      shares_.group = ceil_divide(std::max<Index>(chunk_bytes / std::max<Index>(row_, 1), 1), group) * group;
    }
    if (ceil_divide(shares_.units, shares_.group) <= max_chunks_of_two_ranges) shares_.ranges_per_thread = 2;
  }

  /// Bytes of a row with its repetitions.
  [[nodiscard]] Index row() const { return row_; }
  /// The number of loops around a row.
  [[nodiscard]] std::size_t loops() const { return loops_; }
  /// Pieces of a row: the row as a whole, or pieces of a long one.
  [[nodiscard]] const LinePieces& pieces() const { return pieces_; }
  [[nodiscard]] const Shares& shares() const { return shares_; }

 private:
  /// A long run is cut into pieces of this many bytes.
  static constexpr Index chunk_bytes = detail::max_whole_row_bytes / 2;
  /// Up to this many chunks are divided into two ranges for each thread: 14.5 → 13.8 us against eight ranges
  /// (1 MiB filled by two threads).
  static constexpr Index max_chunks_of_two_ranges = 32;
  /// Ranges for each thread, where there are more chunks. Not a range for each chunk: a worker that scales by
  /// a number for each channel takes microseconds to set up, and with one for each chunk two threads were
  /// only 1.2 times as fast as one.
  static constexpr Index ranges_per_thread = 32;

  static LinePieces pieces_of(const Bound& bound) {
    const Loop& inner = bound.innermost();
    const auto item = static_cast<Index>(bound.dst_item);
    const Index chunk = std::max<Index>(chunk_bytes / item, 1);
    if (inner.extent <= 2 * chunk) return {inner.extent, inner.extent, 0};
    const bool is_contiguous = inner.dst_stride == item;
    return {inner.extent, chunk, is_contiguous ? static_cast<Index>(line_offset(bound.dst)) / item : 0};
  }

  Index row_;
  std::size_t loops_;
  LinePieces pieces_;
  Shares shares_;
};

/// Copies all rows by workers of a way: many by one call, collected, or one after the other.
template <class Worker>
void run_rows(const RowByRow& way, const Bound& bound) {
  const RowShares rows(way, bound);
  share_out(bound.threads, rows.shares(), [&](Index unit, Index end) {
    Worker worker(way, bound);
    Cursor at = bound.outer(rows.loops());
    const Index each = rows.pieces().count();
    at.seek(unit / each);
    if constexpr (requires { worker.takes_many(); }) {
      if (worker.takes_many()) {
        worker.many(at, rows.row(), end - unit);
        return;
      }
    }
    const Loop& inner = bound.innermost();
    const bool is_scaled = bound.is_scaled(bound.nest.size() - 1);
    for (; unit < end; ++unit) {
      const Index first = rows.pieces().first(unit % each);
      const Index last = rows.pieces().last(unit % each);
      worker.row(at.dst() + first * inner.dst_stride, at.src() + first * inner.src_stride, last - first,
                 is_scaled ? static_cast<std::size_t>(first) : bound.scale_index(at), is_scaled ? 1 : 0);
      if (unit % each + 1 == each) at.next();
    }
  });
}

/// A worker whose rows may go many at a time. `Way::put(dst, dst_pitch, src, src_pitch, count)` copies so
/// many rows.
template <class Way>
class ManyRowsWorker : public RowWorker {
 public:
  using RowWorker::RowWorker;

  [[nodiscard]] bool takes_many() const {
    return way_.method != RowMethod::single && way_.method != RowMethod::converted;
  }

  /// Copies `left` rows of `pitch` bytes from a position of the outer loops on.
  void many(Cursor& at, Index pitch, Index left) {
    RowCollector collector(sink_, packed_.data());
    while (left > 0) {
      const Index count = std::min(at.run_left(), left);
      const Loop run = at.run();
      std::byte* const dst = at.dst();
      const std::byte* const src = at.src();
      if (way_.method == RowMethod::collected) {
        collector.add(dst, pitch, count, [&](std::byte* to, Index first, Index part) {
          self().put(to, pitch, src + first * run.src_stride, run.src_stride, part);
        });
      } else {
        self().put(dst, run.dst_stride, src, run.src_stride, count);
      }
      at.skip(count);
      left -= count;
    }
  }

 private:
  Way& self() { return static_cast<Way&>(*this); }
};

}  // namespace tenstride::copy
