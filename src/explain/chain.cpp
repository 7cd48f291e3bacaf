// SPDX-License-Identifier: Apache-2.0
#include "explain/chain.hpp"

#include <algorithm>

namespace tenstride {

Index ChainComparison::bytes_saved() const {
  const std::uint64_t lazy = std::min<std::uint64_t>(cost.bytes_read + cost.bytes_written, INT64_MAX);
  return saturating_add(eager_bytes_read, eager_bytes_written) - static_cast<Index>(lazy);
}

std::optional<ChainComparison> detail::compare_with_chain(const Evaluation& evaluation) {
  const std::vector<Step>& steps = evaluation.steps;
  if (evaluation.failure || steps.empty()) return std::nullopt;
  const std::size_t last = evaluation.value.step().value_or(steps.size() - 1);
  if (!steps[last].chain) return std::nullopt;
  std::size_t first = last;
  std::vector<std::size_t> line{last};
  const auto continues = [&](std::size_t at) {
    const Step& step = steps[at];
    return step.source && steps[*step.source].chain && step.from && steps[*step.source].layout == *step.from;
  };
  while (continues(first)) line.push_back(first = *steps[first].source);
  const auto writes = [](const Step& step) { return step.kind == StepKind::self && step.bytes_moved > 0; };
  const auto at = [&](std::size_t i) { return steps.begin() + static_cast<std::ptrdiff_t>(i); };
  if (std::any_of(at(first), at(last), writes)) return std::nullopt;  // a chain would see what is written

  ChainComparison result;
  result.source = steps[first].source;
  result.from = *steps[first].from;
  result.dtype = steps[last].dtype;
  for (auto i = line.rbegin(); i != line.rend(); ++i) {
    for (const EagerStep& step : steps[*i].eager) {
      result.eager.push_back(step);
      result.eager_copies += step.kind == StepKind::copy ? 1 : 0;
      result.eager_bytes_read = saturating_add(result.eager_bytes_read, step.bytes_read);
      result.eager_bytes_written = saturating_add(result.eager_bytes_written, step.bytes_written);
    }
  }
  result.plan = steps[last].chain->plan();
  // `contiguous` at the end asks for a row-major result.
  if (steps[last].op == "contiguous" && !is_contiguous(result.plan.result)) {
    result.plan = steps[last].chain->copy_plan();
  }
  result.cost = cost(result.plan, result.dtype);
  return result;
}

}  // namespace tenstride
