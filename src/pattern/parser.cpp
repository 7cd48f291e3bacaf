// SPDX-License-Identifier: Apache-2.0
#include "pattern/parser.hpp"

#include <charconv>

#include "base/message.hpp"

namespace tenstride::detail {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// Letters of other scripts are bytes above 127, and as good as any.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}
bool is_blank(char c) {
  return c == ' ';
}

constexpr std::string_view ellipsis_character = "\xe2\x80\xa6";

/// The whole character at a byte.
std::string_view character_at(std::string_view text, std::size_t position) {
  std::size_t length = 1;
  while (position + length < text.size() && continues_character(text[position + length])) ++length;
  return text.substr(position, length);
}

PatternToken word_token(const PatternPlace& place, std::size_t begin, std::size_t end) {
  const std::string_view word = place.text.substr(begin, end - begin);
  PatternToken token{PatternTokenKind::name, begin, word};
  if (word == "_") {
    token.kind = PatternTokenKind::underscore;
    return token;
  }
  bool is_number = true;
  for (const char c : word) is_number = is_number && is_digit(c);
  if (!is_number) {
    if (is_axis_name(word)) return token;
    refuse_pattern(place, begin,
                   message("names an axis \"", word, "\"", at_column(place.text, begin),
                           "; a name is letters, digits and inner underscores, and begins with a letter"));
  }
  token.kind = PatternTokenKind::number;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), token.number);
  if (parsed.ec != std::errc{} || token.number < 1) {
    refuse_pattern(place, begin,
                   message("has an axis of size ", word, at_column(place.text, begin),
                           "; a number must be at least 1 and fit 64 bits"));
  }
  return token;
}

}  // namespace

std::string at_column(std::string_view text, std::size_t position) {
  std::size_t column = 1;
  for (std::size_t i = 0; i < position && i < text.size(); ++i)
    if (!continues_character(text[i])) ++column;
  return message(" at column ", column);
}

std::string pattern_message(const PatternPlace& place, std::size_t position, const std::string& what) {
  std::string text = message(place.operation, ": \"", place.text, "\" ", what, "\n  ", place.text, "\n  ");
  for (std::size_t i = 0; i < position && i < place.text.size(); ++i) {
    if (!continues_character(place.text[i])) text += place.text[i] == '\t' ? '\t' : ' ';
  }
  return text + "^";
}

void refuse_pattern(const PatternPlace& place, std::size_t position, const std::string& what) {
  throw PatternError(pattern_message(place, position, what), position);
}

bool is_axis_name(std::string_view word) {
  if (word.empty() || !is_letter(word.front()) || word.back() == '_') return false;
  for (const char c : word) {
    if (!is_letter(c) && !is_digit(c) && c != '_') return false;
  }
  return true;
}

std::vector<PatternToken> tokens(const PatternPlace& place, std::size_t begin, std::size_t end) {
  const std::string_view text = place.text;
  std::vector<PatternToken> result;
  std::size_t opened = std::string_view::npos;
  bool has_ellipsis = false;
  for (std::size_t i = begin; i < end;) {
    const char c = text[i];
    if (is_blank(c)) {
      ++i;
    } else if (c == '(') {
      if (opened != std::string_view::npos)
        refuse_pattern(place, i,
                       message("opens '('", at_column(text, i), " inside another '('; groups do not nest"));
      opened = i;
      result.push_back({PatternTokenKind::open, i, text.substr(i++, 1)});
    } else if (c == ')') {
      if (opened == std::string_view::npos)
        refuse_pattern(place, i, message("closes ')'", at_column(text, i), ", which nothing opened"));
      opened = std::string_view::npos;
      result.push_back({PatternTokenKind::close, i, text.substr(i++, 1)});
    } else if (c == '.' || text.substr(i, 3) == ellipsis_character) {
      if (text.substr(i, std::min<std::size_t>(3, end - i)) != "..." || (i + 3 < end && text[i + 3] == '.')) {
        refuse_pattern(
            place, i, message("has dots", at_column(text, i), " that are not an ellipsis, which is \"...\""));
      }
      if (has_ellipsis)
        refuse_pattern(place, i,
                       message("has a second \"...\"", at_column(text, i), "; a side has one at most"));
      has_ellipsis = true;
      result.push_back({PatternTokenKind::ellipsis, i, text.substr(i, 3)});
      i += 3;
      if (i < end && (is_letter(text[i]) || is_digit(text[i]) || text[i] == '_')) {
        refuse_pattern(place, i, message("has no blank behind \"...\"", at_column(text, i)));
      }
    } else if (is_letter(c) || is_digit(c) || c == '_') {
      std::size_t stop = i;
      while (stop < end && (is_letter(text[stop]) || is_digit(text[stop]) || text[stop] == '_')) ++stop;
      if (stop < end && text[stop] == '.') {
        refuse_pattern(place, stop, message("has dots", at_column(text, stop), " right behind a name"));
      }
      result.push_back(word_token(place, i, stop));
      i = stop;
    } else {
      refuse_pattern(
          place, i,
          message("has '", character_at(text, i), "'", at_column(text, i), ", which is not of the notation"));
    }
  }
  if (opened != std::string_view::npos) {
    refuse_pattern(place, opened, message("opens '('", at_column(text, opened), " and never closes it"));
  }
  return result;
}

}  // namespace tenstride::detail
