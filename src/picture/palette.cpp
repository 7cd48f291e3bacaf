// SPDX-License-Identifier: Apache-2.0
#include "picture/palette.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "picture/ranks.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride::detail {
namespace {

struct Hue {
  Rgb pale;
  Rgb full;
};
constexpr std::array<Hue, 8> hue_list{{
    {{0xd6, 0xea, 0xfc}, {0x74, 0xb4, 0xea}},  // blue
    {{0xfd, 0xe8, 0xcc}, {0xf2, 0xa8, 0x5c}},  // orange
    {{0xd0, 0xf0, 0xe4}, {0x62, 0xc2, 0xa0}},  // green
    {{0xf3, 0xdf, 0xef}, {0xd4, 0x91, 0xc3}},  // purple
    {{0xfc, 0xf7, 0xcf}, {0xe4, 0xd4, 0x55}},  // yellow
    {{0xfc, 0xdd, 0xd4}, {0xe9, 0x8a, 0x70}},  // vermilion
    {{0xe1, 0xe4, 0xfc}, {0x94, 0xa0, 0xee}},  // indigo
    {{0xe9, 0xeb, 0xee}, {0xae, 0xb5, 0xbd}},  // grey
}};
constexpr std::array<Rgb, 4> scale{
    {{0xff, 0xf8, 0xc4}, {0xbf, 0xe6, 0xb8}, {0x7d, 0xcb, 0xc0}, {0x62, 0xa8, 0xdc}}};

Rgb between(Rgb a, Rgb b, double share) {
  const auto part = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(from + share * (to - from) + 0.5);
  };
  return {part(a.red, b.red), part(a.green, b.green), part(a.blue, b.blue)};
}

/// A hue for each rank; where there are more, darker ones again.
Rgb rank_color(const Picture& picture, Root root) {
  const std::vector<Index> holders = holders_of(picture, root);
  if (holders.empty()) return hue_color(7, 0);
  const auto rank = static_cast<std::size_t>(holders.front());
  const std::size_t rounds = (picture.ranks->held.size() + hue_list.size() - 1) / hue_list.size();
  const double depth =
      rounds < 2 ? 0.6 : static_cast<double>(rank / hue_list.size()) / static_cast<double>(rounds - 1);
  return hue_color(rank, depth);
}

}  // namespace

std::string to_hex(Rgb color) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text.data();
}

Rgb hue_color(std::size_t hue, double depth) {
  return between(hue_list[hue % hue_list.size()].pale, hue_list[hue % hue_list.size()].full,
                 std::clamp(depth, 0.0, 1.0));
}

Rgb scale_color(double place) {
  const double along = std::clamp(place, 0.0, 1.0) * (scale.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(along), scale.size() - 2);
  return between(scale[left], scale[left + 1], along - static_cast<double>(left));
}

Colors::Colors(const Picture& picture, const PictureOptions& options) : picture_(picture) {
  std::size_t roots = 0;
  for (std::size_t s = 0; s < picture.storages.size(); ++s) {
    Legend legend;
    legend.nbytes = std::max<Index>(picture.storages[s].nbytes, 1);
    // Elements of another origin have other hue_list.
    if (!picture.storages[s].origin) legend.first_hue = 3 * roots++;
    for (const PictureTensor& tensor : picture.tensors) {
      if (tensor.storage != s || options.colors == PictureColors::position) continue;
      const bool is_usable = tensor.layout.rank() > options.axis && !is_empty(tensor.layout) &&
                             is_provably_unique(tensor.layout);
      if (!is_usable) continue;
      // The first tensor with more than one axis, else the first.
      if (!legend.layout || legend.layout->rank() < 2) {
        if (legend.layout && tensor.layout.rank() < 2) continue;
        legend.layout = tensor.layout;
        legend.axis = options.axis;
        legend.item_bytes = static_cast<Index>(item_size(tensor.dtype));
      }
    }
    legends_.push_back(legend);
  }
}

Rgb Colors::of(Root root) const {
  if (picture_.ranks) return rank_color(picture_, root);
  const Legend& legend = legends_[root.storage];
  const double place = static_cast<double>(root.byte) / static_cast<double>(legend.nbytes);
  if (!legend.layout) return scale_color(place);
  const std::optional<Dims> index = locate(*legend.layout, root.byte / legend.item_bytes);
  if (!index) return hue_color(7, 0);
  const Index size = legend.layout->shape[legend.axis];
  const Index along = (*index)[legend.axis];
  if (size > static_cast<Index>(hue_list.size()) || legend.layout->rank() == 1) {
    return scale_color(size < 2 ? 0 : static_cast<double>(along) / static_cast<double>(size - 1));
  }
  Index number = 0;
  Index count = 1;
  for (std::size_t d = 0; d < index->size(); ++d) {
    if (d == legend.axis) continue;
    number = number * legend.layout->shape[d] + (*index)[d];
    count *= legend.layout->shape[d];
  }
  const double depth =
      count < 2 ? 0.5 : 0.15 + 0.85 * static_cast<double>(number) / static_cast<double>(count - 1);
  return hue_color(legend.first_hue + static_cast<std::size_t>(along), depth);
}

}  // namespace tenstride::detail
