// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tenstride/expression/expression.hpp"

/// Which step is to blame.
namespace tenstride::detail {

/// The step that made the step's tensor not contiguous, or because of which it had to copy. See
/// Explanation::causes.
std::optional<std::size_t> cause_of(const std::vector<Step>& steps, std::size_t step);

/// The step because of which the tensor of step `source` cannot be viewed in the sizes: the last one before
/// which it could; else the one that left it not contiguous.
std::optional<std::size_t> cause_of_refusal(const std::vector<Step>& steps, std::optional<std::size_t> source,
                                            const Dims& sizes);

/// The last step before which the same tensor could be viewed in the sizes.
std::optional<std::size_t> last_viewable(const std::vector<Step>& steps, std::optional<std::size_t> source,
                                         const Dims& sizes);

}  // namespace tenstride::detail
