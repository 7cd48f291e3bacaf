// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <ostream>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

/// Reads the printed form from left to right; `at` is the next byte.
class Reader {
 public:
  /// `what` the text is ("layout"), and what it should look like.
  Reader(std::string_view text, std::string_view what, std::string_view form)
      : text_(text), what_(what), form_(form) {}

  Dims dims() {
    expect('(');
    Dims result;
    if (accept(')')) return result;
    do {
      if (!result.empty() && peek() == ')') break;  // "(3,)", as Python writes it
      result.push_back(number());
    } while (accept(','));
    expect(')');
    return result;
  }
  Index number() {
    blanks();
    Index value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) fail("a number that fits 64 bits");
    if (error != std::errc{}) fail("a number");
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(detail::message("'", wanted, "'"));
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void finish() {
    blanks();
    if (at_ < text_.size()) fail("the end");
  }

  [[noreturn]] void fail(std::string_view wanted) const {
    const std::string found = at_ < text_.size() ? detail::message("'", text_[at_], "'") : "the end";
    throw ParseError(detail::message(what_, ": \"", text_, "\" has ", found, " at column ", at_ + 1,
                                     " where it must have ", wanted, " (form: ", form_, ")"),
                     at_);
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  std::string_view text_;
  std::string_view what_;
  std::string_view form_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_string(const Dims& dims) {
  return detail::to_text(dims);
}

std::string to_tuple(const Dims& dims) {
  std::string text = to_string(dims);
  if (dims.size() == 1) {
    text.back() = ',';
    text += ')';
  }
  return text;
}

std::string to_string(const Layout& layout) {
  return detail::message(layout.shape, ":", layout.strides, layout.offset < 0 ? "" : "+", layout.offset);
}

std::ostream& operator<<(std::ostream& stream, const Dims& dims) {
  return stream << to_string(dims);
}
std::ostream& operator<<(std::ostream& stream, const Layout& layout) {
  return stream << to_string(layout);
}

Dims parse_dims(std::string_view text) {
  Reader reader(text, "dims", "(2,3)");
  Dims result = reader.dims();
  reader.finish();
  return result;
}

Layout parse_layout(std::string_view text) {
  Reader reader(text, "layout", "(2,3):(3,1)+0");
  Layout layout;
  layout.shape = reader.dims();
  reader.expect(':');
  layout.strides = reader.dims();
  if (reader.accept('+')) {
    if (reader.peek() == '-') reader.fail("a number without a sign");
    layout.offset = reader.number();
  } else if (reader.peek() == '-') {
    layout.offset = reader.number();
  }
  reader.finish();
  if (layout.shape.size() != layout.strides.size()) {
    detail::throw_lengths_differ("layout", layout.shape, layout.strides);
  }
  count_elements(layout.shape, "layout");
  return layout;
}

std::string bytes_to_text(Index bytes) {
  static constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 10'000) return std::to_string(bytes) + " B";
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 999.95 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", amount, units[unit]);
  return text.data();
}

}  // namespace tenstride
