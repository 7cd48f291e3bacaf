// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/elementwise/elementwise.hpp"
#include "tenstride/elementwise/operand.hpp"

/// Element-wise comparisons, as PyTorch's: shapes broadcast, element types meet in `result_type`, the result
/// is a bool tensor laid out by `elementwise_layout`.
namespace tenstride {

/// `eq` and `ne` know complex numbers, the others refuse them with RuntimeError. NaN differs from everything.
/// Throws ShapeError where shapes do not broadcast, RuntimeError where the types have no common one (int64
/// with uint64) or the devices differ. Example: `eq(arange(3), 1)` is [false, true, false].
///
/// A number is converted to the tensor's type unless it is of a higher kind, as in PyTorch: of uint8 elements
/// 300 compares as 44, and int64 elements meet 0.5 in float32.
TENSTRIDE_API Tensor eq(const Tensor& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor ne(const Tensor& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor lt(const Tensor& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor le(const Tensor& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor gt(const Tensor& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor ge(const Tensor& a, const Operand& b, Caller caller = Caller::current());

/// The operators are the functions above, with the place where they are written: they give a tensor, not a
/// truth value. For one answer see `Tensor::equal` and `Tensor::is_same`.
inline Tensor operator==(const Operand& a, const Operand& b) {
  return a.is_tensor() ? eq(a.tensor(), b, b.caller()) : eq(b.tensor(), a, b.caller());
}
inline Tensor operator!=(const Operand& a, const Operand& b) {
  return a.is_tensor() ? ne(a.tensor(), b, b.caller()) : ne(b.tensor(), a, b.caller());
}
inline Tensor operator<(const Tensor& a, const Operand& b) {
  return lt(a, b, b.caller());
}
inline Tensor operator<=(const Tensor& a, const Operand& b) {
  return le(a, b, b.caller());
}
inline Tensor operator>(const Tensor& a, const Operand& b) {
  return gt(a, b, b.caller());
}
inline Tensor operator>=(const Tensor& a, const Operand& b) {
  return ge(a, b, b.caller());
}
inline Tensor operator<(const PlacedNumber& a, const Tensor& b) {
  return gt(b, a.number(), a.caller());
}
inline Tensor operator<=(const PlacedNumber& a, const Tensor& b) {
  return ge(b, a.number(), a.caller());
}
inline Tensor operator>(const PlacedNumber& a, const Tensor& b) {
  return lt(b, a.number(), a.caller());
}
inline Tensor operator>=(const PlacedNumber& a, const Tensor& b) {
  return le(b, a.number(), a.caller());
}

/// Whether a result keeps the axes it was reduced over, with size 1.
enum class KeepDim : unsigned char { no, yes };

/// Whether all (any) elements are non-zero, of the whole tensor (rank 0) or along an axis. NaN counts as
/// non-zero; of no elements all are, none is. The result is row-major and bool, but uint8 for uint8, as in
/// PyTorch. Throws AxisError.
/// Example: `all(tensor({{1, 0}, {1, 1}}), 1)` is [false, true].
TENSTRIDE_API Tensor all(const Tensor& x, Index dim, KeepDim keepdim = KeepDim::no,
                         Caller caller = Caller::current());
TENSTRIDE_API Tensor any(const Tensor& x, Index dim, KeepDim keepdim = KeepDim::no,
                         Caller caller = Caller::current());
inline Tensor all(const Tensor& x, Caller caller = Caller::current()) {
  return x.all(caller);
}
inline Tensor any(const Tensor& x, Caller caller = Caller::current()) {
  return x.any(caller);
}
inline bool equal(const Tensor& a, const Tensor& b) {
  return a.equal(b);
}
inline bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8) {
  return a.allclose(b, rtol, atol);
}

}  // namespace tenstride
