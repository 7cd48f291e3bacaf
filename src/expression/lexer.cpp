// SPDX-License-Identifier: Apache-2.0
#include "expression/lexer.hpp"

#include <algorithm>
#include <array>

#include "base/message.hpp"

namespace tenstride {

std::string point_at(std::string_view text, TextRange range) {
  const std::size_t begin = std::min(range.begin, text.size());
  const std::size_t line_start = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;  // npos + 1 is 0
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  const std::size_t end = std::clamp(range.end, begin, line_end);
  const auto is_lead = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  std::string result = "  ";
  result += text.substr(line_start, line_end - line_start);
  result += "\n  ";
  for (std::size_t i = line_start; i < begin; ++i) {
    if (is_lead(text[i])) result += text[i] == '\t' ? '\t' : ' ';
  }
  result += '^';
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (is_lead(text[i])) result += '~';
  }
  return result;
}

namespace detail {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_name(char c) {
  return starts_name(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : Lexer(text, {0, text.size()}) {}
  Lexer(std::string_view text, TextRange part)
      : whole_(text), text_(text.substr(0, part.end)), at_(part.begin), line_start_(part.begin) {}

  std::vector<Token> run() {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) break;
      next();
    }
    add(TokenKind::end, text_.size());
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::size_t begin) {
    const bool is_first = is_at_line_start() && kind != TokenKind::separator && kind != TokenKind::end;
    tokens_.push_back({kind, {begin, at_}, std::string(text_.substr(begin, at_ - begin))});
    if (is_first) tokens_.back().indent = column_of(begin);
  }

  [[nodiscard]] bool is_at_line_start() const {
    return tokens_.empty() || (tokens_.back().kind == TokenKind::separator && tokens_.back().text != ";");
  }

  /// A prompt and the blank behind it count for nothing.
  [[nodiscard]] int column_of(std::size_t begin) const {
    int column = 0;
    for (std::size_t i = line_start_; i < begin; ++i)
      column = text_[i] == '\t' ? column / 8 * 8 + 8 : column + 1;
    return column;
  }

  void skip_prompt() {
    has_prompt_ = true;
    at_ += 3;
    if (peek() == ' ') ++at_;
    line_start_ = at_;
  }

  void skip_blanks() {
    const bool at_start = tokens_.empty() || tokens_.back().kind == TokenKind::separator;
    if (at_start && nesting_ == 0 && (tokens_.empty() || tokens_.back().text != ";")) line_start_ = at_;
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && nesting_ > 0)) {
        ++at_;
        if (c == '\n' && has_prompt_ && is_continuation_prompt()) skip_prompt();
      } else if (c == '\\' && peek(1) == '\n') {
        at_ += 2;
      } else if (at_start && text_.substr(at_, 3) == ">>>") {
        skip_prompt();
      } else if (has_prompt_ && at_ == begin && is_at_line_start() && is_continuation_prompt()) {
        skip_prompt();
      } else {
        return;
      }
    }
  }

  [[nodiscard]] bool is_continuation_prompt() const {
    return text_.substr(at_, 4) == "... " ||
           (text_.substr(at_, 3) == "..." && (peek(3) == '\n' || peek(3) == '\0'));
  }

  void next() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '\n' || c == ';') {
      ++at_;
      add(TokenKind::separator, begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if ((c == 'f' || c == 'F') && (peek(1) == '\'' || peek(1) == '"')) {
      formatted();
    } else if (starts_name(c)) {
      while (in_name(peek())) ++at_;
      add(TokenKind::name, begin);
    } else if (c == '\'' || c == '"') {
      string(c);
    } else {
      sign();
    }
  }

  void digits() {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::integer;
    digits();
    if (peek() == '.' && !(peek(1) == '.' && peek(2) == '.')) {
      kind = TokenKind::real;
      ++at_;
      digits();
    }
    const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      kind = TokenKind::real;
      at_ += 1 + sign;
      digits();
    }
    if (peek() == 'j' || peek() == 'J') {
      kind = TokenKind::imaginary;
      ++at_;
    }
    if (in_name(peek())) {
      while (in_name(peek())) ++at_;
      throw_parse_error(whole_, {begin, at_}, "a number must not run into a name");
    }
    add(kind, begin);
    std::string& digits_only = tokens_.back().text;
    std::erase(digits_only, '_');
    if (kind == TokenKind::imaginary) digits_only.pop_back();
  }

  void string(char quote) {
    const std::size_t begin = at_++;
    if (peek() == quote && peek(1) == quote) {
      throw_python_error(whole_, {begin, begin + 3}, "a string in three quotes is not part of the notation");
    }
    std::string contents;
    while (peek() != quote) {
      require_open(begin, quote);
      at_ = append_character(contents, text_, at_);
    }
    ++at_;
    add(TokenKind::string, begin);
    tokens_.back().text = std::move(contents);
  }

  /// Its contents are read by the parser, which knows what stands in braces.
  void formatted() {
    const std::size_t begin = at_;
    const char quote = peek(1);
    at_ += 2;
    std::string contents;
    while (peek() != quote) {
      require_open(begin, quote);
      at_ = append_character(contents, text_, at_);
    }
    ++at_;
    add(TokenKind::formatted, begin);
  }

  void require_open(std::size_t begin, char quote) const {
    if (at_ < text_.size() && peek() != '\n') return;
    throw_parse_error(whole_, {begin, at_}, message("the string opened with ", quote, " is never closed"));
  }

  void sign() {
    static constexpr std::array<std::string_view, 40> signs{
        "...", "**=", "//=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "//", "==",
        "!=",  "<=",  ">=",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  "=",  "<",
        ">",   "+",   "-",   "*",  "/",  "%",  "~",  "&",  "|",  "^",  "@",  "!"};
    for (const std::string_view sign : signs) {
      if (text_.substr(at_, sign.size()) != sign) continue;
      const std::size_t begin = at_;
      at_ += sign.size();
      add(TokenKind::sign, begin);
      if (sign == "(" || sign == "[" || sign == "{") ++nesting_;
      if ((sign == ")" || sign == "]" || sign == "}") && nesting_ > 0) --nesting_;
      return;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    const std::string_view given = text_.substr(at_, end - at_);
    const bool is_control = static_cast<unsigned char>(given[0]) < 0x20U;
    throw_parse_error(whole_, {at_, end},
                      is_control ? std::string("a control character has no meaning here")
                                 : message("'", given, "' has no meaning here"));
  }

  /// The whole text, for errors.
  std::string_view whole_;
  std::string_view text_;
  std::size_t at_;
  std::size_t line_start_;
  bool has_prompt_ = false;
  std::size_t nesting_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

void throw_parse_error(std::string_view text, TextRange range, std::string_view what) {
  throw ParseError(message("expression: ", what, "\n", point_at(text, range)), range.begin);
}

void throw_python_error(std::string_view text, TextRange range, std::string_view what) {
  throw ParseError(message("expression: ", what, "\n", point_at(text, range),
                           "\nthis is Python beyond the notation: python -m tenstride explain FILE runs it"),
                   range.begin);
}

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

std::vector<Token> tokenize(std::string_view text, TextRange part) {
  return Lexer(text, part).run();
}

std::size_t append_character(std::string& contents, std::string_view text, std::size_t i) {
  if (text[i] != '\\' || i + 1 >= text.size()) {
    contents += text[i];
    return i + 1;
  }
  const char escaped = text[i + 1];
  if (escaped == 'n') {
    contents += '\n';
  } else if (escaped == 't') {
    contents += '\t';
  } else if (escaped == '\\' || escaped == '\'' || escaped == '"') {
    contents += escaped;
  } else if (escaped != '\n') {  // a line that goes on
    contents.append({'\\', escaped});
  }
  return i + 2;
}

}  // namespace detail
}  // namespace tenstride
