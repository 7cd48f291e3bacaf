// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/groups.hpp"

#include <algorithm>

#include "io/format/python_json.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/json_field.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

constexpr std::size_t max_group_depth = 64;

enum class ZarrNode : unsigned char { none, group, array };

ZarrNode node_in(const ZarrStore& store, const std::string& folder) {
  const std::string name = zarr_file(folder, "zarr.json");
  if (const auto text = store.read_text(name)) {
    const std::string file = store.path_of(name);
    const nlohmann::json json = parse_zarr_json(*text, file);
    const JsonField type = JsonField(json, file).at("node_type");
    if (type.is("array")) return ZarrNode::array;
    if (type.is("group")) return ZarrNode::group;
    type.refuse("\"array\" or \"group\"");
  }
  const auto is_there = [&](std::string_view file) {
    return store.open(zarr_file(folder, file)).has_value();
  };
  if (is_there(".zarray")) return ZarrNode::array;
  return is_there(".zgroup") ? ZarrNode::group : ZarrNode::none;
}

/// What cannot be read is listed as an array, and what is wrong with it is said there.
ZarrNode node_within(const ZarrStore& store, const std::string& folder) {
  try {
    return node_in(store, folder);
  } catch (const FileError&) {
    return ZarrNode::array;
  }
}

class GroupSearch {
 public:
  explicit GroupSearch(const ZarrStore& store) : store_(store) {}

  void visit(const std::string& name, std::size_t depth) {
    const ZarrNode node = depth == 0 ? node_in(store_, name) : node_within(store_, name);
    if (node == ZarrNode::array) arrays.push_back(name);
    if (node == ZarrNode::none && depth == 0) {
      refuse_zarr(store_.path(),
                  "must be the folder of a Zarr array or group, which has the file zarr.json, .zarray or "
                  ".zgroup");
    }
    if (node != ZarrNode::group) return;
    if (depth == max_group_depth) {
      refuse_zarr(store_.path_of(name), "must be at most ", max_group_depth, " groups deep");
    }
    for (const std::string& child : store_.folders_in(name, entries_, max_zarr_entries)) {
      visit(zarr_file(name, child), depth + 1);
    }
  }

  std::vector<std::string> arrays;

 private:
  const ZarrStore& store_;
  std::size_t entries_ = 0;
};

}  // namespace

std::string zarr_group_attributes(const ZarrStore& store, const std::string& name) {
  nlohmann::json attributes;
  const std::string file = zarr_file(name, "zarr.json");
  if (const auto text = store.read_text(file)) {
    const nlohmann::json root = parse_zarr_json(*text, store.path_of(file));
    const JsonField field(root, store.path_of(file));
    if (const auto found = field.find("attributes")) {
      if (!found->value().is_object() && !found->is_null()) found->refuse("an object");
      attributes = found->value();
    }
  } else {
    const std::string beside = zarr_file(name, ".zattrs");
    if (const auto zattrs = store.read_text(beside)) {
      attributes = parse_zarr_json(*zattrs, store.path_of(beside));
      if (!attributes.is_object()) JsonField(attributes, store.path_of(beside)).refuse("an object");
    }
  }
  return attributes.empty() ? "" : python_json_text(parse_zarr_group_attributes(std::move(attributes)));
}

std::vector<std::string> zarr_arrays(const ZarrStore& store) {
  GroupSearch search(store);
  search.visit("", 0);
  std::sort(search.arrays.begin(), search.arrays.end());
  return std::move(search.arrays);
}

}  // namespace tenstride::io
