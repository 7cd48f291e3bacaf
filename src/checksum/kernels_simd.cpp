// SPDX-License-Identifier: Apache-2.0
// The kernels of checksums over Highway: compiled once for each instruction set, as copy/kernels/simd.cpp.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "checksum/kernels_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "checksum/kernels.hpp"
#include "copy/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::checksums {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// Other sources have kernels of these names in the namespace of the instruction set.
namespace {

using D32 = hn::ScalableTag<std::uint32_t>;
using D64 = hn::ScalableTag<std::uint64_t>;

/// Loads words into lanes of 32 bits.
template <class Word>
HWY_INLINE auto load_words(const Word* in) {
  const D32 d;
  if constexpr (sizeof(Word) == 4) {
    return hn::LoadU(d, in);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Word, D32>(), in));
  }
}

/// Loads the first `count` words; the remaining lanes are zero.
template <class Word>
HWY_INLINE auto load_words(const Word* in, std::size_t count) {
  std::array<Word, ChecksumPlaces::max_lanes> words{};
  std::memcpy(words.data(), in, count * sizeof(Word));
  return load_words(words.data());
}

/// Returns the sum of all lanes modulo 2^64. Highway's own sum adds signed numbers with AVX-512, of which the
/// sanitizer reports the overflow.
HWY_INLINE std::uint64_t add_lanes(hn::Vec<D64> v) {
  const D64 d;
  alignas(64) std::array<std::uint64_t, ChecksumPlaces::max_lanes / 2> lanes;
  hn::StoreU(v, d, lanes.data());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) sum += lanes[i];
  return sum;
}

/// Returns the products of words with their place keys, added in pairs.
HWY_INLINE auto products(hn::Vec<D32> words, const std::uint32_t* keys) {
  const D32 d;
  const D64 d64;
  const auto odd = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, words)));
  // The odd keys are loaded into the even lanes, which a multiplication reads.
  return hn::Add(hn::MulEven(words, hn::LoadU(d, keys)), hn::MulEven(odd, hn::LoadU(d, keys + 1)));
}

/// Adds a run block by block: the sum of the products with the place keys, times the block's key.
template <class Word>
void run(ChecksumSums& sums, const std::byte* bytes, Index count, std::uint64_t position) {
  const D32 d;
  const D64 d64;
  const std::size_t lanes = hn::Lanes(d);
  const auto* in = reinterpret_cast<const Word*>(bytes);
  auto left = static_cast<std::size_t>(count);
  auto total_0 = hn::Zero(d64);
  auto total_1 = hn::Zero(d64);
  ChecksumSums offsets{};
  while (left > 0) {
    const auto place = static_cast<std::size_t>(position % checksum_block);
    const std::size_t n = std::min(checksum_block - place, left);
    const std::uint32_t* const keys_0 = checksum_places[0].keys.data() + place;
    const std::uint32_t* const keys_1 = checksum_places[1].keys.data() + place;
    auto sum_0 = hn::Zero(d64);
    auto sum_1 = hn::Zero(d64);
    const auto add = [&](auto words, std::size_t i) HWY_ATTR {
      sum_0 = hn::Add(sum_0, products(words, keys_0 + i));
      sum_1 = hn::Add(sum_1, products(words, keys_1 + i));
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) add(load_words(in + i), i);
    if (i < n) add(load_words(in + i, n - i), i);
    const std::array block_keys{checksum_block_key(position / checksum_block, 0),
                                checksum_block_key(position / checksum_block, 1)};
    total_0 = hn::Add(total_0, hn::Mul(sum_0, hn::Set(d64, block_keys[0])));
    total_1 = hn::Add(total_1, hn::Mul(sum_1, hn::Set(d64, block_keys[1])));
    for (std::size_t sum = 0; sum < offsets.size(); ++sum) {
      const auto& place_sums = checksum_places[sum].sums;
      offsets[sum] += block_keys[sum] * (place_sums[place + n] - place_sums[place]);
    }
    in += n;
    left -= n;
    position += n;
  }
  sums[0] += add_lanes(total_0) + offsets[0] * checksum_offset;
  sums[1] += add_lanes(total_1) + offsets[1] * checksum_offset;
}

/// Returns SplitMix64's numbers, made odd, as `checksum_block_key` does.
HWY_INLINE hn::Vec<D64> block_keys(hn::Vec<D64> blocks, std::uint64_t sum) {
  const D64 d;
  const auto n = hn::Add(hn::Add(blocks, blocks), hn::Set(d, 2 * checksum_block + sum + 1));
  auto z = hn::Mul(n, hn::Set(d, std::uint64_t{0x9e3779b97f4a7c15U}));
  z = hn::Mul(hn::Xor(z, hn::ShiftRight<30>(z)), hn::Set(d, std::uint64_t{0xbf58476d1ce4e5b9U}));
  z = hn::Mul(hn::Xor(z, hn::ShiftRight<27>(z)), hn::Set(d, std::uint64_t{0x94d049bb133111ebU}));
  return hn::Or(hn::Xor(z, hn::ShiftRight<31>(z)), hn::Set(d, std::uint64_t{1}));
}

template <class Word>
HWY_INLINE hn::Vec<D64> load_wide(const Word* in) {
  const D64 d;
  if constexpr (sizeof(Word) == 4) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Word, D64>(), in));
  } else {
    const hn::Rebind<std::uint32_t, D64> d32;
    return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(hn::Rebind<Word, D64>(), in)));
  }
}

/// The words of as many elements as a vector has lanes of 64 bits, in the lower halves of its lanes; the k-th
/// words of all elements in vector k.
template <class Word, std::size_t words>
HWY_INLINE void load_elements(const Word* in, hn::Vec<D64>& w0, hn::Vec<D64>& w1, hn::Vec<D64>& w2,
                              hn::Vec<D64>& w3) {
  const D64 d;
  if constexpr (words == 1) {
    w0 = load_wide(in);
  } else if constexpr (words == 2) {
    w0 = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(in));
    w1 = hn::ShiftRight<32>(w0);
  } else {
    hn::LoadInterleaved2(d, reinterpret_cast<const std::uint64_t*>(in), w0, w2);
    w1 = hn::ShiftRight<32>(w0);
    w3 = hn::ShiftRight<32>(w2);
  }
}

/// The place keys of elements `step` apart, of one sum: they repeat after at most 64 elements.
template <std::size_t words>
struct PlaceSequence {
  alignas(64) std::array<std::array<std::uint64_t, checksum_block>, words> keys;
  /// What `checksum_offset` contributes to an element.
  alignas(64) std::array<std::uint64_t, checksum_block> offsets;

  PlaceSequence(std::size_t sum, std::size_t count, std::uint64_t position, std::uint64_t step) {
    const auto& places = checksum_places[sum].keys;
    for (std::size_t i = 0; i < std::min(count, checksum_block); ++i, position += step) {
      std::uint64_t all = 0;
      for (std::size_t k = 0; k < words; ++k) {
        keys[k][i] = places[static_cast<std::size_t>(position % checksum_block) + k];
        all += keys[k][i];
      }
      offsets[i] = all * checksum_offset;
    }
  }
};

/// Adds elements of which each may be in another block.
template <class Word, std::size_t words>
void strided(ChecksumSums& sums, const std::byte* bytes, Index given_count, std::uint64_t position,
             std::uint64_t step) {
  constexpr std::size_t log2 = (sizeof(Word) == 1 ? 0 : sizeof(Word) == 2 ? 1 : 2) + words / 2;
  const D32 d32;
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
  const auto count = static_cast<std::size_t>(given_count);
  const std::size_t whole = checksum_block % lanes == 0 ? count - count % lanes : 0;
  if (whole > 0) {
    const auto* in = reinterpret_cast<const Word*>(bytes);
    const PlaceSequence<words> places_0(0, whole, words * position, words * step);
    const PlaceSequence<words> places_1(1, whole, words * position, words * step);
    auto total_0 = hn::Zero(d);
    auto total_1 = hn::Zero(d);
    auto positions = hn::Add(hn::Set(d, words * position), hn::Mul(hn::Iota(d, 0), hn::Set(d, words * step)));
    const auto advance = hn::Set(d, words * step * lanes);
    auto w0 = hn::Zero(d);
    auto w1 = w0;
    auto w2 = w0;
    auto w3 = w0;
    const auto sum_up = [&](const PlaceSequence<words>& places, std::size_t i) HWY_ATTR {
      const auto times = [&](auto word, std::size_t k) HWY_ATTR {
        return hn::MulEven(hn::BitCast(d32, word), hn::BitCast(d32, hn::Load(d, places.keys[k].data() + i)));
      };
      auto sum = hn::Add(hn::Load(d, places.offsets.data() + i), times(w0, 0));
      if constexpr (words >= 2) sum = hn::Add(sum, times(w1, 1));
      if constexpr (words == 4) sum = hn::Add(hn::Add(sum, times(w2, 2)), times(w3, 3));
      return sum;
    };
    for (std::size_t i = 0; i < whole; i += lanes) {
      load_elements<Word, words>(in + i * words, w0, w1, w2, w3);
      static_assert(checksum_block == 64);
      const auto blocks = hn::ShiftRight<6>(positions);
      total_0 = hn::Add(total_0, hn::Mul(block_keys(blocks, 0), sum_up(places_0, i % checksum_block)));
      total_1 = hn::Add(total_1, hn::Mul(block_keys(blocks, 1), sum_up(places_1, i % checksum_block)));
      positions = hn::Add(positions, advance);
    }
    sums[0] += add_lanes(total_0);
    sums[1] += add_lanes(total_1);
  }
  portable_checksum_kernels().strided[log2](sums, bytes + whole * words * sizeof(Word),
                                            static_cast<Index>(count - whole), position + whole * step, step);
}

constexpr ChecksumKernels table{
    TENSTRIDE_TARGET_NAME,
    {run<std::uint8_t>, run<std::uint16_t>, run<std::uint32_t>},
    {strided<std::uint8_t, 1>, strided<std::uint16_t, 1>, strided<std::uint32_t, 1>,
     strided<std::uint32_t, 2>, strided<std::uint32_t, 4>}};

}  // namespace

const ChecksumKernels& own_checksum_table() {
  return table;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::checksums
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::checksums {

const ChecksumKernels& checksum_kernels(std::string_view name) {
  return copy::compiled_for(name, portable_checksum_kernels, {TENSTRIDE_COMPILED(own_checksum_table)})();
}

const ChecksumKernels& checksum_kernels() {
  static const ChecksumKernels& chosen = checksum_kernels(copy::kernels().name);
  return chosen;
}

}  // namespace tenstride::checksums
#endif  // HWY_ONCE
