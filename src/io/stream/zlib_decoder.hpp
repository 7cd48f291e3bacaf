// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace tenstride::io {

/// Unpacks zlib data (RFC 1950) that are held whole, by libdeflate. For one thread at a time.
class ZlibDecoder {
 public:
  enum class Outcome : unsigned char {
    /// All was unpacked and its Adler-32 is right.
    whole,
    /// There are more bytes than `out` has; those in it mean nothing.
    too_long,
    /// The data are damaged or cut off.
    damaged,
    /// This build of tenstride has no libdeflate.
    unavailable
  };
  struct Result {
    Outcome outcome = Outcome::unavailable;
    /// Bytes written to `out`, where it is whole.
    std::size_t nbytes = 0;
  };

  /// Bytes behind the data in `in` are passed over.
  Result decode(std::span<const std::byte> in, std::span<std::byte> out);

 private:
  std::shared_ptr<void> decoder_;
};

}  // namespace tenstride::io
