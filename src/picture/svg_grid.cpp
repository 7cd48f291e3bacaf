// SPDX-License-Identifier: Apache-2.0
// The logical grid of a tensor: the last two axes are a matrix, further ones set such matrices side by side
// and below one another.
#include "picture/scene.hpp"

namespace tenstride::detail {
namespace {

constexpr Index arrow_room = 22;
constexpr Index padding = 5;
constexpr Index between_blocks = 10;

/// Where the entries of an axis stand, and how long they are together.
struct Track {
  std::vector<Index> starts;
  Index length = 0;
};
Track track(const std::vector<Index>& entries, Index size, Index space) {
  Track result;
  for (const Index entry : entries) {
    result.starts.push_back(result.length);
    result.length += (entry == left_out ? gap_size : size) + space;
  }
  result.length = std::max<Index>(result.length - space, 0);
  return result;
}

class Grid {
 public:
  Grid(const Scene& scene, std::size_t number)
      : scene_(scene),
        number_(number),
        tensor_(scene.picture.tensors[number]),
        shown_(shown_grid(tensor_.layout)) {
    std::vector<std::vector<Index>> axes = shown_.axes;
    rank_ = axes.size();
    while (axes.size() < 4) axes.insert(axes.begin(), {0});
    entries_ = axes;
    columns_ = track(entries_[3], scene.cell_width, 0);
    rows_ = track(entries_[2], cell_height, 0);
    const Index frame = is_nested() ? 2 * padding : 0;
    across_ = track(entries_[1], columns_.length + frame, between_blocks);
    down_ = track(entries_[0], rows_.length + frame, between_blocks);
  }

  [[nodiscard]] Size size() const {
    if (is_empty(tensor_.layout)) return {120, cell_height + 2 * padding};
    return {left() + across_.length, top() + down_.length};
  }

  void draw(Canvas& canvas, Index x, Index y) const {
    if (is_empty(tensor_.layout)) {
      canvas.rect(x, y, 110, cell_height, "rx=\"4\" class=\"gap\"");
      canvas.text(x + 55, y + 18, "no element", "m", Anchor::middle);
      return;
    }
    x += left();
    y += top();
    arrows(canvas, x, y);
    for (std::size_t i = 0; i < entries_[0].size(); ++i) {
      for (std::size_t j = 0; j < entries_[1].size(); ++j) {
        const Index block_x = x + across_.starts[j];
        const Index block_y = y + down_.starts[i];
        if (entries_[0][i] == left_out || entries_[1][j] == left_out) {
          const bool is_down = entries_[0][i] == left_out;
          const Index half_width =
              (entries_[1][j] == left_out ? gap_size : columns_.length + 2 * padding) / 2;
          const Index half_height = (is_down ? gap_size : rows_.length + 2 * padding) / 2;
          canvas.text(block_x + half_width, block_y + half_height + 5, is_down ? "⋮" : "⋯", "l",
                      Anchor::middle);
          continue;
        }
        block(canvas, block_x, block_y, entries_[0][i], entries_[1][j]);
      }
    }
  }

 private:
  [[nodiscard]] bool is_nested() const { return rank_ > 2; }
  [[nodiscard]] Index left() const { return rank_ == 4 ? 2 * arrow_room : rank_ >= 2 ? arrow_room : 0; }
  [[nodiscard]] Index top() const { return rank_ >= 3 ? 2 * arrow_room : rank_ >= 1 ? arrow_room : 0; }

  void block(Canvas& canvas, Index x, Index y, Index outer0, Index outer1) const {
    if (is_nested()) {
      canvas.rect(x, y, columns_.length + 2 * padding, rows_.length + 2 * padding, "rx=\"6\" class=\"f\"");
      x += padding;
      y += padding;
    }
    for (std::size_t i = 0; i < entries_[2].size(); ++i) {
      for (std::size_t j = 0; j < entries_[3].size(); ++j) {
        const Index cell_x = x + columns_.starts[j];
        const Index cell_y = y + rows_.starts[i];
        const bool skips_row = entries_[2][i] == left_out;
        const bool skips_column = entries_[3][j] == left_out;
        if (skips_row || skips_column) {
          const Index half_width = (skips_column ? gap_size : scene_.cell_width) / 2;
          const Index half_height = (skips_row ? gap_size : cell_height) / 2;
          const char* const dots = skips_row && skips_column ? "⋱" : skips_row ? "⋮" : "⋯";
          canvas.text(cell_x + half_width, cell_y + half_height + 5, dots, "l", Anchor::middle);
          continue;
        }
        element(canvas, cell_x, cell_y, {outer0, outer1, entries_[2][i], entries_[3][j]});
      }
    }
  }

  void element(Canvas& canvas, Index x, Index y, const Dims& place) const {
    Dims index = Dims::filled(tensor_.layout.rank(), 0);
    for (std::size_t d = 0; d < rank_; ++d) index[shown_.leading + d] = place[4 - rank_ + d];
    Cell cell;
    cell.step = number_;
    cell.index = plain(index);
    cell.position = position(tensor_.layout, index);
    cell.words = words_at(scene_.picture, tensor_, cell.position);
    draw_cell(canvas, scene_, cell, x, y, scene_.cell_width);
  }

  /// Draws an arrow along each axis, from its first element to its last, with its name.
  void arrows(Canvas& canvas, Index x, Index y) const {
    const Index inset = is_nested() ? padding : 0;
    const auto name = [&](std::size_t place) {
      return message("axis ", shown_.leading + place - (4 - rank_));
    };
    const auto right = [&](std::size_t place, Index from, Index length, Index at) {
      horizontal(canvas, from, from + length, at, name(place));
    };
    const auto below = [&](std::size_t place, Index from, Index length, Index at) {
      vertical(canvas, at, from, from + length, name(place));
    };
    if (rank_ >= 1) right(3, x + inset, columns_.length, y - 9);
    if (rank_ >= 2) below(2, y + inset, rows_.length, x - 9);
    if (rank_ >= 3) right(1, x, across_.length, y - 9 - arrow_room);
    if (rank_ >= 4) below(0, y, down_.length, x - 9 - arrow_room);
  }

  /// The name interrupts the line where there is room, else it stands alone.
  static void horizontal(Canvas& canvas, Index from, Index to, Index y, const std::string& name) {
    const Index half = sans_width(name, 11) / 2;
    const Index middle = (from + to) / 2;
    if (to - from >= 2 * half + 36) {
      canvas.line(from + 2, y, middle - half - 2, y, "class=\"a\"");
      canvas.line(middle + half + 4, y, to - 6, y, "class=\"a\"");
      draw_tip(canvas, to - 1, y, Direction::right);
      canvas.text(middle, y + 4, name, "m", Anchor::middle);
      return;
    }
    canvas.text(from, y + 3, name, "m");
  }
  static void vertical(Canvas& canvas, Index x, Index from, Index to, const std::string& name) {
    const Index half = sans_width(name, 11) / 2;
    const Index middle = (from + to) / 2;
    if (to - from >= 2 * half + 36) {
      canvas.line(x, from + 2, x, middle - half - 4, "class=\"a\"");
      canvas.line(x, middle + half + 2, x, to - 6, "class=\"a\"");
      draw_tip(canvas, x, to - 1, Direction::down);
    }
    canvas.upright(x + 4, middle, name, "m");
  }

  const Scene& scene_;
  std::size_t number_;
  const PictureTensor& tensor_;
  ShownGrid shown_;
  std::size_t rank_ = 0;
  std::vector<std::vector<Index>> entries_;
  Track columns_;
  Track rows_;
  Track across_;
  Track down_;
};

}  // namespace

Size grid_size(const Scene& scene, std::size_t number) {
  return Grid(scene, number).size();
}

void draw_grid(Canvas& canvas, const Scene& scene, std::size_t number, Index x, Index y) {
  Grid(scene, number).draw(canvas, x, y);
}

}  // namespace tenstride::detail
