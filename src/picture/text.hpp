// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/message.hpp"
#include "picture/palette.hpp"

/// Pictures as text.
namespace tenstride::detail {

/// Colours, where they are wanted, as ANSI escapes.
class Paint {
 public:
  Paint(const Picture& picture, const PictureOptions& options)
      : colors_(picture, options), style_(options.style) {}
  /// The words with an escape of their own.
  [[nodiscard]] std::string with(const std::string& words, std::string_view escape) const;
  /// On the colour of the element.
  [[nodiscard]] std::string as(const std::string& words, Root root) const;

 private:
  Colors colors_;
  TextStyle style_;
};

/// Lines of equal width, colours aside.
struct TextBlock {
  std::vector<std::string> lines;
  std::size_t width = 0;
};

/// The words in the middle of so many columns.
std::string spread(const std::string& words, std::size_t width);

/// The storage of a tensor, and above it a line for each axis with the positions that it visits.
TextBlock strip_text(const Picture& picture, std::size_t number, const Paint& paint, std::size_t width);

std::string text_of_tensors(const Picture& picture, const PictureOptions& options);
std::string text_of_atoms(const Picture& picture);
std::string text_of_walk(const Picture& picture);

}  // namespace tenstride::detail
