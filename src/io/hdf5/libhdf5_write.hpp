// SPDX-License-Identifier: Apache-2.0
// Making groups, datasets, attributes and scales. The lock must be held.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/codec.hpp"
#include "io/hdf5/libhdf5.hpp"
#include "tenstride/base/dims.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// How the elements of a new dataset are kept. Without chunks: in one place, which is not allocated yet.
struct Hdf5Layout {
  Dims chunk;
  std::optional<Hdf5Codec> codec;
};

/// Makes a dataset for each tensor, with its groups, attributes and names of axes; no element is written.
/// Throws ValueError and TypeError for what HDF5 cannot hold, RuntimeError where libhdf5 fails. Pre: as many
/// layouts as tensors.
std::vector<Hdf5Id> create_hdf5_datasets(hid_t file, const std::vector<NewTensor>& tensors,
                                         const std::vector<Hdf5Layout>& layouts, std::string_view operation);

/// Checks what needs no file: types, names, and that there is no shape that HDF5 cannot hold.
void check_hdf5_tensors(const std::vector<NewTensor>& tensors, std::string_view operation);

/// Makes the groups that have attributes, with these. Pre: tensors say the same of a group.
void write_hdf5_groups(hid_t file, const std::vector<NewTensor>& tensors, std::string_view operation);

/// The properties of links for names with groups, and for a scale that many datasets have.
Hdf5Id link_hdf5_properties();

/// Writes a JSON object as attributes, of the types that `further.attribute_types` says; others of the usual
/// one: whole numbers as int32 where they fit, else int64, other numbers as
/// float64, texts as texts of any length, arrays of one of these; true and false as int8; "_FillValue" and
/// "missing_value" as elements of the dataset. Others are written as the text of their JSON; null is left
/// out. The names of an enumeration are in its type.
void write_hdf5_attributes(hid_t dataset, const NewTensor& tensor, std::string_view operation);

/// Gives the axes of the datasets their names, as scales of dimensions, which netCDF-4, h5py and xarray read.
/// A tensor of one axis that is called as its axis is the scale itself; other scales are empty datasets in
/// the root group, as netCDF-4 has them for dimensions without a variable. Example: tensors t2m
/// (time,lat,lon) and lat (lat) make the scales "time" and "lon".
void write_hdf5_axis_names(hid_t file, const std::vector<NewTensor>& tensors,
                           const std::vector<Hdf5Id>& datasets, std::string_view operation);

/// Writes a text of a fixed length, and one of any length.
bool write_fixed_text(hid_t object, const char* name, const std::string& text);
bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts, hid_t space);

/// Throws RuntimeError with what libhdf5 says.
[[noreturn]] void refuse_creation(std::string_view operation, std::string_view what, std::string_view name);

}  // namespace tenstride::io
