// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "io/plan/tile_plan.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// What is read at a time.
struct SourcePart {
  /// The elements of the tile that it has.
  Box box;
  /// What is read for them, over the axes of the source.
  Box stored;
};

/// Elements of a box that lie in memory by one layout.
struct LoadedBox {
  Box box;
  const std::byte* data = nullptr;
  Layout layout;
};

/// A part in memory, over the axes of the pass.
struct LoadedPart {
  Box box;
  const std::byte* data = nullptr;
  /// Where its elements stand; of blocks each is row-major.
  Layout layout{};
  /// The extents of its blocks, where it consists of blocks, and the bytes of a slot of one.
  Dims block{};
  std::size_t slot_nbytes = 0;

  /// What it has of a box: one piece, or one of each block.
  [[nodiscard]] std::vector<LoadedBox> pieces_in(const Box& wanted) const;
};

/// Where the elements of a pass come from. Tiles are asked for in order; the parts of a tile may be read by
/// as many threads at once as the run has.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual DType dtype() const noexcept = 0;
  /// The parts that have all elements of a tile, in the order in which they are best read.
  [[nodiscard]] virtual std::vector<SourcePart> parts(const Box& tile) const = 0;
  /// Reads a part into `buffer`, or into memory of the source's own, where it stays until `release`. Throws
  /// FileError.
  virtual LoadedPart read(const SourcePart& part, std::vector<std::byte>& buffer) = 0;
  virtual void release() {}
};

}  // namespace tenstride::io
