// SPDX-License-Identifier: Apache-2.0
// Tensors in files of any kind, told by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/io/orientation.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

enum class FileKind : unsigned char {
  unknown,
  npy,
  png,
  jpeg,
  jpeg2000,
  gif,
  npz,
  safetensors,
  nifti,
  nifti_packed,
  tiff,
  zarr,
  hdf5,
  netcdf,
  raw
};

/// "npy", "PNG", "safetensors", …; "unknown".
TENSTRIDE_API std::string_view name(FileKind kind);

/// The kind by the first bytes (of a folder by what lies in it), whatever the name says; of a gzip file that
/// of its content. Throws FileError where the file cannot be read.
TENSTRIDE_API FileKind sniff(const std::string& path);

/// How the elements of a tensor stand in a file.
enum class ElementStorage : unsigned char {
  flat,     ///< one after the other, at strides: any of them can be read alone
  stream,   ///< in a compressed stream, which is read from its beginning
  chunked,  ///< in chunks, each of which can be read alone
  encoded,  ///< as a picture, which is read as a whole
};

/// Compressed bytes in a file that stand for a longer run of bytes; or a part of a file that has a CRC.
struct CompressedStream {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
  /// What it unpacks to, where the file says so.
  std::optional<std::uint64_t> content_nbytes{};
  /// CRC-32 of what it unpacks to, where the file has one outside the stream.
  std::optional<std::uint32_t> crc{};
  friend bool operator==(const CompressedStream&, const CompressedStream&) = default;
};

/// What a file says about a group that it has tensors in.
struct FileGroup {
  /// Its path from the root on, "a/b"; empty: the root, which speaks of the whole file.
  std::string name;
  /// Attributes, in the forms of `FileInfo` and `FurtherFacts`.
  std::string attributes{};
  std::string attribute_types{};
  std::string unread_attributes{};
};

/// What a file says about a tensor beside names of axes and attributes. It goes along to files that have a
/// place for it.
struct FurtherFacts {
  /// Types and shapes of attributes in HDF5 where their values alone give others, as a JSON object; or empty.
  /// Example: `{"scale":{"dtype":"float32","shape":[1]}}`.
  std::string attribute_types{};
  /// Attributes that were not read, each with the reason, as a JSON object; or empty.
  std::string unread_attributes{};
  /// The groups with attributes that the tensor stands in, the root first.
  std::vector<std::shared_ptr<const FileGroup>> groups{};
  /// Axes that may grow in the file (netCDF's unlimited dimensions), in order; in HDF5 those of a tensor in
  /// chunks alone.
  Dims unlimited_axes{};
  /// What a NIfTI file has between the header and the elements, each extension with its size and code in
  /// this machine's byte order.
  std::string header_extensions{};

  [[nodiscard]] bool empty() const {
    return unread_attributes.empty() && groups.empty() && unlimited_axes.empty() && header_extensions.empty();
  }
};

/// What the headers of a file say about one tensor in it.
struct FileInfo {
  FileKind kind = FileKind::unknown;
  /// The name of the format, with the version where there are several: "npy 1.0", "PNG", "safetensors".
  std::string format;
  /// The file that has the elements. Of a checkpoint in several files, that of this tensor; of a stack the
  /// pattern that means its files.
  std::string path;
  /// The addresses of the files that are stacked along axis 0, one for each index; empty otherwise.
  std::vector<std::string> files{};
  /// The tensor's name within the file, "blocks.0.attn.weight"; empty in a file of one tensor.
  std::string name;
  DType dtype = DType::uint8;
  /// The layout of the tensor that `open_tensor_file` gives. Elements that are loaded from among more bytes
  /// of others, as in records of many variables, are row-major then.
  Layout layout;
  std::uint64_t file_nbytes = 0;
  ElementStorage storage = ElementStorage::flat;
  /// The byte of the file where the elements begin; 0 unless they are flat, or stand as such in a stream:
  /// then of the stream.
  std::uint64_t data_begin = 0;
  /// Whether `open_tensor_file` maps the file; otherwise it reads it into memory.
  bool is_mapped = false;
  /// Whether the bytes of the elements stand in the other order than this machine's.
  bool is_byte_swapped = false;
  /// How a picture must be rotated to be upright; `open_tensor_file` does not apply it.
  Orientation orientation = Orientation::upright;
  /// One for each axis, or none. Example: {"time", "lat", "lon"}.
  std::vector<std::string> axis_names{};
  /// What else the file says about the tensor, as a JSON object; empty where it says nothing. NaN, Infinity
  /// and -Infinity stand as numbers, as Python's json reads and writes them: `{"_FillValue":NaN}`; for
  /// parsers that refuse them there is `strict_json`. Arrays of several axes are nested lists.
  std::string attributes{};
  /// Extents of a chunk; empty where there are none.
  Dims chunk{};
  /// Extents of a shard, which holds several chunks; empty where there are none.
  Dims shard{};
  /// The stream, where `storage` is `stream`, and where flat elements stand in a part that has a CRC.
  CompressedStream stream{};
  /// How chunks or streams are compressed, in the format's words: "deflate", "blosc(lz4, 5, shuffle)".
  std::string codec{};
  /// What a stored element x means: scale * x + shift. `open_tensor_file` does not apply it, nor what else
  /// attributes say of elements (`rescaling_of`).
  double scale = 1;
  double shift = 0;
  /// The element that netCDF stores where nothing was written, in a file that says no `_FillValue`.
  std::optional<Scalar> default_fill{};
  FurtherFacts further{};
  /// Why the elements cannot be read, as the end of "must …"; empty where they can.
  /// Example: "have a type that tenstride has, not F4".
  std::string obstacle{};
  /// Whether the file alone was named, which holds further tensors, and so this one is meant.
  bool is_first_of_several = false;

  /// The tensor as the program names it: "x.npy", "m.safetensors::weight", "era5.zarr/surface/t2m".
  [[nodiscard]] std::string address() const {
    const bool is_in_path = kind == FileKind::zarr && path.ends_with("/" + name);
    return name.empty() || is_in_path ? path : path + "::" + name;
  }
  /// Whether the elements mean other numbers than they are.
  [[nodiscard]] bool is_scaled() const { return scale != 1 || shift != 0; }
};

/// Attributes as JSON by the letter, which has no numbers NaN, Infinity and -Infinity: the texts "NaN",
/// "Infinity" and "-Infinity" stand for them. Example: `{"_FillValue":"NaN"}`.
TENSTRIDE_API std::string strict_json(std::string_view attributes);

/// A file and the tensors of it that are meant: "x.npz::weight" is the tensor weight in x.npz. A file whose
/// name is the whole text is meant first, then of the files that exist the one with the longest name. The
/// file may be a pattern (`is_file_pattern`): "t*.h5::data" is one tensor of the data of all these files,
/// with a new first axis.
struct TensorAddress {
  std::string file;
  /// A name, or a pattern with * and ?; empty: all.
  std::string names;
};
TENSTRIDE_API TensorAddress parse_address(const std::string& text);

/// How the elements lie in a file without a header.
struct RawElements {
  Dims shape;
  DType dtype = DType::uint8;
  /// Whether the first axis is the fastest.
  bool is_column_major = false;
  /// Bytes before the first element.
  std::uint64_t offset = 0;
  bool is_byte_swapped = false;
};

/// A file without a header, as the caller knows it; it may be longer than its elements. Throws FileError
/// where it is shorter. Example: shape (480,640) and uint16 take 614400 bytes behind `offset`.
TENSTRIDE_API FileInfo raw_file_info(const std::string& path, const RawElements& elements,
                                     std::string_view operation = "info");

/// The files that have the elements: those of a stack, otherwise `info.path`.
TENSTRIDE_API std::vector<std::string> element_files(const FileInfo& info);

/// The headers of all tensors that are meant (of TIFF and JPEG the first, if not "*"); at least one.
/// Throws FileError, which begins with `operation` where the file cannot be opened, is of no known kind or
/// holds no tensor, and where no tensor has such a name; it then names those that come nearest.
/// Example: `list_tensors("model.safetensors::blocks.*.weight")`.
TENSTRIDE_API std::vector<FileInfo> list_tensors(const std::string& address,
                                                 std::string_view operation = "info");

/// The header of the one tensor that is meant. Throws as `list_tensors`, and FileError where there are
/// several. Example: `read_file_info("x.npy").layout.shape`.
TENSTRIDE_API FileInfo read_file_info(const std::string& address, std::string_view operation = "info");

/// Throws FileError for the first that cannot be read; of several it says how to name one that can.
/// Example: `convert: "x.npz::label" must hold numbers, not text; save it as numbers (or name
/// those that can be read, as "x.npz::weight" does)`.
TENSTRIDE_API void require_readable(const std::vector<FileInfo>& infos, std::string_view operation);

/// The tensor in a file, to be read: mapped where that is possible (then the tensor is read-only), otherwise
/// read into memory. Throws FileError.
TENSTRIDE_API Tensor open_tensor_file(const std::string& address, Caller caller = Caller::current());
TENSTRIDE_API Tensor open_tensor_file(const FileInfo& info, Caller caller = Caller::current());

/// The tensor in memory of its own, whatever the file.
TENSTRIDE_API Tensor load_tensor_file(const FileInfo& info, Caller caller = Caller::current());

/// The elements as they stand in the file, mapped. Throws FileError where they cannot be used like that: they
/// are compressed, in the other order of bytes, or at an address that is no multiple of their size; to be
/// written, also where the file has a CRC of them, as an .npz has.
TENSTRIDE_API Tensor map_tensor_file(const FileInfo& info, MapMode mode = MapMode::read_only);

/// The formats that this build reads and writes, for `tenstride --version`.
/// Example: {"npy", "npz", "safetensors", …}.
struct FormatSupport {
  std::string name;
  bool is_read = false;
  bool is_written = false;
};
TENSTRIDE_API std::vector<FormatSupport> supported_formats();
/// The kinds that are told by a file's first bytes, for errors: "npy, PNG, JPEG, npz".
TENSTRIDE_API std::string known_kinds();

}  // namespace tenstride::io
