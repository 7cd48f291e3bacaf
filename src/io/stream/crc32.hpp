// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tenstride::io {

/// The CRC-32 of zip and gzip; nothing where this build has no ISA-L.
std::optional<std::uint32_t> crc32_of(std::span<const std::byte> bytes);

}  // namespace tenstride::io
