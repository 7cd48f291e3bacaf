// SPDX-License-Identifier: Apache-2.0
#include "fit_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenstride::bench {
namespace {

/// Between costs that differ by this part one is chosen almost as by chance: so closely times are not known.
constexpr double softness = .05;
/// The weight of the error of foretold times beside the time that choices lose.
constexpr double error_weight = .02;
/// The weight of a constant's distance from where it began, in logarithms: to be doubled it must gain .0014
/// in the mean of all copies. Smaller weights follow single copies, and what the fit did not see then loses.
constexpr double distance_weight = .002;
constexpr int max_sweeps = 8;
/// What a constant is multiplied by in one step; one that is 0 begins at these, of bytes and of other
/// constants.
constexpr std::array factors{2., .5, 1.25, .8, 1.06, 1 / 1.06};
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
  double best = copy.ways.front().time;
  for (const TimedWay& way : copy.ways) best = std::min(best, way.time);
  return best;
}

/// The time that a choice among the foretold costs loses, softened, and their error.
double loss(const TimedCopy& copy, const Machine& machine) {
  const std::vector<double> costs = costs_of(copy, machine);
  double lowest = 0;
  for (const double cost : costs) {
    if (cost > 0 && (lowest == 0 || cost < lowest)) lowest = cost;
  }
  const double best = fastest(copy);
  double weights = 0;
  double lost = 0;
  double error = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] == 0) continue;
    const double weight = std::pow(lowest / costs[i], 1 / softness);
    weights += weight;
    lost += weight * std::log(copy.ways[i].time / best);
    error += std::pow(std::log(costs[i] / copy.ways[i].time), 2) / static_cast<double>(costs.size());
  }
  return weights == 0 ? 0 : lost / weights + error_weight * error;
}

double distance(const Costs& a, const Costs& b) {
  double sum = 0;
  for (const auto& [name, value] : cost_constants()) {
    if (a.*value == b.*value) continue;
    sum += a.*value == 0 || b.*value == 0 ? 1 : std::abs(std::log(a.*value / (b.*value)));
  }
  return distance_weight * sum;
}

class Descent {
 public:
  Descent(std::span<const TimedCopy* const> copies, const Machine& machine)
      : copies_(copies), start_(machine), tried_(machine) {
    for (const TimedCopy* const copy : copies_) losses_.push_back(loss(*copy, tried_));
  }

  [[nodiscard]] const Costs& costs() const { return tried_.costs; }

  /// Tries steps along every constant. Returns what was gained.
  double sweep() {
    double gained = 0;
    for (const auto& [name, value] : cost_constants()) gained += descend(name, value);
    return gained;
  }

 private:
  double descend(std::string_view name, double Costs::*value) {
    const double was = tried_.costs.*value;
    double best = was;
    double gained = 0;
    std::vector<double> best_losses;
    std::vector<std::size_t> concerned;
    const auto attempt = [&](double now, bool is_first) {
      const double before = distance(tried_.costs, start_.costs);
      tried_.costs.*value = now;
      std::vector<double> losses = losses_;
      double change = 0;
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (!is_first && !std::binary_search(concerned.begin(), concerned.end(), i)) continue;
        losses[i] = loss(*copies_[i], tried_);
        change += losses[i] - losses_[i];
        if (is_first && losses[i] != losses_[i]) concerned.push_back(i);
      }
      const double gain =
          before - distance(tried_.costs, start_.costs) - change / static_cast<double>(copies_.size());
      tried_.costs.*value = was;
      if (gain <= gained) return;
      gained = gain;
      best = now;
      best_losses = std::move(losses);
    };
    if (was == 0) {
      attempt(name.ends_with("_bytes") ? first_bytes : first_other, true);
    } else {
      for (const double factor : factors) attempt(was * factor, factor == factors[0]);
    }
    if (gained > 0) {
      tried_.costs.*value = best;
      losses_ = std::move(best_losses);
    }
    return gained;
  }

  std::span<const TimedCopy* const> copies_;
  const Machine& start_;
  Machine tried_;
  /// Of each copy.
  std::vector<double> losses_;
};

}  // namespace

Foretold foretell(const TimedCopy& copy, const Machine& machine) {
  const std::vector<double> costs = costs_of(copy, machine);
  Foretold result{0, fastest(copy), 0};
  double lowest = 0;
  double offered = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] == 0) continue;
    ++offered;
    result.error += std::pow(std::log(costs[i] / copy.ways[i].time), 2);
    if (lowest != 0 && costs[i] >= lowest) continue;
    lowest = costs[i];
    result.chosen = copy.ways[i].time;
  }
  if (offered > 0) result.error /= offered;
  return result;
}

Costs fit_costs(std::span<const TimedCopy* const> copies, const Machine& machine) {
  if (copies.empty()) return machine.costs;
  Descent descent(copies, machine);
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    if (descent.sweep() < 1e-5) break;
  }
  return descent.costs();
}

}  // namespace tenstride::bench
