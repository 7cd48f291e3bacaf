// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "base/message.hpp"
#include "base/nearest_name.hpp"
#include "io/format/flat_elements.hpp"
#include "io/format/format.hpp"
#include "io/format/stack.hpp"
#include "io/input.hpp"
#include "ledger/watch.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/file_pattern.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

bool is_folder(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool exists(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0;
}

/// The format of a file, or null. `describe` takes the file's start before it is gone.
template <class Describe>
const FileFormat* format_of_file(const std::string& path, std::string_view operation,
                                 const Describe& describe) {
  FileStart start;
  start.path = path;
  if (is_folder(path)) {
    start.is_folder = true;
    const FileFormat* const format = find_format(start);
    describe(start);
    return format;
  }
  const Storage file = map_input(path, operation);
  start.bytes = bytes_of(file).first(std::min(file.nbytes(), start_nbytes));
  start.file_nbytes = file.nbytes();
  const FileFormat* const format = find_format(start);
  describe(start);
  return format;
}

/// The format of a file, or a refusal that says what it is instead.
const FileFormat& require_format(const std::string& path, std::string_view operation) {
  std::string found;
  const FileFormat* const format = format_of_file(path, operation, [&](const FileStart& start) {
    found = start.is_folder ? "it is a folder without such a file"
                            : "it begins with " + describe_start(start.bytes);
  });
  if (format != nullptr) return *format;
  // The format of its name says more exactly what is wrong.
  const FileFormat* const named = find_format_by_suffix(path);
  if (named != nullptr && named->list != nullptr) return *named;
  throw FileError(
      message(operation, ": \"", path, "\" must be a file of a known kind (", known_kinds(), "), ", found),
      path);
}

std::vector<FileInfo> list_all(const std::string& path, std::string_view operation) {
  const FileFormat& format = require_format(path, operation);
  std::vector<FileInfo> tensors = format.list(path, operation);
  if (tensors.empty())
    throw FileError(message(operation, ": \"", path, "\" must hold a tensor, it holds none"), path);
  for (FileInfo& info : tensors) {
    info.kind = format.kind;
    if (info.path.empty()) info.path = path;
    if (!is_folder(info.path)) info.file_nbytes = input_size(info.path, operation);
    info.is_mapped = is_mappable(info);
  }
  return tensors;
}

/// Whether the text has the form of the pattern, in which * stands for any characters and ? for one.
bool has_form(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0;
  // Where the last * began to be tried, and with how much of the text.
  std::size_t star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// "3: a, b, c", at most eight of them by name.
std::string names_of(const std::vector<FileInfo>& tensors) {
  constexpr std::size_t max_named = 8;
  std::string text = message(tensors.size(), ": ");
  for (std::size_t i = 0; i < std::min(tensors.size(), max_named); ++i) {
    text += (i > 0 ? ", " : "") + tensors[i].name;
  }
  return tensors.size() > max_named ? text + ", …" : text;
}

[[noreturn]] void refuse_name(const TensorAddress& address, const std::vector<FileInfo>& tensors,
                              std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(message(operation, ": \"", address.file, "\" ", pieces...), address.file);
  };
  if (tensors.size() == 1 && tensors[0].name.empty()) {
    refuse("holds one tensor, which must be meant without a name, not by \"", address.names, "\"");
  }
  std::vector<std::string> names;
  for (const FileInfo& info : tensors) names.push_back(info.name);
  const std::optional<std::string> nearest = nearest_name(address.names, names);
  throw FileError(
      message(operation, ": \"", address.file, "\" must have a tensor \"", address.names, "\" (it has ",
              names_of(tensors), nearest ? "; did you mean \"" + *nearest + "\"?)" : ")"),
      address.file);
}

}  // namespace

TensorAddress parse_address(const std::string& text) {
  const std::size_t last = text.rfind("::");
  if (last == std::string::npos || exists(text)) return {text, {}};
  // Names of files and of tensors may have colons of their own.
  for (std::size_t at = last; at != std::string::npos && at > 0; at = text.rfind("::", at - 1)) {
    if (exists(text.substr(0, at))) return {text.substr(0, at), text.substr(at + 2)};
  }
  return {text.substr(0, last), text.substr(last + 2)};
}

std::vector<std::string> element_files(const FileInfo& info) {
  if (info.files.empty()) return {info.path};
  std::vector<std::string> files;
  for (const std::string& address : info.files) files.push_back(parse_address(address).file);
  return files;
}

std::string_view name(FileKind kind) {
  return kind == FileKind::unknown ? "unknown" : kind == FileKind::raw ? "raw" : format_of(kind).name;
}

FileKind sniff(const std::string& path) {
  const FileFormat* const format = format_of_file(path, "sniff", [](const FileStart&) {});
  return format == nullptr ? FileKind::unknown : format->kind;
}

std::vector<FileInfo> list_tensors(const std::string& address, std::string_view operation) {
  TensorAddress meant = parse_address(address);
  if (is_file_pattern(meant.file)) return {stack_info(meant, operation)};
  std::vector<FileInfo> all = list_all(meant.file, operation);
  const bool is_alone = all.size() == 1 && all[0].name.empty();
  const bool is_first_meant = !has_tensor_names(all[0].kind);
  if (meant.names.empty() && is_first_meant) {
    all[0].is_first_of_several = all.size() > 1;
    all.resize(1);
  }
  // The only tensor has the name that the first of several has.
  const bool means_first = meant.names == "0" && is_alone && is_first_meant;
  // Names in groups are paths from the root on.
  if (format_of(all[0].kind).has_groups && meant.names.starts_with('/')) meant.names.erase(0, 1);
  if (meant.names.empty() || meant.names == "*" || means_first) return all;
  std::vector<FileInfo> found;
  // A name with a * in it is a name before it is a pattern.
  for (const FileInfo& info : all) {
    if (info.name == meant.names) return {info};
  }
  for (const FileInfo& info : all) {
    if (!info.name.empty() && has_form(info.name, meant.names)) found.push_back(info);
  }
  if (found.empty()) refuse_name(meant, all, operation);
  return found;
}

FileInfo read_file_info(const std::string& address, std::string_view operation) {
  std::vector<FileInfo> found = list_tensors(address, operation);
  if (found.size() == 1) return std::move(found[0]);
  const std::string file = parse_address(address).file;
  throw FileError(message(operation, ": \"", address, "\" must name one tensor, as \"", found[0].address(),
                          "\" does (it names ", names_of(found), ")"),
                  file);
}

void require_readable(const std::vector<FileInfo>& infos, std::string_view operation) {
  const auto is_readable = [](const FileInfo& info) { return info.obstacle.empty(); };
  const auto found = std::find_if_not(infos.begin(), infos.end(), is_readable);
  if (found == infos.end()) return;
  const auto other = std::find_if(infos.begin(), infos.end(), is_readable);
  const std::string fix =
      other == infos.end() ? ""
                           : message(" (or name those that can be read, as \"", other->address(), "\" does)");
  throw FileError(message(operation, ": \"", found->address(), "\" must ", found->obstacle, fix),
                  found->path);
}

Tensor open_tensor_file(const FileInfo& info, Caller caller) {
  return is_mappable(info) ? map_flat(info, MapMode::read_only, "open") : load_tensor_file(info, caller);
}

Tensor open_tensor_file(const std::string& address, Caller caller) {
  return open_tensor_file(read_file_info(address, "open"), caller);
}

Tensor map_tensor_file(const FileInfo& info, MapMode mode) {
  require_readable({info}, "map");
  return map_flat(info, mode, "map");
}

Tensor load_tensor_file(const FileInfo& info, Caller caller) {
  require_readable({info}, "load");
  const tenstride::detail::OperationScope scope("load", caller);
  switch (info.storage) {
    case ElementStorage::flat:
      return load_flat(info, "load");
    case ElementStorage::stream:
      return load_stream(info, "load");
    case ElementStorage::chunked:
      return load_chunks(*open_chunks(info, "load"));
    case ElementStorage::encoded:
      break;
  }
  return format_of(info.kind).load(info);
}

std::string known_kinds() {
  std::string text;
  for (const FileFormat* format : file_formats()) {
    if (format->is_kind_of == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += format->name;
  }
  return text;
}

std::vector<FormatSupport> supported_formats() {
  std::vector<FormatSupport> result;
  for (const FileFormat* format : file_formats()) {
    result.push_back({std::string(format->name), format->is_read, is_written(*format)});
  }
  return result;
}

}  // namespace tenstride::io
