// SPDX-License-Identifier: Apache-2.0
// Several JPEG pictures in one file: CIPA DC-007, the Multi-Picture Format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenstride::io {

/// Where a picture lies, as the index of the file says; it may be outside of the file. Some writers say more
/// bytes than it has.
struct MpoPicture {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
};

/// The pictures that the index of the first one names, that one first; it alone where there is no index, or
/// none that can be read. Pre: `file` begins as JPEG.
std::vector<MpoPicture> mpo_pictures(std::span<const std::byte> file);

}  // namespace tenstride::io
