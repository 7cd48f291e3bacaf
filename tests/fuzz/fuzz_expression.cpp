// SPDX-License-Identifier: Apache-2.0
// Programs in PyTorch's notation: explained, forecast without memory, and carried out where they need little.
#include <nlohmann/json.hpp>

#include "fuzz/support.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::fuzz {
namespace {

/// What needs more memory is only forecast.
constexpr Index max_bytes = Index{1} << 16;

EvaluateOptions options_on(Device device) {
  EvaluateOptions options;
  options.device = device;
  options.inputs = {{"x", arange(24, {.dtype = DType::float32, .device = device}).view({2, 3, 4})}};
  return options;
}

void check_explained(const std::string& text) {
  ExplainOptions options;
  options.inputs = options_on(Device::cpu).inputs;
  options.max_bytes = max_bytes;
  const Explanation explanation = explain(text, options);
  static_cast<void>(to_text(explanation, TextStyle::color, PlanDetail::listed));
  require(nlohmann::json::accept(to_json(explanation, PlanDetail::listed)), "an explanation is JSON");
}

/// The steps without memory are those with it, where neither fails.
void check_forecast(const Program& program) {
  const Evaluation forecast = evaluate(program, options_on(Device::meta));
  for (const Step& step : forecast.steps) {
    require(step.range.begin <= step.range.end && step.range.end <= program.text().size(),
            "a step stands in its text");
  }
  if (forecast.failure || forecast.totals.peak_bytes > max_bytes) return;
  const Evaluation carried_out = evaluate(program, options_on(Device::cpu));
  if (carried_out.failure) return;
  require(forecast.steps.size() == carried_out.steps.size(), "a forecast has all steps");
  for (std::size_t i = 0; i < forecast.steps.size(); ++i) {
    const Step& foretold = forecast.steps[i];
    const Step& step = carried_out.steps[i];
    require(foretold.op == step.op && foretold.dtype == step.dtype && foretold.layout == step.layout,
            "a step is as the forecast says: " + step.op);
  }
}

void check(const std::string& text) {
  static constexpr std::size_t max_length = 2048;
  if (text.size() > max_length) return;
  static_cast<void>(complete(text, {"x"}));
  const auto program = accepted([&] { return Program::parse(text); });
  if (!program) return;
  check_explained(text);
  check_forecast(*program);
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
