// SPDX-License-Identifier: Apache-2.0
#include "io/stream/crc32.hpp"

#ifdef TENSTRIDE_HAS_ISAL
#include <isa-l/crc.h>
#endif

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_ISAL

std::optional<std::uint32_t> crc32_of(std::span<const std::byte> bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

#else

std::optional<std::uint32_t> crc32_of(std::span<const std::byte> /*bytes*/) {
  return std::nullopt;
}

#endif

}  // namespace tenstride::io
