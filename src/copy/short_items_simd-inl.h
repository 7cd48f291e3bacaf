// SPDX-License-Identifier: Apache-2.0
// Items of up to 16 bytes, of any length, by shuffles of 16 bytes. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_SHORT_ITEMS_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_SHORT_ITEMS_SIMD_INL
#undef TENSTRIDE_COPY_SHORT_ITEMS_SIMD_INL
#else
#define TENSTRIDE_COPY_SHORT_ITEMS_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "copy/kernels.hpp"
#include "copy/reversed_rows_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Where the bytes of 16 repetitions of an item come from, 16 at a time: then all begins anew.
using RepeatedBytes = std::array<std::array<std::uint8_t, 16>, 16>;

inline RepeatedBytes repeated_bytes(std::size_t bytes) {
  RepeatedBytes from{};
  for (std::size_t j = 0; j < bytes; ++j) {
    for (std::size_t i = 0; i < 16; ++i) from[j][i] = static_cast<std::uint8_t>((16 * j + i) % bytes);
  }
  return from;
}

/// How pixels of `bytes` that are repeated so often fill vectors, until all begins anew: from where each is
/// loaded, and what of this each block of 16 bytes takes.
template <std::size_t bytes, std::size_t times>
struct RepeatedVectors {
  static constexpr std::size_t period = bytes * times;
  static constexpr std::size_t vectors = period / std::gcd(period, widest);
  static constexpr std::size_t items = vectors * widest / period;
  std::array<std::size_t, vectors> first{};
  std::array<std::array<std::int32_t, widest / 4>, vectors> words{};
  std::array<std::array<std::uint8_t, widest>, vectors> places{};

  constexpr RepeatedVectors() {
    for (std::size_t v = 0; v < vectors; ++v) {
      first[v] = source(v * widest, 0);
      for (std::size_t block = 0; block < widest; block += 16) {
        const std::size_t word = widest == 16 ? 0 : source(v * widest + block, first[v]) / 4;
        for (std::size_t i = 0; i < 4; ++i) words[v][block / 4 + i] = static_cast<std::int32_t>(word + i);
        for (std::size_t i = 0; i < 16; ++i) {
          const std::size_t at = v * widest + block + i;
          places[v][block + i] =
              static_cast<std::uint8_t>(source(at, first[v]) + at % period % bytes - 4 * word);
        }
      }
    }
  }

 private:
  /// Where the item of result `at` begins.
  static constexpr std::size_t source(std::size_t at, std::size_t first_byte) {
    return at / period * bytes - first_byte;
  }
};

/// Pixels side by side, by whole vectors. How many these were.
template <std::size_t bytes, std::size_t times>
std::size_t repeat_pixels(std::byte* out, const std::byte* in, std::size_t count) {
  static constexpr RepeatedVectors<bytes, times> from;
  const hn::FixedTag<std::uint8_t, widest> d;
  // What lies behind the last item is not read.
  constexpr std::size_t reach = from.items + widest / bytes + 1;
  std::size_t i = 0;
  for (; i + reach <= count; i += from.items) {
    auto* const to = reinterpret_cast<std::uint8_t*>(out + i * from.period);
#pragma GCC unroll 9
    for (std::size_t v = 0; v < from.vectors; ++v)
      hn::StoreU(pick_bytes(in + i * bytes + from.first[v], from.words[v], from.places[v]), d,
                 to + v * widest);
  }
  return i;
}

/// Pixels of three bytes enlarged, side by side in the source: how many.
inline std::size_t repeat_some_pixels(std::byte* out, const std::byte* in, std::ptrdiff_t pitch,
                                      std::size_t bytes, std::size_t times, std::size_t count) {
  if (bytes != 3 || pitch != 3) return 0;
  if (times == 2) return repeat_pixels<3, 2>(out, in, count);
  if (times == 3) return repeat_pixels<3, 3>(out, in, count);
  if (times == 4) return repeat_pixels<3, 4>(out, in, count);
  return 0;
}

/// Each item is loaded with what lies behind it, and written by whole blocks, of which the next item's write
/// over what is too much. So the items at the ends of what may be read and written are left to a plain loop.
inline void repeat_items(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t bytes,
                         std::size_t times, std::size_t count) {
  constexpr std::size_t block = 16;
  const hn::FixedTag<std::uint8_t, block> d;
  const std::size_t period = bytes * times;
  const std::size_t pixels = repeat_some_pixels(out, in, pitch, bytes, times, count);
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
  const RepeatedBytes from = repeated_bytes(bytes);
  const std::size_t blocks = (period + block - 1) / block;
  const auto first = hn::LoadU(d, from[0].data());
  for (std::size_t i = head; i < count - tail; ++i) {
    const auto item =
        hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(in + static_cast<std::ptrdiff_t>(i) * pitch));
    auto* to = reinterpret_cast<std::uint8_t*>(out + i * period);
    hn::StoreU(hn::TableLookupBytes(item, first), d, to);
    for (std::size_t j = 1; j < blocks; ++j)
      hn::StoreU(hn::TableLookupBytes(item, hn::LoadU(d, from[j % bytes].data())), d, to + j * block);
  }
  plainly(count - tail, count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
