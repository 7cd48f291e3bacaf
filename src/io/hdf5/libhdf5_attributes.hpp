// SPDX-License-Identifier: Apache-2.0
// Reading attributes. What takes an object runs in the child process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/attribute_limits.hpp"
#include "io/hdf5/libhdf5.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

struct Hdf5Dataset;
class Hdf5ObjectNames;

/// Attributes of a dataset or a group, as `FileInfo` and `FurtherFacts` have them.
struct Hdf5Attributes {
  std::string values;
  std::string types;
  std::string unread;
};

/// The text of an attribute; nothing where there is none, or it is no short text.
std::optional<std::string> read_text_attribute(hid_t object, const char* name);
/// The texts of an attribute that has as many as `texts`; these stay as they are where it has not.
void read_text_list_attribute(hid_t object, const char* name, std::vector<std::string>& texts);
/// The integers of an attribute; empty where there are none.
std::vector<std::int64_t> read_integer_attribute(hid_t object, const char* name);

/// Whether HDF5's dimension scales or netCDF-4 keep an attribute of the name for themselves.
bool is_hdf5_bookkeeping(std::string_view name);

/// Numbers, texts, and arrays of them, nested where they have several axes; those that HDF5 and netCDF-4 use
/// themselves are left out. `elements`: the type of a dataset's.
Hdf5Attributes read_attributes(hid_t object, std::optional<DType> elements);

/// Sets the names of axes from the scales of the dimensions, as netCDF-4 and h5py attach them, or from
/// DIMENSION_LABELS; sets what tells netCDF-4's dimensions.
void read_axis_names(hid_t object, Hdf5Dataset& dataset, Hdf5ObjectNames& objects);

}  // namespace tenstride::io
