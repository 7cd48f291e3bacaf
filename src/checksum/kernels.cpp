// SPDX-License-Identifier: Apache-2.0
#include "checksum/kernels.hpp"

#include <bit>
#include <cstring>

namespace tenstride::checksums {
namespace {

// The words of an element of 8 or 16 bytes are read in the order of memory.
static_assert(std::endian::native == std::endian::little);

template <class Word>
std::uint32_t load_word(const std::byte* at) {
  Word word{};
  std::memcpy(&word, at, sizeof(Word));
  return word;
}

template <class Word>
void run(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position) {
  for (Index i = 0; i < count; ++i, ++position, in += sizeof(Word)) {
    for (std::size_t sum = 0; sum < sums.size(); ++sum)
      sums[sum] += checksum_term(position, load_word<Word>(in), sum);
  }
}

template <class Word, std::size_t words>
void strided(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position,
             std::uint64_t step) {
  for (Index i = 0; i < count; ++i, position += step, in += words * sizeof(Word))
    run<Word>(sums, in, static_cast<Index>(words), words * position);
}

}  // namespace

const ChecksumKernels& portable_checksum_kernels() {
  using std::uint16_t;
  using std::uint32_t;
  using std::uint8_t;
  static constexpr ChecksumKernels table{"portable",
                                         {run<uint8_t>, run<uint16_t>, run<uint32_t>},
                                         {strided<uint8_t, 1>, strided<uint16_t, 1>, strided<uint32_t, 1>,
                                          strided<uint32_t, 2>, strided<uint32_t, 4>}};
  return table;
}

}  // namespace tenstride::checksums
