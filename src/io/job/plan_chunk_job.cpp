// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/job/chunk_job.hpp"
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

/// Of what `--codec` or `info` says of them ("shuffle+gzip:1", "shuffle, deflate(1)"): those that give other
/// bytes than they get. Checksums do not.
Index changing_codecs(std::string_view codecs) {
  Index count = 0;
  while (!codecs.empty()) {
    const std::size_t end = std::min(codecs.find_first_of("+,"), codecs.size());
    const std::string_view codec = codecs.substr(0, end);
    const bool is_checksum = codec.ends_with("crc32c") || codec.ends_with("fletcher32");
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

void use_two_passes(FileJob& job, const TensorJob& tensor, ChunkJob& chunks, TwoPasses two) {
  const DType source = tensor.source.dtype;
  // Missing elements are counted for each unit of the destination, in the pass that writes it.
  const bool converts_first = item_size(tensor.dtype) < item_size(source) && !tensor.rescaling;
  chunks.temporary_dtype = converts_first ? tensor.dtype : source;
  chunks.temporary_chunk = two.chunk;
  const ChunkGrid grid{tensor.shape, two.chunk};
  double nbytes = static_cast<double>(item_size(chunks.temporary_dtype));
  const Dims counts = grid.counts();
  for (std::size_t d = 0; d < counts.size(); ++d) {
    nbytes *= static_cast<double>(counts[d]) * static_cast<double>(two.chunk[d]);
  }
  job.bytes_read +=
      static_cast<std::uint64_t>(two.first.decoded_nbytes - chunks.plan.decoded_nbytes + nbytes);
  job.bytes_written += static_cast<std::uint64_t>(nbytes);
  job.temporary_bytes = std::max(job.temporary_bytes, static_cast<std::uint64_t>(nbytes));
  chunks.plan = std::move(two.first);
  chunks.second = std::move(two.second);
}

/// Plans for several numbers of threads, and sets the one that has the elements decoded and encoded first.
/// Fewer threads leave more memory for tiles, so that fewer chunks are decoded more than once. Nothing where
/// not even one thread has room.
std::optional<ChunkPlan> plan_threads(ChunkProblem& problem, std::uint64_t memory, std::uint64_t& least) {
  // Encoding takes about twice as long as decoding.
  constexpr double encoding = 2;
  // One thread more than there are processors: waiting for the disk takes none of them.
  constexpr double spare_thread = 0.2;
  const int processors = num_threads();
  const double encoded = encoding * static_cast<double>(count_elements(problem.dst.grid.shape)) *
                         static_cast<double>(problem.dst.item);
  std::optional<ChunkPlan> best;
  double best_time = 0;
  int best_threads = 1;
  for (int threads = processors + 1; threads > 0; threads = threads > processors ? processors : threads / 2) {
    problem.threads = threads;
    std::optional<ChunkPlan> plan = plan_chunks(problem, memory, least);
    if (!plan) continue;
    const double speed = std::min<double>(threads, processors + spare_thread);
    const double time = (plan->decoded_nbytes + encoded) / speed;
    if (best && time >= best_time) continue;
    best = std::move(plan);
    best_time = time;
    best_threads = threads;
  }
  problem.threads = best_threads;
  return best;
}

struct JobBytes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

/// Adds what the tensor's bytes take at the disk's rates, where they are the bytes that are read and written:
/// those of compressed chunks are fewer, and a processor takes its time for them.
void add_seconds(FileJob& job, const DiskRates& disk, const TensorJob& tensor, const JobBytes& before,
                 bool is_flat) {
  const bool is_compressed = !tensor.source.codec.empty() || (!is_flat && job.options.chunks.codec != "none");
  if (is_compressed) job.seconds.reset();
  if (!job.seconds) return;
  const double read = static_cast<double>(job.bytes_read - before.read) / disk.read_bytes_per_second;
  const double written =
      static_cast<double>(job.bytes_written - before.written) / disk.write_bytes_per_second;
  *job.seconds += std::max(read, written) + disk.contention * std::min(read, written);
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

ChunkJob plan_chunk_job(FileJob& job, const BlockLimits& limits, const TensorJob& tensor,
                        const FileChain& chain, const FileFormat& destination) {
  const JobBytes bytes_before{job.bytes_read, job.bytes_written};
  const auto memory = static_cast<std::uint64_t>(limits.memory);
  if (!is_by_axes(chain)) {
    throw ValueError(message(this_operation, ": \"", tensor.chain, "\" must be carried out in chunks: ",
                             obstacle_to_chunks(tensor.chain, tensor.source)));
  }
  ChunkJob chunks;
  ChunkProblem problem;
  chunks.map = problem.map = chain.map;
  problem.src = side_of_source(tensor.source);
  problem.dst = {{tensor.shape, {}}, static_cast<Index>(item_size(tensor.dtype))};
  if (!writes_chunks(destination, job.options.chunks)) {
    problem.dst.is_flat = true;
    problem.dst.fastest = fastest_axes(tensor.layout);
  } else {
    problem.dst.grid = destination.plan_chunks(tensor.planned(), job.options.chunks, this_operation);
  }
  if (tensor.rescaling) problem.between_item = problem.src.item;
  problem.scratch_nbytes =
      scratch_of(problem.src, tensor.source.codec) + scratch_of(problem.dst, job.options.chunks.codec);
  std::uint64_t least = 0;
  const std::optional<ChunkPlan> plan = plan_threads(problem, memory, least);
  if (!plan) {
    throw MemoryLimitError(
        message(this_operation, ": memory of ", memory, " bytes must be at least ", least,
                " bytes for chunks of ", problem.src.grid.chunk, " and units of ", problem.dst.grid.chunk),
        least);
  }
  chunks.plan = *plan;
  chunks.threads = problem.threads;
  const auto result_nbytes =
      static_cast<std::uint64_t>(count_elements(tensor.shape)) * item_size(tensor.dtype);
  job.bytes_read += static_cast<std::uint64_t>(plan->decoded_nbytes);
  job.bytes_written += result_nbytes;
  const bool both_chunked = !problem.src.is_flat && !problem.dst.is_flat;
  // A second pass would have to wait for all tasks of the first one.
  if (both_chunked && plan->repetition > max_repetition && !job.options.task) {
    if (std::optional<TwoPasses> two = plan_two_passes(problem, memory))
      use_two_passes(job, tensor, chunks, std::move(*two));
  }
  add_seconds(job, limits.disk, tensor, bytes_before, problem.dst.is_flat);
  return chunks;
}

}  // namespace tenstride::io
