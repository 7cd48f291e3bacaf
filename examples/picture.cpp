// SPDX-License-Identifier: Apache-2.0
// Draws, as SVG on standard output, what a view and a copy are: one storage seen through two layouts, and the
// storage that contiguous() makes. The picture at the head of README.md is this program's output.
#include <array>
#include <cstdio>
#include <string>

#include "tenstride/factory.hpp"
#include "tenstride/text.hpp"

namespace {

using tenstride::Index;
using tenstride::Tensor;

constexpr int cell = 34;

/// Twelve colours from blue over green to red, one for each value.
std::string colour(Index value) {
  const int hue = 225 - static_cast<int>(value) * 19;
  return "hsl(" + std::to_string(hue) + ",62%,78%)";
}

std::string text(int x, int y, const std::string& words, const std::string& style = "") {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " + style + ">" + words +
         "</text>\n";
}

std::string box(int x, int y, Index value) {
  const std::string at = "x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"";
  return "<rect " + at + " width=\"" + std::to_string(cell) + "\" height=\"" + std::to_string(cell) +
         "\" rx=\"4\" fill=\"" + colour(value) + "\" stroke=\"#444\"/>\n" +
         text(x + cell / 2, y + 22, std::to_string(value), "text-anchor=\"middle\"");
}

/// The logical grid of a matrix, every element read through its strides.
std::string grid(int x, int y, const Tensor& matrix) {
  std::string svg;
  for (Index i = 0; i < matrix.size(0); ++i) {
    for (Index j = 0; j < matrix.size(1); ++j) {
      svg += box(x + static_cast<int>(j) * cell, y + static_cast<int>(i) * cell,
                 matrix[i][j].item<std::int64_t>());
    }
  }
  return svg;
}

/// The storage as a strip, in memory order.
std::string strip(int x, int y, const Tensor& tensor) {
  std::string svg;
  const Tensor all = tensor.flat_storage();
  for (Index i = 0; i < all.numel(); ++i)
    svg += box(x + static_cast<int>(i) * cell, y, all[i].item<std::int64_t>());
  return svg;
}

}  // namespace

int main() {
  const Tensor x = tenstride::arange(12).view({3, 4});
  const Tensor turned = x.permute({1, 0});
  const Tensor copy = turned.contiguous();

  const std::string code = "font-family=\"monospace\" font-weight=\"bold\"";
  const std::string small = "font-size=\"13\" fill=\"#555\"";
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"400\" font-family=\"sans-serif\" "
      "font-size=\"15\">\n<rect width=\"900\" height=\"400\" fill=\"white\"/>\n";
  struct Panel {
    int left;
    std::string title;
    const Tensor* tensor;
    std::string kind;
  };
  const std::array<Panel, 3> panels{{{30, "x = arange(12).view(3,4)", &x, "new"},
                                     {340, "y = x.permute(1,0)", &turned, "view: 0 bytes moved"},
                                     {620, "z = y.contiguous()", &copy, "copy: 96 bytes to a new storage"}}};
  for (const Panel& panel : panels) {
    svg += text(panel.left, 32, panel.title, code);
    svg += text(panel.left, 54, to_string(panel.tensor->layout()), "font-family=\"monospace\" fill=\"#555\"");
    svg += grid(panel.left, 70, *panel.tensor);
    svg += text(panel.left, 230, panel.kind, small);
  }
  svg += text(30, 272, "the one storage of x and y", small) + strip(30, 282, x);
  svg += text(30, 344, "the storage of z", small) + strip(30, 354, copy);
  svg += text(470, 304, "x walks it in steps of (4,1), y in steps of (1,4)", small);
  svg += text(470, 376, "z walks it in steps of (3,1): contiguous again", small);
  svg += "</svg>\n";
  std::fputs(svg.c_str(), stdout);
  return 0;
}
