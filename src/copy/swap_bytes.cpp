// SPDX-License-Identifier: Apache-2.0
#include "copy/swap_bytes.hpp"

#include <cstdint>
#include <cstring>

#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

std::uint16_t swapped(std::uint16_t word) {
  return __builtin_bswap16(word);
}
std::uint32_t swapped(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t swapped(std::uint64_t word) {
  return __builtin_bswap64(word);
}

/// Needs no alignment of either side.
template <typename Word>
void swap_words(std::byte* dst, const std::byte* src, std::size_t nbytes) {
  for (std::size_t i = 0; i < nbytes; i += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, src + i, sizeof word);
    word = swapped(word);
    std::memcpy(dst + i, &word, sizeof word);
  }
}

void swap_run(std::byte* dst, const std::byte* src, std::size_t nbytes, std::size_t width) {
  switch (width) {
    case 2:
      return swap_words<std::uint16_t>(dst, src, nbytes);
    case 4:
      return swap_words<std::uint32_t>(dst, src, nbytes);
    case 8:
      return swap_words<std::uint64_t>(dst, src, nbytes);
    default:
      std::memcpy(dst, src, nbytes);
  }
}

}  // namespace

void swap_bytes(std::byte* dst, const std::byte* src, std::size_t nbytes, std::size_t width) {
  if (nbytes == 0) return;
  constexpr Index grain = Index{1} << 20;  // bytes; small copies stay on one thread
  const auto word = static_cast<Index>(width);
  parallel_for(0, static_cast<Index>(nbytes) / word, grain / word, [&](Index first, Index last) {
    swap_run(dst + first * word, src + first * word, static_cast<std::size_t>((last - first) * word), width);
  });
}

}  // namespace tenstride
