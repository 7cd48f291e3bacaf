// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/export.hpp"

#include <cstddef>

namespace tenstride {

/// Copies `nbytes` bytes, reversing each run of `width` bytes: numbers in the other byte order. A width of 1
/// copies them unchanged. Large copies use several threads. Pre: width is 1, 2, 4 or 8 and divides nbytes;
/// the memories are the same, or do not overlap.
TENSTRIDE_API void swap_bytes(std::byte* dst, const std::byte* src, std::size_t nbytes, std::size_t width);

}  // namespace tenstride
