// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/base64.hpp"

#include <cstdint>

namespace tenstride::io {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t missing = 0;
  for (; missing < 2 && text.ends_with('='); ++missing) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const std::size_t digit = base64_digits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>((bits >> count) & 0xffU));
  }
  return bytes;
}

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      bits = (bits << 8) | (k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? base64_digits[(bits >> (18 - 6 * k)) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace tenstride::io
