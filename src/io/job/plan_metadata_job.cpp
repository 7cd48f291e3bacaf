// SPDX-License-Identifier: Apache-2.0
#include "io/job/plan_metadata_job.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/facts/source_axes.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The axis of the source that each axis of the result is the whole of; nothing where the chain does more
/// than permute axes. Example: (1,2,0) for "x.permute(1, 2, 0)".
std::optional<Dims> permutation_of(const TensorJob& tensor) {
  const ResultOrigin result = origin_of_result(tensor.source, tensor.chain);
  const bool moves_axes = result.has_whole_axes() && result.axes.size() == result.source.layout.rank();
  if (!moves_axes || result.reduction || !result.conversions.empty()) return std::nullopt;
  Dims order;
  for (const std::optional<SourceAxis>& axis : result.axes) order.push_back(static_cast<Index>(axis->axis));
  return order;
}

/// What of the options and the tensor needs elements; empty where nothing does.
std::string obstacle_of(const FileJob& job, const TensorJob& tensor) {
  constexpr std::string_view fix = " (leave metadata_only out)";
  const FileOptions& options = job.options;
  if (tensor.source.kind != options.kind) {
    return message("\"", tensor.source.path, "\" must be ", format_of(options.kind).description,
                   " as the destination, where only metadata change", fix);
  }
  if (!tensor.source.files.empty()) {
    return message("\"", tensor.source.path,
                   "\" must be one array, not several files, where only metadata change", fix);
  }
  if (!permutation_of(tensor)) {
    return message(
        "\"", tensor.chain,
        "\" must permute the axes of x and no more, where only metadata change: no slice, flip, new "
        "axis, reshape or conversion",
        fix);
  }
  if (tensor.dtype != tensor.source.dtype || tensor.elements.has_arithmetic() || tensor.rescaling) {
    return message("the elements of \"", tensor.source.path, "\" must stay ", name(tensor.source.dtype),
                   " as they are, where only metadata change (leave dtype, scale, shift and rescale out)");
  }
  return {};
}

/// What `obstacle_to_metadata_only` says, but for what the kind of file has to say.
std::string obstacle_of(const FileJob& job) {
  const ChunkOptions& chunks = job.options.chunks;
  if (format_of(job.options.kind).permute_chunks == nullptr) {
    return message("\"", job.destination, "\" must be a .zarr folder, where only metadata change");
  }
  if (!chunks.chunk.empty() || !chunks.shard.empty() || !chunks.codec.empty()) {
    return message("chunks, shards and codec of \"", job.destination,
                   "\" must stay those of the source, where only metadata change (leave them out)");
  }
  for (const TensorJob& tensor : job.tensors) {
    if (std::string obstacle = obstacle_of(job, tensor); !obstacle.empty()) return obstacle;
  }
  return {};
}

}  // namespace

std::unique_ptr<PermutedFile> permuted_file(const FileJob& job) {
  std::vector<PermutedTensor> tensors;
  for (const TensorJob& tensor : job.tensors) {
    const bool is_same = tensor.attributes == tensor.source.attributes;
    tensors.push_back({tensor.source, permutation_of(tensor).value(), tensor.name,
                       is_same ? std::nullopt : std::optional(tensor.attributes), tensor.further.groups});
  }
  return format_of(job.options.kind)
      .permute_chunks(job.destination, tensors, job.options.chunks, job.options.overwrite, this_operation);
}

std::string obstacle_to_metadata_only(const FileJob& job) {
  if (std::string obstacle = obstacle_of(job); !obstacle.empty()) return obstacle;
  try {
    static_cast<void>(permuted_file(job));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<TensorPlan> plan_metadata_job(FileJob& job) {
  if (const std::string obstacle = obstacle_of(job); !obstacle.empty()) {
    throw ValueError(message(this_operation, ": ", obstacle));
  }
  if (job.options.resume == Resume::required) {
    throw FileError(message(this_operation, ": \"", job.destination,
                            "\" must be begun anew: a run that changes only metadata is not resumed"),
                    job.destination);
  }
  const std::unique_ptr<PermutedFile> file = permuted_file(job);
  job.bytes_read = job.bytes_written = file->max_copied_nbytes();
  std::vector<TensorPlan> plans(job.tensors.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    plans[i].rename = Rename{permutation_of(job.tensors[i]).value(), file->units(i)};
  return plans;
}

}  // namespace tenstride::io
