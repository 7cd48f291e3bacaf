// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/call_text.hpp"
#include "explain/cause.hpp"
#include "plan/way_text.hpp"
#include "tenstride/copy/measure.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index max_elements = 10'000;

Json to_json_list(const Dims& dims) {
  return Json(dims.to_vector());
}

Json to_json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json to_json_number(const Scalar& number) {
  if (number.is_bool()) return number.to<bool>();
  if (number.is_complex()) {
    const auto value = number.to<std::complex<double>>();
    return Json::array({to_json_number(value.real()), to_json_number(value.imag())});
  }
  if (number.is_floating_point()) return to_json_number(number.to<double>());
  if (const auto* large = std::get_if<std::uint64_t>(&number.value())) return *large;
  return number.to<std::int64_t>();
}

Json to_json_nested(const Nested& nested) {
  if (!nested.is_list()) return to_json_number(nested.scalar());
  Json list = Json::array();
  for (const Nested& item : nested.items()) list.push_back(to_json_nested(item));
  return list;
}

Json to_json_tensor(const Tensor& tensor) {
  if (!tensor.has_memory() || tensor.numel() > max_elements) return nullptr;
  return to_json_nested(tensor.tolist());
}

Json to_json_value(const Value& value) {
  if (value.is_none()) return nullptr;
  if (value.number() != nullptr) return to_json_number(*value.number());
  if (value.tensor() != nullptr) return to_json_tensor(*value.tensor());
  if (const Value::Sequence* list = value.sequence()) {
    Json items = Json::array();
    for (const Value& item : list->items) items.push_back(to_json_value(item));
    return items;
  }
  if (const auto* storage = std::get_if<detail::StorageElements>(&value.variant())) {
    return to_json_tensor(storage->elements);
  }
  if (const auto* storage = std::get_if<detail::StorageBytes>(&value.variant()))
    return to_json_tensor(storage->bytes);
  return value.str();
}

/// The costs of the candidates, by name.
Json to_json_costs(const WayCosts& costs) {
  Json all = Json::object();
  for (const detail::NamedCost& each : detail::sorted_costs(costs)) all[each.name] = each.cost;
  return all;
}

Json to_json_loops(const Loops& loops) {
  Json list = Json::array();
  for (const Loop& loop : loops) {
    list.push_back(
        {{"extent", loop.extent}, {"dst_stride", loop.dst_stride}, {"src_stride", loop.src_stride}});
  }
  return list;
}

Json to_json_reductions(const std::vector<ReducePlan>& plans) {
  Json list = Json::array();
  for (const ReducePlan& plan : plans) {
    list.push_back({{"way", name(plan.way)},
                    {"reduction", name(plan.problem.reduction)},
                    {"src_dtype", name(plan.problem.dtype)},
                    {"dst_dtype", name(plan.result_dtype)},
                    {"results", numel(plan.problem.results)},
                    {"tile", plan.tile},
                    {"cuts", plan.cuts},
                    {"streaming", plan.streaming},
                    {"result_loops", to_json_loops(plan.result_loops)},
                    {"reduction_loops", to_json_loops(plan.reduction_loops)},
                    {"text", plan.to_string()}});
  }
  return list;
}

Json to_json_measured(const CopyPlan& plan) {
  if (measured_bytes(plan) > max_measured_bytes) return nullptr;
  Json list = Json::array();
  const Measurement measured = measure_anew(plan, options_here());
  for (const TimedPlan& one : measured.timed) {
    list.push_back({{"way", one.plan.name()},
                    {"variation", one.variation},
                    {"foretold", one.plan.cost()},
                    {"measured", one.seconds / measured.plain_seconds},
                    {"seconds", one.seconds}});
  }
  return list;
}

Json to_json_plans(const std::vector<CopyPlan>& plans, PlanDetail detail) {
  Json list = Json::array();
  for (const CopyPlan& plan : plans) {
    list.push_back({{"kernel", plan.method()},
                    {"elements", plan.count},
                    {"src_dtype", name(plan.conversion.src_type)},
                    {"dst_dtype", name(plan.conversion.dst_type)},
                    {"streaming", plan.stores() != Stores::ordinary},
                    {"threads", plan.threads},
                    {"loops", to_json_loops(plan.in_elements().loops)},
                    {"text", plan.to_string()},
                    {"costs", to_json_costs(plan.costs)},
                    {"run", run_text(plan)}});
    if (detail == PlanDetail::measured) list.back()["measured"] = to_json_measured(plan);
  }
  return list;
}

Json to_json_cause(const std::optional<std::size_t>& cause) {
  return cause ? Json(*cause + 1) : Json(nullptr);
}

Json to_json_contiguity(const Layout& layout) {
  const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(layout);
  if (!obstacle) return nullptr;
  return {{"axis", obstacle->axis},
          {"stride_found", obstacle->stride_found},
          {"stride_needed", obstacle->stride_needed},
          {"order", to_json_list(obstacle->order)},
          {"repeats", obstacle->repeats},
          {"backwards", obstacle->is_backwards},
          {"gaps", obstacle->has_gaps},
          {"may_overlap", obstacle->may_overlap}};
}

Json to_json_scramble(const std::optional<ScrambleSeen>& seen) {
  if (!seen) return nullptr;
  Json places = Json::array();
  for (std::size_t i = 0; i < seen->places.size(); ++i) {
    const ScrambledPlace& place = seen->places[i];
    places.push_back({{"index", to_json_list(place.index)},
                      {"reshaped_from", to_json_list(place.reshaped_from)},
                      {"meant_from", to_json_list(place.meant_from)},
                      {"found", seen->found.empty() ? Json(nullptr) : Json(seen->found[i])},
                      {"meant", seen->meant.empty() ? Json(nullptr) : Json(seen->meant[i])}});
  }
  return {{"from", to_json_list(seen->scramble.from)},
          {"to", to_json_list(seen->scramble.to)},
          {"split", to_json_list(seen->scramble.split)},
          {"order", to_json_list(seen->scramble.order)},
          {"certainty", name(seen->scramble.certainty)},
          {"meant", to_code(seen->scramble)},
          {"places", std::move(places)},
          {"differing", seen->differing ? Json(*seen->differing) : Json(nullptr)}};
}

Json to_json_transfer(const Step& step) {
  if (!step.link) return nullptr;
  return {{"from", name(step.link->from)},
          {"to", name(step.link->to)},
          {"memory", name(step.link->memory)},
          {"blocking", step.link->blocking == Blocking::blocking},
          {"bytes", step.bytes_transferred}};
}

Json to_json_range(TextRange range) {
  return {range.begin, range.end};
}

Json to_json_step(const Step& step, const std::optional<std::size_t>& cause, PlanDetail plans) {
  Json reason = nullptr;
  if (!step.reason.empty() || !step.hint.empty()) {
    reason = step.reason + (step.reason.empty() || step.hint.empty() ? "" : "; ") + step.hint;
  }
  Json json{{"op", step.op},
            {"kind", name(step.kind)},
            {"dtype", name(step.dtype)},
            {"shape", to_json_list(step.layout.shape)},
            {"strides", to_json_list(step.layout.strides)},
            {"offset", step.layout.offset},
            {"contiguous", step.contiguous},
            {"shares_storage", step.shares_storage},
            {"bytes_moved", step.bytes_moved},
            {"bytes_allocated", step.bytes_allocated},
            {"transfer", to_json_transfer(step)},
            {"reason", reason},
            {"cause", to_json_cause(cause)},
            {"not_contiguous", to_json_contiguity(step.layout)},
            {"scramble", to_json_scramble(step.scramble)}};
  if (plans != PlanDetail::left_out) {
    json["plans"] = to_json_plans(step.plans, plans);
    json["plan_count"] = step.plan_count;
    json["reductions"] = to_json_reductions(step.reductions);
  }
  return json;
}

Json to_json_steps(const std::vector<Step>& steps, std::size_t first, PlanDetail plans) {
  Json list = Json::array();
  for (std::size_t i = first; i < steps.size(); ++i) {
    list.push_back(to_json_step(steps[i], detail::cause_of(steps, i), plans));
  }
  return list;
}

/// The steps with where their calls stand in the text.
Json to_json_calls(const Explanation& explanation, PlanDetail plans) {
  const std::vector<Step>& steps = explanation.evaluation.steps;
  const std::size_t first = explanation.evaluation.first_step;
  Json list = to_json_steps(steps, first, plans);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const TextRange range = steps[first + i].range;
    list[i]["layout"] = to_string(steps[first + i].layout);
    list[i]["call"] = detail::call_text(explanation.expression, range);
    list[i]["range"] = to_json_range(range);
  }
  return list;
}

Json to_json_obstacle(const ViewObstacle& obstacle, const std::vector<Fix>& fixes) {
  Json groups = Json::array();
  for (const AxisGroup& group : obstacle.groups) {
    Json axes = Json::array();
    for (std::size_t axis = group.first; axis <= group.last; ++axis) axes.push_back(axis);
    groups.push_back(std::move(axes));
  }
  Json ways = Json::array();
  for (const Fix& fix : fixes) {
    Json edits = Json::array();
    for (const TextEdit& edit : fix.edits)
      edits.push_back({{"range", to_json_range(edit.range)}, {"text", edit.text}});
    ways.push_back({{"code", fix.code},
                    {"bytes_copied", fix.bytes_copied},
                    {"reorders", fix.reorders},
                    {"edits", std::move(edits)}});
  }
  return {{"shape", to_json_list(obstacle.from.shape)},
          {"strides", to_json_list(obstacle.from.strides)},
          {"offset", obstacle.from.offset},
          {"to", to_json_list(obstacle.to)},
          {"left_axis", obstacle.left_axis},
          {"right_axis", obstacle.right_axis},
          {"stride_found", obstacle.stride_found},
          {"stride_needed", obstacle.stride_needed},
          {"new_axis", obstacle.new_axis},
          {"groups", std::move(groups)},
          {"fixes", std::move(ways)}};
}

Json to_json_error(const Explanation& explanation) {
  const std::optional<Failure>& failure = explanation.evaluation.failure;
  if (!failure) return nullptr;
  return {{"type", failure->type},
          {"message", explanation.message},
          {"range", to_json_range(failure->range)},
          {"call", failure->op.empty() || failure->cause == Failure::Cause::notation
                       ? Json(nullptr)
                       : Json(detail::call_text(explanation.expression, failure->range))},
          {"notation", failure->cause == Failure::Cause::notation},
          {"step", explanation.evaluation.steps.size()},
          {"obstacle",
           failure->obstacle ? to_json_obstacle(*failure->obstacle, explanation.fixes) : Json(nullptr)},
          {"cause", to_json_cause(explanation.failure_cause)},
          {"scramble", to_json_scramble(failure->scramble)}};
}

Json to_json_chain(const std::optional<ChainComparison>& chain) {
  if (!chain) return nullptr;
  Json steps = Json::array();
  for (const EagerStep& step : chain->eager) {
    steps.push_back({{"call", step.call},
                     {"kind", name(step.kind)},
                     {"shape", to_json_list(step.layout.shape)},
                     {"strides", to_json_list(step.layout.strides)},
                     {"offset", step.layout.offset},
                     {"bytes_read", step.bytes_read},
                     {"bytes_written", step.bytes_written}});
  }
  Json plan = Json::array();
  for (const ChainCopy& copy : chain->plan.copies) {
    plan.push_back({{"from", to_string(copy.src)}, {"to", to_string(copy.dst)}});
  }
  return {{"source", chain->source ? Json(*chain->source + 1) : Json(nullptr)},
          {"shape", to_json_list(chain->from.shape)},
          {"strides", to_json_list(chain->from.strides)},
          {"offset", chain->from.offset},
          {"dtype", name(chain->dtype)},
          {"eager",
           {{"steps", std::move(steps)},
            {"copies", chain->eager_copies},
            {"bytes_read", chain->eager_bytes_read},
            {"bytes_written", chain->eager_bytes_written}}},
          {"lazy",
           {{"copies", chain->cost.copies},
            {"bytes_read", chain->cost.bytes_read},
            {"bytes_written", chain->cost.bytes_written},
            {"peak_bytes", chain->cost.peak_bytes},
            {"plan", std::move(plan)},
            {"result", to_string(chain->plan.result)}}},
          {"bytes_saved", chain->bytes_saved()}};
}

/// Bytes that are no UTF-8 are replaced: the text came from a caller.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const std::vector<Step>& steps) {
  return dumped(to_json_steps(steps, 0, PlanDetail::left_out));
}

std::string to_json(const Explanation& explanation, PlanDetail plans) {
  const Evaluation& evaluation = explanation.evaluation;
  Json json;
  json["expr"] = explanation.expression;
  json["steps"] = to_json_calls(explanation, plans);
  json["printed"] = evaluation.output;
  json["value"] = to_json_value(evaluation.value);
  json["value_text"] = evaluation.value.is_none() ? "" : evaluation.value.repr();
  json["note"] = explanation.note;
  json["error"] = to_json_error(explanation);
  json["totals"] = {{"copies", evaluation.totals.copies},
                    {"bytes_moved", evaluation.totals.bytes_moved},
                    {"transfers", evaluation.totals.transfers},
                    {"bytes_transferred", evaluation.totals.bytes_transferred},
                    {"peak_bytes", evaluation.totals.peak_bytes},
                    {"peak_device_bytes", evaluation.totals.peak_device_bytes}};
  json["chain"] = to_json_chain(explanation.chain);
  return dumped(json);
}

}  // namespace tenstride
