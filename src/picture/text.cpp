// SPDX-License-Identifier: Apache-2.0
// Pictures for a terminal, with box characters.
#include "picture/text.hpp"

#include <array>

#include "picture/walk.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

class Terminal {
 public:
  Terminal(const Picture& picture, const PictureOptions& options)
      : picture_(picture), paint_(picture, options), width_(std::max<std::size_t>(options.width, 40)) {}

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
    return paint_.with(words, color);
  }
  [[nodiscard]] std::string painted(const std::string& words, Root root) const {
    return paint_.as(words, root);
  }
  [[nodiscard]] std::string wrapped(const std::string& indent, const std::string& words) const {
    std::string text;
    for (const std::string& line : lines_of(words, width_ - indent.size() - 2)) {
      text += text.empty() ? indent + line : '\n' + indent + "  " + line;
    }
    return text;
  }

  void tensor(std::size_t number) {
    const PictureTensor& tensor = picture_.tensors[number];
    const std::string title = shortened(tensor.title, width_);
    const std::string story = story_of(picture_, number);
    text_ += painted(title, "\033[1m");
    text_ += characters(title) + 2 + characters(story) <= width_ ? "  " : "\n  ";
    text_ += painted(story, look_of(tensor.kind).color) + '\n';
    const std::string facts =
        message(name(tensor.dtype), is_contiguous(tensor.layout) ? ", contiguous" : ", not contiguous");
    text_ += "  " + shortened(to_string(tensor.layout) + "  " + facts, width_ - 2) + '\n';
    if (!tensor.hint.empty()) text_ += painted(wrapped("  ", "note: " + tensor.hint), "\033[33m") + '\n';
    if (is_empty(tensor.layout)) {
      text_ += "  no element\n";
      return;
    }
    const TextBlock grid = grid_of(number);
    const TextBlock strip = strip_text(picture_, number, paint_, width_);
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

  [[nodiscard]] std::string words_of(const PictureTensor& tensor, Index position) const {
    return words_at(picture_, tensor, position);
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
    std::size_t width = 1;
    for (const Index at : shown_positions(tensor.layout))
      width = std::max(width, characters(words_of(tensor, at)));
    return width + 2;
  }

  [[nodiscard]] TextBlock grid_of(std::size_t number) const {
    const PictureTensor& tensor = picture_.tensors[number];
    const std::size_t cell = cell_width(number);
    const ShownGrid grid = fitting_grid(tensor, cell);
    std::vector<std::vector<Index>> entries = grid.axes;
    const std::size_t rank = entries.size();
    while (entries.size() < 4) entries.insert(entries.begin(), {0});
    TextBlock all;
    for (const Index outer0 : entries[0]) {
      std::vector<TextBlock> row;
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
  void place(TextBlock& all, const std::vector<TextBlock>& row) const {
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

  [[nodiscard]] TextBlock matrix_of(const PictureTensor& tensor, std::size_t leading, const Dims& outer,
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
    TextBlock block;
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
  Paint paint_;
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
