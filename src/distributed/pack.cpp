// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distributed/pack.hpp"

#include "base/message.hpp"
#include "distributed/parts.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;
using detail::message;

void require_shape(std::string_view side, const Tensor& tensor, const Dims& shape, Index rank) {
  if (tensor.shape() == shape) return;
  throw ShapeError(message("redistribute: the ", side, " of rank ", rank, " of shape ", tensor.shape(),
                           " must have the shape ", shape, " of what the rank holds"),
                   tensor.shape(), shape);
}

/// Calls copy(of_packed, of_local) for views of a part of an exchange in a dense buffer and in a local
/// tensor.
template <class Copy>
void each_packed_part(const Holding& exchanged, const ExchangePart& part, const Tensor& buffer,
                      const Held& local, const Copy& copy) {
  Index done = 0;
  each_box(exchanged.local_shape(), part.first, part.elements, [&](const Box& box) {
    const Holding next = within(exchanged, box);
    const Dims shape = next.local_shape();
    const Index count = count_elements(shape);
    each_common_part(next, {next, buffer.narrow(0, done, count).view(shape)}, local, copy);
    done += count;
  });
}

}  // namespace

RankTensors::RankTensors(const RedistributionPlan& plan, Index rank, const Tensor& source,
                         const Tensor& destination)
    : plan_(plan), rank_(rank), destination_given_(destination) {
  require_shape("source", source, plan.problem.from.held_by(rank).local_shape(), rank);
  require_shape("destination", destination, plan.problem.to.held_by(rank).local_shape(), rank);
  if (source.dtype() != destination.dtype()) {
    throw RuntimeError(message("redistribute: the source's dtype ", name(source.dtype()),
                               " must be the destination's, ", name(destination.dtype())));
  }
  if (source.element_size() != plan.problem.itemsize) {
    throw RuntimeError(message("redistribute: elements of ", name(source.dtype()), " have ",
                               source.element_size(), " B, and the plan is for ", plan.problem.itemsize,
                               " B"));
  }
  if (destination.is_read_only()) {
    throw RuntimeError("redistribute: the destination must not be read-only; use .clone() first");
  }
  detail::require_distinct_elements("redistribute", destination);
  if (detail::may_overlap(source, destination)) {
    throw RuntimeError(
        "redistribute: the source and the destination must not share memory; clone() the source first");
  }
  const Tensor ordered = source.permute(plan.problem.order);
  source_ = ordered.reshape(plan.held[at(rank)].local_shape());
  const Dims wanted = plan.wanted[at(rank)].local_shape();
  const bool is_viewed = why_not_view(destination.layout(), wanted) == std::nullopt;
  destination_ = is_viewed ? destination.view(wanted)
                           : empty(wanted, {.dtype = destination.dtype(), .device = destination.device()});
}

void RankTensors::pack(const ExchangePart& part, Tensor& buffer) const {
  const Holding exchanged = plan_.part_of(plan_.exchanges[part.exchange]);
  each_packed_part(exchanged, part, buffer, {plan_.held[at(rank_)], source_},
                   [](Tensor packed, const Tensor& local) { copy_elements(packed, local); });
}

void RankTensors::unpack(const ExchangePart& part, const Tensor& buffer) {
  const Holding exchanged = plan_.part_of(plan_.exchanges[part.exchange]);
  each_packed_part(exchanged, part, buffer, {plan_.wanted[at(rank_)], destination_},
                   [](const Tensor& packed, Tensor local) { copy_elements(local, packed); });
}

void RankTensors::keep() {
  for (const Exchange& exchange : plan_.exchanges) {
    if (exchange.sender == rank_ && exchange.receiver == rank_) take(exchange, source_);
  }
}

void RankTensors::take(const Exchange& exchange, const Tensor& sender) {
  each_common_part(plan_.part_of(exchange), {plan_.held[at(exchange.sender)], sender},
                   {plan_.wanted[at(rank_)], destination_},
                   [](const Tensor& source, Tensor destination) { copy_elements(destination, source); });
}

void RankTensors::finish() {
  if (destination_.shares_storage(destination_given_)) return;
  copy_elements(destination_given_, destination_.view(destination_given_.shape()));
}

}  // namespace tenstride::distributed
