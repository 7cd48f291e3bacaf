// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/job/plan_chunk_job.hpp"
#include "io/plan/boxes.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Whether each axis of the result is one of the source, or a part of one.
bool is_by_axes(const FileChain& chain) {
  return chain.obstacle.empty() && !chain.reduction && chain.map.is_axis_wise();
}

/// The axes from the fastest on.
Dims fastest_axes(const Layout& layout) {
  Dims axes;
  for (std::size_t d = layout.rank(); d-- > 0;) axes.push_back(static_cast<Index>(d));
  std::stable_sort(axes.begin(), axes.end(), [&](Index a, Index b) {
    return layout.strides[static_cast<std::size_t>(a)] < layout.strides[static_cast<std::size_t>(b)];
  });
  return axes;
}

ChunkSide side_of_source(const FileInfo& source) {
  ChunkSide side{{source.layout.shape, source.chunk}, static_cast<Index>(item_size(source.dtype))};
  if (source.storage != ElementStorage::chunked) {
    side.is_flat = true;
    side.fastest = fastest_axes(source.layout);
  }
  return side;
}

/// How many of the codecs in a text of `--codec` or `info` ("shuffle+gzip:1", "shuffle, deflate(1)") give
/// other bytes than they get. Checksums do not.
Index changing_codecs(std::string_view codecs) {
  Index count = 0;
  while (!codecs.empty()) {
    const std::size_t end = std::min(codecs.find_first_of("+,"), codecs.size());
    const std::string_view codec = codecs.substr(0, end);
    const bool is_checksum = codec.ends_with("crc32c") || codec.ends_with("crc32") ||
                             codec.ends_with("adler32") || codec.ends_with("fletcher32");
    if (!is_checksum && codec != "none") ++count;
    codecs.remove_prefix(std::min(end + 1, codecs.size()));
  }
  return count;
}

/// A thread's buffers: the bytes in the file and what is between two codecs, each at most a chunk's elements
/// and a little more.
std::uint64_t scratch_of(const ChunkSide& side, std::string_view codecs) {
  if (side.is_flat) return 0;
  const auto buffers = static_cast<double>(std::clamp<Index>(changing_codecs(codecs), 1, 3));
  return static_cast<std::uint64_t>(1.1 * buffers * box_nbytes(side.grid.chunk, side.item)) + (1U << 18);
}

/// Writing all elements to temporary chunks and reading them again is worth so many times as many bytes
/// decoded.
constexpr double max_repetition = 3;

/// Plans for several numbers of threads, and sets the one that has the elements decoded and encoded first.
/// Fewer threads leave more memory for tiles, so that fewer chunks are decoded more than once. Nothing where
/// not even one thread has room.
std::optional<TilePlan> plan_threads(ChunkProblem& problem, std::uint64_t memory, std::uint64_t& least) {
  // Encoding takes about twice as long as decoding.
  constexpr double encoding = 2;
  // One thread more than there are processors: waiting for the disk takes none of them.
  constexpr double spare_thread = 0.2;
  const int processors = num_threads();
  const double encoded = encoding * static_cast<double>(count_elements(problem.dst.grid.shape)) *
                         static_cast<double>(problem.dst.item);
  std::optional<TilePlan> best;
  double best_time = 0;
  for (int threads = processors + 1; threads > 0; threads = threads > processors ? processors : threads / 2) {
    problem.threads = threads;
    std::optional<TilePlan> plan = plan_chunks(problem, memory, least);
    if (!plan) continue;
    const double speed = std::min<double>(threads, processors + spare_thread);
    const double time = (static_cast<double>(plan->bytes_read()) + encoded) / speed;
    if (best && time >= best_time) continue;
    best = std::move(plan);
    best_time = time;
  }
  if (best) problem.threads = best->threads;
  return best;
}

/// What a plan's bytes take at the disk's rates.
double seconds_of(const TilePlan& plan, const DiskRates& disk) {
  const double read = static_cast<double>(plan.bytes_read()) / disk.read_bytes_per_second;
  const double written = static_cast<double>(plan.bytes_written()) / disk.write_bytes_per_second;
  return std::max(read, written) + disk.contention * std::min(read, written);
}

}  // namespace

bool is_chunk_job(const FileInfo& source, const FileFormat& destination, const ChunkOptions& options) {
  return source.storage == ElementStorage::chunked || writes_chunks(destination, options);
}

std::string obstacle_to_chunks(std::string_view chain, const FileInfo& info) {
  FileInfo plain = info;
  plain.layout = row_major(info.layout.shape);
  const FileChain followed = follow(chain, plain);
  if (!followed.obstacle.empty()) return followed.obstacle;
  if (is_by_axes(followed)) return {};
  return "its axes are not axes of x, or parts of them, in another order (put axes together or split them in "
         "a "
         "file whose elements lie one after the other, .npy for example)";
}

TilePlan plan_chunk_job(const FileJob& job, const BlockLimits& limits, const TensorJob& tensor,
                        const FileChain& chain, const FileFormat& destination) {
  if (!is_by_axes(chain)) {
    throw ValueError(message(this_operation, ": \"", tensor.chain, "\" must be carried out in chunks: ",
                             obstacle_to_chunks(tensor.chain, tensor.source)));
  }
  const auto memory = static_cast<std::uint64_t>(limits.memory);
  ChunkProblem problem;
  problem.map = chain.map;
  problem.src = side_of_source(tensor.source);
  problem.dst = {{tensor.shape, {}}, static_cast<Index>(item_size(tensor.dtype))};
  if (!writes_chunks(destination, job.options.chunks)) {
    problem.dst.is_flat = true;
    problem.dst.fastest = fastest_axes(tensor.layout);
  } else {
    problem.dst.grid = destination.plan_chunks(tensor.planned(), job.options.chunks, this_operation);
  }
  // Missing elements are counted for each unit of the destination, in the pass that writes it.
  const bool converts_first = problem.dst.item < problem.src.item && !tensor.rescaling;
  problem.between_item = converts_first ? problem.dst.item : problem.src.item;
  problem.scratch_nbytes =
      scratch_of(problem.src, tensor.source.codec) + scratch_of(problem.dst, job.options.chunks.codec);
  std::uint64_t least = 0;
  std::optional<TilePlan> plan = plan_threads(problem, memory, least);
  if (!plan) {
    throw MemoryLimitError(
        message(this_operation, ": memory of ", memory, " bytes must be at least ", least,
                " bytes for chunks of ", problem.src.grid.chunk, " and units of ", problem.dst.grid.chunk),
        least);
  }
  const bool both_chunked = !problem.src.is_flat && !problem.dst.is_flat;
  // A second pass would have to wait for all tasks of the first one.
  if (both_chunked && repetition(*plan) > max_repetition && !job.options.task) {
    if (std::optional<TilePlan> two = plan_two_passes(problem, memory)) plan = std::move(two);
  }
  plan->converts_first = converts_first;
  if (!tensor.shape.empty())
    plan->problem.unmerged_axis = wrap_axis(this_operation.data(), tensor.elements.axis, tensor.shape);
  plan->seconds = seconds_of(*plan, limits.disk);
  return *std::move(plan);
}

}  // namespace tenstride::io
