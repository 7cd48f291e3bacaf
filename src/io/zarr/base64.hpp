// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// The bytes that base64 stands for; nothing of any other text. Example: of "AQI=" 01 02.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);
/// The reverse.
std::string to_base64(std::span<const std::byte> bytes);

}  // namespace tenstride::io
