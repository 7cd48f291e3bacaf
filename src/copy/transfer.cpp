// SPDX-License-Identifier: Apache-2.0
#include "copy/transfer.hpp"

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"

/// Transfers as PyTorch carries them out: https://github.com/pytorch/pytorch,
/// aten/src/ATen/native/cuda/Copy.cu (copy_requires_temporaries, copy_kernel_cuda) and TensorConversions.cpp
/// (_to_copy).
namespace tenstride {
namespace {

using detail::message;

Device as_host(Device device) {
  return device.is_host() ? Device::cpu : device;
}

/// The tensor without memory, so that forecasts of it take neither time nor memory.
Tensor without_memory(const Tensor& x) {
  if (!x.has_memory()) return x;
  const detail::MutedScope muted;
  return unchecked_tensor(x.storage().without_memory(), x.layout(), x.dtype());
}

/// Whether both sides are dense, with the elements in the same order, so that the bytes can be sent
/// unchanged.
bool can_send_unchanged(const Tensor& dst, const Tensor& src) {
  if (dst.dtype() != src.dtype()) return false;
  if (dst.is_contiguous() && src.is_contiguous()) return true;
  return src.is_non_overlapping_and_dense() && dst.strides() == src.strides();
}

/// Records the bytes that cross the link.
void record_crossing(Tensor& dst, const Tensor& src, Blocking blocking) {
  if (!detail::is_watched() || src.numel() == 0) return;
  LedgerEntry entry = detail::copy_entry(dst, src, src.numel());
  entry.kind = LedgerKind::transfer;
  const Tensor& host = src.device().is_host() ? src : dst;
  const LinkMemory memory = !host.device().is_host() ? LinkMemory::peer
                            : host.is_pinned()       ? LinkMemory::pinned
                                                     : LinkMemory::pageable;
  entry.link = Link{as_host(src.device()), as_host(dst.device()), memory, blocking};
  entry.reason = to_string(*entry.link);
  detail::record({&entry, 1}, dst.storage(), [memory] { return name(memory); });
}

std::string conversion_text(DType from, DType to, Device where, std::string_view when) {
  return message(name(from), " to ", name(to), " on ", name(as_host(where)), ", ", when);
}

/// The tensor that is sent: row-major, and of the destination's type where this side converts.
Tensor ready_to_send(const Tensor& src, DType dtype) {
  Tensor ready = src;
  if (src.dtype() != dtype) {
    const detail::ReasonScope reason(
        [&] { return conversion_text(src.dtype(), dtype, src.device(), "before the transfer"); });
    ready = materialize(src, layout_like(src.layout(), MemoryFormat::preserve, "to"), dtype);
  }
  if (ready.is_contiguous()) return ready;
  const detail::ReasonScope reason([&] {
    return message("made contiguous on ", name(as_host(src.device())), " before the transfer: strides ",
                   ready.strides(), " are not the row-major ", row_major_strides(ready.shape()));
  });
  return materialize(ready, row_major(ready.shape()), ready.dtype());
}

}  // namespace

void detail::transfer(Tensor& dst, const Tensor& given, Blocking blocking) {
  if (dst.has_memory()) require_memory(given, "copy_", "copied");
  const Tensor src = without_memory(given);
  const bool is_between_devices = !src.device().is_host() && !dst.device().is_host();
  if (is_between_devices || can_send_unchanged(dst, src)) return record_crossing(dst, src, blocking);
  // With a blocking transfer the cpu converts, otherwise the device.
  const bool converts_here = src.device().is_host() == (blocking == Blocking::blocking);
  const Tensor sent = ready_to_send(src, converts_here ? dst.dtype() : src.dtype());
  if (dst.is_contiguous() && dst.dtype() == sent.dtype()) return record_crossing(dst, sent, blocking);
  Tensor landed = uninitialized(dst.shape(), sent.dtype(), dst.device(), "to");
  record_crossing(landed, sent, blocking);
  const ReasonScope reason([&] {
    if (sent.dtype() != dst.dtype())
      return conversion_text(sent.dtype(), dst.dtype(), dst.device(), "after the transfer");
    return message("laid out on ", name(as_host(dst.device())),
                   " after the transfer: the result has strides ", dst.strides());
  });
  copy_elements(dst, landed);
}

Tensor detail::transferred(const Tensor& src, const Layout& layout, DType dtype, Device to,
                           Blocking blocking) {
  const Reach extent = reach(layout, "to").value_or(Reach{0, -1});
  const Index nbytes =
      checked_multiply(checked_add(extent.highest, 1, "to"), static_cast<Index>(item_size(dtype)), "to");
  Tensor result = unchecked_tensor(
      Storage::on(to.is_host() ? Device::meta : to, static_cast<std::uint64_t>(nbytes)), layout, dtype);
  // PyTorch pins the result of a non-blocking transfer to the cpu.
  if (to.is_host() && blocking == Blocking::non_blocking) {
    Storage storage = result.storage();
    storage.set_pinned();
  }
  transfer(result, src, blocking);
  return result;
}

Tensor Tensor::pin_memory(AbsentDevice absent, Caller caller) const {
  if (is_pinned()) return *this;
  if (!device().is_host()) {
    throw RuntimeError(message("pin_memory: a tensor on ", name(device()),
                               " must be on the cpu: only its memory can be pinned"));
  }
  if (has_memory() && absent == AbsentDevice::refuse) {
    throw RuntimeError(
        message("pin_memory: there must be a device that reads pinned memory, and tenstride has none; "
                "stay on the cpu, or foretell it: `tenstride explain`, or x.to(\"meta\") first"));
  }
  const detail::OperationScope scope("pin_memory", caller);
  const detail::ReasonScope reason([] { return "pin_memory copies into page-locked memory"; });
  Tensor result = materialize(*this, {shape(), strides(), 0}, dtype_);
  result.storage_.set_pinned();
  return result;
}

}  // namespace tenstride
