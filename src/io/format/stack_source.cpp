// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "base/message.hpp"
#include "io/format/format.hpp"
#include "io/format/stack.hpp"
#include "tenstride/copy/copy.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

class StackSource final : public ChunkSource {
 public:
  StackSource(const FileInfo& info, std::string_view operation)
      : info_(info),
        operation_(operation),
        grid_{info.layout.shape, info.chunk},
        chunk_layout_(row_major(grid_.chunk)) {}

  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return info_.dtype; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return chunk_layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override { return info_.file_nbytes; }

  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override {
    const FileInfo file = read_file_info(info_.files[static_cast<std::size_t>(index[0])], operation_);
    Dims shape{1};
    for (const Index extent : file.layout.shape) shape.push_back(extent);
    if (shape != grid_.chunk || file.dtype != info_.dtype || !file.obstacle.empty()) {
      throw FileError(message(operation_, ": \"", file.address(), "\" must not change while it is read"),
                      file.path);
    }
    Tensor chunk = tensor_on_memory(elements.data(), row_major(file.layout.shape), info_.dtype);
    copy_elements(chunk, open_tensor_file(file));
    return file.file_nbytes;
  }

 private:
  FileInfo info_;
  std::string operation_;
  ChunkGrid grid_;
  Layout chunk_layout_;
};

}  // namespace

std::unique_ptr<ChunkSource> stack_chunks(const FileInfo& info, std::string_view operation) {
  return std::make_unique<StackSource>(info, operation);
}

}  // namespace tenstride::io
