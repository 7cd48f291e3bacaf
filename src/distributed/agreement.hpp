// SPDX-License-Identifier: Apache-2.0
// What all ranks find out together before they move anything.
#pragma once

#include <string>
#include <vector>

#include "tenstride/distributed/transport.hpp"

namespace tenstride::distributed {

/// Numbers of this rank, and those of all ranks, one after another. Each rank gives as many. Collective.
std::vector<Index> gathered(Transport& transport, const std::vector<Index>& own);

/// Throws on all ranks what the first says that found something wrong. Pre: one did; the others give an empty
/// text. Collective.
[[noreturn]] void throw_refusal(Transport& transport, const std::string& refusal);

/// The lowest rank of each rank's machine; each rank alone where they share no memory. Throws ValueError on
/// all ranks where they give different signatures. Collective.
std::vector<Index> machines_of(Transport& transport, Index signature, bool shares_memory);

}  // namespace tenstride::distributed
