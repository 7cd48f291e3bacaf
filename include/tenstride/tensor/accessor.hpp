// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include "tenstride/base/index.hpp"

namespace tenstride {

/// The elements of a tensor with N axes by their indices, unchecked: libtorch's TensorAccessor. Made by
/// `Tensor::accessor`, which checks once what `at` checks each time. Pre: the memory stays, and indices lie
/// in [0, size). Example: `const auto a = x.accessor<const float, 2>(); sum += a[i][j];`
template <class T, std::size_t N>
class TensorAccessor {
 public:
  /// Sizes and strides, in elements, are those of N axes.
  constexpr TensorAccessor(T* data, const Index* sizes, const Index* strides) : data_(data) {
    for (std::size_t d = 0; d < N; ++d) {
      sizes_[d] = sizes[d];
      strides_[d] = strides[d];
    }
  }

  /// The address of the element whose indices are all 0.
  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr Index size(std::size_t axis) const { return sizes_[axis]; }
  [[nodiscard]] constexpr Index stride(std::size_t axis) const { return strides_[axis]; }
  [[nodiscard]] constexpr std::span<const Index, N> sizes() const { return sizes_; }
  [[nodiscard]] constexpr std::span<const Index, N> strides() const { return strides_; }

  /// The element, or an accessor of the axes that are left.
  [[nodiscard]] constexpr decltype(auto) operator[](Index index) const requires(N > 0) {
    T* const at = data_ + index * strides_[0];
    if constexpr (N == 1) {
      return static_cast<T&>(*at);
    } else {
      return TensorAccessor<T, N - 1>(at, sizes_.data() + 1, strides_.data() + 1);
    }
  }
  [[nodiscard]] constexpr T& operator()(std::convertible_to<Index> auto... indices) const
      requires(sizeof...(indices) == N) {
    Index position = 0;
    [[maybe_unused]] std::size_t d = 0;
    ((position += static_cast<Index>(indices) * strides_[d++]), ...);
    return data_[position];
  }

 private:
  T* data_;
  std::array<Index, N> sizes_;
  std::array<Index, N> strides_;
};

}  // namespace tenstride
