// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.hpp"

namespace tenstride::bench {

/// `count` reductions drawn at random; the same seed gives the same. A quarter each of contiguous, permuted,
/// sliced (steps of 1 to 3, of longer axes) and broadcast sources, of 1 to 5 axes of which any are reduced,
/// of all reductions but `all` (which ends at the first zero) and of 8 to 256 MiB, in a smoke run 1 to 32
/// KiB.
std::vector<ComputationCase> drawn_reductions(std::size_t count, std::uint64_t seed, Scope scope);

/// `count` additions, products, maxima and comparisons of two tensors: a quarter each of contiguous ones, of
/// one that is permuted, of one that is sliced and of one that is broadcast.
std::vector<ComputationCase> drawn_arithmetic(std::size_t count, std::uint64_t seed, Scope scope);

}  // namespace tenstride::bench
