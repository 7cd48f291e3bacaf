// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/zarr_source.hpp"

#include <algorithm>
#include <cstring>

#include "copy/swap_bytes.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

/// Each has a file open.
constexpr std::size_t max_kept_shards = 64;
/// The most entries of the indexes of kept shards together, beside the newest.
constexpr std::size_t max_kept_entries = (std::size_t{64} << 20) / sizeof(ShardEntry);

}  // namespace

ZarrSource::ZarrSource(const std::string& folder)
    : ZarrSource(std::make_shared<const ZarrStore>(folder), "") {}

ZarrSource::ZarrSource(std::shared_ptr<const ZarrStore> store, const std::string& name)
    : store_(std::move(store)),
      name_(name),
      array_(read_zarr_metadata(*store_, name)),
      grid_{array_.shape, array_.chunk},
      chunk_layout_(zarr_chunk_layout(array_)) {}

std::string ZarrSource::path_of(const std::string& key) const {
  return store_->path_of(zarr_file(name_, key));
}

std::optional<InputFile> ZarrSource::open(const std::string& key) const {
  return store_->open(zarr_file(name_, key));
}

std::uint64_t ZarrSource::stored_nbytes() const {
  return store_->stored_nbytes(name_);
}

std::uint64_t ZarrSource::decode(const InputFile& input, std::uint64_t begin, std::uint64_t nbytes,
                                 std::span<std::byte> elements, const std::string& path) const {
  const std::uint64_t max_nbytes =
      array_.codecs.empty() ? elements.size() : max_stored_nbytes(array_.codecs, elements.size());
  if (nbytes > max_nbytes || (array_.codecs.empty() && nbytes < max_nbytes)) {
    refuse_zarr(path, "has a chunk of ", nbytes, " bytes, which must be ",
                array_.codecs.empty() ? "" : "at most ", max_nbytes, " (a chunk of ", array_.chunk, ", ",
                name(array_.dtype), ")");
  }
  const bool is_swapped = array_.byte_order == ByteOrder::swapped;
  const auto scratch = scratch_.borrow();
  const std::span<std::byte> decoded = is_swapped ? scratch->elements.take(elements.size()) : elements;
  if (array_.codecs.empty()) {
    read_exactly(input, decoded, begin, path);
  } else {
    const std::span<std::byte> stored = scratch->buffers[0].take(nbytes);
    read_exactly(input, stored, begin, path);
    decode_chunk(array_.codecs, stored, decoded, *scratch, path);
  }
  if (is_swapped) {
    swap_bytes(elements.data(), decoded.data(), decoded.size(), item_size(component_type(array_.dtype)));
  }
  return nbytes;
}

std::uint64_t ZarrSource::read(const Dims& index, std::span<std::byte> elements) const {
  if (!array_.shards) {
    const std::string key = zarr_key(array_, index);
    const std::string path = path_of(key);
    const std::optional<InputFile> input = open(key);
    if (input) return decode(*input, 0, input->nbytes, elements, path);
    fill_elements(elements, array_.fill_value);
    return 0;
  }
  return read_of_shards(index, elements);
}

std::uint64_t ZarrSource::read_of_shards(const Dims& index, std::span<std::byte> elements) const {
  Dims file_index = index;
  Dims within = index;  // in chunks, of the shard that is looked into
  for (std::size_t d = 0; d < index.size(); ++d) {
    const Index count = array_.unit()[d] / array_.chunk[d];
    file_index[d] = index[d] / count;
    within[d] = index[d] % count;
  }
  const std::string file_key = zarr_key(array_, file_index);
  const std::string path = path_of(file_key);
  std::uint64_t nbytes_read = 0;
  std::string key = file_key;
  ShardPointer shard = shard_at(key, 0, nbytes_read, [&] { return load_file(file_key); });
  for (std::size_t level = 0;; ++level) {
    Dims part = within;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const Index count = part_of_shard(array_, level)[d] / array_.chunk[d];
      part[d] = within[d] / count;
      within[d] %= count;
    }
    const std::size_t position = shard_position(array_, part, level);
    const ShardEntry entry = shard->entries.empty() ? ShardEntry{} : shard->entries[position];
    if (entry.is_empty()) {
      fill_elements(elements, array_.fill_value);
      return nbytes_read;
    }
    if (level == array_.inner_shards.size()) {
      return nbytes_read + decode(*shard->input, entry.begin, entry.nbytes, elements, path);
    }
    key += '#' + std::to_string(position);
    shard = shard_at(key, level + 1, nbytes_read, [&, file = shard->input] {
      return Shard{file, read_shard_index(*file, entry, array_, level + 1, path)};
    });
  }
}

/// `load` reads the shard where it is not kept.
template <class Load>
ZarrSource::ShardPointer ZarrSource::shard_at(const std::string& key, std::size_t level,
                                              std::uint64_t& nbytes_read, const Load& load) const {
  {
    const std::scoped_lock lock(shards_mutex_);
    const auto kept = shards_.find(key);
    if (kept != shards_.end()) return kept->second;
  }
  // Two threads may both come here for one shard; then one of the two indexes is dropped.
  const auto shard = std::make_shared<const Shard>(load());
  if (!shard->entries.empty()) nbytes_read += shard_index_nbytes(array_, level);
  const std::scoped_lock lock(shards_mutex_);
  const auto [place, is_new] = shards_.emplace(key, shard);
  if (!is_new) return place->second;
  shard_ages_.push_back(key);
  kept_entries_ += shard->entries.size();
  while (shard_ages_.size() > max_kept_shards ||
         (shard_ages_.size() > 1 && kept_entries_ > max_kept_entries)) {
    const auto oldest = shards_.find(shard_ages_.front());
    kept_entries_ -= oldest->second->entries.size();
    shards_.erase(oldest);
    shard_ages_.pop_front();
  }
  return shard;
}

ZarrSource::Shard ZarrSource::load_file(const std::string& key) const {
  const std::string path = path_of(key);
  std::optional<InputFile> input = open(key);
  if (!input) return {};
  const auto file = std::make_shared<const InputFile>(*std::move(input));
  return {file, read_shard_index(*file, array_, path)};
}

}  // namespace tenstride::io
