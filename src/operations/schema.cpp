// SPDX-License-Identifier: Apache-2.0
#include "operations/schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tenstride::detail {
namespace {

/// What stands in front of the mark, which goes with it; all of it where there is no mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return taken;
}

Parameter parse_parameter(std::string_view word, bool is_keyword_only) {
  Parameter parameter;
  parameter.is_keyword_only = is_keyword_only;
  parameter.type = take_until(word, " ");
  parameter.name = take_until(word, "=");
  parameter.otherwise = word;
  if (parameter.type.ends_with("...")) {
    parameter.is_spread = true;
    parameter.type.remove_suffix(3);
  }
  if (parameter.name.starts_with("**")) {
    parameter.is_any = true;
    parameter.name.remove_prefix(2);
  }
  double number = 0;
  parameter.has_number = std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc();
  parameter.absent.is_real = parameter.type == "float";
  parameter.absent.real = number;
  parameter.absent.integer = word == "True" ? 1 : static_cast<Index>(number);
  if (word == "preserve_format") parameter.absent.format = MemoryFormat::preserve;
  return parameter;
}

/// Words that stand for several, which must be named.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> short_words{{
    {"TensorOptions options",
     "ScalarType? dtype=None, Device? device=None, bool requires_grad=False, Layout? layout=None"},
    {"LikeOptions options",
     "ScalarType? dtype=None, Device? device=None, MemoryFormat memory_format=preserve_format, "
     "bool requires_grad=False, Layout? layout=None"},
}};

void add_parameters(Schema& schema, std::string_view words, bool is_keyword_only) {
  while (!words.empty()) {
    const std::string_view word = take_until(words, ", ");
    const auto is_word = [&](const auto& pair) { return pair.first == word; };
    const auto found = std::find_if(short_words.begin(), short_words.end(), is_word);
    if (found != short_words.end()) {
      add_parameters(schema, found->second, true);
    } else if (word == "*") {
      is_keyword_only = true;
    } else if (word.ends_with(" self")) {
      schema.self = word.substr(0, word.size() - std::string_view(" self").size());
    } else {
      schema.parameters.push_back(parse_parameter(word, is_keyword_only));
    }
  }
}

}  // namespace

bool Parameter::may_be_absent(SlotKind kind) const noexcept {
  switch (kind) {
    case SlotKind::list:
    case SlotKind::tensor:
    case SlotKind::operand:
    case SlotKind::dtype:
      return false;
    case SlotKind::integer:
    case SlotKind::number:
    case SlotKind::real:
      return has_number;
    default:
      return is_optional();
  }
}

std::size_t Schema::least(const Direct& function) const noexcept {
  std::size_t count = function.count;
  while (count > 0 && parameters[count - 1].may_be_absent(function.takes[count - 1])) --count;
  return count;
}

std::size_t Schema::find(std::string_view wanted) const noexcept {
  const auto is_wanted = [&](const Parameter& parameter) {
    return parameter.name == wanted && !parameter.is_any;
  };
  return static_cast<std::size_t>(std::find_if(parameters.begin(), parameters.end(), is_wanted) -
                                  parameters.begin());
}

Schema parse_schema(std::string_view text) {
  Schema schema;
  schema.name = take_until(text, "(");
  add_parameters(schema, take_until(text, ") -> "), false);
  schema.result = text;
  return schema;
}

}  // namespace tenstride::detail
