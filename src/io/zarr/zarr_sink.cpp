// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/zarr_sink.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "copy/swap_bytes.hpp"
#include "files/system_reason.hpp"
#include "io/plan/boxes.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/refuse.hpp"
#include "io/zarr/shard_index.hpp"
#include "ledger/watch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {
namespace {

Descriptor create_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse_zarr(folder, "must be a folder that can be made", system_reason(error.value()));
  const bool is_empty = fs::is_empty(folder, error);
  if (error) refuse_zarr(folder, "must be a folder that can be listed", system_reason(error.value()));
  if (!is_empty) refuse_zarr(folder, "must be a new or an empty folder, and has files");
  return Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool is_whole_number_of_elements(std::span<const std::byte> elements, std::span<const std::byte> element) {
  return !element.empty() && elements.size() % element.size() == 0;
}

}  // namespace

ZarrSink::ZarrSink(const std::string& folder, const ZarrArray& array, ZarrFillChunks fill_chunks,
                   ChunkFolder state)
    : folder_name_(folder), array_(array), grid_{array.shape, array.unit()}, fill_chunks_(fill_chunks) {
  const std::vector<ZarrText> texts = zarr_metadata_texts(array);
  if (state == ChunkFolder::existing) {
    for (const ZarrText& text : texts) {
      if (read_text_file(zarr_file(folder, text.name), max_zarr_metadata) == text.text) continue;
      refuse_zarr(folder, "must be the folder of the array that is written, and has another ", text.name);
    }
    folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  } else {
    folder_ = create_folder(folder);
  }
  if (!folder_.is_open()) refuse_zarr(folder, "must be a folder that can be opened", system_reason(errno));
  if (state == ChunkFolder::existing) return;
  for (const ZarrText& text : texts) {
    AtomicFile file(zarr_file(folder, text.name), Overwrite::refuse, "zarr");
    file.write(std::as_bytes(std::span(text.text)));
    file.commit();
  }
}

bool ZarrSink::is_left_out(std::span<const std::byte> elements) const {
  std::span<const std::byte> fill(array_.fill_value);
  if (fill_chunks_ == ZarrFillChunks::written || !is_whole_number_of_elements(elements, fill)) return false;
  // The first is the fill value, and each is as the one before it.
  return std::equal(fill.begin(), fill.end(), elements.begin()) &&
         std::memcmp(elements.data(), elements.data() + fill.size(), elements.size() - fill.size()) == 0;
}

std::span<const std::byte> ZarrSink::chunk_of(std::span<const std::byte> unit, const Dims& first,
                                              CodecScratch& scratch) const {
  const bool is_all = array_.unit() == array_.chunk && array_.order == first_axes(array_.order.size());
  const std::size_t nbytes = array_.chunk_nbytes();
  std::span<const std::byte> chunk = unit;
  if (!is_all) {
    const Dims strides = row_major_strides(array_.unit());
    Layout from{array_.chunk, array_.chunk, 0};
    Dims shape = array_.chunk;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto axis = static_cast<std::size_t>(array_.order[d]);
      from.shape[d] = array_.chunk[axis];
      from.strides[d] = strides[axis];
      from.offset += first[axis] * strides[axis];
    }
    const std::span<std::byte> copied = scratch.elements.take(nbytes);
    Tensor dst = tensor_on_memory(copied.data(), row_major(from.shape), array_.dtype);
    const tenstride::detail::ReadingScope reading;  // what goes to a file is handed out
    copy_elements(dst, tensor_on_memory(unit.data(), from, array_.dtype));
    chunk = copied;
  }
  if (array_.byte_order == ByteOrder::native) return chunk;
  const std::span<std::byte> swapped = scratch.buffers[0].take(nbytes);
  swap_bytes(swapped.data(), chunk.data(), nbytes, item_size(component_type(array_.dtype)));
  return swapped;
}

std::uint64_t ZarrSink::write(const Dims& index, std::span<const std::byte> elements) {
  const auto scratch = scratch_.borrow();
  if (array_.shards) return write_shard(index, elements, *scratch);
  if (is_left_out(elements)) return 0;
  const std::string key = zarr_key(array_, index);
  const std::string path = zarr_file(folder_name_, key);
  const std::span<const std::byte> chunk = chunk_of(elements, Dims::filled(index.size(), 0), *scratch);
  UnitFile file(folder_.get(), key, path);
  file.write(encode_chunk(array_.codecs, chunk, *scratch, path));
  file.commit();
  return file.nbytes();
}

std::uint64_t ZarrSink::write_shard(const Dims& index, std::span<const std::byte> elements,
                                    CodecScratch& scratch) const {
  if (is_left_out(elements)) return 0;
  const std::string key = zarr_key(array_, index);
  const std::string path = zarr_file(folder_name_, key);
  const Dims counts = chunks_of_shard(array_);
  std::vector<ShardEntry> entries(static_cast<std::size_t>(count_elements(counts)));
  const bool is_index_first = array_.shards->index_location == ZarrIndexLocation::start;
  UnitFile file(folder_.get(), key, path);
  if (is_index_first) file.skip(shard_index_nbytes(array_));
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const Dims within = unravel(static_cast<Index>(n), counts);
    Dims first = within;
    bool is_inside = true;
    for (std::size_t d = 0; d < first.size(); ++d) {
      first[d] *= array_.chunk[d];
      is_inside = is_inside && index[d] * array_.unit()[d] + first[d] < array_.shape[d];
    }
    if (!is_inside) continue;  // beyond the tensor there is only the fill value
    const std::span<const std::byte> chunk = chunk_of(elements, first, scratch);
    if (array_.byte_order == ByteOrder::native && is_left_out(chunk)) continue;
    const std::span<const std::byte> encoded = encode_chunk(array_.codecs, chunk, scratch, path);
    entries[shard_position(array_, within)] = {file.nbytes(), encoded.size()};
    file.write(encoded);
  }
  const std::vector<std::byte> bytes = shard_index_bytes(entries, array_);
  if (is_index_first) {
    file.write_at(bytes, 0);
  } else {
    file.write(bytes);
  }
  file.commit();
  return file.nbytes();
}

void ZarrSink::flush() {
  if (syncfs(folder_.get()) != 0)
    refuse_zarr(folder_name_, "must be flushed to the disk", system_reason(errno));
}

}  // namespace tenstride::io
