// SPDX-License-Identifier: Apache-2.0
// Strips and tiles that are pictures of their own, of a kind that libtiff does not decode: PNG and JPEG 2000.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/tiff/format.hpp"

namespace tenstride::io {

/// Whether pieces of that compression are such pictures.
bool is_tiff_picture(std::uint64_t compression);

/// Decodes one to elements in this machine's byte order. Returns what is wrong, or nothing ("").
std::string decode_tiff_picture(std::uint64_t compression, std::span<const std::byte> picture,
                                const TiffFormat& format, std::span<std::byte> elements);

}  // namespace tenstride::io
