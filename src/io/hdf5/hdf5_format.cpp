// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/format/known_formats.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/format/scaling.hpp"
#include "io/hdf5/copy_objects.hpp"
#include "io/hdf5/hdf5_sink.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/superblock.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

bool is_hdf5(const FileStart& start) {
  return find_hdf5_signature(start.bytes).has_value();
}

/// The element that netCDF-4 has set for what is not written; nothing of single bytes, all of which are data.
std::optional<Scalar> default_fill_of(const Hdf5Dataset& dataset) {
  const std::optional<Scalar> fill = netcdf_fill(dataset.dtype);
  const std::size_t item = item_size(dataset.dtype);
  if (!fill || item == 1 || dataset.fill_value.size() != item) return std::nullopt;
  const std::string bytes = visit(dataset.dtype, [&]<class T>(std::type_identity<T>) {
    std::string result(sizeof(T), '\0');
    store_element(result.data(), fill->to<T>());
    return result;
  });
  std::string stored = dataset.fill_value;
  if (dataset.byte_order == ByteOrder::swapped) std::reverse(stored.begin(), stored.end());
  return stored == bytes ? fill : std::nullopt;
}

FileInfo hdf5_info(Hdf5Dataset dataset, const std::string& path) {
  FileInfo info;
  info.format = "HDF5";
  info.path = path;
  info.name = std::move(dataset.name);
  info.dtype = dataset.dtype;
  info.layout = row_major(dataset.shape);
  if (!dataset.strides.empty()) info.layout.strides = dataset.strides;
  if (!dataset.compound.empty()) info.format = hdf5_field_format;
  info.is_byte_swapped = dataset.byte_order == ByteOrder::swapped;
  info.codec = hdf5_codec_text(dataset);
  info.axis_names = std::move(dataset.axis_names);
  info.attributes = std::move(dataset.attributes);
  info.further = std::move(dataset.further);
  take_scaling_of_attributes(info);
  info.default_fill = default_fill_of(dataset);
  info.obstacle = std::move(dataset.obstacle);
  if (dataset.storage == Hdf5Storage::flat) {
    info.data_begin = dataset.begin;
  } else {
    info.storage = ElementStorage::chunked;
    info.chunk = dataset.chunk;
  }
  return info;
}

std::vector<FileInfo> list_hdf5(const std::string& path, std::string_view operation) {
  std::vector<FileInfo> tensors;
  for (Hdf5Dataset& dataset : list_hdf5_datasets(path, operation)) {
    tensors.push_back(hdf5_info(std::move(dataset), path));
  }
  return tensors;
}

std::unique_ptr<ChunkSource> hdf5_chunks(const FileInfo& info, std::string_view operation) {
  return open_hdf5_source(info.path, info.name, operation);
}

#ifdef TENSTRIDE_HAS_HDF5
std::string obstacle_to_copy_to_hdf5(const FileInfo& info, const ChunkOptions& /*options*/) {
  return obstacle_to_copy_of_object(info);
}
#endif

}  // namespace

const FileFormat hdf5_format{.kind = FileKind::hdf5,
                             .name = "HDF5",
                             .description = "an HDF5 or netCDF-4 file",
                             .suffixes = {".h5", ".hdf5", ".h5ad", ".nc", ".nc4"},
                             .names = TensorNames::required,
                             .facts = TensorFacts::both,
                             .has_groups = true,
                             .has_unlimited_axes = true,
                             .usual_name = "data",
#ifndef TENSTRIDE_HAS_HDF5
                             .is_read = false,
#endif
                             .is_kind_of = is_hdf5,
                             .list = list_hdf5,
                             .chunks = hdf5_chunks,
                             .keep_written = write_time_units,
#ifdef TENSTRIDE_HAS_HDF5
                             .plan_chunks = plan_hdf5_chunks,
                             .create_chunks = create_hdf5,
                             .obstacle_to_copy = obstacle_to_copy_to_hdf5,
                             .add_as_stored = copy_hdf5_objects,
                             .plan_flat = plan_hdf5
#endif
};

}  // namespace tenstride::io
