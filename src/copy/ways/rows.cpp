// SPDX-License-Identifier: Apache-2.0
// Rows that are contiguous on both sides.
#include "copy/ways/row_worker.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

class RowCopier : public ManyRowsWorker<RowCopier> {
 public:
  using ManyRowsWorker::ManyRowsWorker;

  void put(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, Index count) const {
    const auto rows = static_cast<std::size_t>(count);
    if (way_.times > 1) {
      bound_.kernels.short_items->repeat(dst, src, src_pitch, bound_.row_bytes(),
                                         static_cast<std::size_t>(way_.times), rows);
    } else {
      bound_.kernels.copy_rows(dst, dst_pitch, src, src_pitch, rows, bound_.row_bytes());
    }
  }

  void many(Cursor& at, Index pitch, Index left) {
    if (way_.method != RowMethod::alternating) return ManyRowsWorker::many(at, pitch, left);
    while (left > 0) {
      const Index count = std::min<Index>({at.run_left(), left, Kernels::max_alternating});
      alternate(at, count);
      at.skip(count);
      left -= count;
    }
  }

  void row(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    const auto items = static_cast<std::size_t>(count);
    if (is_streaming() || converts()) {
      sink_.run(dst, src, items, first, step);
    } else {
      bound_.kernels.copy_rows(dst, 0, src, 0, 1, items * bound_.dst_item);
    }
  }

 private:
  /// Streams up to `Kernels::max_alternating` rows along the loop around the row. A line that two of them
  /// share is written once.
  void alternate(const Cursor& at, Index count) {
    const Loop run = at.run();
    const std::size_t bytes = bound_.row_bytes();
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
};

}  // namespace

void run(const Rows& way, const Bound& bound) {
  run_rows<RowCopier>(way, bound);
}

}  // namespace tenstride::copy
