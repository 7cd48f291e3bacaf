// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tenstride::fuzz {

/// A gzip file whose blocks are stored, so that what the input changes reaches the reader of the content.
inline std::string stored_gzip(const std::string& content) {
  std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const auto put = [&](std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xff);
  };
  static constexpr std::size_t max_block = 0xffff;
  std::size_t at = 0;
  do {
    const std::string block = content.substr(at, max_block);
    at += block.size();
    put(at == content.size() ? 1 : 0, 1);
    put(block.size(), 2);
    put(~block.size(), 2);
    bytes += block;
  } while (at < content.size());
  put(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4);
  put(content.size(), 4);
  return bytes;
}

}  // namespace tenstride::fuzz
