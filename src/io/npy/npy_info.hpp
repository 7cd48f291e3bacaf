// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/file.hpp"
#include "tenstride/io/npy.hpp"

namespace tenstride::io {

/// What a .npy header says, of a file that has nothing else.
FileInfo npy_info(const NpyHeader& header);

}  // namespace tenstride::io
