// SPDX-License-Identifier: Apache-2.0
// Blocks of normal float numbers over Highway, bit for bit those that `random/normal.cpp` computes one by
// one.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/normal_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <array>
#include <numbers>
#include <string_view>

#include "copy/kernels/kernels.hpp"
#include "random/normal.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

// Without a fused multiply-add the last bits would differ.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 8>;
using Words = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;

template <std::size_t n>
HWY_INLINE V polynomial(V x, const std::array<float, n>& coefficients) {
  const Floats d;
  V sum = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < n; ++i) sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  return sum;
}

HWY_INLINE V cephes_log(V x) {
  const Floats d;
  const Words words;
  const auto word = hn::BitCast(words, x);
  const V exponent_up =
      hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(word), hn::Set(words, 126)));  // positive: no sign to shift
  const V mantissa =
      hn::BitCast(d, hn::Or(hn::And(word, hn::Set(words, 0x7fffff)), hn::Set(words, 0x3f000000)));
  const auto is_low = hn::Lt(mantissa, hn::Set(d, 0.707106781186547524F));
  const V one = hn::Set(d, 1.0F);
  const V exponent = hn::IfThenElse(is_low, hn::Sub(exponent_up, one), exponent_up);
  const V above = hn::Sub(mantissa, one);
  const V rest = hn::IfThenElse(is_low, hn::Add(above, mantissa), above);
  const V square = hn::Mul(rest, rest);
  const V tail = hn::Mul(polynomial(rest, log_coefficients), rest);
  V sum = hn::MulAdd(tail, square, hn::Mul(exponent, hn::Set(d, -2.12194440e-4F)));
  sum = hn::MulAdd(hn::Set(d, -0.5F), square, sum);
  return hn::MulAdd(exponent, hn::Set(d, 0.693359375F), hn::Add(rest, sum));
}

HWY_INLINE void cephes_sine_cosine(V angle, V& sine_out, V& cosine_out) {
  const Floats d;
  const Words words;
  const auto octants = hn::ConvertTo(words, hn::Mul(angle, hn::Set(d, 1.27323954473516F)));
  const auto octant = hn::AndNot(hn::Set(words, 1), hn::Add(octants, hn::Set(words, 1)));
  const V steps = hn::ConvertTo(d, octant);
  V x = hn::MulAdd(steps, hn::Set(d, -0.78515625F), angle);
  x = hn::MulAdd(steps, hn::Set(d, -2.4187564849853515625e-4F), x);
  x = hn::MulAdd(steps, hn::Set(d, -3.77489497744594108e-8F), x);
  const V square = hn::Mul(x, x);
  const V quartic = hn::Mul(polynomial(square, cosine_coefficients), square);
  const V cosine = hn::Add(hn::MulAdd(quartic, square, hn::Mul(hn::Set(d, -0.5F), square)), hn::Set(d, 1.0F));
  const V sine = hn::MulAdd(hn::Mul(polynomial(square, sine_coefficients), square), x, x);
  const auto swapped = hn::RebindMask(d, hn::TestBit(octant, hn::Set(words, 2)));
  const auto sign_of = [&](auto bits) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<29>(hn::And(bits, hn::Set(words, 4))));
  };
  sine_out = hn::Xor(hn::IfThenElse(swapped, cosine, sine), sign_of(octant));
  cosine_out = hn::Xor(hn::IfThenElse(swapped, sine, cosine), sign_of(hn::Add(octant, hn::Set(words, 2))));
}

void normal_blocks(float* first, Index blocks, const Normal& normal) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const V full_transpose = hn::Set(d, static_cast<float>(2.0 * std::numbers::pi));
  const V deviations = hn::Set(d, static_cast<float>(normal.deviation));
  const V means = hn::Set(d, static_cast<float>(normal.mean));
  for (float* block = first; block < first + blocks * 16; block += 16) {
    for (Index i = 0; i < 8; i += lanes) {
      const V uniform = hn::LoadU(d, block + i);
      const V radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0F), cephes_log(hn::Sub(hn::Set(d, 1.0F), uniform))));
      V sine, cosine;
      cephes_sine_cosine(hn::Mul(full_transpose, hn::LoadU(d, block + i + 8)), sine, cosine);
      hn::StoreU(hn::MulAdd(hn::Mul(radius, cosine), deviations, means), d, block + i);
      hn::StoreU(hn::MulAdd(hn::Mul(radius, sine), deviations, means), d, block + i + 8);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::detail {

NormalBlocks fast_normal_blocks() {
  return copy::compiled_for<NormalBlocks>(copy::kernels().name, nullptr, {TENSTRIDE_COMPILED(normal_blocks)});
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
