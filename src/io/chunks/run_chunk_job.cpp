// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <optional>

#include "base/message.hpp"
#include "io/chunks/chunk_job.hpp"
#include "io/chunks/chunk_run.hpp"
#include "io/chunks/temporary_chunks.hpp"
#include "io/large/file_limits.hpp"
#include "io/large/run_report.hpp"
#include "io/large/unpacked_file.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The source of a tensor, and what must stay open for it.
struct OpenSource {
  std::unique_ptr<ChunkSource> chunks;
  std::optional<UnpackedFile> unpacked;
  std::unique_ptr<PartReader> parts;
};

OpenSource open_source(const TensorJob& tensor, const std::string& destination) {
  OpenSource source;
  FileInfo info = tensor.source;
  if (info.storage == ElementStorage::chunked) {
    source.chunks = format_of(info.kind).chunks(info, this_operation);
    source.parts = std::make_unique<ChunkPartReader>(*source.chunks);
    return source;
  }
  if (info.storage == ElementStorage::stream) {
    source.unpacked.emplace(info, destination, this_operation);
    info.path = source.unpacked->path();
  }
  source.parts = std::make_unique<FlatPartReader>(info, tensor.chunks->plan.src_chunk, this_operation);
  return source;
}

/// Between two passes elements have the type that takes fewer bytes; the other pass only moves them.
enum class ChunkPass : unsigned char { only, first, second };

Conversion conversion_of(const FileJob& job, const TensorJob& tensor, ChunkPass pass) {
  const DType between = tensor.chunks->temporary_dtype;
  const bool converts_first = between != tensor.source.dtype;
  if (pass == (converts_first ? ChunkPass::second : ChunkPass::first)) {
    Conversion moved;
    moved.src = between;
    moved.types.push_back(between);
    return moved;
  }
  Conversion conversion;
  conversion.src = tensor.source.dtype;
  conversion.types = tensor.conversions;
  if (conversion.types.empty()) conversion.types.push_back(tensor.dtype);
  conversion.scale = job.options.scale;
  conversion.shift = job.options.shift;
  if (!tensor.shape.empty())
    conversion.axis = wrap_axis(this_operation.data(), job.options.axis, tensor.shape);
  return conversion;
}

/// The destination while it is written: chunks of a folder, or a file of elements one after the other.
class Destination {
 public:
  explicit Destination(const FileJob& job) : job_(job) {
    const FileFormat& format = format_of(job.options.kind);
    if (writes_chunks(format, job.options.chunks)) {
      std::vector<NewTensor> tensors;
      for (const TensorJob& tensor : job.tensors) tensors.push_back(tensor.planned());
      chunks_ = format.create_chunks(job.destination, tensors, job.options.chunks, job.options.overwrite,
                                     this_operation);
      return;
    }
    file_.emplace(job.destination, job.options.overwrite, this_operation);
    file_->reserve(static_cast<std::size_t>(job.nbytes));
    file_->write(std::as_bytes(std::span(job.head)));
  }

  std::unique_ptr<PartWriter> writer(std::size_t number) {
    if (chunks_) return std::make_unique<ChunkPartWriter>(chunks_->sink(number));
    const TensorJob& tensor = job_.tensors[number];
    return std::make_unique<FlatPartWriter>(file_->temporary_path(), tensor.layout, tensor.dtype,
                                            tensor.data_begin, tensor.chunks->plan.dst_unit, this_operation);
  }

  [[nodiscard]] Checksum read_back(std::size_t number) const {
    if (chunks_) return checksum_chunks(*chunks_->read_back(number));
    const TensorJob& tensor = job_.tensors[number];
    FileInfo written;
    written.path = file_->temporary_path();
    written.dtype = tensor.dtype;
    written.layout = tensor.layout;
    written.data_begin = tensor.data_begin;
    return checksum_file(written, static_cast<std::uint64_t>(job_.limits.memory));
  }

  void commit() {
    if (chunks_) chunks_->commit();
    if (file_) file_->commit();
  }

 private:
  const FileJob& job_;
  std::unique_ptr<ChunkFile> chunks_;
  std::optional<AtomicFile> file_;
};

}  // namespace

Checksum checksum_chunks(const ChunkSource& source) {
  return checksum_chunks(source, row_major_strides(source.grid().shape));
}

Checksum checksum_chunks(const ChunkSource& source, const Dims& strides) {
  const ChunkGrid& grid = source.grid();
  const Dims counts = grid.counts();
  const Dims zeros = Dims::filled(grid.shape.size(), 0);
  const auto nbytes = static_cast<std::size_t>(count_elements(grid.chunk)) * item_size(source.dtype());
  std::mutex mutex;
  Checksum all;
  parallel_for(0, count_elements(counts), 1, [&](Index first, Index last) {
    const ThreadScope serial(1);
    const Storage buffer = Storage::allocate(nbytes);
    const Tensor chunk(buffer, source.chunk_layout(), source.dtype());
    Checksum sum;
    for (Index number = first; number < last; ++number) {
      const Dims index = unit_index(counts, number);
      source.read(index, {buffer.mutable_data(), nbytes});
      const ChunkBox box = chunk_box(grid, index);
      Layout positions{box.extents, strides, 0};
      for (std::size_t d = 0; d < strides.size(); ++d) positions.offset += box.first[d] * strides[d];
      sum += checksum(part_of(chunk, zeros, box.extents), positions);
    }
    const std::lock_guard lock(mutex);
    all += sum;
  });
  return all;
}

FileResult run_chunk_job(const FileJob& job, const ProgressCallback& progress) {
  const Clock::time_point start = Clock::now();
  RunReport report(job, progress, start);
  if (job.options.resume == Resume::required) {
    throw FileError(message(this_operation, ": \"", job.destination,
                            "\" must be begun anew: what goes from chunks or to chunks is not resumed"),
                    job.destination);
  }
  Destination destination(job);
  FileResult result;
  std::uint64_t bytes_before = 0;
  Index tiles_before = 0;
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    const TensorJob& tensor = job.tensors[i];
    const ChunkJob& chunks = *tensor.chunks;
    const OpenSource source = open_source(tensor, job.destination);
    const std::unique_ptr<PartWriter> writer = destination.writer(i);
    const auto run_pass = [&](const ChunkPlan& plan, const AxisMap& map, const PartReader& from,
                              PartWriter& to, ChunkPass pass) {
      report.begin_pass(pass == ChunkPass::second ? 2 : 1);
      std::uint64_t bytes_done = 0;
      const ChunkResult done =
          run_chunks(plan, map, tensor.shape, from, to, conversion_of(job, tensor, pass), chunks.threads,
                     [&](const ChunkProgress& now) {
                       bytes_done = now.bytes_done;
                       report.finish_tiles(static_cast<std::uint64_t>(tiles_before + now.tiles_done));
                       report.tell(bytes_before + now.bytes_done);
                     });
      bytes_before += bytes_done;
      tiles_before += plan.tiles;
      result.bytes_read += done.bytes_read;
      result.bytes_written += done.bytes_written;
      return done.checksum;
    };
    if (!chunks.second) {
      result.checksum += run_pass(chunks.plan, chunks.map, *source.parts, *writer, ChunkPass::only);
      continue;
    }
    TemporaryChunks between({tensor.shape, chunks.temporary_chunk}, chunks.temporary_dtype, job.destination,
                            this_operation);
    ChunkPartWriter to_between(between);
    const ChunkPartReader from_between(between);
    run_pass(chunks.plan, chunks.map, *source.parts, to_between, ChunkPass::first);
    result.checksum +=
        run_pass(*chunks.second, identity_map(tensor.shape.size()), from_between, *writer, ChunkPass::second);
  }
  if (job.options.check == FileCheck::checksum) {
    Checksum found;
    for (std::size_t i = 0; i < job.tensors.size(); ++i) found += destination.read_back(i);
    if (found != result.checksum) {
      throw FileError(message(this_operation, ": \"", job.destination, "\" must have the checksum ",
                              to_string(result.checksum), ", what was read back has ", to_string(found)),
                      job.destination);
    }
    result.is_checked = true;
  }
  destination.commit();
  report.tell_end();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace tenstride::io
