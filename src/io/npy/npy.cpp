// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/npy.hpp"

#include "base/message.hpp"
#include "copy/swap_bytes.hpp"
#include "io/input.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/copy/copy.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// A file and its header, read from one and the same map.
struct MappedNpy {
  Storage file;
  NpyHeader header;

  MappedNpy(const std::string& path, std::string_view operation, MapMode mode)
      : file(map_input(path, operation, mode)),
        header(parse_npy_header(bytes_of(file), file.nbytes(), path)) {}

  /// The bytes of the elements; they keep the map.
  [[nodiscard]] Storage elements() const {
    auto* const first = const_cast<std::byte*>(file.data()) + header.data_begin;
    const Access access = file.is_read_only() ? Access::read_only : Access::read_write;
    return Storage::adopt(
        first, header.nbytes, [kept = file](void*) {}, access);
  }
};

}  // namespace

NpyHeader read_npy_header(const std::string& path) {
  return MappedNpy(path, "npy", MapMode::read_only).header;
}

bool is_mappable(const NpyHeader& header) {
  return header.byte_order == ByteOrder::native &&
         header.data_begin % item_size(component_type(header.dtype)) == 0;
}

Tensor open_npy(const std::string& path, MapMode mode) {
  const MappedNpy npy(path, "open_npy", mode);
  if (npy.header.byte_order != ByteOrder::native) {
    throw FileError(message("open_npy: \"", path,
                            "\" must hold elements in this machine's byte order to be mapped, it holds ",
                            name(npy.header.dtype), " in the other; use load_npy"),
                    path);
  }
  if (!is_mappable(npy.header)) {
    throw FileError(message("open_npy: \"", path, "\" has elements from byte ", npy.header.data_begin,
                            " on, which must be a multiple of ", item_size(component_type(npy.header.dtype)),
                            " to be mapped (", name(npy.header.dtype), "); use load_npy"),
                    path);
  }
  return Tensor(npy.elements(), npy.header.layout, npy.header.dtype);
}

Tensor load_npy(const std::string& path, Caller caller) {
  const tenstride::detail::OperationScope scope("load_npy", caller);
  const MappedNpy npy(path, "load_npy", MapMode::read_only);
  const Storage storage = Storage::allocate(npy.header.nbytes);
  const std::byte* const first = npy.file.data() + npy.header.data_begin;
  // Of a number that stands as it must there is nothing to swap but single bytes.
  const std::size_t width =
      npy.header.byte_order == ByteOrder::swapped ? item_size(component_type(npy.header.dtype)) : 1;
  swap_bytes(storage.mutable_data(), first, npy.header.nbytes, width);
  return Tensor(storage, npy.header.layout, npy.header.dtype);
}

NpyWriter::NpyWriter(const std::string& path, const Dims& shape, DType dtype, const SaveOptions& options,
                     std::string_view operation)
    : TensorFileWriter(path, FileKind::npy,
                       {{.name = {}, .shape = shape, .dtype = dtype, .order = options.order}},
                       options.overwrite, operation) {}

void save_npy(const std::string& path, const Tensor& tensor, const SaveOptions& options, Caller caller) {
  tenstride::detail::require_memory(tensor, "save_npy", "written");
  const tenstride::detail::OperationScope scope("save_npy", caller);
  const tenstride::detail::ReadingScope reading;  // what goes to a file is handed out
  NpyWriter writer(path, tensor.shape(), tensor.dtype(), options);
  copy_elements(writer.tensor(), tensor);
  writer.commit();
}

}  // namespace tenstride::io
