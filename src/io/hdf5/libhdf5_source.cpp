// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <cstring>

#include "copy/swap_bytes.hpp"
#include "io/ends/fill_elements.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/filters.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "io/hdf5/libhdf5_reader.hpp"
#include "io/hdf5/libhdf5_worker.hpp"
#include "io/hdf5/refuse.hpp"
#include "io/plan/boxes.hpp"
#include "io/plan/default_chunk.hpp"
#include "io/zarr/pool.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

/// How many chunks there are; nothing where the number does not fit 64 bits.
std::optional<std::uint64_t> chunk_count(const ChunkGrid& grid) {
  std::optional<Index> count = 1;
  for (const Index number : grid.counts()) count = count ? try_multiply(*count, number) : count;
  return count ? std::optional(static_cast<std::uint64_t>(*count)) : std::nullopt;
}

Dims next_index(Dims index, const Dims& counts) {
  for (std::size_t d = counts.size(); d-- > 0;) {
    if (++index[d] < counts[d]) return index;
    index[d] = 0;
  }
  return index;
}

/// So many chunks at least are found in a second.
constexpr std::uint64_t chunks_per_second = 20000;
/// Chunks are sent to the parent so many at a time.
constexpr std::size_t sent_chunks = 4096;

void send_chunk_table(Hdf5Reader& reader, const ChunkGrid& grid, std::size_t count, ChildOutput& output) {
  const Dims counts = grid.counts();
  Dims index = Dims::filled(counts.size(), 0);
  std::vector<Hdf5Chunk> found;
  for (std::size_t number = 0; number < count; ++number) {
    found.push_back(reader.find(index));
    index = next_index(index, counts);
    if (found.size() < sent_chunks && number + 1 < count) continue;
    output.write({reinterpret_cast<const char*>(found.data()), found.size() * sizeof(Hdf5Chunk)});
    found.clear();
  }
}

bool has_chunk_table(const Hdf5Dataset& dataset) {
  if (!dataset.obstacle.empty() || dataset.storage != Hdf5Storage::chunks) return false;
  const std::optional<std::uint64_t> count = chunk_count({dataset.shape, dataset.chunk});
  return count && *count <= max_hdf5_table;
}

struct DatasetAndTable {
  Hdf5Dataset dataset;
  /// The places of all chunks, in row-major order of the grid; empty where each is looked up by itself.
  std::vector<Hdf5Chunk> table;
};

/// Reads what the metadata say by a child process.
DatasetAndTable read_dataset(const Hdf5Input& input, const std::string& name, std::string_view operation) {
  const std::string bytes =
      run_in_child(input.path, operation, child_seconds(input.nbytes), [&](ChildOutput& output) {
        const Hdf5Dataset dataset = find_hdf5_dataset(input, name, operation);
        output.write(to_json_line(dataset));
        if (!has_chunk_table(dataset)) return;
        const ChunkGrid grid{dataset.shape, dataset.chunk};
        extend_child(child_seconds(input.nbytes) +
                     static_cast<unsigned>(*chunk_count(grid) / chunks_per_second));
        Hdf5Reader reader(input, dataset, operation);
        send_chunk_table(reader, grid, *chunk_count(grid), output);
      });
  const std::size_t length = std::min(bytes.find('\n'), bytes.size());
  DatasetAndTable result{parse_json_line(std::string_view(bytes).substr(0, length), input.path), {}};
  if (!has_chunk_table(result.dataset)) return result;
  result.table.resize(*chunk_count({result.dataset.shape, result.dataset.chunk}));
  const std::string_view stored = std::string_view(bytes).substr(std::min(length + 1, bytes.size()));
  if (stored.size() != result.table.size() * sizeof(Hdf5Chunk)) {
    refuse_hdf5(operation, input.path, "must have an index of the chunks of \"", name, "\"");
  }
  if (!stored.empty()) std::memcpy(result.table.data(), stored.data(), stored.size());
  return result;
}

class Hdf5Source final : public ChunkSource {
 public:
  Hdf5Source(Hdf5Input input, DatasetAndTable read, std::string_view operation)
      : operation_(operation),
        input_(std::move(input)),
        other_(read.dataset.file.empty() ? Hdf5Input() : open_hdf5(read.dataset.file, operation)),
        dataset_(std::move(read.dataset)),
        grid_{dataset_.shape, dataset_.chunk},
        layout_(row_major(grid_.chunk)),
        table_(std::move(read.table)),
        has_table_(has_chunk_table(dataset_)) {
    if (!chunk_count(grid_)) refuse("must have fewer than 2^63 chunks");
  }

  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return dataset_.dtype; }
  [[nodiscard]] const Layout& chunk_layout() const noexcept override { return layout_; }
  [[nodiscard]] std::uint64_t stored_nbytes() const override { return dataset_.stored_nbytes; }

  std::uint64_t read(const Dims& index, std::span<std::byte> elements) const override {
    const auto scratch = scratch_.borrow();
    const bool is_swapped = dataset_.byte_order == ByteOrder::swapped;
    if (is_swapped) scratch->elements.resize(elements.size());
    const std::span<std::byte> stored =
        is_swapped ? std::as_writable_bytes(std::span(scratch->elements)) : elements;
    const std::uint64_t nbytes = read_stored(index, stored, *scratch);
    if (is_swapped) {
      swap_bytes(elements.data(), stored.data(), stored.size(), item_size(component_type(dataset_.dtype)));
    }
    return nbytes;
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    refuse_hdf5(operation_, input_.path, pieces..., " (\"", dataset_.name, "\")");
  }

  /// The elements in the file's byte order.
  std::uint64_t read_stored(const Dims& index, std::span<std::byte> elements, Hdf5Scratch& scratch) const {
    const std::span<const std::byte> fill = std::as_bytes(std::span(dataset_.fill_value));
    if (dataset_.storage == Hdf5Storage::missing) {
      fill_elements(elements, fill);
      return 0;
    }
    if (dataset_.storage == Hdf5Storage::library) {
      const auto worker = workers_.borrow();
      worker->read(input_, dataset_, operation_, index, elements);
      return elements.size();
    }
    const Hdf5Chunk chunk = place_of(index);
    if (chunk.nbytes == 0) {
      fill_elements(elements, fill);
      return 0;
    }
    read_chunk(index, chunk, elements, scratch);
    return chunk.nbytes;
  }

  void read_chunk(const Dims& index, const Hdf5Chunk& chunk, std::span<std::byte> elements,
                  Hdf5Scratch& scratch) const {
    const std::uint64_t max_nbytes = max_stored_hdf5_chunk(dataset_.filters, elements.size());
    if (chunk.nbytes > max_nbytes) {
      refuse("has a chunk ", index, " of ", chunk.nbytes, " bytes, which must be at most ", max_nbytes);
    }
    const Hdf5Input& input = chunk_input();
    if (chunk.begin > input.nbytes || chunk.nbytes > input.nbytes - chunk.begin) {
      refuse("must have ", chunk.nbytes, " bytes of chunk ", index, " from byte ", chunk.begin,
             " on, it has ", input.nbytes);
    }
    scratch.buffers[0].resize(chunk.nbytes);
    const std::span<std::byte> stored = std::as_writable_bytes(std::span(scratch.buffers[0]));
    const bool is_direct = dataset_.filters.empty() && stored.size() == elements.size();
    if (!try_read(input, chunk.begin, is_direct ? elements : stored)) {
      refuse("must have ", chunk.nbytes, " bytes from byte ", chunk.begin, " on that can be read");
    }
    if (is_direct) return;
    const std::string where =
        tenstride::detail::message(operation_, ": \"", input_.path, "\" has a chunk ", index, " of \"",
                                   dataset_.name, "\" that must have ");
    decode_hdf5_chunk(dataset_.filters, chunk.mask, stored, elements, scratch, where);
  }

  [[nodiscard]] Hdf5Chunk place_of(const Dims& index) const {
    if (!has_table_) {
      const auto worker = workers_.borrow();
      return worker->find(input_, dataset_, operation_, index);
    }
    return table_[static_cast<std::size_t>(unit_number(grid_.counts(), index))];
  }

  /// The file that has the chunks.
  [[nodiscard]] const Hdf5Input& chunk_input() const { return dataset_.file.empty() ? input_ : other_; }

  std::string operation_;
  Hdf5Input input_;
  Hdf5Input other_;
  Hdf5Dataset dataset_;
  ChunkGrid grid_;
  Layout layout_;
  std::vector<Hdf5Chunk> table_;
  bool has_table_ = false;
  mutable Pool<Hdf5Scratch> scratch_;
  mutable Pool<Hdf5Worker> workers_;
};

}  // namespace

std::unique_ptr<ChunkSource> open_hdf5_source(const std::string& path, const std::string& name,
                                              std::string_view operation) {
  Hdf5Input input = open_hdf5(path, operation);
  DatasetAndTable read = read_dataset(input, name, operation);
  Hdf5Dataset& dataset = read.dataset;
  if (!dataset.obstacle.empty()) {
    throw FileError(
        tenstride::detail::message(operation, ": \"", path, "::", name, "\" must ", dataset.obstacle), path);
  }
  if (dataset.storage == Hdf5Storage::flat) {
    dataset.storage = Hdf5Storage::library;
    dataset.chunk =
        last_axes_chunk(dataset.shape, static_cast<Index>(item_size(dataset.dtype)), dataset.array_rank);
  }
  return std::make_unique<Hdf5Source>(std::move(input), std::move(read), operation);
}

}  // namespace tenstride::io
#endif
