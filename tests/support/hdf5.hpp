// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/format/flat_elements.hpp"
#include "io/format/known_formats.hpp"
#include "support/scratch.hpp"
#include "support/test_data.hpp"

namespace tenstride::testing {

/// What h5py or netCDF4 wrote, by name (see data/hdf5_record.py).
inline std::string recorded_hdf5(const std::string& name) {
  static const auto lines = recorded_lines(test_data("hdf5.txt"));
  std::string bytes;
  for (const std::string& word : lines.at(name)) {
    bytes += word[0] == '+' ? std::string(std::stoul(word.substr(1)), '\0') : from_hex(word);
  }
  return bytes;
}

inline std::map<std::string, io::FileInfo> hdf5_infos(const std::string& path) {
  std::map<std::string, io::FileInfo> infos;
  for (io::FileInfo& info : io::hdf5_format.list(path, "info")) {
    const std::string name = info.name;
    infos.emplace(name, std::move(info));
  }
  return infos;
}

inline Tensor load_hdf5(const io::FileInfo& info) {
  if (info.storage == io::ElementStorage::flat) return io::load_flat(info, "load");
  return io::load_chunks(*io::hdf5_format.chunks(info, "load"));
}

}  // namespace tenstride::testing
