// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy format, versions 1.0, 2.0 and 3.0:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/element_order.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/memory/storage.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// What the header of a .npy file says.
struct NpyHeader {
  DType dtype = DType::float32;
  ByteOrder byte_order = ByteOrder::native;
  /// The layout from `data_begin` on: row-major, or column-major for Fortran's order.
  Layout layout;
  /// The byte of the file where the first element begins.
  std::size_t data_begin = 0;
  /// Bytes of all elements; the file ends with them.
  std::size_t nbytes = 0;
  /// The major version: 1, 2 or 3.
  int version = 1;
  /// What elements of int64 are in NumPy: "datetime64[ns]", "timedelta64[25s]"; empty where they are numbers.
  std::string numpy_dtype{};
  /// Why the elements are no numbers of a known type, as the end of "must …". Empty of what
  /// `parse_npy_header` gives.
  std::string obstacle{};
};

/// No header may be longer than this many bytes: far more than any of 64 axes needs.
inline constexpr std::size_t max_npy_header = std::size_t{1} << 16;

/// Reads the header, which must describe a file of exactly `file_size` bytes; nothing of the header is
/// evaluated, only the literals that NumPy writes are known. `start_of_file` is the whole file or at least
/// its first 12 + max_npy_header bytes; `name` is for errors. Throws FileError, and nothing else. Example: of
/// `numpy.save("x.npy", numpy.zeros((2, 3), "<f4"))` the layout is (2,3):(3,1)+0 and data_begin 128.
TENSTRIDE_API NpyHeader parse_npy_header(std::span<const std::byte> start_of_file, std::size_t file_size,
                                         std::string_view name);

/// The header of a file, checked against the file's length; the elements are not read.
TENSTRIDE_API NpyHeader read_npy_header(const std::string& path);

/// Whether the elements can be used where they lie: they stand in this machine's byte order, at a multiple of
/// their size.
TENSTRIDE_API bool is_mappable(const NpyHeader& header);

/// The file as a tensor by memory map: no element is read or copied, whatever the size. Strides as the header
/// says. Throws FileError for a file that is not `is_mappable` (`load_npy` reads it). A file that another
/// process shortens while it is mapped cannot be guarded against: the system then raises SIGBUS.
TENSTRIDE_API Tensor open_npy(const std::string& path, MapMode mode = MapMode::read_only);

/// The file's elements in memory of their own, in this machine's byte order. Strides as the header says.
TENSTRIDE_API Tensor load_npy(const std::string& path, Caller caller = Caller::current());

struct SaveOptions {
  ElementOrder order = ElementOrder::row_major;
  Overwrite overwrite = Overwrite::refuse;
};

/// A .npy file whose elements are written in place, into a map of the file (see TensorFileWriter).
///
/// Example: writes the transpose of x without holding it in memory:
/// ```
/// NpyWriter writer("t.npy", {x.size(1), x.size(0)}, x.dtype());
/// writer.tensor().copy_(x.t());
/// writer.commit();
/// ```
class TENSTRIDE_API NpyWriter : public TensorFileWriter {
 public:
  /// Throws as TensorFileWriter does: TypeError for the element types that .npy does not know (bfloat16,
  /// float8_*).
  NpyWriter(const std::string& path, const Dims& shape, DType dtype, const SaveOptions& options = {},
            std::string_view operation = "save_npy");
};

/// Writes the elements, whatever their layout, as `numpy.save` does, byte for byte (version 1.0). Conjugation
/// is carried out. Moves each element once and needs no memory of its own. Throws as NpyWriter, and
/// RuntimeError for a meta tensor.
TENSTRIDE_API void save_npy(const std::string& path, const Tensor& tensor, const SaveOptions& options = {},
                            Caller caller = Caller::current());

namespace detail {
/// Everything before the elements. Throws TypeError for a type without a name in NumPy, ShapeError,
/// OverflowError.
TENSTRIDE_API std::string npy_header_text(const Dims& shape, DType dtype, ElementOrder order,
                                          std::string_view operation);
}  // namespace detail

}  // namespace tenstride::io
