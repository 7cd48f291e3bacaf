// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <version>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#elif __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
#endif

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "tenstride/tensor/tensor.hpp"

/// Tensors as `std::mdspan` (C++23), or as `Kokkos::mdspan` of its reference implementation
/// (https://github.com/kokkos/mdspan) where `<mdspan/mdspan.hpp>` is found. With neither, this header
/// declares nothing.
namespace tenstride {

#if defined(__cpp_lib_mdspan) || __has_include(<mdspan/mdspan.hpp>)

namespace detail {
#if defined(__cpp_lib_mdspan)
namespace md = std;
#else
namespace md = MDSPAN_IMPL_STANDARD_NAMESPACE;  // Kokkos, where the user has not said another
#endif
}  // namespace detail

/// What `as_mdspan` gives: N sizes that are known at run time, and a stride for each.
template <class T, std::size_t N>
using StridedSpan = detail::md::mdspan<T, detail::md::dextents<Index, N>, detail::md::layout_stride>;

namespace detail {
template <class T, std::size_t N>
StridedSpan<T, N> span_of(const TensorAccessor<T, N>& elements) {
  std::array<Index, N> sizes{};
  std::array<Index, N> strides{};
  for (std::size_t d = 0; d < N; ++d) {
    sizes[d] = elements.size(d);
    strides[d] = sizes[d] > 1 ? elements.stride(d) : 1;
    if (strides[d] < 1) {
      throw ValueError("as_mdspan: the stride " + std::to_string(strides[d]) + " of axis " +
                       std::to_string(d) +
                       " must be at least 1, as std::layout_stride has no others; use .contiguous()");
    }
  }
  using Extents = md::dextents<Index, N>;
  return {elements.data(), md::layout_stride::mapping<Extents>(Extents(sizes), strides)};
}
}  // namespace detail

/// A tensor with N axes as an mdspan of the same memory, which must outlive it. Throws what
/// `Tensor::accessor` throws, and ValueError for negative strides and those of 0 (`layout_stride` has none).
/// Example: `as_mdspan<const float, 2>(x.t())`.
template <class T, std::size_t N>
requires std::is_const_v<T>
[[nodiscard]] StridedSpan<T, N> as_mdspan(const Tensor& x) {
  return detail::span_of(x.accessor<T, N>());
}
/// An mdspan to write through, of the same memory as the tensor.
template <class T, std::size_t N>
requires(!std::is_const_v<T>) [[nodiscard]] StridedSpan<T, N> as_mdspan(Tensor& x) {
  return detail::span_of(x.accessor<T, N>());
}

#endif

}  // namespace tenstride
