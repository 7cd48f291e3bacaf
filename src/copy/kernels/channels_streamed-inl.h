// SPDX-License-Identifier: Apache-2.0
// Short axes past the cache: woven into rows, or taken apart, by whole lines of the destination. Included
// once for each instruction set.
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

/// What is written past the cache goes to each channel in pieces of two lines, which cost memory as much as a
/// run (16 floats .94 of a plain copy, by single lines .71); through a buffer, to more than 16 of four.
inline constexpr std::size_t few_piece_bytes = 128;
inline constexpr std::size_t many_piece_bytes = 256;
/// So far ahead of what is taken apart, or woven, its source is asked for, where four pieces of each channel
/// are not more: beside each line that goes out one of it (3 floats taken apart .97, without .77).
inline constexpr std::size_t prefetched_ahead = 8192;
/// The processor's prefetcher brings rows that are woven as near as the L2 cache, requests of lines that far
/// ahead do so for what is taken apart: what lies this near is asked for into the L1 cache as well. Three
/// planes of 224 x 224 bytes .92 of a plain copy by 8 KiB ahead alone and 1.02 so, 16 of half floats
/// .71-.85 and .94-1.0; taken apart, 64 channels of floats .83-.92 and .96. Two to four channels taken apart
/// gain nothing.
inline constexpr std::size_t prefetched_near = 512;
/// The same for rows that are woven where memory is read as one stream: of a plain copy on Zen 5 2 to 4
/// planes of 16 Mi items of 1, 2 and 4 bytes 1.02-1.10 by 256, .83-.97 by 512, five of floats 1.06 and .91;
/// without, 16 planes of bytes .57 and .73.
inline constexpr std::size_t asked_nearer = 256;

constexpr std::size_t near_in_rows(MemoryStreams streams) {
  return streams == MemoryStreams::one ? asked_nearer : prefetched_near;
}

/// A line past the cache.
HWY_INLINE void send_line(std::byte* dst, const std::byte* src) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (std::size_t part = 0; part < 64; part += step) {
    hn::Stream(hn::Load(d, reinterpret_cast<const std::uint8_t*>(src) + part), d,
               reinterpret_cast<std::uint8_t*>(dst) + part);
  }
}

/// `bytes` of each of two to four channels straight from the registers past the cache.
template <std::size_t item, std::size_t channels, std::size_t bytes>
HWY_INLINE void stream_few_apart(std::byte* out, std::size_t pitch, const std::byte* in) {
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  constexpr std::size_t vectors = bytes / widest;
#pragma GCC unroll 16
  for (std::size_t at = 0; at < channels * bytes; at += 64)
    __builtin_prefetch(in + prefetched_ahead + at, 0, 2);
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
void deinterleave_few_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count) {
  const std::size_t bytes = count * item;
  std::size_t at = 0;
  for (; at + few_piece_bytes <= bytes; at += few_piece_bytes)
    stream_few_apart<item, channels, few_piece_bytes>(out + at, pitch, in + at * channels);
  for (; at < bytes; at += 64) stream_few_apart<item, channels, 64>(out + at, pitch, in + at * channels);
}

/// The first `bytes` of a piece of each of `channels`, `piece_bytes` apart.
HWY_INLINE void stream_pieces(std::byte* dst, std::size_t pitch, const std::byte* from,
                              std::size_t piece_bytes, std::size_t channels, std::size_t bytes) {
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t at = 0; at < bytes; at += 64)
      send_line(dst + c * pitch + at, from + c * piece_bytes + at);
  }
}

/// Less than a piece of each channel, and what cannot be read by whole vectors. Pre: at most 256 bytes of
/// each.
template <std::size_t item>
void deinterleave_last_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                             std::size_t count) {
  alignas(64) std::byte apart[channels_at_once * many_piece_bytes];
  for (std::size_t c = 0; c < channels && count != 0; c += channels_at_once) {
    const std::size_t taken = std::min(channels_at_once, channels - c);
    deinterleave_part<item>(apart, many_piece_bytes, in + c * item, channels * item, taken, count, nullptr);
    stream_pieces(out + c * pitch, pitch, apart, many_piece_bytes, taken, count * item);
  }
}

/// Pixels whose neighbouring `bytes` are read by vectors of 16 bytes, but for the last so many.
inline std::size_t pixels_read_beyond(std::size_t bytes, std::size_t pixel) {
  return bytes < 16 ? (16 - bytes + pixel - 1) / pixel : 0;
}

/// A piece of each of the channels [first, last) of those in 16 bytes, straight from the registers past the
/// cache. `far` and `near` give what is asked for beside each line.
template <std::size_t item>
HWY_INLINE void stream_group_apart(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t pixel,
                                   std::size_t first, std::size_t last, Steps& far, Steps& near) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t vectors = few_piece_bytes / widest;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  const auto step = static_cast<std::ptrdiff_t>(pixel);
  const auto block = static_cast<std::ptrdiff_t>(group) * step;
  hn::Vec<decltype(d)> v[vectors][group];
#pragma GCC unroll 2
  for (std::size_t k = 0; k < vectors; ++k) {
    const std::byte* const from = in + k * (widest / item) * pixel;
    std::array<Steps, 4> blocks{Steps(from, step), Steps(from + block, step), Steps(from + 2 * block, step),
                                Steps(from + 3 * block, step)};
#pragma GCC unroll 16
    for (std::size_t r = 0; r < group; ++r)
      v[k][r] = load_blocks(d, [&](std::size_t j) HWY_ATTR { return blocks[j].next(); });
    interleave_blocks<group>(d, v[k]);
  }
  Steps channels(out, static_cast<std::ptrdiff_t>(pitch));
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

/// 16 bytes of the pixels at a time, all of them before the next pixels.
template <std::size_t item>
void deinterleave_groups_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                               std::size_t count) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t piece = few_piece_bytes / item;
  const std::size_t pixel = channels * item;
  const std::size_t beyond = pixels_read_beyond(pixel, pixel);
  const std::size_t pieces = channels * few_piece_bytes;
  Steps far(in + std::max(prefetched_ahead, 4 * pieces), 64);
  Steps near(in + std::max(2 * prefetched_near, pieces), 64);
  std::size_t i = 0;
  for (; i + piece + beyond <= count; i += piece) {
    for (std::size_t c = 0; c < channels; c += group) {
      // The last ones with those before them, which are not written again.
      const std::size_t first = channels < group ? 0 : std::min(c, channels - group);
      stream_group_apart<item>(out + first * pitch + i * item, pitch, in + i * pixel + first * item, pixel,
                               c - first, std::min(group, channels - first), far, near);
    }
  }
  deinterleave_last_lines<item>(out + i * item, pitch, in + i * pixel, channels, count - i);
}

/// Taken apart to one of two buffers, a piece of each channel, 16 channels at a time, while the pieces in the
/// other go out: a load waits for no store behind a streaming one, and places follow from counts in
/// registers. For what does not fit the registers: 16 channels of bytes .84 of a plain copy, .73 straight
/// from them.
template <std::size_t item, std::size_t piece_bytes>
void deinterleave_many_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                             std::size_t count) {
  constexpr std::size_t step = widest / item;
  constexpr std::size_t steps = piece_bytes / widest;
  constexpr std::size_t piece = piece_bytes / item;
  const std::size_t parts = (channels + channels_at_once - 1) / channels_at_once;
  const std::size_t part = (channels + parts - 1) / parts;
  const std::size_t pixel = channels * item;
  const std::size_t last = (channels - (parts - 1) * part) * item;  // bytes of the last part
  const std::size_t beyond = pixels_read_beyond(last, pixel);
  alignas(64) std::byte apart[2][channels_at_once * piece_bytes];
  std::byte* now = apart[0];
  std::byte* before = apart[1];
  std::byte* dst = out;
  std::size_t sent = 0;
  const std::byte* ask = in + std::max(prefetched_ahead, 2 * channels * piece_bytes);
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
          for (std::size_t at = 0; at < piece_bytes; at += 64) {
            __builtin_prefetch(ask + at, 0, 2);
            send_line(dst + at, from + at);
          }
          dst += pitch;
          from += piece_bytes;
          ask += piece_bytes;
        }
        deinterleave_pixels<item>(now + s * widest, piece_bytes, src + s * step * pixel, pixel, taken);
      }
      dst = out + first * pitch + i * item;
      sent = taken;
      std::swap(now, before);
    }
  }
  stream_pieces(dst, pitch, before, piece_bytes, sent, piece_bytes);
  deinterleave_last_lines<item>(out + i * item, pitch, in + i * pixel, channels, count - i);
}

template <std::size_t item>
void deinterleave_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                        std::size_t count) {
  if constexpr (item <= 8) {
    if (channels == 2) return deinterleave_few_lines<item, 2>(out, pitch, in, count);
    if (channels == 3) return deinterleave_few_lines<item, 3>(out, pitch, in, count);
    if (channels == 4) return deinterleave_few_lines<item, 4>(out, pitch, in, count);
  }
  if constexpr (item >= 2 && widest == 64)
    return deinterleave_groups_lines<item>(out, pitch, in, channels, count);
  if (channels <= channels_at_once) {
    deinterleave_many_lines<item, few_piece_bytes>(out, pitch, in, channels, count);
  } else {
    deinterleave_many_lines<item, many_piece_bytes>(out, pitch, in, channels, count);
  }
}

/// A line of each of two to four channels: woven, and straight from the registers past the cache.
template <std::size_t item, std::size_t channels>
void interleave_few_lines(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t count,
                          MemoryStreams streams) {
  using T = Item<item>;
  const std::size_t near = near_in_rows(streams);
  const hn::FixedTag<T, widest / sizeof(T)> d;
  for (std::size_t at = 0; at < count * item; at += widest, out += channels * widest) {
    const auto from = [&](std::ptrdiff_t c) HWY_ATTR {
      const std::byte* const row = in + c * pitch + at;
      if (widest == 64 || at % 64 == 0) __builtin_prefetch(row + near, 0, 3);
      return hn::LoadU(d, reinterpret_cast<const T*>(row));
    };
    alignas(64) T interleave[channels * widest / item];
    store_channels<channels>(d, from, interleave);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < channels; ++k) {
      hn::Stream(hn::Load(d, interleave + k * widest / item), d, reinterpret_cast<T*>(out + k * widest));
    }
  }
}

/// A line of each channel woven to one of two buffers, while the pixels in the other go out.
template <std::size_t item, class Pixels>
void interleave_many_lines(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t channels,
                           std::size_t count, MemoryStreams streams) {
  constexpr std::size_t most = 16;
  const std::size_t near = near_in_rows(streams);
  const std::size_t pixel = channels * item;
  const std::byte* rows[most];
  for (std::size_t r = 0; r < most; ++r)
    rows[r] = in + static_cast<std::ptrdiff_t>(std::min(r, channels - 1)) * pitch;
  constexpr std::size_t room = most * 64 + 64;  // what the last pixel writes too much
  alignas(64) std::byte interleave[2][room];
  std::byte* now = interleave[0];
  std::byte* before = interleave[1];
  for (std::size_t at = 0; at < count * item; at += 64) {
    if (at != 0) {
      for (std::size_t c = 0; c < channels; ++c, out += 64) {
        __builtin_prefetch(rows[c] + at + near, 0, 3);
        send_line(out, before + c * 64);
      }
    }
    for (std::size_t part = 0; part < 64; part += Pixels::read)
      Pixels::run(now + part * channels, pixel, rows, at + part);
    std::swap(now, before);
  }
  for (std::size_t c = 0; c < channels; ++c, out += 64) send_line(out, before + c * 64);
}

/// Pixels of one or two whole lines, straight from the registers.
template <std::size_t item>
void interleave_squares_lines(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t channels,
                              std::size_t count, MemoryStreams streams) {
  constexpr std::size_t square = 64 / item;
  const std::size_t near = near_in_rows(streams);
  const auto pixel = static_cast<std::ptrdiff_t>(channels * item);
  for (std::size_t i = 0; i < count; i += square, out += square * channels * item) {
    for (std::size_t c = 0; c < channels; c += square) {
      const std::byte* const first = in + static_cast<std::ptrdiff_t>(c) * pitch + i * item;
      Steps rows(first, pitch);
      Steps prefetch(first + near, pitch);
      write_transposed<item>(out + c * item, pixel, rows,
                             [&]() HWY_ATTR { __builtin_prefetch(prefetch.next(), 0, 3); });
    }
  }
}

template <std::size_t item>
void interleave_lines(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t channels,
                      std::size_t count, MemoryStreams streams) {
  if (count == 0) return;
  if constexpr (item <= 8) {
    if (channels == 2) return interleave_few_lines<item, 2>(out, in, pitch, count, streams);
    if (channels == 3) return interleave_few_lines<item, 3>(out, in, pitch, count, streams);
    if (channels == 4) return interleave_few_lines<item, 4>(out, in, pitch, count, streams);
  }
  if (channels * item <= 16)
    return interleave_many_lines<item, ShortPixels<item>>(out, in, pitch, channels, count, streams);
  if constexpr (item >= 4) {
    if (channels * item % 64 == 0)
      return interleave_squares_lines<item>(out, in, pitch, channels, count, streams);
    if (channels * item > 32)
      return interleave_many_lines<item, LongPixels<item, widest>>(out, in, pitch, channels, count, streams);
  }
  if constexpr (item >= 2)
    interleave_many_lines<item, LongPixels<item, std::min<std::size_t>(widest, 32)>>(out, in, pitch, channels,
                                                                                     count, streams);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
