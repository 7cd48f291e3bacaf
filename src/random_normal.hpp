// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/random.hpp"

namespace tenstride::detail {

/// Whether numbers are drawn one by one or in blocks of 16.
enum class NormalDraw : unsigned char { single, blocks };

/// Draws `count` normal numbers of the given standard deviation. T: float, double, float16 or bfloat16.
template <typename T>
void fill_normal(T* first, Index count, double deviation, NormalDraw draw, Generator& generator);

/// From [0, 1): as many random bits as the type has digits, over 2^digits.
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

}  // namespace tenstride::detail
