// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../message.hpp"
#include "palette.hpp"

/// Pictures as text.
namespace tenstride::detail {

std::string text_of_tensors(const Picture& picture, const PictureOptions& options);
std::string text_of_atoms(const Picture& picture);
std::string text_of_walk(const Picture& picture);

}  // namespace tenstride::detail
