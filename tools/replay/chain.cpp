// SPDX-License-Identifier: Apache-2.0
#include "replay/chain.hpp"

#include <exception>

#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"

namespace replay {

using tenstride::Tensor;

std::string Comparison::to_text(const tenstride::Dims& value) {
  return tenstride::to_string(value);
}

namespace {

std::string describe(const Tensor& tensor) {
  return tenstride::to_string(tensor.layout()) + " " + std::string(name(tensor.dtype()));
}

std::string describe(const Json& outs) {
  if (outs.is_array()) return std::to_string(outs.size()) + " tensors";
  return "shape " + outs.at("shape").dump() + " strides " + outs.at("strides").dump();
}

std::string describe(const Outcome& outcome) {
  if (outcome.is_list) return std::to_string(outcome.tensors.size()) + " tensors";
  return describe(outcome.tensors.front());
}

}  // namespace

struct ChainFormat::Run {
  Report& report;
  Place place;
  Tensor first;
  Tensor now;
};

void ChainFormat::check(const Json& meta, const Checked& checked, const std::string& prefix,
                        Comparison& comparison) const {
  const std::size_t before = comparison.differences.size();
  try {
    compare(meta, checked, comparison);
  } catch (const std::exception& problem) {
    comparison.differences.push_back({"elements", "to be readable", problem.what()});
  }
  for (std::size_t i = before; i < comparison.differences.size(); ++i)
    comparison.differences[i].fact = prefix + comparison.differences[i].fact;
}

void ChainFormat::replay(const Json& line, Report& report) const {
  const Json& steps = line.at("steps");
  Run run{report, {line.at("id").dump(), "start", "start", line.at("init").dump()}, {}, {}};
  run.first = start(line.at("init"));
  run.now = run.first;
  Comparison comparison;
  check(line.at("init_meta"), {run.first, nullptr, run.first, false}, "", comparison);
  bool goes_on = comparison.differences.empty();
  if (goes_on)
    report.agree("start");
  else
    report.disagree(run.place, comparison.differences);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    run.place.step = std::to_string(i);
    run.place.operation = steps[i].at("op").get<std::string>();
    if (!goes_on) {
      report.not_reached(run.place.operation);
      continue;
    }
    run.place.call = steps[i].at("args").dump() + " on " + describe(run.now);
    goes_on = step(steps[i], run);
  }
}

bool ChainFormat::step(const Json& recorded, Run& run) const {
  const auto found = operations().find(run.place.operation);
  if (found == operations().end()) {
    run.report.leave_out(run.place, "no such operation here");
    return false;
  }
  const bool is_allowed = recorded.at("ok").get<bool>();
  const std::string wanted_error = is_allowed ? "" : recorded.at("err").at("type").get<std::string>();
  Arguments arguments(recorded.at("args"));
  std::optional<Outcome> outcome;
  try {
    outcome = found->second.run(run.now, arguments);
  } catch (const tenstride::Error& error) {
    const std::string came = error_name(error);
    if (came == wanted_error) {
      run.report.agree(run.place.operation);
      return true;
    }
    const std::string wanted = is_allowed ? describe(recorded.at("outs")) : wanted_error;
    run.report.disagree(run.place, {{"result", wanted, came + " (" + error.what() + ")"}});
    return !is_allowed;
  } catch (const std::exception& problem) {
    run.report.leave_out(run.place, std::string("the arguments are not understood: ") + problem.what());
    return false;
  }
  if (const auto unused = arguments.unused(); !unused.empty()) {
    run.report.leave_out(run.place, "the argument " + unused.front() + " is not known here");
    return false;
  }
  if (!is_allowed) {
    run.report.disagree(run.place, {{"result", wanted_error, describe(*outcome)}});
    return true;
  }
  const Json& outs = recorded.at("outs");
  if (outs.is_array() != outcome->is_list || (outs.is_array() && outs.size() != outcome->tensors.size())) {
    run.report.disagree(run.place, {{"result", describe(outs), describe(*outcome)}});
    return false;
  }
  Comparison comparison;
  for (std::size_t i = 0; i < outcome->tensors.size(); ++i) {
    const Json& meta = outs.is_array() ? outs[i] : outs;
    const std::string prefix = outs.is_array() ? "[" + std::to_string(i) + "] " : "";
    check(meta, {outcome->tensors[i], &run.now, run.first, found->second.tells_self}, prefix, comparison);
  }
  if (!comparison.differences.empty()) {
    run.report.disagree(run.place, comparison.differences);
    return false;
  }
  if (comparison.deviation)
    run.report.agree_with_deviation(run.place.operation, *comparison.deviation);
  else
    run.report.agree(run.place.operation);
  if (!outs.is_array())
    run.now = outcome->tensors.front();
  else if (recorded.contains("pick"))
    run.now = outcome->tensors.at(recorded.at("pick").get<std::size_t>());
  return true;
}

}  // namespace replay
