// SPDX-License-Identifier: Apache-2.0
#include "io/job/job_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/plan/unit_numbers.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {

using tenstride::detail::message;

std::size_t TensorPlan::passes() const {
  if (rename) return 1;
  std::size_t passes = 0;
  for (const FileStage& stage : stages) passes += stage.plan.passes.size();
  return passes;
}

std::uint64_t TensorPlan::tiles() const {
  if (rename) return static_cast<std::uint64_t>(rename->files);
  Index tiles = 0;
  for (const FileStage& stage : stages) tiles += stage.plan.tiles();
  return static_cast<std::uint64_t>(tiles);
}

bool unpacks_straight(const TensorJob& tensor, const TensorPlan& plan) {
  const FileInfo& source = tensor.source;
  if (source.storage != ElementStorage::stream || source.is_byte_swapped || tensor.is_byte_swapped ||
      plan.stages.size() != 1 || plan.is_in_parts())
    return false;
  if (tensor.dtype != source.dtype || !tensor.conversions.empty() || tensor.reduction) return false;
  if (tensor.elements.has_arithmetic() || tensor.rescaling) return false;
  const BlockProblem& problem = plan.stages[0].plan.problem;
  const Layout& positions = problem.positions.rank() == 0 ? problem.dst : problem.positions;
  const auto is_row_major = [&](const Layout& layout) { return layout == row_major(problem.dst.shape); };
  return numel(problem.dst) == numel(source.layout) && is_row_major(problem.src) &&
         is_row_major(problem.dst) && is_row_major(positions);
}

std::vector<std::size_t> count_parts(const FileJob& job) {
  std::vector<std::size_t> parts;
  for (const TensorPlan& tensor : plan_of(job).tensors) {
    if (!tensor.is_in_parts()) {
      parts.push_back(static_cast<std::size_t>(tensor.tiles()));
      continue;
    }
    const TilePlan& plan = tensor.stages[0].plan;
    parts.push_back(UnitNumbers(plan.problem.dst.shape, plan.passes.back()).count());
  }
  return parts;
}

void set_plan(FileJob& job, JobPlan plan) {
  for (const TensorPlan& tensor : plan.tensors) {
    job.passes += tensor.passes();
    for (const FileStage& stage : tensor.stages)
      job.memory = std::max(job.memory, static_cast<std::uint64_t>(stage.plan.memory));
  }
  job.plan_ = std::make_shared<const JobPlan>(std::move(plan));
}

std::string to_string(const FileJob& job) {
  std::string text;
  for (std::size_t t = 0; t < job.tensors.size(); ++t) {
    const TensorJob& tensor = job.tensors[t];
    const auto& [stages, rename] = plan_of(job).tensors[t];
    if (job.tensors.size() > 1) {
      const bool is_kept = tensor.kind == MoveKind::keep, is_same = tensor.chain == "x";
      text += tensor.name + (is_kept && is_same ? ", as it is" : ": " + tensor.chain) +
              (is_kept && !is_same ? ", as its axes\n" : "\n");
    }
    if (rename) {
      text += message("metadata only: axes ", rename->order, " of x, ", rename->files,
                      " files of chunks at most get other names and keep their bytes\n");
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (stages.size() > 1)
        text += message("stage ", i + 1, i + 1 < stages.size() ? ", into temporary space\n" : "\n");
      text += to_string(stages[i].plan) + '\n';
    }
  }
  for (const TensorJob& tensor : job.tensors) {
    for (const std::string& note : tensor.notes) text += "note: " + note + '\n';
  }
  for (const FileInfo& info : job.options.chunks.as_stored)
    text += message("copied as its bytes are stored: ", info.name, '\n');
  if (job.unpacked_bytes > 0)
    text += message("unpack  ", job.unpacked_bytes, " bytes before, into a file beside the destination\n");
  if (job.min_packed_bytes > 0)
    text += message("pack    ", job.nbytes, " bytes at the end, from a file beside the destination\n");
  return text + to_string(dropped_facts(job));
}

std::string to_json(const FileJob& job) {
  using Json = nlohmann::ordered_json;
  Json tensors = Json::array();
  for (std::size_t t = 0; t < job.tensors.size(); ++t) {
    Json& stages = tensors.emplace_back()["stages"] = Json::array();
    for (const FileStage& stage : plan_of(job).tensors[t].stages)
      stages.push_back(Json::parse(tenstride::to_json(stage.plan)));
  }
  return Json{{"tensors", tensors}}.dump();
}

std::vector<DroppedFact> dropped_facts(const FileJob& job) {
  std::vector<DroppedFact> all = job.dropped;
  for (const TensorJob& tensor : job.tensors) {
    all.insert(all.end(), tensor.dropped.begin(), tensor.dropped.end());
  }
  return all;
}

}  // namespace tenstride::io
