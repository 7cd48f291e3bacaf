// SPDX-License-Identifier: Apache-2.0
// Interleaving and deinterleaving pixels of uint8 with a conversion, by streaming stores of whole lines.
// Included once for each instruction set.
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

#include "copy/kernels/channels-inl.h"
#include "copy/kernels/convert-inl.h"
#include "copy/kernels/convert_types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// The pixels that are deinterleaved channel after channel from the L1 cache, a run of memory for each
/// channel. With 64 the source would be read among stores to three runs: .5-.75 → .83 of a plain copy (uint8
/// to float32, 3 channels), where filling the destination alone takes .90 to .95.
inline constexpr std::size_t block_pixels = 448;

/// Returns the shuffle that moves the bytes of channel c of four pixels to the lowest byte of four 32-bit
/// lanes.
template <std::size_t channels>
std::array<std::uint8_t, 16> channel_bytes(std::size_t c) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 16; ++i)
    bytes[i] = i % 4 == 0 ? static_cast<std::uint8_t>(i / 4 * channels + c) : std::uint8_t{0x80};
  return bytes;
}

/// Loads four pixels into each 16 bytes of a vector. Always reads a whole vector.
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

/// Rounds a number that is not NaN to float16.
struct FiniteFloat16 {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
  }
};

/// Rounds a number that is not NaN to bfloat16.
struct FiniteBfloat16 {
  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    return hn::BitCast(hn::RebindToSigned<D>(), round_to_upper_half(d, v));
  }
};

/// Converts channel c of `count` pixels and writes it by streaming stores. `count` is a multiple of the
/// results in a line. Reads whole vectors.
template <class To, class Rule, std::size_t channels, bool scales>
void stream_channel(std::byte* out, const std::byte* in, std::size_t count, std::size_t c, float scale,
                    float shift) {
  const hn::FixedTag<float, widest / 4> d;
  const hn::FixedTag<std::uint8_t, widest> bytes;
  const hn::FixedTag<Bits<To>, widest / sizeof(To)> result;
  constexpr std::size_t lanes = widest / 4;
  constexpr std::size_t vector_results = widest / sizeof(To);
  constexpr std::size_t vectors = 64 / widest;
  const auto shuffle = channel_bytes<channels>(c);
  const auto table = hn::LoadDup128(bytes, shuffle.data());
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
  for (std::size_t i = 0; i < count; i += vectors * vector_results) {
    hn::Vec<decltype(result)> line[vectors];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < vectors; ++k) {
      line[k] = convert_whole<To, Rule>([&](std::size_t p)
                                            HWY_ATTR { return floats(i + k * vector_results + p * lanes); });
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < vectors; ++k)
      hn::Stream(line[k], result, reinterpret_cast<Bits<To>*>(out + i * sizeof(To) + k * widest));
  }
}

/// Deinterleaves and converts whole lines of each channel, from register to register: one shuffle both
/// separates the bytes of a channel and widens them.
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
  for (std::size_t i = 0; i < before_last; i += block_pixels) {
    const std::size_t part = std::min(block_pixels, before_last - i);
    for (std::size_t c = 0; c < channels; ++c) channel(c, in + i * channels, i, part);
  }
  // A copy of the last pixels, so that nothing behind them is read.
  alignas(64) std::array<std::byte, line * channels + widest> last{};
  std::memcpy(last.data(), in + before_last * channels, line * channels);
  for (std::size_t c = 0; c < channels; ++c) channel(c, last.data(), before_last, line);
}

template <class To, class Exact, class Finite>
ConvertingKernels::Deinterleave choose_deinterleaved(std::size_t channels, Arithmetic arithmetic) {
  const bool scales = arithmetic == Arithmetic::scaled;
  if (channels == 2)
    return scales ? convert_deinterleaved<To, Finite, 2, true> : convert_deinterleaved<To, Exact, 2, false>;
  if (channels == 3)
    return scales ? convert_deinterleaved<To, Finite, 3, true> : convert_deinterleaved<To, Exact, 3, false>;
  if (channels == 4)
    return scales ? convert_deinterleaved<To, Finite, 4, true> : convert_deinterleaved<To, Exact, 4, false>;
  return nullptr;
}

/// The prefetch distance of each channel that is interleaved, in bytes. None → 2 KiB → 4 KiB: .68 → .85 → .92
/// of a plain copy (float32 to uint8, 3 channels).
inline constexpr std::size_t interleave_distance = 4096;

/// Loads elements from `in`, scales and shifts them, and returns them as a vector of bytes.
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

/// Converts each channel in registers and interleaves the results.
template <class From, std::size_t channels, bool scales>
void convert_interleaved(std::byte* out, const std::byte* in, Index pitch, std::size_t count,
                         const float* scale, const float* shift) {
  const hn::FixedTag<std::uint8_t, widest> bytes;
  for (std::size_t i = 0; i < count; i += widest, out += channels * widest) {
    const auto from = [&](std::size_t c) HWY_ATTR {
      const std::byte* const row = in + static_cast<Index>(c) * pitch + i * sizeof(From);
#pragma GCC unroll 4
      for (std::size_t at = 0; at < widest * sizeof(From); at += 64)
        __builtin_prefetch(row + interleave_distance + at, 0, 2);
      return load_as_bytes<From, scales>(row, scales ? scale[c] : 1.0F, scales ? shift[c] : 0.0F);
    };
    alignas(64) std::uint8_t interleaved[channels * widest];
    store_channels<channels>(bytes, from, interleaved);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < channels * widest; k += widest)
      hn::Stream(hn::Load(bytes, interleaved + k), bytes, reinterpret_cast<std::uint8_t*>(out) + k);
  }
}

template <class From>
ConvertingKernels::Interleave choose_interleaved(std::size_t channels, Arithmetic arithmetic) {
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
  if (from == DType::float32) return choose_interleaved<float>(channels, arithmetic);
  if (from == DType::bfloat16) return choose_interleaved<bfloat16>(channels, arithmetic);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if (from == DType::float16) return choose_interleaved<float16>(channels, arithmetic);
#endif
  return nullptr;
}

inline ConvertingKernels::Deinterleave find_convert_deinterleaved(DType to, DType from, std::size_t channels,
                                                                  Arithmetic arithmetic) {
  if (from != DType::uint8) return nullptr;
  if (to == DType::float32)
    return choose_deinterleaved<float, FromFloats<float>, FromFloats<float>>(channels, arithmetic);
  if (to == DType::bfloat16)
    return choose_deinterleaved<bfloat16, ExactBfloat16, FiniteBfloat16>(channels, arithmetic);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if (to == DType::float16)
    return choose_deinterleaved<float16, FiniteFloat16, FiniteFloat16>(channels, arithmetic);
#endif
  return nullptr;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
