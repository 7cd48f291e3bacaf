// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenstride::io {

/// The checksum of HDF5's filter 3, and of numcodecs: Fletcher's sums of 16-bit numbers, the first byte the
/// higher one.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace tenstride::io
