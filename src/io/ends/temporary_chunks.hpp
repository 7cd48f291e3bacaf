// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "io/ends/chunk_store.hpp"

namespace tenstride::io {

/// Chunks between two passes, uncompressed, in a file that has no name and is gone when it is closed: each
/// has a slot of its own. What was written can be read as soon as it is written.
class TemporaryChunks final : public ChunkSource, public ChunkSink {
 public:
  /// Makes the file in the folder that `beside` lies in, with room for all. Throws FileError.
  TemporaryChunks(const ChunkGrid& grid, DType dtype, const std::string& beside, std::string_view operation);

  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override { return slot_ * slots_; }
  [[nodiscard]] std::span<const std::byte> fill_value() const noexcept override { return {}; }
  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override;
  std::uint64_t write(const Dims& index, std::span<const std::byte> elements) override;

 private:
  [[nodiscard]] std::uint64_t place(const Dims& index) const;
  [[noreturn]] void refuse(int error) const;

  ChunkGrid grid_;
  DType dtype_;
  Layout layout_;
  Dims counts_;
  std::uint64_t slot_ = 0;
  std::uint64_t slots_ = 0;
  std::string beside_;
  std::string operation_;
  Descriptor file_;
};

}  // namespace tenstride::io
