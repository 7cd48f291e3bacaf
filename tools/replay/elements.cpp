// SPDX-License-Identifier: Apache-2.0
#include "replay/elements.hpp"

#include <zlib.h>

#include <stdexcept>
#include <vector>

namespace replay {

using namespace tenstride;

namespace {

/// Where the n-th element of the logical tensor lies, in bytes.
std::size_t byte_position(const Tensor& tensor, Index n) {
  const Index at = position(tensor.layout(), unravel(n, tensor.shape()));
  const auto count = static_cast<Index>(tensor.storage().nbytes() / tensor.itemsize());
  if (at < 0 || at >= count) throw std::out_of_range("an element lies outside the storage");
  return static_cast<std::size_t>(at) * tensor.itemsize();
}

template <typename T>
T plus_one(T value) {
  if constexpr (std::is_same_v<T, complex32>) {
    return T(plus_one(value.real()), value.imag());
  } else if constexpr (is_complex_element<T>) {
    return value + T(1);
  } else if constexpr (is_small_float<T>) {
    return T(static_cast<float>(value) + 1.0F);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(value) + 1);  // wraps around, as NumPy's
  } else {
    return value + T(1);
  }
}

}  // namespace

void fill_counting(Tensor& tensor, Imaginary imaginary) {
  std::byte* data = tensor.mutable_storage_data();
  visit(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    for (Index n = 0; n < tensor.numel(); ++n) {
      const Index counted = n % (std::is_same_v<T, bool> ? 2 : 113);
      T value = convert_element<T>(counted);
      if constexpr (is_complex_element<T>) {
        if (imaginary == Imaginary::counted_mod_7) {
          value = T(value.real(), convert_element<typename T::value_type>(n % 7));
        }
      }
      store_element<T>(data + static_cast<std::size_t>(n) * sizeof(T), value);
    }
  });
}

std::uint32_t crc_of_elements(const Tensor& tensor) {
  const std::size_t width = tensor.itemsize();
  std::vector<unsigned char> bytes;
  for (Index n = 0; n < tensor.numel(); ++n) {
    const std::byte* element = tensor.storage_data() + byte_position(tensor, n);
    for (std::size_t i = 0; i < width; ++i) bytes.push_back(std::to_integer<unsigned char>(element[i]));
  }
  return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

void add_one(Tensor& dst, const Tensor& src) {
  visit(src.dtype(), [&]<class From>(std::type_identity<From>) {
    visit(dst.dtype(), [&]<class To>(std::type_identity<To>) {
      for (Index n = 0; n < src.numel(); ++n) {
        const From value = load_element<From>(src.storage_data() + byte_position(src, n));
        store_element<To>(dst.mutable_storage_data() + byte_position(dst, n),
                          plus_one(convert_element<To>(value)));
      }
    });
  });
}

}  // namespace replay
