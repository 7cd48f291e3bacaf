// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/io/disk.hpp"

/// What is kept of measured disks: one line for each.
namespace tenstride::io::detail {

/// What tells a disk from others: device, kind of file system and version of the library, as
/// "254:0 ef53 0.1.0". Of a path that does not exist (a file to be written), that of its folder; empty where
/// that does not exist either.
std::string disk_key(const std::string& path);

/// Example: "254:0 ef53 0.1.0 read 2.2e+09 write 2.4e+09 request 8.5e-06 contention 1 page 4096 end\n".
std::string disk_line(std::string_view key, const DiskRates& rates);
/// The rates in the last whole line of the key; damaged lines are passed over.
std::optional<DiskRates> find_disk(std::string_view text, std::string_view key);
/// The text with the line of this key replaced or appended; damaged lines go.
std::string replace_disk(std::string_view text, std::string_view key, const DiskRates& rates);

}  // namespace tenstride::io::detail
