// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "tenstride/elementwise/compare.hpp"
#include "tenstride/elementwise/elementwise.hpp"
#include "tenstride/elementwise/operand.hpp"

/// Just enough arithmetic to be usable, with PyTorch's results. Shapes broadcast, element types meet in
/// `result_type`, and `elementwise_layout` says where the elements of the result lie: `abs` of a dense
/// tensor, its sum with a number, with a permuted twin or with a broadcast row keep its strides.
///
/// Float16 and bfloat16 are computed in float32 and rounded once. Integers wrap around. float8 is for storage
/// and refused. On meta only the result's layout is made. Each element is read and written once; an operand
/// in another order than the result is transposed, a block at a time.
///
/// All throw ShapeError where shapes do not broadcast, and RuntimeError where the element types have no
/// common one (int64 with uint64), where an operation does not know the type, and where tensors are on two
/// devices.
namespace tenstride {

/// a + alpha * b and a - alpha * b. The sum of bools is whether any is true; their difference is refused. Of
/// integers `alpha` must be one. Two numbers give a tensor of rank 0.
/// Example: `add(arange(3), 1)` is [1, 2, 3] of int64, `add(arange(3), 0.5)` is of float32.
TENSTRIDE_API Tensor add(const Operand& a, const Operand& b, const Scalar& alpha = 1,
                         Caller caller = Caller::current());
TENSTRIDE_API Tensor sub(const Operand& a, const Operand& b, const Scalar& alpha = 1,
                         Caller caller = Caller::current());
/// The product of bools is whether both are true.
TENSTRIDE_API Tensor mul(const Operand& a, const Operand& b, Caller caller = Caller::current());

/// How a quotient is rounded: not at all (`true_value`), towards zero, or down.
enum class Rounding : unsigned char { true_value, trunc, floor };
/// The quotient. Not rounded, bools and integers are divided as float32. Rounded, their type stays, bools are
/// refused, and an integer divided by 0 throws RuntimeError "ZeroDivisionError: …".
/// Example: `div(arange(3), 2)` is [0, 0.5, 1].
TENSTRIDE_API Tensor div(const Operand& a, const Operand& b, Rounding rounding = Rounding::true_value,
                         Caller caller = Caller::current());
/// `div` rounded down, as Python's //. Example: `floor_divide(-7, x)` of x = [2] is [-4].
TENSTRIDE_API Tensor floor_divide(const Operand& a, const Operand& b, Caller caller = Caller::current());
/// a - b * floor_divide(a, b), which has the sign of b, as Python's %. Refuses what floor_divide refuses.
TENSTRIDE_API Tensor remainder(const Operand& a, const Operand& b, Caller caller = Caller::current());
/// a to the power of b. Integers to a negative number are refused; to a negative element of a tensor they
/// give 0, and 1 or -1 where a is one of these, as in PyTorch. Bools are refused.
TENSTRIDE_API Tensor pow(const Operand& a, const Operand& b, Caller caller = Caller::current());

/// The larger (smaller) of two; NaN wins. Complex numbers are refused.
TENSTRIDE_API Tensor maximum(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor minimum(const Operand& a, const Operand& b, Caller caller = Caller::current());
/// x limited to a range: not below `min`, not above `max`; where min is above max, max. NaN stays.
/// Throws RuntimeError where neither is given, of bools and of complex numbers. Example: `clamp(arange(5), 1,
/// 3)` is [1, 1, 2, 3, 3].
TENSTRIDE_API Tensor clamp(const Tensor& x, const std::optional<Operand>& min,
                           const std::optional<Operand>& max = {}, Caller caller = Caller::current());

/// Operations bit by bit, of bools and integers; all other types are refused.
TENSTRIDE_API Tensor bitwise_and(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor bitwise_or(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor bitwise_xor(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor bitwise_not(const Tensor& x, Caller caller = Caller::current());
/// Bools, of any element type: whether elements are not 0.
TENSTRIDE_API Tensor logical_and(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor logical_or(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor logical_xor(const Operand& a, const Operand& b, Caller caller = Caller::current());
TENSTRIDE_API Tensor logical_not(const Tensor& x, Caller caller = Caller::current());

/// The tensor itself. Refuses bools.
TENSTRIDE_API Tensor positive(const Tensor& x);
/// `pow(x, 2)`; of bools int64. Example: `square(tensor({-2, 3}))` is (4, 9).
TENSTRIDE_API Tensor square(const Tensor& x, Caller caller = Caller::current());
/// Refuses bools.
TENSTRIDE_API Tensor neg(const Tensor& x, Caller caller = Caller::current());
/// The absolute value, real for complex numbers. Refuses bools. The least integer stays as it is.
TENSTRIDE_API Tensor abs(const Tensor& x, Caller caller = Caller::current());
/// Bools; false (`isfinite`: true) for all integers. Of a complex number either part counts (`isfinite`:
/// both).
TENSTRIDE_API Tensor isnan(const Tensor& x, Caller caller = Caller::current());
TENSTRIDE_API Tensor isinf(const Tensor& x, Caller caller = Caller::current());
TENSTRIDE_API Tensor isfinite(const Tensor& x, Caller caller = Caller::current());

/// Whether NaN is close to NaN.
enum class EqualNan : unsigned char { no, yes };
/// Whether |a-b| <= atol + rtol*|b| or a == b, element by element; an infinity is close to itself alone.
/// Throws RuntimeError where the types differ, and for a negative rtol or atol.
TENSTRIDE_API Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
                             EqualNan equal_nan = EqualNan::no, Caller caller = Caller::current());

/// Complex numbers of their two parts, which broadcast. Throws RuntimeError where these are not both float16,
/// float32 or float64.
TENSTRIDE_API Tensor complex(const Tensor& real, const Tensor& imag, Caller caller = Caller::current());

/// a where the condition holds, else b. The condition is bool (or uint8), all three broadcast. Bits are
/// moved, so float8 is welcome. Example: `where(x > 0, x, 0)`.
TENSTRIDE_API Tensor where(const Tensor& condition, const Operand& a, const Operand& b,
                           Caller caller = Caller::current());

// In place: the result goes into `self`, which is given back. `other` broadcasts to its shape. Throws
// RuntimeError where the common element type is of a higher kind than self's (float32 into int64), where an
// axis of self has stride 0, and where `other` is another view of the same memory that PyTorch sees to
// overlap; StorageError where self is read-only.
TENSTRIDE_API Tensor& add_(Tensor& self, const Operand& other, const Scalar& alpha = 1,
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor& sub_(Tensor& self, const Operand& other, const Scalar& alpha = 1,
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor& mul_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& div_(Tensor& self, const Operand& other, Rounding rounding = Rounding::true_value,
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor& floor_divide_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& remainder_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& pow_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& clamp_(Tensor& self, const std::optional<Operand>& min,
                             const std::optional<Operand>& max = {}, Caller caller = Caller::current());
TENSTRIDE_API Tensor& bitwise_and_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& bitwise_or_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& bitwise_xor_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& bitwise_not_(Tensor& self, Caller caller = Caller::current());
TENSTRIDE_API Tensor& logical_and_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& logical_or_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& logical_xor_(Tensor& self, const Operand& other, Caller caller = Caller::current());
TENSTRIDE_API Tensor& logical_not_(Tensor& self, Caller caller = Caller::current());
TENSTRIDE_API Tensor& square_(Tensor& self, Caller caller = Caller::current());
TENSTRIDE_API Tensor& neg_(Tensor& self, Caller caller = Caller::current());
/// Refuses complex numbers, whose absolute values are real.
TENSTRIDE_API Tensor& abs_(Tensor& self, Caller caller = Caller::current());

// Reductions. No axes mean all of them; the result is row-major, and keeps the axes with size 1 where asked.
// With a dtype elements are converted first. Throw AxisError; see reduce.hpp for how sums are rounded.
/// Sums (products) of bools and integers are int64.
/// Example: `sum(ones({2, 3}), {0})` is (2, 2, 2).
TENSTRIDE_API Tensor sum(const Tensor& x, const Dims& dim = {}, KeepDim keepdim = KeepDim::no,
                         std::optional<DType> dtype = {}, Caller caller = Caller::current());
TENSTRIDE_API Tensor prod(const Tensor& x, std::optional<Index> dim = {}, KeepDim keepdim = KeepDim::no,
                          std::optional<DType> dtype = {}, Caller caller = Caller::current());
/// How many elements are not 0: `sum` of `ne(x, 0)`.
TENSTRIDE_API Tensor count_nonzero(const Tensor& x, const Dims& dim = {}, Caller caller = Caller::current());
/// The sum over the axes that `size` lacks or has as 1, which undoes `expand`; x itself where there is none.
/// Throws ShapeError where `size` does not expand to x's shape. Example: of shape (2,3) to (3) the sum over
/// axis 0.
TENSTRIDE_API Tensor sum_to_size(const Tensor& x, const Dims& size, Caller caller = Caller::current());
/// Refuses bools and integers.
TENSTRIDE_API Tensor mean(const Tensor& x, const Dims& dim = {}, KeepDim keepdim = KeepDim::no,
                          std::optional<DType> dtype = {}, Caller caller = Caller::current());
/// The largest (smallest) elements; NaN wins, complex numbers are refused. Throws
/// IndexError where there are no elements, and RuntimeError where then no axis is named.
TENSTRIDE_API Tensor amax(const Tensor& x, const Dims& dim = {}, KeepDim keepdim = KeepDim::no,
                          Caller caller = Caller::current());
TENSTRIDE_API Tensor amin(const Tensor& x, const Dims& dim = {}, KeepDim keepdim = KeepDim::no,
                          Caller caller = Caller::current());
/// The extreme of the whole tensor, of rank 0. Throws RuntimeError where there are no elements.
TENSTRIDE_API Tensor max(const Tensor& x, Caller caller = Caller::current());
TENSTRIDE_API Tensor min(const Tensor& x, Caller caller = Caller::current());

/// The extremes along an axis, and their positions along it.
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;
};
TENSTRIDE_API ValuesAndIndices max(const Tensor& x, Index dim, KeepDim keepdim = KeepDim::no,
                                   Caller caller = Caller::current());
TENSTRIDE_API ValuesAndIndices min(const Tensor& x, Index dim, KeepDim keepdim = KeepDim::no,
                                   Caller caller = Caller::current());
/// The position of the first of the largest (smallest) elements, as int64: along an axis, or in row-major
/// order. NaN wins. Refuses bools and complex numbers; throws IndexError of no elements. Example:
/// `argmax(tensor({1, 3, 3}))` is 1.
TENSTRIDE_API Tensor argmax(const Tensor& x, std::optional<Index> dim = {}, KeepDim keepdim = KeepDim::no,
                            Caller caller = Caller::current());
TENSTRIDE_API Tensor argmin(const Tensor& x, std::optional<Index> dim = {}, KeepDim keepdim = KeepDim::no,
                            Caller caller = Caller::current());

/// Python's operators, with the place where they are written. `/` is `div`, `%` is `remainder`: both are
/// Python's, not those of C++'s numbers.
inline Tensor operator+(const Tensor& a, const Operand& b) {
  return add(a, b, 1, b.caller());
}
inline Tensor operator-(const Tensor& a, const Operand& b) {
  return sub(a, b, 1, b.caller());
}
inline Tensor operator*(const Tensor& a, const Operand& b) {
  return mul(a, b, b.caller());
}
inline Tensor operator/(const Tensor& a, const Operand& b) {
  return div(a, b, Rounding::true_value, b.caller());
}
inline Tensor operator%(const Tensor& a, const Operand& b) {
  return remainder(a, b, b.caller());
}
inline Tensor operator&(const Tensor& a, const Operand& b) {
  return bitwise_and(a, b, b.caller());
}
inline Tensor operator|(const Tensor& a, const Operand& b) {
  return bitwise_or(a, b, b.caller());
}
inline Tensor operator^(const Tensor& a, const Operand& b) {
  return bitwise_xor(a, b, b.caller());
}
inline Tensor operator+(const PlacedNumber& a, const Tensor& b) {
  return add(a.number(), b, 1, a.caller());
}
inline Tensor operator-(const PlacedNumber& a, const Tensor& b) {
  return sub(a.number(), b, 1, a.caller());
}
inline Tensor operator*(const PlacedNumber& a, const Tensor& b) {
  return mul(a.number(), b, a.caller());
}
inline Tensor operator/(const PlacedNumber& a, const Tensor& b) {
  return div(a.number(), b, Rounding::true_value, a.caller());
}
inline Tensor operator%(const PlacedNumber& a, const Tensor& b) {
  return remainder(a.number(), b, a.caller());
}
inline Tensor operator&(const PlacedNumber& a, const Tensor& b) {
  return bitwise_and(a.number(), b, a.caller());
}
inline Tensor operator|(const PlacedNumber& a, const Tensor& b) {
  return bitwise_or(a.number(), b, a.caller());
}
inline Tensor operator^(const PlacedNumber& a, const Tensor& b) {
  return bitwise_xor(a.number(), b, a.caller());
}
inline Tensor operator-(const PlacedTensor& x) {
  return neg(x.tensor(), x.caller());
}
inline Tensor operator~(const PlacedTensor& x) {
  return bitwise_not(x.tensor(), x.caller());
}
inline Tensor& operator+=(Tensor& self, const Operand& other) {
  return add_(self, other, 1, other.caller());
}
inline Tensor& operator-=(Tensor& self, const Operand& other) {
  return sub_(self, other, 1, other.caller());
}
inline Tensor& operator*=(Tensor& self, const Operand& other) {
  return mul_(self, other, other.caller());
}
inline Tensor& operator/=(Tensor& self, const Operand& other) {
  return div_(self, other, Rounding::true_value, other.caller());
}
inline Tensor& operator%=(Tensor& self, const Operand& other) {
  return remainder_(self, other, other.caller());
}
inline Tensor& operator&=(Tensor& self, const Operand& other) {
  return bitwise_and_(self, other, other.caller());
}
inline Tensor& operator|=(Tensor& self, const Operand& other) {
  return bitwise_or_(self, other, other.caller());
}
inline Tensor& operator^=(Tensor& self, const Operand& other) {
  return bitwise_xor_(self, other, other.caller());
}

}  // namespace tenstride
