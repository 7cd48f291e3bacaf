// SPDX-License-Identifier: Apache-2.0
#include "io/format/python_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tenstride/io/file.hpp"

namespace tenstride::io {
namespace {

struct PythonWord {
  std::string_view text;
  double number = 0;
};

constexpr std::array<PythonWord, 3> python_words{{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                                  {"-Infinity", -std::numeric_limits<double>::infinity()},
                                                  {"Infinity", std::numeric_limits<double>::infinity()}}};
constexpr std::string_view null_word = "null";

/// Where the text that begins at `begin` ends, one behind its quotation mark.
std::size_t end_of_text(std::string_view json, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < json.size() && json[i] != '"') i += json[i] == '\\' ? 2U : 1U;
  return std::min(i + 1, json.size());
}

/// Replaces words outside of texts: `replace(rest)` gives the length of a word at the beginning of `rest`,
/// 0 for none, and what stands for it.
template <class Replace>
std::string replace_words(std::string_view json, const Replace& replace) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '"') {
      const std::size_t end = end_of_text(json, i);
      result += json.substr(i, end - i);
      i = end;
      continue;
    }
    const auto [length, other] = replace(json.substr(i));
    result += length == 0 ? json.substr(i, 1) : std::string_view(other);
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

/// Writes a value as nlohmann's `dump` does, but for numbers that JSON does not have.
template <class Json>
class PythonJsonWriter {
 public:
  explicit PythonJsonWriter(int indent) : indent_(indent) {}

  void write(const Json& value, int level) {
    if (value.is_number_float() && !std::isfinite(value.template get<double>())) {
      text_ += word_of_number(value.template get<double>());
    } else if (!value.is_structured() || value.empty()) {
      write_plain(value);
    } else {
      write_members(value, level);
    }
  }

  std::string take_text() { return std::move(text_); }

 private:
  void write_plain(const Json& value) { text_ += value.dump(-1, ' ', false, Json::error_handler_t::replace); }
  void write_members(const Json& value, int level) {
    bool is_first = true;
    text_ += value.is_object() ? '{' : '[';
    for (const auto& [name, member] : value.items()) {
      if (!is_first) text_ += ',';
      is_first = false;
      begin_line(level + 1);
      if (value.is_object()) {
        write_plain(name);
        text_ += indent_ < 0 ? ":" : ": ";
      }
      write(member, level + 1);
    }
    begin_line(level);
    text_ += value.is_object() ? '}' : ']';
  }
  void begin_line(int level) {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(level), ' ');
  }

  int indent_;
  std::string text_;
};

template <class Json>
std::string text_of(const Json& value, int indent) {
  PythonJsonWriter<Json> writer(indent);
  writer.write(value, 0);
  return writer.take_text();
}

}  // namespace

PythonNumbers::PythonNumbers(std::string_view text) {
  plain_text_ = replace_words(text, [this](std::string_view rest) -> std::pair<std::size_t, std::string> {
    if (rest.starts_with(null_word)) {
      nulls_.push_back({});
      return {null_word.size(), std::string(null_word)};
    }
    for (const auto& [word, number] : python_words) {
      if (!rest.starts_with(word)) continue;
      nulls_.push_back({true, number});
      return {word.size(), std::string(null_word)};
    }
    return {0, {}};
  });
}

nlohmann::ordered_json parse_attributes(std::string_view text) {
  using Json = nlohmann::ordered_json;
  try {
    return parse_python_json<Json>(text, [](int, Json::parse_event_t, const Json&) {});
  } catch (const Json::exception&) {
    return Json(Json::value_t::discarded);
  }
}

std::optional<double> number_of_word(std::string_view text) {
  for (const auto& [word, number] : python_words) {
    if (text == word) return number;
  }
  return std::nullopt;
}

std::optional<double> number_or_word(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? number_of_word(value.get_ref<const std::string&>()) : std::nullopt;
}

std::string_view word_of_number(double number) {
  if (std::isfinite(number)) return {};
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

std::string python_json_text(const nlohmann::ordered_json& value, int indent) {
  return text_of(value, indent);
}

std::string python_json_text(const nlohmann::json& value, int indent) {
  return text_of(value, indent);
}

std::string strict_json(std::string_view attributes) {
  return replace_words(attributes, [](std::string_view rest) -> std::pair<std::size_t, std::string> {
    for (const auto& [word, number] : python_words) {
      if (rest.starts_with(word)) return {word.size(), '"' + std::string(word) + '"'};
    }
    return {0, {}};
  });
}

std::string valid_utf8(std::string_view text) {
  const std::string dumped =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(dumped).get<std::string>();
}

}  // namespace tenstride::io
