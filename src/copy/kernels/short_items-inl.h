// SPDX-License-Identifier: Apache-2.0
// Items of up to 16 bytes, of any length, by shuffles of 16 bytes. Included once for each instruction set.
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

/// Where the bytes of 16 repetitions of an item come from, 16 at a time: then all begins anew.
using RepeatedBytes = std::array<std::array<std::uint8_t, 16>, 16>;

/// By the length of an item. Made once: to make one for each row took longer than rows of 192 bytes.
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

/// Where byte `at` of pixels of `bytes` comes from that are repeated so often.
constexpr std::size_t repeated_source(std::size_t bytes, std::size_t times, std::size_t at) {
  return at / (bytes * times) * bytes + at % bytes;
}

/// How pixels of `bytes` that are repeated so often fill vectors, until all begins anew with a line: from
/// where each is loaded, and what of this each block of 16 bytes takes.
template <std::size_t bytes, std::size_t times>
struct RepeatedVectors {
  static constexpr std::size_t period = bytes * times;
  static constexpr std::size_t size = std::lcm(period, std::size_t{64});
  static constexpr std::size_t vectors = size / widest;
  static constexpr std::size_t items = size / period;
  std::array<std::size_t, vectors> first{};
  alignas(widest) std::array<std::array<std::int32_t, widest / 4>, vectors> words{};
  alignas(widest) std::array<std::array<std::uint8_t, widest>, vectors> places{};

  constexpr RepeatedVectors() {
    for (std::size_t v = 0; v < vectors; ++v) {
      first[v] = first_of(v * widest, widest);
      for (std::size_t block = 0; block < widest; block += 16) {
        const std::size_t begin = v * widest + block;
        const std::size_t word = widest == 16 ? 0 : (first_of(begin, 16) - first[v]) / 4;
        for (std::size_t i = 0; i < 4; ++i) words[v][block / 4 + i] = static_cast<std::int32_t>(word + i);
        for (std::size_t i = 0; i < 16; ++i) {
          places[v][block + i] =
              static_cast<std::uint8_t>(repeated_source(bytes, times, begin + i) - first[v] - 4 * word);
        }
      }
    }
  }

  /// As many bytes of the source from the first item on are read.
  [[nodiscard]] constexpr std::size_t reach() const { return first[vectors - 1] + widest; }

  /// Whether four words hold what any block takes.
  [[nodiscard]] constexpr bool fits() const {
    for (const auto& vector : places) {
      for (const std::uint8_t place : vector) {
        if (place >= 16) return false;
      }
    }
    return true;
  }

 private:
  /// The first of where the `count` bytes from `at` on come from.
  static constexpr std::size_t first_of(std::size_t at, std::size_t count) {
    std::size_t least = repeated_source(bytes, times, at);
    for (std::size_t i = 1; i < count; ++i) least = std::min(least, repeated_source(bytes, times, at + i));
    return least;
  }
};

/// Four words for each block of 16 bytes, and of them bytes, or none.
HWY_INLINE auto pick_bytes(const std::byte* in, const std::array<std::int32_t, widest / 4>& words,
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

/// Calls `put(at, vector)` for whole lines of pixels side by side, each repeated. How many pixels these were.
template <std::size_t bytes, std::size_t times, class Put>
HWY_INLINE std::size_t repeat_pixels(const std::byte* in, std::size_t count, const Put& put) {
  static constexpr RepeatedVectors<bytes, times> from;
  static_assert(from.fits());
  std::size_t i = 0;
  for (; i * bytes + from.reach() <= count * bytes; i += from.items) {
#pragma GCC unroll 9
    for (std::size_t v = 0; v < from.vectors; ++v)
      put(i * from.period + v * widest,
          pick_bytes(in + i * bytes + from.first[v], from.words[v], from.places[v]));
  }
  return i;
}

/// Pixels of three channels, of 1, 2 and 4 bytes each, enlarged two to four times. How many: none of others.
template <class Put>
std::size_t repeat_some_pixels(const std::byte* in, std::size_t bytes, std::size_t times, std::size_t count,
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

/// Straight from the registers to all places: made in the L1 cache first and then written, both take their
/// time, as what is stored there waits behind the streaming stores (4 x 4 pixels of bytes .78 of a plain
/// fill).
inline std::size_t repeat_lines(std::byte* dst, std::ptrdiff_t dst_pitch, std::size_t copies,
                                const std::byte* in, std::size_t bytes, std::size_t times,
                                std::size_t count) {
  const hn::FixedTag<std::uint8_t, widest> d;
  const std::size_t pixels = repeat_some_pixels(in, bytes, times, count, [=](std::size_t at, auto vector) {
    std::byte* to = dst + at;
    for (std::size_t copy = 0; copy < copies; ++copy, to += dst_pitch)
      hn::Stream(vector, d, reinterpret_cast<std::uint8_t*>(to));
  });
  return pixels * bytes * times;
}

/// Each item is loaded with what lies behind it, and written by whole blocks, of which the next item's write
/// over what is too much. So the items at the ends of what may be read and written are left to a plain loop.
inline void repeat_items(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t bytes,
                         std::size_t times, std::size_t count) {
  constexpr std::size_t block = 16;
  const hn::FixedTag<std::uint8_t, block> d;
  const std::size_t period = bytes * times;
  std::size_t pixels = 0;
  if (pitch == static_cast<std::ptrdiff_t>(bytes)) {
    const hn::FixedTag<std::uint8_t, widest> whole;
    pixels = repeat_some_pixels(in, bytes, times, count, [=](std::size_t at, auto vector) {
      hn::StoreU(vector, whole, reinterpret_cast<std::uint8_t*>(out + at));
    });
  }
  out += pixels * period;
  in += static_cast<std::ptrdiff_t>(pixels) * pitch;
  count -= pixels;
  const auto apart = static_cast<std::size_t>(pitch < 0 ? -pitch : pitch);
  const std::size_t beyond = apart == 0 ? count : (block - bytes + apart - 1) / apart;
  const std::size_t head = std::min(count, pitch < 0 ? beyond : 0);
  const std::size_t tail = std::max((block + period - 1) / period, pitch < 0 ? 0 : beyond);
  const auto plainly = [&](std::size_t from, std::size_t to) {
    portable_kernels().short_items->repeat(
        out + from * period, in + static_cast<std::ptrdiff_t>(from) * pitch, pitch, bytes, times, to - from);
  };
  if (head + tail >= count) return plainly(0, count);
  plainly(0, head);
  const RepeatedBytes& from = repeated_bytes[bytes];
  const std::size_t blocks = (period + block - 1) / block;
  const auto first = hn::LoadU(d, from[0].data());
  for (std::size_t i = head; i < count - tail; ++i) {
    const auto item =
        hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(in + static_cast<std::ptrdiff_t>(i) * pitch));
    auto* to = reinterpret_cast<std::uint8_t*>(out + i * period);
    hn::StoreU(hn::TableLookupBytes(item, first), d, to);
    for (std::size_t j = 1, transpose = 1 % bytes; j < blocks; ++j) {
      hn::StoreU(hn::TableLookupBytes(item, hn::LoadU(d, from[transpose].data())), d, to + j * block);
      transpose = transpose + 1 == bytes ? 0 : transpose + 1;
    }
  }
  plainly(count - tail, count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
