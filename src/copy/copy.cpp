// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/copy.hpp"

#include <array>
#include <cstring>
#include <functional>

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "copy/small.hpp"
#include "copy/transfer.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride {
namespace {

Negation negation_between(const Tensor& dst, const Tensor& src) {
  if (src.is_neg()) return dst.is_neg() ? Negation::both : Negation::source;
  return dst.is_neg() ? Negation::destination : Negation::none;
}

PlanOptions plan_options(const Tensor& dst, const Tensor& src, const ScaleShift& arithmetic) {
  PlanOptions options = options_here();
  options.placement = placement_of(dst.storage_data(), dst.layout(), dst.dtype());
  options.conjugation = src.is_conj() != dst.is_conj() ? Conjugation::conjugate : Conjugation::keep;
  options.negation = negation_between(dst, src);
  options.scale = arithmetic.scale;
  options.shift = arithmetic.shift;
  if (arithmetic.scale.size() > 1 || arithmetic.shift.size() > 1) {
    options.axis = wrap_axis("convert", arithmetic.axis, dst.shape());
    const auto size = static_cast<std::size_t>(dst.shape()[options.axis]);
    for (const std::size_t given : {arithmetic.scale.size(), arithmetic.shift.size()}) {
      if (given <= 1 || given == size) continue;
      throw ShapeError(detail::message("convert: ", given, " numbers for scale or shift must be 1 or ", size,
                                       ", the size of axis ", options.axis, " (shape ", dst.shape(), ")"),
                       dst.shape(), dst.shape());
    }
  }
  if (!is_provably_unique(dst.layout()))
    options.max_threads = 1;  // elements may share memory: writes keep a fixed order
  return options;
}

/// The layout with extent 1 along each axis of stride 0: the same addresses, each once.
/// Example: (2,3):(0,1) gives (1,3):(0,1).
Layout without_repeats(const Layout& layout) {
  Layout once = layout;
  for (std::size_t d = 0; d < once.rank(); ++d) {
    if (once.strides[d] == 0) once.shape[d] = 1;
  }
  return once;
}

/// Makes a small copy without arithmetic. Returns false, with nothing written, where the copy is not of that
/// kind.
bool try_copy_small(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic) {
  const bool is_plain = arithmetic.scale.empty() && arithmetic.shift.empty() &&
                        src.is_conj() == dst.is_conj() && !src.is_neg() && !dst.is_neg();
  if (!is_plain || !src.has_memory() || !dst.has_memory()) return false;
  return copy::copy_small(dst.layout(), dst.dtype(), dst.mutable_storage_data(), src.layout(), src.dtype(),
                          src.storage_data());
}

/// The memory of `dst`; nullptr where there is nothing to copy.
std::byte* writable_memory(Tensor& dst, const Tensor& src) {
  std::byte* const bytes = dst.mutable_storage_data();
  if (!dst.has_memory()) return nullptr;
  detail::require_memory(src, "copy", "copied");
  return is_empty(dst.layout()) ? nullptr : bytes;
}

void copy_unrecorded(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic) {
  if (try_copy_small(dst, src, arithmetic)) [[likely]]
    return;
  const PlanOptions options = plan_options(dst, src, arithmetic);
  if (std::byte* const bytes = writable_memory(dst, src))
    run_plan(plan_copy(dst.layout(), dst.dtype(), src.layout(), src.dtype(), options), bytes,
             src.storage_data());
}

[[gnu::cold]] void copy_recorded(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic,
                                 const Caller& caller) {
  const detail::OperationScope scope("copy_elements", caller);
  if (!detail::is_watched() || is_empty(dst.layout())) {
    copy_unrecorded(dst, src, arithmetic);
    return;
  }
  const PlanOptions options = plan_options(dst, src, arithmetic);
  LedgerEntry entry = detail::copy_entry(dst, src, dst.numel());
  entry.plan = std::make_shared<const CopyPlan>(
      plan_copy(dst.layout(), dst.dtype(), src.layout(), src.dtype(), options));
  detail::record({&entry, 1}, dst.storage(), [&]() -> std::string_view {
    if (try_copy_small(dst, src, arithmetic)) return "small";
    std::byte* const bytes = writable_memory(dst, src);
    if (bytes == nullptr) return {};
    run_plan(*entry.plan, bytes, src.storage_data());
    return entry.plan->method();
  });
}

}  // namespace

void copy_elements(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic, Caller caller) {
  if (detail::watch == nullptr) [[likely]] {
    copy_unrecorded(dst, src, arithmetic);
  } else {
    copy_recorded(dst, src, arithmetic, caller);
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
  const Tensor source = src.shape() == shape() ? src : src.broadcast_to(shape());
  detail::require_no_partial_overlap("copy_", *this, src);
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
  copy_elements(*this, detail::apart_from(*this, source));
  return *this;
}

Tensor& Tensor::fill_(const Scalar& value, Caller caller) {
  const detail::OperationScope scope("fill_", caller);
  std::byte* const bytes = mutable_storage_data();
  if (has_memory()) detail::require_element("fill_", value, dtype_);
  if (is_empty(layout_)) return *this;
  if (!has_memory()) {
    if (!detail::is_watched()) return *this;
    LedgerEntry entry = detail::fill_entry(*this);
    detail::record({&entry, 1}, storage_, [] { return name(CopyKernel::fill); });
    return *this;
  }
  alignas(16) std::array<std::byte, 16> element{};
  visit(dtype_, [&](auto type) {
    using T = typename decltype(type)::type;
    auto converted = detail::checked_element<T>(value, "fill_");
    if (is_conj_) converted = conjugate(converted);
    if (is_neg_) converted = negate(converted);
    std::memcpy(element.data(), &converted, sizeof converted);
  });
  const Layout once = without_repeats(layout_);
  const Layout repeated{once.shape, Dims::filled(once.rank(), 0), 0};
  const auto fill = [&]() -> std::string_view {
    if (copy::copy_small(once, dtype_, bytes, repeated, dtype_, element.data())) return "small";
    PlanOptions options = options_here();
    options.placement = placement_of(bytes, once, dtype_);
    if (!is_provably_unique(once)) options.max_threads = 1;
    const CopyPlan made = plan_copy(once, dtype_, repeated, dtype_, options);
    run_plan(made, bytes, element.data());
    return made.method();
  };
  if (!detail::is_watched()) [[likely]] {
    fill();
    return *this;
  }
  LedgerEntry entry = detail::fill_entry(*this);
  detail::record({&entry, 1}, storage_, fill);
  return *this;
}

}  // namespace tenstride
