// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "tenstride/io/orientation.hpp"

namespace tenstride::io {

/// The orientation in EXIF data, which begins with "II*\0" or "MM\0*": the tag 0x0112 of its first directory.
/// `upright` where that is missing, damaged, or lies outside of the bytes: a wrong note is no wrong picture.
Orientation exif_orientation(std::span<const std::byte> exif);

}  // namespace tenstride::io
