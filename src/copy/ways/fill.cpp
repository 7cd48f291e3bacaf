// SPDX-License-Identifier: Apache-2.0
// Rows that are filled with one item each.
#include "copy/ways/row_worker.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

class RowFiller : public ManyRowsWorker<RowFiller> {
 public:
  using ManyRowsWorker::ManyRowsWorker;

  void put(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, Index count) const {
    bound_.kernels.fill_rows[bound_.item_log2()](dst, dst_pitch, src, src_pitch,
                                                 static_cast<std::size_t>(count),
                                                 static_cast<std::size_t>(inner_.extent));
  }

  void row(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    if (converts()) {
      fill_converted(dst, src, count, first, step);
    } else if (is_streaming() && reinterpret_cast<std::uintptr_t>(dst) % bound_.dst_item == 0) {
      fill_lines(dst, src, static_cast<std::size_t>(count) * bound_.dst_item);
    } else {
      bound_.kernels.fill_rows[bound_.item_log2()](dst, 0, src, 0, 1, static_cast<std::size_t>(count));
    }
  }

 private:
  /// Fills from repetitions of the item in the L1 cache.
  void fill_converted(std::byte* dst, const std::byte* src, Index count, std::size_t first,
                      std::size_t step) {
    pack(src, 0, std::min(count, piece_items));
    for (Index done = 0; done < count; done += piece_items)
      write_packed(dst + done * inner_.dst_stride, std::min(count - done, piece_items),
                   first + static_cast<std::size_t>(done) * step, step);
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
};

}  // namespace

void run(const Fill& way, const Bound& bound) {
  run_rows<RowFiller>(way, bound);
}

}  // namespace tenstride::copy
