// SPDX-License-Identifier: Apache-2.0
// Pixels of bytes converted while they are taken apart or woven, by whole lines of the destination past the
// cache. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CHANNELS_CONVERTED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CHANNELS_CONVERTED_INL
#undef TENSTRIDE_COPY_KERNELS_CHANNELS_CONVERTED_INL
#else
#define TENSTRIDE_COPY_KERNELS_CHANNELS_CONVERTED_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/convert/convert-inl.h"
#include "copy/convert/types-inl.h"
#include "copy/kernels/channels-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// So many pixels are taken apart channel by channel: a run of memory for each channel (bytes to floats, 3
/// channels, .83 of a plain copy, where a plain fill of what is written has .90 to .95; by 64 pixels .5 to
/// .75, as the source is then read among stores to three places), from the L1 cache.
inline constexpr std::size_t pixels_at_once = 448;

/// Where the bytes of channel c of four pixels go: each to the lowest of 4, to be a number of 32 bits.
template <std::size_t channels>
std::array<std::uint8_t, 16> channel_bytes(std::size_t c) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 16; ++i)
    bytes[i] = i % 4 == 0 ? static_cast<std::uint8_t>(i / 4 * channels + c) : std::uint8_t{0x80};
  return bytes;
}

/// Four pixels in each 16 bytes of a vector. Reads a whole vector, whatever of it is wanted.
template <std::size_t channels>
HWY_INLINE auto load_pixels(const std::byte* in) {
  const hn::FixedTag<std::uint32_t, widest / 4> d;
  const auto v = hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(in));
  if constexpr (widest == 16 || channels == 4) {
    return v;
  } else {
    alignas(64) static constexpr auto words = [] {
      std::array<std::int32_t, widest / 4> from{};
      for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<std::int32_t>(i % 4 < channels ? i / 4 * channels + i % 4 : 0);
      return from;
    }();
    return hn::TableLookupLanes(v, hn::SetTableIndices(d, words.data()));
  }
}

/// A half float of a number that is not NaN.
struct FiniteFloat16 {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
  }
};

/// A bfloat16 of a number that is not NaN.
struct FiniteBfloat16 {
  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    return hn::BitCast(hn::RebindToSigned<D>(), round_to_upper_half(d, v));
  }
};

/// Channel c of `count` pixels, a multiple of a line of results. Reads whole vectors.
template <class To, class Rule, std::size_t channels, bool scales>
void stream_channel(std::byte* out, const std::byte* in, std::size_t count, std::size_t c, float scale,
                    float shift) {
  const hn::FixedTag<float, widest / 4> d;
  const hn::FixedTag<std::uint8_t, widest> bytes;
  const hn::FixedTag<Bits<To>, widest / sizeof(To)> result;
  constexpr std::size_t lanes = widest / 4;
  constexpr std::size_t in_vector = widest / sizeof(To);
  constexpr std::size_t vectors = 64 / widest;
  const auto places = channel_bytes<channels>(c);
  const auto table = hn::LoadDup128(bytes, places.data());
  const auto factor = hn::Set(d, scale);
  const auto summand = hn::Set(d, shift);
  const auto floats = [&](std::size_t i) HWY_ATTR {
    const auto pixels = load_pixels<channels>(in + i * channels);
    const auto numbers = hn::TableLookupBytesOr0(hn::BitCast(bytes, pixels), table);
    const auto v = hn::ConvertTo(d, hn::BitCast(hn::RebindToSigned<decltype(d)>(), numbers));
    if constexpr (scales) {
      return hn::Add(hn::Mul(v, factor), summand);
    } else {
      return v;
    }
  };
  for (std::size_t i = 0; i < count; i += vectors * in_vector) {
    hn::Vec<decltype(result)> line[vectors];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < vectors; ++k) {
      line[k] = convert_whole<To, Rule>([&](std::size_t p)
                                            HWY_ATTR { return floats(i + k * in_vector + p * lanes); });
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < vectors; ++k)
      hn::Stream(line[k], result, reinterpret_cast<Bits<To>*>(out + i * sizeof(To) + k * widest));
  }
}

/// Whole lines of each channel of bytes, converted from register to register: the bytes are spread by the
/// same shuffle that takes them apart.
template <class To, class Rule, std::size_t channels, bool scales>
void convert_deinterleaved(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count,
                           const float* scale, const float* shift) {
  constexpr std::size_t line = 64 / sizeof(To);
  const auto channel = [&](std::size_t c, const std::byte* from, std::size_t at, std::size_t part) HWY_ATTR {
    stream_channel<To, Rule, channels, scales>(out + c * pitch + at * sizeof(To), from, part, c,
                                               scales ? scale[c] : 1.0F, scales ? shift[c] : 0.0F);
  };
  if (count == 0) return;
  const std::size_t before_last = count - line;
  for (std::size_t i = 0; i < before_last; i += pixels_at_once) {
    const std::size_t part = std::min(pixels_at_once, before_last - i);
    for (std::size_t c = 0; c < channels; ++c) channel(c, in + i * channels, i, part);
  }
  // Of what lies behind the last pixel nothing is read.
  alignas(64) std::array<std::byte, line * channels + widest> last{};
  std::memcpy(last.data(), in + before_last * channels, line * channels);
  for (std::size_t c = 0; c < channels; ++c) channel(c, last.data(), before_last, line);
}

template <class To, class Exact, class Finite>
ConvertingKernels::Deinterleave pick_deinterleaved(std::size_t channels, Arithmetic arithmetic) {
  const bool scales = arithmetic == Arithmetic::scaled;
  if (channels == 2)
    return scales ? convert_deinterleaved<To, Finite, 2, true> : convert_deinterleaved<To, Exact, 2, false>;
  if (channels == 3)
    return scales ? convert_deinterleaved<To, Finite, 3, true> : convert_deinterleaved<To, Exact, 3, false>;
  if (channels == 4)
    return scales ? convert_deinterleaved<To, Finite, 4, true> : convert_deinterleaved<To, Exact, 4, false>;
  return nullptr;
}

/// So far ahead of what is woven each channel is asked for (floats to bytes, 3 channels, .92 of a plain copy;
/// by half of it .85, without .68).
inline constexpr std::size_t interleaved_ahead = 4096;

/// A vector of bytes of `in`.
template <class From, bool scales>
HWY_INLINE auto load_as_bytes(const std::byte* in, float scale, float shift) {
  const hn::FixedTag<float, widest / 4> d;
  return convert_whole<std::uint8_t, FromFloats<std::uint8_t>>([&](std::size_t p) HWY_ATTR {
    const std::byte* const from = in + p * (widest / 4) * sizeof(From);
    const auto v = ToFloats<From>::run(d, reinterpret_cast<const Bits<From>*>(from));
    if constexpr (scales) {
      return hn::Add(hn::Mul(v, hn::Set(d, scale)), hn::Set(d, shift));
    } else {
      return v;
    }
  });
}

/// Each channel is converted in registers, then woven there.
template <class From, std::size_t channels, bool scales>
void convert_interleaved(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t count,
                         const float* scale, const float* shift) {
  const hn::FixedTag<std::uint8_t, widest> bytes;
  for (std::size_t i = 0; i < count; i += widest, out += channels * widest) {
    const auto from = [&](std::size_t c) HWY_ATTR {
      const std::byte* const row = in + static_cast<std::ptrdiff_t>(c) * pitch + i * sizeof(From);
#pragma GCC unroll 4
      for (std::size_t at = 0; at < widest * sizeof(From); at += 64)
        __builtin_prefetch(row + interleaved_ahead + at, 0, 2);
      return load_as_bytes<From, scales>(row, scales ? scale[c] : 1.0F, scales ? shift[c] : 0.0F);
    };
    alignas(64) std::uint8_t interleave[channels * widest];
    store_channels<channels>(bytes, from, interleave);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < channels * widest; k += widest)
      hn::Stream(hn::Load(bytes, interleave + k), bytes, reinterpret_cast<std::uint8_t*>(out) + k);
  }
}

template <class From>
ConvertingKernels::Interleave pick_interleaved(std::size_t channels, Arithmetic arithmetic) {
  if constexpr (widest >= 32) {
    const bool scales = arithmetic == Arithmetic::scaled;
    if (channels == 2)
      return scales ? convert_interleaved<From, 2, true> : convert_interleaved<From, 2, false>;
    if (channels == 3)
      return scales ? convert_interleaved<From, 3, true> : convert_interleaved<From, 3, false>;
    if (channels == 4)
      return scales ? convert_interleaved<From, 4, true> : convert_interleaved<From, 4, false>;
  }
  return nullptr;
}

inline ConvertingKernels::Interleave find_convert_interleaved(DType to, DType from, std::size_t channels,
                                                              Arithmetic arithmetic) {
  if (to != DType::uint8) return nullptr;
  if (from == DType::float32) return pick_interleaved<float>(channels, arithmetic);
  if (from == DType::bfloat16) return pick_interleaved<bfloat16>(channels, arithmetic);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if (from == DType::float16) return pick_interleaved<float16>(channels, arithmetic);
#endif
  return nullptr;
}

inline ConvertingKernels::Deinterleave find_convert_deinterleaved(DType to, DType from, std::size_t channels,
                                                                  Arithmetic arithmetic) {
  if (from != DType::uint8) return nullptr;
  if (to == DType::float32)
    return pick_deinterleaved<float, FromFloats<float>, FromFloats<float>>(channels, arithmetic);
  if (to == DType::bfloat16)
    return pick_deinterleaved<bfloat16, ExactBfloat16, FiniteBfloat16>(channels, arithmetic);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if (to == DType::float16)
    return pick_deinterleaved<float16, FiniteFloat16, FiniteFloat16>(channels, arithmetic);
#endif
  return nullptr;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
