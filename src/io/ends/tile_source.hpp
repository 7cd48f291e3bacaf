// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/ends/source.hpp"
#include "io/ends/tile_notes.hpp"
#include "io/ends/tile_reader.hpp"
#include "tenstride/checksum/checksum.hpp"

namespace tenstride::io {

/// The elements of a flat file, or of the blocks between two passes, tile by tile: while one is used the next
/// is read. For one thread.
class TileSource final : public Source {
 public:
  /// All must stay until the end.
  TileSource(const DiskFile& file, const FlatPass& pass, DType dtype, const TileNotes& notes,
             MovedBytes& moved)
      : pass_(pass), dtype_(dtype), notes_(notes), reader_(file, pass, notes.left_out, moved) {}
  /// The bytes of an element stand the other way round in the file.
  void swap_bytes() { is_swapped_ = true; }
  /// Adds the checksum of the elements that are read, each with the place it belongs to.
  void add_checksums_to(Checksum& sum) { sum_ = &sum; }

  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }
  [[nodiscard]] std::vector<SourcePart> parts(const Box& tile) const override { return {{tile, tile}}; }
  std::vector<LoadedBox> read(const SourcePart& part, std::vector<std::byte>& buffer) override;
  void release() override { reader_.release(); }

 private:
  FlatPass pass_;
  DType dtype_;
  const TileNotes& notes_;
  bool is_swapped_ = false;
  Checksum* sum_ = nullptr;
  TileReader reader_;
};

}  // namespace tenstride::io
