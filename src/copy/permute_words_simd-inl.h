// SPDX-License-Identifier: Apache-2.0
// Blocks of up to a vector of whole words (4 bytes) in another order, by permutations of lanes. Where the
// blocks lie side by side, whole vectors of the destination are made of two of the source each; the pattern
// begins again after as many vectors as hold whole blocks. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_PERMUTE_WORDS_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_PERMUTE_WORDS_SIMD_INL
#undef TENSTRIDE_COPY_PERMUTE_WORDS_SIMD_INL
#else
#define TENSTRIDE_COPY_PERMUTE_WORDS_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "copy/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

using Word = std::int32_t;
using Words = hn::CappedTag<Word, ShuffledBlock::most_words>;

/// So many of `count` blocks at the beginning, and at the end, may have less than `vector_bytes` behind them,
/// in the source or in the destination.
inline std::size_t blocks_at_ends(const ShuffledBlock& block, std::ptrdiff_t src_pitch, std::size_t count,
                                  std::size_t vector_bytes) {
  if (block.bytes >= vector_bytes) return 0;
  const std::size_t step = std::min(block.bytes, static_cast<std::size_t>(std::abs(src_pitch)));
  return step == 0 ? count : std::min(count, (vector_bytes + step - 1) / step);
}

/// Vectors of 16 bytes and less have the shuffles of bytes.
inline bool moves_words(const ShuffledBlock& block) {
  const std::size_t lanes = hn::Lanes(Words());
  if (lanes <= 4 || block.bytes > lanes * sizeof(Word) || block.bytes % sizeof(Word) != 0) return false;
  for (std::size_t i = 0; i < block.bytes; ++i) {
    const std::size_t byte = i % sizeof(Word);
    if (block.from[i] != block.from[i - byte] + byte || block.from[i - byte] % sizeof(Word) != 0)
      return false;
  }
  return true;
}

/// Says in `block.words` how its words go, if they do.
inline void arrange_words(ShuffledBlock& block) {
  ShuffledWords& words = block.words;
  words = {};
  if (!moves_words(block)) return;
  const std::size_t lanes = hn::Lanes(Words());
  words.count = block.bytes / sizeof(Word);
  words.vectors = std::lcm(words.count, lanes) / lanes;
  for (std::size_t vector = 0; vector < words.vectors; ++vector) {
    std::array<std::size_t, ShuffledBlock::most_words> places;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t word = vector * lanes + lane;
      const std::size_t in_block = word % words.count;
      places[lane] = word - in_block + block.from[in_block * sizeof(Word)] / sizeof(Word);
    }
    const auto [first, last] = std::minmax_element(places.begin(), places.begin() + lanes);
    if (*last - *first >= 2 * lanes) {
      words.vectors = 0;
      return;
    }
    words.first[vector] = static_cast<std::uint8_t>(*first);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      words.from[vector * lanes + lane] = static_cast<std::uint8_t>(places[lane] - *first);
  }
}

/// Blocks [from, to) one by one, read and written with what lies behind them if not `masked`.
template <bool masked>
HWY_INLINE void permute_blocks(std::byte* dst, const std::byte* src, std::ptrdiff_t src_pitch,
                               const ShuffledBlock& block, std::size_t from, std::size_t to) {
  const Words d;
  std::array<Word, ShuffledBlock::most_words> places{};
  for (std::size_t i = 0; i < block.words.count; ++i)
    places[i] = static_cast<Word>(block.from[i * sizeof(Word)] / sizeof(Word));
  const auto taken = hn::SetTableIndices(d, places.data());
  const auto mask = hn::FirstN(d, block.words.count);
  for (; from < to; ++from) {
    const auto* in = reinterpret_cast<const Word*>(src + static_cast<std::ptrdiff_t>(from) * src_pitch);
    auto* out = reinterpret_cast<Word*>(dst + from * block.bytes);
    if constexpr (masked) {
      hn::BlendedStore(hn::TableLookupLanes(hn::MaskedLoad(mask, d, in), taken), mask, d, out);
    } else {
      hn::StoreU(hn::TableLookupLanes(hn::LoadU(d, in), taken), d, out);
    }
  }
}

/// So many of `count` blocks side by side as whole vectors make, reading nothing behind the last.
inline std::size_t permute_vectors(std::byte* dst, const std::byte* src, const ShuffledBlock& block,
                                   std::size_t count) {
  const Words d;
  const hn::Rebind<std::uint8_t, Words> bytes;
  const ShuffledWords& words = block.words;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t together = words.vectors * lanes;
  const auto lane_mask = hn::Set(d, static_cast<Word>(lanes - 1));
  const auto* in = reinterpret_cast<const Word*>(src);
  auto* out = reinterpret_cast<Word*>(dst);
  std::size_t left = count * words.count;
  for (; left >= together + 2 * lanes; left -= together, in += together) {
    for (std::size_t vector = 0; vector < words.vectors; ++vector, out += lanes) {
      const Word* const at = in + words.first[vector];
      const auto places = hn::PromoteTo(d, hn::LoadU(bytes, words.from.data() + vector * lanes));
      const auto taken = hn::IndicesFromVec(d, hn::And(places, lane_mask));
      const auto low = hn::TableLookupLanes(hn::LoadU(d, at), taken);
      const auto high = hn::TableLookupLanes(hn::LoadU(d, at + lanes), taken);
      hn::StoreU(hn::IfThenElse(hn::Gt(places, lane_mask), high, low), d, out);
    }
  }
  return count - left / words.count;
}

/// Pre: arranged, and the block goes by words.
inline void permute_words(std::byte* dst, const std::byte* src, std::ptrdiff_t src_pitch,
                          const ShuffledBlock& block, std::size_t count) {
  if (block.words.vectors != 0 && src_pitch == static_cast<std::ptrdiff_t>(block.bytes)) {
    const std::size_t done = permute_vectors(dst, src, block, count);
    permute_blocks<true>(dst, src, src_pitch, block, done, count);
    return;
  }
  const std::size_t margin = blocks_at_ends(block, src_pitch, count, ShuffledBlock::most_bytes);
  const std::size_t last = std::max(margin, count - margin);
  permute_blocks<true>(dst, src, src_pitch, block, 0, margin);
  permute_blocks<false>(dst, src, src_pitch, block, margin, last);
  permute_blocks<true>(dst, src, src_pitch, block, last, count);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
