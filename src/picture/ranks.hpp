// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture/shown.hpp"

/// Pictures of tensors that are spread over ranks.
namespace tenstride::detail {

/// The ranks that hold an element, ascending; none for what the first tensor does not have. Pre: the picture
/// has ranks.
std::vector<Index> holders_of(const Picture& picture, Root root);

/// "3", "0,2", and of more than two ranks "0,2…".
std::string ranks_text(const Picture& picture, Root root);

}  // namespace tenstride::detail
