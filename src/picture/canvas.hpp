// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/message.hpp"

/// SVG as text. Coordinates are whole pixels from the upper left.
namespace tenstride::detail {

/// The text with & < > " and control characters written so that XML takes them.
std::string escaped(std::string_view text);

/// Where a text is held.
enum class Anchor : unsigned char { start, middle, end };

class Canvas {
 public:
  /// Text of a class that the style sheet knows.
  void text(Index x, Index y, std::string_view words, std::string_view style, Anchor anchor = Anchor::start);
  /// Text of such a class, running upwards around its place.
  void upright(Index x, Index y, std::string_view words, std::string_view style);
  void rect(Index x, Index y, Index width, Index height, std::string_view attributes);
  void line(Index x1, Index y1, Index x2, Index y2, std::string_view attributes);
  void path(std::string_view d, std::string_view attributes);
  void open(std::string_view attributes) { body_ += message("<g ", attributes, ">\n"); }
  void close() { body_ += "</g>\n"; }
  void raw(std::string_view words) { body_ += words; }
  /// Makes room up to there.
  void reach(Index x, Index y) {
    width_ = std::max(width_, x);
    height_ = std::max(height_, y);
  }
  [[nodiscard]] Index width() const { return width_; }
  [[nodiscard]] Index height() const { return height_; }
  /// The whole document.
  [[nodiscard]] std::string document(std::string_view title, std::string_view description) const;

 private:
  std::string body_;
  Index width_ = 0;
  Index height_ = 0;
};

/// How wide a text is, in pixels, of the monospaced fonts (0.61 em) or of the others.
Index mono_width(std::string_view words, Index size);
Index sans_width(std::string_view words, Index size);

}  // namespace tenstride::detail
