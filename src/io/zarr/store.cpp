// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/store.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "files/system_reason.hpp"
#include "io/input.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;

using ZarrMembers = std::map<std::string, ZipMember, std::less<>>;

constexpr std::array<std::string_view, 5> metadata_names{"zarr.json", ".zarray", ".zgroup", ".zattrs",
                                                         ".zmetadata"};

bool is_metadata_name(std::string_view file_name) {
  return std::find(metadata_names.begin(), metadata_names.end(), file_name) != metadata_names.end();
}

/// Whether an array or a group lies in a folder, whose name is empty or ends with a slash.
bool has_root(const ZarrMembers& members, const std::string& folder) {
  return std::any_of(metadata_names.begin(), metadata_names.begin() + 3,
                     [&](std::string_view name) { return members.contains(folder + std::string(name)); });
}

/// The folder that the root of an archive is, "" or "x.zarr/"; nothing where there is no root.
std::optional<std::string> find_root(const ZarrMembers& members) {
  if (has_root(members, "")) return "";
  if (members.empty()) return std::nullopt;
  const std::string& first = members.begin()->first;
  const std::string folder = first.substr(0, first.find('/') + 1);
  const bool is_in_it = std::all_of(members.begin(), members.end(),
                                    [&](const auto& member) { return member.first.starts_with(folder); });
  return !folder.empty() && is_in_it && has_root(members, folder) ? std::optional(folder) : std::nullopt;
}

ZarrMembers members_of(const std::string& path) {
  const Storage file = map_input(path, "zarr");
  ZarrMembers members;
  for (ZipMember& member : read_zip_members(bytes_of(file), path, "zarr", RepeatedNames::last_counts)) {
    if (!member.name.ends_with('/')) members.insert_or_assign(member.name, std::move(member));
  }
  return members;
}

std::string with_slash(const std::string& folder) {
  return folder.empty() ? "" : folder + '/';
}

}  // namespace

ZarrStore::ZarrStore(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    folder_ = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_.is_open() || errno == ENOENT || errno == ENOTDIR) return;
    refuse_zarr(path, "must be a folder that can be opened", system_reason(errno));
  }
  ZarrMembers all = members_of(path);
  const std::string root = find_root(all).value_or("");
  members_.emplace();
  for (auto& [name, member] : all) members_->emplace(name.substr(root.size()), std::move(member));
}

std::string ZarrStore::path_of(const std::string& name) const {
  return name.empty() ? path_ : zarr_file(path_, name);
}

std::optional<InputFile> ZarrStore::open(const std::string& name) const {
  if (!members_) return folder_.is_open() ? open_input(folder_.get(), name, path_of(name)) : std::nullopt;
  const auto found = members_->find(name);
  if (found == members_->end()) return std::nullopt;
  const ZipMember& member = found->second;
  if (!member.obstacle.empty()) refuse_zarr(path_of(name), "must ", member.obstacle);
  InputFile input;
  input.crc = member.crc;
  if (member.is_deflated) {
    input.archive = path_;
    input.deflated = {member.data_begin, member.stored_nbytes, member.nbytes, member.crc};
  } else if (std::optional<InputFile> archive = open_input(AT_FDCWD, path_, path_)) {
    input.file = std::move(archive->file);
  } else {
    refuse_zarr(path_, "must be a file that can be opened, and is gone");
  }
  input.begin = member.data_begin;
  input.nbytes = member.nbytes;
  return input;
}

std::optional<std::string> ZarrStore::read_text(const std::string& name) const {
  const std::optional<InputFile> input = open(name);
  return input ? std::optional(read_text_of(*input, max_zarr_metadata, path_of(name))) : std::nullopt;
}

std::vector<std::string> ZarrStore::folders_in(const std::string& name, std::size_t& entries,
                                               std::size_t max_entries) const {
  const auto count = [&] {
    if (++entries > max_entries) {
      refuse_zarr(path_, "must have at most ", max_entries, " entries in its groups");
    }
  };
  std::vector<std::string> names;
  if (members_) {
    const std::string folder = with_slash(name);
    for (auto member = members_->lower_bound(folder);
         member != members_->end() && member->first.starts_with(folder);) {
      count();
      const std::size_t slash = member->first.find('/', folder.size());
      if (slash == std::string::npos) {
        ++member;
        continue;
      }
      names.push_back(member->first.substr(folder.size(), slash - folder.size()));
      constexpr char behind_slash = '/' + 1;
      member = members_->lower_bound(member->first.substr(0, slash) + behind_slash);
    }
    return names;
  }
  std::error_code error;
  fs::directory_iterator entry(path_of(name), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    count();
    std::error_code gone;
    if (entry->symlink_status(gone).type() == fs::file_type::directory) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (error) refuse_zarr(path_of(name), "must be a folder that can be listed", system_reason(error.value()));
  return names;
}

std::uint64_t ZarrStore::stored_nbytes(const std::string& name) const {
  std::uint64_t sum = 0;
  if (members_) {
    const std::string folder = with_slash(name);
    for (auto member = members_->lower_bound(folder);
         member != members_->end() && member->first.starts_with(folder); ++member) {
      const std::string_view path = member->first;
      if (!is_metadata_name(path.substr(path.rfind('/') + 1))) sum += member->second.stored_nbytes;
    }
    return sum;
  }
  std::error_code error;
  fs::recursive_directory_iterator entry(path_of(name), error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    std::error_code gone;
    if (file.starts_with('.') || is_metadata_name(file) || !entry->is_regular_file(gone)) continue;
    const std::uintmax_t nbytes = entry->file_size(gone);
    if (!gone) sum += nbytes;
  }
  if (error) refuse_zarr(path_of(name), "must be a folder that can be listed", system_reason(error.value()));
  return sum;
}

bool is_zarr_archive(const std::string& path) {
  try {
    return find_root(members_of(path)).has_value();
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace tenstride::io
