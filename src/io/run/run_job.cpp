// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/permute_file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

#include "base/message.hpp"
#include "io/ends/edge_file.hpp"
#include "io/ends/operation.hpp"
#include "io/job/as_stored.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/plan_metadata_job.hpp"
#include "io/job/run_report.hpp"
#include "io/job/source_files.hpp"
#include "io/job/unpack_straight.hpp"
#include "io/output/resumable_file.hpp"
#include "io/run/run_chunk_job.hpp"
#include "io/run/run_task.hpp"
#include "io/run/tile_groups.hpp"

/// What carries a plan out.
namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr int poll_milliseconds = 50;

/// To the end of its page, which belongs to nothing else: with whatever lies in the buffer.
void pad(Piece& piece, std::uint64_t page) {
  const std::uint64_t end = (piece.begin + piece.nbytes + page - 1) / page * page;
  piece.nbytes = static_cast<std::size_t>(end - piece.begin);
}

DiskAccess access_of(const FileJob& job) {
  DiskAccess access = job.options.access;
  for (const TensorPlan& tensor : plan_of(job).tensors) {
    for (const FileStage& stage : tensor.stages) access = access_of(stage.plan, access);
  }
  return access;
}

/// One run of a job.
class Runner {
 public:
  Runner(const FileJob& job, const ProgressCallback& progress)
      : job_(job),
        sources_(job, access_of(job)),
        binding_(bind_sources(job)),
        start_(Clock::now()),
        report_(job, progress, start_),
        destination_(job.destination, job.nbytes, job.temporary_bytes, parts(), binding_,
                     job.options.overwrite, job.options.resume, this_operation) {}

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
  [[nodiscard]] std::size_t parts() const {
    Index tiles = 0;
    for (const TensorPlan& tensor : plan_of(job_).tensors) {
      for (const FileStage& stage : tensor.stages) {
        for (const BlockPass& pass : stage.plan.passes) tiles += pass.tiles;
      }
    }
    return static_cast<std::size_t>(tiles);
  }

  FileResult run_all() {
    if (destination_.is_complete()) {
      report_.tell_end();
      return {.checksum = destination_.checksum(),
              .missing = destination_.missing(),
              .seconds = seconds_since(start_),
              .is_resumed = true,
              .is_of_other_task = job_.options.task.has_value()};
    }
    DiskFile part = DiskFile::open_to_write(destination_.part_path(), access_of(job_), this_operation);
    const std::vector<bool> left_out = destination_.left_out();
    // A run that ended behind its last part may have dropped its temporary space.
    const bool has_all = std::find(left_out.begin(), left_out.end(), false) == left_out.end();
    if (left_out.empty() || !has_all) run_passes(part, left_out);
    check_sources(job_, binding_);
    if (job_.options.task) flush(part);  // then it counts on other machines, too
    FileResult result;
    result.bytes_read = bytes_read_;
    result.bytes_written = bytes_written_;
    result.is_resumed = destination_.is_resumed();
    result.tasks_left = destination_.count_unfinished_tasks([&] { report(); });
    result.is_of_other_task = destination_.is_complete();
    if (result.tasks_left > 0 || result.is_of_other_task) {
      report_.tell_end();
      result.seconds = seconds_since(start_);
      return result;
    }
    result.checksum = destination_.checksum();
    result.missing = destination_.missing();
    part.truncate(job_.nbytes);
    if (job_.options.check == FileCheck::checksum) {
      if (checks_source()) check_sum("what was read", source_sum_, result.checksum);
      check_destination(result.checksum);
      result.is_checked = true;
    }
    if (job_.temporary_bytes > 0) destination_.drop_blocks();
    add_as_stored(job_, destination_.part_path());
    destination_.commit();
    report_.tell_end();
    result.seconds = seconds_since(start_);
    return result;
  }

  void run_passes(DiskFile& part, const std::vector<bool>& left_out) {
    std::optional<DiskFile> temporary;
    if (job_.temporary_bytes > 0) {
      temporary = DiskFile::open_to_write(destination_.blocks_path(), access_of(job_), this_operation);
    }
    const std::vector<bool>& finished = destination_.finished();
    std::optional<EdgeFile> edges;
    if (job_.options.task) {
      // Each task writes the header: which of them comes first is not known, and all write the same.
      edges.emplace(destination_.part_path(), this_operation);
      edges->write(0, std::as_bytes(std::span(plan_of(job_).head)));
    } else if (std::find(finished.begin(), finished.end(), true) == finished.end()) {
      // A run that ended before its first part was finished may not have come to the header.
      part.write_start(std::as_bytes(std::span(plan_of(job_).head)));
    }
    std::size_t first_part = 0;
    int number = 0;
    for (std::size_t t = 0; t < job_.tensors.size(); ++t) {
      const TensorJob& tensor = job_.tensors[t];
      const TensorPlan& plan = plan_of(job_).tensors[t];
      if (unpacks_straight(tensor, plan)) {
        report_.begin_pass(++number);
        unpack(tensor, plan.stages[0].plan.passes[0], part, first_part);
        first_part += static_cast<std::size_t>(plan.stages[0].plan.passes[0].tiles);
        continue;
      }
      sources_.open(tensor.source);
      for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const FileStage& stage = plan.stages[i];
        const bool is_last = i + 1 == plan.stages.size();
        const DiskFile& from = i == 0 ? sources_.current() : *temporary;
        DiskFile& to = is_last ? part : *temporary;
        const std::size_t passes = stage.plan.passes.size();
        for (std::size_t pass = 0; pass < passes; ++pass) {
          report_.begin_pass(++number);
          const bool reads_blocks = pass == 1, writes_blocks = passes == 2 && pass == 0;
          run_pass(tensor, stage, pass, conversion_of(tensor, stage, pass, is_last),
                   reads_blocks ? *temporary : from, writes_blocks ? *temporary : to, first_part, left_out,
                   edges ? &*edges : nullptr, i == 0 && pass == 0, is_last && !writes_blocks);
          first_part += static_cast<std::size_t>(stage.plan.passes[pass].tiles);
        }
      }
    }
  }

  /// All parts of a tensor at once: of a stream nothing is read again.
  void unpack(const TensorJob& tensor, const BlockPass& pass, DiskFile& to, std::size_t first_part) {
    const auto tiles = static_cast<std::size_t>(pass.tiles);
    const std::vector<bool> finished = destination_.finished();
    const auto first = finished.begin() + static_cast<std::ptrdiff_t>(first_part);
    if (std::find(first, first + pass.tiles, false) == first + pass.tiles) return skip(pass, tiles);
    const std::uint64_t written_before = bytes_written_;
    const Checksum sum = unpack_straight(tensor, to, [&](std::uint64_t nbytes) {
      bytes_written_ = written_before + nbytes;
      report();
    });
    bytes_read_ += tensor.source.stream.nbytes;
    if (checks_source()) source_sum_ += sum;
    for (std::size_t i = 0; i < tiles; ++i) {
      if (!first[static_cast<std::ptrdiff_t>(i)])
        destination_.finish(first_part + i, {i == 0 ? sum : Checksum{}});
    }
    tiles_done_ += tiles;
    flush(to);
  }

  /// Elements are converted in the pass after which the fewest bytes are moved.
  [[nodiscard]] Conversion conversion_of(const TensorJob& tensor, const FileStage& stage, std::size_t pass,
                                         bool is_last) const {
    Conversion conversion;
    conversion.src = tensor.source.dtype;
    if (!is_last) return conversion;
    const bool converts_first = stage.plan.passes.size() == 1 || tensor.dtype == DType::bool_ ||
                                item_size(tensor.dtype) <= item_size(tensor.source.dtype);
    if (pass == 1 && converts_first) conversion.src = tensor.dtype;
    if ((pass == 0) != converts_first) return conversion;
    conversion.rescaling = tensor.rescaling ? &*tensor.rescaling : nullptr;
    conversion.types = tensor.conversions;
    conversion.scale = tensor.elements.scale;
    conversion.shift = tensor.elements.shift;
    conversion.axis = stage.plan.problem.unmerged_axis.value_or(0);
    conversion.reduction = tensor.reduction;
    if (tensor.reduction) {
      conversion.reduced = tensor.dtype;
      const Dims& strides = stage.plan.problem.dst.strides;
      for (std::size_t d = 0; d < strides.size(); ++d) {
        if (strides[d] == 0) conversion.reduced_axes.push_back(static_cast<Index>(d));
      }
    } else if (conversion.types.empty()) {
      conversion.types.push_back(tensor.dtype);
    }
    return conversion;
  }

  void run_pass(const TensorJob& tensor, const FileStage& stage, std::size_t pass,
                const Conversion& conversion, const DiskFile& from, DiskFile& to, std::size_t first_part,
                const std::vector<bool>& all_left_out, const EdgeFile* edges, bool is_first, bool is_final) {
    const BlockPlan& plan = stage.plan;
    const auto tiles = static_cast<std::size_t>(plan.passes[pass].tiles);
    const std::vector<bool> left_out(all_left_out.begin() + static_cast<std::ptrdiff_t>(first_part),
                                     all_left_out.begin() + static_cast<std::ptrdiff_t>(first_part + tiles));
    const auto first = destination_.finished().begin() + static_cast<std::ptrdiff_t>(first_part);
    const auto done = static_cast<std::size_t>(std::count(left_out.begin(), left_out.end(), true));
    const auto done_earlier =
        static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(tiles), true));
    skip(plan.passes[pass], done_earlier);
    leave_out(plan.passes[pass], done - done_earlier);
    if (done == tiles) return;
    // Behind the head or a tensor before, whose last page this may share.
    const std::uint64_t begin = is_final ? tensor.data_begin : 0;
    const std::uint64_t end = is_final ? job_.nbytes : job_.temporary_bytes;
    TileWriter writer(to, plan, pass, begin, end, destination_.is_resumed(), bytes_written_, edges);
    TileReader reader(from, plan, pass, stage.blocks_begin, left_out, bytes_read_);
    for (std::size_t left = tiles - done; left > 0; --left) {
      const LoadedTile* tile = nullptr;
      while (tile == nullptr) {
        tile = reader.wait(poll_milliseconds);
        report();
      }
      if (is_first && tensor.source.is_byte_swapped) swap_bytes_of(*tile, tensor.source.dtype);
      if (is_first && checks_source()) source_sum_ += sum_of_tile(plan, *tile, tensor.source.dtype);
      write_tile(writer, stage, pass, conversion, *tile, first_part + static_cast<std::size_t>(tile->number),
                 to, is_final);
      reader.release();
    }
    while (!writer.is_idle(poll_milliseconds)) report();
    const bool is_end = &tensor == &job_.tensors.back() || !is_final;
    if (is_end) flush(to);
  }

  /// What is finished lasts a crash of the machine, too.
  void flush(DiskFile& to) {
    to.flush();
    destination_.flushed();
    flushed_ = Clock::now();
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
    const bool has_one_stage = std::all_of(plans.begin(), plans.end(),
                                           [](const TensorPlan& plan) { return plan.stages.size() == 1; });
    return job_.options.check == FileCheck::checksum && only_moves && has_one_stage &&
           !destination_.is_resumed() && !job_.options.task;
  }
  [[nodiscard]] static Checksum sum_of_tile(const BlockPlan& plan, const LoadedTile& tile, DType dtype) {
    return tenstride::checksum(tile_tensor(tile, plan.problem.src.strides, dtype),
                               positions_of(plan.problem, tile.box));
  }

  /// Of so many tiles of a pass.
  static std::uint64_t bytes_of(const BlockPass& pass, std::size_t tiles) {
    const double share = static_cast<double>(tiles) / static_cast<double>(pass.tiles);
    return static_cast<std::uint64_t>(share * static_cast<double>(pass.read.bytes + pass.write.bytes));
  }
  /// An earlier run has done so many tiles.
  void skip(const BlockPass& pass, std::size_t tiles) {
    if (tiles == 0) return;
    report_.skip(bytes_of(pass, tiles));
    tiles_done_ += tiles;
  }
  /// Other tasks do so many tiles.
  void leave_out(const BlockPass& pass, std::size_t tiles) {
    if (tiles > 0) report_.leave_out(bytes_of(pass, tiles), tiles);
  }

  void report() {
    report_.finish_tiles(tiles_done_);
    report_.tell(bytes_read_ + bytes_written_);
  }

  /// Permutes a tile group by group, and hands them to the writer: as many at a time as its buffer holds.
  void write_tile(TileWriter& writer, const FileStage& stage, std::size_t pass, const Conversion& conversion,
                  const LoadedTile& tile, std::size_t part, DiskFile& to, bool is_final) {
    const BlockPlan& plan = stage.plan;
    const BlockProblem& problem = plan.problem;
    const auto item = static_cast<Index>(item_size(conversion.dst()));
    const std::vector<TileGroup> groups = groups_of_tile(plan, pass, stage.blocks_begin, tile.box, item);
    PartSum sum;
    for (std::size_t i = 0; i < groups.size();) {
      std::byte* buffer = nullptr;
      while (buffer == nullptr) {
        buffer = writer.wait(poll_milliseconds);
        report();
      }
      Group job;
      Index left = plan.passes[pass].group_bytes;
      do {
        const TileGroup& target = groups[i];
        Tensor group = group_tensor(target.place, target.box, target.strides, conversion.dst(), buffer);
        sum.missing += static_cast<std::uint64_t>(copy_part(group, plan, pass, tile, target.box, conversion));
        if (is_final) sum.checksum += checksum_of(group, problem, target.box, conversion.reduced_axes);
        const std::vector<Piece> pieces = pieces_of(target.place, item, buffer);
        job.pieces.insert(job.pieces.end(), pieces.begin(), pieces.end());
        if (target.ends_slot) pad(job.pieces.back(), static_cast<std::uint64_t>(plan.page));
        buffer += buffer_nbytes(target, plan.page);
        left -= buffer_nbytes(target, plan.page);
        ++i;
      } while (i < groups.size() && buffer_nbytes(groups[i], plan.page) <= left);
      if (i < groups.size()) {
        job.next_begin = groups[i].place.file_begin;
      } else {
        job.when_written = [this, part, sum, &to] { finish(part, sum, to); };
      }
      writer.write(std::move(job));
    }
  }

  /// By the writing thread.
  void finish(std::size_t part, const PartSum& sum, DiskFile& to) {
    destination_.finish(part, sum);
    ++tiles_done_;
    // Every few seconds.
    if (seconds_since(flushed_) >= seconds_between_flushes) flush(to);
  }

  void check_destination(const Checksum& wanted) const {
    Checksum found;
    for (const TensorJob& tensor : job_.tensors) {
      FileInfo written;
      written.path = destination_.part_path();
      written.dtype = tensor.dtype;
      written.layout = tensor.layout;
      written.data_begin = tensor.data_begin;
      found += checksum_file(written, static_cast<std::uint64_t>(plan_of(job_).limits.memory));
    }
    check_sum("what was read back", found, wanted);
  }
  void check_sum(std::string_view what, const Checksum& found, const Checksum& wanted) const {
    if (found == wanted) return;
    throw FileError(message(this_operation, ": \"", job_.destination, "\" must have the checksum ",
                            to_string(wanted), ", ", what, " has ", to_string(found)),
                    job_.destination);
  }

  const FileJob& job_;
  SourceFiles sources_;
  Binding binding_;
  Clock::time_point start_;
  Clock::time_point flushed_ = Clock::now();
  RunReport report_;
  ResumableFile destination_;
  Checksum source_sum_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
  std::atomic<std::uint64_t> tiles_done_{0};
};

}  // namespace

FileResult run_planned(const FileJob& job, const ProgressCallback& progress) {
  return plan_of(job).tensors[0].chunks ? run_chunk_job(job, progress) : Runner(job, progress).run();
}

FileResult run(const FileJob& job, const ProgressCallback& progress) {
  FileResult result = job.options.task                 ? run_task(job, progress)
                      : plan_of(job).tensors[0].rename ? run_metadata_job(job, progress)
                                                       : run_planned(job, progress);
  result.dropped = dropped_facts(job);
  return result;
}

FileResult permute_file(const std::string& source, std::string_view chain, const std::string& destination,
                        const FileOptions& options, const ProgressCallback& progress) {
  return run(plan_permute_file(source, chain, destination, options), progress);
}

}  // namespace tenstride::io
