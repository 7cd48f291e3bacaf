// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "tenstride/random/random.hpp"

namespace tenstride::detail {

/// How numbers are drawn: one by one, or in blocks of 16.
enum class NormalDraw : unsigned char { single, blocks };

/// The polynomials after Cephes of the logarithm, the cosine and the sine.
inline constexpr std::array log_coefficients{7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                             -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                             2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
inline constexpr std::array cosine_coefficients{2.443315711809948e-5F, -1.388731625493765e-3F,
                                                4.166664568298827e-2F};
inline constexpr std::array sine_coefficients{-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};

/// The normal distribution that is drawn from.
struct Normal {
  double mean = 0;
  double deviation = 1;
};

/// Transforms uniform numbers to normal ones, 16 at a time: the first eight give the radii, the others the
/// angles.
using NormalBlocks = void (*)(float* first, Index blocks, const Normal& normal);
/// Returns the vectorised transformation, or nullptr where the processor has no fused multiply-add, without
/// which the last bits differ.
NormalBlocks fast_normal_blocks();
/// Transforms one by one: the definition.
void normal_blocks(float* first, Index blocks, const Normal& normal);

/// Draws `count` normal numbers. T: float, double, float16 or bfloat16.
template <typename T>
void fill_normal(T* first, Index count, const Normal& normal, NormalDraw draw, Generator& generator);

/// Draws `count` uniform numbers, the same that draw_uniform gives one by one.
template <typename T>
void draw_uniforms(T* first, Index count, Generator& generator);

/// Draws from [0, 1): as many random bits as the type has digits, over 2^digits.
template <typename T>
T draw_uniform(Generator& generator) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(generator.random64() & ((std::uint64_t{1} << 53U) - 1)) * 0x1p-53;
  } else {
    constexpr int digits = std::is_same_v<T, float16> ? 11 : std::is_same_v<T, bfloat16> ? 8 : 24;
    const auto bits = static_cast<float>(generator.random() & ((1U << digits) - 1));
    return static_cast<T>(bits * (1.0F / static_cast<float>(1U << digits)));
  }
}

template <typename T>
void draw_uniforms(T* first, Index count, Generator& generator) {
  constexpr Index words_of_one = std::is_same_v<T, double> ? 2 : 1;
  std::array<std::uint32_t, 1024> words;
  constexpr auto longest = static_cast<Index>(words.size()) / words_of_one;
  for (Index done = 0; done < count; done += longest) {
    const Index n = std::min(longest, count - done);
    generator.random(words.data(), static_cast<std::size_t>(n * words_of_one));
    for (Index i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        const std::uint64_t upper = words[static_cast<std::size_t>(2 * i)];
        const std::uint64_t drawn = upper << 32U | words[static_cast<std::size_t>(2 * i + 1)];
        first[done + i] = static_cast<double>(drawn & ((std::uint64_t{1} << 53U) - 1)) * 0x1p-53;
      } else {
        constexpr int digits = std::is_same_v<T, float16> ? 11 : std::is_same_v<T, bfloat16> ? 8 : 24;
        const std::uint32_t drawn = words[static_cast<std::size_t>(i)] & ((1U << digits) - 1);
        const float bits = static_cast<float>(static_cast<std::int32_t>(drawn));
        first[done + i] = static_cast<T>(bits * (1.0F / static_cast<float>(1U << digits)));
      }
    }
  }
}

}  // namespace tenstride::detail
