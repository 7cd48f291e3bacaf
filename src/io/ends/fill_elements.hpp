// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace tenstride::io {

/// Repeats one element until the bytes are full; zeros where there is none. Pre: the element's size divides
/// theirs.
void fill_elements(std::span<std::byte> elements, std::span<const std::byte> element);

}  // namespace tenstride::io
