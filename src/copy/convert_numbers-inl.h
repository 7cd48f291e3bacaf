// SPDX-License-Identifier: Apache-2.0
// Conversions between the numbers that C++ knows (bool, integers, float, double), turned into vectors by the
// compiler: it knows the shortest way from each to each on every instruction set.
#if defined(TENSTRIDE_COPY_CONVERT_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#undef TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#else
#define TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tenstride/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

/// What one store writes: by wider ones a core writes to memory more slowly (bytes to floats .83 of a plain
/// copy by 64 bytes, .95 by 32).
inline constexpr std::size_t store_bytes = 32;

/// How far ahead of a loop that reads more than it writes memory is asked for: the processor alone keeps
/// fewer reads under way (float32 to uint8 .93 of a plain copy without, 1.12 with it).
inline constexpr std::size_t ahead_bytes = 2048;

#if HWY_ARCH_X86 && defined(__GNUC__) && !defined(__clang__)
#define TENSTRIDE_STORES __attribute__((target("prefer-vector-width=256")))
#else
#define TENSTRIDE_STORES
#endif

/// A bool is a byte that is 0 or not.
template <class T>
using Number = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// Elements of one step: a loop of a fixed length is one that the compiler turns into vectors.
inline constexpr std::size_t step_length = 32;

/// A floating value as an integer without a branch: brought into the range first, then repaired at both odd
/// ends.
template <class To, class From>
HWY_INLINE To saturate_straight(From x) {
  constexpr From limit = From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  // The largest value below the limit that From has and To can take.
  constexpr From high = std::numeric_limits<To>::digits > std::numeric_limits<From>::digits
                            ? limit - limit / From(std::uint64_t(1) << std::numeric_limits<From>::digits)
                            : limit - From(1);
  From inside = x >= low ? x : low;  // NaN too
  inside = inside <= high ? inside : high;
  To result = static_cast<To>(inside);
  result = x >= limit ? std::numeric_limits<To>::max() : result;
  return x == x ? result : To(0);
}

/// A number at any address.
template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  Number<T> value;
};

template <class To, class From>
TENSTRIDE_STORES void convert_numbers(std::byte* out, const std::byte* in, std::size_t count) {
  std::size_t i = 0;
  for (; i + step_length <= count; i += step_length) {
    auto* HWY_RESTRICT to = reinterpret_cast<Unaligned<To>*>(out + i * sizeof(To));
    const auto* HWY_RESTRICT from = reinterpret_cast<const Unaligned<From>*>(in + i * sizeof(From));
    if constexpr (sizeof(To) < sizeof(From)) {
      for (std::size_t at = 0; at < step_length * sizeof(From); at += 64)
        __builtin_prefetch(in + i * sizeof(From) + ahead_bytes + at, 0, 2);
    }
    for (std::size_t k = 0; k < step_length; ++k) {
      if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
        to[k].value = static_cast<Number<To>>(from[k].value != 0);
      } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        to[k].value = saturate_straight<To>(from[k].value);
      } else {
        to[k].value = static_cast<To>(from[k].value);
      }
    }
  }
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

#undef TENSTRIDE_STORES
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
