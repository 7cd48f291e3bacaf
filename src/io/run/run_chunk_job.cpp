// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_chunk_job.hpp"

#include <algorithm>
#include <optional>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/temporary_chunks.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/run_report.hpp"
#include "io/job/source_files.hpp"
#include "io/run/chunk_destination.hpp"
#include "io/run/chunk_run.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The source of a tensor, and what must stay open for it.
struct OpenSource {
  std::unique_ptr<ChunkSource> chunks;
  std::optional<UnpackedFile> unpacked;
  std::unique_ptr<PartReader> parts;
};

OpenSource open_source(const TensorJob& tensor, const ChunkJob& chunks, const std::string& destination) {
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
  source.parts = std::make_unique<FlatPartReader>(info, chunks.plan.src_chunk, this_operation);
  return source;
}

/// Between two passes elements have the type that takes fewer bytes; the other pass only moves them.
enum class ChunkPass : unsigned char { only, first, second };

Conversion conversion_of(const TensorJob& tensor, const ChunkJob& chunks, ChunkPass pass) {
  const DType between = chunks.temporary_dtype;
  const bool converts_first = between != tensor.source.dtype;
  if (pass == (converts_first ? ChunkPass::second : ChunkPass::first)) {
    Conversion moved;
    moved.src = between;
    moved.types.push_back(between);
    return moved;
  }
  Conversion conversion;
  conversion.src = tensor.source.dtype;
  conversion.rescaling = tensor.rescaling ? &*tensor.rescaling : nullptr;
  conversion.types = tensor.conversions;
  if (conversion.types.empty()) conversion.types.push_back(tensor.dtype);
  conversion.scale = tensor.elements.scale;
  conversion.shift = tensor.elements.shift;
  if (!tensor.shape.empty())
    conversion.axis = wrap_axis(this_operation.data(), tensor.elements.axis, tensor.shape);
  return conversion;
}

/// The part of a box that lies in the tensor.
Box inside(Box box, const Dims& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    box.extents[d] = std::min(box.extents[d], shape[d] - box.first[d]);
  }
  return box;
}

/// One run of a job.
class ChunkJobRun {
 public:
  ChunkJobRun(const FileJob& job, const ProgressCallback& progress)
      : job_(job),
        binding_(bind_sources(job)),
        start_(Clock::now()),
        report_(job, progress, start_),
        destination_(job, binding_) {}

  FileResult run() {
    try {
      return run_all();
    } catch (const FileError&) {
      // What other tasks have written stays.
      if (!job_.options.task) destination_.discard();
      throw;
    }
  }

 private:
  FileResult run_all() {
    result_.is_resumed = destination_.is_resumed();
    if (!destination_.is_complete()) {
      for (std::size_t i = 0; i < job_.tensors.size(); ++i) run_tensor(i);
      check_sources(job_, binding_);
      destination_.flush();
      result_.tasks_left = destination_.count_unfinished_tasks([&] { report_.tell(bytes_before_); });
    }
    if (result_.tasks_left == 0) put_in_place();
    report_.tell_end();
    result_.seconds = seconds_since(start_);
    return result_;
  }

  void put_in_place() {
    result_.is_of_other_task = job_.options.task && destination_.is_complete();
    result_.checksum = destination_.checksum();
    result_.missing = destination_.missing();
    if (destination_.is_complete()) return;
    if (job_.options.check == FileCheck::checksum) check_destination();
    destination_.commit();
  }

  void run_tensor(std::size_t number) {
    const TensorJob& tensor = job_.tensors[number];
    const ChunkJob& chunks = *plan_of(job_).tensors[number].chunks;
    const double left = destination_.share_left(number);
    skip(tensor, chunks, 1 - left);
    if (left == 0) {
      tiles_before_ += chunks.tiles();
      return;
    }
    const OpenSource source = open_source(tensor, chunks, job_.destination);
    const std::unique_ptr<PartWriter> writer = destination_.writer(number);
    ChunkRunOptions options;
    options.threads = chunks.threads;
    options.is_left = [&](const Box& unit) { return destination_.is_left(number, unit); };
    options.finish = [&](const Box& unit, const PartSum& sum) { destination_.finish(number, unit, sum); };
    if (!chunks.second) {
      return run_pass(tensor, chunks, chunks.plan, chunks.map, *source.parts, *writer, ChunkPass::only,
                      options);
    }
    TemporaryChunks between({tensor.shape, chunks.temporary_chunk}, chunks.temporary_dtype, job_.destination,
                            this_operation);
    ChunkPartWriter to_between(between);
    const ChunkPartReader from_between(between);
    ChunkRunOptions first;
    first.threads = chunks.threads;
    // What only units need that an earlier run has finished is not made again.
    first.is_left = [&](const Box& box) {
      const std::vector<Box> units = writer->parts(inside(box, tensor.shape));
      return std::any_of(units.begin(), units.end(), options.is_left);
    };
    run_pass(tensor, chunks, chunks.plan, chunks.map, *source.parts, to_between, ChunkPass::first, first);
    run_pass(tensor, chunks, *chunks.second, IndexMap::identity(tensor.shape.size()), from_between, *writer,
             ChunkPass::second, options);
  }

  void run_pass(const TensorJob& tensor, const ChunkJob& chunks, const ChunkPlan& plan, const IndexMap& map,
                const PartReader& from, PartWriter& to, ChunkPass pass, ChunkRunOptions options) {
    report_.begin_pass(pass == ChunkPass::second ? 2 : 1);
    std::uint64_t bytes_done = 0;
    options.tell = [&](const ChunkProgress& now) {
      bytes_done = now.bytes_done;
      report_.finish_tiles(static_cast<std::uint64_t>(tiles_before_ + now.tiles_done));
      report_.tell(bytes_before_ + now.bytes_done);
    };
    const ChunkResult done =
        run_chunks(plan, map, tensor.shape, from, to, conversion_of(tensor, chunks, pass), options);
    bytes_before_ += bytes_done;
    tiles_before_ += plan.tiles;
    result_.bytes_read += done.bytes_read;
    result_.bytes_written += done.bytes_written;
  }

  /// Counts what an earlier run has done of a tensor.
  void skip(const TensorJob& tensor, const ChunkJob& chunks, double share) {
    double nbytes = chunks.plan.decoded_nbytes;
    if (chunks.second) nbytes += chunks.second->decoded_nbytes;
    const auto written = static_cast<std::uint64_t>(count_elements(tensor.shape)) * item_size(tensor.dtype);
    const auto skipped = static_cast<std::uint64_t>(share * (nbytes + static_cast<double>(written)));
    // Most of it is what other tasks do.
    if (job_.options.task) return report_.leave_out(skipped, 0);
    report_.skip(skipped);
  }

  void check_destination() {
    Checksum found;
    for (std::size_t i = 0; i < job_.tensors.size(); ++i) found += destination_.read_back(i);
    if (found != result_.checksum) {
      throw FileError(message(this_operation, ": \"", job_.destination, "\" must have the checksum ",
                              to_string(result_.checksum), ", what was read back has ", to_string(found)),
                      job_.destination);
    }
    result_.is_checked = true;
  }

  const FileJob& job_;
  Binding binding_;
  Clock::time_point start_;
  RunReport report_;
  ChunkDestination destination_;
  FileResult result_;
  std::uint64_t bytes_before_ = 0;
  Index tiles_before_ = 0;
};

}  // namespace

FileResult run_chunk_job(const FileJob& job, const ProgressCallback& progress) {
  return ChunkJobRun(job, progress).run();
}

}  // namespace tenstride::io
