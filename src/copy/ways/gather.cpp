// SPDX-License-Identifier: Apache-2.0
// Rows that are gathered from a source with a stride.
#include <cstdlib>

#include "copy/ways/row_worker.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

/// Pieces of the source of at least this length are prefetched before they are gathered.
constexpr std::size_t min_prefetched_bytes = 2048;

class RowGatherer : public ManyRowsWorker<RowGatherer> {
 public:
  using ManyRowsWorker::ManyRowsWorker;

  void put(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, Index count) const {
    for (Index row = 0; row < count; ++row)
      pack(dst + row * dst_pitch, src + row * src_pitch, inner_.src_stride, inner_.extent);
  }

  void row(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    const auto head = static_cast<Index>(bytes_to_line(dst) / bound_.dst_item);
    Index done = 0;
    if (writes_lines(dst) && head <= count) {
      pack(src, inner_.src_stride, head);
      write_packed(dst, head, first, step);
      const auto lines = static_cast<Index>(bound_.kernels.gather_lines[bound_.item_log2()](
          dst + head * inner_.dst_stride, src + head * inner_.src_stride, inner_.src_stride,
          static_cast<std::size_t>(count - head), streams_of(way_.stores)));
      done = head + lines * static_cast<Index>(line_bytes / bound_.dst_item);
    }
    for (; done < count; done += piece_items) {
      const Index part = std::min(count - done, piece_items);
      pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (done + part < count)
        prefetch_lines(src + (done + part) * inner_.src_stride, std::min(count - done - part, piece_items));
      write_packed(dst + done * inner_.dst_stride, part, first + static_cast<std::size_t>(done) * step, step);
    }
  }

 private:
  /// Whether the destination is aligned so that its items do not cross lines.
  [[nodiscard]] bool writes_lines(const std::byte* dst) const {
    return is_streaming() && !converts() && reinterpret_cast<std::uintptr_t>(dst) % bound_.dst_item == 0;
  }

  /// Has `count` items from `src` on prefetched while as many are written, if they lie close together.
  void prefetch_lines(const std::byte* src, Index count) {
    sink_.prefetch() = {};
    const Index stride = inner_.src_stride;
    const auto distance = static_cast<std::size_t>(std::abs(stride));
    // The processor prefetches shorter pieces by itself.
    if (distance > line_bytes || static_cast<std::size_t>(count) * distance < min_prefetched_bytes) return;
    const auto items = static_cast<std::size_t>(count);
    sink_.prefetch().rows.first = stride < 0 ? src + count * stride : src;
    sink_.prefetch().count = 1;
    sink_.prefetch().lines = items * distance / line_bytes + 1;
    sink_.prefetch().pace = (distance + bound_.dst_item - 1) / bound_.dst_item;
  }
};

}  // namespace

void run(const Gather& way, const Bound& bound) {
  run_rows<RowGatherer>(way, bound);
}

}  // namespace tenstride::copy
