// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenstride::io {

/// Whether the bytes of elements are sorted by their place in the element before they are compressed.
enum class Hdf5Shuffle : unsigned char { no, yes };

/// How chunks are written.
struct Hdf5Codec {
  /// 1 to 9; 0: not compressed.
  int level = 4;
  Hdf5Shuffle shuffle = Hdf5Shuffle::yes;
};

/// "none", "gzip:6", "gzip:6+shuffle", with "deflate" for "gzip", or "" for the usual one, which is
/// "gzip:4+shuffle". Throws ValueError that begins with the operation.
Hdf5Codec parse_hdf5_codec(std::string_view text, std::string_view operation);

}  // namespace tenstride::io
