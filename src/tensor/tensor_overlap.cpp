// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_overlap.hpp"

#include <functional>
#include <optional>

#include "base/message.hpp"
#include "tenstride/overlap.hpp"

namespace tenstride::detail {
namespace {

/// "(3), strides (1), offset 1"
std::string text_of(const Tensor& x) {
  return message(x.shape(), ", strides ", x.strides(), ", offset ", x.storage_offset());
}

[[noreturn]] void throw_overlap(std::string_view operation, const Tensor& dst, const Tensor& src) {
  throw RuntimeError(message(
      operation, ": what is written to (", text_of(dst), ") and what is read (", text_of(src),
      ") must not share memory (some elements of the input tensor and the written-to tensor refer to a"
      " single memory location); clone() the second first"));
}

/// The bytes between which a tensor's elements lie.
struct ByteRange {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

ByteRange byte_range(const Tensor& tensor) {
  const std::optional<Reach> touched = reach(tensor.layout());
  if (!touched || tensor.storage_data() == nullptr) return {};
  const auto item = static_cast<Index>(tensor.element_size());
  return {tensor.storage_data() + touched->lowest * item,
          tensor.storage_data() + (touched->highest + 1) * item};
}

}  // namespace

bool may_overlap(const Tensor& a, const Tensor& b) {
  const ByteRange range_a = byte_range(a);
  const ByteRange range_b = byte_range(b);
  const std::less<const std::byte*> before;
  if (range_a.begin == range_a.end || range_b.begin == range_b.end) return false;
  if (!before(range_a.begin, range_b.end) || !before(range_b.begin, range_a.end)) return false;
  if (!a.shares_storage(b) || a.element_size() != b.element_size()) return true;
  return overlap(a.layout(), b.layout()) != Overlap::none;
}

SeenOverlap seen_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0 || !a.has_memory() || !b.has_memory()) return SeenOverlap::none;
  if (a.is_same(b)) return SeenOverlap::full;
  if (!is_non_overlapping_and_dense(a.layout()) || !is_non_overlapping_and_dense(b.layout())) {
    return SeenOverlap::unknown;
  }
  if (!a.shares_storage(b)) return SeenOverlap::none;
  const Index begin_a = a.storage_offset() * static_cast<Index>(a.element_size());
  const Index begin_b = b.storage_offset() * static_cast<Index>(b.element_size());
  const Index end_a = begin_a + a.numel() * static_cast<Index>(a.element_size());
  const Index end_b = begin_b + b.numel() * static_cast<Index>(b.element_size());
  if (begin_a == begin_b && end_a == end_b) {
    return a.strides() == b.strides() ? SeenOverlap::full : SeenOverlap::partial;
  }
  return begin_a < end_b && begin_b < end_a ? SeenOverlap::partial : SeenOverlap::none;
}

void require_distinct_elements(std::string_view operation, const Tensor& dst) {
  if (dst.numel() == 0) return;
  for (std::size_t d = 0; d < dst.layout().rank(); ++d) {
    if (dst.strides()[d] != 0 || dst.shape()[d] < 2) continue;
    throw RuntimeError(message(operation,
                               ": the destination must not have several elements in one place, axis ", d,
                               " of size ", dst.shape()[d], " has stride 0 (", dst.shape(), ":",
                               dst.strides(), "+", dst.storage_offset(), "); use .clone() first"));
  }
}

void require_no_partial_overlap(std::string_view operation, const Tensor& dst, const Tensor& src) {
  if (seen_overlap(dst, src) == SeenOverlap::partial) throw_overlap(operation, dst, src);
}

void require_no_overlap(std::string_view operation, const Tensor& dst, const Tensor& src) {
  const SeenOverlap seen = seen_overlap(dst, src);
  if (seen == SeenOverlap::partial || seen == SeenOverlap::full) throw_overlap(operation, dst, src);
}

}  // namespace tenstride::detail
