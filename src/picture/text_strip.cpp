// SPDX-License-Identifier: Apache-2.0
#include "picture/text.hpp"

namespace tenstride::detail {
namespace {

/// The nearest colour of the 6 x 6 x 6 cube that terminals with 256 colours have.
int terminal_color(Rgb color) {
  const auto part = [](std::uint8_t value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  return 16 + 36 * part(color.red) + 6 * part(color.green) + part(color.blue);
}

/// The positions that the axis visits from the first element on, joined in their order.
std::string lane(const PictureTensor& tensor, std::size_t d, const std::string& label,
                 std::size_t label_width, const std::vector<Index>& positions, std::size_t cell) {
  std::string line = label + std::string(label_width + 2 - characters(label), ' ');
  const Index stride = tensor.layout.strides[d];
  const Index first = tensor.layout.offset;
  const Index last = first + (tensor.layout.shape[d] - 1) * stride;
  for (const Index at : positions) {
    const bool is_inside = at != left_out && at >= std::min(first, last) && at <= std::max(first, last);
    const bool is_visited = is_inside && (stride == 0 ? at == first : (at - first) % stride == 0);
    const std::size_t before = cell - cell / 2 - 1 + (cell % 2 == 0 ? 1 : 0);
    const std::size_t after = cell - before - 1;
    const bool joins_before = is_inside && at > std::min(first, last);
    const bool joins_after = is_inside && at < std::max(first, last);
    const auto dashes = [](std::size_t count, bool joins) {
      std::string dash;
      for (std::size_t i = 0; i < count; ++i) dash += joins ? "─" : " ";
      return dash;
    };
    const std::string mark = at == left_out ? "⋯"
                             : is_visited   ? (at == first ? "●" : "○")
                             : is_inside    ? "─"
                                            : " ";
    line += dashes(before, joins_before) + mark + dashes(after, joins_after);
  }
  return line;
}

}  // namespace

std::string Paint::with(const std::string& words, std::string_view escape) const {
  return style_ == TextStyle::plain || words.empty() ? words : message(escape, words, "\033[0m");
}

std::string Paint::as(const std::string& words, Root root) const {
  return with(words, message("\033[48;5;", terminal_color(colors_.of(root)), ";38;5;16m"));
}

std::string spread(const std::string& words, std::size_t width) {
  const std::size_t room = width > characters(words) ? width - characters(words) : 0;
  return std::string(room - room / 2, ' ') + words + std::string(room / 2, ' ');
}

TextBlock strip_text(const Picture& picture, std::size_t number, const Paint& paint, std::size_t width) {
  const PictureTensor& tensor = picture.tensors[number];
  const auto bytes = static_cast<Index>(item_size(tensor.dtype));
  std::vector<std::pair<std::size_t, std::string>> lanes;
  std::size_t label_width = 7;
  for (std::size_t d = 0; d < tensor.layout.rank(); ++d) {
    if (tensor.layout.shape[d] < 2) continue;
    const Index stride = tensor.layout.strides[d];
    std::string label = message("axis ", d, stride < 0 ? " -" : " +", magnitude(stride));
    if (stride == 0) label += message(" ×", tensor.layout.shape[d]);
    lanes.emplace_back(d, shortened(label, 22));
    label_width = std::max(label_width, characters(lanes.back().second));
  }
  while (lanes.size() > picture_limits::rank) lanes.erase(lanes.begin());
  // Fewer cells until they fit.
  ShownStrip strip;
  std::size_t cell = 0;
  std::vector<Index> positions;
  for (std::size_t most = picture_limits::positions; most >= 4; most = most * 3 / 4) {
    strip = shown_strip(picture, tensor.storage, most);
    positions.clear();
    cell = 1;
    for (const Index grain : strip.cells) {
      if (grain == left_out) {
        positions.push_back(left_out);
        continue;
      }
      for (Index item = 0; item < strip.grain / bytes; ++item) {
        const Index at = grain * (strip.grain / bytes) + item;
        if ((at + 1) * bytes > picture.storages[tensor.storage].nbytes) break;
        positions.push_back(at);
        const Index count = elements_at(tensor.layout, at);
        cell = std::max({cell, characters(number_of(at)), value_at(tensor, at).size(),
                         count > 1 ? 1 + characters(number_of(count)) : std::size_t{1}});
      }
    }
    cell += 1;
    if (label_width + 2 + positions.size() * cell + 2 <= width) break;
  }
  TextBlock block;
  block.width = label_width + 2 + positions.size() * cell;
  for (const auto& [d, label] : lanes)
    block.lines.push_back(lane(tensor, d, label, label_width, positions, cell));
  std::string values(label_width + 2, ' ');
  values.replace(0, 7, "storage");
  std::string numbers(label_width + 2, ' ');
  std::string counts(label_width + 2, ' ');
  bool repeats = false;
  for (const Index at : positions) {
    if (at == left_out) {
      values += spread("⋯", cell);
      numbers += std::string(cell, ' ');
      counts += std::string(cell, ' ');
      continue;
    }
    const Index count = elements_at(tensor.layout, at);
    const Root root = root_of(picture, tensor.storage, at * bytes);
    const std::string words = count == 0 ? "·" : tensor.values ? value_at(tensor, at) : std::string("■");
    values += count == 0 ? spread(words, cell) : paint.as(spread(words, cell), root);
    numbers += paint.with(spread(number_of(at), cell), "\033[2m");
    counts += spread(count > 1 ? "×" + number_of(count) : std::string(), cell);
    repeats = repeats || count > 1;
  }
  block.lines.push_back(values);
  block.lines.push_back(numbers);
  if (repeats) block.lines.push_back(counts);
  return block;
}

}  // namespace tenstride::detail
