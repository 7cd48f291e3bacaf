// SPDX-License-Identifier: Apache-2.0
#include "io/npy/literal.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
constexpr bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  NpyDictionary dictionary();

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message("npy: \"", name_, "\" header ", pieces...), std::string(name_));
  }
  [[noreturn]] void refuse_next(std::string_view wanted) const {
    refuse("must have ", wanted, " at column ", at_ + 1, ", found ", next_in_words());
  }
  [[nodiscard]] std::string next_in_words() const {
    if (at_ == text_.size()) return "its end";
    const char c = text_[at_];
    if (is_printable(c)) return message('\'', c, '\'');
    return message("the byte ", static_cast<int>(static_cast<unsigned char>(c)));
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted, std::string_view in_words) {
    if (!take(wanted)) refuse_next(in_words);
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string(std::string_view wanted);
  void entry(NpyDictionary& result);
  std::string_view descr();
  std::string_view fields();
  bool boolean();
  Dims shape();
  Index extent(std::size_t axis);

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  static constexpr std::array<std::string_view, 3> keys{"descr", "fortran_order", "shape"};
  std::array<bool, keys.size()> seen_{};
};

std::string_view Reader::string(std::string_view wanted) {
  skip_blanks();
  if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) refuse_next(wanted);
  const char quote = text_[at_];
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (!is_printable(text_[at_]) || text_[at_] == '\\') refuse_next("a plain character");
    ++at_;
  }
  if (at_ == text_.size()) refuse_next("the closing quote of the string");
  return text_.substr(begin, at_++ - begin);
}

std::string_view Reader::descr() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '[') return fields();
  return string("the element type in quotes");
}

/// A list is passed over: its brackets are counted, those in quotes are not.
std::string_view Reader::fields() {
  const std::size_t begin = at_;
  std::size_t depth = 0;
  char quote = '\0';
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (quote != '\0') {
      if (c == '\\') ++at_;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if ((c == ']' || c == ')') && --depth == 0) {
      return text_.substr(begin, ++at_ - begin);
    }
  }
  at_ = text_.size();
  refuse_next("the closing ']' of the fields");
}

bool Reader::boolean() {
  skip_blanks();
  if (take_word("True")) return true;
  if (!take_word("False")) refuse_next("True or False");
  return false;
}

Index Reader::extent(std::size_t axis) {
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  const std::size_t digits = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  if (at_ == digits) refuse_next("a size");
  const std::string_view number = text_.substr(begin, at_ - begin);
  if (digits > begin) refuse("has the size ", number, " for axis ", axis, ", which must not be negative");
  if (number.size() > 1 && number[0] == '0') {
    at_ = begin;
    refuse_next("a number without leading zeros");
  }
  Index value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
    refuse("has the size ", number.substr(0, 40), number.size() > 40 ? "…" : "", " for axis ", axis,
           ", which must fit a signed 64-bit integer");
  }
  if (at_ < text_.size() && text_[at_] == 'L') ++at_;
  return value;
}

Dims Reader::shape() {
  expect('(', "'(' of a tuple of sizes");
  Dims sizes;
  if (take(')')) return sizes;
  for (;;) {
    if (sizes.size() == max_rank) refuse("has more sizes than ", max_rank, ", the largest rank");
    sizes.push_back(extent(sizes.size()));
    if (take(',')) {
      if (take(')')) return sizes;
    } else if (sizes.size() == 1) {
      refuse_next("',' (a tuple of one has a comma)");
    } else {
      expect(')', "',' or ')'");
      return sizes;
    }
  }
}

void Reader::entry(NpyDictionary& result) {
  const std::string_view key = string("a key in quotes");
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) {
    refuse("has the key '", key.substr(0, 40), "', which must be 'descr', 'fortran_order' or 'shape'");
  }
  bool& seen = seen_[static_cast<std::size_t>(found - keys.begin())];
  if (seen) refuse("has the key '", key, "' twice, must have it once");
  seen = true;
  expect(':', "':' after the key");
  if (key == "descr") {
    result.descr = descr();
  } else if (key == "shape") {
    result.shape = shape();
  } else {
    result.fortran_order = boolean();
  }
}

NpyDictionary Reader::dictionary() {
  NpyDictionary result;
  expect('{', "'{'");
  while (!take('}')) {
    entry(result);
    if (take(',')) continue;
    expect('}', "',' or '}'");
    break;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!seen_[i]) refuse("must have the key '", keys[i], "'");
  }
  skip_blanks();
  if (at_ != text_.size()) refuse_next("nothing after '}'");
  return result;
}

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, std::string_view name) {
  return Reader(text, name).dictionary();
}

}  // namespace tenstride::io
