// SPDX-License-Identifier: Apache-2.0
// What a user does with a file of any format: list, open, load, save again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/support.hpp"
#include "support/scratch.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::fuzz {

/// Where the files of the process lie. Each input writes them anew.
inline const testing::Scratch& scratch() {
  static const testing::Scratch folder;
  return folder;
}

/// Larger tensors are listed, but not read.
inline constexpr std::size_t max_nbytes = std::size_t{1} << 16;

inline bool is_small(const io::FileInfo& info) {
  const auto max_elements = static_cast<Index>(max_nbytes / item_size(info.dtype));
  return numel(info.layout) <= max_elements && count_elements(info.chunk) <= max_elements;
}

/// What every header promises.
inline void check_info(const io::FileInfo& info) {
  require(info.axis_names.empty() || info.axis_names.size() == info.layout.shape.size(),
          "a name for each axis or none");
  require(info.attributes.empty() || nlohmann::json::accept(io::strict_json(info.attributes)),
          "attributes are JSON");
  if (info.storage == io::ElementStorage::flat && info.obstacle.empty() && numel(info.layout) > 0) {
    require(info.data_begin <= info.file_nbytes, "flat elements begin within the file");
    const std::uint64_t max_elements = (info.file_nbytes - info.data_begin) / item_size(info.dtype);
    require(static_cast<std::uint64_t>(numel(info.layout)) <= max_elements,
            "flat elements lie within the file");
  }
}

/// Lists all tensors of a file and loads the small ones. What is loaded must be what the header says, and the
/// same mapped, in memory, and read for its checksum.
inline std::vector<io::NamedTensor> load_all(const std::string& path) {
  std::vector<io::NamedTensor> tensors;
  const auto infos = accepted([&] { return io::list_tensors(path + "::*"); });
  if (!infos) return tensors;
  require(!infos->empty(), "a file that is listed has a tensor");
  for (const io::FileInfo& info : *infos) {
    check_info(info);
    if (!info.obstacle.empty() || !is_small(info)) continue;
    const auto loaded = accepted([&] { return io::load_tensor_file(info); });
    if (!loaded) continue;
    require(loaded->dtype() == info.dtype, "the tensor has the type of the header");
    require(loaded->layout().shape == info.layout.shape, "the tensor has the shape of the header");
    const Checksum sum = checksum(*loaded);
    require(sum == checksum(io::open_tensor_file(info)), "opened and loaded elements are the same");
    // Of one in eight: to plan it takes most of the time.
    require(sum.words[0] % 8 != 0 || sum == io::checksum_file(info),
            "the checksum of the file is that of its elements");
    tensors.push_back({info.name, *loaded, info.axis_names, info.attributes});
  }
  return tensors;
}

/// Saves tensors in a new file, unless its format refuses them, and reads them back equal.
inline void check_saved(const std::string& suffix, const std::vector<io::NamedTensor>& tensors,
                        const io::SaveTensorsOptions& options = {}) {
  if (tensors.empty()) return;
  const std::string path = scratch().path("saved" + suffix);
  std::filesystem::remove_all(path);
  const auto saved = accepted([&] {
    io::save_tensor_file(path, tensors, options);
    return true;
  });
  if (!saved) return;
  const std::vector<io::FileInfo> infos = io::list_tensors(path);
  require(infos.size() == tensors.size(), "a saved file has the tensors that it was given");
  for (const io::NamedTensor& tensor : tensors) {
    const io::FileInfo* found = &infos.front();
    for (const io::FileInfo& info : infos) {
      if (info.name == tensor.name) found = &info;
    }
    require(tensors.size() == 1 || found->name == tensor.name, "a saved tensor has its name");
    require(found->dtype == tensor.tensor.dtype(), "a saved tensor has its type");
    require(found->layout.shape == tensor.tensor.layout().shape, "a saved tensor has its shape");
    require(checksum(io::load_tensor_file(*found)) == checksum(tensor.tensor),
            "a saved tensor has its elements");
  }
}

}  // namespace tenstride::fuzz
