// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/groups.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>

#include "files/system_reason.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/json_field.hpp"
#include "io/zarr/read_file.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_group_depth = 64;

enum class ZarrNode : unsigned char { none, group, array };

ZarrNode node_in(const std::string& folder) {
  const std::string file = zarr_file(folder, "zarr.json");
  if (const auto text = read_text_file(file, max_zarr_metadata)) {
    const nlohmann::json json = parse_zarr_json(*text, file);
    const JsonField type = JsonField(json, file).at("node_type");
    if (type.is("array")) return ZarrNode::array;
    if (type.is("group")) return ZarrNode::group;
    type.refuse("\"array\" or \"group\"");
  }
  const auto is_there = [&folder](std::string_view name) {
    const std::string path = zarr_file(folder, name);
    return open_input(AT_FDCWD, path, path).has_value();
  };
  if (is_there(".zarray")) return ZarrNode::array;
  return is_there(".zgroup") ? ZarrNode::group : ZarrNode::none;
}

/// What cannot be read is listed as an array, and what is wrong with it is said there.
ZarrNode node_within(const std::string& folder) {
  try {
    return node_in(folder);
  } catch (const FileError&) {
    return ZarrNode::array;
  }
}

class GroupSearch {
 public:
  explicit GroupSearch(const std::string& root) : root_(root) {}

  void visit(const std::string& name, std::size_t depth) {
    const std::string folder = name.empty() ? root_ : zarr_file(root_, name);
    const ZarrNode node = depth == 0 ? node_in(folder) : node_within(folder);
    if (node == ZarrNode::array) arrays.push_back(name);
    if (node == ZarrNode::none && depth == 0) {
      refuse_zarr(root_,
                  "must be the folder of a Zarr array or group, which has the file zarr.json, .zarray or "
                  ".zgroup");
    }
    if (node != ZarrNode::group) return;
    if (depth == max_group_depth) refuse_zarr(folder, "must be at most ", max_group_depth, " groups deep");
    for (const std::string& child : folders_in(folder))
      visit(name.empty() ? child : name + "/" + child, depth + 1);
  }

  std::vector<std::string> arrays;

 private:
  std::vector<std::string> folders_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      entries_ += 1;
      if (entries_ > max_zarr_entries) {
        refuse_zarr(root_, "must have at most ", max_zarr_entries, " entries in its groups");
      }
      std::error_code gone;
      if (entry->symlink_status(gone).type() == fs::file_type::directory) {
        names.push_back(entry->path().filename().string());
      }
    }
    if (error) refuse_zarr(folder, "must be a folder that can be listed", system_reason(error.value()));
    return names;
  }

  std::string root_;
  std::size_t entries_ = 0;
};

}  // namespace

std::string zarr_group_attributes(const std::string& folder) {
  nlohmann::json attributes;
  const std::string file = zarr_file(folder, "zarr.json");
  if (const auto text = read_text_file(file, max_zarr_metadata)) {
    const nlohmann::json root = parse_zarr_json(*text, file);
    const JsonField field(root, file);
    if (const auto found = field.find("attributes")) {
      if (!found->value().is_object() && !found->is_null()) found->refuse("an object");
      attributes = found->value();
    }
  } else {
    const std::string beside = zarr_file(folder, ".zattrs");
    if (const auto zattrs = read_text_file(beside, max_zarr_metadata)) {
      attributes = parse_zarr_json(*zattrs, beside);
      if (!attributes.is_object()) JsonField(attributes, beside).refuse("an object");
    }
  }
  return attributes.empty() ? "" : python_json_text(parse_zarr_group_attributes(std::move(attributes)));
}

std::vector<std::string> zarr_arrays(const std::string& folder) {
  GroupSearch search(folder);
  search.visit("", 0);
  std::sort(search.arrays.begin(), search.arrays.end());
  return std::move(search.arrays);
}

}  // namespace tenstride::io
