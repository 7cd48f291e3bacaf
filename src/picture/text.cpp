// SPDX-License-Identifier: Apache-2.0
// Pictures for a terminal, with box characters.
#include "text.hpp"

#include <array>

#include "tenstride/text.hpp"
#include "walk.hpp"

namespace tenstride::detail {
namespace {

/// The nearest colour of the 6 x 6 x 6 cube that terminals with 256 colours have.
int terminal_color(Rgb color) {
  const auto part = [](std::uint8_t value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  return 16 + 36 * part(color.red) + 6 * part(color.green) + part(color.blue);
}

std::string_view kind_color(StepKind kind) {
  switch (kind) {
    case StepKind::fresh:
      return "\033[34m";
    case StepKind::view:
    case StepKind::self:
      return "\033[32m";
    case StepKind::copy:
      return "\033[33m";
  }
  return "";
}

class Terminal {
 public:
  Terminal(const Picture& picture, const PictureOptions& options)
      : picture_(picture),
        colors_(picture, options),
        style_(options.style),
        width_(std::max<std::size_t>(options.width, 40)) {}

  std::string run() {
    bool is_first = true;
    for (const Index entry : shown_tensors(picture_)) {
      if (!is_first) text_ += '\n';
      is_first = false;
      if (entry == left_out) {
        text_ += message("… and ", picture_.tensors.size() - picture_limits::tensors + 1, " more\n");
      } else {
        tensor(static_cast<std::size_t>(entry));
      }
    }
    if (picture_.refusal) {
      refusal(*picture_.refusal);
    } else if (!picture_.error.empty()) {
      text_ += '\n' + painted(wrapped("", picture_.error), "\033[31m") + '\n';
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string painted(const std::string& words, std::string_view color) const {
    return style_ == TextStyle::plain || words.empty() ? words : message(color, words, "\033[0m");
  }
  [[nodiscard]] std::string painted(const std::string& words, Root root) const {
    return painted(words, message("\033[48;5;", terminal_color(colors_.of(root)), ";38;5;16m"));
  }
  [[nodiscard]] std::string wrapped(const std::string& indent, const std::string& words) const {
    std::string text;
    for (const std::string& line : lines_of(words, width_ - indent.size() - 2)) {
      text += text.empty() ? indent + line : '\n' + indent + "  " + line;
    }
    return text;
  }
  static std::string spread(const std::string& words, std::size_t width) {
    const std::size_t room = width > characters(words) ? width - characters(words) : 0;
    return std::string(room - room / 2, ' ') + words + std::string(room / 2, ' ');
  }

  void tensor(std::size_t number) {
    const PictureTensor& tensor = picture_.tensors[number];
    const std::string title = shortened(tensor.title, width_);
    const std::string story = story_of(picture_, number);
    text_ += painted(title, "\033[1m");
    text_ += characters(title) + 2 + characters(story) <= width_ ? "  " : "\n  ";
    text_ += painted(story, kind_color(tensor.kind)) + '\n';
    const std::string facts =
        message(name(tensor.dtype), is_contiguous(tensor.layout) ? ", contiguous" : ", not contiguous");
    text_ += "  " + shortened(to_string(tensor.layout) + "  " + facts, width_ - 2) + '\n';
    if (!tensor.hint.empty()) text_ += painted(wrapped("  ", "note: " + tensor.hint), "\033[33m") + '\n';
    if (is_empty(tensor.layout)) {
      text_ += "  no element\n";
      return;
    }
    const Block grid = grid_of(number);
    const Block strip = strip_of(number);
    if (grid.width + strip.width + 6 <= width_) {
      const std::size_t height = std::max(grid.lines.size(), strip.lines.size());
      for (std::size_t i = 0; i < height; ++i) {
        std::string line = "  ";
        line += i < grid.lines.size() ? grid.lines[i] : std::string(grid.width, ' ');
        if (i < strip.lines.size()) line += "    " + strip.lines[i];
        add(line);
      }
      return;
    }
    for (const std::string& line : grid.lines) add("  " + line);
    for (const std::string& line : strip.lines) add("  " + line);
  }

  void add(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  /// Lines of equal width, colours aside.
  struct Block {
    std::vector<std::string> lines;
    std::size_t width = 0;
  };

  [[nodiscard]] std::string words_of(const PictureTensor& tensor, Index position) const {
    return tensor.values ? value_at(tensor, position) : number_of(position);
  }

  /// What a grid shows, narrow enough for the terminal.
  [[nodiscard]] ShownGrid fitting_grid(const PictureTensor& tensor, std::size_t cell) const {
    ShownGrid grid = shown_grid(tensor.layout);
    if (grid.axes.empty()) return grid;
    const std::size_t room = std::max<std::size_t>((width_ - 4) / (cell + 1), 3);
    // Of what does not fit whole, less than in an SVG: lines are dear.
    for (std::size_t d = 0; d < grid.axes.size(); ++d) {
      const std::size_t from_last = grid.axes.size() - 1 - d;
      const std::size_t most = from_last == 0 ? room : from_last == 1 ? 8 : 4;
      const Index size = tensor.layout.shape[grid.leading + d];
      if (size > static_cast<Index>(most)) grid.axes[d] = shown_indices(size, from_last == 0 ? room : 4);
    }
    return grid;
  }

  [[nodiscard]] std::size_t cell_width(std::size_t number) const {
    const PictureTensor& tensor = picture_.tensors[number];
    const ShownGrid grid = shown_grid(tensor.layout);
    std::size_t width = 1;
    Index count = 1;
    for (const auto& axis : grid.axes) count *= static_cast<Index>(axis.size());
    for (Index n = 0; n < count; ++n) {
      Dims index = Dims::filled(tensor.layout.rank(), 0);
      Index rest = n;
      for (std::size_t d = grid.axes.size(); d-- > 0;) {
        const auto size = static_cast<Index>(grid.axes[d].size());
        index[grid.leading + d] = std::max<Index>(grid.axes[d][static_cast<std::size_t>(rest % size)], 0);
        rest /= size;
      }
      width = std::max(width, characters(words_of(tensor, position(tensor.layout, index))));
    }
    return width + 2;
  }

  [[nodiscard]] Block grid_of(std::size_t number) const {
    const PictureTensor& tensor = picture_.tensors[number];
    const std::size_t cell = cell_width(number);
    const ShownGrid grid = fitting_grid(tensor, cell);
    std::vector<std::vector<Index>> entries = grid.axes;
    const std::size_t rank = entries.size();
    while (entries.size() < 4) entries.insert(entries.begin(), {0});
    Block all;
    for (const Index outer0 : entries[0]) {
      std::vector<Block> row;
      for (const Index outer1 : entries[1]) {
        if (outer0 == left_out || outer1 == left_out) {
          row.push_back({{"⋯"}, 1});
          if (outer0 == left_out) break;
          continue;
        }
        row.push_back(matrix_of(tensor, grid.leading, {outer0, outer1}, rank, entries[2], entries[3], cell));
      }
      place(all, row);
    }
    for (std::string& line : all.lines) line += std::string(all.width - visible(line), ' ');
    return all;
  }

  /// Side by side as far as the width goes.
  void place(Block& all, const std::vector<Block>& row) const {
    for (std::size_t i = 0; i < row.size();) {
      std::size_t width = 0;
      std::size_t end = i;
      std::size_t height = 0;
      while (end < row.size() && (end == i || width + 2 + row[end].width + 2 <= width_)) {
        width += (end == i ? 0 : 2) + row[end].width;
        height = std::max(height, row[end].lines.size());
        ++end;
      }
      for (std::size_t l = 0; l < height; ++l) {
        std::string line;
        for (std::size_t b = i; b < end; ++b) {
          if (b > i) line += "  ";
          line += l < row[b].lines.size() ? row[b].lines[l] : std::string(row[b].width, ' ');
        }
        all.lines.push_back(line);
      }
      all.width = std::max(all.width, width);
      i = end;
    }
  }

  static std::size_t visible(const std::string& line) {
    std::size_t count = 0;
    bool is_escape = false;
    for (const char c : line) {
      if (c == '\033') is_escape = true;
      if (!is_escape && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
      if (is_escape && c == 'm') is_escape = false;
    }
    return count;
  }

  [[nodiscard]] Block matrix_of(const PictureTensor& tensor, std::size_t leading, const Dims& outer,
                                std::size_t rank, const std::vector<Index>& rows,
                                const std::vector<Index>& columns, std::size_t cell) const {
    const auto rule = [&](const char* left, const char* middle, const char* right) {
      std::string line = left;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t i = 0; i < cell; ++i) line += "─";
        line += c + 1 < columns.size() ? middle : right;
      }
      return line;
    };
    Block block;
    block.width = columns.size() * (cell + 1) + 1;
    if (rank > 2) {
      const std::string label =
          rank == 3 ? message("[", outer[1], "]") : message("[", outer[0], ",", outer[1], "]");
      block.lines.push_back(label + std::string(block.width - std::min(block.width, label.size()), ' '));
    }
    block.lines.push_back(rule("┌", "┬", "┐"));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r > 0) block.lines.push_back(rule("├", "┼", "┤"));
      std::string line = "│";
      for (const Index column : columns) {
        if (rows[r] == left_out || column == left_out) {
          line += spread(rows[r] == left_out ? (column == left_out ? "⋱" : "⋮") : "⋯", cell) + "│";
          continue;
        }
        const Dims place{outer[0], outer[1], rows[r], column};
        Dims index = Dims::filled(tensor.layout.rank(), 0);
        for (std::size_t d = 0; d < rank; ++d) index[leading + d] = place[4 - rank + d];
        const Index at = position(tensor.layout, index);
        const Index byte = at * static_cast<Index>(item_size(tensor.dtype));
        line += painted(spread(words_of(tensor, at), cell), root_of(picture_, tensor.storage, byte)) + "│";
      }
      block.lines.push_back(line);
    }
    block.lines.push_back(rule("└", "┴", "┘"));
    return block;
  }

  [[nodiscard]] Block strip_of(std::size_t number) const {
    const PictureTensor& tensor = picture_.tensors[number];
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
      strip = shown_strip(picture_, tensor.storage, most);
      positions.clear();
      cell = 1;
      for (const Index grain : strip.cells) {
        if (grain == left_out) {
          positions.push_back(left_out);
          continue;
        }
        for (Index item = 0; item < strip.grain / bytes; ++item) {
          const Index at = grain * (strip.grain / bytes) + item;
          if ((at + 1) * bytes > picture_.storages[tensor.storage].nbytes) break;
          positions.push_back(at);
          const Index count = elements_at(tensor.layout, at);
          cell = std::max({cell, characters(number_of(at)), value_at(tensor, at).size(),
                           count > 1 ? 1 + characters(number_of(count)) : std::size_t{1}});
        }
      }
      cell += 1;
      if (label_width + 2 + positions.size() * cell + 2 <= width_) break;
    }
    Block block;
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
      const Root root = root_of(picture_, tensor.storage, at * bytes);
      const std::string words = count == 0 ? "·" : tensor.values ? value_at(tensor, at) : std::string("■");
      values += count == 0 ? spread(words, cell) : painted(spread(words, cell), root);
      numbers += painted(spread(number_of(at), cell), "\033[2m");
      counts += spread(count > 1 ? "×" + number_of(count) : std::string(), cell);
      repeats = repeats || count > 1;
    }
    block.lines.push_back(values);
    block.lines.push_back(numbers);
    if (repeats) block.lines.push_back(counts);
    return block;
  }

  /// The positions that the axis visits from the first element on, joined in their order.
  [[nodiscard]] std::string lane(const PictureTensor& tensor, std::size_t d, const std::string& label,
                                 std::size_t label_width, const std::vector<Index>& positions,
                                 std::size_t cell) const {
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

  void refusal(const PictureRefusal& refusal) {
    const Layout& from = refusal.obstacle.from;
    text_ += '\n' + painted(shortened(refusal.title, width_), "\033[1m") + "  " +
             painted("refused: " + reason_of(refusal.obstacle), "\033[31m") + '\n';
    text_ +=
        "  the elements in the order of " + to_string(refusal.obstacle.to) + " and the steps between them:\n";
    Index usual = 0;
    for (std::size_t d = from.rank(); d-- > 0 && usual == 0;) {
      if (from.shape[d] > 1) usual = from.strides[d];
    }
    std::string line = "  ";
    const Index count = numel(from);
    for (Index n = 0; n < count; ++n) {
      const Index at = position(from, unravel(n, from.shape));
      const Index byte = at * static_cast<Index>(item_size(refusal.dtype));
      const std::string number = ' ' + std::to_string(at) + ' ';
      std::string step;
      if (n + 1 < count) {
        const Index far = position(from, unravel(n + 1, from.shape)) - at;
        step = message(far < 0 ? " -" : " +", magnitude(far), " ");
        if (far != usual) step = message(far < 0 ? "[-" : "[+", magnitude(far), "]");
        if (visible(line) + number.size() + step.size() + 2 > width_) {
          line += "…";
          break;
        }
        if (far != usual) step = painted(step, "\033[31m");
      }
      line += painted(number, root_of(picture_, refusal.storage, byte)) + step;
    }
    add(line);
  }

  const Picture& picture_;
  Colors colors_;
  TextStyle style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string text_of_tensors(const Picture& picture, const PictureOptions& options) {
  require_tensors(picture);
  return Terminal(picture, options).run();
}

}  // namespace tenstride::detail

namespace tenstride {

std::string to_text(const Picture& picture, const PictureOptions& options) {
  switch (options.subject) {
    case PictureSubject::tensors:
      return detail::text_of_tensors(picture, options);
    case PictureSubject::atoms:
      return detail::text_of_atoms(picture);
    case PictureSubject::walk:
      return detail::text_of_walk(picture);
  }
  return {};
}

}  // namespace tenstride
