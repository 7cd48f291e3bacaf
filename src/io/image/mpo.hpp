// SPDX-License-Identifier: Apache-2.0
// Several JPEG pictures in one file: CIPA DC-007, the Multi-Picture Format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "io/image/still_pictures.hpp"

namespace tenstride::io {

/// Where the pictures lie that the index of the first one names, that one first; it alone where there is no
/// index, or none that can be read. Pre: `file` begins as JPEG.
std::vector<PicturePart> mpo_pictures(std::span<const std::byte> file);

}  // namespace tenstride::io
