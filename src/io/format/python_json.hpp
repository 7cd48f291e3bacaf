// SPDX-License-Identifier: Apache-2.0
// JSON in which NaN, Infinity and -Infinity stand as numbers, as Python's json reads and writes it. The
// attributes of tensors are of it: files have such numbers, above all as _FillValue.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// A text whose numbers that JSON does not have are null, with what each null stands for.
class PythonNumbers {
 public:
  explicit PythonNumbers(std::string_view text);

  [[nodiscard]] const std::string& plain_text() const noexcept { return plain_text_; }
  /// What the next null of the text stands for.
  template <class Json>
  Json take() {
    const Null& null = nulls_.at(taken_++);
    return null.is_number ? Json(null.number) : Json(nullptr);
  }

 private:
  struct Null {
    bool is_number = false;
    double number = 0;
  };

  std::string plain_text_;
  std::vector<Null> nulls_;
  std::size_t taken_ = 0;
};

/// Parses a text; throws the exceptions of nlohmann's parser. `look(depth, event, parsed)` is called as that
/// parser calls back, before numbers stand in `parsed`, and may throw.
template <class Json, class Look>
Json parse_python_json(std::string_view text, Look look) {
  PythonNumbers numbers(text);
  using Event = typename Json::parse_event_t;
  return Json::parse(numbers.plain_text(), [&](int depth, Event event, Json& parsed) {
    look(depth, event, parsed);
    if (event == Event::value && parsed.is_null()) parsed = numbers.take<Json>();
    return true;
  });
}

/// The attributes of a tensor, in their order; discarded where they are not JSON.
nlohmann::ordered_json parse_attributes(std::string_view text);

/// The number that "NaN", "Infinity" or "-Infinity" stands for, as strict JSON has them.
std::optional<double> number_of_word(std::string_view text);
/// A number, or what such a word stands for.
std::optional<double> number_or_word(const nlohmann::ordered_json& value);
/// The word for a number that JSON does not have; a null view of any other.
std::string_view word_of_number(double number);

/// The text of a value. `indent`: the spaces of a level, -1 for one line. Bytes that are not UTF-8 are
/// replaced.
std::string python_json_text(const nlohmann::ordered_json& value, int indent = -1);
std::string python_json_text(const nlohmann::json& value, int indent = -1);

/// Replaces bytes that are no UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace tenstride::io
