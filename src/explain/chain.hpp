// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tenstride/explain/explain.hpp"

namespace tenstride::detail {

/// The layout operations that end with the value, as they were carried out and as a chain.
std::optional<ChainComparison> compare_with_chain(const Evaluation& evaluation);

}  // namespace tenstride::detail
