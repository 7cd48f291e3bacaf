// SPDX-License-Identifier: Apache-2.0
// The kernels of checksums: dense runs of elements at positions a constant step apart, one table per
// instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checksum/keys.hpp"
#include "tenstride/index.hpp"

namespace tenstride::copy {

using ChecksumSums = std::array<std::uint64_t, checksum_words>;

/// Adds `count` dense words of 1, 2 or 4 bytes at positions `position`, `position + 1`, …
using ChecksumRun = void (*)(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position);

/// Adds `count` dense elements of 1 to 16 bytes at the positions `position + n * step` of elements, modulo
/// 2^64. An element of 8 or 16 bytes is 2 or 4 words of 4 bytes, the lowest first.
using ChecksumApart = void (*)(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position,
                               std::uint64_t step);

/// By log2 of the bytes.
struct ChecksumKernels {
  const char* name;
  std::array<ChecksumRun, 3> run;
  std::array<ChecksumApart, 5> apart;
};

/// The definitions.
const ChecksumKernels& portable_checksum_kernels();

/// The table of an instruction set, by the name of its `Kernels`; nullptr where there is none. Pre: where it
/// is used, the processor has it.
const ChecksumKernels* find_checksum_kernels(std::string_view name);

/// The table that goes with `kernels()`.
const ChecksumKernels& checksum_kernels();

}  // namespace tenstride::copy
