// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>

#include "io/hdf5/dataset.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_object_names.hpp"

namespace tenstride::io {
namespace {

constexpr std::string_view bare_dimension_name = "This is a netCDF dimension but not a netCDF variable.";

/// The names of the first scale of each dimension. A list of references for each dimension, as HDF5 keeps
/// them.
std::vector<std::string> scale_names(hid_t object, std::size_t rank, Hdf5ObjectNames& objects) {
  std::vector<std::string> names;
  if (H5Aexists(object, "DIMENSION_LIST") <= 0) return names;
  const Hdf5Id attribute(H5Aopen(object, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
  if (!attribute.is_open()) return names;
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
  if (!space.is_open() || !type.is_open() || H5Tget_class(type.get()) != H5T_VLEN) return names;
  const Hdf5Id part(H5Tget_super(type.get()), H5Tclose);
  if (!part.is_open() || H5Tequal(part.get(), H5T_STD_REF_OBJ) <= 0) return names;
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(rank)) return names;
  const Hdf5Id memory(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  std::vector<hvl_t> lists(rank);
  if (H5Aread(attribute.get(), memory.get(), lists.data()) < 0) return names;
  names.resize(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (lists[d].len == 0 || lists[d].p == nullptr) continue;
    const Hdf5Id scale(H5Rdereference2(object, H5P_DEFAULT, H5R_OBJECT, lists[d].p), H5Oclose);
    if (scale.is_open()) names[d] = objects.last_name(scale.get());
  }
  H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, lists.data());
  return names;
}

std::vector<std::string> label_names(hid_t object, std::size_t rank) {
  std::vector<std::string> names(rank);
  read_text_list_attribute(object, "DIMENSION_LABELS", names);
  return names;
}

}  // namespace

void read_axis_names(hid_t object, Hdf5Dataset& dataset, Hdf5ObjectNames& objects) {
  const std::size_t rank = dataset.shape.size();
  const bool is_scale = read_text_attribute(object, "CLASS") == "DIMENSION_SCALE";
  if (is_scale) {
    const std::string scale_name = read_text_attribute(object, "NAME").value_or("");
    dataset.is_bare_dimension = scale_name.starts_with(bare_dimension_name);
    const std::vector<std::int64_t> number = read_integer_attribute(object, "_Netcdf4Dimid");
    if (number.size() == 1) dataset.dimension_number = number[0];
    dataset.coordinate_numbers = read_integer_attribute(object, "_Netcdf4Coordinates");
  }
  if (rank == 0) return;
  std::vector<std::string> names = scale_names(object, rank, objects);
  names.resize(rank);
  if (is_scale && rank == 1) names[0] = dataset.name.substr(dataset.name.rfind('/') + 1);
  const std::vector<std::string> labels = label_names(object, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (names[d].empty()) names[d] = labels[d];
  }
  const bool has_names =
      std::any_of(names.begin(), names.end(), [](const auto& name) { return !name.empty(); });
  if (has_names) dataset.axis_names = names;
}

}  // namespace tenstride::io
#endif
