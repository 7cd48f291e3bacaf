// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "copy/transfer.hpp"
#include "ledger/reasons.hpp"
#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"

/// The methods that return the tensor itself, a view, or a copy.
namespace tenstride {
namespace {

void require_allowed(CopyRule rule, const Tensor& src, std::string_view operation, std::string_view why) {
  if (rule != CopyRule::never) return;
  throw ValueError(detail::message(operation, ": copy = never, but ", why, " (", src.shape(), ":",
                                   src.strides(), "+", src.storage_offset(),
                                   "); allow the copy with copy = if_needed"));
}

}  // namespace

Tensor Tensor::contiguous(MemoryFormat format, CopyRule copy, Caller caller) const {
  const MemoryFormat target = format == MemoryFormat::preserve ? MemoryFormat::contiguous : format;
  if (is_contiguous(target) && copy != CopyRule::always) return *this;
  const detail::OperationScope scope("contiguous", caller);
  const detail::ReasonScope reason([&] { return detail::format_reason(layout_, target, copy); });
  if (format == MemoryFormat::preserve) detail::throw_format_rank("contiguous", format, shape());
  if (format != MemoryFormat::contiguous) {
    const Layout layout{shape(), format_strides(shape(), format, "contiguous"), 0};
    require_allowed(copy, *this, "contiguous", "the strides are not those of the format");
    return materialize(*this, layout, dtype_);
  }
  require_allowed(copy, *this, "contiguous", "the strides are not those of the format");
  if (detail::watch != nullptr) [[unlikely]] {
    detail::require_copy_allowed(row_major(shape()), dtype_, *this);
  }
  Tensor result = uninitialized(shape(), dtype_, device(), "contiguous");
  copy_elements(result, *this);
  return result;
}

Tensor Tensor::clone(MemoryFormat format, Caller caller) const {
  const detail::OperationScope scope("clone", caller);
  return materialize(*this, layout_like(layout_, format, "clone"), dtype_);
}

Tensor Tensor::resolve_conj(Caller caller) const {
  if (!is_conj_) return *this;
  const detail::OperationScope scope("resolve_conj", caller);
  const detail::ReasonScope reason([] { return "the conjugation is carried out"; });
  return clone();
}

Tensor Tensor::resolve_neg(Caller caller) const {
  if (!is_neg_) return *this;
  const detail::OperationScope scope("resolve_neg", caller);
  const detail::ReasonScope reason([] { return "the negation is carried out"; });
  return clone();
}

Tensor Tensor::to(const ToOptions& options, Caller caller) const {
  const DType dtype = options.dtype.value_or(dtype_);
  Device target = options.device.value_or(device()).placed();
  // In a forecast meta stands for the cpu.
  if (is_meta() && target == Device::cpu && options.absent == AbsentDevice::foretell) target = Device::meta;
  const bool keeps_format =
      options.memory_format == MemoryFormat::preserve || options.memory_format == suggest_memory_format();
  if (dtype == dtype_ && target == device() && keeps_format && options.copy != CopyRule::always) return *this;
  const detail::OperationScope scope("to", caller);
  const Layout layout = layout_like(layout_, options.memory_format, "to");
  if (target != Device::meta && detail::is_transfer(device(), target)) {
    if (has_memory() && options.absent == AbsentDevice::refuse) detail::require_present(target, "to");
    require_allowed(options.copy, *this, "to", "the device changes");
    return detail::transferred(*this, layout, dtype, target, options.blocking);
  }
  if (target == Device::meta && !is_meta()) {
    return empty_strided(layout.shape, layout.strides, {.dtype = dtype, .device = Device::meta});
  }
  if (target != device()) {
    throw RuntimeError(detail::message("to: a meta tensor has no elements to be copied to the cpu (shape ",
                                       shape(), "); make one there with empty_like"));
  }
  require_allowed(options.copy, *this, "to",
                  dtype != dtype_ ? "the dtype changes" : "the strides are not those of the memory format");
  const detail::ReasonScope reason([&] {
    if (dtype != dtype_) return detail::message(tenstride::name(dtype_), " to ", tenstride::name(dtype));
    return keeps_format ? std::string("copy = always was asked for")
                        : detail::message("to the strides ", layout.strides);
  });
  return materialize(*this, layout, dtype);
}

/// Whether `reshape` returns a view. Sets `layout` to the view's layout, or otherwise only to its shape, and
/// reports the reshape to open ledgers. Pre: `layout` is blank.
bool Tensor::fits_view(const Dims& wanted, CopyRule copy, Layout& layout, const Caller& caller) const {
  const bool fits = detail::view_into(layout_, wanted, "reshape", layout);
  if (!fits && copy == CopyRule::never) {
    throw ViewError(*why_not_view(layout_, layout.shape), element_size());
  }
  if (detail::watch != nullptr) [[unlikely]] {
    detail::watch->reshaped(shape(), layout.shape, "reshape", caller);
  }
  return fits && copy != CopyRule::always;
}

Tensor Tensor::reshaped_copy(const Dims& target, const Caller& caller) const {
  const detail::OperationScope scope("reshape", caller);
  const detail::ReasonScope reason([&] { return detail::reshape_reason(layout_, target); });
  const Tensor copied = materialize(*this, row_major(shape()), dtype_);
  return with_layout(copied, {target, row_major_strides(target, "reshape"), 0});
}

Tensor Tensor::reshape(const Dims& wanted, CopyRule copy, Caller caller) const {
  Tensor result = viewed([&] { return detail::blank(wanted.size(), layout_.offset); });
  if (!fits_view(wanted, copy, result.layout_, caller)) {
    return reshaped_copy(result.layout_.shape, caller);
  }
  return result;
}

Tensor Tensor::flatten(Index start_dim, Index end_dim, CopyRule copy, Caller caller) const {
  const Dims target = flatten_shape(shape(), start_dim, end_dim);
  if (target == shape() && copy != CopyRule::always) return *this;
  const detail::OperationScope scope("flatten", caller);
  return reshape(target, copy);
}

Tensor Tensor::ravel(CopyRule copy, Caller caller) const {
  const detail::OperationScope scope("ravel", caller);
  if (copy == CopyRule::always) return reshape({numel()}, copy);
  // PyTorch's ravel is contiguous().view(-1): it copies also where the strides would merge into one.
  return contiguous(MemoryFormat::contiguous, copy).view({numel()});
}

}  // namespace tenstride
