// SPDX-License-Identifier: Apache-2.0
// What needs libhdf5, in a build without it, where the sources libhdf5_*.cpp are left out.
#ifndef TENSTRIDE_HAS_HDF5
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

constexpr std::string_view no_libhdf5 = "must be read by libhdf5, which is not part of this build";

}  // namespace

std::vector<Hdf5Dataset> list_hdf5_datasets(const std::string& path, std::string_view operation) {
  refuse_hdf5(operation, path, no_libhdf5);
}

std::unique_ptr<ChunkSource> open_hdf5_source(const std::string& path, const std::string& /*name*/,
                                              std::string_view operation) {
  refuse_hdf5(operation, path, no_libhdf5);
}

}  // namespace tenstride::io
#endif
