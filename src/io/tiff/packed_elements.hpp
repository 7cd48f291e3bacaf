// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "io/tiff/format.hpp"
#include "tenstride/base/export.hpp"

namespace tenstride::io {

/// Makes elements of the decoded rows of a strip or a tile whose bytes are not the elements: integers that
/// are packed in other numbers of bits, in rows that begin with a whole byte, and YCbCr pixels that share
/// their colours, of which each gets the colour. Example: 12 bits 0xABC, 0xDEF are the bytes AB CD EF.
/// Whatever the file's byte order, the highest bits come first, also of 24. Pre: `packed` has
/// `format.stored_nbytes(rows, format.piece_width)` bytes.
TENSTRIDE_API void unpack_elements(const TiffFormat& format, Index rows, std::span<const std::byte> packed,
                                   std::span<std::byte> elements);

/// Leaves the bits of each element that it has in the file.
void mask_elements(const TiffFormat& format, std::span<std::byte> elements);

}  // namespace tenstride::io
