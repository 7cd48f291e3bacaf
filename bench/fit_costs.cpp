// SPDX-License-Identifier: Apache-2.0
#include "fit_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tenstride::bench {
namespace {

/// Costs this close to each other are chosen between as by chance, as times this close are measured.
constexpr double softness = .05;
/// The weight of the error beside the time lost by a choice, and of a constant's distance from where it
/// began: constants that few copies depend on move little.
constexpr double error_weight = .05;
constexpr double distance_weight = .0004;
constexpr int max_sweeps = 8;
/// What a constant is multiplied by in one step; one that is 0 begins at these, of bytes and of other
/// constants.
constexpr std::array factors{1.5, 1 / 1.5, 1.12, 1 / 1.12, 1.03, 1 / 1.03};
constexpr double first_bytes = 50;
constexpr double first_other = .1;

/// The foretold times of the ways of a copy, in their order; 0 where a way is not offered any more.
std::vector<double> costs_of(const TimedCopy& copy, const Machine& machine) {
  PlanOptions options;
  options.machine = machine;
  std::vector<double> costs(copy.ways.size());
  for (const CopyPlan& plan : other_ways(copy.plan, options)) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (copy.ways[i].name == plan.name()) costs[i] = plan.cost();
    }
  }
  return costs;
}

double fastest(const TimedCopy& copy) {
  return std::min_element(copy.ways.begin(), copy.ways.end(),
                          [](const TimedWay& a, const TimedWay& b) { return a.time < b.time; })
      ->time;
}

/// The time that a copy loses by a choice among the foretold costs, softened, and their error.
double loss(const TimedCopy& copy, const Machine& machine) {
  const std::vector<double> costs = costs_of(copy, machine);
  double lowest = 0;
  for (const double cost : costs) {
    if (cost > 0 && (lowest == 0 || cost < lowest)) lowest = cost;
  }
  if (lowest == 0) return 0;
  const double best = fastest(copy);
  double weights = 0;
  double lost = 0;
  double error = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] == 0) continue;
    const double weight = std::exp(-std::log(costs[i] / lowest) / softness);
    weights += weight;
    lost += weight * std::log(copy.ways[i].time / best);
    error += std::pow(std::log(costs[i] / copy.ways[i].time), 2) / static_cast<double>(costs.size());
  }
  return lost / weights + error_weight * error;
}

double loss(const std::vector<TimedCopy>& copies, const Machine& machine) {
  double sum = 0;
  double count = 0;
  for (const TimedCopy& copy : copies) {
    if (copy.is_held_out) continue;
    sum += loss(copy, machine);
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

double distance(const Costs& a, const Costs& b) {
  double sum = 0;
  for (const auto& [name, value] : cost_constants()) {
    if (a.*value == b.*value) continue;
    sum += a.*value == 0 || b.*value == 0 ? 1 : std::abs(std::log(a.*value / (b.*value)));
  }
  return distance_weight * sum;
}

}  // namespace

Foretold foretell(const TimedCopy& copy, const Machine& machine) {
  const std::vector<double> costs = costs_of(copy, machine);
  Foretold result{0, fastest(copy), {}, 0};
  double lowest = 0;
  double offered = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] == 0) continue;
    ++offered;
    result.error += std::pow(std::log(costs[i] / copy.ways[i].time), 2);
    if (lowest != 0 && costs[i] >= lowest) continue;
    lowest = costs[i];
    result.chosen = copy.ways[i].time;
    result.name = copy.ways[i].name;
  }
  result.error /= offered;
  return result;
}

Costs fit_costs(const std::vector<TimedCopy>& copies, const Machine& machine) {
  Machine tried = machine;
  double lowest = loss(copies, tried);
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    const double before = lowest;
    for (const auto& [name, value] : cost_constants()) {
      const double was = tried.costs.*value;
      double best = was;
      const auto attempt = [&](double now) {
        tried.costs.*value = now;
        const double found = loss(copies, tried) + distance(tried.costs, machine.costs);
        if (found < lowest - 1e-7) {
          lowest = found;
          best = now;
        }
      };
      if (was == 0) {
        attempt(name.ends_with("_bytes") ? first_bytes : first_other);
      } else {
        for (const double factor : factors) attempt(was * factor);
      }
      tried.costs.*value = best;
    }
    std::printf("sweep %d: %.5f\n", sweep + 1, lowest);
    if (before - lowest < 1e-5) break;
  }
  return tried.costs;
}

}  // namespace tenstride::bench
