// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/expression/expression.hpp"

namespace tenstride::detail {

enum class TokenKind : unsigned char {
  integer,
  real,
  imaginary,
  string,
  formatted,
  name,
  sign,
  separator,
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  TextRange range;
  /// The text itself; of a string its contents.
  std::string text;
  /// The column where the first token of a line stands, tabs going on to the next multiple of 8; of others
  /// -1.
  int indent = -1;
};

/// Throws ParseError "expression: <what>" with the line and a caret.
[[noreturn]] void throw_parse_error(std::string_view text, TextRange range, std::string_view what);

/// Throws ParseError for Python that the notation does not have; the last line says what carries it out.
[[noreturn]] void throw_python_error(std::string_view text, TextRange range, std::string_view what);

/// The tokens of a text, the last of kind `end`. Line ends inside brackets, comments and `>>>` are left out.
/// A `...` in front of a line is left out where a `>>>` stood before.
std::vector<Token> tokenize(std::string_view text);
/// The tokens of what stands in the braces of an f-string, which may contain no line end.
std::vector<Token> tokenize(std::string_view text, TextRange part);

/// Appends the character of a string literal at `i`, or what its escape stands for; gives what is next.
std::size_t append_character(std::string& contents, std::string_view text, std::size_t i);

}  // namespace tenstride::detail
