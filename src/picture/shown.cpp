// SPDX-License-Identifier: Apache-2.0
#include "picture/shown.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/message.hpp"
#include "picture/ranks.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

/// Layouts of up to so many elements are looked through one by one.
constexpr Index max_looked_at = 4096;

Layout without_repeats(const Layout& layout) {
  Layout result = layout;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.strides[d] == 0) result.shape[d] = std::min<Index>(result.shape[d], 1);
  }
  return result;
}

}  // namespace

std::vector<Index> shown_indices(Index size, std::size_t most) {
  std::vector<Index> shown;
  if (size <= static_cast<Index>(most)) {
    for (Index i = 0; i < size; ++i) shown.push_back(i);
    return shown;
  }
  for (std::size_t i = 0; i + 2 < most; ++i) shown.push_back(static_cast<Index>(i));
  shown.push_back(left_out);
  shown.push_back(size - 1);
  return shown;
}

bool ShownGrid::is_whole(const Dims& shape) const {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < leading && shape[d] > 1) return false;
    if (d >= leading && static_cast<Index>(axes[d - leading].size()) != shape[d]) return false;
  }
  return true;
}

ShownGrid shown_grid(const Layout& layout) {
  // Entries for each axis, from the last: at most 8*10, 4*6*8, 3*3*5*6 elements.
  static constexpr std::array<std::array<std::size_t, 4>, 5> most{
      {{}, {16}, {12, 10}, {8, 6, 5}, {6, 5, 3, 3}}};
  ShownGrid grid;
  const std::size_t rank = std::min(layout.rank(), picture_limits::rank);
  grid.leading = layout.rank() - rank;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t from_last = rank - 1 - d;
    grid.axes.push_back(shown_indices(layout.shape[grid.leading + d], most.at(rank).at(from_last)));
  }
  return grid;
}

std::vector<Index> shown_positions(const Layout& layout) {
  if (is_empty(layout)) return {};
  const ShownGrid grid = shown_grid(layout);
  std::vector<Index> positions{layout.offset};
  for (std::size_t d = 0; d < grid.axes.size(); ++d) {
    std::vector<Index> longer;
    for (const Index before : positions) {
      for (const Index at : grid.axes[d])
        longer.push_back(before + std::max<Index>(at, 0) * layout.strides[grid.leading + d]);
    }
    positions = std::move(longer);
  }
  return positions;
}

std::optional<Dims> locate(const Layout& layout, Index position) {
  const Layout single = without_repeats(layout);
  if (is_empty(layout)) return std::nullopt;
  Index rest = position - layout.offset;
  std::array<std::size_t, max_rank> axes{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < single.rank(); ++d) {
    if (single.shape[d] < 2) continue;
    if (single.strides[d] < 0) rest -= (single.shape[d] - 1) * single.strides[d];
    axes[count++] = d;
  }
  if (rest < 0 || !is_provably_unique(single)) return std::nullopt;
  std::sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count),
            [&](std::size_t a, std::size_t b) {
              return magnitude(single.strides[a]) > magnitude(single.strides[b]);
            });
  Dims index = Dims::filled(layout.rank(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = axes[i];
    const auto step = static_cast<Index>(magnitude(single.strides[d]));
    const Index steps = std::min(rest / step, single.shape[d] - 1);
    rest -= steps * step;
    index[d] = single.strides[d] < 0 ? single.shape[d] - 1 - steps : steps;
  }
  if (rest != 0) return std::nullopt;
  return index;
}

Index elements_at(const Layout& layout, Index position) {
  if (is_empty(layout)) return 0;
  const Layout single = without_repeats(layout);
  Index repeats = 1;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.strides[d] == 0) repeats *= layout.shape[d];
  }
  if (is_provably_unique(single)) return locate(layout, position) ? repeats : 0;
  const Index count = numel(single);
  if (count > max_looked_at) return 1;
  Index found = 0;
  for (Index n = 0; n < count; ++n) {
    if (tenstride::position(single, unravel(n, single.shape)) == position) ++found;
  }
  return found * repeats;
}

Root root_of(const Picture& picture, std::size_t storage, Index byte) {
  // An origin is always an earlier storage.
  while (picture.storages[storage].origin) {
    const PictureOrigin& origin = *picture.storages[storage].origin;
    const auto to_size = static_cast<Index>(item_size(origin.to_dtype));
    const auto from_size = static_cast<Index>(item_size(origin.from_dtype));
    const Index inside = byte % to_size;
    std::optional<Index> from;
    if (!origin.moved.empty()) {
      const auto at = origin.moved.find(byte / to_size);
      if (at != origin.moved.end()) from = at->second;
    } else if (const std::optional<Dims> index = locate(origin.to, byte / to_size)) {
      Index n = 0;
      for (std::size_t d = 0; d < index->size(); ++d) n = n * origin.to.shape[d] + (*index)[d];
      from = position(origin.from, unravel(n, origin.from.shape));
    }
    if (!from || origin.storage >= storage) break;
    storage = origin.storage;
    byte = *from * from_size + (to_size == from_size ? inside : 0);
  }
  return {storage, byte};
}

std::vector<Index> shown_tensors(const Picture& picture) {
  return shown_indices(static_cast<Index>(picture.tensors.size()), picture_limits::tensors);
}

ShownStrip shown_strip(const Picture& picture, std::size_t storage, std::size_t max_positions) {
  ShownStrip strip;
  Index smallest = 0;
  std::vector<const PictureTensor*> tensors;
  for (const Index number : shown_tensors(picture)) {
    if (number == left_out) continue;
    const PictureTensor& tensor = picture.tensors[static_cast<std::size_t>(number)];
    if (tensor.storage != storage) continue;
    tensors.push_back(&tensor);
    const auto size = static_cast<Index>(item_size(tensor.dtype));
    strip.grain = std::max(strip.grain, size);
    smallest = smallest == 0 ? size : std::min(smallest, size);
  }
  strip.unit = std::max<Index>(smallest, 1);
  const Index nbytes = picture.storages[storage].nbytes;
  const Index length = nbytes / strip.grain + (nbytes % strip.grain == 0 ? 0 : 1);
  const std::size_t most = std::max<std::size_t>(
      max_positions * static_cast<std::size_t>(strip.unit) / static_cast<std::size_t>(strip.grain), 4);
  if (length <= static_cast<Index>(most)) {
    for (Index i = 0; i < length; ++i) strip.cells.push_back(i);
    return strip;
  }
  // The ends, the neighbourhood of each tensor's first element, and where its first step along each axis
  // leads; then as much of the beginning as there is room for.
  std::set<Index> chosen;
  const auto choose = [&](Index cell) {
    if (cell >= 0 && cell < length && chosen.size() < most * 3 / 4) chosen.insert(cell);
  };
  choose(0);
  choose(length - 1);
  const auto cell_of = [&](const PictureTensor& tensor, Index position) {
    return position / (strip.grain / static_cast<Index>(item_size(tensor.dtype)));
  };
  // The first steps of all before the second ones and the neighbours, as far as there is room.
  for (int round = 0; round < 3; ++round) {
    for (const PictureTensor* tensor : tensors) {
      if (is_empty(tensor->layout)) continue;
      if (round == 0) choose(cell_of(*tensor, tensor->layout.offset));
      for (std::size_t d = tensor->layout.rank(); d-- > 0;) {
        const Index step = round == 1 ? 2 : 1;
        if (step >= tensor->layout.shape[d]) continue;
        const Index cell = cell_of(*tensor, tensor->layout.offset + step * tensor->layout.strides[d]);
        choose(round == 2 ? cell + 1 : cell);
      }
    }
  }
  for (Index i = 0; i < length && chosen.size() + 4 < most; ++i) chosen.insert(i);
  // Nothing is left out between two cells that have one between them: an ellipsis takes as much room.
  Index before = -1;
  for (const Index cell : chosen) {
    if (cell - before == 2) strip.cells.push_back(cell - 1);
    if (cell - before > 2) strip.cells.push_back(left_out);
    strip.cells.push_back(cell);
    before = cell;
  }
  return strip;
}

std::string value_at(const PictureTensor& tensor, Index position) {
  if (!tensor.values) return {};
  const auto size = static_cast<Index>(tensor.values->element_size());
  if (position < 0 || position >= static_cast<Index>(tensor.values->storage().nbytes()) / size) return {};
  const Tensor single(tensor.values->storage(), Layout{{}, {}, position}, tensor.dtype);
  const Scalar value = single.item();
  if (value.is_bool()) return value.to<bool>() ? "T" : "F";
  if (value.is_integer() && value.to_string().size() <= 10) return value.to_string();
  std::array<char, 32> text{};
  const auto number = value.to<double>();
  std::snprintf(text.data(), text.size(), std::abs(number) < 1000 ? "%.3g" : "%.4g", number);
  return text.data();
}

std::string words_at(const Picture& picture, const PictureTensor& tensor, Index position) {
  if (picture.ranks) {
    const Index byte = position * static_cast<Index>(item_size(tensor.dtype));
    return ranks_text(picture, root_of(picture, tensor.storage, byte));
  }
  return tensor.values ? value_at(tensor, position) : number_of(position);
}

std::string number_of(Index number) {
  return shortened(std::to_string(number), 11);
}

std::string plain(const Dims& dims) {
  const std::string text = to_string(dims);
  return text.substr(1, text.size() - 2);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(const std::string& text, std::size_t most) {
  if (characters(text) <= most) return text;
  std::size_t head = (most - 1) / 2;
  std::size_t tail = text.size() - (most - 1 - head);
  while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xC0U) == 0x80U) --head;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0U) == 0x80U) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (lines.empty() || characters(lines.back()) + 1 + characters(word) > most) {
      lines.push_back(word);
    } else {
      lines.back() += ' ' + word;
    }
    begin = end + 1;
  }
  return lines;
}

std::string story_of(const Picture& picture, std::size_t number) {
  const PictureTensor& tensor = picture.tensors[number];
  const PictureStorage& storage = picture.storages[tensor.storage];
  switch (tensor.kind) {
    case StepKind::fresh:
      return message("storage ", storage.name, ", ", bytes_to_text(storage.nbytes));
    case StepKind::view:
      return message("view: storage ", storage.name, " again, nothing moves");
    case StepKind::self:
      if (tensor.bytes_moved > 0) {
        return message("the same tensor, ", bytes_to_text(tensor.bytes_moved), " moved in storage ",
                       storage.name);
      }
      return message("the same tensor, nothing moves");
    case StepKind::transfer:
      return message("transfer: ", bytes_to_text(tensor.bytes_transferred), " over the link, into storage ",
                     storage.name);
    case StepKind::file:
      return message("file: storage ", storage.name, ", ", bytes_to_text(storage.nbytes));
    case StepKind::copy:
      return message("copy: ", bytes_to_text(tensor.bytes_moved), " moved, into storage ", storage.name);
  }
  return {};
}

KindLook look_of(StepKind kind) {
  switch (kind) {
    case StepKind::fresh:
    case StepKind::file:
      return {"new", "\033[34m"};
    case StepKind::view:
    case StepKind::self:
      return {"view", "\033[32m"};
    case StepKind::copy:
    case StepKind::transfer:
      return {"copy", "\033[33m"};
  }
  return {};
}

std::string reason_of(const ViewObstacle& obstacle) {
  return message("axes ", obstacle.left_axis, " and ", obstacle.right_axis,
                 " would merge, but a step along axis ", obstacle.left_axis, " moves ", obstacle.stride_found,
                 ", not ", obstacle.stride_needed);
}

}  // namespace tenstride::detail
