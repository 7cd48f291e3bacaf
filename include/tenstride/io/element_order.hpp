// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenstride::io {

/// Whether the bytes of a file's elements stand as this machine has them.
enum class ByteOrder : unsigned char { native, swapped };

/// The order in which elements are written: the last axis fastest (C), or the first (Fortran).
enum class ElementOrder : unsigned char { row_major, column_major };

}  // namespace tenstride::io
