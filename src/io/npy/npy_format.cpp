// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/format/python_json.hpp"
#include "io/input.hpp"
#include "io/npy/npy_info.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

bool is_npy(const FileStart& start) {
  if (!is_gzip(start.bytes)) return kind_of(start.bytes) == FileKind::npy;
  try {
    std::array<std::byte, 6> unpacked{};
    InflateStream stream(start.path, {0, start.file_nbytes}, "gzip", "sniff");
    return kind_of(std::span(unpacked).first(stream.read(unpacked))) == FileKind::npy;
  } catch (const FileError&) {
    return has_suffix(start.path, ".npy.gz");  // to be refused with what is wrong
  }
}

/// How long the content is, only unpacking tells: as long as the header says, or it is refused then.
FileInfo info_of_gzip(const std::string& path, std::uint64_t nbytes, std::string_view operation) {
  InflateStream stream(path, {0, nbytes}, "gzip", operation);
  std::vector<std::byte> start(12 + max_npy_header);
  const std::size_t wanted = start.size();
  start.resize(stream.read(start));
  const NpyHeader header =
      parse_any_npy_header(start, start.size() < wanted ? start.size() : unknown_file_size, path);
  const std::uint64_t most = nbytes * max_inflation, end = header.data_begin + header.nbytes;
  if (end > most) {
    throw FileError(message(operation, ": \"", path, "\" is a gzip file of ", nbytes,
                            " bytes, which unpack to at most ", most, ", and must hold ", end, " (shape ",
                            header.layout.shape, ", ", name(header.dtype), ")"),
                    path);
  }
  FileInfo info = npy_info(header);
  info.storage = ElementStorage::stream;
  info.codec = "gzip";
  info.stream = {0, nbytes, end};
  return info;
}

std::vector<FileInfo> list_npy(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  if (is_gzip(bytes_of(file))) return {info_of_gzip(path, file.nbytes(), operation)};
  return {npy_info(read_npy_header(path))};
}

FlatFile plan_npy(const std::vector<NewTensor>& tensors, std::string_view operation) {
  const NewTensor& tensor = tensors.at(0);
  FlatFile file;
  file.head = npy_head(tensor.shape, tensor.dtype, tensor.order, tensor.attributes, operation);
  const Layout layout =
      tensor.order == ElementOrder::row_major ? row_major(tensor.shape) : column_major(tensor.shape);
  file.parts.push_back({layout, file.head.size()});
  file.nbytes = file.head.size() + static_cast<std::uint64_t>(numel(layout)) * item_size(tensor.dtype);
  return file;
}

}  // namespace

FileInfo npy_info(const NpyHeader& header) {
  FileInfo info;
  info.kind = FileKind::npy;
  info.format = tenstride::detail::message("npy ", header.version, ".0");
  info.dtype = header.dtype;
  info.layout = header.layout;
  info.data_begin = header.data_begin;
  info.is_byte_swapped = header.byte_order == ByteOrder::swapped;
  info.obstacle = header.obstacle;
  if (!header.numpy_dtype.empty()) {
    info.attributes = python_json_text(nlohmann::json{{numpy_dtype_key, header.numpy_dtype}});
  }
  return info;
}

const FileFormat npy_format{.kind = FileKind::npy,
                            .name = "npy",
                            .description = "a .npy file",
                            .suffixes = {".npy"},
                            .orders = Orders::both,
                            .has_times = true,
                            .is_kind_of = is_npy,
                            .list = list_npy,
                            .plan_flat = plan_npy};

}  // namespace tenstride::io
