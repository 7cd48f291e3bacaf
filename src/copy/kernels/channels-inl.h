// SPDX-License-Identifier: Apache-2.0
// Interleaving and deinterleaving short axes, directly into the destination, which is written sequentially by
// ordinary stores. A pixel is one item of each channel. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CHANNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CHANNELS_INL
#undef TENSTRIDE_COPY_KERNELS_CHANNELS_INL
#else
#define TENSTRIDE_COPY_KERNELS_CHANNELS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/convert_numbers-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Loads and deinterleaves a vector of each of two to four channels.
template <std::size_t channels, class D>
HWY_INLINE std::array<hn::Vec<D>, channels> load_channels(D d, const std::byte* in) {
  const auto* from = reinterpret_cast<const hn::TFromD<D>*>(in);
  std::array<hn::Vec<D>, channels> v;
  if constexpr (channels == 2) hn::LoadInterleaved2(d, from, v[0], v[1]);
  if constexpr (channels == 3) hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  if constexpr (channels == 4) hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
  return v;
}

/// Interleaves and stores a vector of each of two to four channels; from(c) returns that of channel c.
template <std::size_t channels, class D, class From>
HWY_INLINE void store_channels(D d, const From& from, hn::TFromD<D>* to) {
  if constexpr (channels == 2) hn::StoreInterleaved2(from(0), from(1), d, to);
  if constexpr (channels == 3) hn::StoreInterleaved3(from(0), from(1), from(2), d, to);
  if constexpr (channels == 4) hn::StoreInterleaved4(from(0), from(1), from(2), from(3), d, to);
}

/// Calls visit(i) for vectors of `lanes` items that cover `count` items. The last one may overlap the one
/// before it. Precondition: count >= lanes.
template <class Visit>
HWY_INLINE void for_each_vector(std::size_t count, std::size_t lanes, const Visit& visit) {
  for (std::size_t i = 0; i < count; i += lanes) visit(std::min(i, count - lanes));
}

/// Calls `run` with the tag of the widest vector that `count` items fill. Returns false where they fill none.
template <std::size_t item, std::size_t bytes = widest, class Run>
HWY_INLINE bool with_vector(std::size_t count, const Run& run) {
  if (count * item >= bytes) {
    run(hn::FixedTag<Item<item>, bytes / item>());
    return true;
  }
  if constexpr (bytes > 16) return with_vector<item, bytes / 2>(count, run);
  return false;
}

/// Deinterleaves two to four channels. Returns false where the pixels do not fill a vector.
template <std::size_t item, std::size_t channels>
bool deinterleave_2_to_4(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count) {
  using T = Item<item>;
  return with_vector<item>(count, [=](auto d) HWY_ATTR {
    for_each_vector(count, hn::MaxLanes(d), [=](std::size_t i) HWY_ATTR {
      const auto v = load_channels<channels>(d, in + i * channels * item);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < channels; ++c)
        hn::StoreU(v[c], d, reinterpret_cast<T*>(out + c * pitch + i * item));
    });
  });
}

/// Interleaves two to four channels. Returns false where the pixels do not fill a vector.
template <std::size_t item, std::size_t channels>
bool interleave_2_to_4(std::byte* out, const std::byte* in, Index pitch, std::size_t count) {
  using T = Item<item>;
  return with_vector<item>(count, [=](auto d) HWY_ATTR {
    for_each_vector(count, hn::MaxLanes(d), [=](std::size_t i) HWY_ATTR {
      const auto from = [=](Index c) HWY_ATTR {
        return hn::LoadU(d, reinterpret_cast<const T*>(in + c * pitch + i * item));
      };
      store_channels<channels>(d, from, reinterpret_cast<T*>(out + i * channels * item));
    });
  });
}

/// Deinterleaves up to 16 bytes of each of widest / item pixels: one vector for each channel.
template <std::size_t item>
HWY_INLINE void deinterleave_items(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t pixel,
                                   std::size_t channels) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < group; ++r)
    v[r] = load_blocks(d, [=](std::size_t j) { return in + (r + j * group) * pixel; });
  interleave_blocks<group>(d, v);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    if (c < channels) hn::StoreU(v[c], d, reinterpret_cast<T*>(out + c * pitch));
  }
}

/// Deinterleaves widest / item pixels. Reads up to 15 bytes behind the last one where its channels have fewer
/// than 16 bytes.
template <std::size_t item>
HWY_INLINE void deinterleave_pixels(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t pixel,
                                    std::size_t channels) {
  constexpr std::size_t group = 16 / item;
  if (channels < group) {
    deinterleave_items<item>(out, pitch, in, pixel, channels);
    return;
  }
  if constexpr (item >= 4) {
    if (channels * item % widest == 0) {
      const std::byte* rows[widest / item];
      for (std::size_t r = 0; r < widest / item; ++r) rows[r] = in + r * pixel;
      for (std::size_t c = 0; c < channels; c += widest / item)
        transpose_square<item, widest>(out + c * pitch, pitch, rows, c * item, []() {});
      return;
    }
  }
  for (std::size_t c = 0; c < channels; c += group) {
    // The last channels together with some before them, again, so that they have 16 bytes.
    const std::size_t first = std::min(c, channels - group);
    deinterleave_items<item>(out + first * pitch, pitch, in + first * item, pixel, group);
  }
}

/// The greatest number of channels that are written in one pass: as many streams as the processor follows.
inline constexpr std::size_t max_pass_channels = 16;

/// Deinterleaves up to `max_pass_channels` neighbouring channels of pixels that lie `pixel` bytes apart.
template <std::size_t item>
void deinterleave_part(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t pixel,
                       std::size_t channels, std::size_t count, const std::byte* next) {
  constexpr std::size_t step = widest / item;
  const std::size_t bytes = channels * item;
  const std::size_t beyond = bytes < 16 ? (16 - bytes + pixel - 1) / pixel : 0;  // pixels
  const std::size_t written = channels * widest;                                 // in a step
  std::size_t i = 0;
  for (; i + step + beyond <= count; i += step) {
    if (next != nullptr) {
      for (std::size_t at = 0; at < written; at += 64) __builtin_prefetch(next + at, 0, 2);
      next += written;
    }
    deinterleave_pixels<item>(out + i * item, pitch, in + i * pixel, pixel, channels);
  }
  alignas(64) std::array<std::byte, step * max_pass_channels * item + 16> pixels{};
  alignas(64) std::array<std::byte, max_pass_channels * widest> separate;
  for (; i < count; i += step) {
    const std::size_t rest = std::min(count - i, step);
    for (std::size_t k = 0; k < rest; ++k)
      std::memcpy(pixels.data() + k * bytes, in + (i + k) * pixel, bytes);
    deinterleave_pixels<item>(separate.data(), widest, pixels.data(), bytes, channels);
    for (std::size_t c = 0; c < channels; ++c)
      std::memcpy(out + c * pitch + i * item, separate.data() + c * widest, rest * item);
  }
}

/// Deinterleaves any number of channels, in passes of equally many.
template <std::size_t item>
void deinterleave_in_passes(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                            std::size_t count, const std::byte* next) {
  const std::size_t parts = (channels + max_pass_channels - 1) / max_pass_channels;
  const std::size_t part = (channels + parts - 1) / parts;
  for (std::size_t c = 0; c < channels; c += part) {
    deinterleave_part<item>(out + c * pitch, pitch, in + c * item, channels * item,
                            std::min(part, channels - c), count,
                            next == nullptr ? nullptr : next + c * count * item);
  }
}

/// Stores a vector in parts of `store_bytes`, the size that sequential stores are fastest with.
template <class D, class V>
HWY_INLINE void store_in_parts(V v, D d, std::byte* to) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(d) * sizeof(T) > store_bytes) {
    const hn::Half<D> half;
    hn::StoreU(hn::LowerHalf(half, v), half, reinterpret_cast<T*>(to));
    hn::StoreU(hn::UpperHalf(half, v), half, reinterpret_cast<T*>(to + store_bytes));
  } else {
    hn::StoreU(v, d, reinterpret_cast<T*>(to));
  }
}

/// Loads a vector of each of `group` channels, and interleaves them within blocks of 16 bytes.
template <std::size_t group, class D>
HWY_INLINE void interleave_rows(D d, hn::Vec<D>* v, const std::byte* const* rows, std::size_t at) {
#pragma GCC unroll 16
  for (std::size_t r = 0; r < group; ++r)
    v[r] = hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(rows[r] + at));
  interleave_blocks<group>(d, v);
}

/// Interleaves pixels of at most 16 bytes: `widest` bytes of each channel. Each pixel is stored as 16 bytes,
/// in ascending order, so that the next pixel overwrites what is too much.
template <std::size_t item>
HWY_INLINE void interleave_short_pixels(std::byte* out, std::size_t pixel, const std::byte* const* rows,
                                        std::size_t at) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = widest / 16;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  interleave_rows<group>(d, v, rows, at);
  alignas(64) std::byte transposed[group][widest];
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) hn::Store(v[c], d, reinterpret_cast<T*>(transposed[c]));
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c, out += pixel) std::memcpy(out, transposed[c] + b * 16, 16);
  }
}

/// Interleaves pixels of 16 bytes, and stores whole vectors of them.
template <std::size_t item>
HWY_INLINE void interleave_pixels_of_16(std::byte* out, const std::byte* const* rows, std::size_t at) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = widest / 16;
  static_assert(group % blocks == 0);
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  interleave_rows<group>(d, v, rows, at);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; c += blocks) transpose_blocks(d, v + c, 1);
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; c += blocks, out += widest) store_in_parts(v[c + b], d, out);
  }
}

/// Interleaves `width` bytes of each of width / item channels. Each pixel is stored as `width` bytes, in
/// ascending order.
template <std::size_t item, std::size_t width>
HWY_INLINE void interleave_square(std::byte* out, std::size_t pixel, const std::byte* const* rows,
                                  std::size_t at) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = width / 16;
  using T = Item<item>;
  const hn::FixedTag<T, width / sizeof(T)> d;
  hn::Vec<decltype(d)> v[blocks * group];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
    interleave_rows<group>(d, v + b * group, rows + b * group, at);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) transpose_blocks(d, v + c, group);
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c, out += pixel) store_in_parts(v[b * group + c], d, out);
  }
}

/// How `interleave_in_steps` interleaves pixels of at most 16 bytes.
template <std::size_t item>
struct ShortPixels {
  static constexpr std::size_t width = 16;
  static constexpr std::size_t read = widest;  // bytes of each channel
  static constexpr std::size_t step = read / item;

  static HWY_INLINE void run(std::byte* out, std::size_t pixel, const std::byte* const* rows,
                             std::size_t at) {
    if constexpr (16 / item % (widest / 16) == 0) {
      if (pixel == 16) {
        interleave_pixels_of_16<item>(out, rows, at);
        return;
      }
    }
    interleave_short_pixels<item>(out, pixel, rows, at);
  }
};

/// How it interleaves longer pixels: by a square for each `bytes` of a pixel.
template <std::size_t item, std::size_t bytes>
struct LongPixels {
  static constexpr std::size_t width = bytes;
  static constexpr std::size_t read = bytes;
  static constexpr std::size_t step = read / item;

  static HWY_INLINE void run(std::byte* out, std::size_t pixel, const std::byte* const* rows,
                             std::size_t at) {
    // From the last part to the first: what the last one writes behind a pixel, the first part of the next
    // pixel overwrites.
    for (std::size_t part = (pixel - 1) / width * width;; part -= width) {
      interleave_square<item, width>(out + part, pixel, rows + part / item, at);
      if (part == 0) return;
    }
  }
};

/// Interleaves up to 16 channels in steps of `Pixels`. A step may write `spilt` bytes behind its last pixel;
/// the next step overwrites them, and the last pixels are written by way of a buffer.
template <std::size_t item, class Pixels>
void interleave_in_steps(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                         std::size_t count) {
  constexpr std::size_t max_channels = 16;
  const std::size_t pixel = channels * item;
  const std::size_t spilt = (pixel + Pixels::width - 1) / Pixels::width * Pixels::width - pixel;
  const std::byte* rows[max_channels];
  for (std::size_t r = 0; r < max_channels; ++r)
    rows[r] = in + static_cast<Index>(std::min(r, channels - 1)) * pitch;
  std::size_t i = 0;
  for (; i + Pixels::step <= count && (count - i - Pixels::step) * pixel >= spilt; i += Pixels::step)
    Pixels::run(out + i * pixel, pixel, rows, i * item);
  if (i == count) return;
  alignas(64) std::array<std::byte, max_channels * Pixels::read> tails{};
  alignas(64) std::array<std::byte, Pixels::step * max_channels * item + Pixels::width> interleaved;
  const std::byte* padded[max_channels];
  for (std::size_t r = 0; r < max_channels; ++r)
    padded[r] = tails.data() + std::min(r, channels - 1) * Pixels::read;
  for (; i < count; i += Pixels::step) {
    const std::size_t rest = std::min(count - i, Pixels::step);
    for (std::size_t c = 0; c < channels; ++c)
      std::memcpy(tails.data() + c * Pixels::read, rows[c] + i * item, rest * item);
    Pixels::run(interleaved.data(), pixel, padded, 0);
    std::memcpy(out + i * pixel, interleaved.data(), rest * pixel);
  }
}

template <std::size_t item>
void deinterleave(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                  std::size_t count, const std::byte* next) {
  if constexpr (item <= 8) {
    if (channels == 2 && deinterleave_2_to_4<item, 2>(out, pitch, in, count)) return;
    if (channels == 3 && deinterleave_2_to_4<item, 3>(out, pitch, in, count)) return;
    if (channels == 4 && deinterleave_2_to_4<item, 4>(out, pitch, in, count)) return;
  }
  deinterleave_in_passes<item>(out, pitch, in, channels, count, next);
}

template <std::size_t item>
void interleave(std::byte* out, const std::byte* in, Index pitch, std::size_t channels, std::size_t count) {
  if constexpr (item <= 8) {
    if (channels == 2 && interleave_2_to_4<item, 2>(out, in, pitch, count)) return;
    if (channels == 3 && interleave_2_to_4<item, 3>(out, in, pitch, count)) return;
    if (channels == 4 && interleave_2_to_4<item, 4>(out, in, pitch, count)) return;
  }
  if (channels * item <= 16) {
    interleave_in_steps<item, ShortPixels<item>>(out, in, pitch, channels, count);
    return;
  }
  if constexpr (item >= 4) {
    if (channels * item > 32) {
      interleave_in_steps<item, LongPixels<item, widest>>(out, in, pitch, channels, count);
      return;
    }
  }
  if constexpr (item >= 2)
    interleave_in_steps<item, LongPixels<item, std::min<std::size_t>(widest, 32)>>(out, in, pitch, channels,
                                                                                   count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
