// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/permute_file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

#include "../copy/swap_bytes.hpp"
#include "../message.hpp"
#include "file_limits.hpp"
#include "resumable_file.hpp"
#include "tile_copy.hpp"

/// What carries a plan out.
namespace tenstride::io {
namespace {

using tenstride::detail::message;
using Clock = std::chrono::steady_clock;

constexpr std::string_view operation = "permute_file";
constexpr int poll_milliseconds = 50;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// What makes two runs write the same parts.
std::uint64_t plan_hash(const FileJob& job) {
  std::string text = message(name(job.dtype), job.shape, static_cast<int>(job.options.order));
  if (job.reduction) text += name(*job.reduction);
  for (const FileStage& stage : job.stages) text += to_json(stage.plan);
  for (const DType type : job.conversions) text += name(type);
  for (const auto* numbers : {&job.options.scale, &job.options.shift}) {
    for (const double number : *numbers) text += std::to_string(number) + ',';
    text += ';';
  }
  return fnv1a(text);
}

/// Past the page cache only where all requests are whole pages: a plan with little memory has none.
DiskAccess access_of(const BlockPlan& plan, DiskAccess wanted) {
  return plan.page == 1 ? DiskAccess::buffered : wanted;
}
DiskAccess access_of(const FileJob& job) {
  DiskAccess access = job.options.access;
  for (const FileStage& stage : job.stages) access = access_of(stage.plan, access);
  return access;
}

/// Where the elements of a box stand in the row-major order of the result.
Layout positions_of(const BlockProblem& problem, const BlockBox& box) {
  return {box.extents, problem.positions.strides,
          tenstride::detail::position_of(box.first, problem.positions)};
}

/// Of elements as they are written: of an axis that is reduced there is one index.
Checksum checksum_of(const Tensor& group, const BlockProblem& problem, const BlockBox& box,
                     const Dims& reduced) {
  Tensor written = group;
  Layout positions = positions_of(problem, box);
  for (const Index axis : reduced) {
    written = written.narrow(axis, 0, 1);
    positions.shape[static_cast<std::size_t>(axis)] = 1;
  }
  return checksum(written, positions);
}

/// Into this machine's order.
void swap_bytes_of(const LoadedTile& tile, DType dtype) {
  const std::size_t width = item_size(component_type(dtype));
  const auto item = static_cast<Index>(item_size(dtype));
  auto* const data = const_cast<std::byte*>(tile.data);  // the reader's own buffer, which it does not look at
  for_each_run(tile.buffer.runs, tile.buffer.pitch, [&](Index, Index position) {
    std::byte* const run = data + position * item;
    swap_bytes(run, run, static_cast<std::size_t>(tile.buffer.runs.span * item), width);
  });
}

/// Tells what was done, now and then.
class Reporter {
 public:
  Reporter(const FileJob& job, const ProgressCallback& callback, Clock::time_point start)
      : callback_(callback), start_(start) {
    now_.bytes = job.bytes_read + job.bytes_written;
    now_.seconds_foretold = job.seconds;
    for (const FileStage& stage : job.stages) {
      now_.passes += static_cast<int>(stage.plan.passes.size());
      for (const BlockPass& pass : stage.plan.passes) now_.tiles += static_cast<std::uint64_t>(pass.tiles);
    }
    --now_.passes;
  }
  void begin_pass(int pass) { now_.pass = pass; }
  /// Of an earlier run.
  void skip(std::uint64_t bytes) { now_.bytes_earlier += bytes; }
  void finish_tiles(std::uint64_t tiles) { now_.tiles_done = tiles; }
  /// Calls back where that was not done within the last 50 ms; may throw.
  void tell(std::uint64_t bytes_moved) {
    if (!callback_) return;
    const double seconds = seconds_since(start_);
    if (told_ && seconds - now_.seconds < 0.05) return;
    told_ = true;
    now_.seconds = seconds;
    now_.bytes_done = std::min(now_.bytes, now_.bytes_earlier + bytes_moved);
    callback_(now_);
  }
  void tell_end() {
    if (!callback_) return;
    now_.seconds = seconds_since(start_);
    now_.bytes_done = now_.bytes;
    now_.tiles_done = now_.tiles;
    callback_(now_);
  }

 private:
  const ProgressCallback& callback_;
  Clock::time_point start_;
  Progress now_{};
  bool told_ = false;
};

/// One run of a job.
class Runner {
 public:
  Runner(const FileJob& job, const ProgressCallback& progress)
      : job_(job),
        source_(DiskFile::open(job.source, access_of(job), operation)),
        binding_(bind(job)),
        header_(detail::npy_header_text(job.shape, job.dtype, job.options.order, operation)),
        end_(header_.size() + static_cast<std::uint64_t>(count_elements(job.shape)) * item_size(job.dtype)),
        start_(Clock::now()),
        reporter_(job, progress, start_),
        destination_(job.destination, end_, job.temporary_bytes, parts(), binding_, job.options.overwrite,
                     job.options.resume, operation) {}

  FileResult run() {
    try {
      return run_all();
    } catch (const FileError&) {
      destination_.discard();
      throw;
    }
  }

 private:
  static Binding bind(const FileJob& job) {
    Binding binding = bind_source(job.source, job.info.data_begin, plan_hash(job), operation);
    binding.limits = to_text(job.limits);
    return binding;
  }
  [[nodiscard]] std::size_t parts() const {
    Index tiles = 0;
    for (const FileStage& stage : job_.stages) {
      for (const BlockPass& pass : stage.plan.passes) tiles += pass.tiles;
    }
    return static_cast<std::size_t>(tiles);
  }

  FileResult run_all() {
    DiskFile part = DiskFile::open_to_write(destination_.part_path(), access_of(job_), operation);
    std::optional<DiskFile> temporary;
    if (job_.temporary_bytes > 0) {
      temporary = DiskFile::open_to_write(destination_.blocks_path(), access_of(job_), operation);
    }
    const std::vector<bool>& finished = destination_.finished();
    // A run that ended before its first part was finished may not have come to the header.
    if (std::find(finished.begin(), finished.end(), true) == finished.end()) {
      part.write_start(std::as_bytes(std::span(header_)));
    }
    std::size_t first_part = 0;
    int number = 0;
    for (std::size_t i = 0; i < job_.stages.size(); ++i) {
      const FileStage& stage = job_.stages[i];
      const bool is_last = i + 1 == job_.stages.size();
      const DiskFile& from = i == 0 ? source_ : *temporary;
      DiskFile& to = is_last ? part : *temporary;
      const std::size_t passes = stage.plan.passes.size();
      for (std::size_t pass = 0; pass < passes; ++pass) {
        reporter_.begin_pass(++number);
        const bool reads_blocks = pass == 1, writes_blocks = passes == 2 && pass == 0;
        run_pass(stage, pass, conversion_of(stage, pass, is_last), reads_blocks ? *temporary : from,
                 writes_blocks ? *temporary : to, first_part, i == 0 && pass == 0, is_last && !writes_blocks);
        first_part += static_cast<std::size_t>(stage.plan.passes[pass].tiles);
      }
    }
    check_source();
    FileResult result;
    result.checksum = destination_.checksum();
    result.bytes_read = bytes_read_;
    result.bytes_written = bytes_written_;
    result.is_resumed = destination_.is_resumed();
    part.truncate(end_);
    if (job_.options.check == FileCheck::checksum) {
      if (checks_source()) check_sum("what was read", source_sum_, result.checksum);
      check_destination(result.checksum);
      result.is_checked = true;
    }
    if (job_.temporary_bytes > 0) destination_.drop_blocks();
    destination_.commit();
    reporter_.tell_end();
    result.seconds = seconds_since(start_);
    return result;
  }

  /// Elements are converted in the pass after which the fewest bytes are moved.
  [[nodiscard]] Conversion conversion_of(const FileStage& stage, std::size_t pass, bool is_last) const {
    Conversion conversion;
    conversion.src = job_.info.dtype;
    if (!is_last) return conversion;
    const bool converts_first = stage.plan.passes.size() == 1 || job_.dtype == DType::bool_ ||
                                item_size(job_.dtype) <= item_size(job_.info.dtype);
    if (pass == 1 && converts_first) conversion.src = job_.dtype;
    if ((pass == 0) != converts_first) return conversion;
    conversion.types = job_.conversions;
    conversion.scale = job_.options.scale;
    conversion.shift = job_.options.shift;
    conversion.axis = stage.plan.problem.kept_axis.value_or(0);
    conversion.reduction = job_.reduction;
    if (job_.reduction) {
      conversion.reduced = job_.dtype;
      const Dims& strides = stage.plan.problem.dst.strides;
      for (std::size_t d = 0; d < strides.size(); ++d) {
        if (strides[d] == 0) conversion.reduced_axes.push_back(static_cast<Index>(d));
      }
    } else if (conversion.types.empty()) {
      conversion.types.push_back(job_.dtype);
    }
    return conversion;
  }

  void run_pass(const FileStage& stage, std::size_t pass, const Conversion& conversion, const DiskFile& from,
                DiskFile& to, std::size_t first_part, bool is_first, bool is_final) {
    const BlockPlan& plan = stage.plan;
    const auto tiles = static_cast<std::size_t>(plan.passes[pass].tiles);
    const std::vector<bool>& all = destination_.finished();
    const std::vector<bool> finished(all.begin() + static_cast<std::ptrdiff_t>(first_part),
                                     all.begin() + static_cast<std::ptrdiff_t>(first_part + tiles));
    const auto done = static_cast<std::size_t>(std::count(finished.begin(), finished.end(), true));
    skip(plan.passes[pass], done);
    if (done == tiles) return;
    const std::span<const std::byte> header =
        is_final ? std::as_bytes(std::span(header_)) : std::span<const std::byte>();
    const std::uint64_t end = is_final ? end_ : job_.temporary_bytes;
    TileWriter writer(to, plan, pass, end, header, destination_.is_resumed(), bytes_written_);
    TileReader reader(from, plan, pass, stage.blocks_begin, finished, bytes_read_);
    for (std::size_t left = tiles - done; left > 0; --left) {
      const LoadedTile* tile = nullptr;
      while (tile == nullptr) {
        tile = reader.wait(poll_milliseconds);
        report();
      }
      if (is_first && job_.info.is_byte_swapped) swap_bytes_of(*tile, job_.info.dtype);
      if (is_first && checks_source()) source_sum_ += sum_of_tile(plan, *tile);
      write_tile(writer, stage, pass, conversion, *tile, first_part + static_cast<std::size_t>(tile->number),
                 to, is_final);

      reader.release();
    }
    while (!writer.is_idle(poll_milliseconds)) report();
    to.flush();
    destination_.flushed();
  }

  /// Whether the checksum of what is read must be that of what is written: elements are moved, and all in
  /// this run.
  [[nodiscard]] bool checks_source() const {
    const bool converts = job_.reduction || !job_.conversions.empty() || !job_.options.scale.empty() ||
                          !job_.options.shift.empty();
    return job_.options.check == FileCheck::checksum && !converts && job_.stages.size() == 1 &&
           !destination_.is_resumed();
  }
  [[nodiscard]] Checksum sum_of_tile(const BlockPlan& plan, const LoadedTile& tile) const {
    return tenstride::checksum(tile_tensor(tile, plan.problem.src.strides, job_.info.dtype),
                               positions_of(plan.problem, tile.box));
  }

  void skip(const BlockPass& pass, std::size_t done) {
    if (done == 0) return;
    const double share = static_cast<double>(done) / static_cast<double>(pass.tiles);
    reporter_.skip(
        static_cast<std::uint64_t>(share * static_cast<double>(pass.read.bytes + pass.write.bytes)));
    tiles_done_ += done;
  }

  void report() {
    reporter_.finish_tiles(tiles_done_);
    reporter_.tell(bytes_read_ + bytes_written_);
  }

  /// The groups of a tile, where they go, and the checksum of what is written.
  Checksum write_tile(TileWriter& writer, const FileStage& stage, std::size_t pass,
                      const Conversion& conversion, const LoadedTile& tile, std::size_t part, DiskFile& to,
                      bool is_final) {
    const BlockPlan& plan = stage.plan;
    const BlockProblem& problem = plan.problem;
    const bool writes_blocks = plan.passes.size() == 2 && pass == 0;
    const auto item = static_cast<Index>(item_size(conversion.dst()));
    struct Target {
      BlockBox box;
      GroupPlace place;
      Layout layout;
    };
    std::vector<Target> targets;
    const auto add = [&](const BlockBox& box, const Dims& origin, const Layout& layout, std::uint64_t begin) {
      BlockBox inside = box;
      for (std::size_t d = 0; d < origin.size(); ++d) inside.first[d] -= origin[d];
      for (BlockBox& group : tenstride::detail::cut_into_groups(inside, layout.strides, item, plan.page,
                                                                plan.passes[pass].group_bytes)) {
        const GroupPlace place = place_group(group, layout, item, begin, plan.page);
        for (std::size_t d = 0; d < origin.size(); ++d) group.first[d] += origin[d];
        targets.push_back({std::move(group), place, layout});
      }
    };
    if (writes_blocks) {
      for (const BlockBox& block : tenstride::detail::blocks_of(plan, tile.box)) {
        add(block, block.first, row_major(block.extents),
            stage.blocks_begin + static_cast<std::uint64_t>(block_offset(plan, block.first)));
      }
    } else {
      add(tile.box, Dims::filled(tile.box.first.size(), 0), problem.dst,
          static_cast<std::uint64_t>(problem.dst_begin));
    }
    Checksum sum;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::byte* buffer = nullptr;
      while (buffer == nullptr) {
        buffer = writer.wait(poll_milliseconds);
        report();
      }
      const Target& target = targets[i];
      Tensor group = group_tensor(target.place, target.box, target.layout.strides, conversion.dst(), buffer);
      copy_part(group, plan, pass, tile, target.box, conversion);
      if (is_final) {
        sum += checksum_of(group, problem, target.box, conversion.reduced_axes);
      }
      Group job;
      job.pieces = pieces_of(target.place, item, buffer);
      if (i + 1 < targets.size()) {
        job.next_begin = targets[i + 1].place.file_begin;
      } else {
        job.when_written = [this, part, sum, &to] { finish(part, sum, to); };
      }
      writer.write(std::move(job));
    }
    return sum;
  }

  /// By the writing thread.
  void finish(std::size_t part, const Checksum& sum, DiskFile& to) {
    destination_.finish(part, sum);
    ++tiles_done_;
    // Every few seconds what was written is made to last a crash of the machine, too.
    if (seconds_since(flushed_) < 5) return;
    to.flush();
    destination_.flushed();
    flushed_ = Clock::now();
  }

  void check_source() const {
    const Binding now = bind_source(job_.source, job_.info.data_begin, binding_.plan_hash, operation);
    if (now.source_nbytes == binding_.source_nbytes && now.source_mtime_ns == binding_.source_mtime_ns &&
        now.header_hash == binding_.header_hash) {
      return;
    }
    throw FileError(message(operation, ": \"", job_.source, "\" must not change while it is read"),
                    job_.source);
  }

  void check_destination(const Checksum& wanted) const {
    const Checksum found =
        checksum_file(destination_.part_path(), static_cast<std::uint64_t>(job_.limits.memory));
    check_sum("what was read back", found, wanted);
  }
  void check_sum(std::string_view what, const Checksum& found, const Checksum& wanted) const {
    if (found == wanted) return;
    throw FileError(message(operation, ": \"", job_.destination, "\" must have the checksum ",
                            to_string(wanted), ", ", what, " has ", to_string(found)),
                    job_.destination);
  }

  const FileJob& job_;
  DiskFile source_;
  Binding binding_;
  std::string header_;
  std::uint64_t end_;
  Clock::time_point start_;
  Clock::time_point flushed_ = Clock::now();
  Reporter reporter_;
  ResumableFile destination_;
  Checksum source_sum_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
  std::atomic<std::uint64_t> tiles_done_{0};
};

}  // namespace

FileResult run(const FileJob& job, const ProgressCallback& progress) {
  return Runner(job, progress).run();
}

FileResult permute_file(const std::string& source, std::string_view chain, const std::string& destination,
                        const FileOptions& options, const ProgressCallback& progress) {
  return run(plan_permute_file(source, chain, destination, options), progress);
}

Checksum checksum_file(const std::string& path, std::uint64_t memory, const ProgressCallback& progress) {
  const FileInfo info = read_file_info(path, "checksum_file");
  BlockProblem problem;
  problem.src = info.layout;
  problem.dst = info.layout;
  problem.positions = row_major(info.layout.shape);
  problem.src_item = problem.dst_item = static_cast<Index>(item_size(info.dtype));
  problem.src_begin = problem.dst_begin = static_cast<Index>(info.data_begin);
  BlockLimits limits;
  limits.memory = static_cast<Index>(memory);
  const BlockPlan plan = plan_blocks(problem, limits);
  std::atomic<std::uint64_t> bytes_read{0};
  const DiskFile file = DiskFile::open(path, access_of(plan, DiskAccess::automatic), "checksum_file");
  Progress now;
  now.bytes = static_cast<std::uint64_t>(plan.bytes_read());
  now.tiles = static_cast<std::uint64_t>(plan.passes[0].tiles);
  const Clock::time_point start = Clock::now();
  const auto tiles = static_cast<std::size_t>(plan.passes[0].tiles);
  TileReader reader(file, plan, 0, 0, std::vector<bool>(tiles), bytes_read);
  Checksum sum;
  for (std::size_t left = tiles; left > 0; --left) {
    const LoadedTile* tile = nullptr;
    while (tile == nullptr) tile = reader.wait(poll_milliseconds);
    if (info.is_byte_swapped) swap_bytes_of(*tile, info.dtype);
    sum += checksum(tile_tensor(*tile, plan.problem.src.strides, info.dtype),
                    positions_of(plan.problem, tile->box));
    reader.release();
    now.bytes_done = bytes_read;
    ++now.tiles_done;
    now.seconds = seconds_since(start);
    if (progress) progress(now);
  }
  return sum;
}

}  // namespace tenstride::io
