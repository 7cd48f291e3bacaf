// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/json_field.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "io/format/python_json.hpp"
#include "io/zarr/metadata.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

constexpr int max_json_depth = 64;

/// Refuses objects that have a name twice, and too many levels, while a text is parsed.
class JsonGuard {
 public:
  explicit JsonGuard(std::string_view file) : file_(file) {}

  void operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= max_json_depth)
        refuse_zarr(file_, "must have at most ", max_json_depth, " levels of objects and lists");
    }
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if (event == Event::key && !names_.back().insert(parsed.get<std::string>()).second) {
      refuse_zarr(file_, "has the field \"", parsed.get<std::string>().substr(0, 60),
                  "\" twice in one object, which must have it once");
    }
  }

 private:
  std::string file_;
  std::vector<std::set<std::string>> names_;
};

}  // namespace

nlohmann::json parse_zarr_json(std::string_view text, std::string_view file) {
  if (text.size() > max_zarr_metadata) {
    refuse_zarr(file, "has ", text.size(), " bytes and must have at most ", max_zarr_metadata);
  }
  try {
    return parse_python_json<Json>(text, JsonGuard(file));
  } catch (const Json::parse_error& error) {
    refuse_zarr(file, "must be JSON, which it is not at byte ", error.byte);
  } catch (const Json::exception&) {
    refuse_zarr(file, "must be JSON whose numbers a double can hold");
  }
}

JsonField JsonField::at(std::string_view member) const {
  std::optional<JsonField> found = find(member);
  if (!found) {
    const std::string place = name_.empty() ? "" : tenstride::detail::message(" in ", name_);
    refuse_zarr(file_, "must have the field \"", member, "\"", place);
  }
  return *std::move(found);
}

std::optional<JsonField> JsonField::find(std::string_view member) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(member);
  if (found == value_->end()) return std::nullopt;
  return JsonField(*found, file_, name_.empty() ? std::string(member) : name_ + "." + std::string(member));
}

JsonField JsonField::find_or(std::string_view member, const nlohmann::json& otherwise) const {
  const std::string name = name_ + "." + std::string(member);
  return value_->is_object() && value_->contains(member) ? at(member) : JsonField(otherwise, file_, name);
}

void JsonField::allow_only(std::initializer_list<std::string_view> members) const {
  if (!value_->is_object()) refuse("an object");
  for (const auto& [name, member] : value_->items()) {
    if (std::find(members.begin(), members.end(), name) != members.end()) continue;
    std::string known;
    for (const std::string_view one : members) known += (known.empty() ? "" : ", ") + std::string(one);
    refuse("an object of no fields but ", known);
  }
}

std::vector<JsonField> JsonField::items() const {
  if (!value_->is_array()) refuse("a list");
  std::vector<JsonField> result;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    result.emplace_back((*value_)[i], file_, name_ + "[" + std::to_string(i) + "]");
  }
  return result;
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) refuse("text");
  return value_->get_ref<const std::string&>();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

Index JsonField::integer(Index min, Index max) const {
  const bool is_too_large = value_->is_number_unsigned() &&
                            value_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Index>::max()};
  if (!value_->is_number_integer() || is_too_large || value_->get<Index>() < min ||
      value_->get<Index>() > max) {
    refuse("an integer from ", min, " to ", max);
  }
  return value_->get<Index>();
}

Dims JsonField::dims(Index min) const {
  if (!value_->is_array() || value_->size() > max_rank) refuse("a list of at most ", max_rank, " integers");
  Dims result;
  for (const JsonField& item : items()) {
    result.push_back(item.integer(min, std::numeric_limits<Index>::max()));
  }
  return result;
}

Dims JsonField::axes(std::size_t rank) const {
  const Dims result = dims(std::numeric_limits<Index>::min());
  Dims sorted = result;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != first_axes(rank)) refuse("each axis of ", rank, " once");
  return result;
}

std::string JsonField::shown() const {
  constexpr std::size_t max_shown = 80;
  std::string value = python_json_text(*value_);
  if (value.size() > max_shown) {
    std::size_t end = max_shown;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0U) == 0x80U) --end;
    value = value.substr(0, end) + "…";
  }
  return name_.empty() ? value : name_ + " = " + value;
}

}  // namespace tenstride::io
