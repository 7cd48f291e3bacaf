// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/new_groups.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/attributes.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

void write_text(const std::filesystem::path& path, const std::string& text, std::string_view operation) {
  AtomicFile file(path.string(), Overwrite::replace, operation);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

/// What makes a folder a group.
void write_group(const std::filesystem::path& folder, int format, const nlohmann::json& attributes,
                 std::string_view operation) {
  std::filesystem::create_directories(folder);
  if (format == 3) {
    const nlohmann::ordered_json json{{"attributes", attributes}, {"zarr_format", 3}, {"node_type", "group"}};
    return write_text(folder / "zarr.json", python_json_text(json, 2), operation);
  }
  if (!attributes.empty()) write_text(folder / ".zattrs", python_json_text(attributes, 2), operation);
  write_text(folder / ".zgroup", "{\n    \"zarr_format\": 2\n}", operation);
}

}  // namespace

void check_array_name(const std::string& name, std::string_view operation) {
  for (const std::filesystem::path& part : std::filesystem::path(name)) {
    if (!part.empty() && part != "." && part != ".." && part != "/") continue;
    throw ValueError(
        message(operation, ": the name \"", name, "\" must be one of groups and an array, as a/b"));
  }
}

std::vector<std::string> make_zarr_groups(const std::string& root, const std::vector<std::string>& names,
                                          int format, const FileGroups& groups, std::string_view operation) {
  if (names.size() == 1 && names[0].empty()) return {root};
  for (const std::string& name : names) check_array_name(name, operation);
  const std::filesystem::path folder(root);
  std::set<std::string> made;
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    for (const std::string& group : group_names_around(name)) {
      if (!made.insert(group).second) continue;
      const auto found = groups.find(group);
      const bool has_attributes = found != groups.end() && !found->second->attributes.empty();
      write_group(
          group.empty() ? folder : folder / group, format,
          has_attributes ? zarr_group_attributes_json(found->second->attributes) : nlohmann::json::object(),
          operation);
    }
    folders.push_back((folder / name).string());
  }
  return folders;
}

}  // namespace tenstride::io
