// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Unpacks the elements into the file `destination` and gives their checksum. `tell` gets the bytes written,
/// after each MiB. Throws FileError. Pre: unpacks_straight().
Checksum unpack_straight(const TensorJob& tensor, const std::string& destination,
                         const std::function<void(std::uint64_t)>& tell);

}  // namespace tenstride::io
