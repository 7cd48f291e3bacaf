// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/expression/expression.hpp"

namespace tenstride::detail {

enum class TokenKind : unsigned char { integer, real, imaginary, string, name, sign, separator, end };

struct Token {
  TokenKind kind = TokenKind::end;
  TextRange range;
  /// The text itself; of a string its contents.
  std::string text;
};

/// Throws ParseError "expression: <what>" with the line and a caret.
[[noreturn]] void throw_parse_error(std::string_view text, TextRange range, std::string_view what);

/// The same for Python that the notation does not have; the last line says what carries it out.
[[noreturn]] void throw_python_error(std::string_view text, TextRange range, std::string_view what);

/// The tokens of a text from there on, the last of kind `end`. Line ends inside brackets, comments and `>>>`
/// are left out. A `...` in front of a line is left out where a `>>>` stood before.
std::vector<Token> tokenize(std::string_view text, std::size_t begin);
}  // namespace tenstride::detail
