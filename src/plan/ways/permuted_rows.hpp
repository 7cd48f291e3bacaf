// SPDX-License-Identifier: Apache-2.0
// Rows of blocks that are permuted byte by byte in registers, by a program of instructions made for them.
#pragma once

#include "plan/ways/loop_chains.hpp"

namespace tenstride::detail {

/// An estimate of how many source vectors have items of one destination vector. Items come from different
/// rows of the source until the next item of the first row, and items with gaps come from several vectors.
/// `vector`: the bytes that one instruction permutes.
Index permutes_of_vector(const Nest& nest, const LoopChains& chains, const BlockRow& row, Index vector);

/// Whether a row is short enough to be permuted, and there are enough rows to make a program for.
bool is_permuted(const Nest& nest, const LoopChains& chains, const BlockRow& row, Index vector);

}  // namespace tenstride::detail
