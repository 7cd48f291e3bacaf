// SPDX-License-Identifier: Apache-2.0
#include "picture/ranks.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride {
namespace detail {
namespace {

bool has(const distributed::Holding& holding, const Dims& index) {
  for (std::size_t d = 0; d < index.size(); ++d) {
    const auto& ranges = holding.ranges[d];
    if (std::none_of(ranges.begin(), ranges.end(), [&](const distributed::IndexRange& range) {
          return range.begin <= index[d] && index[d] < range.end;
        })) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Index> holders_of(const Picture& picture, Root root) {
  const PictureTensor& tensor = picture.tensors.front();
  std::vector<Index> holders;
  if (root.storage != tensor.storage) return holders;
  const std::optional<Dims> index =
      locate(tensor.layout, root.byte / static_cast<Index>(item_size(tensor.dtype)));
  if (!index) return holders;
  for (std::size_t rank = 0; rank < picture.ranks->held.size(); ++rank) {
    if (has(picture.ranks->held[rank], *index)) holders.push_back(static_cast<Index>(rank));
  }
  return holders;
}

std::string ranks_text(const Picture& picture, Root root) {
  const std::vector<Index> holders = holders_of(picture, root);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(holders.size(), 2); ++i)
    text += message(i == 0 ? "" : ",", holders[i]);
  return holders.size() > 2 ? text + "…" : text;
}

}  // namespace detail

Picture spread_over(Picture picture, const distributed::Mesh& mesh,
                    std::vector<distributed::Placement> placements) {
  if (picture.tensors.empty())
    throw ValueError("spread_over: the picture has no tensor to be spread over ranks");
  PictureTensor& first = picture.tensors.front();
  if (!is_provably_unique(first.layout)) {
    throw ValueError(detail::message("spread_over: the elements of ", first.title, " (", first.layout.shape,
                                     ", strides ", first.layout.strides, ") must have places of their own"));
  }
  PictureRanks ranks{distribute(first.layout.shape, mesh, std::move(placements)), {}};
  for (Index rank = 0; rank < mesh.size(); ++rank) ranks.held.push_back(ranks.spread.held_by(rank));
  first.hint = detail::message("by rank: ", ranks.spread.to_string());
  picture.ranks = std::move(ranks);
  return picture;
}

}  // namespace tenstride
