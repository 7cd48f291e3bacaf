// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_dataset.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"
#include "io/plan/default_chunk.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

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
  if (number == hdf5_filter::deflate) return "deflate";
  if (number == hdf5_filter::shuffle) return "shuffle";
  if (number == hdf5_filter::fletcher32) return "fletcher32";
  if (number == hdf5_filter::lzf) return "lzf";
  if (number == H5Z_FILTER_SZIP) return "szip";
  if (number == H5Z_FILTER_NBIT) return "nbit";
  if (number == H5Z_FILTER_SCALEOFFSET) return "scaleoffset";
  const std::string text = valid_utf8(registered);
  return text.empty() ? message("filter ", number) : text;
}

Obstacle read_filters(hid_t properties, Hdf5Dataset& result) {
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
    result.filters.push_back({number,
                              filter_name(number, name.data()),
                              {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(value_count)}});
  }
  return std::nullopt;
}

bool is_decoded_here(const Hdf5Filter& filter) {
  const int number = filter.number;
  return number == hdf5_filter::deflate || number == hdf5_filter::shuffle ||
         number == hdf5_filter::fletcher32 || number == hdf5_filter::lzf;
}

Obstacle read_chunks(hid_t dataset, hid_t properties, bool is_plain, Hdf5Dataset& result) {
  const std::size_t rank = result.shape.size();
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  if (H5Pget_chunk(properties, H5S_MAX_RANK, extents.data()) != static_cast<int>(rank)) {
    return "have chunks of its own rank" + libhdf5_reason();
  }
  result.chunk = Dims();
  for (const hsize_t extent : std::span(extents).first(rank)) {
    if (extent < 1 || extent > max_hdf5_chunk) return message("have chunks of 1 to 2^32-1, not ", extent);
    result.chunk.push_back(static_cast<Index>(extent));
  }
  const std::optional<std::uint64_t> nbytes = nbytes_of(result.chunk, item_size(result.dtype));
  if (!nbytes || *nbytes > max_hdf5_chunk) {
    return message("have chunks of at most ", max_hdf5_chunk, " bytes, not of ", result.chunk, " elements");
  }
  if (Obstacle obstacle = read_filters(properties, result)) return obstacle;
  result.is_chunked = true;
#if H5_VERSION_GE(1, 10, 5)
  // A chunk without a byte is told from a missing one by their number alone.
  hsize_t count = 0;
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  if (result.stored_nbytes == 0 && H5Dget_num_chunks(dataset, space.get(), &count) >= 0 && count > 0) {
    return message("have chunks of at least 1 byte, it has ", count, " without any");
  }
#endif
  unsigned options = 0;
  H5Pget_chunk_opts(properties, &options);
  const bool is_here = std::all_of(result.filters.begin(), result.filters.end(), is_decoded_here);
  result.storage = is_here && is_plain && options == 0 ? Hdf5Storage::chunks : Hdf5Storage::library;
  if (result.storage == Hdf5Storage::chunks) return std::nullopt;
  for (const Hdf5Filter& filter : result.filters) {
    if (H5Zfilter_avail(filter.number) <= 0) {
      return message("be compressed by a filter that this libhdf5 has, not by ", filter.name, " (number ",
                     filter.number, ")");
    }
  }
  return std::nullopt;
}

Obstacle read_contiguous(hid_t dataset, hid_t properties, bool is_plain, std::uint64_t nbytes,
                         const Hdf5Input& input, Hdf5Dataset& result) {
  if (H5Pget_external_count(properties) != 0) return "have its elements in the file, not in other files";
  const haddr_t begin = H5Dget_offset(dataset);
  if (nbytes != 0 && begin == HADDR_UNDEF) {
    result.storage = Hdf5Storage::missing;
    return std::nullopt;
  }
  if (nbytes != 0 && (begin > input.nbytes || nbytes > input.nbytes - begin)) {
    return message("have its ", nbytes, " bytes from byte ", begin, " on, the file has ", input.nbytes);
  }
  if (!is_plain) return std::nullopt;
  result.storage = Hdf5Storage::flat;
  result.begin = nbytes == 0 ? 0 : begin;
  result.chunk = Dims();
  return std::nullopt;
}

void read_fill_value(hid_t properties, hid_t type, Hdf5Dataset& result) {
  H5D_fill_value_t state = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(properties, &state) < 0 || state != H5D_FILL_VALUE_USER_DEFINED) return;
  std::string value(H5Tget_size(type), '\0');
  if (H5Pget_fill_value(properties, type, value.data()) >= 0) result.fill_value = value;
}

Obstacle read_storage(hid_t dataset, hid_t type, bool is_plain, const Hdf5Input& input, Hdf5Dataset& result) {
  const Hdf5Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!properties.is_open()) return "have properties that libhdf5 can read" + libhdf5_reason();
  const std::optional<std::uint64_t> nbytes = nbytes_of(result.shape, item_size(result.dtype));
  if (!nbytes) {
    const std::string text = message("have fewer than 2^63 bytes, not ", result.shape, " elements");
    result.shape = Dims();  // so that nobody multiplies
    result.further.unlimited_axes = Dims();
    return text;
  }
  result.stored_nbytes = H5Dget_storage_size(dataset);
  // 0 stands for an error, too; then chunks would be taken for missing.
  const std::string reason = result.stored_nbytes == 0 ? libhdf5_reason() : "";
  if (!reason.empty()) return "have an index of its chunks that can be read" + reason;
  if (is_plain) read_fill_value(properties.get(), type, result);
  result.chunk = last_axes_chunk(result.shape, static_cast<Index>(item_size(result.dtype)));
  switch (H5Pget_layout(properties.get())) {
    case H5D_COMPACT:
      if (result.stored_nbytes == *nbytes) return std::nullopt;
      return message("have its ", *nbytes, " bytes in its header, not ", result.stored_nbytes);
    case H5D_CONTIGUOUS:
      return read_contiguous(dataset, properties.get(), is_plain, *nbytes, input, result);
    case H5D_CHUNKED:
      return read_chunks(dataset, properties.get(), is_plain, result);
    case H5D_VIRTUAL:
      return "have its elements in the file, not in other files (a virtual dataset)";
    default:
      return "have a layout that libhdf5 can read" + libhdf5_reason();
  }
}

Obstacle read_facts(hid_t dataset, const Hdf5Input& input, Hdf5Dataset& result) {
  if (Obstacle obstacle = read_shape(dataset, result)) return obstacle;
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  if (!type.is_open()) return "have a type that libhdf5 can read" + libhdf5_reason();
  const std::optional<Hdf5Datatype> known = read_hdf5_datatype(type.get());
  if (!known) return "have a type that tenstride has, not " + hdf5_datatype_text(type.get());
  result.dtype = known->dtype;
  result.byte_order = known->is_plain ? known->byte_order : ByteOrder::native;
  return read_storage(dataset, type.get(), known->is_plain, input, result);
}

}  // namespace

Hdf5Dataset read_hdf5_dataset(hid_t group, const char* link, const std::string& name,
                              const Hdf5Input& input) {
  Hdf5Dataset result;
  result.name = name;
  const Hdf5Id dataset(H5Dopen2(group, link, H5P_DEFAULT), H5Dclose);
  if (!dataset.is_open()) {
    result.obstacle = "have metadata that libhdf5 can read" + libhdf5_reason();
    return result;
  }
  const Obstacle obstacle = read_facts(dataset.get(), input, result);
  result.obstacle = obstacle.value_or("");
  read_axis_names(dataset.get(), result);
  Hdf5Attributes attributes = read_attributes(dataset.get(), result.dtype);
  result.attributes = std::move(attributes.values);
  result.further.attribute_types = std::move(attributes.types);
  result.further.unread_attributes = std::move(attributes.unread);
  return result;
}

}  // namespace tenstride::io
#endif
