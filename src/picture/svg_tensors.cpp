// SPDX-License-Identifier: Apache-2.0
// One row for each tensor: what it is, its grid, its storage. The storages stand below one another, so that
// a view is seen to change the grid alone.
#include "picture/scene.hpp"

#include "picture/walk.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

constexpr Index head_height = 46;
constexpr Index row_space = 26;
constexpr Index note_height = 16;
constexpr Index column_space = 36;
/// Wider pictures have the storage below the grid.
constexpr Index max_side_by_side = 1000;

Scene scene_of(const Picture& picture, const PictureOptions& options) {
  Scene scene{picture, Colors(picture, options), 28, {}};
  for (std::size_t s = 0; s < picture.storages.size(); ++s) scene.strips.push_back(shown_strip(picture, s));
  // One width for all cells: that of the longest text among them.
  const auto fit = [&](const std::string& words) {
    scene.cell_width = std::max(scene.cell_width, mono_width(words, 13) + 8);
  };
  for (const Index number : shown_tensors(picture)) {
    if (number == left_out) continue;
    const PictureTensor& tensor = picture.tensors[static_cast<std::size_t>(number)];
    const ShownStrip& strip = scene.strips[tensor.storage];
    const Index items = strip.grain / static_cast<Index>(item_size(tensor.dtype));
    const Index smallest = strip.grain / strip.unit;
    for (const Index cell : strip.cells) {
      // A wide element has the room of several small ones.
      if (cell == left_out || items != smallest) continue;
      for (Index item = 0; item < items; ++item) {
        fit(value_at(tensor, cell * items + item));
        const std::string label = number_of(cell * items + item);
        scene.cell_width = std::max(scene.cell_width, mono_width(label, 10) + 5);
      }
    }
    if (!tensor.values) {
      const std::optional<Reach> touched = tenstride::reach(tensor.layout);
      if (touched) fit(number_of(touched->highest));
    } else {
      for (const Index at : shown_positions(tensor.layout)) fit(value_at(tensor, at));
    }
  }
  return scene;
}

std::vector<std::string> note_of(const PictureTensor& tensor) {
  return tensor.hint.empty() ? std::vector<std::string>() : lines_of("note: " + tensor.hint, 90);
}

void head(Canvas& canvas, const Picture& picture, std::size_t number, Index x, Index y) {
  const PictureTensor& tensor = picture.tensors[number];
  const std::string title = shortened(tensor.title, 70);
  const std::string layout = shortened(to_string(tensor.layout), 60);
  const std::string facts =
      message(" · ", name(tensor.dtype), is_contiguous(tensor.layout) ? ", contiguous" : ", not contiguous");
  const std::string story = story_of(picture, number);
  canvas.text(x, y + 14, title, "t");
  const Index dot = x + std::max<Index>(mono_width(title, 15) + 22, 0);
  canvas.raw(message("<circle cx=\"", dot, "\" cy=\"", y + 9, "\" r=\"5\" class=\"",
                     look_of(tensor.kind).style, "\"/>\n"));
  canvas.text(dot + 10, y + 14, story, "s");
  canvas.text(x, y + 34, layout + facts, "l");
  canvas.reach(x + mono_width(layout + facts, 13) + margin, 0);
  canvas.reach(dot + 10 + sans_width(story, 13) + margin, 0);
  Index line_y = y + 54;
  for (const std::string& line : note_of(tensor)) {
    canvas.text(x, line_y, line, "m");
    canvas.reach(x + sans_width(line, 11) + margin, 0);
    line_y += note_height;
  }
}

std::string description_of(const Picture& picture) {
  std::string text;
  for (const Index number : shown_tensors(picture)) {
    if (number == left_out) {
      text += "… ";
      continue;
    }
    const PictureTensor& tensor = picture.tensors[static_cast<std::size_t>(number)];
    text += message(shortened(tensor.title, 70), ": layout ", shortened(to_string(tensor.layout), 120), ", ",
                    name(tensor.dtype), ", ", story_of(picture, static_cast<std::size_t>(number)), ". ");
  }
  if (picture.refusal)
    text += message(picture.refusal->title, " is refused: ", reason_of(picture.refusal->obstacle), ".");
  return text;
}

std::string title_of(const Picture& picture) {
  if (picture.tensors.empty()) return "A refused expression";
  const std::string first = shortened(picture.tensors.front().title, 50);
  if (picture.tensors.size() == 1) return first;
  return message(first, " in ", picture.tensors.size(), " steps");
}

}  // namespace

void draw_tip(Canvas& canvas, Index x, Index y, Direction direction) {
  if (direction == Direction::down) {
    canvas.path(message("M ", x - 4, " ", y - 6, " h 8 l -4 6 z"), "class=\"h\"");
  } else {
    canvas.path(message("M ", x - 6, " ", y - 4, " v 8 l 6 -4 z"), "class=\"h\"");
  }
}

std::string row_attributes(std::optional<std::size_t> step) {
  return step ? message("class=\"row\" data-explain-step=\"", *step, "\"") : "class=\"row\"";
}

void draw_cell(Canvas& canvas, const Scene& scene, const Cell& cell, Index x, Index y, Index width) {
  const PictureTensor& tensor = scene.picture.tensors[cell.step];
  const Index byte = cell.position * static_cast<Index>(item_size(tensor.dtype));
  const Root root = root_of(scene.picture, tensor.storage, byte);
  std::string attributes = message("class=\"", cell.index ? "e" : "p", "\" data-step=\"", cell.step, "\"");
  if (cell.index) attributes += message(" data-index=\"", *cell.index, "\"");
  attributes += message(" data-position=\"", cell.position, "\" data-byte=\"", byte, "\" data-root=\"",
                        scene.picture.storages[root.storage].name, root.byte, "\"");
  canvas.open(attributes);
  const std::string look =
      cell.is_gap ? "class=\"gap\"" : message("class=\"c\" fill=\"", to_hex(scene.colors.of(root)), "\"");
  canvas.rect(x, y, width, cell_height, "rx=\"4\" " + look);
  if (!cell.words.empty()) {
    canvas.text(x + width / 2, y + 19, cell.words, cell.is_gap ? "l" : "v", Anchor::middle);
  }
  canvas.close();
}

std::string svg_of_tensors(const Picture& picture, const PictureOptions& options) {
  require_tensors(picture);
  const Scene scene = scene_of(picture, options);
  const std::vector<Index> shown = shown_tensors(picture);
  Index widest_grid = 0;
  Index widest_label = 0;
  Index widest_strip = 0;
  for (const Index entry : shown) {
    if (entry == left_out) continue;
    const auto number = static_cast<std::size_t>(entry);
    widest_grid = std::max(widest_grid, grid_size(scene, number).width);
    widest_label = std::max(widest_label, strip_label_width(scene, number));
    widest_strip = std::max(widest_strip, strip_size(scene, number).width);
  }
  const Index side_by_side = margin + widest_grid + column_space + widest_label + 12;
  const bool is_stacked = side_by_side + widest_strip > max_side_by_side;
  const Index strip_x = is_stacked ? margin + widest_label + (widest_label > 0 ? 12 : 0) : side_by_side;

  Canvas canvas;
  Index y = margin - 4;
  for (const Index entry : shown) {
    if (entry == left_out) {
      canvas.text(margin, y + 10,
                  message("… and ", picture.tensors.size() - picture_limits::tensors + 1, " more"), "l");
      y += 36;
      continue;
    }
    const auto number = static_cast<std::size_t>(entry);
    canvas.open(row_attributes(picture.tensors[number].step));
    head(canvas, picture, number, margin, y);
    y += head_height + static_cast<Index>(note_of(picture.tensors[number]).size()) * note_height;
    const Size grid = grid_size(scene, number);
    const Size strip = strip_size(scene, number);
    draw_grid(canvas, scene, number, margin, y);
    if (is_stacked) y += grid.height + 10;
    // The strip ends level with the grid, or hangs lower where it is taller.
    draw_strip(canvas, scene, number, strip_x, y);
    canvas.close();
    canvas.reach(margin + grid.width + margin, 0);
    canvas.reach(strip_x + strip.width + margin + 6, 0);
    y += (is_stacked ? strip.height : std::max(grid.height, strip.height)) + row_space;
  }
  if (picture.refusal) {
    canvas.open(row_attributes(picture.refusal->step));
    y = draw_refusal(canvas, scene, *picture.refusal, y);
    canvas.close();
  } else if (!picture.error.empty()) {
    canvas.text(margin, y + 10, shortened(picture.error, 120), "s no");
    canvas.reach(margin + sans_width(shortened(picture.error, 120), 13) + margin, 0);
    y += 32;
  }
  canvas.reach(320, y - row_space + margin);
  return canvas.document(title_of(picture), description_of(picture));
}

std::string svg_of(const Picture& picture, const PictureOptions& options) {
  switch (options.subject) {
    case PictureSubject::tensors:
      return svg_of_tensors(picture, options);
    case PictureSubject::atoms:
      return svg_of_atoms(picture);
    case PictureSubject::walk:
      return svg_of_walk(picture);
  }
  return {};
}

}  // namespace tenstride::detail

namespace tenstride {

std::string to_svg(const Picture& picture, const PictureOptions& options) {
  return detail::svg_of(picture, options);
}

}  // namespace tenstride
