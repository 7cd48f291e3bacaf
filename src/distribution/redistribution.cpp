// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distribution/redistribution.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "distribution/common_shape.hpp"
#include "tenstride/distribution/local_view.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;
using detail::message;

void require_fitting(const RedistributionProblem& problem) {
  const auto& [from, order, to, itemsize] = problem;
  if (count_elements(from.shape) != count_elements(to.shape)) {
    throw ShapeError(message("redistribute: shape ", to.shape, " must have as many elements as ", from.shape,
                             ", ", count_elements(from.shape)),
                     from.shape, to.shape);
  }
  if (from.mesh.size() != to.mesh.size()) {
    throw ValueError(message("redistribute: mesh ", to.mesh.shape, " must have as many ranks as ",
                             from.mesh.shape, ", ", from.mesh.size()));
  }
}

/// Ranks that hold the same elements. No element is held by two groups.
std::vector<std::vector<Index>> groups_of(const std::vector<Holding>& held) {
  std::vector<std::vector<Index>> groups;
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<Index>& group) {
      return held[at(group.front())] == held[rank];
    });
    if (same == groups.end()) {
      groups.push_back({static_cast<Index>(rank)});
    } else {
      same->push_back(static_cast<Index>(rank));
    }
  }
  return groups;
}

/// The rank of a group that sends to a receiver: the receiver itself where it is one of them.
Index sender_of(const std::vector<Index>& group, Index receiver) {
  if (std::find(group.begin(), group.end(), receiver) != group.end()) return receiver;
  return group[at(receiver % static_cast<Index>(group.size()))];
}

Index bytes_of(const RedistributionPlan& plan, bool kept) {
  Index elements = 0;
  for (const Exchange& exchange : plan.exchanges) {
    if ((exchange.sender == exchange.receiver) == kept)
      elements = saturating_add(elements, exchange.elements);
  }
  return saturating_multiply(elements, static_cast<Index>(plan.problem.itemsize));
}

}  // namespace

Holding RedistributionPlan::part_of(const Exchange& exchange) const {
  return both(held[at(exchange.sender)], wanted[at(exchange.receiver)]);
}

Index RedistributionPlan::bytes_sent() const {
  return bytes_of(*this, false);
}

Index RedistributionPlan::bytes_kept() const {
  return bytes_of(*this, true);
}

ExchangeBuffers RedistributionPlan::buffers_of(Index rank) const {
  ExchangeBuffers buffers;
  const auto itemsize = static_cast<Index>(problem.itemsize);
  for (const Exchange& exchange : exchanges) {
    if (exchange.sender == exchange.receiver) continue;
    const Index bytes = saturating_multiply(exchange.elements, itemsize);
    if (exchange.sender == rank) buffers.sent = saturating_add(buffers.sent, bytes);
    if (exchange.receiver == rank) buffers.received = saturating_add(buffers.received, bytes);
  }
  return buffers;
}

std::vector<ExchangeRound> RedistributionPlan::rounds_of(Index max_bytes) const {
  const auto itemsize = static_cast<Index>(problem.itemsize);
  if (max_bytes / 2 < itemsize) {
    throw ValueError(message("redistribute: ", max_bytes, " B for a round must be ", 2 * itemsize,
                             " B or more, an element to send and one to receive"));
  }
  const Index ranks = problem.from.mesh.size();
  std::vector<ExchangePart> left;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    if (exchanges[i].sender != exchanges[i].receiver) left.push_back({i, 0, exchanges[i].elements});
  }
  std::stable_sort(left.begin(), left.end(), [&](const ExchangePart& a, const ExchangePart& b) {
    const auto distance = [&](const Exchange& of) { return (of.receiver - of.sender + ranks) % ranks; };
    return distance(exchanges[a.exchange]) < distance(exchanges[b.exchange]);
  });
  std::vector<ExchangeRound> rounds;
  while (!left.empty()) {
    ExchangeRound round;
    std::vector<Index> to_send(at(ranks), max_bytes / 2 / itemsize);
    std::vector<Index> to_receive = to_send;
    for (ExchangePart& part : left) {
      const Exchange& exchange = exchanges[part.exchange];
      Index& sent = to_send[at(exchange.sender)];
      Index& received = to_receive[at(exchange.receiver)];
      const Index now = std::min({part.elements, sent, received});
      if (now == 0) continue;
      round.push_back({part.exchange, part.first, now});
      part.first += now;
      part.elements -= now;
      sent -= now;
      received -= now;
    }
    std::erase_if(left, [](const ExchangePart& part) { return part.elements == 0; });
    rounds.push_back(std::move(round));
  }
  return rounds;
}

std::string RedistributionPlan::to_string() const {
  const Index elements = count_elements(problem.from.shape);
  const auto itemsize = static_cast<Index>(problem.itemsize);
  std::string text =
      message("redistribute ", elements, " elements of ", itemsize, " B\n  from   ", problem.from.to_string(),
              "\n  order  ", problem.order, "\n  to     ", problem.to.to_string(), "\n  sent   ",
              bytes_to_text(bytes_sent()), " of ", bytes_to_text(saturating_multiply(elements, itemsize)),
              ", no plan sends less; kept ", bytes_to_text(bytes_kept()));
  for (const Exchange& exchange : exchanges) {
    if (exchange.sender == exchange.receiver) continue;
    text += message("\n  rank ", exchange.sender, " -> ", exchange.receiver, "  ", exchange.elements,
                    " elements");
  }
  return text;
}

RedistributionPlan plan_redistribution(const RedistributionProblem& problem) {
  require_fitting(problem);
  RedistributionPlan plan;
  plan.problem = problem;
  const Distribution ordered = permute(problem.from, problem.order);
  if (count_elements(ordered.shape) == 0) {
    plan.common = problem.to.shape;
    plan.held = plan.wanted = all_holdings(problem.to);
    return plan;
  }
  CommonShape common = common_shape(ordered, problem.to);
  plan.common = std::move(common.shape);
  plan.held = std::move(common.a);
  plan.wanted = std::move(common.b);
  plan.is_source_viewed = common.splits_axes;
  const std::vector<std::vector<Index>> groups = groups_of(plan.held);
  for (std::size_t receiver = 0; receiver < plan.wanted.size(); ++receiver) {
    const std::size_t first = plan.exchanges.size();
    for (const std::vector<Index>& group : groups) {
      const auto rank = static_cast<Index>(receiver);
      const Index elements = count_of(both(plan.held[at(group.front())], plan.wanted[receiver]));
      if (elements > 0) plan.exchanges.push_back({sender_of(group, rank), rank, elements});
    }
    std::sort(plan.exchanges.begin() + static_cast<std::ptrdiff_t>(first), plan.exchanges.end(),
              [](const Exchange& a, const Exchange& b) { return a.sender < b.sender; });
  }
  return plan;
}

}  // namespace tenstride::distributed
