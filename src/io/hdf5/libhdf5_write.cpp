// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_write.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/hdf5/libhdf5_enumeration.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr unsigned creation_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
/// HDF5 has no more axes.
constexpr std::size_t max_hdf5_rank = 32;

void check_name(const std::string& name, std::string_view operation) {
  std::string_view rest = name;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) {
      throw ValueError(
          message(operation, ": the name \"", name, "\" must be one of groups and a dataset, as group/data"));
    }
    if (part.size() == rest.size()) return;
    rest.remove_prefix(part.size() + 1);
  }
}

Hdf5Id space_of(const NewTensor& tensor, const Hdf5Layout& layout) {
  const Dims& shape = tensor.shape;
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  std::vector<hsize_t> extents;
  std::vector<hsize_t> most;
  for (const Index extent : shape) {
    extents.push_back(static_cast<hsize_t>(extent));
    // A chunk is not longer than an axis may become, and has an element at least.
    most.push_back(extent == 0 ? H5S_UNLIMITED : static_cast<hsize_t>(extent));
  }
  // Only what is in chunks can grow.
  if (!layout.chunk.empty()) {
    for (const Index axis : tensor.further.unlimited_axes)
      most.at(static_cast<std::size_t>(axis)) = H5S_UNLIMITED;
  }
  return {H5Screate_simple(static_cast<int>(shape.size()), extents.data(), most.data()), H5Sclose};
}

Hdf5Id dataset_properties(const NewTensor& tensor, const Hdf5Layout& layout) {
  Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_attr_creation_order(properties.get(), creation_order);
  H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER);
  const bool has_zero = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  std::vector<hsize_t> chunk(layout.chunk.begin(), layout.chunk.end());
  if (chunk.empty() && has_zero) chunk.assign(tensor.shape.size(), 1);
  if (chunk.empty()) {
    H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_LATE);
    return properties;
  }
  H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  if (layout.codec && layout.codec->shuffle == Hdf5Shuffle::yes) H5Pset_shuffle(properties.get());
  if (layout.codec && layout.codec->level > 0) {
    H5Pset_deflate(properties.get(), static_cast<unsigned>(layout.codec->level));
  }
  return properties;
}

}  // namespace

Hdf5Id link_hdf5_properties() {
  Hdf5Id properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(properties.get(), 1);
  H5Pset_char_encoding(properties.get(), H5T_CSET_UTF8);
  return properties;
}

void refuse_creation(std::string_view operation, std::string_view what, std::string_view name) {
  throw RuntimeError(
      message(operation, ": ", what, " \"", name, "\" must be one that libhdf5 can make", libhdf5_reason()));
}

void check_hdf5_tensors(const std::vector<NewTensor>& tensors, std::string_view operation) {
  for (const NewTensor& tensor : tensors) {
    if (tensor.dtype == DType::float8_e4m3fn || tensor.dtype == DType::float8_e5m2) {
      throw TypeError(message(operation, ": HDF5 must be given elements of a type that it has, not ",
                              name(tensor.dtype)));
    }
    check_name(tensor.name, operation);
    if (tensor.shape.size() > max_hdf5_rank) {
      throw ValueError(message(operation, ": a tensor in HDF5 must have at most ", max_hdf5_rank,
                               " axes, not ", tensor.shape.size(), " (\"", tensor.name, "\")"));
    }
    const bool has_names = tensor.axis_names.empty() || tensor.axis_names.size() == tensor.shape.size();
    if (!has_names) {
      throw ValueError(message(operation, ": ", tensor.axis_names.size(),
                               " names of axes must be as many as the ", tensor.shape.size(), " axes of ",
                               tensor.shape));
    }
  }
}

std::vector<Hdf5Id> create_hdf5_datasets(hid_t file, const std::vector<NewTensor>& tensors,
                                         const std::vector<Hdf5Layout>& layouts, std::string_view operation) {
  check_hdf5_tensors(tensors, operation);
  std::vector<Hdf5Id> datasets;
  const Hdf5Id links = link_hdf5_properties();
  write_hdf5_groups(file, tensors, operation);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const NewTensor& tensor = tensors[i];
    const Hdf5Id enumeration = make_hdf5_enumeration(tensor.attributes, tensor.dtype);
    const Hdf5Id number = make_hdf5_datatype(tensor.dtype);
    const Hdf5Id& type = enumeration.is_open() ? enumeration : number;
    const Hdf5Id space = space_of(tensor, layouts[i]);
    const Hdf5Id properties = dataset_properties(tensor, layouts[i]);
    datasets.emplace_back(H5Dcreate2(file, tensor.name.c_str(), type.get(), space.get(), links.get(),
                                     properties.get(), H5P_DEFAULT),
                          H5Dclose);
    if (!datasets.back().is_open()) refuse_creation(operation, "the dataset", tensor.name);
    write_hdf5_attributes(datasets.back().get(), tensor, operation);
  }
  write_hdf5_axis_names(file, tensors, datasets, operation);
  return datasets;
}

}  // namespace tenstride::io
#endif
