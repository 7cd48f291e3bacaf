// SPDX-License-Identifier: Apache-2.0
#include "io/facts/further_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/message.hpp"
#include "io/format/file_groups.hpp"
#include "io/format/moved_positions.hpp"
#include "io/format/python_json.hpp"
#include "io/format/result_attributes.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using FactsJson = nlohmann::ordered_json;

FactsJson object_of(const std::string& text) {
  FactsJson json = text.empty() ? FactsJson::object() : parse_attributes(text);
  return json.is_object() ? json : FactsJson::object();
}

/// "global attribute title", "attribute title of group a/b".
std::string group_fact(const std::string& group, const std::string& key) {
  return group.empty() ? "global attribute " + key : "attribute " + key + " of group " + group;
}

void take_unlimited_axes(const FollowedResult& followed, const FileFormat& destination, ResultFacts& facts) {
  if (followed.origin == nullptr) return;
  const FileInfo& source = followed.result->move.source;
  for (const Index unlimited : source.further.unlimited_axes) {
    const auto axis = static_cast<std::size_t>(unlimited);
    const std::optional<std::size_t> place = followed.origin->place_of(axis);
    if (place && destination.has_unlimited_axes) {
      facts.further.unlimited_axes.push_back(static_cast<Index>(*place));
    } else if (place || !followed.origin->obstacle.empty()) {
      const std::string reason = place
                                     ? message(destination.description, " does not say that an axis may grow")
                                     : change_of_elements(*followed.origin);
      facts.dropped.push_back({{}, "unlimited " + axis_text(source, axis), reason});
    }
  }
  std::sort(facts.further.unlimited_axes.begin(), facts.further.unlimited_axes.end());
}

/// The arrays of an image in several resolutions, as OME-Zarr names them in a group.
std::vector<std::string> arrays_of_image(const FactsJson& attributes) {
  std::vector<std::string> names;
  const FactsJson ome = attributes.value("ome", FactsJson::object());
  for (const FactsJson& described : {attributes, ome}) {
    if (!described.is_object() || !described.contains("multiscales")) continue;
    for (const FactsJson& image : described["multiscales"]) {
      if (!image.is_object() || !image.contains("datasets")) continue;
      for (const FactsJson& array : image["datasets"]) {
        if (!array.is_object() || !array.contains("path") || !array["path"].is_string()) continue;
        names.push_back(array["path"].get<std::string>());
      }
    }
  }
  return names;
}

/// Attributes of a group of the destination, as its sources say them.
class MergedGroup {
 public:
  explicit MergedGroup(std::string name) : name_(std::move(name)) {}

  void take(const std::shared_ptr<const FileGroup>& group) {
    if (!seen_.insert(group).second) return;
    const FactsJson types = object_of(group->attribute_types);
    const FactsJson attributes = object_of(group->attributes);
    const FactsJson unread = object_of(group->unread_attributes);
    for (const auto& [key, value] : attributes.items()) {
      if (differing_.contains(key)) continue;
      const auto [said, is_new] = texts_.try_emplace(key, python_json_text(value));
      if (is_new) {
        attributes_.json[key] = value;
        if (types.contains(key)) types_[key] = types[key];
      } else if (said->second != python_json_text(value)) {
        differing_.insert(key);
        attributes_.drop(key, "the source files differ in it");
      }
    }
    for (const auto& [key, reason] : unread.items()) {
      attributes_.tell(key, reason.get<std::string>());
    }
  }

  /// Attributes that speak of positions say it of the tensors in the group, where all of them went the same
  /// way; those that are not true of one are left out.
  void keep_true_of(const std::vector<FollowedResult>& tensors) {
    const std::map<std::string, FactsJson> images = moved_images(tensors);
    for (const auto& [key, image] : images) attributes_.json.erase(key);
    const ResultAttributes given = attributes_;
    std::optional<ResultAttributes> common;
    for (const FollowedResult& followed : tensors) {
      ResultAttributes moved = given;
      const FileInfo& source = followed.result->move.source;
      ResultOrigin unknown{.source = source, .shape = {}, .dtype = source.dtype, .axes = {}};
      unknown.obstacle = "unknown";
      keep_true_attributes(moved, followed.origin != nullptr ? *followed.origin : unknown);
      if (!common) {
        common = std::move(moved);
        continue;
      }
      for (const auto& [key, value] : given.json.items()) {
        if (!common->has(key.c_str())) continue;
        if (!moved.has(key.c_str())) {
          common->drop(key, reason_of(moved, key));
        } else if (python_json_text(moved.json[key]) != python_json_text(common->json[key])) {
          common->drop(key, "the tensors of the group went different ways");
        }
      }
    }
    if (common) attributes_ = *std::move(common);
    for (const auto& [key, image] : images) attributes_.json[key] = image;
  }

  /// Leaves out the image of which an array is not written. `names`: of what is written.
  void keep_true_image(const std::set<std::string>& names) {
    for (const std::string& array : arrays_of_image(attributes_.json)) {
      const std::string name = name_.empty() ? array : name_ + '/' + array;
      if (names.contains(name)) continue;
      for (const char* const key : {"multiscales", "ome"}) {
        if (attributes_.has(key)) attributes_.drop(key, name + ", which it names, is not written");
      }
    }
  }

  [[nodiscard]] std::shared_ptr<const FileGroup> group() const {
    const auto text = [](const FactsJson& json) { return json.empty() ? "" : python_json_text(json); };
    FactsJson types = FactsJson::object();
    for (const auto& [key, type] : types_.items()) {
      if (attributes_.has(key.c_str())) types[key] = type;
    }
    return std::make_shared<const FileGroup>(FileGroup{name_, text(attributes_.json), text(types)});
  }

  [[nodiscard]] std::vector<DroppedFact> dropped() const {
    std::vector<DroppedFact> all;
    for (const DroppedFact& fact : attributes_.dropped())
      all.push_back({{}, group_fact(name_, fact.fact), fact.reason});
    return all;
  }

 private:
  static std::string reason_of(const ResultAttributes& attributes, const std::string& key) {
    for (const DroppedFact& fact : attributes.dropped()) {
      if (fact.fact == key) return fact.reason;
    }
    return {};
  }
  /// Where the arrays of images lie after they have been moved: "multiscales" of OME-Zarr, by itself or in
  /// "ome".
  [[nodiscard]] std::map<std::string, FactsJson> moved_images(
      const std::vector<FollowedResult>& tensors) const {
    const auto origin_of = [&](const std::string& path) -> const ResultOrigin* {
      const std::string name = name_.empty() ? path : name_ + '/' + path;
      for (const FollowedResult& followed : tensors) {
        if (followed.result->move.name == name) return followed.origin;
      }
      return nullptr;
    };
    std::map<std::string, FactsJson> images;
    for (const char* const key : {"multiscales", "ome"}) {
      if (!attributes_.has(key)) continue;
      FactsJson value = attributes_.json[key];
      const bool is_inside = value.is_object() && value.contains("multiscales");
      FactsJson& list = is_inside ? value["multiscales"] : value;
      std::optional<FactsJson> moved = moved_multiscales(list, origin_of);
      if (!moved) continue;
      list = *std::move(moved);
      images.emplace(key, std::move(value));
    }
    return images;
  }

  std::string name_;
  std::set<std::shared_ptr<const FileGroup>> seen_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> differing_;
  ResultAttributes attributes_{std::string()};
  FactsJson types_ = FactsJson::object();
};

/// The groups of the destination that a result stands in. A single array without a name stands in none.
std::vector<std::string> groups_around_result(const std::vector<FollowedResult>& followed, std::size_t number,
                                              const FileFormat& destination) {
  const std::string& name = followed[number].result->move.name;
  const bool is_file_itself =
      followed.size() == 1 && name.empty() && destination.names != TensorNames::required;
  if (is_file_itself || !destination.has_groups) return {};
  return group_names_around(name);
}

/// Why a group of a source is none of the destination.
std::string lack_of_group(const FileFormat& destination, const std::string& group) {
  if (!destination.has_groups)
    return message("attributes of groups are not written to ", destination.description);
  if (!group.empty()) return "nothing is written to that group";
  return message("a tensor without a name is in no group of ", destination.description,
                 " (give it one: \"out.zarr::x\")");
}

}  // namespace

void add_further_facts(const FollowedResult& followed, const FileFormat& destination, ResultFacts& facts) {
  if (destination.facts == TensorFacts::none) return;
  const FileInfo& source = followed.result->move.source;
  const FurtherFacts& further = source.further;
  facts.further.attribute_types = further.attribute_types;
  if (has_same_facts(source.kind, destination)) {
    facts.further.header_extensions = further.header_extensions;
  } else if (!further.header_extensions.empty()) {
    facts.dropped.push_back(
        {{}, "header extensions", message("they are not written to ", destination.description)});
  }
  take_unlimited_axes(followed, destination, facts);
  const FactsJson unread = object_of(further.unread_attributes);
  for (const auto& [key, reason] : unread.items()) {
    facts.dropped.push_back({{}, key, reason.get<std::string>()});
  }
}

void share_unlimited_axes(const std::vector<FollowedResult>& followed, std::vector<ResultFacts>& facts) {
  using Dimension = std::pair<std::string, Index>;
  const auto dimension_of = [&](std::size_t number, std::size_t axis) {
    const std::vector<std::string>& names = facts[number].axis_names;
    return Dimension{axis < names.size() ? names[axis] : "", followed[number].origin->shape[axis]};
  };
  std::set<Dimension> unlimited;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (const Index axis : facts[i].further.unlimited_axes)
      unlimited.insert(dimension_of(i, static_cast<std::size_t>(axis)));
  }
  for (std::size_t i = 0; !unlimited.empty() && i < facts.size(); ++i) {
    if (followed[i].origin == nullptr) continue;
    Dims& axes = facts[i].further.unlimited_axes;
    for (std::size_t d = 0; d < facts[i].axis_names.size(); ++d) {
      const bool is_set = std::find(axes.begin(), axes.end(), static_cast<Index>(d)) != axes.end();
      const bool is_shared = !facts[i].axis_names[d].empty() && unlimited.contains(dimension_of(i, d));
      if (is_shared && !is_set) axes.push_back(static_cast<Index>(d));
    }
    std::sort(axes.begin(), axes.end());
  }
}

std::vector<DroppedFact> add_groups(const std::vector<FollowedResult>& followed,
                                    const FileFormat& destination, std::vector<ResultFacts>& facts) {
  std::vector<DroppedFact> dropped;
  if (destination.facts == TensorFacts::none) return dropped;
  std::map<std::string, MergedGroup> merged;
  std::set<std::pair<std::string, std::string>> placed;
  for (std::size_t i = 0; i < followed.size(); ++i) {
    const std::vector<std::string> around = groups_around_result(followed, i, destination);
    const FileInfo& source = followed[i].result->move.source;
    for (const auto& group : source.further.groups) {
      if (std::find(around.begin(), around.end(), group->name) == around.end()) continue;
      merged.try_emplace(group->name, group->name).first->second.take(group);
      placed.emplace(group->name, group->attributes);
    }
  }
  std::set<std::pair<std::string, std::string>> told;
  for (const FollowedResult& one : followed) {
    for (const auto& group : one.result->move.source.further.groups) {
      if (placed.contains({group->name, group->attributes})) continue;
      const std::string reason = lack_of_group(destination, group->name);
      const FactsJson attributes = object_of(group->attributes);
      for (const auto& [key, value] : attributes.items()) {
        if (told.emplace(group->name, key).second)
          dropped.push_back({{}, group_fact(group->name, key), reason});
      }
    }
  }
  std::set<std::string> names;
  for (const FollowedResult& one : followed) names.insert(one.result->move.name);
  FileGroups groups;
  for (auto& [name, group] : merged) {
    std::vector<FollowedResult> within;
    for (std::size_t i = 0; i < followed.size(); ++i) {
      const std::vector<std::string> around = groups_around_result(followed, i, destination);
      if (std::find(around.begin(), around.end(), name) != around.end()) within.push_back(followed[i]);
    }
    group.keep_true_image(names);
    group.keep_true_of(within);
    groups.emplace(name, group.group());
    const std::vector<DroppedFact> of_group = group.dropped();
    dropped.insert(dropped.end(), of_group.begin(), of_group.end());
  }
  if (groups.empty()) return dropped;
  for (std::size_t i = 0; i < followed.size(); ++i) {
    const std::vector<std::string> around = groups_around_result(followed, i, destination);
    for (const std::string& name : around) {
      if (const auto found = groups.find(name); found != groups.end())
        facts[i].further.groups.push_back(found->second);
    }
  }
  return dropped;
}

}  // namespace tenstride::io
