// SPDX-License-Identifier: Apache-2.0
// What the ways that go row after row share: how rows are divided among threads, and how many go at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "plan/ways/grids.hpp"

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

/// Copies all rows by workers of a way: many by one call, collected, or one after the other.
template <class Worker>
void run_rows(const RowByRow& way, const Bound& bound) {
  const detail::Grid grid = detail::grid_of(way, bound.nest, static_cast<Index>(line_offset(bound.dst)));
  const Index row = static_cast<Index>(bound.row_bytes()) * way.times;
  share_out(grid, bound.threads, [&](Index unit, Index end) {
    Worker worker(way, bound);
    Cursor at(grid.loops(), bound.dst, bound.src);
    at.seek(unit);
    if constexpr (requires { worker.takes_many(); }) {
      if (worker.takes_many()) {
        worker.many(at, row, end - unit);
        return;
      }
    }
    const Loop& inner = bound.innermost();
    const bool is_scaled = bound.is_scaled(bound.nest.size() - 1);
    for (; unit < end; ++unit, at.next()) {
      Index first = 0;
      Index last = inner.extent;
      if (way.piece != 0) {
        const Index piece = at.index(at.size() - 1);
        first = grid.first(detail::Grid::innermost, piece);
        last = grid.last(detail::Grid::innermost, piece);
      }
      worker.row(at.dst() + first * inner.dst_stride, at.src() + first * inner.src_stride, last - first,
                 is_scaled ? static_cast<std::size_t>(first) : bound.scale_index(at), is_scaled ? 1 : 0);
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
