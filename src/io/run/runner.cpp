// SPDX-License-Identifier: Apache-2.0
#include "io/run/runner.hpp"

#include <algorithm>
#include <optional>

#include "io/ends/edge_file.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/part_sink.hpp"
#include "io/ends/part_source.hpp"
#include "io/ends/temporary_chunks.hpp"
#include "io/ends/tile_sink.hpp"
#include "io/ends/tile_source.hpp"
#include "io/job/job_plan.hpp"
#include "io/plan/unit_numbers.hpp"
#include "io/run/check_sum.hpp"
#include "io/run/destination.hpp"
#include "io/run/run_report.hpp"
#include "io/run/source_files.hpp"
#include "io/run/tile_run.hpp"
#include "io/run/unpack_straight.hpp"

namespace tenstride::io {
namespace {

/// Which of the passes of a tensor one is. The conversion is made in the pass after which the fewest bytes
/// are moved; the others only move elements.
enum class PassRole : unsigned char { only, first, second };

Conversion moved(DType dtype) {
  Conversion conversion;
  conversion.src = dtype;
  return conversion;
}

Conversion conversion_of(const TensorJob& tensor, const TilePlan& plan, PassRole role) {
  if (role == (plan.converts_first ? PassRole::second : PassRole::first))
    return moved(plan.converts_first ? tensor.dtype : tensor.source.dtype);
  Conversion conversion = moved(tensor.source.dtype);
  conversion.rescaling = tensor.rescaling ? &*tensor.rescaling : nullptr;
  conversion.types = tensor.conversions;
  conversion.scale = tensor.elements.scale;
  conversion.shift = tensor.elements.shift;
  conversion.axis = plan.problem.unmerged_axis.value_or(0);
  conversion.reduction = tensor.reduction;
  conversion.reduced = tensor.dtype;
  if (!tensor.reduction && conversion.types.empty()) conversion.types.push_back(tensor.dtype);
  for (std::size_t d = 0; tensor.reduction && d < plan.problem.dst.rank(); ++d) {
    if (plan.problem.dst.strides[d] == 0) conversion.reduced_axes.push_back(static_cast<Index>(d));
  }
  return conversion;
}

PassRole role_of(const TilePlan& plan, std::size_t pass) {
  if (plan.passes.size() == 1) return PassRole::only;
  return pass == 0 ? PassRole::first : PassRole::second;
}

/// A pass of the plan that writes the destination, or blocks for the next one.
TileWork work_of(const TensorJob& tensor, const TilePlan& plan, std::size_t number) {
  const TilePass& pass = plan.passes[number];
  const PassRole role = role_of(plan, number);
  TileWork work{plan.problem.src.shape, pass.tile, pass.tiles, conversion_of(tensor, plan, role)};
  if (role != PassRole::first) work.positions = plan.problem.positions;
  work.threads = plan.threads;
  work.units_nbytes = static_cast<std::uint64_t>(pass.units_bytes);
  return work;
}

/// The source of a tensor from which any threads read, and what must stay open for it.
struct OpenParts {
  std::unique_ptr<ChunkSource> chunks;
  std::optional<UnpackedFile> unpacked;
  std::unique_ptr<PartReader> reader;
};

OpenParts open_parts(const TensorJob& tensor, const TilePlan& plan, const std::string& destination) {
  OpenParts parts;
  FileInfo info = tensor.source;
  if (info.storage == ElementStorage::chunked) {
    parts.chunks = open_chunks(info, this_operation);
    parts.reader = std::make_unique<ChunkPartReader>(*parts.chunks);
    return parts;
  }
  if (info.storage == ElementStorage::stream) {
    parts.unpacked.emplace(info, destination, this_operation);
    info.path = parts.unpacked->path();
  }
  parts.reader = std::make_unique<FlatPartReader>(info, plan.passes[0].part, this_operation);
  return parts;
}

/// The part of a box that lies in the tensor.
Box inside(Box box, const Dims& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    box.extents[d] = std::min(box.extents[d], shape[d] - box.first[d]);
  }
  return box;
}

/// Past the page cache only where all requests are whole pages: a plan with little memory has none.
DiskAccess access_of(const FileJob& job) {
  for (const TensorPlan& plan : plan_of(job).tensors) {
    for (const FileStage& stage : plan.stages) {
      if (stage.plan.page == 1) return DiskAccess::buffered;
    }
  }
  return job.options.access;
}

/// One run of a job.
class Runner {
 public:
  Runner(const FileJob& job, const ProgressCallback& progress)
      : job_(job),
        access_(access_of(job)),
        sources_(job, access_),
        binding_(bind_sources(job)),
        start_(Clock::now()),
        report_(job, progress, start_),
        destination_(job, binding_, count_parts(job)) {}

  FileResult run() {
    result_.is_resumed = destination_.is_resumed();
    if (!destination_.is_complete()) {
      for (std::size_t i = 0; i < job_.tensors.size(); ++i) run_tensor(i);
      check_sources(job_, binding_);
      destination_.flush();
      result_.tasks_left = destination_.count_unfinished_tasks([&] { report(); });
    }
    if (result_.tasks_left == 0) put_in_place();
    report_.tell_end();
    result_.bytes_read += moved_.read;
    result_.bytes_written += moved_.written;
    result_.seconds = seconds_since(start_);
    return result_;
  }

  /// What other tasks have written stays.
  void discard() noexcept {
    if (!job_.options.task) destination_.discard();
  }

 private:
  void put_in_place() {
    result_.is_of_other_task = job_.options.task && destination_.is_complete();
    result_.checksum = destination_.checksum();
    result_.missing = destination_.missing();
    if (destination_.is_complete()) return;
    destination_.trim();
    if (job_.options.check == FileCheck::checksum) check_destination();
    destination_.commit();
  }

  void run_tensor(std::size_t number) {
    const TensorJob& tensor = job_.tensors[number];
    const TensorPlan& plan = plan_of(job_).tensors[number];
    if (plan.is_in_parts()) {
      run_parts(number, plan.stages[0].plan);
    } else if (unpacks_straight(tensor, plan)) {
      unpack(tensor, plan.stages[0].plan.passes[0], destination_.first_part(number));
    } else {
      run_stages(tensor, plan.stages, destination_.first_part(number));
    }
  }

  // ---- Flat files: a pass is noted tile by tile, and the file of blocks stays for a run that goes on.

  void run_stages(const TensorJob& tensor, const std::vector<FileStage>& stages, std::size_t first_part) {
    for (const auto& [plan, blocks_begin] : stages) {
      const bool is_last_stage = &plan == &stages.back().plan;
      for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        const bool is_first = &plan == &stages.front().plan && i == 0;
        TileWork work = work_of(tensor, plan, i);
        if (!is_last_stage) {
          work.conversion = moved(tensor.source.dtype);
          work.positions.reset();
        }
        run_flat_pass(tensor, {plan, i, blocks_begin}, work, first_part, is_first);
        first_part += static_cast<std::size_t>(work.tiles);
      }
    }
  }

  void run_flat_pass(const TensorJob& tensor, const FlatPass& pass, const TileWork& work,
                     std::size_t first_part, bool is_first) {
    const auto count = static_cast<std::size_t>(work.tiles);
    tiles_skipped_ = take_done(first_part, count, pass.pass().read.bytes + pass.pass().write.bytes).left_out;
    if (tiles_skipped_ == count) return skip_pass(work.tiles);
    TileNotes notes{std::vector<bool>(count), [&] { report(); },
                    [&](Index tile, const PartSum& sum) {
                      destination_.finish(first_part + static_cast<std::size_t>(tile), sum);
                    }};
    for (std::size_t i = 0; i < count; ++i) notes.left_out[i] = !destination_.is_left(first_part + i);
    if (is_first) sources_.open(tensor.source);
    const bool is_last = work.positions.has_value();
    std::optional<DiskFile> part, blocks;
    std::optional<EdgeFile> edges;
    if (is_last) part = DiskFile::open_to_write(destination_.path(), access_, this_operation);
    if (is_last && job_.options.task) edges.emplace(destination_.path(), this_operation);
    if (!is_first || !is_last)
      blocks = DiskFile::open_to_write(destination_.blocks_path(), access_, this_operation);
    const TileTarget target{is_last ? *part : *blocks, is_last ? tensor.data_begin : 0,
                            is_last ? job_.nbytes : job_.temporary_bytes, destination_.is_resumed(),
                            edges ? &*edges : nullptr};
    TileSink sink(target, pass, work.conversion.dst(), notes, moved_);
    TileSource source(is_first ? sources_.current() : *blocks, pass, work.conversion.src, notes, moved_);
    if (is_first && tensor.source.is_byte_swapped) source.swap_bytes();
    if (is_last && tensor.is_byte_swapped) sink.swap_bytes();
    if (is_first && checks_source()) source.add_checksums_to(source_sum_);
    run_pass(work, source, sink);
  }

  /// All parts of a tensor at once: of a stream nothing is read again.
  void unpack(const TensorJob& tensor, const TilePass& pass, std::size_t first_part) {
    const auto count = static_cast<std::size_t>(pass.tiles);
    if (take_done(first_part, count, pass.read.bytes + pass.write.bytes).left_out == count)
      return skip_pass(pass.tiles);
    report_.begin_pass(pass_number_ + 1);
    Checksum sum = unpack_straight(tensor, destination_.path(), [&](std::uint64_t nbytes) {
      moved_.add_written(nbytes, nbytes);
      report();
    });
    moved_.read += tensor.source.stream.nbytes;
    if (checks_source()) source_sum_ += sum;
    for (std::size_t i = first_part; i < first_part + count; ++i) {
      if (destination_.is_left(i)) destination_.finish(i, {std::exchange(sum, {})});
    }
    skip_pass(pass.tiles);
  }

  // ---- In parts: units are noted, by any thread, and blocks are in a file without a name.

  void run_parts(std::size_t number, const TilePlan& plan) {
    const TensorJob& tensor = job_.tensors[number];
    const TilePass &first = plan.passes.front(), &last = plan.passes.back();
    const UnitNumbers numbers(tensor.shape, last);
    const std::size_t first_part = destination_.first_part(number);
    const Index nbytes = plan.bytes_read() + plan.bytes_written();
    if (take_done(first_part, numbers.count(), nbytes).left_out == numbers.count()) {
      for (const TilePass& pass : plan.passes) skip_pass(pass.tiles);
      return;
    }
    const auto part_of_unit = [&](const Box& unit) { return first_part + numbers.number(unit); };
    const auto is_left = [&](const Box& unit) { return destination_.is_left(part_of_unit(unit)); };
    const auto finish = [&](const Box& unit, const PartSum& sum) {
      destination_.finish(part_of_unit(unit), sum);
    };
    const OpenParts from = open_parts(tensor, plan, job_.destination);
    const std::unique_ptr<PartWriter> to = destination_.writer(number, last.unit);
    PartSource source(*from.reader, plan.map, first.order, moved_);
    PartSink sink(*to, last.unit, {is_left, finish}, moved_);
    if (plan.passes.size() == 1) return run_pass(work_of(tensor, plan, 0), source, sink);
    TemporaryChunks blocks({tensor.shape, plan.block},
                           plan.converts_first ? tensor.dtype : tensor.source.dtype, job_.destination,
                           this_operation);
    ChunkPartWriter to_blocks(blocks);
    const ChunkPartReader from_blocks(blocks);
    // What only units need that an earlier run has finished is not made again.
    const auto is_needed = [&](const Box& block) {
      const std::vector<Box> units = to->parts(inside(block, tensor.shape));
      return std::any_of(units.begin(), units.end(), is_left);
    };
    PartSink block_sink(to_blocks, first.unit, {is_needed, {}}, moved_);
    run_pass(work_of(tensor, plan, 0), source, block_sink);
    const IndexMap same = IndexMap::identity(tensor.shape.size());
    PartSource block_source(from_blocks, same, last.order, moved_);
    run_pass(work_of(tensor, plan, 1), block_source, sink);
  }

  // ---- Both.

  void run_pass(const TileWork& work, Source& source, Sink& sink) {
    report_.begin_pass(pass_number_ + 1);
    run_tiles(work, source, sink, [&](Index written, Index skipped) {
      tiles_written_ = static_cast<std::uint64_t>(written);
      tiles_skipped_ = std::max(tiles_skipped_, static_cast<std::uint64_t>(skipped));
      report();
    });
    skip_pass(work.tiles);
  }

  void skip_pass(Index tiles) {
    ++pass_number_;
    tiles_written_ = tiles_skipped_ = 0;
    tiles_before_ += static_cast<std::uint64_t>(tiles);
  }

  /// What an earlier run has done of so many parts, for which `nbytes` are moved, and other tasks do. Tells
  /// it.
  Destination::Done take_done(std::size_t first_part, std::size_t parts, Index nbytes) {
    const Destination::Done done = destination_.count_done(first_part, parts);
    const auto share = [&](std::size_t count) {
      return parts == 0 ? 0
                        : static_cast<std::uint64_t>(static_cast<double>(nbytes) *
                                                     static_cast<double>(count) / static_cast<double>(parts));
    };
    report_.skip(share(done.finished));
    report_.leave_out(share(done.left_out - done.finished));
    return done;
  }

  void report() {
    report_.finish_tiles(tiles_before_ + tiles_written_ + tiles_skipped_);
    report_.tell(moved_.done);
  }

  /// Whether the checksum of what is read must be that of what is written: elements are moved, and all in
  /// this run.
  [[nodiscard]] bool checks_source() const {
    const bool only_moves =
        std::all_of(job_.tensors.begin(), job_.tensors.end(), [](const TensorJob& tensor) {
          return !tensor.reduction && !tensor.rescaling && tensor.conversions.empty() &&
                 !tensor.elements.has_arithmetic();
        });
    const std::vector<TensorPlan>& plans = plan_of(job_).tensors;
    const bool reads_once = std::all_of(plans.begin(), plans.end(), [](const TensorPlan& plan) {
      return plan.stages.size() == 1 && !plan.is_in_parts();
    });
    return job_.options.check == FileCheck::checksum && only_moves && reads_once &&
           !destination_.is_resumed() && !job_.options.task;
  }

  void check_destination() {
    if (checks_source()) check_sum(job_, result_.checksum, "what was read", source_sum_);
    Checksum found;
    for (std::size_t i = 0; i < job_.tensors.size(); ++i) found += destination_.read_back(i);
    check_sum(job_, result_.checksum, "what was read back", found);
    result_.is_checked = true;
  }

  const FileJob& job_;
  DiskAccess access_;
  SourceFiles sources_;
  Binding binding_;
  Clock::time_point start_;
  RunReport report_;
  Destination destination_;
  FileResult result_;
  Checksum source_sum_;
  MovedBytes moved_;
  int pass_number_ = 0;
  /// How many tiles were in earlier passes, and are in this one: those that an earlier run has written, or
  /// other tasks do, are skipped.
  std::uint64_t tiles_before_ = 0;
  std::uint64_t tiles_written_ = 0;
  std::uint64_t tiles_skipped_ = 0;
};

}  // namespace

FileResult run_planned(const FileJob& job, const ProgressCallback& progress) {
  Runner runner(job, progress);
  try {
    return runner.run();
  } catch (const FileError&) {
    runner.discard();
    throw;
  }
}

}  // namespace tenstride::io
