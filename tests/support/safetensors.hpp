// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Safetensors files by their definition.
namespace tenstride::testing {

/// The `count` bytes of a number, the lowest first.
inline std::string lowest_first(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes += i < 8 ? static_cast<char>((number >> (8 * i)) & 0xff) : '\0';
  return bytes;
}

/// The length of the header in 8 bytes, the header as it is, the elements.
inline std::string safetensors_file(const std::string& header, const std::string& elements = "") {
  return lowest_first(header.size(), 8) + header + elements;
}

/// One entry of a header. Example: `"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`.
inline std::string safetensors_entry(const std::string& name, const std::string& dtype,
                                     const std::string& shape, const std::string& offsets) {
  return '"' + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         '}';
}

}  // namespace tenstride::testing
