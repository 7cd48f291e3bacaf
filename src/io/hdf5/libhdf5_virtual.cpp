// SPDX-License-Identifier: Apache-2.0
// Virtual datasets, whose elements stand in other datasets. Runs in the child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <cstdlib>
#include <set>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Sources may be virtual datasets, too; a file may have been made to lead back to itself.
constexpr std::size_t max_virtual_depth = 8;

/// A text that libhdf5 gives in two calls, the first for its length; empty where it has none.
template <class Get>
std::string text_of(const Get& get) {
  const ssize_t length = get(nullptr, 0);
  if (length <= 0 || static_cast<std::size_t>(length) > max_attribute_nbytes) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(text.data(), text.size());
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// The names under which libhdf5 looks for a source, in its order.
std::vector<std::string> paths_of_source(const std::string& file, const std::string& path) {
  if (file == ".") return {path};
  const std::string last = file.substr(file.rfind('/') + 1);
  const bool is_absolute = file.starts_with('/');
  const std::string name = is_absolute ? last : file;
  std::vector<std::string> paths;
  if (is_absolute) paths.push_back(file);
  const char* const prefixes = std::getenv("HDF5_VDS_PREFIX");
  std::string_view rest = prefixes == nullptr ? "" : prefixes;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find(':'), rest.size());
    paths.push_back(message(rest.substr(0, length), '/', name));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  const std::size_t folder = path.rfind('/');
  if (folder != std::string::npos) paths.push_back(path.substr(0, folder + 1) + name);
  paths.push_back(name);
  return paths;
}

std::optional<std::string> obstacle_of_sources(hid_t properties, const std::string& path, std::size_t depth);

/// Why the elements of a source cannot be read; nothing where they can.
std::optional<std::string> obstacle_of_elements(hid_t source, const std::string& path, std::size_t depth) {
  const Hdf5Id properties(H5Dget_create_plist(source), H5Pclose);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL)
    return obstacle_of_sources(properties.get(), path, depth);
  std::vector<Hdf5Filter> filters;
  if (std::optional<std::string> obstacle = read_hdf5_filters(properties.get(), filters)) return obstacle;
  return obstacle_of_filters(filters);
}

/// Why a source cannot be read; nothing where it can.
std::optional<std::string> obstacle_of_source(const std::string& file, const std::string& dataset,
                                              const std::string& path, std::size_t depth) {
  std::string reason;
  for (const std::string& candidate : paths_of_source(file, path)) {
    try {
      const Hdf5Input input = open_hdf5(candidate, "open");
      Hdf5ReadFile driven{&input};
      const Hdf5Id opened = open_hdf5_file(driven);
      if (!opened.is_open()) return message("\"", candidate, "\"", driven.reason);
      const Hdf5Id source(H5Dopen2(opened.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
      if (!source.is_open()) return message("\"", candidate, "\" has no such dataset");
      const std::optional<std::string> obstacle = obstacle_of_elements(source.get(), candidate, depth);
      return obstacle ? std::optional(message("\"", candidate, "\" must ", *obstacle)) : std::nullopt;
    } catch (const FileError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  return reason;
}

std::optional<std::string> obstacle_of_sources(hid_t properties, const std::string& path, std::size_t depth) {
  if (depth > max_virtual_depth) {
    return message("have at most ", max_virtual_depth, " virtual datasets behind one another");
  }
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0) {
    return "have sources that libhdf5 can read" + libhdf5_reason();
  }
  std::set<std::pair<std::string, std::string>> sources;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = text_of(
        [&](char* text, std::size_t nbytes) { return H5Pget_virtual_filename(properties, i, text, nbytes); });
    const std::string dataset = text_of(
        [&](char* text, std::size_t nbytes) { return H5Pget_virtual_dsetname(properties, i, text, nbytes); });
    // Blocks that are numbered end where the first is missing.
    const bool is_numbered = file.find("%b") != std::string::npos || dataset.find("%b") != std::string::npos;
    if (is_numbered || !sources.insert({file, dataset}).second) continue;
    extend_child(child_seconds(0));  // each may be as long as a file to be listed
    if (const std::optional<std::string> obstacle = obstacle_of_source(file, dataset, path, depth + 1)) {
      return message("have all sources of its elements, \"", valid_utf8(dataset), "\" of the file \"",
                     valid_utf8(file), "\" cannot be read (", valid_utf8(*obstacle), ")");
    }
  }
  return std::nullopt;
}

}  // namespace

std::string hdf5_file_of(hid_t object) {
  return text_of([&](char* text, std::size_t nbytes) { return H5Fget_name(object, text, nbytes); });
}

std::optional<std::string> obstacle_of_virtual_dataset(hid_t properties, const std::string& path) {
  return obstacle_of_sources(properties, path, 0);
}

}  // namespace tenstride::io
#endif
