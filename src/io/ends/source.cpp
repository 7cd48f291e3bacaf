// SPDX-License-Identifier: Apache-2.0
#include "io/ends/source.hpp"

#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

LoadedBox clipped(const LoadedBox& from, const Box& common) {
  const Box inside{relative_to(from.box.first, common.first), common.extents};
  return {common, from.data, layout_of_box(from.layout, inside)};
}

}  // namespace

std::vector<LoadedBox> LoadedPart::pieces_in(const Box& wanted) const {
  const std::optional<Box> common = intersection(box, wanted);
  if (!common) return {};
  if (slot_nbytes == 0) return {clipped({box, data, layout}, *common)};
  std::vector<LoadedBox> pieces;
  for (const Index slot : touched_pieces(box, block, *common)) {
    const Box at = piece_of_box(box, block, slot);
    const std::byte* const begin = data + static_cast<std::size_t>(slot) * slot_nbytes;
    pieces.push_back(clipped({at, begin, row_major(at.extents)}, *intersection(at, *common)));
  }
  return pieces;
}

}  // namespace tenstride::io
