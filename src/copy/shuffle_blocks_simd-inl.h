// SPDX-License-Identifier: Apache-2.0
// Blocks of up to 64 bytes whose bytes are put in another order, by shuffles of 16 bytes where they do not go
// by whole words. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_SHUFFLE_BLOCKS_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_SHUFFLE_BLOCKS_SIMD_INL
#undef TENSTRIDE_COPY_SHUFFLE_BLOCKS_SIMD_INL
#else
#define TENSTRIDE_COPY_SHUFFLE_BLOCKS_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "copy/kernels.hpp"
#include "copy/permute_words_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t shuffled_bytes = 16;

/// Where the part number `part` of a block begins; the last one ends where the block does.
inline std::size_t part_at(std::size_t bytes, std::size_t part) {
  return bytes < shuffled_bytes ? 0 : std::min(part * shuffled_bytes, bytes - shuffled_bytes);
}

/// Blocks [from, to) of `parts` parts. Those of less than 16 bytes are read and written with what lies behind
/// them.
template <std::size_t parts>
HWY_INLINE void shuffle_parts(std::byte* dst, const std::byte* src, std::ptrdiff_t src_pitch,
                              const ShuffledBlock& block, std::size_t from, std::size_t to) {
  const hn::FixedTag<std::uint8_t, shuffled_bytes> d;
  using Bytes = hn::Vec<decltype(d)>;
  constexpr std::uint8_t none = 0x80;
  std::array<std::size_t, parts> at;
  for (std::size_t p = 0; p < parts; ++p) at[p] = part_at(block.bytes, p);
  // What each part of the destination takes of each part of the source.
  std::array<std::array<Bytes, parts>, parts> taken;
  for (std::size_t out = 0; out < parts; ++out) {
    for (std::size_t in = 0; in < parts; ++in) {
      std::array<std::uint8_t, shuffled_bytes> places;
      for (std::size_t i = 0; i < shuffled_bytes; ++i) {
        const std::size_t place = at[out] + i < block.bytes ? block.from[at[out] + i] : 0;
        const bool is_here = std::min(place / shuffled_bytes, parts - 1) == in;
        places[i] = is_here ? static_cast<std::uint8_t>(place - at[in]) : none;
      }
      taken[out][in] = hn::LoadU(d, places.data());
    }
  }
  auto* to_block = reinterpret_cast<std::uint8_t*>(dst + from * block.bytes);
  const auto* from_block =
      reinterpret_cast<const std::uint8_t*>(src + static_cast<std::ptrdiff_t>(from) * src_pitch);
  for (; from < to; ++from, to_block += block.bytes, from_block += src_pitch) {
    std::array<Bytes, parts> in;
    for (std::size_t p = 0; p < parts; ++p) in[p] = hn::LoadU(d, from_block + at[p]);
    for (std::size_t out = 0; out < parts; ++out) {
      Bytes bytes = hn::TableLookupBytesOr0(in[0], taken[out][0]);
      for (std::size_t p = 1; p < parts; ++p)
        bytes = hn::Or(bytes, hn::TableLookupBytesOr0(in[p], taken[out][p]));
      hn::StoreU(bytes, d, to_block + at[out]);
    }
  }
}

/// As many blocks as 16 bytes hold, one behind the other.
inline ShuffledBlock some_blocks(const ShuffledBlock& block) {
  ShuffledBlock some;
  for (; some.bytes + block.bytes <= shuffled_bytes; some.bytes += block.bytes) {
    for (std::size_t i = 0; i < block.bytes; ++i)
      some.from[some.bytes + i] = static_cast<std::uint8_t>(some.bytes + block.from[i]);
  }
  return some;
}

inline void shuffle_blocks(std::byte* dst, const std::byte* src, std::ptrdiff_t src_pitch,
                           const ShuffledBlock& block, std::size_t count) {
  if (block.words.count != 0) {
    permute_words(dst, src, src_pitch, block, count);
    return;
  }
  const auto bytes = static_cast<std::ptrdiff_t>(block.bytes);
  if (2 * block.bytes <= shuffled_bytes && src_pitch == bytes) {
    const ShuffledBlock some = some_blocks(block);
    const std::size_t together = some.bytes / block.bytes;
    const std::size_t done = count / together * together;
    shuffle_blocks(dst, src, static_cast<std::ptrdiff_t>(some.bytes), some, count / together);
    shuffle_plainly(dst + done * block.bytes, src + done * block.bytes, src_pitch, block, count - done);
    return;
  }
  const std::size_t margin = blocks_at_ends(block, src_pitch, count, shuffled_bytes);
  const std::size_t last = std::max(margin, count - margin);
  shuffle_plainly(dst, src, src_pitch, block, margin);
  switch ((block.bytes + shuffled_bytes - 1) / shuffled_bytes) {
    case 1:
      shuffle_parts<1>(dst, src, src_pitch, block, margin, last);
      break;
    case 2:
      shuffle_parts<2>(dst, src, src_pitch, block, margin, last);
      break;
    case 3:
      shuffle_parts<3>(dst, src, src_pitch, block, margin, last);
      break;
    default:
      shuffle_parts<4>(dst, src, src_pitch, block, margin, last);
  }
  shuffle_plainly(dst + last * block.bytes, src + static_cast<std::ptrdiff_t>(last) * src_pitch, src_pitch,
                  block, count - last);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
