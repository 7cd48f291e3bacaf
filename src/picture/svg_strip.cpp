// SPDX-License-Identifier: Apache-2.0
// The storage as a strip of cells, and above it for each axis the hops that its stride makes.
#include "picture/scene.hpp"

namespace tenstride::detail {
namespace {

/// Axes that have a lane; further ones are counted.
constexpr std::size_t max_lanes = 6;
/// Hops of one lane.
constexpr Index max_hops = 40;

class Strip {
 public:
  Strip(const Scene& scene, std::size_t number)
      : scene_(scene),
        number_(number),
        tensor_(scene.picture.tensors[number]),
        strip_(scene.strips[tensor_.storage]),
        item_bytes_(static_cast<Index>(item_size(tensor_.dtype))),
        nbytes_(scene.picture.storages[tensor_.storage].nbytes) {
    for (std::size_t d = 0; d < tensor_.layout.rank(); ++d) {
      if (tensor_.layout.shape[d] > 1 && !is_empty(tensor_.layout)) lanes_.push_back(d);
    }
    while (lanes_.size() > max_lanes) lanes_.erase(lanes_.begin());
    Index x = 0;
    const Index grain_width = scene.cell_width * strip_.grain / strip_.unit;
    for (const Index cell : strip_.cells) {
      starts_.push_back(x);
      x += cell == left_out ? gap_size : grain_width;
    }
    width_ = x;
    item_width_ = grain_width * item_bytes_ / strip_.grain;
  }

  [[nodiscard]] Size size() const {
    if (strip_.cells.empty()) return {120, cell_height};
    return {width_, top() + cell_height + 16 + (repeats() ? 14 : 0)};
  }
  [[nodiscard]] Index label_width() const {
    Index width = tensor_.layout.offset > 0 ? mono_width(offset_label(), 13) : 0;
    for (const std::size_t d : lanes_) width = std::max(width, mono_width(label(d), 13));
    return width;
  }

  void draw(Canvas& canvas, Index x, Index y) const {
    if (strip_.cells.empty()) {
      canvas.rect(x, y, 110, cell_height, "rx=\"4\" class=\"gap\"");
      canvas.text(x + 55, y + 18, "0 bytes", "m", Anchor::middle);
      return;
    }
    Index lane_y = y + lane_height;
    if (has_offset_lane()) {
      offset_lane(canvas, x, lane_y);
      lane_y += lane_height;
    }
    for (const std::size_t d : lanes_) {
      lane(canvas, x, lane_y, d);
      lane_y += lane_height;
    }
    cells(canvas, x, y + top());
  }

 private:
  [[nodiscard]] bool has_offset_lane() const {
    return tensor_.layout.offset > 0 && !is_empty(tensor_.layout);
  }
  [[nodiscard]] Index top() const {
    const auto lanes = static_cast<Index>(lanes_.size()) + (has_offset_lane() ? 1 : 0);
    return lanes == 0 ? 4 : lanes * lane_height + 6;
  }
  [[nodiscard]] std::string label(std::size_t d) const {
    const Index stride = tensor_.layout.strides[d];
    return message("axis ", d, stride < 0 ? " −" : " +", magnitude(stride));
  }
  [[nodiscard]] std::string offset_label() const { return message("offset ", tensor_.layout.offset); }

  /// The middle of a position's cell; nothing where it is not drawn.
  [[nodiscard]] std::optional<Index> middle_of(Index position) const {
    const Index byte = position * item_bytes_;
    for (std::size_t i = 0; i < strip_.cells.size(); ++i) {
      if (strip_.cells[i] == left_out || strip_.cells[i] != byte / strip_.grain) continue;
      return starts_[i] + (byte % strip_.grain) / item_bytes_ * item_width_ + item_width_ / 2;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool repeats() const {
    for (std::size_t d = 0; d < tensor_.layout.rank(); ++d) {
      if (tensor_.layout.shape[d] > 1 && !is_empty(tensor_.layout) && may_repeat(d)) return true;
    }
    return false;
  }
  /// Whether several elements lie on one position along this axis and smaller ones.
  [[nodiscard]] bool may_repeat(std::size_t d) const {
    if (tensor_.layout.strides[d] == 0) return true;
    for (const Index cell : strip_.cells) {
      for (Index item = 0; cell != left_out && item < strip_.grain / item_bytes_; ++item) {
        if (elements_at(tensor_.layout, cell * (strip_.grain / item_bytes_) + item) > 1) return true;
      }
    }
    return false;
  }

  void offset_lane(Canvas& canvas, Index x, Index y) const {
    canvas.text(x - 12, y, offset_label(), "l", Anchor::end);
    if (const std::optional<Index> to = middle_of(tensor_.layout.offset)) {
      canvas.line(x, y - 5, x + *to, y - 5, "class=\"a\" stroke-dasharray=\"4 3\"");
      canvas.line(x + *to, y - 5, x + *to, y - 1, "class=\"a\"");
      draw_tip(canvas, x + *to, y + 4, Direction::down);
    }
  }

  void lane(Canvas& canvas, Index x, Index y, std::size_t d) const {
    canvas.text(x - 12, y, label(d), "l", Anchor::end);
    const Index stride = tensor_.layout.strides[d];
    const Index extent = tensor_.layout.shape[d];
    const std::optional<Index> first = middle_of(tensor_.layout.offset);
    if (stride == 0) {
      if (!first) return;
      const Index at = x + *first;
      canvas.path(message("M ", at - 3, " ", y, " C ", at - 16, " ", y - 18, " ", at + 16, " ", y - 18, " ",
                          at + 4, " ", y - 3),
                  "class=\"a\"");
      draw_tip(canvas, at + 3, y + 1, Direction::down);
      canvas.text(at + 14, y, message("stays, ", extent, " times"), "m");
      return;
    }
    std::optional<Index> before;
    Index index_before = 0;
    const auto hop_to = [&](Index i) {
      const std::optional<Index> at = middle_of(tensor_.layout.offset + i * stride);
      if (!at) return;
      if (before) hop(canvas, x + *before, x + *at, y, i == index_before + 1);
      before = at;
      index_before = i;
    };
    for (Index i = 0; i < std::min(extent, max_hops); ++i) hop_to(i);
    if (extent > max_hops) hop_to(extent - 1);
    if (first) canvas.raw(message("<circle cx=\"", x + *first, "\" cy=\"", y, "\" r=\"3\" class=\"h\"/>\n"));
  }

  static void hop(Canvas& canvas, Index from, Index to, Index y, bool is_single) {
    canvas.path(message("M ", from, " ", y - 1, " Q ", (from + to) / 2, " ", y - 27, " ", to, " ", y - 3),
                is_single ? "class=\"a\"" : "class=\"a\" stroke-dasharray=\"4 3\"");
    draw_tip(canvas, to, y + 1, Direction::down);
  }

  void cells(Canvas& canvas, Index x, Index y) const {
    const bool is_narrow = item_width_ < 20;
    for (std::size_t i = 0; i < strip_.cells.size(); ++i) {
      if (strip_.cells[i] == left_out) {
        canvas.text(x + starts_[i] + gap_size / 2, y + 19, "⋯", "l", Anchor::middle);
        continue;
      }
      for (Index item = 0; item < strip_.grain / item_bytes_; ++item) {
        const Index at = strip_.cells[i] * (strip_.grain / item_bytes_) + item;
        if ((at + 1) * item_bytes_ > nbytes_) break;
        const Index count = elements_at(tensor_.layout, at);
        const Index left = x + starts_[i] + item * item_width_;
        Cell cell;
        cell.step = number_;
        cell.position = at;
        cell.is_gap = count == 0;
        cell.words = value_at(tensor_, at);
        if (count > 1) canvas.rect(left + 3, y + 3, item_width_, cell_height, "rx=\"4\" class=\"f\"");
        draw_cell(canvas, scene_, cell, left, y, item_width_);
        if (!is_narrow || at % 4 == 0) {
          canvas.text(left + item_width_ / 2, y + cell_height + 12, number_of(at), "p", Anchor::middle);
        }
        if (count > 1)
          canvas.text(left + item_width_ / 2, y + cell_height + 25, "×" + number_of(count), "x",
                      Anchor::middle);
      }
    }
  }

  const Scene& scene_;
  std::size_t number_;
  const PictureTensor& tensor_;
  const ShownStrip& strip_;
  Index item_bytes_;
  Index nbytes_;
  std::vector<std::size_t> lanes_;
  std::vector<Index> starts_;
  Index width_ = 0;
  Index item_width_ = 0;
};

}  // namespace

Size strip_size(const Scene& scene, std::size_t number) {
  return Strip(scene, number).size();
}

Index strip_label_width(const Scene& scene, std::size_t number) {
  return Strip(scene, number).label_width();
}

void draw_strip(Canvas& canvas, const Scene& scene, std::size_t number, Index x, Index y) {
  Strip(scene, number).draw(canvas, x, y);
}

}  // namespace tenstride::detail
