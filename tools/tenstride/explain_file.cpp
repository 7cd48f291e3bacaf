// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "convert_large.hpp"
#include "explain_file.hpp"
#include "input_path.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::cli {
namespace {

/// The tensor that `x` stands for, where it is the only input and its elements can be read one by one.
std::optional<io::FileInfo> file_of_x(const std::vector<std::string>& inputs, const RawOptions& raw) {
  if (inputs.size() != 1) return std::nullopt;
  const std::string& input = inputs.front();
  const std::size_t equals = input.find('=');
  if (equals != std::string::npos && input.substr(0, equals) != "x") return std::nullopt;
  io::FileInfo info =
      input_info(equals == std::string::npos ? input : input.substr(equals + 1), raw, "explain");
  if (info.storage != io::ElementStorage::flat) return std::nullopt;
  return info;
}

}  // namespace

std::optional<FilePlan> plan_of_file(const ExplainCommand& command, const std::string& expression) {
  const bool has_limit = !command.max_mem.empty();
  if (has_limit && command.plans == PlanDetail::left_out) {
    throw UsageError("explain: --max-mem must go with --plan");
  }
  if (command.plans == PlanDetail::left_out) return std::nullopt;
  const std::optional<io::FileInfo> x = file_of_x(command.inputs, command.raw);
  if (!x) return std::nullopt;
  FilePlan plan;
  plan.limit = has_limit ? parse_limit("explain: --max-mem", command.max_mem) : io::free_memory() / 2;
  plan.is_limit_given = has_limit;
  io::FileOptions options;
  options.memory = std::max<std::uint64_t>(1, memory_for_buffers(plan.limit));
  try {
    if (!io::obstacle_to_permute_file(expression, *x).empty()) return std::nullopt;
    // The result is thought of as beside the source: on the same disk.
    plan.job = io::plan_permute_files({{*x, expression}}, x->path, options);
  } catch (const io::MemoryLimitError& error) {
    throw UsageError("explain: --max-mem " + std::to_string(plan.limit) + " must leave at least " +
                     std::to_string(error.least()) + " bytes for buffers");
  } catch (const Error&) {
    return std::nullopt;  // what is wrong with the expression, its explanation says
  }
  return plan;
}

std::string to_text(const FilePlan& plan) {
  return "plan from file to file within " + bytes_to_text(static_cast<Index>(plan.limit)) +
         (plan.is_limit_given ? "" : " (half of the free memory; --max-mem sets it)") + ":\n" +
         to_string(plan.job);
}

std::string to_json(const FilePlan& plan) {
  nlohmann::ordered_json json;
  json["limit"] = plan.limit;
  json["stages"] = nlohmann::ordered_json::parse(io::to_json(plan.job))["tensors"][0]["stages"];
  return json.dump();
}

}  // namespace tenstride::cli
