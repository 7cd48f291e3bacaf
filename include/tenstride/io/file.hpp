// SPDX-License-Identifier: Apache-2.0
// Any file that holds a tensor, told by its first bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tenstride/dtype.hpp"
#include "tenstride/export.hpp"
#include "tenstride/io/orientation.hpp"
#include "tenstride/layout.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::io {

enum class FileKind : unsigned char { unknown, npy, png, jpeg };

/// "unknown", "npy", "PNG" or "JPEG".
TENSTRIDE_API std::string_view name(FileKind kind);

/// The kind by the first bytes, whatever the name says. Throws FileError where the file cannot be read.
TENSTRIDE_API FileKind sniff(const std::string& path);

/// What a file's header says about the tensor in it.
struct FileInfo {
  FileKind kind = FileKind::unknown;
  /// With the version where there are several: "npy 1.0", "PNG", "JPEG".
  std::string format;
  DType dtype = DType::uint8;
  /// Of the tensor that `open_tensor_file` gives.
  Layout layout;
  std::size_t file_nbytes = 0;
  /// The byte of the file where the elements begin; 0 where they are compressed.
  std::size_t data_begin = 0;
  /// Whether `open_tensor_file` maps the file; otherwise it reads it into memory.
  bool is_mapped = false;
  /// Whether the bytes of the elements stand in the other order than this machine's.
  bool is_byte_swapped = false;
  /// Of a picture; `open_tensor_file` does not apply it.
  Orientation orientation = Orientation::upright;
};

/// Reads the header alone. Throws FileError, which begins with `operation` where the file cannot be opened or
/// is of no known kind. Example: `read_file_info("x.npy").layout.shape`.
TENSTRIDE_API FileInfo read_file_info(const std::string& path, std::string_view operation = "info");

/// The tensor in a .npy, PNG or JPEG file, to be read: a .npy file is mapped where that is possible (then the
/// tensor is read-only), all else is read into memory. Throws FileError.
TENSTRIDE_API Tensor open_tensor_file(const std::string& path, Caller caller = Caller::current());

}  // namespace tenstride::io
