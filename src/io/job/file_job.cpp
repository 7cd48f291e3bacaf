// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/facts/file_chain.hpp"
#include "io/format/format.hpp"
#include "io/job/as_stored.hpp"
#include "io/job/job_limits.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/plan_chunk_job.hpp"
#include "io/job/plan_metadata_job.hpp"
#include "io/output/task_shares.hpp"
#include "io/plan/block_plan_parts.hpp"
#include "tenstride/base/dtype_exact.hpp"
#include "tenstride/io/result_facts.hpp"
#include "tenstride/layout/text.hpp"

/// What is planned before an element is read.
namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Where the elements of a row-major layout stand in the same shape with the first axis fastest. `axes`: the
/// axis of the shape that each axis of the layout is a part of.
Layout column_major_of(const Layout& dst, const Dims& axes, const Dims& shape) {
  const Dims rows = row_major_strides(shape), columns = column_major_strides(shape);
  Layout result = dst;
  for (std::size_t d = 0; d < dst.rank(); ++d) {
    if (dst.strides[d] == 0) continue;
    const auto axis = static_cast<std::size_t>(axes[d]);
    result.strides[d] = columns[axis] * (dst.strides[d] / rows[axis]);
  }
  return result;
}

/// The axis of a copy that the numbers of the options run along. Throws AxisError, ShapeError where there are
/// not as many as indexes, and ValueError where it is no single axis of the copy.
std::size_t axis_of_numbers(const Layout& dst, const std::optional<Dims>& axes, const Dims& shape,
                            const ElementOptions& options) {
  const std::size_t axis = wrap_axis(this_operation.data(), options.axis, shape);
  for (const std::size_t given : {options.scale.size(), options.shift.size()}) {
    if (given <= 1 || given == static_cast<std::size_t>(shape[axis])) continue;
    throw ShapeError(message(this_operation, ": ", given, " numbers for scale or shift must be 1 or ",
                             shape[axis], ", the size of axis ", axis, " (shape ", shape, ")"),
                     shape, shape);
  }
  for (std::size_t d = 0; axes && d < dst.rank(); ++d) {
    if ((*axes)[d] == static_cast<Index>(axis) && dst.shape[d] == shape[axis]) return d;
  }
  throw ValueError(
      message(this_operation, ": numbers along axis ", options.axis, " of the result ", shape,
              " must belong to an axis that no reshape puts together; give one number, or reshape later"));
}

std::uint64_t rounded(std::uint64_t nbytes) {
  constexpr std::uint64_t page = 65536;  // a multiple of every page there is
  return (nbytes + page - 1) / page * page;
}

/// What was asked for must not be given up in silence.
[[noreturn]] void refuse_direct(const BlockLimits& limits) {
  const auto least = static_cast<std::uint64_t>(256 * limits.disk.page);
  throw MemoryLimitError(
      message(this_operation, ": memory of ", limits.memory,
              " bytes is too little to go past the page cache, which takes ", least, " bytes or more"),
      least);
}

/// What each copy of the chain is to the planner. Where it begins in its files depends on the plans before.
std::vector<BlockProblem> problems_of(const TensorJob& job, const FileChain& followed) {
  const ElementOptions& options = job.elements;
  const bool is_by_columns = options.order == ElementOrder::column_major;
  std::vector<ChainCopy> copies = followed.copies;
  std::optional<Dims> axes = followed.copy_axes;
  if (is_by_columns && !axes) {
    // What a reshape cut across is copied once more.
    copies.push_back({row_major(job.shape), row_major(job.shape)});
    axes.emplace();
    for (std::size_t d = 0; d < job.shape.size(); ++d) axes->push_back(static_cast<Index>(d));
  }
  std::vector<BlockProblem> problems;
  for (const ChainCopy& copy : copies) {
    BlockProblem problem;
    problem.src = copy.src;
    problem.dst = problem.positions = copy.dst;
    problem.src_item = problem.dst_item = static_cast<Index>(item_size(job.source.dtype));
    problems.push_back(std::move(problem));
  }
  BlockProblem& last = problems.back();
  last.dst_item = static_cast<Index>(item_size(job.dtype));
  if (is_by_columns) last.dst = column_major_of(last.dst, *axes, job.shape);
  if (std::max(options.scale.size(), options.shift.size()) > 1) {
    last.unmerged_axis = axis_of_numbers(last.positions, axes, job.shape, options);
  }
  return problems;
}

/// The smallest memory that suffices for all copies of a tensor, and for reading the destination back.
Index min_memory(const TensorJob& job, const std::vector<BlockProblem>& problems, FileCheck check) {
  Index least = 0;
  for (const BlockProblem& problem : problems) least = std::max(least, min_block_memory(problem));
  if (check == FileCheck::none) return least;
  return std::max(least, min_block_memory(tenstride::detail::reading_problem(
                             job.layout, static_cast<Index>(item_size(job.dtype)), 0)));
}

void check_memory(const BlockLimits& limits, Index least) {
  if (limits.memory >= least) return;
  throw MemoryLimitError(message(this_operation, ": memory of ", limits.memory, " bytes must be at least ",
                                 least, " bytes for these axes"),
                         static_cast<std::uint64_t>(least));
}

enum class IsChunked : unsigned char { no, yes };

struct FollowedTensor {
  TensorJob job;
  FileChain chain;
};

/// What is done with one tensor, but for how.
FollowedTensor follow_move(const TensorMove& move, const ElementOptions& elements, IsChunked is_chunked) {
  require_part_readable(move.source);
  FileInfo followed_on = move.source;
  // Chunks are cut along axes, whatever the strides of a flat file.
  if (is_chunked == IsChunked::yes) followed_on.layout = row_major(move.source.layout.shape);
  FollowedTensor result{{}, follow(move.chain, followed_on)};
  const FileChain& followed = result.chain;
  if (!followed.obstacle.empty()) {
    throw ValueError(
        message(this_operation, ": \"", move.chain,
                "\" must move, convert or once reduce elements, to be carried out from file to file: ",
                followed.obstacle));
  }
  TensorJob& job = result.job;
  job.source = move.source;
  job.name = move.name;
  job.chain = move.chain;
  job.kind = move.kind;
  job.elements = elements;
  job.shape = followed.shape;
  job.conversions = followed.conversions;
  job.reduction = followed.reduction;
  if (elements.is_rescaled) job.rescaling = rescaling_of(move, elements);
  job.dtype = job.rescaling ? job.rescaling->dtype : elements.dtype.value_or(followed.dtype);
  // The arithmetic comes with the last conversion, behind those of the chain.
  if ((elements.has_arithmetic() || job.dtype != followed.dtype) && !job.reduction && !job.rescaling)
    job.conversions.push_back(job.dtype);
  // What loses nothing on the way to the next type need not happen.
  DType before = job.source.dtype;
  for (std::size_t i = 0; i + 1 < job.conversions.size();) {
    if (is_exact(before, job.conversions[i])) {
      job.conversions.erase(job.conversions.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      before = job.conversions[i++];
    }
  }
  return result;
}

/// The plans of one tensor of flat files.
std::vector<FileStage> plan_stages(const FileJob& job, const BlockLimits& limits, const TensorJob& tensor,
                                   std::vector<BlockProblem>& problems) {
  std::vector<FileStage> stages;
  std::uint64_t begin = tensor.source.data_begin;
  std::uint64_t temporary = 0;
  for (BlockProblem& problem : problems) {
    const bool is_last = &problem == &problems.back();
    problem.src_begin = static_cast<Index>(begin);
    problem.dst_begin = static_cast<Index>(is_last ? tensor.data_begin : temporary);
    if (!is_last) {
      begin = temporary;
      temporary += rounded(static_cast<std::uint64_t>(numel(problem.dst) * problem.dst_item));
    }
    FileStage stage{plan_blocks(problem, limits), temporary};
    if (job.options.access == DiskAccess::direct && stage.plan.page == 1) refuse_direct(limits);
    stage.plan.converts_first =
        tensor.dtype == DType::bool_ || item_size(tensor.dtype) <= item_size(tensor.source.dtype);
    temporary += rounded(static_cast<std::uint64_t>(stage.plan.temporary_bytes));
    stages.push_back(std::move(stage));
  }
  return stages;
}

/// Adds what a tensor takes. Its temporary space is free again for the next.
void add_forecast(FileJob& job, const TensorJob& tensor, const TensorPlan& plan) {
  const bool is_stream = tensor.source.storage == ElementStorage::stream;
  if (is_stream && !unpacks_straight(tensor, plan)) job.unpacked_bytes += unpacked_nbytes(tensor.source);
  // Of compressed chunks fewer bytes are read and written, and a processor takes its time for them.
  const bool writes_codec =
      writes_chunks(format_of(job.options.kind), job.options.chunks) && job.options.chunks.codec != "none";
  if (plan.is_in_parts() && (writes_codec || !tensor.source.codec.empty())) job.seconds.reset();
  for (const auto& [stage, blocks_begin] : plan.stages) {
    job.bytes_read += static_cast<std::uint64_t>(stage.bytes_read());
    job.bytes_written += static_cast<std::uint64_t>(stage.bytes_written());
    if (job.seconds) *job.seconds += stage.seconds;
    const std::uint64_t end = blocks_begin + static_cast<std::uint64_t>(stage.temporary_bytes);
    job.temporary_bytes = std::max(job.temporary_bytes, plan.is_in_parts() ? end : rounded(end));
  }
}

/// The kind of the destination, whose elements must be flat or in chunks. `source`: the kind of what is read,
/// which stays where only metadata change and the name tells none: that of an array in a group.
const FileFormat& format_of_destination(const std::string& destination, const FileOptions& options,
                                        FileKind source) {
  FileKind kind = options.kind == FileKind::unknown ? kind_of_name(destination) : options.kind;
  if (kind == FileKind::unknown) kind = options.is_metadata_only ? source : FileKind::npy;
  if (!is_written_flat(kind) && format_of(kind).create_chunks == nullptr) {
    throw ValueError(message(this_operation, ": \"", destination,
                             "\" must be a file of uncompressed elements or of chunks, which ",
                             format_of(kind).description, " is not"));
  }
  return format_of(kind);
}

/// What is said of each result.
void take_facts(std::vector<FollowedTensor>& tensors, const FileFormat& format) {
  std::vector<ResultMove> results;
  for (const auto& [tensor, chain] : tensors) {
    const Rescaling* const rescaling = tensor.rescaling ? &*tensor.rescaling : nullptr;
    results.push_back({{tensor.source, tensor.chain, tensor.name, tensor.kind},
                       {tensor.dtype, tensor.elements.has_arithmetic(), rescaling}});
  }
  std::vector<ResultFacts> facts = facts_of_results(results, format.kind);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TensorJob& tensor = tensors[i].job;
    tensor.axis_names = std::move(facts[i].axis_names);
    tensor.attributes = std::move(facts[i].attributes);
    tensor.further = std::move(facts[i].further);
    tensor.dropped = std::move(facts[i].dropped);
    tensor.notes = std::move(facts[i].notes);
  }
}

/// Where each tensor lies in the destination, in the order in which they lie: each is written up to the end
/// of its last page, of which what follows takes its part. Sets `head`.
void place_tensors(FileJob& job, std::string& head, std::vector<FollowedTensor>& tensors,
                   const FileFormat& format) {
  std::vector<NewTensor> planned;
  planned.reserve(tensors.size());
  for (auto& [tensor, chain] : tensors) {
    if (tensor.name.empty() && tensors.size() == 1 && format.names == TensorNames::required) {
      tensor.name = tensor.source.name.empty() ? std::string(format.usual_name) : tensor.source.name;
    }
  }
  take_facts(tensors, format);
  for (const auto& [tensor, chain] : tensors) planned.push_back(tensor.planned());
  take_chunks(planned, job.options.chunks, [&](const NewTensor& tensor) {
    return tensors[static_cast<std::size_t>(&tensor - planned.data())].job.kind == MoveKind::keep;
  });
  for (std::size_t i = 0; i < planned.size(); ++i)
    tensors[i].job.has_usual_chunks = planned[i].has_usual_chunks;
  if (format.names == TensorNames::none && planned.size() > 1) {
    throw ValueError(message(this_operation, ": ", planned.size(),
                             " tensors must go to a file that holds several, ",
                             "as .safetensors does, not to ", format.description));
  }
  if (writes_chunks(format, job.options.chunks)) return;
  FlatFile file = format.plan_flat(planned, this_operation);
  head = std::move(file.head);
  job.nbytes = file.nbytes;
  if (format.pack != nullptr)
    job.min_packed_bytes = std::max<std::uint64_t>(format.min_packed_nbytes(file.nbytes, job.destination), 1);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].job.layout = file.parts[i].layout;
    tensors[i].job.data_begin = file.parts[i].begin;
    tensors[i].job.is_byte_swapped = file.byte_order == ByteOrder::swapped;
  }
  std::stable_sort(tensors.begin(), tensors.end(), [](const FollowedTensor& a, const FollowedTensor& b) {
    return a.job.data_begin < b.job.data_begin;
  });
}

FileJob plan_moves(const std::vector<TensorMove>& given, const std::string& destination,
                   const FileOptions& options, TaskMemory use) {
  const FileFormat& format = format_of_destination(destination, options, given[0].source.kind);
  FileJob job;
  JobPlan plan;
  CarriedMoves carried = carry_labels(given);
  std::vector<TensorMove>& moves = carried.moves;
  job.dropped = std::move(carried.dropped);
  job.destination = destination;
  job.options = options;
  job.options.kind = format.kind;
  job.options.chunks = chunk_options_for(format, options.chunks, moves,
                                         [](const TensorMove& move) { return move.source.further; });
  job.options.chunks.as_stored = take_as_stored(moves, job.options);
  const bool has_chunks = std::any_of(moves.begin(), moves.end(), [&](const TensorMove& move) {
    return is_chunk_job(move.source, format, job.options.chunks);
  });
  const IsChunked is_chunked = has_chunks ? IsChunked::yes : IsChunked::no;
  std::vector<FollowedTensor> tensors;
  for (const TensorMove& move : moves) {
    tensors.push_back(follow_move(move, elements_of(move, options, format.kind), is_chunked));
  }
  if (job.options.is_metadata_only) {
    take_facts(tensors, format);
    for (auto& [tensor, chain] : tensors) job.tensors.push_back(std::move(tensor));
    plan.tensors = plan_metadata_job(job);
    set_plan(job, std::move(plan));
    return job;
  }
  std::uint64_t nbytes = 0;
  for (const auto& [tensor, chain] : tensors) nbytes += tensor.result_nbytes();
  plan.limits = limits_of(job.options, destination, nbytes, use, job.is_disk_measured);
  place_tensors(job, plan.head, tensors, format);
  std::vector<std::vector<BlockProblem>> problems(tensors.size());
  if (!has_chunks) {
    Index least = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      problems[i] = problems_of(tensors[i].job, tensors[i].chain);
      least = std::max(least, min_memory(tensors[i].job, problems[i], job.options.check));
    }
    check_memory(plan.limits, least);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto& [tensor, chain] = tensors[i];
    TensorPlan& planned = plan.tensors.emplace_back();
    if (has_chunks) {
      planned.stages.push_back({plan_chunk_job(job, plan.limits, tensor, chain, format)});
    } else {
      planned.stages = plan_stages(job, plan.limits, tensor, problems[i]);
    }
    add_forecast(job, tensor, planned);
    job.tensors.push_back(std::move(tensor));
  }
  set_plan(job, std::move(plan));
  return job;
}

}  // namespace

std::string obstacle_to_permute_file(std::string_view chain, const FileInfo& info) {
  return follow(chain, info).obstacle;
}

std::uint64_t result_nbytes(const TensorMove& move, const FileOptions& options) {
  const FileKind kind = options.kind == FileKind::unknown ? FileKind::npy : options.kind;
  return follow_move(move, elements_of(move, options, kind), IsChunked::no).job.result_nbytes();
}

FileJob plan_permute_files(const std::vector<TensorMove>& moves, const std::string& destination,
                           const FileOptions& options) {
  if (moves.empty()) throw ValueError(message(this_operation, ": there must be a tensor to be written"));
  if (!options.task) return plan_moves(moves, destination, options, TaskMemory::all);
  check_task(*options.task);
  try {
    return plan_moves(moves, destination, options, TaskMemory::for_enough_tiles);
  } catch (const MemoryLimitError&) {
    return plan_moves(moves, destination, options, TaskMemory::all);
  }
}

FileJob plan_permute_file(const std::string& source, std::string_view chain, const std::string& destination,
                          const FileOptions& options) {
  return plan_permute_files(moves_that_fit(list_tensors(source, this_operation),
                                           [&](const FileInfo&) { return std::string(chain); }),
                            destination, options);
}

}  // namespace tenstride::io
