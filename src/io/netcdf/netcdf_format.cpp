// SPDX-License-Identifier: Apache-2.0
// Classic netCDF files. netCDF-4 files are HDF5.
#include <algorithm>

#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/format/scaling.hpp"
#include "io/input.hpp"
#include "io/netcdf/attributes.hpp"
#include "io/netcdf/header.hpp"
#include "io/netcdf/new_file.hpp"
#include "io/netcdf/record_source.hpp"
#include "io/netcdf/types.hpp"
#include "io/plan/default_chunk.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

void set_axes(FileInfo& info, const NetcdfHeader& header, const NetcdfVariable& variable) {
  Dims shape;
  for (const std::size_t number : variable.dimensions) {
    const NetcdfDimension& dimension = header.dimensions[number];
    shape.push_back(dimension.is_record ? header.records : dimension.length);
    info.axis_names.push_back(dimension.name);
  }
  info.layout = row_major(shape);
  if (variable.has_records) info.further.unlimited_axes = {0};
}

/// Where records lie a whole number of elements apart that is the first axis's stride; elsewhere they are
/// read by a source of their own.
void set_places(FileInfo& info, const NetcdfHeader& header, const NetcdfVariable& variable) {
  const std::size_t item = item_size(info.dtype);
  info.is_byte_swapped = is_netcdf_swapped && item > 1;
  if (numel(info.layout) == 0) return;
  info.data_begin = variable.begin;
  if (!variable.has_records || header.records == 1 || header.record_pitch == variable.nbytes) return;
  if (header.record_pitch % item == 0) {
    info.layout.strides[0] = static_cast<Index>(header.record_pitch / item);
  } else {
    info.storage = ElementStorage::chunked;
    info.data_begin = 0;
    info.chunk = last_axes_chunk(info.layout.shape, static_cast<Index>(item));
  }
}

void set_attributes(FileInfo& info, const NetcdfVariable& variable) {
  const std::optional<DType> dtype = netcdf_dtype(variable.type);
  NetcdfAttributeTexts attributes = read_netcdf_attributes(variable.attributes, dtype);
  info.attributes = std::move(attributes.values);
  info.further.attribute_types = std::move(attributes.types);
  info.further.unread_attributes = std::move(attributes.unread);
  take_scaling_of_attributes(info);
  const auto is_fill = [](const NetcdfAttribute& attribute) { return attribute.name == "_FillValue"; };
  const bool has_fill = std::any_of(variable.attributes.begin(), variable.attributes.end(), is_fill);
  // Of single bytes all are data.
  if (dtype && item_size(*dtype) > 1 && !has_fill) info.default_fill = netcdf_fill(*dtype);
}

FileInfo info_of(const NetcdfHeader& header, const NetcdfVariable& variable) {
  FileInfo info;
  info.format = message("netCDF, CDF-", header.version);
  info.name = variable.name;
  const std::optional<DType> dtype = netcdf_dtype(variable.type);
  if (!dtype) info.obstacle = "have elements of a type that tenstride has, not characters (text)";
  info.dtype = dtype.value_or(DType::uint8);
  if (variable.dimensions.size() > max_rank) {
    info.obstacle = message("have at most ", max_rank, " axes, not ", variable.dimensions.size());
    return info;
  }
  set_axes(info, header, variable);
  set_places(info, header, variable);
  set_attributes(info, variable);
  return info;
}

std::vector<FileInfo> list_netcdf(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  const NetcdfHeader header = parse_netcdf_header(bytes_of(file), path, operation);
  NetcdfAttributeTexts global = read_netcdf_attributes(header.attributes, std::nullopt);
  std::vector<std::shared_ptr<const FileGroup>> groups;
  if (!global.values.empty() || !global.unread.empty()) {
    groups.push_back(std::make_shared<const FileGroup>(
        FileGroup{"", std::move(global.values), std::move(global.types), std::move(global.unread)}));
  }
  std::vector<FileInfo> tensors;
  for (const NetcdfVariable& variable : header.variables) {
    tensors.push_back(info_of(header, variable));
    tensors.back().further.groups = groups;
  }
  return tensors;
}

std::unique_ptr<ChunkSource> netcdf_chunks(const FileInfo& info, std::string_view operation) {
  const Storage file = map_input(info.path, operation);
  const NetcdfHeader header = parse_netcdf_header(bytes_of(file), info.path, operation);
  for (const NetcdfVariable& variable : header.variables) {
    if (variable.name != info.name) continue;
    const FileInfo found = info_of(header, variable);
    if (found.dtype != info.dtype || found.layout != info.layout) break;
    return std::make_unique<NetcdfRecordSource>(info, variable.begin, header.record_pitch, operation);
  }
  throw FileError(message(operation, ": \"", info.path, "\" must stay as it is while it is read; \"",
                          info.name, "\" has changed"),
                  info.path);
}

}  // namespace

const FileFormat netcdf_format{.kind = FileKind::netcdf,
                               .name = "netCDF-3",
                               .description = "a classic netCDF file",
                               .suffixes = {".cdf", ".nc3"},
                               .names = TensorNames::required,
                               .facts = TensorFacts::both,
                               .has_groups = true,
                               .usual_name = "data",
                               .is_kind_of = is_netcdf,
                               .list = list_netcdf,
                               .chunks = netcdf_chunks,
                               .plan_flat = plan_netcdf};

}  // namespace tenstride::io
