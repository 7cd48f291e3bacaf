// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

/// Copies of tensors. Every copy of elements in the library uses these functions, so that all are planned,
/// counted and explained in the same way.
namespace tenstride {

/// The arithmetic of a copy: each element is converted, then multiplied by scale, then shift is added. An
/// empty span: no arithmetic; one number: the same for all elements; as many numbers as axis `axis` is long:
/// one for each index along it.
struct ScaleShift {
  std::span<const double> scale{};
  std::span<const double> shift{};
  Index axis = 0;
};

/// Copies every element of src to dst, of the same shape: converted to dst's dtype, conjugated where only one
/// side is. Pre: no two elements of dst share memory, and dst and src do not overlap (see Tensor::copy_ for
/// the checked form). Copies nothing on meta.
TENSTRIDE_API void copy_elements(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic = {},
                                 Caller caller = Caller::current());

/// A new dense tensor of the dtype and layout with src's elements. clone, contiguous and to are built on
/// this.
TENSTRIDE_API Tensor materialize(const Tensor& src, const Layout& layout, DType dtype,
                                 const ScaleShift& arithmetic = {}, Caller caller = Caller::current());

/// `to(dtype)` with scale and shift in the same pass, contiguous.
/// Example: a uint8 image to float32 in 0..1: `convert(x, DType::float32, {.scale = {1.0 / 255}})`.
TENSTRIDE_API Tensor convert(const Tensor& src, DType dtype, const ScaleShift& arithmetic,
                             Caller caller = Caller::current());

}  // namespace tenstride
