// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>

#include "io/format/dimension_table.hpp"
#include "io/hdf5/libhdf5_write.hpp"

namespace tenstride::io {
namespace {

/// An axis of a dataset that has a scale.
struct ScaledAxis {
  std::size_t dataset = 0;
  int axis = 0;
};

struct DimensionScale {
  std::string name;
  Index extent = 0;
  /// Which of the datasets is the scale; nothing where it has no values.
  std::optional<std::size_t> values;
  std::vector<ScaledAxis> axes;
  /// Whether a scale without values is unlimited.
  bool is_unlimited = false;
};

/// Which tensors are scales themselves: of one axis that is called as they are, in the root group.
bool is_coordinate(const NewTensor& tensor) {
  return tensor.shape.size() == 1 && tensor.axis_names.size() == 1 && tensor.axis_names[0] == tensor.name;
}

/// The scales of all axes.
class ScaleTable {
 public:
  explicit ScaleTable(const std::vector<NewTensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      dimensions_.reserve(tensors[i].name.substr(0, tensors[i].name.find('/')));
      if (!is_coordinate(tensors[i])) continue;
      dimensions_.add(tensors[i].name, tensors[i].shape[0]);
      scales_.push_back({tensors[i].name, tensors[i].shape[0], i, {}, false});
    }
  }

  /// The number of the scale.
  std::size_t find(const std::string& axis_name, Index extent) {
    const std::size_t number = dimensions_.find(axis_name, extent);
    if (number == scales_.size())
      scales_.push_back({dimensions_.all()[number].name, extent, std::nullopt, {}, false});
    return number;
  }
  std::vector<DimensionScale>& scales() { return scales_; }

 private:
  std::vector<DimensionScale> scales_;
  DimensionTable dimensions_;
};

/// Where one axis of a file has a name all are dimensions: readers of netCDF would take one without for any
/// other of its extent.
bool has_dimensions(const std::vector<NewTensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const NewTensor& tensor) {
    return std::any_of(tensor.axis_names.begin(), tensor.axis_names.end(),
                       [](const std::string& name) { return !name.empty(); });
  });
}

/// "t2m_axis0" for one without a name.
std::string dimension_name(const NewTensor& tensor, std::size_t axis) {
  const bool has_name = axis < tensor.axis_names.size() && !tensor.axis_names[axis].empty();
  return has_name ? tensor.axis_names[axis] : tensor.name + "_axis" + std::to_string(axis);
}

/// Makes a scale as netCDF-4 makes a dimension without a variable.
Hdf5Id create_bare_scale(hid_t file, const DimensionScale& scale) {
  const auto extent = static_cast<hsize_t>(scale.extent);
  const hsize_t most = scale.is_unlimited ? H5S_UNLIMITED : extent;
  const Hdf5Id space(H5Screate_simple(1, &extent, &most), H5Sclose);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_attr_creation_order(properties.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const hsize_t chunk = std::clamp<hsize_t>(extent, 1, 1024);
  if (scale.is_unlimited) H5Pset_chunk(properties.get(), 1, &chunk);
  Hdf5Id dataset(H5Dcreate2(file, scale.name.c_str(), H5T_IEEE_F32BE, space.get(), links.get(),
                            properties.get(), H5P_DEFAULT),
                 H5Dclose);
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "This is a netCDF dimension but not a netCDF variable.%10lld",
                static_cast<long long>(scale.extent));
  if (dataset.is_open() && (!write_fixed_text(dataset.get(), "CLASS", "DIMENSION_SCALE") ||
                            !write_fixed_text(dataset.get(), "NAME", text.data()))) {
    dataset.reset();
  }
  return dataset;
}

/// Which axes of which datasets have the scale.
bool write_reference_list(hid_t file, hid_t scale, const std::vector<ScaledAxis>& axes,
                          const std::vector<NewTensor>& tensors) {
  struct Entry {
    hobj_ref_t dataset;
    int dimension;
  };
  std::vector<Entry> entries;
  for (const ScaledAxis& axis : axes) {
    entries.push_back({0, axis.axis});
    if (H5Rcreate(&entries.back().dataset, file, tensors[axis.dataset].name.c_str(), H5R_OBJECT, -1) < 0)
      return false;
  }
  const hsize_t count = entries.size();
  const Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Entry)), H5Tclose);
  H5Tinsert(type.get(), "dataset", offsetof(Entry, dataset), H5T_STD_REF_OBJ);
  H5Tinsert(type.get(), "dimension", offsetof(Entry, dimension), H5T_NATIVE_INT);
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Id attribute(
      H5Acreate2(scale, "REFERENCE_LIST", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), entries.data()) >= 0;
}

bool write_dimension_list(hid_t file, hid_t dataset, const std::vector<std::string>& scales) {
  std::vector<hobj_ref_t> references(scales.size());
  std::vector<hvl_t> lists;
  for (std::size_t d = 0; d < scales.size(); ++d) {
    if (H5Rcreate(&references[d], file, scales[d].c_str(), H5R_OBJECT, -1) < 0) return false;
    lists.push_back({1, &references[d]});
  }
  const hsize_t rank = scales.size();
  const Hdf5Id type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  const Hdf5Id space(H5Screate_simple(1, &rank, nullptr), H5Sclose);
  const Hdf5Id attribute(
      H5Acreate2(dataset, "DIMENSION_LIST", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), lists.data()) >= 0;
}

}  // namespace

void write_hdf5_axis_names(hid_t file, const std::vector<NewTensor>& tensors,
                           const std::vector<Hdf5Id>& datasets, std::string_view operation) {
  if (!has_dimensions(tensors)) return;
  ScaleTable table(tensors);
  std::vector<std::vector<std::size_t>> scales_of(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const NewTensor& tensor = tensors[i];
    if (is_coordinate(tensor)) continue;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      const std::size_t number = table.find(dimension_name(tensor, d), tensor.shape[d]);
      table.scales()[number].axes.push_back({i, static_cast<int>(d)});
      const Dims& unlimited = tensor.further.unlimited_axes;
      const bool is_unlimited =
          std::find(unlimited.begin(), unlimited.end(), static_cast<Index>(d)) != unlimited.end();
      if (is_unlimited) table.scales()[number].is_unlimited = true;
      scales_of[i].push_back(number);
    }
  }
  for (const DimensionScale& scale : table.scales()) {
    const Hdf5Id bare = scale.values ? Hdf5Id() : create_bare_scale(file, scale);
    const hid_t dataset = scale.values ? datasets[*scale.values].get() : bare.get();
    bool is_written = dataset >= 0;
    if (is_written && scale.values) {
      is_written = write_fixed_text(dataset, "CLASS", "DIMENSION_SCALE") &&
                   write_fixed_text(dataset, "NAME", scale.name);
    }
    if (is_written && !scale.axes.empty())
      is_written = write_reference_list(file, dataset, scale.axes, tensors);
    if (!is_written) refuse_creation(operation, "the dimension", scale.name);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::vector<std::string> names;
    for (const std::size_t number : scales_of[i]) names.push_back(table.scales()[number].name);
    if (!names.empty() && !write_dimension_list(file, datasets[i].get(), names)) {
      refuse_creation(operation, "the names of the axes of", tensors[i].name);
    }
  }
}

}  // namespace tenstride::io
#endif
