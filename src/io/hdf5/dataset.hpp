// SPDX-License-Identifier: Apache-2.0
// What the metadata of an HDF5 file say, without libhdf5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/io/element_order.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// A step between the elements and the bytes in the file.
struct Hdf5Filter {
  /// The number registered with the HDF Group: 1 deflate, 2 shuffle, 3 fletcher32.
  int number = 0;
  std::string name;
  std::vector<unsigned> parameters;
};
namespace hdf5_filter {
inline constexpr int deflate = 1;
inline constexpr int shuffle = 2;
inline constexpr int fletcher32 = 3;
inline constexpr int bzip2 = 307;
inline constexpr int lzf = 32000;
inline constexpr int blosc = 32001;
inline constexpr int lz4 = 32004;
inline constexpr int bitshuffle = 32008;
inline constexpr int zstd = 32015;
}  // namespace hdf5_filter

/// How the elements of a dataset are read.
enum class Hdf5Storage : unsigned char {
  flat,     ///< from one place of the file
  chunks,   ///< chunk by chunk, decoded here
  missing,  ///< all are the fill value
  library,  ///< block by block through libhdf5
};

struct Hdf5Dataset {
  /// The path from the root on: "group/data".
  std::string name;
  /// Where it is a field of a compound: the path of the dataset. "group/data" of "group/data.x".
  std::string compound;
  /// The file that has it, where a link leads to another one.
  std::string file;
  DType dtype = DType::uint8;
  ByteOrder byte_order = ByteOrder::native;
  /// Why the elements cannot be read, as the end of "must …"; empty where they can.
  std::string obstacle;
  Dims shape;
  /// How many of the last axes are those of an array type.
  std::size_t array_rank = 0;
  /// Strides in elements where it is flat and they are not those of the row-major order.
  Dims strides;
  Hdf5Storage storage = Hdf5Storage::library;
  /// The byte of the file where the elements begin, where storage is `flat`.
  std::uint64_t begin = 0;
  /// The shape of the chunks where the file has some; otherwise of the blocks that are read at once. Empty
  /// where it is flat.
  Dims chunk;
  /// Whether the file has chunks of that shape.
  bool is_chunked = false;
  /// The filters in the order of writing.
  std::vector<Hdf5Filter> filters;
  /// One element in the file's byte order; empty: zero.
  std::string fill_value;
  /// Bytes of the elements in the file.
  std::uint64_t stored_nbytes = 0;
  /// One for each axis, with "" for unknown ones; or none.
  std::vector<std::string> axis_names;
  /// A JSON object, or empty.
  std::string attributes;
  FurtherFacts further;
  /// The number by which netCDF-4 knows the dimension that the dataset is the scale of.
  std::optional<std::int64_t> dimension_number;
  /// The numbers of the dimensions of a scale of several axes.
  std::vector<std::int64_t> coordinate_numbers;
  /// Whether it is there only for the sake of its name.
  bool is_bare_dimension = false;
};

/// No chunk is larger: 4 GiB - 1, libhdf5's own limit.
inline constexpr std::uint64_t max_hdf5_chunk = (std::uint64_t{1} << 32) - 1;

/// The most datasets and groups in a file.
inline constexpr std::size_t max_hdf5_objects = 100000;
/// The most objects that are listed under further names, where several links lead to a group.
inline constexpr std::size_t max_hdf5_further_names = 20000;
/// The most groups within one another.
inline constexpr std::size_t max_hdf5_depth = 64;

/// The path by which libhdf5 opens the dataset.
inline const std::string& hdf5_path_of(const Hdf5Dataset& dataset) {
  return dataset.compound.empty() ? dataset.name : dataset.compound;
}

/// "deflate(4), shuffle": in the order of decoding; empty without filters.
std::string hdf5_codec_text(const Hdf5Dataset& dataset);

/// One line of JSON, and back. Throws FileError, with `path`, for a text that the first function does not
/// give.
std::string to_json_line(const Hdf5Dataset& dataset);
std::string to_json_line(const FileGroup& group);
/// Nothing for the line of a dataset.
std::optional<FileGroup> parse_group_line(std::string_view line, const std::string& path);
Hdf5Dataset parse_json_line(std::string_view line, const std::string& path);

/// All datasets of a file, in the order of their names in each group. No element is read. Throws FileError.
std::vector<Hdf5Dataset> list_hdf5_datasets(const std::string& path, std::string_view operation);

}  // namespace tenstride::io
