// SPDX-License-Identifier: Apache-2.0
#include "io/stream/fletcher32.hpp"

#include <algorithm>

namespace tenstride::io {
namespace {

/// The sums are taken modulo 65535, where a sum above 0 never becomes 0.
std::uint64_t reduce_sum(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const auto add = [&](std::uint64_t word) {
    first += word;
    second += first;
  };
  const auto number = [&](std::size_t i) { return std::to_integer<std::uint64_t>(bytes[i]); };
  constexpr std::size_t block = std::size_t{1} << 16;  // so many words fit 64 bits
  for (std::size_t begin = 0; begin < bytes.size(); begin += block) {
    const std::size_t end = std::min(bytes.size(), begin + block);
    std::size_t i = begin;
    for (; i + 1 < end; i += 2) add(number(i) << 8 | number(i + 1));
    if (i < end) add(number(i) << 8);
    first = reduce_sum(first);
    second = reduce_sum(second);
  }
  return static_cast<std::uint32_t>(second << 16 | first);
}

}  // namespace tenstride::io
