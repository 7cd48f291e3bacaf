// SPDX-License-Identifier: Apache-2.0
// Item by item, to a destination that is not contiguous along any loop.
#include <cstring>

#include "copy/ways/row_worker.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

template <std::size_t item>
void scatter_items(std::byte* dst, Index stride, const std::byte* from, Index count) {
  for (Index i = 0; i < count; ++i)
    std::memcpy(dst + i * stride, from + static_cast<std::size_t>(i) * item, item);
}

using ScatterItems = void (*)(std::byte*, Index, const std::byte*, Index);
constexpr std::array<ScatterItems, 5> scatters{scatter_items<1>, scatter_items<2>, scatter_items<4>,
                                               scatter_items<8>, scatter_items<16>};

class RowScatterer : public RowWorker {
 public:
  RowScatterer(const RowByRow& way, const Bound& bound)
      : RowWorker(way, bound),
        scatter_(scatters[static_cast<std::size_t>(std::countr_zero(bound.dst_item))]) {}

  void row(std::byte* dst, const std::byte* src, Index count, std::size_t first, std::size_t step) {
    if (!converts() && inner_.src_stride == 0) {
      bound_.kernels.fill_strided[bound_.item_log2()](dst, inner_.dst_stride, src,
                                                      static_cast<std::size_t>(count));
      return;
    }
    for (Index done = 0; done < count; done += piece_items) {
      const Index part = std::min(count - done, piece_items);
      if (done == 0 || inner_.src_stride != 0) pack(src + done * inner_.src_stride, inner_.src_stride, part);
      if (converts())
        write_packed(converted_.data(), part, first + static_cast<std::size_t>(done) * step, step);
      scatter_(dst + done * inner_.dst_stride, inner_.dst_stride,
               converts() ? converted_.data() : packed_.data(), part);
    }
  }

 private:
  ScatterItems scatter_;
  alignas(line_bytes) std::array<std::byte, piece_items * 16 + spill_bytes> converted_;
};

}  // namespace

void run(const Strided& way, const Bound& bound) {
  run_rows<RowScatterer>(way, bound);
}

}  // namespace tenstride::copy
