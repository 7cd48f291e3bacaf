// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case.hpp"

namespace tenstride::bench {

/// `count` copies drawn at random; the same seed gives the same copies. A fifth each of
///
/// - "drawn permutations": 2 to 7 axes, in any order;
/// - "drawn batches": many matrices of 2 to 64 rows and columns, each transposed;
/// - "drawn images": 1 to 64 channels, from the last axis to the first or back;
/// - "drawn slices": 2 to 5 axes, with steps of 2 and 3, crops and flips, half of them permuted;
/// - "drawn conversions": permutations to another element type.
///
/// Extents are log-uniform, so multiples of a vector are not preferred; items have 1, 2, 4, 8 or 16 bytes;
/// the larger side has 8 to 256 MiB, in a smoke run 1 to 32 KiB.
std::vector<CopyCase> drawn_cases(std::size_t count, std::uint64_t seed, Scope scope);

}  // namespace tenstride::bench
