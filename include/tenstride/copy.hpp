// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/factory.hpp"
#include "tenstride/tensor.hpp"

/// Every copy of elements in the library goes through here, so that all are planned, counted and explained
/// alike.
namespace tenstride {

/// A copy's arithmetic: each element is converted, then times scale plus shift. Empty spans: none; one
/// number: for all; as many numbers as axis `axis` is long: one per index along it.
struct ScaleShift {
  std::span<const double> scale{};
  std::span<const double> shift{};
  Index axis = 0;
};

/// Writes every element of src into dst: same shape, converted to dst's dtype, conjugation carried out. Pre:
/// no two elements of dst share memory, and dst and src do not overlap (see Tensor::copy_ for the checked
/// form). Nothing moves on meta.
TENSTRIDE_API void copy_elements(Tensor& dst, const Tensor& src, const ScaleShift& arithmetic = {},
                                 Caller caller = Caller::current());

/// A new dense tensor of the dtype and layout with src's elements: what clone, contiguous and to are made of.
TENSTRIDE_API Tensor materialize(const Tensor& src, const Layout& layout, DType dtype,
                                 const ScaleShift& arithmetic = {}, Caller caller = Caller::current());

/// `to(dtype)` with scale and shift in the same pass, contiguous.
/// Example: a uint8 image to float32 in 0..1: `convert(x, DType::float32, {.scale = {1.0 / 255}})`.
TENSTRIDE_API Tensor convert(const Tensor& src, DType dtype, const ScaleShift& arithmetic,
                             Caller caller = Caller::current());

}  // namespace tenstride
