// SPDX-License-Identifier: Apache-2.0
// The kernels of checksums, for dense runs of elements whose positions have a constant step. One table for
// each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checksum/keys.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::checksums {

using ChecksumSums = std::array<std::uint64_t, checksum_words>;

/// Adds `count` dense words of 1, 2 or 4 bytes at positions `position`, `position + 1`, …
using ChecksumRun = void (*)(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position);

/// Adds `count` dense elements of 1 to 16 bytes at the positions `position + n * step` of elements, modulo
/// 2^64. An element of 8 or 16 bytes is 2 or 4 words of 4 bytes, the lowest first.
using ChecksumStrided = void (*)(ChecksumSums& sums, const std::byte* in, Index count, std::uint64_t position,
                                 std::uint64_t step);

/// The kernels of one instruction set, by log2 of the bytes of a word or an element.
struct ChecksumKernels {
  const char* name;
  std::array<ChecksumRun, 3> run;
  std::array<ChecksumStrided, 5> strided;
};

/// Returns the table of plain C++, which all others are tested against.
const ChecksumKernels& portable_checksum_kernels();

/// Returns the table that goes with the `Kernels` of this name. Precondition for using it: the processor has
/// their instruction set.
const ChecksumKernels& checksum_kernels(std::string_view name);

/// Returns the table that goes with `kernels()`.
const ChecksumKernels& checksum_kernels();

}  // namespace tenstride::checksums
