// SPDX-License-Identifier: Apache-2.0
#include "io/format/element_blocks.hpp"

#include <algorithm>

#include "tenstride/copy/copy.hpp"

namespace tenstride::io {
namespace {

/// Small enough for the last cache, large enough for several threads.
constexpr std::size_t block_nbytes = std::size_t{8} << 20;

std::span<const std::byte> bytes_where_they_lie(const Tensor& tensor) {
  const std::byte* const first =
      tensor.storage().data() + static_cast<std::size_t>(tensor.storage_offset()) * item_size(tensor.dtype());
  return {first, tensor.nbytes()};
}

void visit_row_major(const Tensor& tensor, const BlockVisitor& visit) {
  if (tensor.numel() == 0) return;
  if (tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg()) {
    std::span<const std::byte> bytes = bytes_where_they_lie(tensor);
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), block_nbytes);
      visit(bytes.first(part));
      bytes = bytes.subspan(part);
    }
    return;
  }
  if (tensor.nbytes() <= block_nbytes || tensor.dim() == 0) {
    const Tensor copy = tensor.resolve_conj().resolve_neg().contiguous();
    visit(bytes_where_they_lie(copy));
    return;
  }
  // As many indices of the first axis as a block holds; where one is larger, its parts.
  const std::size_t row_nbytes = tensor.nbytes() / static_cast<std::size_t>(tensor.size(0));
  const auto step = static_cast<Index>(std::max<std::size_t>(1, block_nbytes / row_nbytes));
  for (Index begin = 0; begin < tensor.size(0); begin += step) {
    const Index count = std::min(step, tensor.size(0) - begin);
    visit_row_major(count == 1 ? tensor.select(0, begin) : tensor.narrow(0, begin, count), visit);
  }
}

}  // namespace

void for_each_block(const Tensor& tensor, ElementOrder order, const BlockVisitor& visit) {
  if (order == ElementOrder::row_major) return visit_row_major(tensor, visit);
  Dims reversed;
  for (Index axis = tensor.dim(); axis-- > 0;) reversed.push_back(axis);
  visit_row_major(tensor.permute(reversed), visit);
}

}  // namespace tenstride::io
