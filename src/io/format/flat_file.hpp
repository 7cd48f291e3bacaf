// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenstride/io/element_order.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

/// A file whose elements are not compressed, before they are there. Example: of a .npy file `head` is the
/// header; there is one part, which begins behind it.
struct FlatFile {
  struct Part {
    /// Where the elements lie, counted in elements from byte `begin` of the file on.
    Layout layout;
    std::uint64_t begin = 0;
  };
  std::string head;
  /// The order of the bytes of all elements.
  ByteOrder byte_order = ByteOrder::native;
  /// The place of each tensor, in the order of the tensors that were asked for.
  std::vector<Part> parts;
  /// The length of the whole file. Bytes that belong to no part and not to the head are zero.
  std::uint64_t nbytes = 0;
};

}  // namespace tenstride::io
