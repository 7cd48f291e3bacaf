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
  const Dims counts = tile_counts(box.extents, block);
  Dims first = common->first, touched = common->extents;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const Index begin = common->first[d] - box.first[d];
    first[d] = begin / block[d];
    touched[d] = (begin + common->extents[d] - 1) / block[d] - first[d] + 1;
  }
  std::vector<LoadedBox> pieces;
  for (Index number = 0; number < count_elements(touched); ++number) {
    Dims index = unit_index(touched, number);
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += first[d];
    const Index slot = unit_number(counts, index);
    Box at = tile_box(box.extents, block, slot);
    for (std::size_t d = 0; d < at.first.size(); ++d) at.first[d] += box.first[d];
    const Layout dense = row_major(at.extents);
    const std::byte* const begin = data + static_cast<std::size_t>(slot) * slot_nbytes;
    pieces.push_back(clipped({at, begin, dense}, *intersection(at, *common)));
  }
  return pieces;
}

}  // namespace tenstride::io
