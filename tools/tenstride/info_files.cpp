// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "info.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/file_pattern.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {
namespace {

/// A file of the table: its tensors, or why they cannot be told.
struct ListedFile {
  std::string path;
  std::vector<io::FileInfo> tensors{};
  std::string error{};
};

struct Listing {
  std::vector<ListedFile> files;
  /// Files in folders that are of no known kind.
  std::size_t others = 0;
};

/// A folder that is no array, neither by what lies in it nor by its name.
bool is_plain_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) && io::sniff(path) == io::FileKind::unknown &&
         io::kind_of_name(path) == io::FileKind::unknown;
}

ListedFile listed(const std::string& path, const InfoCommand& command) {
  ListedFile file{path};
  try {
    file.tensors = all_tensors(path, command);
  } catch (const Error& error) {
    file.error = error.what();
    // Its line has the path already.
    const std::size_t at = file.error.find('"' + path + "\" ");
    if (at != std::string::npos) file.error.erase(0, at + path.size() + 3);
  }
  return file;
}

/// Whether a file in a folder is one of arrays, by its content or its name.
bool may_hold_arrays(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return !is_plain_folder(path);
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    return io::sniff(path) != io::FileKind::unknown || io::kind_of_name(path) != io::FileKind::unknown;
  } catch (const Error&) {
    return true;  // its line tells what is wrong
  }
}

void list(const std::string& given, const InfoCommand& command, Listing& listing) {
  const io::TensorAddress address = io::parse_address(given);
  const auto named = [&](const std::string& path) {
    return address.names.empty() ? path : path + "::" + address.names;
  };
  if (io::is_file_pattern(address.file)) {
    for (const std::string& path : io::files_of_pattern(address.file)) {
      listing.files.push_back(listed(named(path), command));
    }
  } else if (is_plain_folder(address.file)) {
    for (const std::string& path : io::files_in_folder(address.file)) {
      if (may_hold_arrays(path)) {
        listing.files.push_back(listed(named(path), command));
      } else {
        ++listing.others;
      }
    }
  } else {
    listing.files.push_back(listed(given, command));
  }
}

/// The tensor of a file that holds one.
const io::FileInfo* only_tensor(const ListedFile& file) {
  return file.tensors.size() == 1 ? file.tensors.data() : nullptr;
}

std::vector<std::string> row_of(const ListedFile& file, bool shows_checksum) {
  if (!file.error.empty()) return {file.path, "-", "-", "-", file.error};
  const io::FileInfo& first = file.tensors.front();
  if (only_tensor(file) == nullptr) {
    Index nbytes = 0;
    for (const io::FileInfo& info : file.tensors) nbytes += nbytes_of(info);
    return {file.path, "-", std::to_string(file.tensors.size()) + " tensors", bytes_to_text(nbytes),
            first.format};
  }
  std::vector<std::string> row{file.path, dtype_text(first), to_string(first.layout.shape), size_text(first),
                               first.format};
  if (!first.obstacle.empty()) row.push_back("must " + first.obstacle);
  if (shows_checksum && first.obstacle.empty()) row.push_back(to_string(io::checksum_file(first)));
  return row;
}

/// "(240,512,512) uint16" where the files can stand one on the other.
std::optional<std::string> stack_text(const std::vector<ListedFile>& files) {
  const io::FileInfo* const first = only_tensor(files.front());
  if (first == nullptr || files.size() < 2) return std::nullopt;
  const auto is_like_first = [&](const ListedFile& file) {
    const io::FileInfo* const info = only_tensor(file);
    return info != nullptr && info->obstacle.empty() && info->layout.shape == first->layout.shape &&
           info->dtype == first->dtype;
  };
  if (!std::all_of(files.begin(), files.end(), is_like_first)) return std::nullopt;
  Dims shape{static_cast<Index>(files.size())};
  for (const Index extent : first->layout.shape) shape.push_back(extent);
  return to_string(shape) + ' ' + std::string(name(first->dtype));
}

std::string listing_text(const Listing& listing, const InfoCommand& command) {
  std::vector<std::vector<std::string>> rows;
  Index nbytes = 0;
  for (const ListedFile& file : listing.files) {
    rows.push_back(row_of(file, command.shows_checksum));
    for (const io::FileInfo& info : file.tensors) nbytes += nbytes_of(info);
  }
  std::string text = lay_out(rows) + std::to_string(rows.size()) +
                     (rows.size() == 1 ? " file, " : " files, ") + bytes_to_text(nbytes);
  if (listing.others > 0) text += ", and " + std::to_string(listing.others) + " of no known kind";
  const bool is_pattern =
      command.paths.size() == 1 && io::is_file_pattern(io::parse_address(command.paths[0]).file);
  const std::optional<std::string> stack = is_pattern ? stack_text(listing.files) : std::nullopt;
  if (stack) text += "; convert '" + command.paths[0] + "' makes one tensor of them, " + *stack;
  return text + '\n';
}

Json listing_json(const Listing& listing, const InfoCommand& command) {
  Json files = Json::array();
  for (const ListedFile& file : listing.files) {
    Json json{{"path", file.path}};
    if (file.error.empty()) {
      json["tensors"] = Json::array();
      for (const io::FileInfo& info : file.tensors) {
        json["tensors"].push_back(to_json(info, info.path, command.shows_checksum));
      }
    } else {
      json["error"] = file.error;
    }
    files.push_back(std::move(json));
  }
  return {{"files", std::move(files)}, {"others", listing.others}};
}

}  // namespace

bool means_several_files(const InfoCommand& command) {
  if (command.paths.size() > 1) return true;
  const std::string file = io::parse_address(command.paths.front()).file;
  return io::is_file_pattern(file) || is_plain_folder(file);
}

int run_on_files(const InfoCommand& command) {
  Listing listing;
  for (const std::string& given : command.paths) list(given, command, listing);
  if (listing.files.empty()) {
    throw WorkError("info: \"" + command.paths.front() + "\" must be a folder with files of a known kind (" +
                    io::known_kinds() + "), it has none");
  }
  std::cout << (command.format == Format::json ? to_line(listing_json(listing, command)) + '\n'
                                               : listing_text(listing, command));
  const bool is_whole = std::all_of(listing.files.begin(), listing.files.end(),
                                    [](const ListedFile& file) { return file.error.empty(); });
  return is_whole ? done : failed;
}

}  // namespace tenstride::cli
