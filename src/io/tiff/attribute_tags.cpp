// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/attribute_tags.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using TiffJson = nlohmann::ordered_json;

/// The most numbers of a list: 65,536 are 10,922 points of control.
constexpr std::uint64_t max_tiff_numbers = std::uint64_t{1} << 16;

class TiffValues {
 public:
  TiffValues(const TiffJson& json, std::string_view operation) : json_(json), operation_(operation) {}

  std::vector<TiffValue> values() {
    add_orientation();
    add_resolution();
    for (const TiffAttributeTag& tag : tiff_attribute_tags) {
      const TiffJson* const value = find(tag.name);
      if (value == nullptr) continue;
      if (tag.type == TiffValueType::text) {
        if (!value->is_string()) refuse(tag.name, *value, "a text");
        result_.push_back({tag.tag, tag.type, {}, value->get<std::string>()});
      } else {
        const bool is_list = value->is_array() && !value->empty() && value->size() <= max_tiff_numbers;
        const bool is_short = tag.type == TiffValueType::int16;
        const std::string rule = message("a list of ", is_short ? "integers of 16 bits" : "numbers",
                                         ", at most ", max_tiff_numbers);
        if (!is_list) refuse(tag.name, *value, rule);
        TiffValue made{tag.tag, tag.type};
        for (const TiffJson& number : *value) {
          const bool is_good = is_short ? number.is_number_unsigned() && number <= 65535 : number.is_number();
          if (!is_good) refuse(tag.name, *value, rule);
          made.numbers.push_back(number.get<double>());
        }
        result_.push_back(std::move(made));
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const TiffJson* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  [[noreturn]] void refuse(std::string_view name, const TiffJson& value, std::string_view rule) const {
    const std::string text = python_json_text(value);
    throw ValueError(message(operation_, ": attribute ", name, " = ", text.substr(0, 40),
                             text.size() > 40 ? "…" : "", " must be ", rule));
  }

  void add_orientation() {
    const TiffJson* const value = find("orientation");
    if (value == nullptr) return;
    const bool is_good = value->is_number_unsigned() && *value >= 1 && *value <= 8;
    if (!is_good) refuse("orientation", *value, "an integer of 1 to 8");
    result_.push_back({tiff_tag::orientation, TiffValueType::int16, {value->get<double>()}});
  }

  void add_resolution() {
    const TiffJson* const value = find("resolution");
    if (value == nullptr) return;
    const auto is_good = [](const TiffJson& number) {
      return number.is_number() && number.get<double>() >= 0 && number.get<double>() <= 0xFFFFFFFF;
    };
    if (!value->is_array() || value->size() != 2 || !is_good((*value)[0]) || !is_good((*value)[1])) {
      refuse("resolution", *value, "two numbers of 0 to 4294967295, along rows and along columns");
    }
    result_.push_back({tiff_tag::x_resolution, TiffValueType::rational, {(*value)[0].get<double>()}});
    result_.push_back({tiff_tag::y_resolution, TiffValueType::rational, {(*value)[1].get<double>()}});
    const TiffJson* const unit = find("resolution_unit");
    if (unit == nullptr) return;
    const auto found = std::find(tiff_resolution_units.begin() + 1, tiff_resolution_units.end(),
                                 unit->is_string() ? unit->get<std::string>() : std::string());
    if (found == tiff_resolution_units.end()) {
      refuse("resolution_unit", *unit, "\"none\", \"inch\" or \"centimeter\"");
    }
    const auto code = static_cast<double>(found - tiff_resolution_units.begin());
    result_.push_back({tiff_tag::resolution_unit, TiffValueType::int16, {code}});
  }

  const TiffJson& json_;
  std::string_view operation_;
  std::vector<TiffValue> result_;
};

/// Null where it cannot be read, as the list below.
TiffJson text_of(TiffReader& reader, const TiffDirectory& page, std::uint16_t tag) {
  std::optional<std::string> text = reader.text(page, tag);
  return text ? TiffJson(*std::move(text)) : TiffJson();
}

TiffJson list_of(TiffReader& reader, const TiffTag& tag, TiffValueType type) {
  if (tag.count < 1 || tag.count > max_tiff_numbers) return {};
  const std::optional<std::vector<double>> numbers = reader.numbers(tag);
  if (!numbers) return {};
  if (type != TiffValueType::int16) return *numbers;
  TiffJson integers = TiffJson::array();
  for (const double number : *numbers) {
    const bool is_short = number >= 0 && number <= 65535 && number == std::floor(number);
    if (!is_short) return {};
    integers.push_back(static_cast<std::uint16_t>(number));
  }
  return integers;
}

}  // namespace

bool TiffValue::is_of_first_page() const {
  return tag >= tiff_attribute_tags.front().tag;
}

void read_attribute_tags(TiffReader& reader, const TiffDirectory& page, TiffJson& attributes,
                         TiffJson& unread) {
  for (const TiffAttributeTag& known : tiff_attribute_tags) {
    const TiffTag* const tag = page.find(known.tag);
    if (tag == nullptr) continue;
    TiffJson value = known.type == TiffValueType::text ? text_of(reader, page, known.tag)
                                                       : list_of(reader, *tag, known.type);
    if (!value.is_null()) {
      attributes[known.name] = std::move(value);
      continue;
    }
    const std::string rule =
        known.type == TiffValueType::text
            ? message("a text of at most ", max_tiff_text, " bytes")
            : message(known.type == TiffValueType::int16 ? "integers of 16 bits" : "numbers", ", 1 to ",
                      max_tiff_numbers, " of them,");
    unread[known.name] =
        message("the tag ", known.tag, " has ", tag->count, " values of type ", tag->type, " from byte ",
                tag->begin, " on, which must be ", rule, " in the file of ", reader.file().size(), " bytes");
  }
}

bool has_tiff_tag(std::string_view attribute) {
  constexpr std::array<std::string_view, 3> plain{"resolution", "resolution_unit", "orientation"};
  return std::find(plain.begin(), plain.end(), attribute) != plain.end() ||
         std::any_of(tiff_attribute_tags.begin(), tiff_attribute_tags.end(),
                     [&](const TiffAttributeTag& tag) { return tag.name == attribute; });
}

std::string tiff_description(std::string_view attributes) {
  const TiffJson json = attributes.empty() ? TiffJson() : parse_attributes(attributes);
  const auto found = json.is_object() ? json.find("description") : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<TiffValue> tiff_values(std::string_view attributes, std::string_view operation) {
  if (attributes.empty()) return {};
  const TiffJson json = parse_attributes(attributes);
  return TiffValues(json, operation).values();
}

}  // namespace tenstride::io
