// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenstride::io {

/// Bytes that are free on the disk of an open file or folder; nothing where that cannot be told.
std::optional<std::uint64_t> free_room(int file) noexcept;

/// What follows a number of needed bytes: ", of which 4096 are free"; empty where it is not known.
std::string of_which_free(int file);

}  // namespace tenstride::io
