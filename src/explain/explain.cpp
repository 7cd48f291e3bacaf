// SPDX-License-Identifier: Apache-2.0
#include "tenstride/explain/explain.hpp"

#include <algorithm>
#include <cctype>

#include "base/message.hpp"
#include "explain/call_text.hpp"
#include "explain/cause.hpp"
#include "explain/chain.hpp"
#include "layout/reshape_text.hpp"
#include "memory/watch.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

Tensor on_meta(const Layout& layout, DType dtype) {
  // As much storage as the layout reaches; the chain's own storage is not known here and does not matter.
  const std::optional<Reach> touched = reach(layout);
  Layout moved = layout;
  moved.offset = touched ? layout.offset - touched->lowest : 0;
  const Index length = touched ? touched->highest - touched->lowest + 1 : 0;
  return Tensor(Storage::meta(static_cast<std::uint64_t>(length) * item_size(dtype)), std::move(moved),
                dtype);
}

std::map<std::string, Tensor> on_meta(const std::map<std::string, Tensor>& inputs) {
  std::map<std::string, Tensor> result;
  for (const auto& [name, tensor] : inputs) {
    result.emplace(name, Tensor(tensor.storage().without_memory(), tensor.layout(), tensor.dtype()));
  }
  return result;
}

std::string call_text(const Explanation& explanation, TextRange range) {
  return detail::call_text(explanation.expression, range);
}

/// What is tried out is no copy of the program's: neither ledgers nor `NoCopy` get to know of it.
class Unwatched {
 public:
  Unwatched() : watch_(std::exchange(detail::watch, nullptr)) {}
  ~Unwatched() { detail::watch = watch_; }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  detail::Watch* watch_;
};

template <class Run>
Evaluation unwatched(const Run& run) {
  const Unwatched scope;
  return run();
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

/// What writes a fix in place of the refused call.
void write_in_place_of(TextRange call, Fix& fix) {
  fix.edits = {{call, fix.code}};
}

/// Whether each step up to the refused call was made of the one before it, and stands behind it in the text.
bool is_one_chain(const std::vector<Step>& steps, std::size_t first, const Failure& failure) {
  if (failure.source != steps.size() - 1) return false;
  std::size_t end = failure.range.begin;
  for (std::size_t i = steps.size(); i-- > first;) {
    if (steps[i].range.end != end || (i > first && steps[i].source != i - 1)) return false;
    end = steps[i].range.begin;
  }
  return true;
}

/// Whether the text at a place is a method's or an index's, behind what it is called on.
bool is_behind_tensor(const std::string& expression, std::size_t place) {
  return expression[place] == '.' || expression[place] == '[';
}

/// The elements in the order in which they lie, where they then can be viewed.
std::optional<Fix> view_of_memory(const ViewObstacle& obstacle, DType dtype) {
  const std::optional<Dims> order = detail::memory_order(obstacle.from);
  if (!order || !try_view(permute(obstacle.from, *order), obstacle.to)) return std::nullopt;
  const Tensor source = on_meta(obstacle.from, dtype);
  if (!source.permute(*order).view(obstacle.to).shares_storage(source)) return std::nullopt;
  return Fix{detail::message(".permute", *order, ".view", obstacle.to), 0, 0, true};
}

/// Where the name begins that ends at a place of the text; the place itself where none does.
std::size_t begin_of_name(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  return begin;
}

/// Whether the edited text makes a view of the tensor of step `source` in place of what was refused.
bool is_view_of(const Explanation& explanation, const TextEdit& edit, std::optional<std::size_t> source) {
  std::string text = explanation.expression;
  text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
  const EvaluateOptions options{.device = Device::meta};
  try {
    const Evaluation tried = unwatched([&] { return evaluate(Program::parse(text), options); });
    const std::size_t refused = explanation.evaluation.steps.size();
    return tried.steps.size() > refused && tried.steps[refused].kind == StepKind::view &&
           tried.steps[refused].source == source;
  } catch (const ParseError&) {
    return false;
  }
}

/// What writes a view of what step `before` was called on: in place of that step and those behind it, or,
/// where these have names, in place of the refused call and the name that it was called on.
std::vector<TextEdit> edits_of_earlier_view(const Explanation& explanation, const Failure& failure,
                                            std::size_t before, const std::string& view) {
  const std::vector<Step>& steps = explanation.evaluation.steps;
  const std::string& text = explanation.expression;
  const std::size_t call = steps[before].range.begin;
  if (!is_behind_tensor(text, call)) return {};
  if (is_one_chain(steps, before, failure)) return {{{call, failure.range.end}, view}};
  const std::size_t name = begin_of_name(text, call);
  const std::size_t refused = begin_of_name(text, failure.range.begin);
  if (name == call || refused == failure.range.begin) return {};
  TextEdit edit{{refused, failure.range.end}, text.substr(name, call - name) + view};
  if (!is_view_of(explanation, edit, steps[before].source)) return {};
  return {std::move(edit)};
}

/// A fix: doing the view before a step, where it would have been possible, is free.
std::optional<Fix> earlier_view(const Explanation& explanation, const Failure& failure) {
  const ViewObstacle& obstacle = *failure.obstacle;
  const std::vector<Step>& steps = explanation.evaluation.steps;
  const std::optional<std::size_t> before = detail::last_viewable(steps, failure.source, obstacle.to);
  if (!before || steps[*before].from_dtype != failure.dtype) return std::nullopt;
  const Tensor source = on_meta(*steps[*before].from, failure.dtype);
  if (!source.view(obstacle.to).shares_storage(source)) return std::nullopt;
  const std::string view = detail::message(".view", obstacle.to);
  return Fix{detail::message(view, " before ", call_text(explanation, steps[*before].range)), 0, 0, true,
             edits_of_earlier_view(explanation, failure, *before, view)};
}

std::string fix_lines(const std::vector<Fix>& fixes, std::size_t item_size) {
  std::vector<detail::FixLine> lines;
  for (const Fix& fix : fixes) {
    if (fix.bytes_copied == 0) {
      lines.push_back({fix.code, std::string(detail::free_but_reordered)});
    } else {
      const bool is_visible = fix.code.starts_with(".contiguous");
      lines.push_back({fix.code, detail::price(fix.elements_copied, item_size) +
                                     (is_visible ? ", visibly" : ", silently")});
    }
  }
  return detail::to_text(lines);
}

/// "since: …", the step to blame.
std::string since(const Explanation& explanation, std::size_t cause) {
  const Step& step = explanation.evaluation.steps[cause];
  std::string text = detail::message("\n  since: ", call_text(explanation, step.range), " (step ", cause + 1,
                                     ") made ", to_string(step.layout));
  if (!step.from) return text;
  return text + (is_contiguous(*step.from) ? " of the contiguous " : " of ") + to_string(*step.from);
}

void explain_refused_view(Explanation& explanation) {
  const Failure& failure = *explanation.evaluation.failure;
  const ViewObstacle& obstacle = *failure.obstacle;
  explanation.fixes = copying_fixes(obstacle, failure.dtype);
  std::optional<Fix> free = earlier_view(explanation, failure);
  const bool is_earlier = free.has_value();
  if (!free) free = view_of_memory(obstacle, failure.dtype);
  if (is_behind_tensor(explanation.expression, failure.range.begin)) {
    for (Fix& fix : explanation.fixes) write_in_place_of(failure.range, fix);
    if (free && !is_earlier) write_in_place_of(failure.range, *free);
  }
  if (free) explanation.fixes.push_back(*std::move(free));
  explanation.failure_cause =
      detail::cause_of_refusal(explanation.evaluation.steps, failure.source, obstacle.to);
  explanation.message = failure.message.substr(0, failure.message.find('\n') + 1) +
                        detail::obstacle_lines(obstacle) +
                        fix_lines(explanation.fixes, item_size(failure.dtype));
  if (explanation.failure_cause) explanation.message += since(explanation, *explanation.failure_cause);
  explanation.message += detail::scramble_note(obstacle);
}

void explain_failure(Explanation& explanation) {
  const Failure& failure = *explanation.evaluation.failure;
  explanation.message = failure.message;
  if (failure.type == "SyntaxError") return;  // its message has the caret already
  if (failure.obstacle) {
    explain_refused_view(explanation);
    return;
  }
  if (failure.scramble) explanation.message += '\n' + to_string(*failure.scramble);
  explanation.message += '\n' + point_at(explanation.expression, failure.range);
}

/// Blames steps, and explains the failure.
void conclude(Explanation& explanation) {
  const Unwatched trial;
  const std::vector<Step>& steps = explanation.evaluation.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) explanation.causes.push_back(detail::cause_of(steps, i));
  if (explanation.evaluation.failure) explain_failure(explanation);
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

/// Whether elements that are only foretold are used on the cpu: then nothing is carried out.
bool comes_back(const Evaluation& forecast) {
  const auto returns = [](const Step& step) { return step.link && step.link->to.is_host(); };
  return std::any_of(forecast.steps.begin(), forecast.steps.end(), returns);
}

/// Whether the failure of an evaluation without memory is that: with elements the call may be carried out.
bool wants_elements(const Failure& failure) {
  return failure.message.find("meta") != std::string::npos ||
         failure.message.find("foretold") != std::string::npos;
}

bool opens_file(const Evaluation& forecast) {
  return std::any_of(forecast.steps.begin(), forecast.steps.end(),
                     [](const Step& step) { return step.kind == StepKind::file; });
}

bool has_unread_elements(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return !tensor->has_memory();
  const Value::Sequence* list = value.sequence();
  return list != nullptr && std::any_of(list->items.begin(), list->items.end(), has_unread_elements);
}

}  // namespace

Explanation explain(std::string_view expression, const ExplainOptions& options) {
  Explanation explanation;
  explanation.expression = expression;
  try {
    const Program program = Program::parse(expression);
    // First without memory: what it would need is known then. What needs elements fails there, and is done
    // for real.
    EvaluateOptions evaluate_options{.inputs = on_meta(options.inputs), .device = Device::meta};
    evaluate_options.scrambles = options.scrambles;
    evaluate_options.open_file = options.open_file;
    Evaluation forecast = unwatched([&] { return evaluate(program, evaluate_options); });
    if (comes_back(forecast) && !forecast.failure) {
      explanation.note = "the value is left out: what comes back from another device has no elements here";
      forecast.value = {};
      explanation.evaluation = std::move(forecast);
    } else if (forecast.totals.peak_bytes > options.max_bytes && !forecast.failure) {
      explanation.note =
          detail::message("the value is left out: it needs ", bytes_to_text(forecast.totals.peak_bytes),
                          " of memory, more than ", bytes_to_text(options.max_bytes));
      explanation.chain = detail::compare_with_chain(forecast);
      forecast.value = {};
      explanation.evaluation = std::move(forecast);
    } else if (forecast.totals.peak_bytes > options.max_bytes) {
      explanation.evaluation = std::move(forecast);
    } else if (opens_file(forecast) && !(forecast.failure && wants_elements(*forecast.failure))) {
      if (has_unread_elements(forecast.value)) {
        explanation.note = "the value is left out: of a file that is opened the layout alone is read";
        forecast.value = {};
      }
      explanation.chain = detail::compare_with_chain(forecast);
      explanation.evaluation = std::move(forecast);
    } else {
      evaluate_options.inputs = options.inputs;
      evaluate_options.device = Device::cpu;
      evaluate_options.absent = AbsentDevice::foretell;
      explanation.evaluation = evaluate(program, evaluate_options);
      explanation.chain = detail::compare_with_chain(explanation.evaluation);
    }
  } catch (const ParseError& error) {
    explanation.evaluation = not_parsed(error);
  }
  conclude(explanation);
  return explanation;
}

namespace {

EvaluateOptions for_session(const ExplainOptions& options) {
  EvaluateOptions result;
  result.inputs = options.inputs;
  result.scrambles = options.scrambles;
  result.absent = AbsentDevice::foretell;
  result.open_file = options.open_file;
  return result;
}

}  // namespace

ExplainSession::ExplainSession(ExplainOptions options)
    : options_(std::move(options)), interpreter_(for_session(options_)) {}

Explanation ExplainSession::explain(std::string_view text) {
  Explanation explanation;
  explanation.is_of_session = true;
  try {
    Evaluation forecast = unwatched([&] { return interpreter_.forecast(text); });
    if (forecast.totals.peak_bytes > options_.max_bytes) {
      const std::size_t begin = interpreter_.text().size();
      explanation.expression = detail::message(interpreter_.text(), text, '\n');
      if (!forecast.failure) {
        Failure failure;
        failure.type = "MemoryError";
        failure.message =
            detail::message("not carried out: it needs ", bytes_to_text(forecast.totals.peak_bytes),
                            " of memory, more than ", bytes_to_text(options_.max_bytes));
        failure.range = {begin, begin + text.size()};
        forecast.value = {};
        forecast.failure = std::move(failure);
      }
      explanation.evaluation = std::move(forecast);
    } else {
      explanation.evaluation = interpreter_.run(text);
      explanation.expression = interpreter_.text();
      const Evaluation& evaluation = explanation.evaluation;
      const std::size_t told = evaluation.value.step().value_or(evaluation.steps.size() - 1);
      if (evaluation.steps.size() > evaluation.first_step && told >= evaluation.first_step) {
        explanation.chain = detail::compare_with_chain(evaluation);
      }
    }
  } catch (const ParseError& error) {
    explanation.expression = detail::message(interpreter_.text(), text);
    explanation.evaluation = not_parsed(error);
  }
  conclude(explanation);
  return explanation;
}

std::optional<ViewExplanation> why_not_view(const Tensor& x, const Dims& sizes) {
  const Dims shape = infer_shape(sizes, x.numel(), x.shape(), "view");
  const std::optional<ViewObstacle> obstacle = why_not_view(x.layout(), shape);
  if (!obstacle) return std::nullopt;
  const Unwatched trial;
  ViewExplanation explanation{*obstacle, copying_fixes(*obstacle, x.dtype()), {}};
  if (std::optional<Fix> fix = view_of_memory(*obstacle, x.dtype())) {
    explanation.fixes.push_back(*std::move(fix));
  }
  explanation.text = detail::obstacle_lines(*obstacle) + fix_lines(explanation.fixes, item_size(x.dtype())) +
                     detail::scramble_note(*obstacle);
  return explanation;
}

}  // namespace tenstride
