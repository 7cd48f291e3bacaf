// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "io/ends/chunk_store.hpp"
#include "io/netcdf/header.hpp"

namespace tenstride::io {

/// The elements of a variable whose records lie no whole number of elements apart. Example: float64 beside
/// one float32 in each record, 12 bytes apart. The chunks are `last_axes_chunk`.
class NetcdfRecordSource final : public ChunkSource {
 public:
  /// Opens the file. Throws FileError.
  NetcdfRecordSource(const FileInfo& info, std::uint64_t begin, std::uint64_t pitch,
                     std::string_view operation);

  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return chunk_layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override;
  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override;

 private:
  std::string path_;
  std::string operation_;
  Descriptor file_;
  DType dtype_;
  ChunkGrid grid_;
  Layout chunk_layout_;
  std::uint64_t begin_ = 0;
  std::uint64_t pitch_ = 0;
};

}  // namespace tenstride::io
