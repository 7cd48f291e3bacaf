// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/dataset.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/hdf5/libhdf5_object_names.hpp"
#include "io/hdf5/superblock.hpp"

namespace tenstride::io {

/// What the metadata say of one dataset; of a compound, of each field. What cannot be read is its obstacle.
/// `objects`: for the names of axes; null: without these.
std::vector<Hdf5Dataset> read_hdf5_dataset(hid_t group, const char* link, const std::string& name,
                                           const Hdf5Input& input, Hdf5ObjectNames* objects);

/// The filters of a dataset by its properties, or why they cannot be read, as the end of "must …".
std::optional<std::string> read_hdf5_filters(hid_t properties, std::vector<Hdf5Filter>& filters);
/// Why libhdf5 cannot decode what they make.
std::optional<std::string> obstacle_of_filters(const std::vector<Hdf5Filter>& filters);

/// Why a virtual dataset cannot be read, as the end of "must …": libhdf5 would give the fill value for what
/// stands in a file or a dataset that is missing. `path`: the file that has the dataset.
std::optional<std::string> obstacle_of_virtual_dataset(hid_t properties, const std::string& path);

/// The file that has an object, as it was opened.
std::string hdf5_file_of(hid_t object);

/// What the metadata say of the dataset or the field of this name, from the group on, but for its axes.
Hdf5Dataset find_hdf5_dataset(hid_t group, const std::string& name, const Hdf5Input& input);
/// The same from the root on.
Hdf5Dataset find_hdf5_dataset(const Hdf5Input& input, const std::string& name, std::string_view operation);

/// Calls `take` with a line of JSON for each dataset, in the order of names, and before for each group with
/// attributes. Links of all kinds are followed, and a dataset stands under each name that leads to it; a
/// group within itself is not entered again. A link that leads nowhere is a dataset with an obstacle. Throws
/// FileError, and what `take` throws.
void visit_hdf5_objects(const Hdf5Input& input, std::string_view operation,
                        const std::function<void(const std::string&)>& take);

}  // namespace tenstride::io
