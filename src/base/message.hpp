// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "tenstride/error.hpp"

/// Pieces put together to the text of an error: numbers, shapes and words.
namespace tenstride::detail {

inline void append(std::string& text, std::string_view piece) {
  text += piece;
}
inline void append(std::string& text, char piece) {
  text += piece;
}
template <std::integral Number>
requires(!std::same_as<Number, char> && !std::same_as<Number, bool>) void append(std::string& text,
                                                                                 Number piece) {
  text += std::to_string(piece);
}
inline void append(std::string& text, const Dims& piece) {
  text += to_text(piece);
}

/// Example: `message("shape ", Dims{2, 3}, " has ", 6, " elements") == "shape (2,3) has 6 elements"`.
template <typename... Pieces>
std::string message(const Pieces&... pieces) {
  std::string text;
  (append(text, pieces), ...);
  return text;
}

}  // namespace tenstride::detail
