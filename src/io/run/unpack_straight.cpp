// SPDX-License-Identifier: Apache-2.0
#include "io/run/unpack_straight.hpp"

#include "io/ends/edge_file.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {

Checksum unpack_straight(const TensorJob& tensor, const std::string& destination,
                         const std::function<void(std::uint64_t)>& tell) {
  // By way of the page cache: pieces begin at any byte.
  const EdgeFile file(destination, this_operation);
  const auto item = static_cast<Index>(item_size(tensor.dtype));
  Checksum sum;
  unpack_elements(tensor.source, this_operation, [&](std::span<const std::byte> piece, std::uint64_t offset) {
    file.write(tensor.data_begin + offset, piece);
    const Index count = static_cast<Index>(piece.size()) / item;
    const Layout elements{{count}, {1}, 0}, positions{{count}, {1}, static_cast<Index>(offset) / item};
    sum += checksum(tensor_on_memory(piece.data(), elements, tensor.dtype), positions);
    tell(piece.size());
  });
  return sum;
}

}  // namespace tenstride::io
