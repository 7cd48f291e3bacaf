// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "io/hdf5/dataset.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/hdf5/superblock.hpp"

namespace tenstride::io {

/// What the metadata say of one dataset. What cannot be read is its obstacle.
Hdf5Dataset read_hdf5_dataset(hid_t group, const char* link, const std::string& name, const Hdf5Input& input);

/// What the metadata say of the dataset of this name, from the root on.
Hdf5Dataset find_hdf5_dataset(const Hdf5Input& input, const std::string& name, std::string_view operation);

/// Calls `take` with a line of JSON for each dataset, in the order of names, and before for each group with
/// attributes. Hard links are followed, each group once; soft and external links are not. Throws FileError,
/// and what `take` throws.
void visit_hdf5_objects(const Hdf5Input& input, std::string_view operation,
                        const std::function<void(const std::string&)>& take);

}  // namespace tenstride::io
