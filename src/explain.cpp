// SPDX-License-Identifier: Apache-2.0
#include "tenstride/explain.hpp"

#include "explain_chain.hpp"
#include "message.hpp"
#include "tenstride/text.hpp"

namespace tenstride {
namespace {

Tensor on_meta(const Layout& layout, DType dtype) {
  // As much storage as the layout reaches; the chain's own storage is not known here and does not matter.
  const std::optional<Reach> touched = reach(layout);
  Layout moved = layout;
  moved.offset = touched ? layout.offset - touched->lowest : 0;
  const Index length = touched ? touched->highest - touched->lowest + 1 : 0;
  return Tensor(Storage::meta(static_cast<std::size_t>(length) * item_size(dtype)), std::move(moved), dtype);
}

std::map<std::string, Tensor> on_meta(const std::map<std::string, Tensor>& inputs) {
  std::map<std::string, Tensor> result;
  for (const auto& [name, tensor] : inputs) {
    result.emplace(name, Tensor(Storage::meta(tensor.storage().nbytes()), tensor.layout(), tensor.dtype()));
  }
  return result;
}

std::string call_text(const Explanation& explanation, TextRange range) {
  std::string text = explanation.expression.substr(range.begin, range.end - range.begin);
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

/// The fixes that copy, each tried out.
std::vector<Fix> copying_fixes(const ViewObstacle& obstacle, DType dtype) {
  std::vector<Fix> fixes;
  const Tensor source = on_meta(obstacle.from, dtype);
  const Index bytes = static_cast<Index>(source.nbytes());
  const std::string to = to_string(obstacle.to);
  const Tensor reshaped = source.reshape(obstacle.to);
  if (reshaped.shape() == obstacle.to && !reshaped.shares_storage(source)) {
    fixes.push_back({".reshape" + to, source.numel(), bytes, false});
  }
  const Tensor dense = source.contiguous();
  if (!dense.shares_storage(source) && dense.view(obstacle.to).shares_storage(dense)) {
    fixes.push_back({".contiguous().view" + to, source.numel(), bytes, false});
  }
  return fixes;
}

/// Goes back through the views that led to the refused one: where the view would have been possible before a
/// step, that step is the cause, and doing the view first is free.
std::optional<Fix> earlier_view(const Explanation& explanation, const Failure& failure) {
  const ViewObstacle& obstacle = *failure.obstacle;
  const std::vector<Step>& steps = explanation.evaluation.steps;
  for (std::optional<std::size_t> at = failure.source; at && steps[*at].from; at = steps[*at].source) {
    const Step& step = steps[*at];
    if (step.kind != StepKind::view && step.kind != StepKind::self) break;
    if (step.from_dtype != failure.dtype || numel(*step.from) != numel(obstacle.from)) break;
    if (!try_view(*step.from, obstacle.to)) continue;
    const Tensor source = on_meta(*step.from, step.from_dtype);
    if (!source.view(obstacle.to).shares_storage(source)) break;
    return Fix{detail::message(".view", obstacle.to, " before ", call_text(explanation, step.range)), 0, 0,
               true};
  }
  return std::nullopt;
}

/// The step that first made the refused tensor's line of views non-contiguous.
std::string cause(const Explanation& explanation, const Failure& failure) {
  const std::vector<Step>& steps = explanation.evaluation.steps;
  for (std::optional<std::size_t> at = failure.source; at && steps[*at].from; at = steps[*at].source) {
    const Step& step = steps[*at];
    if (step.kind != StepKind::view && step.kind != StepKind::self) break;
    if (!is_contiguous(*step.from) || step.contiguous) continue;
    return detail::message("\n  since: ", call_text(explanation, step.range), " (step ", *at + 1, ") made ",
                           to_string(step.layout), " of the contiguous ", to_string(*step.from));
  }
  return {};
}

void explain_failure(Explanation& explanation) {
  const Failure& failure = *explanation.evaluation.failure;
  explanation.message = failure.message;
  if (failure.type == "SyntaxError") return;  // its message has the caret already
  if (!failure.obstacle) {
    explanation.message += '\n' + point_at(explanation.expression, failure.range);
    return;
  }
  explanation.fixes = copying_fixes(*failure.obstacle, failure.dtype);
  if (const std::optional<Fix> fix = earlier_view(explanation, failure)) {
    explanation.message += detail::message("\n         ", fix->code, "   no copy, another element order");
    explanation.fixes.push_back(*fix);
  } else {
    explanation.message += cause(explanation, failure);
  }
}

Evaluation not_parsed(const ParseError& error) {
  Evaluation evaluation;
  Failure failure;
  failure.cause = Failure::Cause::notation;
  failure.type = "SyntaxError";
  failure.message = error.what();
  failure.range = {error.position(), error.position() + 1};
  evaluation.failure = std::move(failure);
  return evaluation;
}

}  // namespace

Explanation explain(std::string_view expression, const ExplainOptions& options) {
  Explanation explanation;
  explanation.expression = expression;
  try {
    const Program program = Program::parse(expression);
    // First without memory: what it would need is known then. What needs elements fails there, and is done
    // for real.
    Evaluation forecast = evaluate(program, {.inputs = on_meta(options.inputs), .device = Device::meta});
    if (forecast.totals.peak_bytes > options.max_bytes && !forecast.failure) {
      explanation.note =
          detail::message("the value is left out: it needs ", bytes_to_text(forecast.totals.peak_bytes),
                          " of memory, more than ", bytes_to_text(options.max_bytes));
      explanation.chain = detail::compare_with_chain(forecast);
      forecast.value = {};
      explanation.evaluation = std::move(forecast);
    } else if (forecast.totals.peak_bytes > options.max_bytes) {
      explanation.evaluation = std::move(forecast);
    } else {
      explanation.evaluation = evaluate(program, {.inputs = options.inputs});
      explanation.chain = detail::compare_with_chain(explanation.evaluation);
    }
  } catch (const ParseError& error) {
    explanation.evaluation = not_parsed(error);
  }
  if (explanation.evaluation.failure) explain_failure(explanation);
  return explanation;
}

}  // namespace tenstride
