// SPDX-License-Identifier: Apache-2.0
// The order in which a copy visits memory: both storages laid in lines, numbered and joined in the order of
// the plan's loops.
#include <set>

#include "picture/scene.hpp"
#include "picture/walk.hpp"

namespace tenstride::detail {
namespace {

constexpr Index cell_size = 34;

/// So many positions make a line: the smallest step that is more than one.
Index line_length(const Nest& nest, bool of_source, Index longest) {
  Index length = 0;
  for (const Loop& loop : nest.loops) {
    const auto step = static_cast<Index>(magnitude(of_source ? loop.src_stride : loop.dst_stride));
    if (step > 1 && (length == 0 || step < length)) length = step;
  }
  return length == 0 ? std::max<Index>(longest, 1) : length;
}

/// One side: its lines and columns, of which only those near a visit are drawn.
class Side {
 public:
  Side(const std::vector<Index>& positions, Index length) : positions_(positions), length_(length) {
    for (const Index position : positions) {
      rows_.insert(row_of(position));
      columns_.insert(position - row_of(position) * length);
    }
  }
  [[nodiscard]] Index width() const { return extent(columns_); }
  [[nodiscard]] Index height() const { return extent(rows_); }

  void draw(Canvas& canvas, Index x, Index y) const {
    std::string track;
    for (std::size_t n = 0; n < positions_.size(); ++n) {
      const auto [cx, cy] = corner(positions_[n]);
      const double place =
          positions_.size() < 2 ? 0 : static_cast<double>(n) / static_cast<double>(positions_.size() - 1);
      canvas.open(message("class=\"visit\" data-visit=\"", n, "\" data-position=\"", positions_[n], "\""));
      canvas.rect(x + cx, y + cy, cell_size - 4, cell_size - 4,
                  message("rx=\"4\" class=\"c\" fill=\"", to_hex(scale_color(place)), "\""));
      canvas.close();
      track += message(n == 0 ? "M " : "L ", x + cx + 22, " ", y + cy + 21, " ");
    }
    canvas.path(track, "class=\"w\"");
    for (std::size_t n = 0; n < positions_.size(); ++n) {
      const auto [cx, cy] = corner(positions_[n]);
      canvas.raw(
          message("<circle cx=\"", x + cx + 22, "\" cy=\"", y + cy + 21, "\" r=\"2\" class=\"d\"/>\n"));
      canvas.text(x + cx + 4, y + cy + 13, std::to_string(n), "n");
    }
    gaps(canvas, x, y);
  }

 private:
  [[nodiscard]] Index row_of(Index position) const {
    return position >= 0 ? position / length_ : -((-position + length_ - 1) / length_);
  }
  /// Room for an ellipsis where something lies between.
  static Index place(const std::set<Index>& marks, Index mark) {
    Index at = 0;
    Index before = *marks.begin();
    for (const Index other : marks) {
      if (other - before > 1) at += gap_size;
      if (other == mark) return at;
      at += cell_size;
      before = other;
    }
    return at;
  }
  static Index extent(const std::set<Index>& marks) {
    return marks.empty() ? 0 : place(marks, *marks.rbegin()) + cell_size - 4;
  }
  [[nodiscard]] std::pair<Index, Index> corner(Index position) const {
    const Index row = row_of(position);
    return {place(columns_, position - row * length_), place(rows_, row)};
  }
  void gaps(Canvas& canvas, Index x, Index y) const {
    Index before = *columns_.begin();
    for (const Index column : columns_) {
      if (column - before > 1)
        canvas.text(x + place(columns_, column) - gap_size / 2 - 2, y + cell_size / 2 + 3, "⋯", "l",
                    Anchor::middle);
      before = column;
    }
    before = *rows_.begin();
    for (const Index row : rows_) {
      if (row - before > 1)
        canvas.text(x + cell_size / 2 - 2, y + place(rows_, row) - gap_size / 2 + 3, "⋮", "l",
                    Anchor::middle);
      before = row;
    }
  }

  const std::vector<Index>& positions_;
  Index length_;
  std::set<Index> rows_;
  std::set<Index> columns_;
};

}  // namespace

std::string svg_of_walk(const Picture& picture) {
  require_copies(picture);
  Canvas canvas;
  Index y = margin - 4;
  std::string description;
  for (std::size_t i = 0; i < picture.copies.size() && i < max_copies_drawn; ++i) {
    const PictureCopy& copy = picture.copies[i];
    const Nest nest = copy.plan.in_elements();
    const Walk walk = walk_of(nest);
    const std::string title = shortened(copy.title, 60);
    const std::string loops = loops_text(copy.plan.method(), nest);
    canvas.open(row_attributes(copy.step));
    canvas.text(margin, y + 14, title, "t");
    canvas.text(margin, y + 34, loops, "s");
    canvas.reach(margin + sans_width(loops, 13) + margin, 0);
    description += message(title, ": ", loops, ". ");
    y += 50;
    if (const std::string note = note_of(copy.plan, nest, walk); !note.empty()) {
      canvas.text(margin, y + 4, note, "m");
      canvas.reach(margin + sans_width(note, 11) + margin, 0);
      y += 16;
    }
    std::vector<Index> src;
    std::vector<Index> dst;
    for (const Visit& visit : walk.visits) {
      src.push_back(visit.src);
      dst.push_back(visit.dst);
    }
    if (src.empty()) {
      canvas.text(margin, y + 16, "no element moves", "m");
      canvas.close();
      y += 40;
      continue;
    }
    const Side source(src, line_length(nest, true, 16));
    const Side destination(dst, line_length(nest, false, 16));
    const Index right = margin + std::max<Index>(source.width(), 150) + 60;
    canvas.text(margin, y + 14, "reads the source", "m");
    canvas.text(right, y + 14, "writes the destination", "m");
    source.draw(canvas, margin, y + 24);
    destination.draw(canvas, right, y + 24);
    canvas.close();
    canvas.reach(right + std::max<Index>(destination.width(), 150) + margin, 0);
    y += 24 + std::max(source.height(), destination.height()) + 28;
  }
  if (picture.copies.size() > max_copies_drawn) {
    canvas.text(margin, y, message("… and ", picture.copies.size() - max_copies_drawn, " more copies"), "l");
    y += 28;
  }
  canvas.reach(320, y);
  return canvas.document("The order in which a copy visits both sides", description);
}

}  // namespace tenstride::detail
