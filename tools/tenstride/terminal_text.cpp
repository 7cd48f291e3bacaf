// SPDX-License-Identifier: Apache-2.0
#include "terminal_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "show.hpp"

namespace tenstride::cli {
namespace {

/// Narrower columns are not filled: what follows stands under the line's beginning.
constexpr std::size_t narrowest_column = 20;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The end of the escape sequence at `i`, or `i` where none begins: "\033[31m".
std::size_t behind_escape(std::string_view line, std::size_t i) {
  if (line.substr(i, 2) != "\033[") return i;
  const std::size_t end = line.find('m', i);
  return end == std::string_view::npos ? i : end + 1;
}

/// Code points, escape sequences aside.
std::size_t width_of(std::string_view line) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t behind = behind_escape(line, i);
    if (behind == i) width += is_continuation(line[i++]) ? 0U : 1U;
    i = std::max(i, behind);
  }
  return width;
}

/// Where what follows of the line is to stand.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t text = line.find_first_not_of(' ');
  std::size_t column = line.rfind("  ");
  column = column == std::string_view::npos || column < text ? text : line.find_first_not_of(' ', column);
  const std::size_t indent = width_of(line.substr(0, column));
  if (column != text && indent + narrowest_column <= width) return indent;
  return std::min(width_of(line.substr(0, text)) + 2, width / 2);
}

std::string folded_line(std::string_view line, std::size_t width) {
  if (width_of(line) <= width) return std::string(line);
  const std::string indent(hanging_indent(line, width), ' ');
  std::string text;
  std::string row;
  for (std::size_t begin = 0; begin < line.size();) {
    // A word with the blanks before it.
    const std::size_t word = std::min(line.find_first_not_of(' ', begin), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::string_view piece = line.substr(begin, end - begin);
    if (width_of(row) + width_of(piece) > width && row.find_first_not_of(' ') != std::string::npos) {
      text += row + '\n';
      row = indent + std::string(line.substr(word, end - word));
    } else {
      row += piece;
    }
    begin = end;
  }
  return text + row;
}

bool points_upwards(std::string_view line) {
  const std::size_t caret = line.find_first_not_of(' ');
  return caret != std::string_view::npos && line[caret] == '^' &&
         line.find_first_not_of("~", caret + 1) == std::string_view::npos;
}

using Likeness = std::pair<std::string_view, std::string_view>;

constexpr std::array<Likeness, 25> likenesses{
    Likeness{"─", "-"}, {"│", "|"},  {"┌", "+"},  {"┐", "+"}, {"└", "+"}, {"┘", "+"}, {"├", "+"},
    {"┤", "+"},         {"┬", "+"},  {"┴", "+"},  {"┼", "+"}, {"⋯", "~"}, {"⋮", ":"}, {"⋱", "\\"},
    {"…", "..."},       {"→", "->"}, {"←", "<-"}, {"↑", "^"}, {"↓", "v"}, {"×", "x"}, {"·", "."},
    {"−", "-"},         {"■", "#"},  {"●", "*"},  {"○", "o"}};

/// Whole characters in ASCII; what is unfinished waits for its end.
class AsciiBuffer : public std::streambuf {
 public:
  explicit AsciiBuffer(std::streambuf& target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    pending_.append(text, static_cast<std::size_t>(count));
    std::size_t last = pending_.size();
    while (last > 0 && is_continuation(pending_[last - 1])) --last;
    const bool is_whole = last == 0 || static_cast<unsigned char>(pending_[last - 1]) < 0x80U ||
                          pending_.size() - (last - 1) >= length_of(pending_[last - 1]);
    const std::size_t end = is_whole ? pending_.size() : last - 1;
    const std::string ascii = to_ascii(std::string_view(pending_).substr(0, end));
    pending_.erase(0, end);
    const auto size = static_cast<std::streamsize>(ascii.size());
    return target_.sputn(ascii.data(), size) == size ? count : 0;
  }
  int sync() override { return target_.pubsync(); }

 private:
  static std::size_t length_of(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : 2;
  }

  std::streambuf& target_;
  std::string pending_;
};

}  // namespace

std::string fold(std::string_view text, std::size_t width) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t next = std::min(end + 1, text.size());
    const std::string_view below = text.substr(next, std::min(text.find('\n', next), text.size()) - next);
    result += points_upwards(below) ? std::string(line) : folded_line(line, width);
    if (end < text.size()) result += '\n';
    begin = next;
  }
  return result;
}

std::string fold_for_output(std::string text) {
  return isatty(STDOUT_FILENO) == 1 ? fold(text, output_width()) : text;
}

std::string to_ascii(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    const std::string_view character =
        text.substr(i, static_cast<unsigned char>(text[i]) < 0x80U ? 1 : end - i);
    const auto* const found =
        std::find_if(likenesses.begin(), likenesses.end(),
                     [&](const Likeness& likeness) { return likeness.first == character; });
    if (found != likenesses.end()) {
      result += found->second;
    } else {
      result += static_cast<unsigned char>(text[i]) < 0x80U ? character : "?";
    }
    i += character.size();
  }
  return result;
}

std::string decimal(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

bool is_utf8_locale() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

TerminalEncoding::TerminalEncoding() {
  if (is_utf8_locale()) return;
  if (isatty(STDOUT_FILENO) == 1) {
    output_ = std::make_unique<AsciiBuffer>(*std::cout.rdbuf());
    plain_output_ = std::cout.rdbuf(output_.get());
  }
  if (isatty(STDERR_FILENO) == 1) {
    error_ = std::make_unique<AsciiBuffer>(*std::cerr.rdbuf());
    plain_error_ = std::cerr.rdbuf(error_.get());
  }
}

TerminalEncoding::~TerminalEncoding() {
  std::cout.flush();
  if (plain_output_ != nullptr) std::cout.rdbuf(plain_output_);
  if (plain_error_ != nullptr) std::cerr.rdbuf(plain_error_);
}

}  // namespace tenstride::cli
