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

#include "copy/kernels.hpp"

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

/// Each item is loaded with what lies behind it, and written by whole blocks, of which the next item's write
/// over what is too much. So the items at the ends of what may be read and written are left to a plain loop.
inline void repeat_items(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t bytes,
                         std::size_t times, std::size_t count) {
  constexpr std::size_t block = 16;
  const hn::FixedTag<std::uint8_t, block> d;
  const std::size_t period = bytes * times;
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
