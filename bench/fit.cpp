// SPDX-License-Identifier: Apache-2.0
// The constants of the ways' costs for this processor: copies are drawn, every way of each is timed beside a
// plain copy, and the constants are fitted to the times (HACKING.md, "a processor").
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

/// Parts of the copies, each of which is foretold by constants that were fitted to the others.
constexpr std::size_t part_count = 3;

/// The plan of a case with its ways, for a destination that begins with a line.
TimedCopy untimed(const CopyCase& what, int threads) {
  PlanOptions options = options_here();
  options.max_threads = threads;
  TimedCopy copy;
  copy.family = what.family;
  copy.plan = plan_copy(row_major(what.view.shape), what.dst_type, what.view, what.src_type, options);
  return copy;
}

TimedCopy time_ways(Session& session, const CopyCase& what, int threads) {
  const std::size_t moved = (what.bytes_read() + what.destination_bytes()) / 2;
  session.source().require(std::max(what.source_bytes(), moved));
  session.destination().require(std::max(what.destination_bytes(), moved));
  session.source().fill(what.src_type, static_cast<std::size_t>(count_elements(what.source)),
                        exact_mask(what.src_type, what.dst_type));
  session.set_threads(threads);
  std::byte* const dst = session.destination().data();
  const std::byte* const src = session.source().data();
  TimedCopy copy = untimed(what, threads);
  std::vector<Contender> contenders = session.plain_copy_contenders(moved, threads);
  const std::size_t plain = contenders.size();
  for (const CopyPlan& plan : other_ways(copy.plan, options_here())) {
    Call call;
    call.run = [plan, dst, src] { run_plan(plan, dst, src); };
    contenders.push_back({plan.name(), std::move(call), true});
  }
  const std::vector<Timing> timings = time_in_rounds(contenders, session.options().rounds);
  double yardstick = timings[0].fastest();
  for (std::size_t i = 1; i < plain; ++i) yardstick = std::min(yardstick, timings[i].fastest());
  for (std::size_t i = plain; i < timings.size(); ++i)
    copy.ways.push_back({timings[i].name, timings[i].fastest() / yardstick});
  return copy;
}

/// Times the ways of copies that are drawn, and adds them as records.
Json time_drawn(Session& session, int threads) {
  const Options& options = session.options();
  const std::size_t count = options.random > 0 ? options.random : options.scope == Scope::smoke ? 10 : 300;
  std::printf("%zu copies drawn with --seed %llu, %d thread%s, %s\n", count,
              static_cast<unsigned long long>(options.seed), threads, threads == 1 ? "" : "s",
              std::string(name(options_here().machine.instructions)).c_str());
  Json run = {{"seed", options.seed}, {"count", count}, {"threads", threads}, {"records", Json::array()}};
  for (const CopyCase& what : drawn_cases(count, options.seed, options.scope)) {
    if (!options.wants(what.full_name()) || !has_memory_for(session, what)) continue;
    Json record = {{"name", what.full_name()}, {"ways", Json::object()}};
    for (const TimedWay& way : time_ways(session, what, threads).ways)
      record["ways"][way.name] = rounded(way.time);
    run["records"].push_back(std::move(record));
  }
  return run;
}

/// The copies of a run between whose ways there is a choice.
void add_copies(std::vector<TimedCopy>& copies, const Json& run, Scope scope) {
  std::map<std::string, const Json*> ways;
  for (const Json& record : run["records"]) ways[record["name"].get<std::string>()] = &record["ways"];
  for (const CopyCase& what :
       drawn_cases(run["count"].get<std::size_t>(), run["seed"].get<std::uint64_t>(), scope)) {
    const auto timed = ways.find(what.full_name());
    if (timed == ways.end() || timed->second->size() < 2) continue;
    TimedCopy copy = untimed(what, run["threads"].get<int>());
    for (const auto& [name, time] : timed->second->items()) copy.ways.push_back({name, time.get<double>()});
    copies.push_back(std::move(copy));
  }
}

/// What the choices of one set of constants give, over some copies.
struct Means {
  double best_of_chosen = 0;
  double error = 0;
  double copies = 0;

  void add(const Foretold& foretold) {
    best_of_chosen += std::log(foretold.best / foretold.chosen);
    error += foretold.error;
    ++copies;
  }
  [[nodiscard]] double share() const { return std::exp(best_of_chosen / copies); }
  [[nodiscard]] double factor() const { return std::exp(std::sqrt(error / copies)); }
};

/// By the constants of before, by those of a fit that did not see the copy, and by those of all copies.
struct Compared {
  Means before;
  Means unseen;
  Means after;
};

Json print(const std::string& title, const Compared& of) {
  std::printf("  %-20s %4.0f   %.3f  %.3f  %.3f         %.2f  %.2f  %.2f\n", title.c_str(), of.before.copies,
              of.before.share(), of.unseen.share(), of.after.share(), of.before.factor(), of.unseen.factor(),
              of.after.factor());
  return {
      {"copies", of.before.copies},
      {"best_of_chosen", {rounded(of.before.share()), rounded(of.unseen.share()), rounded(of.after.share())}},
      {"error", {rounded(of.before.factor()), rounded(of.unseen.factor()), rounded(of.after.factor())}}};
}

/// Fits to all copies but those of one part; to all where `left_out` is `part_count`.
Machine fitted(const std::vector<TimedCopy>& copies, std::size_t left_out, const Machine& machine) {
  std::vector<const TimedCopy*> seen;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (i % part_count != left_out) seen.push_back(&copies[i]);
  }
  Machine result = machine;
  result.costs = fit_costs(seen, machine);
  return result;
}

}  // namespace

Json run_fit(Session& session) {
  const Options& options = session.options();
  const Machine machine = options_here().machine;
  Json result = {{"runs", Json::array()}};
  for (const std::string& path : options.fit_from) {
    std::ifstream file(path);
    const Json other = Json::parse(file, nullptr, false);
    if (!other.is_object() || !other.contains("fit"))
      throw std::runtime_error(path + " has no times; --fit --out writes them");
    for (const Json& run : other["fit"]["runs"]) result["runs"].push_back(run);
  }
  if (options.fit_from.empty()) result["runs"].push_back(time_drawn(session, options.threads.front()));

  std::vector<TimedCopy> copies;
  for (const Json& run : result["runs"]) add_copies(copies, run, options.scope);
  const Machine after = fitted(copies, part_count, machine);
  std::map<std::string, Compared> classes;
  for (std::size_t part = 0; part < part_count; ++part) {
    const Machine unseen = fitted(copies, part, machine);
    for (std::size_t i = part; i < copies.size(); i += part_count) {
      for (const std::string& title : {copies[i].family, std::string("all")}) {
        classes[title].before.add(foretell(copies[i], machine));
        classes[title].unseen.add(foretell(copies[i], unseen));
        classes[title].after.add(foretell(copies[i], after));
      }
    }
  }
  std::printf(
      "\nby the constants of before, those of a fit that did not see the copy, and those of all copies:\n"
      "                       copies  best/chosen                 foretold off by\n");
  for (const auto& [title, means] : classes) result["classes"][title] = print(title, means);
  std::printf("\nconstants that changed:\n");
  for (const auto& [name, value] : cost_constants()) {
    result["costs"][std::string(name)] = rounded(after.costs.*value);
    if (after.costs.*value == machine.costs.*value) continue;
    std::printf("  %-30s %8.3g -> %.3g\n", std::string(name).c_str(), machine.costs.*value,
                after.costs.*value);
  }
  if (options.machine_file.empty()) return result;
  std::ofstream file(options.machine_file);
  file << to_text(after);
  if (!file.flush()) throw std::runtime_error("cannot write " + options.machine_file);
  std::printf("\n%s has this machine, for TENSTRIDE_MACHINE and explain --machine\n",
              options.machine_file.c_str());
  return result;
}

}  // namespace tenstride::bench
