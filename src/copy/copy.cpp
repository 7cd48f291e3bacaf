// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "copy/tensor_plan.hpp"
#include "copy/transfer.hpp"
#include "copy/ways/small.hpp"
#include "ledger/watch.hpp"
#include "plan/ways/small.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride {
namespace {

/// The layout with extent 1 along each axis of stride 0: the same addresses, each once.
/// Example: (2,3):(0,1) gives (1,3):(0,1).
Layout without_repeats(const Layout& layout) {
  Layout once = layout;
  for (std::size_t d = 0; d < once.rank(); ++d) {
    if (once.strides[d] == 0) once.shape[d] = 1;
  }
  return once;
}

/// Up to that much a plan costs more than the bytes do.
constexpr std::size_t max_row_bytes = 4096;

/// Writes an element again and again, twice as much with each step. Pre: `nbytes` is a multiple of its size.
void fill_row(std::byte* to, std::size_t nbytes, const std::byte* element, std::size_t size) {
  std::memcpy(to, element, size);
  for (std::size_t filled = size; filled < nbytes; filled *= 2) {
    std::memcpy(to + filled, to, std::min(filled, nbytes - filled));
  }
}

/// Both sides of a copy. The source is null where it has no memory, and so is the destination.
struct Sides {
  const Layout& dst;
  DType dst_type;
  std::byte* dst_base;
  const Layout& src;
  DType src_type;
  const std::byte* src_base;
};

/// Makes a small copy without a plan. Returns false, with nothing written, where the copy is not small. Pre:
/// there is memory, and types are converted at most.
bool try_move_small(const Sides& sides) {
  detail::SmallCopy small;
  if (!small.find(sides.dst, sides.dst_type, sides.src, sides.src_type)) return false;
  copy::copy_small(small.way, small.nest, sides.dst_type, sides.dst_base, sides.src_type, sides.src_base);
  return true;
}

void move(const Sides& sides, const PlanOptions& options) {
  run_plan(plan_copy(sides.dst, sides.dst_type, sides.src, sides.src_type, options), sides.dst_base,
           sides.src_base);
}

/// Makes a copy, where there is memory, and records its plan. Pre: the thread is watched.
[[gnu::cold]] void move_watched(const Sides& sides, const PlanOptions& options, LedgerEntry entry,
                                const Storage& storage) {
  const auto plan = std::make_shared<const CopyPlan>(
      plan_copy(sides.dst, sides.dst_type, sides.src, sides.src_type, options));
  if (entry.kind == LedgerKind::copy) entry.plan = plan;
  detail::record({&entry, 1}, storage, [&] {
    if (sides.dst_base != nullptr) run_plan(*plan, sides.dst_base, sides.src_base);
    return plan->method();
  });
}

}  // namespace

void copy_elements(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic, Caller caller) {
  const Sides sides{dst.layout(), dst.dtype(), dst.mutable_storage_data(),
                    src.layout(), src.dtype(), src.storage_data()};
  const bool is_plain = arithmetic.scale.empty() && arithmetic.shift.empty() &&
                        src.is_conj() == dst.is_conj() && !src.is_neg() && !dst.is_neg();
  if (detail::watch == nullptr && is_plain && dst.has_memory() && src.has_memory() && try_move_small(sides))
      [[likely]]
    return;
  const detail::OperationScope scope("copy_elements", caller);
  const PlanOptions options = copy::plan_options(dst, src, arithmetic);
  if (dst.has_memory()) detail::require_memory(src, "copy", "copied");
  if (is_empty(dst.layout())) return;
  if (detail::is_watched()) {
    move_watched(sides, options, detail::copy_entry(dst, src, dst.numel()), dst.storage());
  } else if (dst.has_memory()) {
    move(sides, options);
  }
}

Tensor materialize(const Tensor& src, const Layout& layout, DType dtype, const ScaleShift& arithmetic,
                   Caller caller) {
  const detail::OperationScope scope("materialize", caller);
  if (detail::watch != nullptr) [[unlikely]] {
    detail::require_copy_allowed(layout, dtype, src);
  }
  const Reach extent = reach(layout, "materialize").value_or(Reach{0, -1});
  const Index nbytes = checked_multiply(checked_add(extent.highest, 1, "materialize"),
                                        static_cast<Index>(item_size(dtype)), "materialize");
  const auto bytes = static_cast<std::uint64_t>(nbytes);
  Tensor result = unchecked_tensor(Storage::on(src.device(), bytes), layout, dtype);
  copy_elements(result, src, arithmetic);
  return result;
}

Tensor convert(const Tensor& src, DType dtype, const ScaleShift& arithmetic, Caller caller) {
  const detail::OperationScope scope("convert", caller);
  return materialize(src, row_major(src.shape()), dtype, arithmetic);
}

Tensor& Tensor::copy_(const Tensor& src, Blocking blocking, Caller caller) {
  const detail::OperationScope scope("copy_", caller);
  if (detail::are_one_view(*this, src)) return *this;
  detail::require_distinct_elements("copy_", *this);
  std::optional<Tensor> expanded;
  if (src.shape() != shape()) expanded = src.broadcast_to(shape());
  const Tensor& source = expanded ? *expanded : src;
  const bool are_apart =
      has_memory() && src.has_memory() && detail::seen_overlap(*this, src) == detail::SeenOverlap::none;
  if (!are_apart) detail::require_no_partial_overlap("copy_", *this, src);
  if (detail::is_transfer(src.device(), device())) {
    detail::transfer(*this, source, blocking);
    return *this;
  }
  if (has_memory()) detail::require_memory(src, "copy_", "copied");
  if (source.is_neg() && source.dtype() != dtype_ && dtype_ != DType::bool_) {
    // PyTorch converts first here and negates then, in the destination's type.
    Tensor negated = neg_view();
    negated.copy_(source.neg_view());
    return *this;
  }
  if (are_apart) {
    copy_elements(*this, source);
  } else {
    copy_elements(*this, detail::apart_from(*this, source));
  }
  return *this;
}

Tensor& Tensor::fill_(const Scalar& value, Caller caller) {
  const detail::OperationScope scope("fill_", caller);
  std::byte* const bytes = mutable_storage_data();
  if (has_memory()) detail::require_element("fill_", value, dtype_);
  if (is_empty(layout_) || (!has_memory() && !detail::is_watched())) return *this;
  alignas(16) std::array<std::byte, 16> element{};
  if (has_memory())
    visit(dtype_, [&](auto type) {
      using T = typename decltype(type)::type;
      auto converted = detail::checked_element<T>(value, "fill_");
      if (is_conj_) converted = conjugate(converted);
      if (is_neg_) converted = negate(converted);
      std::memcpy(element.data(), &converted, sizeof converted);
    });
  if (!detail::is_watched() && is_contiguous() && nbytes() <= max_row_bytes) {
    fill_row(bytes + storage_offset() * static_cast<Index>(itemsize()), static_cast<std::size_t>(nbytes()),
             element.data(), itemsize());
    return *this;
  }
  const Layout once = without_repeats(layout_);
  const Layout repeated{once.shape, Dims::filled(once.rank(), 0), 0};
  const Sides sides{once, dtype_, bytes, repeated, dtype_, element.data()};
  if (!detail::is_watched() && try_move_small(sides)) return *this;
  PlanOptions options = options_here();
  options.placement = placement_of(bytes, once, dtype_);
  if (!is_provably_unique(once)) options.max_threads = 1;
  if (detail::is_watched()) {
    move_watched(sides, options, detail::fill_entry(*this), storage_);
  } else {
    move(sides, options);
  }
  return *this;
}

}  // namespace tenstride
