// SPDX-License-Identifier: Apache-2.0
// Interleaving and deinterleaving short axes by streaming stores of whole lines. Included once for each
// instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CHANNELS_STREAMED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CHANNELS_STREAMED_INL
#undef TENSTRIDE_COPY_KERNELS_CHANNELS_STREAMED_INL
#else
#define TENSTRIDE_COPY_KERNELS_CHANNELS_STREAMED_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "copy/kernels/channels-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// The bytes of a channel that are written together when channels are deinterleaved. Pieces of two lines are
/// written as fast as a long run: .71 (single lines) → .94 of a plain copy (16 channels of float32).
inline constexpr std::size_t piece_bytes = 128;
/// As `piece_bytes`, for more than 16 channels, which are packed into a buffer first.
inline constexpr std::size_t long_piece_bytes = 256;
/// The prefetch distance into the L2 cache, in bytes, or four pieces of each channel where these are more.
/// With each line written one line is prefetched: .77 (no prefetch) → .97 of a plain copy (3 channels of
/// float32, deinterleaved).
inline constexpr std::size_t l2_distance = 8192;
/// The prefetch distance into the L1 cache, in bytes. The lines are in the L2 cache by then: the processor's
/// prefetcher brings rows that are interleaved, and `l2_distance` what is deinterleaved. Compared with 8 KiB
/// alone: .92 → 1.02 of a plain copy (3 planes of 224×224 uint8, interleaved), .71-.85 → .94-1.0 (16 planes
/// of float16), .83-.92 → .96 (64 channels of float32, deinterleaved). Deinterleaving 2 to 4 channels does
/// not use it.
inline constexpr std::size_t l1_distance = 512;
/// The prefetch distance for rows that are interleaved under MemoryStreams::one. 512 → 256: .83-.97 →
/// 1.02-1.10 of a plain copy (2 to 4 planes of 16 Mi items of 1, 2 and 4 bytes, Zen 5), .91 → 1.06 (5 planes
/// of float32, Zen 5).
inline constexpr std::size_t one_stream_l1_distance = 256;

constexpr std::size_t l1_distance_of(MemoryStreams streams) {
  return streams == MemoryStreams::one ? one_stream_l1_distance : l1_distance;
}

/// Writes a line by streaming stores.
HWY_INLINE void write_line(std::byte* dst, const std::byte* src) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (std::size_t part = 0; part < 64; part += step) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(src) + part), d,
               reinterpret_cast<std::uint8_t*>(dst) + part);
  }
}

/// Deinterleaves `bytes` of each of two to four channels, from registers by streaming stores.
template <std::size_t item, std::size_t channels, std::size_t bytes>
HWY_INLINE void stream_2_to_4_deinterleaved(std::byte* out, std::size_t pitch, const std::byte* in) {
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  constexpr std::size_t vectors = bytes / widest;
#pragma GCC unroll 16
  for (std::size_t at = 0; at < channels * bytes; at += 64) __builtin_prefetch(in + l2_distance + at, 0, 2);
  std::array<hn::Vec<decltype(d)>, channels> v[vectors];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < vectors; ++k) v[k] = load_channels<channels>(d, in + k * channels * widest);
#pragma GCC unroll 4
  for (std::size_t c = 0; c < channels; ++c) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < vectors; ++k)
      hn::Stream(v[k][c], d, reinterpret_cast<T*>(out + c * pitch + k * widest));
  }
}

template <std::size_t item, std::size_t channels>
void deinterleave_2_to_4_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count) {
  const std::size_t bytes = count * item;
  std::size_t at = 0;
  for (; at + piece_bytes <= bytes; at += piece_bytes)
    stream_2_to_4_deinterleaved<item, channels, piece_bytes>(out + at, pitch, in + at * channels);
  for (; at < bytes; at += 64)
    stream_2_to_4_deinterleaved<item, channels, 64>(out + at, pitch, in + at * channels);
}

/// Writes the first `bytes` of a piece of each channel by streaming stores. Pieces lie `piece_pitch` apart.
HWY_INLINE void stream_pieces(std::byte* dst, std::size_t pitch, const std::byte* from,
                              std::size_t piece_pitch, std::size_t channels, std::size_t bytes) {
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t at = 0; at < bytes; at += 64)
      write_line(dst + c * pitch + at, from + c * piece_pitch + at);
  }
}

/// Deinterleaves the last pixels: less than a piece of each channel, and what cannot be read by whole
/// vectors. Precondition: at most 256 bytes of each channel.
template <std::size_t item>
void deinterleave_last_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                             std::size_t count) {
  alignas(64) std::byte separate[max_pass_channels * long_piece_bytes];
  for (std::size_t c = 0; c < channels && count != 0; c += max_pass_channels) {
    const std::size_t taken = std::min(max_pass_channels, channels - c);
    deinterleave_part<item>(separate, long_piece_bytes, in + c * item, channels * item, taken, count,
                            nullptr);
    stream_pieces(out + c * pitch, pitch, separate, long_piece_bytes, taken, count * item);
  }
}

/// Returns how many of the last pixels may not be read by vectors of 16 bytes, where `bytes` of each pixel
/// are needed: the vector would end behind the last pixel.
inline std::size_t pixels_read_beyond(std::size_t bytes, std::size_t pixel) {
  return bytes < 16 ? (16 - bytes + pixel - 1) / pixel : 0;
}

/// Deinterleaves a piece of each of the channels [first, last) of those in 16 bytes of a pixel, from
/// registers by streaming stores. With each line it prefetches the next lines of `far` and of `near`.
template <std::size_t item>
HWY_INLINE void stream_group_deinterleaved(std::byte* out, std::size_t pitch, const std::byte* in,
                                           std::size_t pixel, std::size_t first, std::size_t last,
                                           Addresses& far, Addresses& near) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t vectors = piece_bytes / widest;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  const auto step = static_cast<Index>(pixel);
  const auto block = static_cast<Index>(group) * step;
  hn::Vec<decltype(d)> v[vectors][group];
#pragma GCC unroll 2
  for (std::size_t k = 0; k < vectors; ++k) {
    const std::byte* const from = in + k * (widest / item) * pixel;
    std::array<Addresses, 4> blocks{Addresses(from, step), Addresses(from + block, step),
                                    Addresses(from + 2 * block, step), Addresses(from + 3 * block, step)};
#pragma GCC unroll 16
    for (std::size_t r = 0; r < group; ++r)
      v[k][r] = load_blocks(d, [&](std::size_t j) HWY_ATTR { return blocks[j].next(); });
    interleave_blocks<group>(d, v[k]);
  }
  Addresses channels(out, static_cast<Index>(pitch));
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    T* const to = reinterpret_cast<T*>(const_cast<std::byte*>(channels.next()));
    if (c < first || c >= last) continue;
#pragma GCC unroll 2
    for (std::size_t k = 0; k < vectors; ++k) {
      __builtin_prefetch(far.next(), 0, 2);
      __builtin_prefetch(near.next(), 0, 3);
      hn::Stream(v[k][c], d, to + k * widest / sizeof(T));
    }
  }
}

/// Deinterleaves any number of channels, 16 bytes of each pixel at a time.
template <std::size_t item>
void deinterleave_groups_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                               std::size_t count) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t piece = piece_bytes / item;
  const std::size_t pixel = channels * item;
  const std::size_t beyond = pixels_read_beyond(pixel, pixel);
  const std::size_t pieces = channels * piece_bytes;
  Addresses far(in + std::max(l2_distance, 4 * pieces), 64);
  Addresses near(in + std::max(2 * l1_distance, pieces), 64);
  std::size_t i = 0;
  for (; i + piece + beyond <= count; i += piece) {
    for (std::size_t c = 0; c < channels; c += group) {
      // The last channels are read together with some before them, which are not written again.
      const std::size_t first = channels < group ? 0 : std::min(c, channels - group);
      stream_group_deinterleaved<item>(out + first * pitch + i * item, pitch, in + i * pixel + first * item,
                                       pixel, c - first, std::min(group, channels - first), far, near);
    }
  }
  deinterleave_last_lines<item>(out + i * item, pitch, in + i * pixel, channels, count - i);
}

/// Deinterleaves what does not fit the registers: a piece of each channel, 16 channels at a time, into one of
/// two buffers, while the pieces in the other are written by streaming stores. So no load waits for a store
/// that stands behind a streaming store, and all addresses are computed in registers: .73 (from registers) →
/// .84 of a plain copy (16 channels of uint8).
template <std::size_t item, std::size_t bytes_of_piece>
void deinterleave_buffered_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                                 std::size_t count) {
  constexpr std::size_t step = widest / item;
  constexpr std::size_t steps = bytes_of_piece / widest;
  constexpr std::size_t piece = bytes_of_piece / item;
  const std::size_t parts = (channels + max_pass_channels - 1) / max_pass_channels;
  const std::size_t part = (channels + parts - 1) / parts;
  const std::size_t pixel = channels * item;
  const std::size_t last = (channels - (parts - 1) * part) * item;  // bytes of the last part
  const std::size_t beyond = pixels_read_beyond(last, pixel);
  alignas(64) std::byte separate[2][max_pass_channels * bytes_of_piece];
  std::byte* now = separate[0];
  std::byte* before = separate[1];
  std::byte* dst = out;
  std::size_t sent = 0;
  const std::byte* prefetched = in + std::max(l2_distance, 2 * channels * bytes_of_piece);
  std::size_t i = 0;
  for (; i + piece + beyond <= count; i += piece) {
    for (std::size_t first = 0; first < channels; first += part) {
      const std::size_t taken = std::min(part, channels - first);
      const std::byte* const src = in + i * pixel + first * item;
      const std::byte* from = before;
      std::size_t c = 0;
      for (std::size_t s = 0; s < steps; ++s) {
        for (const std::size_t end = (s + 1) * sent / steps; c < end; ++c) {
#pragma GCC unroll 4
          for (std::size_t at = 0; at < bytes_of_piece; at += 64) {
            __builtin_prefetch(prefetched + at, 0, 2);
            write_line(dst + at, from + at);
          }
          dst += pitch;
          from += bytes_of_piece;
          prefetched += bytes_of_piece;
        }
        deinterleave_pixels<item>(now + s * widest, bytes_of_piece, src + s * step * pixel, pixel, taken);
      }
      dst = out + first * pitch + i * item;
      sent = taken;
      std::swap(now, before);
    }
  }
  stream_pieces(dst, pitch, before, bytes_of_piece, sent, bytes_of_piece);
  deinterleave_last_lines<item>(out + i * item, pitch, in + i * pixel, channels, count - i);
}

template <std::size_t item>
void deinterleave_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                        std::size_t count) {
  if constexpr (item <= 8) {
    if (channels == 2) return deinterleave_2_to_4_lines<item, 2>(out, pitch, in, count);
    if (channels == 3) return deinterleave_2_to_4_lines<item, 3>(out, pitch, in, count);
    if (channels == 4) return deinterleave_2_to_4_lines<item, 4>(out, pitch, in, count);
  }
  if constexpr (item >= 2 && widest == 64)
    return deinterleave_groups_lines<item>(out, pitch, in, channels, count);
  if (channels <= max_pass_channels) {
    deinterleave_buffered_lines<item, piece_bytes>(out, pitch, in, channels, count);
  } else {
    deinterleave_buffered_lines<item, long_piece_bytes>(out, pitch, in, channels, count);
  }
}

/// Interleaves two to four channels, a vector of each at a time, by streaming stores.
template <std::size_t item, std::size_t channels>
void interleave_2_to_4_lines(std::byte* out, const std::byte* in, Index pitch, std::size_t count,
                             MemoryStreams streams) {
  using T = Item<item>;
  const std::size_t near = l1_distance_of(streams);
  const hn::FixedTag<T, widest / sizeof(T)> d;
  for (std::size_t at = 0; at < count * item; at += widest, out += channels * widest) {
    const auto from = [&](Index c) HWY_ATTR {
      const std::byte* const row = in + c * pitch + at;
      if (widest == 64 || at % 64 == 0) __builtin_prefetch(row + near, 0, 3);
      return hn::LoadU(d, reinterpret_cast<const T*>(row));
    };
    alignas(64) T interleaved[channels * widest / item];
    store_channels<channels>(d, from, interleaved);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < channels; ++k) {
      hn::Stream(hn::Load(d, interleaved + k * widest / item), d, reinterpret_cast<T*>(out + k * widest));
    }
  }
}

/// Interleaves a line of each channel into one of two buffers, while the pixels in the other are written by
/// streaming stores.
template <std::size_t item, class Pixels>
void interleave_buffered_lines(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                               std::size_t count, MemoryStreams streams) {
  constexpr std::size_t max_channels = 16;
  const std::size_t near = l1_distance_of(streams);
  const std::size_t pixel = channels * item;
  const std::byte* rows[max_channels];
  for (std::size_t r = 0; r < max_channels; ++r)
    rows[r] = in + static_cast<Index>(std::min(r, channels - 1)) * pitch;
  constexpr std::size_t room = max_channels * 64 + 64;  // 64 for what is written behind the last pixel
  alignas(64) std::byte interleaved[2][room];
  std::byte* now = interleaved[0];
  std::byte* before = interleaved[1];
  for (std::size_t at = 0; at < count * item; at += 64) {
    if (at != 0) {
      for (std::size_t c = 0; c < channels; ++c, out += 64) {
        __builtin_prefetch(rows[c] + at + near, 0, 3);
        write_line(out, before + c * 64);
      }
    }
    for (std::size_t part = 0; part < 64; part += Pixels::read)
      Pixels::run(now + part * channels, pixel, rows, at + part);
    std::swap(now, before);
  }
  for (std::size_t c = 0; c < channels; ++c, out += 64) write_line(out, before + c * 64);
}

/// Interleaves pixels of one or two whole lines, from registers.
template <std::size_t item>
void interleave_squares_lines(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                              std::size_t count, MemoryStreams streams) {
  constexpr std::size_t square = 64 / item;
  const std::size_t near = l1_distance_of(streams);
  const auto pixel = static_cast<Index>(channels * item);
  for (std::size_t i = 0; i < count; i += square, out += square * channels * item) {
    for (std::size_t c = 0; c < channels; c += square) {
      const std::byte* const first = in + static_cast<Index>(c) * pitch + i * item;
      Addresses rows(first, pitch);
      Addresses prefetch(first + near, pitch);
      write_transposed<item>(out + c * item, pixel, rows,
                             [&]() HWY_ATTR { __builtin_prefetch(prefetch.next(), 0, 3); });
    }
  }
}

template <std::size_t item>
void interleave_lines(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                      std::size_t count, MemoryStreams streams) {
  if (count == 0) return;
  if constexpr (item <= 8) {
    if (channels == 2) return interleave_2_to_4_lines<item, 2>(out, in, pitch, count, streams);
    if (channels == 3) return interleave_2_to_4_lines<item, 3>(out, in, pitch, count, streams);
    if (channels == 4) return interleave_2_to_4_lines<item, 4>(out, in, pitch, count, streams);
  }
  if (channels * item <= 16)
    return interleave_buffered_lines<item, ShortPixels<item>>(out, in, pitch, channels, count, streams);
  if constexpr (item >= 4) {
    if (channels * item % 64 == 0)
      return interleave_squares_lines<item>(out, in, pitch, channels, count, streams);
    if (channels * item > 32)
      return interleave_buffered_lines<item, LongPixels<item, widest>>(out, in, pitch, channels, count,
                                                                       streams);
  }
  if constexpr (item >= 2)
    interleave_buffered_lines<item, LongPixels<item, std::min<std::size_t>(widest, 32)>>(
        out, in, pitch, channels, count, streams);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
