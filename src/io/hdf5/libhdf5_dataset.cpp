// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_dataset.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/filters.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_enumeration.hpp"
#include "io/hdf5/libhdf5_fields.hpp"
#include "io/input.hpp"
#include "io/plan/default_chunk.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// A dataset that is open, with what is asked of it for each of its fields.
struct OpenDataset {
  Hdf5Id id;
  Hdf5Id type;
  Hdf5Id properties;
  std::string path;
  std::uint64_t file_nbytes = 0;
  std::size_t element_nbytes = 0;
  /// Whether the bytes of elements in the file are those that libhdf5 gives.
  bool has_bytes = false;
};

/// A property of a dataset that keeps its elements from being read: "…", as the end of "must …".
using Obstacle = std::optional<std::string>;

Obstacle read_shape(hid_t dataset, Hdf5Dataset& result) {
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  if (!space.is_open()) return "have a shape that libhdf5 can read" + libhdf5_reason();
  const H5S_class_t kind = H5Sget_simple_extent_type(space.get());
  if (kind == H5S_NULL) return "have elements, it is empty (a null dataspace)";
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  std::array<hsize_t, H5S_MAX_RANK> most{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), most.data());
  if (rank < 0) return "have a shape that libhdf5 can read" + libhdf5_reason();
  result.shape = Dims();
  for (const hsize_t extent : std::span(extents).first(static_cast<std::size_t>(rank))) {
    if (extent > static_cast<hsize_t>(INT64_MAX)) return message("have extents below 2^63, not ", extent);
    result.shape.push_back(static_cast<Index>(extent));
  }
  for (std::size_t d = 0; d < result.shape.size(); ++d) {
    if (most[d] == H5S_UNLIMITED) result.further.unlimited_axes.push_back(static_cast<Index>(d));
  }
  return std::nullopt;
}

/// Bytes of so many elements; nothing where they are more than any file can have.
std::optional<std::uint64_t> nbytes_of(const Dims& shape, std::size_t item) {
  std::optional<Index> nbytes = static_cast<Index>(item);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const Index extent : shape) {
    nbytes = nbytes ? try_multiply(*nbytes, extent) : nbytes;
  }
  if (!nbytes) return std::nullopt;
  return static_cast<std::uint64_t>(*nbytes);
}

std::string filter_name(int number, const char* registered) {
  const std::string_view known = hdf5_filter_name(number);
  const std::string text = known.empty() ? valid_utf8(registered) : std::string(known);
  return text.empty() ? message("filter ", number) : text;
}

Obstacle read_chunks(const OpenDataset& open, bool is_whole, Hdf5Dataset& result) {
  const std::size_t rank = result.shape.size() - result.array_rank;
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  if (H5Pget_chunk(open.properties.get(), H5S_MAX_RANK, extents.data()) != static_cast<int>(rank)) {
    return "have chunks of its own rank" + libhdf5_reason();
  }
  Dims chunk;
  for (const hsize_t extent : std::span(extents).first(rank)) {
    if (extent < 1 || extent > max_hdf5_chunk) return message("have chunks of 1 to 2^32-1, not ", extent);
    chunk.push_back(static_cast<Index>(extent));
  }
  const std::optional<std::uint64_t> nbytes = nbytes_of(chunk, open.element_nbytes);
  if (!nbytes || *nbytes > max_hdf5_chunk) {
    return message("have chunks of at most ", max_hdf5_chunk, " bytes, not of ", chunk, " elements");
  }
  for (std::size_t d = rank; d < result.shape.size(); ++d) chunk.push_back(result.shape[d]);
  result.chunk = chunk;
  if (Obstacle obstacle = read_hdf5_filters(open.properties.get(), result.filters)) return obstacle;
  result.is_chunked = true;
#if H5_VERSION_GE(1, 10, 5)
  // A chunk without a byte is told from a missing one by their number alone.
  hsize_t count = 0;
  const Hdf5Id space(H5Dget_space(open.id.get()), H5Sclose);
  if (result.stored_nbytes == 0 && H5Dget_num_chunks(open.id.get(), space.get(), &count) >= 0 && count > 0) {
    return message("have chunks of at least 1 byte, it has ", count, " without any");
  }
#endif
  unsigned options = 0;
  H5Pget_chunk_opts(open.properties.get(), &options);
  const bool is_here = std::all_of(result.filters.begin(), result.filters.end(), is_decoded_here);
  result.storage = is_here && is_whole && options == 0 ? Hdf5Storage::chunks : Hdf5Storage::library;
  return result.storage == Hdf5Storage::chunks ? std::nullopt : obstacle_of_filters(result.filters);
}

/// The strides in elements of a field of a compound; nothing where they are none.
std::optional<Dims> strides_of(const OpenDataset& open, const Hdf5Field& field, const Hdf5Dataset& result) {
  Dims strides = Dims::filled(result.shape.size(), 0);
  const std::size_t rank = result.shape.size() - result.array_rank;
  auto stride = static_cast<Index>(open.element_nbytes);
  for (std::size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<Index>(result.shape[d], 1);
  }
  std::copy(field.strides.begin(), field.strides.end(), strides.begin() + static_cast<std::ptrdiff_t>(rank));
  const auto item = static_cast<Index>(item_size(result.dtype));
  for (Index& bytes : strides) {
    if (bytes % item != 0) return std::nullopt;
    bytes /= item;
  }
  return strides;
}

Obstacle read_contiguous(const OpenDataset& open, const Hdf5Field& field, std::uint64_t nbytes,
                         Hdf5Dataset& result) {
  if (H5Pget_external_count(open.properties.get()) != 0)
    return "have its elements in the file, not in other files";
  const haddr_t begin = H5Dget_offset(open.id.get());
  const bool is_whole = field.members.empty();
  const bool is_plain = open.has_bytes && field.type->is_plain;
  if (nbytes != 0 && begin == HADDR_UNDEF) {
    if (is_whole && is_plain) result.storage = Hdf5Storage::missing;
    return std::nullopt;
  }
  if (nbytes != 0 && (begin > open.file_nbytes || nbytes > open.file_nbytes - begin)) {
    return message("have its ", nbytes, " bytes from byte ", begin, " on, the file has ", open.file_nbytes);
  }
  if (!is_plain || !result.file.empty()) return std::nullopt;
  if (!is_whole) {
    const std::optional<Dims> strides = strides_of(open, field, result);
    const bool is_aligned = (begin + field.begin) % item_size(result.dtype) == 0;
    if (nbytes == 0 || !strides || !is_aligned) return std::nullopt;
    result.strides = *strides;
  }
  result.storage = Hdf5Storage::flat;
  result.begin = nbytes == 0 ? 0 : begin + field.begin;
  result.chunk = Dims();
  return std::nullopt;
}

void read_fill_value(const OpenDataset& open, Hdf5Dataset& result) {
  H5D_fill_value_t state = H5D_FILL_VALUE_UNDEFINED;
  const hid_t properties = open.properties.get();
  if (H5Pfill_value_defined(properties, &state) < 0 || state != H5D_FILL_VALUE_USER_DEFINED) return;
  std::string value(open.element_nbytes, '\0');
  if (H5Pget_fill_value(properties, open.type.get(), value.data()) >= 0) result.fill_value = value;
}

Obstacle read_storage(const OpenDataset& open, const Hdf5Field& field, std::uint64_t nbytes,
                      Hdf5Dataset& result) {
  const H5D_layout_t layout = H5Pget_layout(open.properties.get());
  if (layout == H5D_VIRTUAL) return obstacle_of_virtual_dataset(open.properties.get(), open.path);
  result.stored_nbytes = H5Dget_storage_size(open.id.get());
  // 0 stands for an error, too; then chunks would be taken for missing.
  const std::string reason = result.stored_nbytes == 0 ? libhdf5_reason() : "";
  if (!reason.empty()) return "have an index of its chunks that can be read" + reason;
  const bool is_whole = field.members.empty() && open.has_bytes && field.type->is_plain;
  if (is_whole) read_fill_value(open, result);
  switch (layout) {
    case H5D_COMPACT:
      if (result.stored_nbytes == nbytes) return std::nullopt;
      return message("have its ", nbytes, " bytes in its header, not ", result.stored_nbytes);
    case H5D_CONTIGUOUS:
      return read_contiguous(open, field, nbytes, result);
    case H5D_CHUNKED:
      return read_chunks(open, is_whole, result);
    default:
      return "have a layout that libhdf5 can read" + libhdf5_reason();
  }
}

Obstacle read_field(const OpenDataset& open, const Hdf5Field& field, Hdf5Dataset& result) {
  if (!field.type) return field.obstacle;
  result.dtype = field.type->dtype;
  result.byte_order = field.type->is_plain ? field.type->byte_order : ByteOrder::native;
  const std::size_t rank = result.shape.size() + field.axes.size();
  if (rank > H5S_MAX_RANK) return message("have at most ", H5S_MAX_RANK, " axes, not ", rank);
  const std::optional<std::uint64_t> nbytes = nbytes_of(result.shape, open.element_nbytes);
  if (!nbytes) {
    const std::string text = message("have fewer than 2^63 bytes, not ", result.shape, " elements");
    result.shape = Dims();  // so that nobody multiplies
    result.further.unlimited_axes = Dims();
    result.axis_names.clear();
    return text;
  }
  for (const Index extent : field.axes) result.shape.push_back(extent);
  if (!result.axis_names.empty()) result.axis_names.resize(rank);
  result.array_rank = field.axes.size();
  result.chunk =
      last_axes_chunk(result.shape, static_cast<Index>(item_size(result.dtype)), result.array_rank);
  return read_storage(open, field, *nbytes, result);
}

/// What is the same for all fields.
Obstacle open_dataset(hid_t group, const char* link, const Hdf5Input& input, OpenDataset& open,
                      Hdf5Dataset& result) {
  open.id = Hdf5Id(H5Dopen2(group, link, H5P_DEFAULT), H5Dclose);
  if (!open.id.is_open()) return "have metadata that libhdf5 can read" + libhdf5_reason();
  open.path = hdf5_file_of(open.id.get());
  if (open.path != input.path) result.file = open.path;
  open.file_nbytes = result.file.empty() ? input.nbytes : input_size(open.path, "info");
  if (Obstacle obstacle = read_shape(open.id.get(), result)) return obstacle;
  open.type = Hdf5Id(H5Dget_type(open.id.get()), H5Tclose);
  if (!open.type.is_open()) return "have a type that libhdf5 can read" + libhdf5_reason();
  open.element_nbytes = H5Tget_size(open.type.get());
  open.has_bytes = !has_variable_parts(open.type.get());
  open.properties = Hdf5Id(H5Dget_create_plist(open.id.get()), H5Pclose);
  if (!open.properties.is_open()) return "have properties that libhdf5 can read" + libhdf5_reason();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_hdf5_filters(hid_t properties, std::vector<Hdf5Filter>& filters) {
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    std::array<unsigned, 64> values{};
    std::size_t value_count = values.size();
    std::array<char, 256> name{};
    unsigned flags = 0;
    unsigned config = 0;
    const H5Z_filter_t number = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &value_count,
                                               values.data(), name.size() - 1, name.data(), &config);
    if (number < 0) return "have filters that libhdf5 can read" + libhdf5_reason();
    value_count = std::min(value_count, values.size());
    filters.push_back({number,
                       filter_name(number, name.data()),
                       {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(value_count)}});
  }
  return std::nullopt;
}

std::optional<std::string> obstacle_of_filters(const std::vector<Hdf5Filter>& filters) {
  for (const Hdf5Filter& filter : filters) {
    const std::string obstacle = obstacle_of_filter(filter, H5Zfilter_avail(filter.number) > 0);
    if (!obstacle.empty()) return obstacle;
  }
  return std::nullopt;
}

std::vector<Hdf5Dataset> read_hdf5_dataset(hid_t group, const char* link, const std::string& name,
                                           const Hdf5Input& input, Hdf5ObjectNames* objects) {
  Hdf5Dataset whole;
  whole.name = name;
  OpenDataset open;
  const Obstacle obstacle = open_dataset(group, link, input, open, whole);
  whole.obstacle = obstacle.value_or("");
  if (!open.id.is_open()) return {whole};
  if (objects != nullptr) read_axis_names(open.id.get(), whole, *objects);
  const std::vector<Hdf5Field> fields =
      obstacle ? std::vector<Hdf5Field>(1) : fields_of_hdf5_type(open.type.get());
  const bool is_compound = !fields[0].name.empty();
  std::vector<Hdf5Dataset> result;
  Hdf5Attributes attributes;
  for (const Hdf5Field& field : fields) {
    Hdf5Dataset& dataset = result.emplace_back(whole);
    if (is_compound) {
      dataset.compound = name;
      dataset.name += "." + field.name;
    }
    if (!obstacle) dataset.obstacle = read_field(open, field, dataset).value_or("");
    if (!is_compound || result.size() == 1) {
      attributes = read_attributes(open.id.get(), is_compound ? std::nullopt : std::optional(dataset.dtype));
    }
    dataset.attributes = with_enumeration(attributes.values, field.enumeration);
    dataset.further.attribute_types = attributes.types;
    dataset.further.unread_attributes = attributes.unread;
  }
  return result;
}

}  // namespace tenstride::io
#endif
