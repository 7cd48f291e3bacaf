// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"

#include <type_traits>

namespace tenstride::detail {

void Piece::append_to(std::string& text) const {
  std::visit(
      [&text](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, const Dims*>) {
          text += to_text(*value);
        } else if constexpr (std::is_same_v<Value, std::string_view> || std::is_same_v<Value, char>) {
          text += value;
        } else {
          text += std::to_string(value);
        }
      },
      value_);
}

std::string join_pieces(std::initializer_list<Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) piece.append_to(text);
  return text;
}

}  // namespace tenstride::detail
