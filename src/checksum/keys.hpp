// SPDX-License-Identifier: Apache-2.0
// The keys of the checksum (docs/convert.md): a position's key is that of its block of 64 positions times
// that of its place in the block, so that a run of consecutive positions costs one multiplication per word
// and element.
//
// Sources: the multiply-and-add over random keys is the multilinear hash (Carter and Wegman 1979; Lemire and
// Kaser, "Strongly universal string hashing is fast", 2014); the keys are SplitMix64's numbers (Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", 2014, with the constants of Stafford's variant
// 13).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenstride::checksums {

/// Returns the n-th number of SplitMix64 from seed 0. Example: `splitmix64(0) == 0xe220a8397b1dcdaf`.
constexpr std::uint64_t splitmix64(std::uint64_t n) noexcept {
  std::uint64_t z = (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}
static_assert(splitmix64(0) == 0xe220a8397b1dcdafU);

/// Positions of one block share a block key. 16 → 32 → 64 → 128 positions: 2.6 → 3.1 → 4.3 → 5.4 GB/s of
/// consecutive bytes (AVX-512, Emerald Rapids); positions with a step need a table of as many keys for each
/// run.
inline constexpr std::size_t checksum_block = 64;
inline constexpr std::size_t checksum_words = 2;

/// Is added to every word of an element, so that zeros count too.
inline constexpr std::uint64_t checksum_offset = 0x9e3779b97f4a7c15U;

/// Returns the key of a block for one of the two sums. It is odd, so that a product with it preserves every
/// difference.
constexpr std::uint64_t checksum_block_key(std::uint64_t block, std::size_t sum) noexcept {
  return splitmix64(2 * checksum_block + 2 * block + sum) | 1;
}

/// Returns the key of a place in a block: odd, of 32 bits, so that its product with 32 bits of an element is
/// exact.
constexpr std::uint32_t checksum_place_key(std::size_t place, std::size_t sum) noexcept {
  return static_cast<std::uint32_t>(splitmix64(2 * place + sum) >> 32) | 1;
}

/// Returns what one word of an element adds to a sum.
constexpr std::uint64_t checksum_term(std::uint64_t position, std::uint32_t word, std::size_t sum) noexcept {
  const auto place = static_cast<std::size_t>(position % checksum_block);
  return checksum_block_key(position / checksum_block, sum) * checksum_place_key(place, sum) *
         (word + checksum_offset);
}

/// The place keys of a sum. Vectors that begin in the block may be loaded whole: zeros follow.
struct ChecksumPlaces {
  static constexpr std::size_t max_lanes = 64;  // of 32 bits: SVE's longest vectors have 2048
  alignas(64) std::array<std::uint32_t, checksum_block + max_lanes + 1> keys{};
  /// sums[n] is the sum of the first n keys.
  std::array<std::uint64_t, checksum_block + 1> sums{};
};

inline constexpr std::array<ChecksumPlaces, checksum_words> checksum_places = [] {
  std::array<ChecksumPlaces, checksum_words> all{};
  for (std::size_t sum = 0; sum < checksum_words; ++sum) {
    for (std::size_t place = 0; place < checksum_block; ++place) {
      all[sum].keys[place] = checksum_place_key(place, sum);
      all[sum].sums[place + 1] = all[sum].sums[place] + all[sum].keys[place];
    }
  }
  return all;
}();

}  // namespace tenstride::checksums
