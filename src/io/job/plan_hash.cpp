// SPDX-License-Identifier: Apache-2.0
#include "io/job/plan_hash.hpp"

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "io/job/job_plan.hpp"
#include "tenstride/base/scalar.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// What a tensor becomes, but for the way.
std::string text_of_result(const TensorJob& tensor) {
  const ElementOptions& elements = tensor.elements;
  std::string text = message(tensor.name, name(tensor.dtype), tensor.shape, static_cast<int>(elements.order),
                             ',', elements.axis, ';');
  for (const auto* numbers : {&elements.scale, &elements.shift}) {
    // In full: std::to_string leaves nothing of 1e-8.
    for (const double number : *numbers) text += Scalar(number).to_string() + ',';
    text += ';';
  }
  if (tensor.reduction) text += name(*tensor.reduction);
  if (const std::optional<Rescaling>& meant = tensor.rescaling) {
    text +=
        message("means", name(meant->stored), Scalar(meant->scale).to_string(), ',',
                Scalar(meant->shift).to_string(), ',', missing_text(*meant), ',', meant->fill.to_string());
  }
  return text;
}

/// Units in chunks are the same whatever the tiles; those of a flat file are parts of tiles.
std::string text_of_parts(const FileJob& job, const TensorJob& tensor, const TilePlan& plan) {
  const ChunkOptions& options = job.options.chunks;
  const TilePass& last = plan.passes.back();
  std::string text = message(format_of(job.options.kind).name, plan.map.first, last.unit);
  for (const IndexMap::Axis& axis : plan.map.axes) {
    text += axis.source ? message(*axis.source, ':', axis.step, ',') : ",";
  }
  if (!writes_chunks(format_of(job.options.kind), options)) return text + message(last.tile);
  text += message(options.chunk, options.shard, options.codec, options.zarr_format,
                  static_cast<int>(tensor.has_usual_chunks), tensor.attributes);
  for (const std::string& axis : tensor.axis_names) text += axis + ',';
  return text;
}

std::string text_of_stored(const FileJob& job) {
  std::string text;
  for (const FileInfo& info : job.options.chunks.as_stored)
    text += message("stored", info.path, info.name, ';');
  return text;
}

}  // namespace

std::uint64_t plan_hash(const FileJob& job) {
  std::string text;
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    const TensorJob& tensor = job.tensors[i];
    const TensorPlan& plan = plan_of(job).tensors[i];
    text += text_of_result(tensor);
    for (const FileStage& stage : plan.stages) {
      if (!stage.plan.is_in_parts) text += to_json(stage.plan);
    }
    for (const DType type : tensor.conversions) text += name(type);
    if (plan.is_in_parts()) text += text_of_parts(job, tensor, plan.stages[0].plan);
  }
  return fnv1a(text + plan_of(job).head + text_of_stored(job));
}

std::uint64_t result_hash(const FileJob& job) {
  const ChunkOptions& chunks = job.options.chunks;
  std::string text =
      message(format_of(job.options.kind).name, chunks.chunk, chunks.shard, chunks.codec, chunks.zarr_format);
  for (const TensorJob& tensor : job.tensors) {
    const FileInfo& source = tensor.source;
    text += text_of_result(tensor) +
            message(source.path, source.name, name(source.dtype), to_string(source.layout)) + tensor.chain;
  }
  return fnv1a(text + plan_of(job).head + text_of_stored(job));
}

}  // namespace tenstride::io
