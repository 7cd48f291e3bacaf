// SPDX-License-Identifier: Apache-2.0
// How evenly the library's work is shared by more threads than there are processors: each call is made on
// imaginary threads (SimulatedThreads). Neither the memory's bandwidth nor the time to wake threads is in the
// figures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "drawn_cases.hpp"
#include "drawn_computations.hpp"
#include "session.hpp"
#include "tenstride/parallel/simulated_threads.hpp"

namespace tenstride::bench {
namespace {

constexpr int repetitions = 5;
constexpr std::size_t worst_count = 12;

/// A call on imaginary threads.
struct Simulated {
  std::string family;
  std::string name;
  double speed_up = 0;
  /// That of the parallel loops alone.
  double of_loops = 0;
  /// Seconds in all, one after the other, and outside parallel loops.
  double seconds = 0;
  double alone = 0;
  Index ranges = 0;
};

/// The best of some calls.
Simulated simulate(const Call& call, int threads) {
  Simulated best;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    if (call.before) call.before();
    const SimulatedThreads imaginary(threads);
    call.run();
    const double speed_up = imaginary.speed_up();
    if (repetition == 0 || speed_up < best.speed_up) continue;  // the first call touches new memory
    best.speed_up = speed_up;
    best.alone = imaginary.alone();
    best.of_loops = imaginary.shared() > 0 ? imaginary.sequential() / imaginary.shared() : 1;
    best.seconds = imaginary.alone() + imaginary.sequential();
    best.ranges = imaginary.ranges();
  }
  return best;
}

double geometric_mean(const std::vector<double>& numbers) {
  double logarithms = 0;
  for (const double one : numbers) logarithms += std::log(one);
  return std::exp(logarithms / static_cast<double>(numbers.size()));
}

Json print(const std::string& family, const std::vector<const Simulated*>& cases) {
  std::vector<double> speed_ups;
  std::vector<double> loops;
  for (const Simulated* const one : cases) {
    speed_ups.push_back(one->speed_up);
    loops.push_back(one->of_loops);
  }
  std::sort(speed_ups.begin(), speed_ups.end());
  const double mean = geometric_mean(speed_ups);
  const double of_loops = geometric_mean(loops);
  const double tenth = speed_ups[speed_ups.size() / 10];
  std::printf(
      "  %-20s %4zu cases  mean %5.1f  tenth percentile %5.1f  least %5.1f  mean of loops alone %5.1f\n",
      family.c_str(), speed_ups.size(), mean, tenth, speed_ups.front(), of_loops);
  return {{"cases", speed_ups.size()},
          {"geometric_mean", rounded(mean)},
          {"of_loops", rounded(of_loops)},
          {"tenth_percentile", rounded(tenth)},
          {"least", rounded(speed_ups.front())}};
}

}  // namespace

Json run_simulated(Session& session) {
  const Options& options = session.options();
  const int threads = options.simulated_threads;
  Peer& ours = *peers().front();
  std::vector<Simulated> all;
  const auto add = [&](const std::string& family, const std::string& name, const Call& call) {
    if (!call.run) return;
    Simulated one = simulate(call, threads);
    one.family = family;
    one.name = name;
    all.push_back(std::move(one));
  };
  const auto is_wanted = [&](const std::string& full_name, std::size_t source, std::size_t destination) {
    return options.wants(full_name) && session.fits(source + 2 * destination);
  };
  const std::size_t drawn = options.scope == Scope::smoke ? 5 : 200;
  for (const CopyCase& what :
       drawn_cases(options.is_drawn() ? options.random : drawn, options.seed, options.scope)) {
    if (!is_wanted(what.full_name(), what.source_bytes(), what.destination_bytes())) continue;
    session.source().require(what.source_bytes());
    session.destination().require(what.destination_bytes());
    const CopyJob job{what, session.source().data(), session.destination().data()};
    add(what.family, what.name, ours.copy(job));
  }
  const auto compute = [&](const std::vector<ComputationCase>& cases) {
    for (const ComputationCase& what : cases) {
      if (!is_wanted(what.full_name(), what.source_bytes(), what.bytes_written())) continue;
      session.source().require(what.source_bytes());
      session.source().fill(what.type, what.source_bytes() / item_size(what.type), what.mask());
      const ComputationJob job{what, session.source().data()};
      add("drawn " + computation_name(what), what.name, ours.compute(job));
    }
  };
  compute(
      drawn_reductions(options.is_drawn() ? options.random_reductions : drawn, options.seed, options.scope));
  compute(
      drawn_arithmetic(options.is_drawn() ? options.random_arithmetic : drawn, options.seed, options.scope));
  if (!options.is_drawn()) {
    for (const OperationCase& what : operation_cases(options.scope)) {
      const auto inputs = static_cast<std::size_t>(std::max(what.inputs(), 1));
      const std::size_t source = inputs * what.input_bytes();
      const std::size_t result =
          static_cast<std::size_t>(count_elements(what.result_shape())) * item_size(what.result_type());
      if (!is_wanted(what.full_name(), source, result)) continue;
      session.source().require(source);
      session.destination().require(result);
      session.source().fill(what.type, source / item_size(what.type), operation_mask);
      const OperationJob job{what, session.source().data(), session.destination().data()};
      add("operations", what.name, ours.operate(job));
    }
  }

  std::printf("speed-up on %d imaginary threads, --seed %llu:\n", threads,
              static_cast<unsigned long long>(options.seed));
  std::map<std::string, std::vector<const Simulated*>> families;
  for (const Simulated& one : all) families[one.family].push_back(&one);
  Json result = {{"threads", threads}, {"seed", options.seed}};
  for (const auto& [family, cases] : families) result["families"][family] = print(family, cases);
  std::sort(all.begin(), all.end(),
            [](const Simulated& a, const Simulated& b) { return a.speed_up < b.speed_up; });
  std::printf("\nthe least:\n");
  for (std::size_t i = 0; i < std::min(worst_count, all.size()); ++i) {
    const Simulated& one = all[i];
    std::printf("  %5.1f  %6lld ranges, %9.0f us, %5.0f us outside of them  %s/%s\n", one.speed_up,
                static_cast<long long>(one.ranges), 1e6 * one.seconds, 1e6 * one.alone, one.family.c_str(),
                one.name.c_str());
  }
  return result;
}

}  // namespace tenstride::bench
