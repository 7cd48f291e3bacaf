// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/new_groups.hpp"

#include <filesystem>
#include <span>

#include "base/message.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What makes a folder a group.
void write_group(const std::filesystem::path& folder, int format, std::string_view operation) {
  std::filesystem::create_directories(folder);
  const bool is_v3 = format == 3;
  const std::string_view text =
      is_v3 ? "{\n  \"attributes\": {},\n  \"zarr_format\": 3,\n  \"node_type\": \"group\"\n}"
            : "{\n    \"zarr_format\": 2\n}";
  const std::string path = (folder / (is_v3 ? "zarr.json" : ".zgroup")).string();
  AtomicFile file(path, Overwrite::replace, operation);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

/// The groups between the root and an array, outermost first. Example: "a/b" of "a/b/c" comes behind "a".
std::vector<std::string> groups_of(const std::string& name) {
  std::vector<std::string> groups;
  for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
    groups.push_back(name.substr(0, at));
  }
  return groups;
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
                                          int format, std::string_view operation) {
  if (names.size() == 1 && names[0].empty()) return {root};
  for (const std::string& name : names) check_array_name(name, operation);
  const std::filesystem::path folder(root);
  write_group(folder, format, operation);
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    for (const std::string& group : groups_of(name)) write_group(folder / group, format, operation);
    folders.push_back((folder / name).string());
  }
  return folders;
}

}  // namespace tenstride::io
