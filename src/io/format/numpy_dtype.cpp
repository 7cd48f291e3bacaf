// SPDX-License-Identifier: Apache-2.0
#include "io/format/numpy_dtype.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/format/result_attributes.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// NumPy's units, and the words that CF and xarray have for some of them.
struct TimeUnit {
  std::string_view name;
  std::string_view word;
};
constexpr std::array<TimeUnit, 13> time_units{{{"Y", ""},
                                               {"M", ""},
                                               {"W", ""},
                                               {"D", "days"},
                                               {"h", "hours"},
                                               {"m", "minutes"},
                                               {"s", "seconds"},
                                               {"ms", "milliseconds"},
                                               {"us", "microseconds"},
                                               {"ns", "nanoseconds"},
                                               {"ps", ""},
                                               {"fs", ""},
                                               {"as", ""}}};

const TimeUnit* find_unit(std::string_view name) {
  const auto* const found = std::find_if(time_units.begin(), time_units.end(),
                                         [name](const TimeUnit& unit) { return unit.name == name; });
  return found == time_units.end() ? nullptr : found;
}

/// A name and, in brackets, a count and a unit. `names`: of dates, and of spans.
std::optional<NumpyTime> parse_time(std::string_view text, std::string_view date, std::string_view span) {
  NumpyTime time;
  time.is_span = text.starts_with(span);
  if (!time.is_span && !text.starts_with(date)) return std::nullopt;
  text.remove_prefix(time.is_span ? span.size() : date.size());
  if (text.empty()) return time;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (is_digit(text.front())) {
    std::int32_t count = 0;  // NumPy has 31 bits
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 1) return std::nullopt;
    time.count = count;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!is_numpy_unit(text)) return std::nullopt;
  time.unit = text;
  return time;
}

std::string time_text(std::string_view name, const NumpyTime& time) {
  if (time.unit.empty()) return std::string(name);
  return message(name, '[', time.count == 1 ? "" : std::to_string(time.count), time.unit, ']');
}

}  // namespace

std::optional<NumpyTime> parse_numpy_dtype(std::string_view text) {
  return parse_time(text, "datetime64", "timedelta64");
}

std::optional<NumpyTime> parse_numpy_time_code(std::string_view code) {
  return parse_time(code, "M8", "m8");
}

bool is_numpy_unit(std::string_view unit) {
  return find_unit(unit) != nullptr;
}

std::string numpy_dtype_text(const NumpyTime& time) {
  return time_text(time.is_span ? "timedelta64" : "datetime64", time);
}

std::string numpy_time_code(const NumpyTime& time) {
  return time_text(time.is_span ? "m8" : "M8", time);
}

std::vector<std::byte> no_time_element() {
  constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();
  const auto* const first = reinterpret_cast<const std::byte*>(&no_time);
  return {first, first + sizeof no_time};
}

std::optional<NumpyTime> find_time_attribute(const nlohmann::ordered_json& attributes, DType dtype) {
  if (dtype != DType::int64 || !attributes.is_object()) return std::nullopt;
  const auto found = attributes.find(numpy_dtype_key);
  if (found == attributes.end() || !found->is_string()) return std::nullopt;
  return parse_numpy_dtype(found->get_ref<const std::string&>());
}

std::optional<NumpyTime> find_numpy_time(std::string_view attributes, DType dtype) {
  if (dtype != DType::int64 || attributes.find(numpy_dtype_key) == std::string_view::npos)
    return std::nullopt;
  return find_time_attribute(parse_attributes(attributes), dtype);
}

void write_time_units(ResultAttributes& attributes, const ResultOrigin& result) {
  const std::optional<NumpyTime> time = find_time_attribute(attributes.json, result.dtype);
  if (!time || attributes.has("units") || time->count != 1 || time->unit.empty()) return;
  const std::string_view word = find_unit(time->unit)->word;
  if (word.empty()) return;
  attributes.json.erase(numpy_dtype_key);
  if (time->is_span) {
    attributes.json["units"] = word;
    attributes.json["dtype"] = numpy_dtype_text(*time);
  } else {
    attributes.json["units"] = message(word, " since 1970-01-01");
    attributes.json["calendar"] = "proleptic_gregorian";
  }
  if (!attributes.has("_FillValue")) attributes.json["_FillValue"] = std::numeric_limits<std::int64_t>::min();
}

}  // namespace tenstride::io
