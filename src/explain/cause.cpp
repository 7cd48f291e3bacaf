// SPDX-License-Identifier: Apache-2.0
#include "explain/cause.hpp"

#include <algorithm>
#include <array>

namespace tenstride::detail {
namespace {

bool keeps_storage(const Step& step) {
  return step.kind == StepKind::view || step.kind == StepKind::self;
}

/// Back from the step through tensors that are not contiguous to the first of them.
std::optional<std::size_t> first_not_contiguous(const std::vector<Step>& steps,
                                                std::optional<std::size_t> step) {
  for (; step && !steps[*step].contiguous; step = steps[*step].source) {
    const std::optional<Layout>& from = steps[*step].from;
    if (from ? is_contiguous(*from) : !steps[*step].source) return step;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> last_viewable(const std::vector<Step>& steps, std::optional<std::size_t> source,
                                         const Dims& sizes) {
  for (; source && steps[*source].from && keeps_storage(steps[*source]); source = steps[*source].source) {
    const Step& step = steps[*source];
    if (step.from_dtype != step.dtype || numel(*step.from) != count_elements(sizes)) break;
    if (try_view(*step.from, sizes)) return source;
  }
  return std::nullopt;
}

std::optional<std::size_t> cause_of_refusal(const std::vector<Step>& steps, std::optional<std::size_t> source,
                                            const Dims& sizes) {
  const std::optional<std::size_t> viewable = last_viewable(steps, source, sizes);
  return viewable ? viewable : first_not_contiguous(steps, source);
}

std::optional<std::size_t> cause_of(const std::vector<Step>& steps, std::size_t step) {
  // Those that copy only where the layout leaves no other way.
  static constexpr std::array<std::string_view, 4> reshapes{"reshape", "reshape_as", "flatten", "ravel"};
  const Step& made = steps[step];
  if (made.kind != StepKind::copy || !made.contiguous) return first_not_contiguous(steps, step);
  if (!made.from || is_contiguous(*made.from)) return std::nullopt;
  if (made.op == "contiguous") return first_not_contiguous(steps, made.source);
  if (std::find(reshapes.begin(), reshapes.end(), made.op) == reshapes.end()) return std::nullopt;
  return cause_of_refusal(steps, made.source, made.layout.shape);
}

}  // namespace tenstride::detail
