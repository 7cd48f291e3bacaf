// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case.hpp"

namespace tenstride::bench {

/// `count` copies that nobody chose: the same for the same seed. A fifth each of
///
/// - "drawn permutations": ranks of 2 to 7 in any order;
/// - "drawn batches": many matrices of 2 to 64 rows and columns, each transposed;
/// - "drawn images": 1 to 64 channels, from last to first or from first to last;
/// - "drawn slices": ranks of 2 to 5, steps of 2 and 3, crops and flips, half of them permuted;
/// - "drawn conversions": permutations to another element type.
///
/// Extents are log-uniform, without preference for multiples; items have 1, 2, 4, 8 or 16 bytes; the larger
/// side has 8 to 256 MiB. In a smoke run all are tiny.
std::vector<CopyCase> drawn_cases(std::size_t count, std::uint64_t seed, Scope scope);

}  // namespace tenstride::bench
