// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/ends/chunk_store.hpp"
#include "io/ends/fill_elements.hpp"
#include "io/zarr/codecs.hpp"
#include "io/zarr/metadata.hpp"
#include "io/zarr/pool.hpp"
#include "io/zarr/shard_index.hpp"
#include "io/zarr/store.hpp"

namespace tenstride::io {

/// The chunks of an array in a folder, of either version. With shards these are the chunks within them, read
/// one by one; indexes (64 MiB and one more) and open files of up to 64 shards are kept.
///
/// Example: the first chunk of a float32 array.
/// ```
/// const ZarrSource source("a.zarr");
/// std::vector<float> chunk(numel(source.chunk_layout()));
/// source.read(Dims::filled(source.grid().shape.size(), 0), std::as_writable_bytes(std::span(chunk)));
/// ```
class ZarrSource final : public ChunkSource {
 public:
  /// Reads the metadata, and no chunk. Throws FileError.
  explicit ZarrSource(const std::string& folder);
  /// The array of that name in a store.
  ZarrSource(std::shared_ptr<const ZarrStore> store, const std::string& name);

  [[nodiscard]] const ZarrArray& array() const noexcept { return array_; }
  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return array_.dtype; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return chunk_layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override;
  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override;

 private:
  /// A shard that is open; without entries where there is no such file. Shards within it share the file.
  struct Shard {
    std::shared_ptr<const InputFile> input;
    std::vector<ShardEntry> entries;
  };
  using ShardPointer = std::shared_ptr<const Shard>;

  [[nodiscard]] std::string path_of(const std::string& key) const;
  [[nodiscard]] std::optional<InputFile> open(const std::string& key) const;
  /// The shard, from those kept or from its file. Adds the bytes of an index that was read.
  template <class Load>
  ShardPointer shard_at(const std::string& key, std::size_t level, std::uint64_t& nbytes_read,
                        const Load& load) const;
  [[nodiscard]] Shard load_file(const std::string& key) const;
  std::uint64_t read_of_shards(const Dims& index, std::span<std::byte> elements) const;
  /// Reads and decodes bytes of a file. Gives how many were read.
  std::uint64_t decode(const InputFile& input, std::uint64_t begin, std::uint64_t nbytes,
                       std::span<std::byte> elements, const std::string& path) const;

  std::shared_ptr<const ZarrStore> store_;
  std::string name_;
  ZarrArray array_;
  ChunkGrid grid_;
  Layout chunk_layout_;
  mutable Pool<CodecScratch> scratch_;
  /// The shards that are kept, by key, and the keys from the oldest.
  mutable std::mutex shards_mutex_;
  mutable std::map<std::string, ShardPointer> shards_;
  mutable std::list<std::string> shard_ages_;
  mutable std::size_t kept_entries_ = 0;
};

}  // namespace tenstride::io
