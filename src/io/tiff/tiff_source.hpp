// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "io/ends/chunk_store.hpp"
#include "io/tiff/stack.hpp"
#include "tenstride/base/export.hpp"

namespace tenstride::io {

class TiffDecoder;

/// No chunk of a TIFF file is larger: 2 GiB.
inline constexpr std::uint64_t max_tiff_chunk = std::uint64_t{1} << 31;

/// The elements of a stack, chunk by chunk. A chunk is a strip or a tile of one page; of flat pages, which
/// are read without libtiff, it is some rows, of about 4 MiB. Example: pages (10,64,32,3) in strips of 16
/// rows have chunks (1,16,32,3).
class TENSTRIDE_API TiffSource final : public ChunkSource {
 public:
  /// Throws FileError for a compression that cannot be decoded, and for chunks above `max_tiff_chunk`.
  explicit TiffSource(TiffStack stack);
  ~TiffSource() override;

  [[nodiscard]] const TiffStack& stack() const noexcept { return stack_; }
  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return stack_.dtype; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return chunk_layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override { return stack_.stored_nbytes; }
  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override;

 private:
  struct Place;
  void set_grid();
  [[nodiscard]] Place place(const Dims& index) const;
  std::uint64_t read_flat(const Place& place, std::span<std::byte> elements) const;

  TiffStack stack_;
  ChunkGrid grid_;
  Layout chunk_layout_;
  std::size_t height_axis_ = 0;
  std::unique_ptr<TiffDecoder> decoder_;
};

}  // namespace tenstride::io
