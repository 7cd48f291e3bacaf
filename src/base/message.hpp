// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "tenstride/base/error.hpp"
#include "tenstride/base/export.hpp"

/// Pieces put together to the text of an error: numbers, shapes and words.
namespace tenstride::detail {

/// A piece of a text; it refers to words and shapes.
class Piece {
 public:
  Piece(std::string_view words) : value_(words) {}
  Piece(char letter) : value_(letter) {}
  Piece(bool) = delete;
  Piece(const Dims& shape) : value_(&shape) {}
  template <std::integral Number>
  requires(!std::same_as<Number, char> && !std::same_as<Number, bool>) Piece(Number number) {
    if constexpr (std::unsigned_integral<Number>) {
      value_ = static_cast<unsigned long long>(number);
    } else {
      value_ = static_cast<long long>(number);
    }
  }
  template <std::convertible_to<std::string_view> Words>
  Piece(const Words& words) : value_(std::string_view(words)) {}

  void append_to(std::string& text) const;

 private:
  std::variant<std::string_view, char, long long, unsigned long long, const Dims*> value_;
};

/// A function of its own, so that no caller holds code that only errors need.
[[gnu::cold]] TENSTRIDE_API std::string join_pieces(std::initializer_list<Piece> pieces);

/// Example: `message("shape ", Dims{2, 3}, " has ", 6, " elements") == "shape (2,3) has 6 elements"`.
template <typename... Pieces>
std::string message(const Pieces&... pieces) {
  return join_pieces({Piece(pieces)...});
}

}  // namespace tenstride::detail
