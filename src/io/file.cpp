// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/file.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/input.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/io/npy.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The kind of a file, or a refusal that says what it is instead.
FileKind known_kind(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  const FileKind kind = kind_of(bytes_of(file));
  if (kind != FileKind::unknown) return kind;
  throw FileError(
      message(operation, ": \"", path, "\" must be a .npy file or a PNG or JPEG image, it begins with ",
              describe_start(bytes_of(file))),
      path);
}

FileInfo npy_info(const std::string& path) {
  const NpyHeader header = read_npy_header(path);
  FileInfo info;
  info.format = message("npy ", header.version, ".0");
  info.dtype = header.dtype;
  info.layout = header.layout;
  info.data_begin = header.data_begin;
  info.is_mapped = is_mappable(header);
  info.is_byte_swapped = header.byte_order == ByteOrder::swapped;
  return info;
}

FileInfo image_info(const std::string& path, FileKind kind) {
  const ImageInfo image = read_image_info(path);
  FileInfo info;
  info.format = name(kind);
  info.dtype = image.dtype;
  info.orientation = image.orientation;
  info.layout = row_major({image.height, image.width, image.channels});
  return info;
}

}  // namespace

std::string_view name(FileKind kind) {
  switch (kind) {
    case FileKind::npy:
      return "npy";
    case FileKind::png:
      return "PNG";
    case FileKind::jpeg:
      return "JPEG";
    case FileKind::unknown:
      break;
  }
  return "unknown";
}

FileKind sniff(const std::string& path) {
  return kind_of(bytes_of(map_input(path, "sniff")));
}

FileInfo read_file_info(const std::string& path, std::string_view operation) {
  const FileKind kind = known_kind(path, operation);
  FileInfo info = kind == FileKind::npy ? npy_info(path) : image_info(path, kind);
  info.kind = kind;
  info.file_nbytes = input_size(path, operation);
  return info;
}

Tensor open_tensor_file(const std::string& path, Caller caller) {
  if (known_kind(path, "open") != FileKind::npy) return read_image(path, caller);
  return is_mappable(read_npy_header(path)) ? open_npy(path) : load_npy(path, caller);
}

}  // namespace tenstride::io
