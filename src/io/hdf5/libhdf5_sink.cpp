// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/message.hpp"
#include "files/descriptor.hpp"
#include "files/free_room.hpp"
#include "files/system_reason.hpp"
#include "io/hdf5/copy_objects.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/hdf5/filters.hpp"
#include "io/hdf5/hdf5_sink.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/hdf5/libhdf5_write.hpp"
#include "io/hdf5/refuse.hpp"
#include "io/plan/default_chunk.hpp"
#include "io/zarr/pool.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The file that is written, and as what errors know it.
struct WrittenFile {
  std::string operation;
  std::string path;
  Hdf5DiskFile disk;

  /// Throws where the file did not take something, which libhdf5 does not know.
  void check_disk(std::size_t nbytes) const {
    if (disk.error == 0) return;
    refuse_hdf5(operation, path, "must have room for ", nbytes, " more bytes", of_which_free(disk.file.get()),
                system_reason(disk.error));
  }
};

class Hdf5Sink final : public ChunkSink {
 public:
  /// The dataset and the file stay the caller's.
  Hdf5Sink(hid_t dataset, const WrittenFile& file, ChunkGrid grid, DType dtype, const Hdf5Codec& codec)
      : dataset_(dataset), file_(file), grid_(std::move(grid)), dtype_(dtype), codec_(codec) {}

  [[nodiscard]] const ChunkGrid& grid() const noexcept override { return grid_; }
  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }
  /// Zero.
  [[nodiscard]] std::span<const std::byte> fill_value() const noexcept override { return {}; }

  std::uint64_t write(const Dims& index, std::span<const std::byte> elements) override {
    if (index.empty()) return write_single(elements);
    const auto scratch = scratch_.borrow();
    std::span<const std::byte> stored = elements;
    if (codec_.shuffle == Hdf5Shuffle::yes) {
      scratch->elements.resize(elements.size());
      const std::span<std::byte> shuffled = std::as_writable_bytes(std::span(scratch->elements));
      shuffle_bytes(shuffled, elements, item_size(dtype_));
      stored = shuffled;
    }
    if (codec_.level > 0) {
      stored = deflate_bytes(stored, codec_.level, *scratch,
                             message(file_.operation, ": \"", file_.path, "\" must have "));
    }
    std::array<hsize_t, H5S_MAX_RANK> first{};
    for (std::size_t d = 0; d < index.size(); ++d) first[d] = static_cast<hsize_t>(index[d] * grid_.chunk[d]);
    const Hdf5Lock lock;
    if (H5Dwrite_chunk(dataset_, H5P_DEFAULT, 0, first.data(), stored.size(), stored.data()) < 0) {
      refuse_hdf5(file_.operation, file_.path, "must be writable, chunk ", index, " could not be written",
                  libhdf5_reason());
    }
    file_.check_disk(stored.size());
    return stored.size();
  }

 private:
  /// HDF5 has no chunks of a dataset without axes.
  std::uint64_t write_single(std::span<const std::byte> elements) {
    const Hdf5Lock lock;
    const Hdf5Id type(H5Dget_type(dataset_), H5Tclose);
    if (H5Dwrite(dataset_, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()) < 0) {
      refuse_hdf5(file_.operation, file_.path, "must be writable", libhdf5_reason());
    }
    file_.check_disk(elements.size());
    return elements.size();
  }

  hid_t dataset_;
  const WrittenFile& file_;
  ChunkGrid grid_;
  DType dtype_;
  Hdf5Codec codec_;
  Pool<Hdf5Scratch> scratch_;
};

class Hdf5ChunkFile final : public ChunkFile {
 public:
  Hdf5ChunkFile(const std::string& path, const std::vector<NewTensor>& tensors, const ChunkOptions& options,
                Overwrite overwrite, std::string_view operation)
      : written_{std::string(operation), path, Hdf5DiskFile()}, as_stored_(options.as_stored) {
    const Hdf5Codec codec = parse_hdf5_codec(options.codec, operation);
    std::vector<Hdf5Layout> layouts;
    std::vector<ChunkGrid> grids;
    for (const NewTensor& tensor : tensors) {
      grids.push_back(plan_hdf5_chunks(tensor, options, operation));
      layouts.push_back({grids.back().chunk, codec});
      names_.push_back(tensor.name);
    }
    target_ = std::make_unique<AtomicFile>(path, overwrite, operation);
    const Hdf5Lock lock;
    try {
      written_.disk.file = Descriptor(open(target_->temporary_path().c_str(), O_RDWR | O_CLOEXEC));
      if (!written_.disk.file.is_open())
        refuse_hdf5(operation, path, "must be a file that can be opened", system_reason(errno));
      file_ = create_hdf5_file(written_.disk);
      if (!file_.is_open())
        refuse_hdf5(operation, path, "must be a file that can be written", libhdf5_reason());
      datasets_ = create_hdf5_datasets(file_.get(), tensors, layouts, operation);
    } catch (...) {
      close();
      throw;
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      sinks_.push_back(
          std::make_unique<Hdf5Sink>(datasets_[i].get(), written_, grids[i], tensors[i].dtype, codec));
    }
  }
  ~Hdf5ChunkFile() override {
    const Hdf5Lock lock;
    close();
  }
  Hdf5ChunkFile(const Hdf5ChunkFile&) = delete;
  Hdf5ChunkFile& operator=(const Hdf5ChunkFile&) = delete;

  [[nodiscard]] ChunkSink& sink(std::size_t number) override { return *sinks_.at(number); }

  [[nodiscard]] std::unique_ptr<ChunkSource> read_back(std::size_t number) const override {
    {
      const Hdf5Lock lock;
      if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) {
        refuse_hdf5(written_.operation, written_.path, "must be writable to its end", libhdf5_reason());
      }
      check_end();
    }
    return open_hdf5_source(target_->temporary_path(), names_.at(number), written_.operation);
  }

  void commit() override {
    sinks_.clear();
    {
      const Hdf5Lock lock;
      if (close() < 0)
        refuse_hdf5(written_.operation, written_.path, "must be writable to its end", libhdf5_reason());
    }
    check_end();
    copy_hdf5_objects(target_->temporary_path(), as_stored_, written_.operation);
    target_->commit();
  }

 private:
  void check_end() const {
    if (written_.disk.error == 0) return;
    refuse_hdf5(written_.operation, written_.path, "must be writable to its end",
                system_reason(written_.disk.error));
  }
  /// Pre: the lock is held.
  herr_t close() noexcept {
    datasets_.clear();
    return file_.reset();
  }

  WrittenFile written_;
  std::vector<FileInfo> as_stored_;
  std::vector<std::string> names_;
  std::unique_ptr<AtomicFile> target_;
  Hdf5Id file_;
  std::vector<Hdf5Id> datasets_;
  std::vector<std::unique_ptr<Hdf5Sink>> sinks_;
};

}  // namespace

ChunkGrid plan_hdf5_chunks(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation) {
  const auto item = static_cast<Index>(item_size(tensor.dtype));
  if (!options.shard.empty()) {
    throw ValueError(
        message(operation, ": a shard ", options.shard, " must be asked of Zarr 3, HDF5 has none"));
  }
  const bool is_usual = options.chunk.empty() || tensor.has_usual_chunks;
  ChunkGrid grid{tensor.shape, is_usual ? default_chunk(tensor.shape, item, {}) : options.chunk};
  if (grid.chunk.size() != tensor.shape.size()) {
    throw ValueError(
        message(operation, ": a chunk ", grid.chunk, " must have as many axes as the tensor ", tensor.shape));
  }
  std::optional<Index> nbytes = item;
  for (std::size_t d = 0; d < grid.chunk.size(); ++d) {
    if (grid.chunk[d] < 1)
      throw ValueError(message(operation, ": a chunk ", grid.chunk, " must have positive extents"));
    grid.chunk[d] = std::min(grid.chunk[d], std::max<Index>(tensor.shape[d], 1));
    nbytes = nbytes ? try_multiply(*nbytes, grid.chunk[d]) : nbytes;
  }
  if (!nbytes || static_cast<std::uint64_t>(*nbytes) > max_hdf5_chunk) {
    throw ValueError(message(operation, ": a chunk ", grid.chunk, " of ", name(tensor.dtype),
                             " must have at most ", max_hdf5_chunk, " bytes"));
  }
  return grid;
}

std::unique_ptr<ChunkFile> create_hdf5(const std::string& path, const std::vector<NewTensor>& tensors,
                                       const ChunkOptions& options, Overwrite overwrite,
                                       std::string_view operation) {
  return std::make_unique<Hdf5ChunkFile>(path, tensors, options, overwrite, operation);
}

}  // namespace tenstride::io
#endif
