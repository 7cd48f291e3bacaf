// SPDX-License-Identifier: Apache-2.0
#include "random/normal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "tenstride/parallel/parallel.hpp"
#include "tenstride/plan/machine.hpp"

/// Normal numbers by Box and Muller's method ("A Note on the Generation of Random Normal Deviates", 1958), in
/// PyTorch's order of operations.
namespace tenstride {

double Generator::normal() {
  if (kept_normal_) {
    const double kept = *kept_normal_;
    kept_normal_.reset();
    return kept;
  }
  const double circle_part = detail::draw_uniform<double>(*this);
  const double distance = detail::draw_uniform<double>(*this);
  const double radius = std::sqrt(-2.0 * std::log1p(-distance));
  const double angle = 2.0 * std::numbers::pi * circle_part;
  kept_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

namespace detail {
namespace {

/// Evaluates a polynomial by Horner's rule with fused steps, each rounded once.
template <std::size_t n>
[[gnu::always_inline]] inline float polynomial(float x, const std::array<float, n>& coefficients) {
  float sum = coefficients[0];
  for (std::size_t i = 1; i < n; ++i) sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

/// The natural logarithm of a normal positive number after Cephes (Moshier, "Methods and Programs for
/// Mathematical Functions", 1989): x = 2^exponent * (1 + rest) with 1 + rest in [sqrt(1/2), sqrt(2)). Each
/// multiplication and addition is fused where PyTorch's compiler fuses it, for the last bit's sake.
[[gnu::always_inline]] inline float cephes_log(float x) {
  const auto word = std::bit_cast<std::uint32_t>(x);
  auto exponent = static_cast<float>(static_cast<int>(word >> 23U) - 126);
  const float mantissa = std::bit_cast<float>((word & 0x7fffffU) | 0x3f000000U);  // in [0.5, 1)
  float rest = mantissa - 1.0F;
  if (mantissa < 0.707106781186547524F) {
    exponent -= 1.0F;
    rest += mantissa;
  }
  const float square = rest * rest;
  const float tail = polynomial(rest, log_coefficients) * rest;
  // log(2) in two parts, the larger one exact in few bits.
  float sum = std::fma(tail, square, exponent * -2.12194440e-4F);
  sum = std::fma(-0.5F, square, sum);
  return std::fma(exponent, 0.693359375F, rest + sum);
}

struct SineCosine {
  float sine;
  float cosine;
};

/// Returns cosine and sine after Cephes, for an angle in [0, 8192): the octants are subtracted in three parts
/// of decreasing size.
[[gnu::always_inline]] inline SineCosine cephes_sine_cosine(float angle) {
  const std::uint32_t octant = (static_cast<std::uint32_t>(angle * 1.27323954473516F) + 1U) & ~1U;
  const auto steps = static_cast<float>(octant);
  float x = std::fma(steps, -0.78515625F, angle);
  x = std::fma(steps, -2.4187564849853515625e-4F, x);
  x = std::fma(steps, -3.77489497744594108e-8F, x);
  const float square = x * x;
  const float quartic = polynomial(square, cosine_coefficients) * square;
  const float cosine = std::fma(quartic, square, -0.5F * square) + 1.0F;
  const float sine = std::fma(polynomial(square, sine_coefficients) * square, x, x);
  const bool swapped = (octant & 2U) != 0;
  const float sine_sign = (octant & 4U) != 0 ? -1.0F : 1.0F;
  const float cosine_sign = ((octant + 2U) & 4U) != 0 ? -1.0F : 1.0F;
  return {sine_sign * (swapped ? cosine : sine), cosine_sign * (swapped ? sine : cosine)};
}

/// Transforms 16 uniform numbers to 16 normal ones: the first eight give the radii, the others the angles.
[[gnu::always_inline]] inline void normal_block_anywhere(float* block, const Normal& normal) {
  const auto mean = static_cast<float>(normal.mean);
  const auto deviation = static_cast<float>(normal.deviation);
  constexpr auto full_circle = static_cast<float>(2.0 * std::numbers::pi);
  for (std::size_t i = 0; i < 8; ++i) {
    const float radius = std::sqrt(-2.0F * cephes_log(1.0F - block[i]));
    const auto [sine, cosine] = cephes_sine_cosine(full_circle * block[i + 8]);
    block[i] = std::fma(radius * cosine, deviation, mean);
    block[i + 8] = std::fma(radius * sine, deviation, mean);
  }
}

#if defined(__x86_64__)
/// Compiled for processors with the instruction: a fused multiply-add by call makes randn ten times slower.
[[gnu::target("fma")]] void normal_block_fused(float* block, const Normal& normal) {
  normal_block_anywhere(block, normal);
}
#endif

void normal_block(float* block, const Normal& normal) {
#if defined(__x86_64__)
  static const bool is_fused = Machine::here().instructions >= InstructionSet::avx2;
  if (is_fused) return normal_block_fused(block, normal);
#endif
  normal_block_anywhere(block, normal);
}

/// Does the same for the other types, with the C library's functions; 16-bit floats are rounded after each
/// step.
template <typename T>
void normal_block(T* block, const Normal& normal) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto rounded = [](auto value) { return static_cast<Wide>(static_cast<T>(static_cast<Wide>(value))); };
  const Wide mean = rounded(normal.mean);
  const Wide deviation = rounded(normal.deviation);
  // PyTorch's compiler fuses the two in double.
  const auto placed = [&](Wide value) {
    if constexpr (std::is_same_v<T, double>) return std::fma(value, deviation, mean);
    return static_cast<T>(rounded(value * deviation) + mean);
  };
  for (std::size_t i = 0; i < 8; ++i) {
    const Wide first = rounded(1 - static_cast<Wide>(block[i]));
    const Wide radius = rounded(std::sqrt(rounded(-2 * rounded(std::log(first)))));
    const Wide angle = rounded(2 * std::numbers::pi * static_cast<double>(static_cast<Wide>(block[i + 8])));
    block[i] = placed(rounded(radius * rounded(std::cos(angle))));
    block[i + 8] = placed(rounded(radius * rounded(std::sin(angle))));
  }
}

}  // namespace

void normal_blocks(float* first, Index blocks, const Normal& normal) {
  for (Index i = 0; i < blocks; ++i) normal_block(first + i * 16, normal);
}

namespace {

/// Transforms all whole blocks, on several threads: nothing is drawn any more.
template <typename T>
void transform_normal(T* first, Index count, const Normal& normal) {
  parallel_for(0, count / 16, Index{1} << 10, [&](Index from, Index to) {
    if constexpr (std::is_same_v<T, float>) {
      static const NormalBlocks fast = fast_normal_blocks();
      (fast != nullptr ? fast : normal_blocks)(first + from * 16, to - from, normal);
    } else {
      for (Index i = from; i < to; ++i) normal_block(first + i * 16, normal);
    }
  });
}

}  // namespace

template <typename T>
void fill_normal(T* first, Index count, const Normal& normal, NormalDraw draw, Generator& generator) {
  if (draw == NormalDraw::single) {
    for (Index i = 0; i < count; ++i) {
      first[i] = convert_element<T>(std::fma(generator.normal(), normal.deviation, normal.mean));
    }
    return;
  }
  if (num_threads() > 1) {
    draw_uniforms(first, count, generator);
    transform_normal(first, count, normal);
  } else {
    // The uniform numbers are still in the cache when they are transformed.
    constexpr Index block = Index{1} << 12;
    for (Index done = 0; done < count; done += block) {
      const Index n = std::min(block, count - done);
      draw_uniforms(first + done, n, generator);
      transform_normal(first + done, n, normal);
    }
  }
  if (count % 16 == 0) return;
  // The last 16 numbers are drawn again, so that they, too, are a whole block.
  T* const last = first + (count - 16);
  draw_uniforms(last, 16, generator);
  normal_block(last, normal);
}

template void fill_normal<float>(float*, Index, const Normal&, NormalDraw, Generator&);
template void fill_normal<double>(double*, Index, const Normal&, NormalDraw, Generator&);
template void fill_normal<float16>(float16*, Index, const Normal&, NormalDraw, Generator&);
template void fill_normal<bfloat16>(bfloat16*, Index, const Normal&, NormalDraw, Generator&);

}  // namespace detail
}  // namespace tenstride
