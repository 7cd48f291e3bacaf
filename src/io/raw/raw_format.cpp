// SPDX-License-Identifier: Apache-2.0
// Elements without a header: what they are, the caller says.
#include "base/message.hpp"
#include "io/format/flat_elements.hpp"
#include "io/format/known_formats.hpp"
#include "io/input.hpp"

namespace tenstride::io {
namespace {

FlatFile plan_raw(const std::vector<NewTensor>& tensors, std::string_view /*operation*/) {
  const NewTensor& tensor = tensors.at(0);
  FlatFile file;
  const Layout layout =
      tensor.order == ElementOrder::row_major ? row_major(tensor.shape) : column_major(tensor.shape);
  file.parts.push_back({layout, 0});
  file.nbytes = static_cast<std::uint64_t>(numel(layout)) * item_size(tensor.dtype);
  return file;
}

}  // namespace

FileInfo raw_file_info(const std::string& path, const RawElements& elements, std::string_view operation) {
  const Index count = count_elements(elements.shape, operation);
  const Index nbytes = checked_multiply(count, static_cast<Index>(item_size(elements.dtype)), operation);
  FileInfo info;
  info.kind = FileKind::raw;
  info.format = "raw";
  info.path = path;
  info.dtype = elements.dtype;
  info.layout = elements.is_column_major ? column_major(elements.shape) : row_major(elements.shape);
  info.file_nbytes = input_size(path, operation);
  info.data_begin = elements.offset;
  info.is_byte_swapped = elements.is_byte_swapped && item_size(component_type(elements.dtype)) > 1;
  info.is_mapped = is_mappable(info);
  const auto needed = static_cast<std::uint64_t>(nbytes);
  if (elements.offset > info.file_nbytes || needed > info.file_nbytes - elements.offset) {
    throw FileError(
        tenstride::detail::message(operation, ": \"", path, "\" has ", info.file_nbytes,
                                   " bytes and must have ", nbytes, " from byte ", elements.offset,
                                   " on (shape ", elements.shape, ", ", name(elements.dtype), ")"),
        path);
  }
  return info;
}

const FileFormat raw_format{.kind = FileKind::raw,
                            .name = "raw",
                            .description = "a file without a header",
                            .suffixes = {".raw", ".bin"},
                            .orders = Orders::both,
                            .plan_flat = plan_raw};

}  // namespace tenstride::io
