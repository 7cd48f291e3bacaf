// SPDX-License-Identifier: Apache-2.0
#include "tenstride/tensor/tensor.hpp"

#include <limits>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/unchecked.hpp"

namespace tenstride {

Tensor::Tensor(Storage storage, Layout layout, DType dtype)
    : storage_(std::move(storage)), layout_(layout), dtype_(dtype) {
  if (layout_.shape.size() != layout_.strides.size()) {
    detail::throw_lengths_differ("tensor", layout_.shape, layout_.strides);
  }
  count_elements(layout_.shape, "tensor");
  const auto size = static_cast<Index>(storage_.nbytes() >> item_size_log2(dtype_));
  const std::optional<Reach> touched = reach(layout_, "tensor");
  if (touched && (touched->lowest < 0 || touched->highest >= size)) {
    detail::throw_storage_reach("tensor", layout_, size);
  }
}

Tensor detail::TensorAccess::uninitialized(const Dims& size, DType dtype, Device device,
                                           std::string_view operation) {
  Tensor result;
  result.layout_ = row_major(size, operation);
  result.dtype_ = dtype;
  const Index nbytes = checked_multiply(result.numel(), static_cast<Index>(item_size(dtype)), operation);
  result.storage_ = Storage::on(device, static_cast<std::uint64_t>(nbytes));
  return result;
}

Index Tensor::size(Index axis) const {
  if (layout_.rank() == 0) detail::throw_no_axes("size");
  return layout_.shape[wrap_axis("size", axis, layout_.shape)];
}

Index Tensor::stride(Index axis) const {
  if (layout_.rank() == 0) detail::throw_no_axes("stride");
  return layout_.strides[wrap_axis("stride", axis, layout_.shape)];
}

Tensor Tensor::flat_storage() const {
  const auto count = static_cast<Index>(storage_.nbytes() >> item_size_log2(dtype_));
  return with_layout(*this, {{count}, {1}, 0}, dtype_);
}

const void* Tensor::data_ptr() const noexcept {
  if (storage_.data() == nullptr) return nullptr;
  return storage_.data() + layout_.offset * static_cast<Index>(item_size(dtype_));
}

void* Tensor::mutable_data_ptr() {
  if (storage_.data() == nullptr) return nullptr;
  return mutable_storage_data() + layout_.offset * static_cast<Index>(item_size(dtype_));
}

std::byte* Tensor::mutable_storage_data() {
  if (is_read_only_) {
    throw StorageError(detail::message("tensor: a read-only view must not be written to (shape ", shape(),
                                       "); use .clone() first"));
  }
  return storage_.mutable_data();
}

Tensor Tensor::read_only() const {
  Tensor result = *this;
  result.is_read_only_ = true;
  return result;
}

void Tensor::require_dtype(DType wanted, std::string_view operation) const {
  if (wanted == dtype_) return;
  throw TypeError(detail::message(operation, ": the elements are ", tenstride::name(dtype_),
                                  " and must be asked for as such, not ", tenstride::name(wanted),
                                  "; use .to(dtype) or .view(dtype)"));
}

void Tensor::require_stored(std::string_view operation) const {
  if (is_resolved()) return;
  throw RuntimeError(detail::message(operation, ": a tensor whose ", is_conj_ ? "conjugation" : "negation",
                                     " is pending must be resolved first; use ",
                                     is_conj_ ? ".resolve_conj()" : ".resolve_neg()"));
}

void Tensor::require_typed(std::string_view operation, DType wanted, std::size_t rank) const {
  require_dtype(wanted, operation);
  detail::require_memory(*this, operation);
  require_stored(operation);
  if (rank == layout_.rank()) return;
  throw RuntimeError(detail::message(operation, ": the tensor has ", layout_.rank(), " axes and must have ",
                                     rank, " (shape ", shape(), "); view it in as many"));
}

Index Tensor::position_of(DType wanted, std::span<const Index> index) const {
  require_dtype(wanted, "at");
  detail::require_memory(*this, "at");
  if (index.size() != layout_.rank()) {
    detail::throw_index_rank("at", Dims(index), shape());
  }
  Index position = layout_.offset;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const Index size = layout_.shape[d];
    const Index wrapped = index[d] < 0 ? index[d] + size : index[d];
    if (wrapped < 0 || wrapped >= size) {
      detail::throw_index_range("at", index[d], d, layout_.shape);
    }
    position += wrapped * layout_.strides[d];
  }
  return position;
}

Tensor& Tensor::set_(const Tensor& source) {
  return *this = source;
}

Tensor& Tensor::set_(const Storage& source, Index storage_offset, const Dims& size, const Dims& stride) {
  Layout layout{size, stride, storage_offset};
  if (stride.empty() && !size.empty()) layout.strides = row_major_strides(size, "set_");
  // Negative sizes, strides and offsets are refused; a storage that is too short grows.
  constexpr Index endless = std::numeric_limits<Index>::max();
  tenstride::as_strided(layout.shape, layout.strides, storage_offset, endless, "set_");
  Storage storage = source;
  if (const std::optional<Reach> touched = reach(layout, "set_")) {
    const Index end = checked_add(touched->highest, 1, "set_");
    storage.grow(
        static_cast<std::uint64_t>(checked_multiply(end, static_cast<Index>(item_size(dtype_)), "set_")));
  }
  storage_ = std::move(storage);
  layout_ = std::move(layout);
  contiguity_.forget();
  is_conj_ = false;
  is_neg_ = false;
  is_read_only_ = false;
  return *this;
}

Tensor& Tensor::resize_(const Dims& size, MemoryFormat format, Caller caller) {
  if (size == shape()) return *this;
  const detail::OperationScope scope("resize_", caller);
  Layout layout{size, format_strides(size, format, "resize_"), layout_.offset};
  const Index end = checked_add(layout.offset, count_elements(size, "resize_"), "resize_");
  const Index nbytes = checked_multiply(end, static_cast<Index>(item_size(dtype_)), "resize_");
  storage_.grow(static_cast<std::uint64_t>(nbytes));
  layout_ = std::move(layout);
  contiguity_.forget();
  return *this;
}

Tensor& Tensor::transpose_(Index dim0, Index dim1) {
  return *this = transpose(dim0, dim1);
}
Tensor& Tensor::t_() {
  return *this = t();
}
Tensor& Tensor::squeeze_() {
  return *this = squeeze();
}
Tensor& Tensor::squeeze_(Index dim) {
  return *this = squeeze(dim);
}
Tensor& Tensor::unsqueeze_(Index dim) {
  return *this = unsqueeze(dim);
}
Tensor& Tensor::as_strided_(const Dims& size, const Dims& stride,
                            const std::optional<Index>& storage_offset) {
  return *this = as_strided(size, stride, storage_offset);
}

}  // namespace tenstride
