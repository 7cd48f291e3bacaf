// SPDX-License-Identifier: Apache-2.0
// The constants of the ways' costs for this processor: copies are drawn, every way of each is timed beside a
// plain copy, and the constants are fitted to the times (HACKING.md, "How to add a processor").
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "drawn_cases.hpp"
#include "fit_costs.hpp"
#include "session.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::bench {
namespace {

/// Every third copy is held out.
constexpr std::size_t held_out = 3;

TimedCopy time_ways(Session& session, const CopyCase& what, int threads, const Machine& machine) {
  PlanOptions options = options_here();
  options.machine = machine;
  options.max_threads = threads;
  const std::size_t moved = (what.bytes_read() + what.destination_bytes()) / 2;
  session.source().require(std::max(what.source_bytes(), moved));
  session.destination().require(std::max(what.destination_bytes(), moved));
  session.source().fill(what.src_type, static_cast<std::size_t>(count_elements(what.source)),
                        exact_mask(what.src_type, what.dst_type));
  session.set_threads(threads);
  std::byte* const dst = session.destination().data();
  const std::byte* const src = session.source().data();
  options.placement = placement_of(dst, row_major(what.view.shape), what.dst_type);
  TimedCopy result;
  result.family = what.family;
  result.plan = plan_copy(row_major(what.view.shape), what.dst_type, what.view, what.src_type, options);
  std::vector<Contender> contenders = session.plain_copy_contenders(moved, threads);
  const std::size_t plain = contenders.size();
  for (const CopyPlan& plan : other_ways(result.plan, options)) {
    Call call;
    call.run = [plan, dst, src] { run_plan(plan, dst, src); };
    contenders.push_back({plan.name(), std::move(call), true});
  }
  const std::vector<Timing> timings = time_in_rounds(contenders, session.options().rounds);
  double yardstick = timings[0].fastest();
  for (std::size_t i = 1; i < plain; ++i) yardstick = std::min(yardstick, timings[i].fastest());
  for (std::size_t i = plain; i < timings.size(); ++i)
    result.ways.push_back({timings[i].name, timings[i].fastest() / yardstick});
  return result;
}

/// The geometric means of what the choices of one set of constants give.
struct Means {
  double chosen_of_best = 0;
  double error = 0;
  double right = 0;
  double cases = 0;

  void add(const Foretold& foretold) {
    chosen_of_best += std::log(foretold.best / foretold.chosen);
    error += foretold.error;
    right += foretold.chosen <= 1.03 * foretold.best ? 1 : 0;
    ++cases;
  }
};

Json print(const std::string& title, const Means& before, const Means& after) {
  const auto mean = [](const Means& of) { return std::exp(of.chosen_of_best / of.cases); };
  const auto error = [](const Means& of) { return std::exp(std::sqrt(of.error / of.cases)); };
  std::printf(
      "  %-20s %4.0f copies  best/chosen %.3f -> %.3f  within .03 %3.0f -> %3.0f  foretold off by %.2f -> "
      "%.2f\n",
      title.c_str(), after.cases, mean(before), mean(after), before.right, after.right, error(before),
      error(after));
  return {{"copies", after.cases},
          {"best_of_chosen_before", rounded(mean(before))},
          {"best_of_chosen", rounded(mean(after))},
          {"error_before", rounded(error(before))},
          {"error", rounded(error(after))}};
}

}  // namespace

Json run_fit(Session& session) {
  const Options& options = session.options();
  const std::size_t count = options.random > 0 ? options.random : options.scope == Scope::smoke ? 10 : 300;
  const int threads = options.threads.front();
  const Machine machine = options_here().machine;
  std::printf("%zu copies drawn with --seed %llu, %d thread%s; %s\n", count,
              static_cast<unsigned long long>(options.seed), threads, threads == 1 ? "" : "s",
              std::string(name(machine.instructions)).c_str());
  std::vector<TimedCopy> copies;
  Json records = Json::array();
  for (const CopyCase& what : drawn_cases(count, options.seed, options.scope)) {
    if (!options.wants(what.full_name()) || !has_memory_for(session, what)) continue;
    TimedCopy timed = time_ways(session, what, threads, machine);
    if (timed.ways.empty()) continue;
    Json record = {{"name", what.full_name()}};
    for (const TimedWay& way : timed.ways) record["ways"][way.name] = rounded(way.time);
    records.push_back(std::move(record));
    if (timed.ways.size() < 2) continue;  // nothing is chosen
    timed.is_held_out = copies.size() % held_out == held_out - 1;
    copies.push_back(std::move(timed));
  }
  Machine fitted = machine;
  fitted.costs = fit_costs(copies, machine);

  std::map<std::string, std::pair<Means, Means>> classes;
  for (const TimedCopy& copy : copies) {
    const Foretold before = foretell(copy, machine);
    const Foretold after = foretell(copy, fitted);
    for (const std::string& title : {copy.family, std::string(copy.is_held_out ? "held out" : "fitted")}) {
      classes[title].first.add(before);
      classes[title].second.add(after);
    }
  }
  Json result = {{"seed", options.seed}, {"threads", threads}, {"records", std::move(records)}};
  std::printf("\nthe time of the best way beside that of the chosen one, before and after the fit:\n");
  for (const auto& [title, means] : classes)
    result["classes"][title] = print(title, means.first, means.second);
  std::printf("\nconstants that changed:\n");
  for (const auto& [name, value] : cost_constants()) {
    result["costs"][std::string(name)] = rounded(fitted.costs.*value);
    if (fitted.costs.*value == machine.costs.*value) continue;
    std::printf("  %-30s %8.3g -> %.3g\n", std::string(name).c_str(), machine.costs.*value,
                fitted.costs.*value);
  }
  if (options.machine_file.empty()) return result;
  std::ofstream file(options.machine_file);
  file << to_text(fitted);
  if (!file.flush()) throw std::runtime_error("cannot write " + options.machine_file);
  std::printf("\n%s has this machine, for TENSTRIDE_MACHINE and explain --machine\n",
              options.machine_file.c_str());
  return result;
}

}  // namespace tenstride::bench
