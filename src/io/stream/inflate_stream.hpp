// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Whether the bytes begin a gzip file.
inline bool is_gzip(std::span<const std::byte> start) {
  return start.size() >= 2 && start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

/// No byte of a deflated stream stands for more than this many bytes.
inline constexpr std::uint64_t max_inflation = 1032;

/// The bytes that a compressed part of a file stands for, from the first to the last. `codec` is "gzip" (one
/// or more members, each with its own CRC) or "deflate" (the bare stream, as in a zip archive).
class InflateStream {
 public:
  /// Throws FileError where the file cannot be read, and where this build has no inflater.
  InflateStream(const std::string& path, const CompressedStream& place, std::string_view codec,
                std::string_view operation);
  ~InflateStream();
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  /// Fills `bytes` from its beginning and returns how many there were: fewer only where the stream ends,
  /// whose length and CRC are checked then. Throws FileError for a damaged stream.
  std::size_t read(std::span<std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
