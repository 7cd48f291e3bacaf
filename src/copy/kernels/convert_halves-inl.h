// SPDX-License-Identifier: Apache-2.0
// Converts float16 to float8_e5m2, which is its upper byte, by rounding its bits as an integer. Included once
// for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CONVERT_HALVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CONVERT_HALVES_INL
#undef TENSTRIDE_COPY_KERNELS_CONVERT_HALVES_INL
#else
#define TENSTRIDE_COPY_KERNELS_CONVERT_HALVES_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "copy/kernels/convert_numbers-inl.h"
#include "copy/kernels/kernels.hpp"
#include "tenstride/base/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Returns the upper byte of each float16, rounded to nearest even, in the lower byte. NaN becomes 0x7f with
/// its sign. Values that are too large become infinity by the carry of the rounding.
template <class D, class V>
HWY_INLINE V round_to_upper_byte(D d, V v) {
  const hn::RebindToSigned<D> number;
  const auto odd = hn::And(hn::ShiftRight<8>(v), hn::Set(d, std::uint16_t{1}));
  const auto rounded = hn::Add(hn::Add(v, hn::Set(d, std::uint16_t{0x7f})), odd);
  const auto magnitude = hn::BitCast(number, hn::And(v, hn::Set(d, std::uint16_t{0x7fff})));
  const auto is_nan = hn::RebindMask(d, hn::Gt(magnitude, hn::Set(number, std::int16_t{0x7c00})));
  const auto nan = hn::Or(v, hn::Set(d, std::uint16_t{0x7fff}));
  return hn::ShiftRight<8>(hn::IfThenElse(is_nan, nan, rounded));
}

/// Returns the lower bytes of the lanes of two vectors as one vector, those of the first vector first. Pre:
/// the upper bytes are 0.
template <class D, class V>
HWY_INLINE auto join_bytes(D /*halves*/, V first, V second) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const hn::Repartition<std::uint32_t, D> words;
  constexpr std::size_t blocks = hn::MaxLanes(bytes) / 16;
  alignas(16) static constexpr std::array<std::uint8_t, 16> within{0, 2, 4, 6, 8, 10, 12, 14,
                                                                   1, 3, 5, 7, 9, 11, 13, 15};
  const auto both = hn::BitCast(bytes, hn::Or(first, hn::ShiftLeft<8>(second)));
  const auto transposed = hn::TableLookupBytes(both, hn::LoadDup128(bytes, within.data()));
  if constexpr (blocks == 1) {
    return transposed;
  } else {
    static constexpr auto across = [] {
      std::array<std::int32_t, 4 * blocks> from{};
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t i = 0; i < 2 * blocks; ++i)
          from[half * 2 * blocks + i] = static_cast<std::int32_t>(i / 2 * 4 + half * 2 + i % 2);
      }
      return from;
    }();
    const auto indices = hn::SetTableIndices(words, across.data());
    return hn::BitCast(bytes, hn::TableLookupLanes(hn::BitCast(words, transposed), indices));
  }
}

/// Writes whole lines of results by streaming stores. Returns the number of these results.
inline std::size_t stream_rounded_halves(std::byte* out, const std::byte* in, std::size_t count) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::ScalableTag<std::uint8_t> bytes;
  constexpr std::size_t line = 64;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const std::size_t whole = count / line * line;
  for (std::size_t i = 0; i < whole; i += 2 * lanes) {
    const auto rounded = [&](std::size_t at) HWY_ATTR {
      const std::byte* const from = in + at * sizeof(std::uint16_t);
      __builtin_prefetch(from + page_prefetch_distance, 0, 3);
      return round_to_upper_byte(d, hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(from)));
    };
    hn::Stream(join_bytes(d, rounded(i), rounded(i + lanes)), bytes,
               reinterpret_cast<std::uint8_t*>(out) + i);
  }
  return whole;
}

inline void round_halves(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  std::size_t i = stores != Stores::ordinary ? stream_rounded_halves(out, in, count) : 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(in) + i);
    const auto rounded = hn::BitCast(hn::RebindToSigned<decltype(d)>(), round_to_upper_byte(d, v));
    hn::StoreU(hn::DemoteTo(bytes, rounded), bytes, reinterpret_cast<std::uint8_t*>(out) + i);
  }
  for (; i < count; ++i)
    store_element(out + i, convert_element<float8_e5m2>(load_element<float16>(in + i * sizeof(float16))));
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
