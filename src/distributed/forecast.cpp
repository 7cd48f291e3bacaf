// SPDX-License-Identifier: Apache-2.0
#include "ledger/watch.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views_axes.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;

/// A tensor that stands for one that is there already, or for a part of a buffer.
Tensor imagined(const Dims& shape, DType dtype) {
  const detail::MutedScope muted;
  return empty(shape, {.dtype = dtype, .device = Device::meta});
}

/// Whether a rank's own tensor, row-major, is a view in the common shape: others can read it there.
bool is_viewed_in_common(const RedistributionPlan& plan, Index rank) {
  const Layout own = row_major(plan.problem.from.held_by(rank).local_shape());
  return why_not_view(permute(own, plan.problem.order), plan.held[at(rank)].local_shape()) == std::nullopt;
}

}  // namespace

void forecast(const RedistributionPlan& plan, Index rank, DType dtype, const RedistributeOptions& options,
              Caller caller) {
  const detail::OperationScope scope("redistribute", caller);
  RankTensors mine(plan, rank, imagined(plan.problem.from.held_by(rank).local_shape(), dtype),
                   imagined(plan.problem.to.held_by(rank).local_shape(), dtype));
  mine.keep();
  const auto is_taken = [&](const Exchange& exchange) {
    return options.uses_shared_memory && is_viewed_in_common(plan, exchange.sender);
  };
  for (const Exchange& exchange : plan.exchanges) {
    if (exchange.receiver != rank || exchange.sender == rank || !is_taken(exchange)) continue;
    mine.take(exchange, imagined(plan.held[at(exchange.sender)].local_shape(), dtype));
  }
  for (const ExchangeRound& round : plan.rounds_of(options.max_bytes)) {
    for (const ExchangePart& part : round) {
      const Exchange& exchange = plan.exchanges[part.exchange];
      if (is_taken(exchange)) continue;
      Tensor buffer = imagined({part.elements}, dtype);
      if (exchange.sender == rank) mine.pack(part, buffer);
      if (exchange.receiver == rank) mine.unpack(part, buffer);
    }
  }
  mine.finish();
}

}  // namespace tenstride::distributed
