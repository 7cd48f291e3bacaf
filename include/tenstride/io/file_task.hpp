// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tenstride::io {

/// One of several processes that write one destination together, each a share of its tiles or chunks.
/// Example: {2, 8} does the second of eight shares.
struct FileTask {
  std::uint64_t number = 1;
  std::uint64_t count = 1;
  friend bool operator==(const FileTask&, const FileTask&) = default;
};

/// More shares have no use: a tile each would be done by then.
inline constexpr std::uint64_t max_file_tasks = 1'000'000;

}  // namespace tenstride::io
