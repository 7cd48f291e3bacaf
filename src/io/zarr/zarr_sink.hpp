// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "files/descriptor.hpp"
#include "io/ends/chunk_store.hpp"
#include "io/zarr/codecs.hpp"
#include "io/zarr/metadata.hpp"
#include "io/zarr/pool.hpp"
#include "io/zarr/unit_file.hpp"

namespace tenstride::io {

/// What happens to chunks that are the fill value in all elements.
enum class ZarrFillChunks : unsigned char { written, left_out };

/// Writes an array into a folder of its own. The units are chunks, or shards where there are some.
///
/// Example:
/// ```
/// ZarrSink sink("a.zarr", make_zarr_array({5, 6}, DType::float32, {.chunk = {2, 3}}));
/// sink.write({0, 0}, first_chunk);  // and (0,1), (1,0), …: each once, by any thread
/// sink.flush();
/// ```
class ZarrSink final : public ChunkSink {
 public:
  /// Makes the folder, which must not exist, or be empty, and writes the metadata. With `existing` the folder
  /// must hold the same metadata already. Throws FileError.
  ZarrSink(const std::string& folder, const ZarrArray& array,
           ZarrFillChunks fill_chunks = ZarrFillChunks::written, ChunkFolder state = ChunkFolder::create);

  [[nodiscard]] const ZarrArray& array() const noexcept { return array_; }
  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return array_.dtype; }
  [[nodiscard]] std::span<const std::byte> fill_value() const noexcept override { return array_.fill_value; }
  std::uint64_t write(const Dims& index, std::span<const std::byte> elements) override;

  /// Waits until all that was written outlives a power cut. Throws FileError.
  void flush();

 private:
  [[nodiscard]] bool is_left_out(std::span<const std::byte> elements) const;
  /// A chunk of a unit as it is stored, before the codecs. `first`: its first element within the unit.
  std::span<const std::byte> chunk_of(std::span<const std::byte> unit, const Dims& first,
                                      CodecScratch& scratch) const;
  std::uint64_t write_shard(const Dims& index, std::span<const std::byte> elements,
                            CodecScratch& scratch) const;

  std::string folder_name_;
  ZarrArray array_;
  ChunkGrid grid_;
  ZarrFillChunks fill_chunks_;
  Descriptor folder_;
  mutable Pool<CodecScratch> scratch_;
};

}  // namespace tenstride::io
