// SPDX-License-Identifier: Apache-2.0
// Virtual datasets, whose elements stand in other datasets. Runs in the child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <cstdlib>
#include <set>

#include "base/message.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

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

/// Why a source cannot be opened; nothing where it can.
std::optional<std::string> obstacle_of_source(const std::string& file, const std::string& dataset,
                                              const std::string& path) {
  std::string reason;
  for (const std::string& candidate : paths_of_source(file, path)) {
    try {
      const Hdf5Input input = open_hdf5(candidate, "open");
      Hdf5ReadFile driven{&input};
      const Hdf5Id opened = open_hdf5_file(driven);
      if (!opened.is_open()) return message("\"", candidate, "\"", driven.reason);
      const Hdf5Id source(H5Dopen2(opened.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
      if (!source.is_open()) return message("\"", candidate, "\" has no such dataset");
      return std::nullopt;
    } catch (const FileError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  return reason;
}

}  // namespace

std::string hdf5_file_of(hid_t object) {
  return text_of([&](char* text, std::size_t nbytes) { return H5Fget_name(object, text, nbytes); });
}

std::optional<std::string> obstacle_of_virtual_dataset(hid_t properties, const std::string& path) {
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
    if (const std::optional<std::string> obstacle = obstacle_of_source(file, dataset, path)) {
      return message("have all sources of its elements, \"", valid_utf8(dataset), "\" of the file \"",
                     valid_utf8(file), "\" cannot be opened (", valid_utf8(*obstacle), ")");
    }
  }
  return std::nullopt;
}

}  // namespace tenstride::io
#endif
