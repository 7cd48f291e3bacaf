// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/stored_elements.hpp"
#include "tenstride/copy/copy.hpp"

/// Reading elements as C++ values.
namespace tenstride {

Scalar detail::scalar_at(const Tensor& tensor, Index position) {
  return visit(tensor.dtype(), [&](auto type) -> Scalar {
    using T = typename decltype(type)::type;
    T value{};
    std::memcpy(&value, tensor.storage_data() + position * static_cast<Index>(sizeof value), sizeof value);
    if (tensor.is_conj()) value = conjugate(value);
    if (tensor.is_neg()) value = negate(value);
    if constexpr (is_complex_element<T>) {
      return convert_element<std::complex<double>>(value);
    } else if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T>) {
      return value;
    } else {
      return convert_element<double>(value);
    }
  });
}

namespace {

Nested read_nested(const Tensor& rows, std::size_t axis, Index position) {
  if (axis == rows.layout().rank()) return detail::scalar_at(rows, position);
  std::vector<Nested> items;
  items.reserve(static_cast<std::size_t>(rows.shape()[axis]));
  for (Index i = 0; i < rows.shape()[axis]; ++i) {
    items.push_back(read_nested(rows, axis + 1, position + i * rows.strides()[axis]));
  }
  return Nested(std::move(items));
}

}  // namespace

Scalar Tensor::item() const {
  if (numel() != 1) {
    throw RuntimeError(
        detail::message("item: the tensor has ", numel(), " elements and must have 1 (shape ", shape(), ")"));
  }
  detail::require_memory(*this, "item");
  return detail::scalar_at(*this, layout_.offset);
}

Nested Tensor::tolist(Caller caller) const {
  detail::require_memory(*this, "tolist");
  const detail::OperationScope scope("tolist", caller);
  const detail::ReadingScope reading;
  return read_nested(*this, 0, layout_.offset);
}

template <Element T>
std::vector<T> Tensor::to_vector(Caller caller) const {
  detail::require_memory(*this, "to_vector");
  const detail::OperationScope scope("to_vector", caller);
  const detail::ReadingScope reading;
  const Tensor dense = is_contiguous() && is_resolved() && dtype_ == dtype_of<T>
                           ? *this
                           : materialize(*this, row_major(shape()), dtype_of<T>);
  const auto* const first = static_cast<const std::byte*>(dense.data_ptr());
  std::vector<T> result(static_cast<std::size_t>(numel()));
  if constexpr (std::is_same_v<T, bool>) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = first[i] != std::byte{0};
  } else if (!result.empty()) {
    std::memcpy(result.data(), first, result.size() * sizeof(T));
  }
  return result;
}

template TENSTRIDE_API std::vector<bool> Tensor::to_vector<bool>(Caller) const;
template TENSTRIDE_API std::vector<std::uint8_t> Tensor::to_vector<std::uint8_t>(Caller) const;
template TENSTRIDE_API std::vector<std::int8_t> Tensor::to_vector<std::int8_t>(Caller) const;
template TENSTRIDE_API std::vector<std::uint16_t> Tensor::to_vector<std::uint16_t>(Caller) const;
template TENSTRIDE_API std::vector<std::int16_t> Tensor::to_vector<std::int16_t>(Caller) const;
template TENSTRIDE_API std::vector<std::uint32_t> Tensor::to_vector<std::uint32_t>(Caller) const;
template TENSTRIDE_API std::vector<std::int32_t> Tensor::to_vector<std::int32_t>(Caller) const;
template TENSTRIDE_API std::vector<std::uint64_t> Tensor::to_vector<std::uint64_t>(Caller) const;
template TENSTRIDE_API std::vector<std::int64_t> Tensor::to_vector<std::int64_t>(Caller) const;
template TENSTRIDE_API std::vector<float16> Tensor::to_vector<float16>(Caller) const;
template TENSTRIDE_API std::vector<bfloat16> Tensor::to_vector<bfloat16>(Caller) const;
template TENSTRIDE_API std::vector<float> Tensor::to_vector<float>(Caller) const;
template TENSTRIDE_API std::vector<double> Tensor::to_vector<double>(Caller) const;
template TENSTRIDE_API std::vector<complex32> Tensor::to_vector<complex32>(Caller) const;
template TENSTRIDE_API std::vector<std::complex<float>> Tensor::to_vector<std::complex<float>>(Caller) const;
template TENSTRIDE_API std::vector<std::complex<double>> Tensor::to_vector<std::complex<double>>(
    Caller) const;
template TENSTRIDE_API std::vector<float8_e4m3fn> Tensor::to_vector<float8_e4m3fn>(Caller) const;
template TENSTRIDE_API std::vector<float8_e5m2> Tensor::to_vector<float8_e5m2>(Caller) const;

}  // namespace tenstride
