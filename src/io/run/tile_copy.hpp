// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "io/ends/tile_reader.hpp"
#include "io/ends/tile_writer.hpp"
#include "io/plan/block_plan_parts.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride::io {

/// What happens to the elements of a pass on the way from a tile to a group.
struct Conversion {
  DType src = DType::float32;
  /// One after the other; the last one is the group's type. Empty: the elements stay as they are.
  std::vector<DType> types;
  std::vector<double> scale;
  std::vector<double> shift;
  /// The axis of the plan that several numbers run along.
  std::size_t axis = 0;
  /// In place of all the rest, where elements become what they mean.
  const Rescaling* rescaling = nullptr;
  /// Behind the conversions: of the axes listed, then to the type that is written.
  std::optional<Reduction> reduction{};
  Dims reduced_axes{};
  DType reduced = DType::float32;

  [[nodiscard]] DType dst() const {
    if (reduction) return reduced;
    if (rescaling != nullptr) return rescaling->dtype;
    return types.empty() ? src : types.back();
  }
};

/// Where a group's runs lie in its buffer and in the file.
struct GroupPlace {
  tenstride::detail::TileBuffer buffer;
  /// Of the group's lowest element.
  std::uint64_t file_begin = 0;
  std::size_t buffer_begin = 0;
};
/// `dst`: the layout that the group's box is a part of; elements of `item` bytes from byte `begin` of the
/// file on.
GroupPlace place_group(const Box& group, const Layout& dst, Index item, std::uint64_t begin, Index page);

/// The pieces of a group, in the order of the file.
std::vector<Piece> pieces_of(const GroupPlace& place, Index item, std::byte* buffer);

/// The elements of a group as they lie in the buffer.
Tensor group_tensor(const GroupPlace& place, const Box& group, const Dims& strides, DType dtype,
                    std::byte* buffer);

/// Writes the elements of `src` into `dst`, converted; both of one shape. `first`: the index of the first
/// element in the result, of which several numbers of scale and shift have one for each. Gives how many are
/// missing.
Index convert_elements(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion);

/// Writes the elements of a part of a tile, converted, into `dst`. `part` is inside the tile's box. Gives how
/// many are missing.
Index copy_part(Tensor& dst, const BlockPlan& plan, std::size_t pass, const LoadedTile& tile, const Box& part,
                const Conversion& conversion);

/// The elements of a tile of a first pass. `strides` are those of the plan's source.
Tensor tile_tensor(const LoadedTile& tile, const Dims& strides, DType dtype);

/// Where the elements of a box stand in the row-major order of the result.
Layout positions_of(const BlockProblem& problem, const Box& box);

/// Of elements as they are written: of an axis that is reduced there is one index.
Checksum checksum_of(const Tensor& group, const BlockProblem& problem, const Box& box, const Dims& reduced);

/// The elements of a tile of a first pass into this machine's order of bytes.
void swap_bytes_of(const LoadedTile& tile, DType dtype);

}  // namespace tenstride::io
