// SPDX-License-Identifier: Apache-2.0
// Repeating items of any length up to 16 bytes, by shuffles of 16 bytes. Included once for each instruction
// set.
#if defined(TENSTRIDE_COPY_KERNELS_SHORT_ITEMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_SHORT_ITEMS_INL
#undef TENSTRIDE_COPY_KERNELS_SHORT_ITEMS_INL
#else
#define TENSTRIDE_COPY_KERNELS_SHORT_ITEMS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Shuffles that repeat an item 16 times: byte i of block j comes from byte [j][i] of the item. For an item
/// of n bytes n blocks of 16 bytes make a period.
using RepeatedBytes = std::array<std::array<std::uint8_t, 16>, 16>;

/// These shuffles by the length of an item. Computed at compile time: computing one for each row took longer
/// than copying a row of 192 bytes.
inline constexpr auto repeated_bytes = [] {
  std::array<RepeatedBytes, 17> from{};
  for (std::size_t bytes = 1; bytes < from.size(); ++bytes) {
    for (std::size_t j = 0; j < bytes; ++j) {
      for (std::size_t i = 0; i < 16; ++i)
        from[bytes][j][i] = static_cast<std::uint8_t>((16 * j + i) % bytes);
    }
  }
  return from;
}();

/// Returns which byte of the source byte `at` of the destination comes from, where pixels of `bytes` bytes
/// are repeated `times` times.
constexpr std::size_t repeated_source(std::size_t bytes, std::size_t times, std::size_t at) {
  return at / (bytes * times) * bytes + at % bytes;
}

/// The shuffles that repeat pixels of `bytes` bytes `times` times, for the vectors of one period: the
/// shortest run of whole pixels and whole lines. For each vector: where it is loaded from (`first`), which
/// four words each block of 16 bytes takes (`words`), and which bytes of them (`lanes`).
template <std::size_t bytes, std::size_t times>
struct RepeatedVectors {
  static constexpr std::size_t period = bytes * times;
  static constexpr std::size_t size = std::lcm(period, std::size_t{64});
  static constexpr std::size_t vectors = size / widest;
  static constexpr std::size_t items = size / period;
  std::array<std::size_t, vectors> first{};
  alignas(widest) std::array<std::array<std::int32_t, widest / 4>, vectors> words{};
  alignas(widest) std::array<std::array<std::uint8_t, widest>, vectors> lanes{};

  constexpr RepeatedVectors() {
    for (std::size_t v = 0; v < vectors; ++v) {
      first[v] = first_of(v * widest, widest);
      for (std::size_t block = 0; block < widest; block += 16) {
        const std::size_t begin = v * widest + block;
        const std::size_t word = widest == 16 ? 0 : (first_of(begin, 16) - first[v]) / 4;
        for (std::size_t i = 0; i < 4; ++i) words[v][block / 4 + i] = static_cast<std::int32_t>(word + i);
        for (std::size_t i = 0; i < 16; ++i) {
          lanes[v][block + i] =
              static_cast<std::uint8_t>(repeated_source(bytes, times, begin + i) - first[v] - 4 * word);
        }
      }
    }
  }

  /// Returns how many bytes of the source, from the first item on, are read.
  [[nodiscard]] constexpr std::size_t reach() const { return first[vectors - 1] + widest; }

  /// Returns whether the four words of each block hold all bytes that it takes.
  [[nodiscard]] constexpr bool fits() const {
    for (const auto& vector : lanes) {
      for (const std::uint8_t lane : vector) {
        if (lane >= 16) return false;
      }
    }
    return true;
  }

 private:
  /// Returns the lowest source byte of the `count` destination bytes from `at` on.
  static constexpr std::size_t first_of(std::size_t at, std::size_t count) {
    std::size_t lowest = repeated_source(bytes, times, at);
    for (std::size_t i = 1; i < count; ++i) lowest = std::min(lowest, repeated_source(bytes, times, at + i));
    return lowest;
  }
};

/// Loads a vector, takes four words of it for each block of 16 bytes, and of these words the given bytes.
HWY_INLINE auto shuffle_bytes(const std::byte* in, const std::array<std::int32_t, widest / 4>& words,
                              const std::array<std::uint8_t, widest>& bytes) {
  const hn::FixedTag<std::uint8_t, widest> d;
  const auto v = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(in));
  const auto indices = hn::LoadU(d, bytes.data());
  if constexpr (widest == 16) {
    return hn::TableLookupBytesOr0(v, indices);
  } else {
    const hn::FixedTag<std::uint32_t, widest / 4> d32;
    const auto blocks = hn::TableLookupLanes(hn::BitCast(d32, v), hn::SetTableIndices(d32, words.data()));
    return hn::TableLookupBytesOr0(hn::BitCast(d, blocks), indices);
  }
}

/// Calls put(at, vector) for whole lines of contiguous pixels, each repeated. Returns how many pixels these
/// were.
template <std::size_t bytes, std::size_t times, class Put>
HWY_INLINE std::size_t repeat_pixels(const std::byte* in, std::size_t count, const Put& put) {
  static constexpr RepeatedVectors<bytes, times> from;
  static_assert(from.fits());
  std::size_t i = 0;
  for (; i * bytes + from.reach() <= count * bytes; i += from.items) {
#pragma GCC unroll 9
    for (std::size_t v = 0; v < from.vectors; ++v)
      put(i * from.period + v * widest,
          shuffle_bytes(in + i * bytes + from.first[v], from.words[v], from.lanes[v]));
  }
  return i;
}

/// Does the same for pixels of three channels of 1, 2 or 4 bytes, repeated two to four times. Returns 0 for
/// all others.
template <class Put>
std::size_t repeat_rgb_pixels(const std::byte* in, std::size_t bytes, std::size_t times, std::size_t count,
                              const Put& put) {
  const auto by_times = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) -> std::size_t {
    if (times == 2) return repeat_pixels<size, 2>(in, count, put);
    if (times == 3) return repeat_pixels<size, 3>(in, count, put);
    if (times == 4) return repeat_pixels<size, 4>(in, count, put);
    return 0;
  };
  if (bytes == 3) return by_times(std::integral_constant<std::size_t, 3>());
  if (bytes == 6) return by_times(std::integral_constant<std::size_t, 6>());
  if (bytes == 12) return by_times(std::integral_constant<std::size_t, 12>());
  return 0;
}

/// Repeats pixels and writes them to all copies from registers. Stores of pixels to a buffer in the L1 cache
/// would wait behind the streaming stores, and reach .78 of a plain fill (4×4 pixels of uint8).
inline std::size_t repeat_lines(std::byte* dst, Index dst_pitch, std::size_t copies, const std::byte* in,
                                std::size_t bytes, std::size_t times, std::size_t count) {
  const hn::FixedTag<std::uint8_t, widest> d;
  const std::size_t pixels = repeat_rgb_pixels(in, bytes, times, count, [=](std::size_t at, auto vector) {
    std::byte* to = dst + at;
    for (std::size_t copy = 0; copy < copies; ++copy, to += dst_pitch)
      hn::Stream(vector, d, reinterpret_cast<std::uint8_t*>(to));
  });
  return pixels * bytes * times;
}

/// Repeats items. Each item is loaded together with the bytes behind it, and written by blocks of 16 bytes;
/// what the last block writes too much, the next item overwrites. The items at both ends, where these bytes
/// may not be read or written, are left to the portable kernel.
inline void repeat_items(std::byte* out, const std::byte* in, Index pitch, std::size_t bytes,
                         std::size_t times, std::size_t count) {
  constexpr std::size_t block = 16;
  const hn::FixedTag<std::uint8_t, block> d;
  const std::size_t period = bytes * times;
  std::size_t pixels = 0;
  if (pitch == static_cast<Index>(bytes)) {
    const hn::FixedTag<std::uint8_t, widest> whole;
    pixels = repeat_rgb_pixels(in, bytes, times, count, [=](std::size_t at, auto vector) {
      hn::StoreU(vector, whole, reinterpret_cast<std::uint8_t*>(out + at));
    });
  }
  out += pixels * period;
  in += static_cast<Index>(pixels) * pitch;
  count -= pixels;
  const auto distance = static_cast<std::size_t>(pitch < 0 ? -pitch : pitch);
  const std::size_t beyond = distance == 0 ? count : (block - bytes + distance - 1) / distance;
  const std::size_t head = std::min(count, pitch < 0 ? beyond : 0);
  const std::size_t tail = std::max((block + period - 1) / period, pitch < 0 ? 0 : beyond);
  const auto repeat_portably = [&](std::size_t from, std::size_t to) {
    portable_kernels().short_items->repeat(out + from * period, in + static_cast<Index>(from) * pitch, pitch,
                                           bytes, times, to - from);
  };
  if (head + tail >= count) return repeat_portably(0, count);
  repeat_portably(0, head);
  const RepeatedBytes& from = repeated_bytes[bytes];
  const std::size_t blocks = (period + block - 1) / block;
  const auto first = hn::LoadU(d, from[0].data());
  for (std::size_t i = head; i < count - tail; ++i) {
    const auto item = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(in + static_cast<Index>(i) * pitch));
    auto* to = reinterpret_cast<std::uint8_t*>(out + i * period);
    hn::StoreU(hn::TableLookupBytes(item, first), d, to);
    for (std::size_t j = 1, phase = 1 % bytes; j < blocks; ++j) {
      hn::StoreU(hn::TableLookupBytes(item, hn::LoadU(d, from[phase].data())), d, to + j * block);
      phase = phase + 1 == bytes ? 0 : phase + 1;
    }
  }
  repeat_portably(count - tail, count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
