// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/format/python_json.hpp"
#include "io/input.hpp"
#include "io/npy/npy_info.hpp"

namespace tenstride::io {
namespace {

bool is_npy(const FileStart& start) {
  return kind_of(start.bytes) == FileKind::npy;
}

std::vector<FileInfo> list_npy(const std::string& path, std::string_view /*operation*/) {
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
