// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_overlap.hpp"

#include <functional>
#include <optional>

#include "base/message.hpp"
#include "memory/watch.hpp"

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

/// The bytes between which a tensor's elements lie; nothing where there are none.
struct ByteRange {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

bool are_disjoint(const ByteRange& a, const ByteRange& b) {
  const std::less_equal<const std::byte*> before;
  return before(a.end, b.begin) || before(b.end, a.begin);
}

ByteRange byte_range(const Tensor& tensor) {
  const std::optional<Reach> touched = reach(tensor.layout());
  if (!touched || tensor.storage_data() == nullptr) return {};
  const auto item = static_cast<Index>(tensor.element_size());
  return {tensor.storage_data() + touched->lowest * item,
          tensor.storage_data() + (touched->highest + 1) * item};
}

}  // namespace

Overlap overlap_in_memory(const Tensor& a, const Tensor& b) {
  const std::size_t item = a.element_size();
  if (a.shares_storage(b) && b.element_size() == item) return overlap(a.layout(), b.layout());
  if (a.storage_data() == nullptr || b.storage_data() == nullptr) {
    return a.shares_storage(b) && a.numel() > 0 && b.numel() > 0 ? Overlap::possible : Overlap::none;
  }
  if (are_disjoint(byte_range(a), byte_range(b))) return Overlap::none;
  const auto apart = static_cast<Index>(reinterpret_cast<std::uintptr_t>(b.storage_data()) -
                                        reinterpret_cast<std::uintptr_t>(a.storage_data()));
  if (b.element_size() != item || apart % static_cast<Index>(item) != 0) return Overlap::possible;
  Layout seen = b.layout();
  seen.offset += apart / static_cast<Index>(item);
  return overlap(a.layout(), seen);
}

bool are_one_view(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) return true;
  return a.data_ptr() != nullptr && a.data_ptr() == b.data_ptr() && a.shape() == b.shape() &&
         a.strides() == b.strides() && a.dtype() == b.dtype() && a.is_conj() == b.is_conj() &&
         a.is_neg() == b.is_neg();
}

Tensor apart_from(const Tensor& dst, const Tensor& src) {
  if (!may_overlap(dst, src)) return src;
  const ReasonScope reason([] { return "source and destination lie in the same memory"; });
  return src.clone();
}

SeenOverlap seen_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0 || !a.has_memory() || !b.has_memory()) return SeenOverlap::none;
  const ByteRange range_a = byte_range(a);
  const ByteRange range_b = byte_range(b);
  if (are_disjoint(range_a, range_b)) return SeenOverlap::none;
  if (are_one_view(a, b)) return SeenOverlap::full;
  if (!is_non_overlapping_and_dense(a.layout()) || !is_non_overlapping_and_dense(b.layout())) {
    return SeenOverlap::unknown;
  }
  const bool have_one_range = range_a.begin == range_b.begin && range_a.end == range_b.end;
  return have_one_range && a.strides() == b.strides() ? SeenOverlap::full : SeenOverlap::partial;
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
