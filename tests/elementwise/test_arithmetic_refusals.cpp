// SPDX-License-Identifier: Apache-2.0
// The types that results have, what is refused, and results in place.
#include <gtest/gtest.h>

#include "support/ops_oracle.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ledger/ledger.hpp"

namespace tenstride {
namespace {

using oracle::message_of;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;

Tensor of(DType type) {
  return ones({2}, {.dtype = type});
}

TEST(ArithmeticTypes, AreThoseOfPyTorch) {
  const Tensor b = of(DType::bool_), i8 = of(DType::int8), u8 = of(DType::uint8), i64 = of(DType::int64);
  const Tensor f16 = of(DType::float16), bf16 = of(DType::bfloat16), f32 = of(DType::float32);
  const Tensor f64 = of(DType::float64), c64 = of(DType::complex64);
  const std::complex<double> number(1, 2);
  EXPECT_EQ((i8 + u8).dtype(), DType::int16);
  EXPECT_EQ((i8 + i64).dtype(), DType::int64);
  EXPECT_EQ((i64 + f16).dtype(), DType::float16);
  EXPECT_EQ((f16 + bf16).dtype(), DType::float32);
  EXPECT_EQ((f32 * f64).dtype(), DType::float64);
  EXPECT_EQ((f64 * c64).dtype(), DType::complex128);
  EXPECT_EQ((b + b).dtype(), DType::bool_);
  EXPECT_EQ((b + 1).dtype(), DType::int64);
  EXPECT_EQ((i8 + 1000).dtype(), DType::int8);
  EXPECT_EQ((i8 + 0.5).dtype(), DType::float32);
  EXPECT_EQ((f16 + 0.5).dtype(), DType::float16);
  EXPECT_EQ((f64 + number).dtype(), DType::complex128);
  EXPECT_EQ((i8 + full({}, 3, {.dtype = DType::int64})).dtype(), DType::int8);
  EXPECT_EQ((f32 + full({}, 3, {.dtype = DType::float64})).dtype(), DType::float32);
  EXPECT_EQ((i64 / i64).dtype(), DType::float32);
  EXPECT_EQ((b / b).dtype(), DType::float32);
  EXPECT_EQ((i64 / f16).dtype(), DType::float16);
  EXPECT_EQ(floor_divide(i8, i64).dtype(), DType::int64);
  EXPECT_EQ((i8 % 2.5).dtype(), DType::float32);
  EXPECT_EQ(pow(2, f64).dtype(), DType::float64);
  EXPECT_EQ(pow(b, 2).dtype(), DType::int64);
  EXPECT_EQ(abs(c64).dtype(), DType::float32);
  EXPECT_EQ(abs(c64.to(DType::complex32)).dtype(), DType::float16);
  EXPECT_EQ(where(b, i8, 2.5).dtype(), DType::float32);
  EXPECT_EQ(clamp(i8, 0.5).dtype(), DType::float32);
  EXPECT_EQ(logical_and(f32, i8).dtype(), DType::bool_);
  EXPECT_EQ((b & i8).dtype(), DType::int8);
  EXPECT_EQ(add(2, 3).to_string(), "tensor(5)");
}

TEST(ArithmeticTypes, AreRefusedWithTheRule) {
  const Tensor b = of(DType::bool_), i = of(DType::int64), f = of(DType::float32), c = of(DType::complex64);
  EXPECT_EQ(message_of([&] { return b - b; }),
            "RuntimeError: sub: the difference of two bools is not defined; use ^ or logical_xor");
  EXPECT_EQ(
      message_of([&] { return i - b; }),
      "RuntimeError: sub: a bool must not stand in a difference; to invert a mask use ~ or logical_not");
  EXPECT_EQ(
      message_of([&] { return i - true; }),
      "RuntimeError: sub: a bool must not stand in a difference; to invert a mask use ~ or logical_not");
  EXPECT_EQ(message_of([&] { return -b; }),
            "RuntimeError: neg: a bool has no negative; to invert a mask use ~ or logical_not");
  EXPECT_EQ(message_of([&] { return f & f; }),
            "RuntimeError: bitwise_and: dtype float32 must be bool or an integer type");
  EXPECT_EQ(message_of([&] { return i | 1.5; }),
            "RuntimeError: bitwise_or: dtype float32 must be bool or an integer type");
  EXPECT_EQ(message_of([&] { return ~f; }),
            "RuntimeError: bitwise_not: dtype float32 must be bool or an integer type");
  EXPECT_EQ(message_of([&] { return c % c; }),
            "RuntimeError: remainder: dtype complex64 must be real, complex numbers have no order");
  EXPECT_EQ(message_of([&] { return floor_divide(b, b); }),
            "RuntimeError: floor_divide: dtype bool must be a number's, not bool");
  EXPECT_EQ(message_of([&] { return pow(b, b); }),
            "RuntimeError: pow: dtype bool must be a number's, not bool");
  EXPECT_EQ(
      message_of([&] { return pow(i, -1); }),
      "RuntimeError: pow: the exponent (-1) of integers must not be negative; convert to a floating type");
  EXPECT_EQ(message_of([&] { return i % 0; }),
            "RuntimeError: ZeroDivisionError: integers must not be divided by 0");
  EXPECT_EQ(message_of([&] { return floor_divide(1, i - i); }),
            "RuntimeError: ZeroDivisionError: integers must not be divided by 0");
  EXPECT_EQ(message_of([&] { return maximum(c, c); }),
            "RuntimeError: maximum: dtype complex64 must be real, complex numbers have no order");
  EXPECT_EQ(message_of([&] { return abs(b); }), "RuntimeError: abs: dtype bool must be a number's, not bool");
  EXPECT_EQ(message_of([&] { return where(i, f, f); }),
            "RuntimeError: where: dtype int64 of the condition must be bool");
  EXPECT_EQ(message_of([&] { return clamp(f, {}, {}); }), "RuntimeError: clamp: min or max must be given");
  EXPECT_EQ(
      message_of([&] { return i + of(DType::uint64); }),
      "RuntimeError: add: dtypes int64 and uint64 must have a common type; convert one with .to(dtype)");
  const Tensor small = of(DType::float8_e5m2);
  EXPECT_EQ(message_of([&] { return small + small; }),
            "RuntimeError: add: dtype float8_e5m2 is for storage and must be converted first");
  EXPECT_EQ(message_of([&] { return add(i, i, 1.5); }),
            "RuntimeError: add: alpha (1.5) must be an integer where the operands are");
  EXPECT_EQ(message_of([&] { return add(i, i, true); }),
            "RuntimeError: add: alpha (True) must be a number where the result is not bool");
  EXPECT_EQ(message_of([&] { return sub(f, f, std::complex<double>(0, 1)); }),
            "RuntimeError: sub: alpha (1j) must be real where the operands are");
  EXPECT_EQ(message_of([&] { return f + empty({2}, {.device = Device::meta}); }),
            "RuntimeError: add: all tensors must be on one device, not cpu and meta");
  EXPECT_THROW(static_cast<void>(f + ones({3})), ShapeError);
}

TEST(ArithmeticInPlace, WritesIntoEveryLayout) {
  for (const DType type : {DType::float32, DType::int16, DType::complex64, DType::bfloat16}) {
    for (Tensor& self : odd_tensors(type)) {
      if (self.numel() > 0 && self.stride() != self.clone().stride() && self.dim() == 3 &&
          self.stride(0) == 0)
        continue;  // repeated: refused below
      const Tensor before = self.clone();
      const Dims strides = self.strides();
      EXPECT_EQ(&add_(self, 2), &self);
      EXPECT_TRUE(self.equal(before + 2));
      mul_(self, self);
      EXPECT_TRUE(self.equal((before + 2) * (before + 2)));
      sub_(self, before, 3);
      EXPECT_TRUE(self.equal(sub((before + 2) * (before + 2), before, 3)));
      EXPECT_EQ(self.strides(), strides);
    }
  }
}

TEST(ArithmeticInPlace, LeavesWhatLiesBetween) {
  Tensor base = zeros({4, 6});
  Tensor part = base.slice(1, 1, 6, 2);
  part += 1;
  oracle::each_index(base.shape(), [&](const Dims& at) {
    EXPECT_EQ(value_at(base, at), oracle::Number(at[1] % 2 == 1 ? 1 : 0));
  });
}

TEST(ArithmeticInPlace, KeepsItsTypeWhereThatHoldsTheResult) {
  Tensor f32 = of(DType::float32), i8 = of(DType::int8), truth = of(DType::bool_);
  EXPECT_EQ((f32 += of(DType::float64)).dtype(), DType::float32);
  EXPECT_EQ((i8 += of(DType::int64) * 200).to_string(), "tensor([-55, -55], dtype=torch.int8)");
  EXPECT_EQ(logical_xor_(i8, of(DType::float32)).to_string(), "tensor([0, 0], dtype=torch.int8)");
  EXPECT_EQ((truth &= of(DType::bool_)).dtype(), DType::bool_);
  EXPECT_EQ(
      message_of([&] { return i8 += 1.5; }),
      "RuntimeError: add_: the result's dtype float32 must go into self's dtype int8, which is of a lower "
      "kind");
  EXPECT_EQ(
      message_of([&] { return i8 /= 2; }),
      "RuntimeError: div_: the result's dtype float32 must go into self's dtype int8, which is of a lower "
      "kind");
  EXPECT_EQ(
      message_of([&] { return truth += 1; }),
      "RuntimeError: add_: the result's dtype int64 must go into self's dtype bool, which is of a lower "
      "kind");
  EXPECT_EQ(
      message_of([&] { return f32 *= std::complex<double>(0, 1); }),
      "RuntimeError: mul_: the result's dtype complex64 must go into self's dtype float32, which is of a "
      "lower kind");
  Tensor c = of(DType::complex64);
  EXPECT_EQ(message_of([&] { return abs_(c); }),
            "RuntimeError: abs_: dtype complex64 must be real: absolute values are");
}

TEST(ArithmeticInPlace, IsRefusedWhereMemoryIsShared) {
  Tensor repeated = ones({3, 1}).expand({3, 4});
  EXPECT_EQ(
      message_of([&] { return repeated += 1; }),
      "RuntimeError: add_: the destination must not have several elements in one place, axis 1 of size 4 has "
      "stride 0 ((3,4):(1,0)+0); use .clone() first");
  Tensor x = numbered({4, 4});
  EXPECT_EQ(message_of([&] { return x += x.t(); }),
            "RuntimeError: add_: what is written to ((4,4), strides (4,1), offset 0) and what is read "
            "((4,4), strides "
            "(1,4), offset 0) must not share memory (some elements of the input tensor and the written-to "
            "tensor refer "
            "to a single memory location); clone() the second first");
  Tensor row = ones({2});
  EXPECT_EQ(
      message_of([&] {
        return row += ones({2, 2});
      }),
      "RuntimeError: add_: self of shape (2) must have the shape (2,2) to which it and the other of shape "
      "(2,2) broadcast");
  // Columns that PyTorch does not see to overlap: the other is read as it was.
  Tensor right = x.narrow(1, 1, 3);
  const Tensor expected = right + x.narrow(1, 0, 3);
  right += x.narrow(1, 0, 3);
  EXPECT_TRUE(right.equal(expected));
}

TEST(ArithmeticInPlace, IsTheSameAsAFreshResult) {
  const Tensor a = numbered({5, 7}), b = numbered({5, 7}) + 1;
  const auto in_place = [&](auto&& work) {
    Tensor self = a.clone();
    work(self);
    return self;
  };
  EXPECT_TRUE(in_place([&](Tensor& x) { x += b; }).equal(a + b));
  EXPECT_TRUE(in_place([&](Tensor& x) { x -= b; }).equal(a - b));
  EXPECT_TRUE(in_place([&](Tensor& x) { x *= b; }).equal(a * b));
  EXPECT_TRUE(in_place([&](Tensor& x) { x /= b; }).equal(a / b));
  EXPECT_TRUE(in_place([&](Tensor& x) { x %= b; }).equal(a % b));
  EXPECT_TRUE(in_place([&](Tensor& x) { floor_divide_(x, b); }).equal(floor_divide(a, b)));
  EXPECT_TRUE(in_place([&](Tensor& x) { pow_(x, 2); }).equal(pow(a, 2)));
  EXPECT_TRUE(in_place([&](Tensor& x) { clamp_(x, 2, b); }).equal(clamp(a, 2, b)));
  EXPECT_TRUE(in_place([&](Tensor& x) { neg_(x); }).equal(-a));
  EXPECT_TRUE(in_place([&](Tensor& x) { abs_(x); }).equal(abs(a)));
  EXPECT_TRUE(in_place([&](Tensor& x) { logical_not_(x); }).equal(logical_not(a).to(DType::float32)));
  const Tensor i = numbered({5, 7}, DType::int32), j = i.flip({0});
  Tensor k = i.clone();
  EXPECT_TRUE((k &= j).equal(i & j));
  EXPECT_TRUE((k |= i).equal((i & j) | i));
  EXPECT_TRUE((k ^= j).equal(((i & j) | i) ^ j));
  EXPECT_TRUE(bitwise_not_(k).equal(~(((i & j) | i) ^ j)));
}

}  // namespace
}  // namespace tenstride
