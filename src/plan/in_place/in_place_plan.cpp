// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/in_place_plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <queue>

#include "base/message.hpp"
#include "plan/in_place/transpose.hpp"

/// The search for the cheapest sequence of exchanges of groups of axes.
namespace tenstride {
namespace {

using detail::Transposition;

/// The most groups of axes of which all orders are searched: 720 for six.
constexpr std::size_t max_searched_groups = 6;

/// The groups in their order in memory, outermost first.
using Order = std::vector<std::size_t>;

/// The groups of axes that stay add, and their final order.
struct Problem {
  std::vector<Index> extents;
  Order goal;
  Index item_bytes = 1;

  [[nodiscard]] std::size_t size() const { return goal.size(); }
  /// Elements of the groups [first, last) of an order.
  [[nodiscard]] Index product(const Order& order, std::size_t first, std::size_t last) const {
    Index result = 1;
    for (std::size_t i = first; i < last; ++i) result *= extents[order[i]];
    return result;
  }
};

/// The problem without axes of extent 1, with axes that stay neighbours merged. A group that stays last
/// becomes part of the item. Example: (2,3,4,5) by (1,0,2,3) of 4 bytes → (2,3) by (1,0) of 80 bytes.
Problem merged(const Dims& shape, const Dims& order, Index element_bytes) {
  Problem problem;
  problem.item_bytes = element_bytes;
  std::vector<std::size_t> rank_of_axis(shape.size());
  std::size_t next_rank = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return problem;
    rank_of_axis[d] = next_rank;
    if (shape[d] != 1) ++next_rank;
  }
  struct Run {
    std::size_t first;
    std::size_t last;
    Index extent;
  };
  std::vector<Run> runs;
  for (const Index entry : order) {
    const auto axis = static_cast<std::size_t>(entry);
    if (shape[axis] == 1) continue;
    const std::size_t rank = rank_of_axis[axis];
    if (!runs.empty() && runs.back().last + 1 == rank) {
      runs.back().last = rank;
      runs.back().extent *= shape[axis];
    } else {
      runs.push_back({rank, rank, shape[axis]});
    }
  }
  problem.extents.resize(runs.size());
  for (const Run& run : runs) {
    const auto before =
        std::count_if(runs.begin(), runs.end(), [&](const Run& other) { return other.first < run.first; });
    problem.goal.push_back(static_cast<std::size_t>(before));
    problem.extents[problem.goal.back()] = run.extent;
  }
  if (!problem.goal.empty() && problem.goal.back() + 1 == problem.goal.size()) {
    problem.item_bytes *= problem.extents.back();
    problem.goal.pop_back();
    problem.extents.pop_back();
  }
  return problem;
}

Order initial_order(const Problem& problem) {
  Order order(problem.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

/// The transposition that exchanges groups [first, middle) with [middle, last) of an order.
Transposition exchange(const Problem& problem, const Order& order, std::size_t first, std::size_t middle,
                       std::size_t last) {
  return {problem.product(order, 0, first), problem.product(order, first, middle),
          problem.product(order, middle, last),
          problem.product(order, last, order.size()) * problem.item_bytes};
}

Order exchanged(Order order, std::size_t first, std::size_t middle, std::size_t last) {
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(first), at(middle), at(last));
  return order;
}

/// One step through the scratch memory that moves all remaining groups to their final positions.
InPlaceStep finish(const Problem& problem, const Order& order) {
  std::size_t first = 0;
  std::size_t last = order.size();
  while (order[first] == problem.goal[first]) ++first;
  while (order[last - 1] == problem.goal[last - 1]) --last;
  Dims shape;
  Dims axes;
  for (std::size_t i = first; i < last; ++i) {
    shape.push_back(problem.extents[order[i]]);
    const auto found = std::find(order.begin(), order.end(), problem.goal[i]);
    axes.push_back(static_cast<Index>(found - order.begin()) - static_cast<Index>(first));
  }
  return detail::scratch_step(problem.product(order, 0, first), shape, axes,
                              problem.product(order, last, order.size()) * problem.item_bytes);
}

/// The cheapest known sequence of steps to an order: its cost, the order before its last exchange, and the
/// steps of that.
struct Reached {
  double cost;
  Order previous;
  std::vector<InPlaceStep> steps;
};

/// The cheapest sequence of steps to the goal (Dijkstra's algorithm). `steps_of(t)` and `finish_of(step)`
/// return the cost of an exchange and its steps, or nothing where it is impossible; `add` adds two costs.
template <class StepsOf, class FinishOf, class Add>
std::optional<Reached> search(const Problem& problem, const StepsOf& steps_of, const FinishOf& finish_of,
                              const Add& add) {
  std::map<Order, Reached> reached;
  using Entry = std::pair<double, Order>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto offer = [&](const Order& order, double cost, const Order& previous,
                         std::vector<InPlaceStep> steps) {
    const auto [entry, is_new] = reached.try_emplace(order);
    if (!is_new && entry->second.cost <= cost) return;
    entry->second = {cost, previous, std::move(steps)};
    open.emplace(cost, order);
  };
  offer(initial_order(problem), 0, {}, {});
  while (!open.empty()) {
    const auto [cost, order] = open.top();
    open.pop();
    if (cost > reached[order].cost) continue;
    if (order == problem.goal) break;
    if (const auto last = finish_of(finish(problem, order))) {
      offer(problem.goal, add(cost, last->cost), order, last->steps);
    }
    for (std::size_t first = 0; first < order.size(); ++first) {
      for (std::size_t middle = first + 1; middle < order.size(); ++middle) {
        for (std::size_t last = middle + 1; last <= order.size(); ++last) {
          const auto found = steps_of(exchange(problem, order, first, middle, last));
          if (!found) continue;
          offer(exchanged(order, first, middle, last), add(cost, found->cost), order, found->steps);
        }
      }
    }
  }
  if (!reached.contains(problem.goal)) return std::nullopt;
  Reached result{reached[problem.goal].cost, {}, {}};
  for (Order order = problem.goal; order != initial_order(problem); order = reached[order].previous) {
    const std::vector<InPlaceStep>& steps = reached[order].steps;
    result.steps.insert(result.steps.begin(), steps.begin(), steps.end());
  }
  return result;
}

/// A sequence for more groups, not always the cheapest: each group is moved to its position, from the left.
template <class StepsOf, class FinishOf, class Add>
std::optional<Reached> insert_each(const Problem& problem, const StepsOf& steps_of, const FinishOf& finish_of,
                                   const Add& add) {
  Reached result{0, {}, {}};
  Order order = initial_order(problem);
  for (std::size_t i = 0; order != problem.goal; ++i) {
    auto found = finish_of(finish(problem, order));
    if (found) {
      order = problem.goal;
    } else {
      const auto group = std::find(order.begin(), order.end(), problem.goal[i]);
      const auto position = static_cast<std::size_t>(group - order.begin());
      if (position == i) continue;
      found = steps_of(exchange(problem, order, i, position, position + 1));
      if (!found) return std::nullopt;
      order = exchanged(order, i, position, position + 1);
    }
    result.cost = add(result.cost, found->cost);
    result.steps.insert(result.steps.end(), found->steps.begin(), found->steps.end());
  }
  return result;
}

template <class... Rules>
std::optional<Reached> solve(const Problem& problem, const Rules&... rules) {
  return problem.size() <= max_searched_groups ? search(problem, rules...) : insert_each(problem, rules...);
}

}  // namespace

Index min_extra_bytes(const Dims& shape, const Dims& order, Index element_bytes) {
  const Problem problem = merged(shape, order, element_bytes);
  if (problem.size() < 2) return 0;
  // The cost of an exchange is its smallest scratch memory; a sequence needs the largest of these.
  const auto exchanges = [](const Transposition& t) -> std::optional<detail::CostedSteps> {
    return detail::CostedSteps{static_cast<double>(detail::min_scratch(t)), {}};
  };
  const auto whole = [&](const InPlaceStep& step) -> std::optional<detail::CostedSteps> {
    if (problem.size() > max_searched_groups) return std::nullopt;
    return detail::CostedSteps{static_cast<double>(detail::block_bytes(step)), {}};
  };
  const auto larger = [](double a, double b) { return std::max(a, b); };
  Index min_bytes = static_cast<Index>(solve(problem, exchanges, whole, larger)->cost);
  if (problem.size() > max_searched_groups) {
    min_bytes = std::min(min_bytes, detail::block_bytes(finish(problem, initial_order(problem))));
  }
  return min_bytes;
}

InPlacePlan plan_in_place(const Dims& shape, const Dims& order, Index element_bytes, Index extra_bytes,
                          std::string_view operation) {
  const Problem problem = merged(shape, order, element_bytes);
  InPlacePlan plan;
  if (problem.size() < 2) return plan;
  std::map<Transposition, std::optional<detail::CostedSteps>> known;
  const auto exchanges = [&](const Transposition& t) -> std::optional<detail::CostedSteps> {
    const auto [entry, is_new] = known.try_emplace(t);
    if (is_new) entry->second = detail::cheapest_steps(t, extra_bytes);
    return entry->second;
  };
  const auto whole = [&](const InPlaceStep& step) -> std::optional<detail::CostedSteps> {
    if (detail::block_bytes(step) > extra_bytes) return std::nullopt;
    return detail::within(step, extra_bytes);
  };
  auto found = solve(problem, exchanges, whole, [](double a, double b) { return a + b; });
  if (!found) {
    throw ValueError(detail::message(operation, ": extra_bytes ", extra_bytes, " must be at least ",
                                     min_extra_bytes(shape, order, element_bytes),
                                     " (as they lie in memory, axes of shape ", shape, " go by ", order,
                                     ", elements of ", element_bytes, " B)"));
  }
  plan.steps = std::move(found->steps);
  for (const InPlaceStep& step : plan.steps) {
    plan.scratch_bytes = std::max(plan.scratch_bytes, step.scratch_bytes);
    plan.bytes_moved += step.bytes_moved;
  }
  return plan;
}

std::string_view name(InPlaceMethod method) {
  constexpr std::string_view names[] = {"scratch", "tiles", "cycles", "decomposition"};
  return names[static_cast<std::size_t>(method)];
}

std::string InPlacePlan::to_string() const {
  if (steps.empty()) return "nothing moves";
  std::string text;
  for (const InPlaceStep& step : steps) {
    if (!text.empty()) text += '\n';
    text +=
        detail::message(name(step.method), ": ", step.batch, step.batch == 1 ? " block of " : " blocks of ",
                        step.shape, " by ", step.order, ", items of ", step.item_bytes, " B, ",
                        step.scratch_bytes, " B of scratch, ", step.bytes_moved, " B moved");
  }
  return text;
}

}  // namespace tenstride
