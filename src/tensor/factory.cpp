// SPDX-License-Identifier: Apache-2.0
#include "tenstride/tensor/factory.hpp"

#include <cstring>

#include "base/scalar_checked.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/base/default_dtype.hpp"

namespace tenstride {

using detail::OperationScope;

namespace {

/// Zeros up to that many bytes are written on the spot; above, as a copy is.
constexpr std::uint64_t max_cleared = 4096;

/// A fresh storage that ends with the last element the layout reaches.
Tensor allocate(const Layout& layout, DType dtype, Device device, std::string_view operation) {
  const std::optional<Reach> touched = reach(layout, operation);
  const Index count = touched ? checked_add(touched->highest, 1, operation) : 0;
  const Index nbytes = checked_multiply(count, static_cast<Index>(item_size(dtype)), operation);
  const auto bytes = static_cast<std::uint64_t>(nbytes);
  return unchecked_tensor(Storage::on(device, bytes), layout, dtype);
}

TensorOptions options_like(const Tensor& input, const LikeOptions& options) {
  return {options.dtype.value_or(input.dtype()), options.device.value_or(input.device())};
}

}  // namespace

Tensor empty(const Dims& size, const TensorOptions& options, Caller caller) {
  const OperationScope scope("empty", caller);
  if (options.memory_format == MemoryFormat::contiguous) {
    return uninitialized(size, options.dtype.value_or(default_dtype()), options.device, "empty");
  }
  const Layout layout{size, format_strides(size, options.memory_format, "empty"), 0};
  return allocate(layout, options.dtype.value_or(default_dtype()), options.device, "empty");
}

Tensor empty_strided(const Dims& size, const Dims& stride, const TensorOptions& options, Caller caller) {
  const OperationScope scope("empty_strided", caller);
  if (size.size() != stride.size()) detail::throw_lengths_differ("empty_strided", size, stride);
  for (const Index step : stride) {
    if (step < 0) detail::throw_negative_stride("empty_strided", stride);
  }
  count_elements(size, "empty_strided");
  return allocate({size, stride, 0}, options.dtype.value_or(default_dtype()), options.device,
                  "empty_strided");
}

Tensor zeros(const Dims& size, const TensorOptions& options, Caller caller) {
  const OperationScope scope("zeros", caller);
  Tensor result = empty(size, options);
  const bool is_small = result.nbytes() <= max_cleared && result.has_memory() && detail::watch == nullptr;
  if (is_small && result.numel() > 0) {
    std::memset(result.mutable_storage_data(), 0, static_cast<std::size_t>(result.nbytes()));
  } else {
    result.zero_();
  }
  return result;
}
Tensor ones(const Dims& size, const TensorOptions& options, Caller caller) {
  const OperationScope scope("ones", caller);
  Tensor result = empty(size, options);
  result.fill_(1);
  return result;
}

Tensor full(const Dims& size, const Scalar& value, const TensorOptions& options, Caller caller) {
  const OperationScope scope("full", caller);
  TensorOptions typed = options;
  // No uint64 is inferred, and complex32 is no default, as in PyTorch.
  const DType own = value.dtype() == DType::uint64      ? DType::int64
                    : value.dtype() == DType::complex32 ? DType::complex64
                                                        : value.dtype();
  typed.dtype = options.dtype.value_or(own);
  if (options.device != Device::meta) detail::require_element("full", value, *typed.dtype);
  Tensor result = empty(size, typed);
  result.fill_(value);
  return result;
}

Tensor empty_like(const Tensor& input, const LikeOptions& options, Caller caller) {
  const OperationScope scope("empty_like", caller);
  const TensorOptions typed = options_like(input, options);
  const Layout layout = layout_like(input.layout(), options.memory_format, "empty_like");
  return allocate(layout, *typed.dtype, typed.device, "empty_like");
}

Tensor zeros_like(const Tensor& input, const LikeOptions& options, Caller caller) {
  const OperationScope scope("zeros_like", caller);
  return empty_like(input, options).zero_();
}
Tensor ones_like(const Tensor& input, const LikeOptions& options, Caller caller) {
  const OperationScope scope("ones_like", caller);
  return empty_like(input, options).fill_(1);
}
Tensor full_like(const Tensor& input, const Scalar& value, const LikeOptions& options, Caller caller) {
  const OperationScope scope("full_like", caller);
  const TensorOptions typed = options_like(input, options);
  if (typed.device != Device::meta) detail::require_element("full_like", value, *typed.dtype);
  return empty_like(input, options).fill_(value);
}

Tensor from_blob(void* data, const Dims& size, DType dtype, std::function<void(void*)> deleter) {
  return from_blob(data, size, row_major_strides(size, "from_blob"), dtype, std::move(deleter));
}

Tensor from_blob(void* data, const Dims& size, const Dims& stride, DType dtype,
                 std::function<void(void*)> deleter) {
  if (size.size() != stride.size()) detail::throw_lengths_differ("from_blob", size, stride);
  count_elements(size, "from_blob");
  const Layout layout{size, stride, 0};
  const Reach touched = reach(layout, "from_blob").value_or(Reach{0, -1});
  const auto item = static_cast<Index>(item_size(dtype));
  const Index nbytes = checked_multiply(touched.highest - touched.lowest + 1, item, "from_blob");
  // Negative strides reach below `data`: the storage begins there, and the offset makes up for it.
  auto* const first = static_cast<std::byte*>(data) + touched.lowest * item;
  std::function<void(void*)> release;
  if (deleter) release = [data, deleter = std::move(deleter)](void*) { deleter(data); };
  Storage storage = Storage::adopt(first, static_cast<std::uint64_t>(nbytes), std::move(release));
  return Tensor(std::move(storage), {size, stride, -touched.lowest}, dtype);
}

Tensor from_file(const std::string& path, MapMode mode, Index size, DType dtype) {
  const Index count = count_elements({size}, "from_file");
  const Index nbytes = checked_multiply(count, static_cast<Index>(item_size(dtype)), "from_file");
  Storage storage = Storage::map_file(path, mode, 0, static_cast<std::uint64_t>(nbytes));
  return Tensor(std::move(storage), row_major({size}), dtype);
}

}  // namespace tenstride
