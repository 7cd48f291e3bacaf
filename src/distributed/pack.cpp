// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distributed/pack.hpp"

#include "base/message.hpp"
#include "distributed/parts.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/factory.hpp"

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

Tensor part_of(const Tensor& tensor, const Box& box) {
  Tensor part = tensor;
  for (std::size_t d = 0; d < box.size(); ++d)
    part = part.narrow(static_cast<Index>(d), box[d].begin, box[d].size());
  return part;
}

/// Calls f(box of the packed elements as a tensor, box of the local tensor) for all boxes of a part.
template <class F>
void each_part(const Holding& exchanged, const Holding& whole, const ExchangePart& part, const Tensor& buffer,
               const Tensor& local, const F& f) {
  const Dims shape = exchanged.local_shape();
  Index done = 0;
  each_box(shape, part.first, part.elements, [&](const Box& box) {
    Dims extents;
    for (const IndexRange& range : box) extents.push_back(range.size());
    const Index count = count_elements(extents);
    const Tensor packed = buffer.narrow(0, done, count).view(extents);
    done += count;
    each_local_box(exchanged, whole, box, [&](const Box& of_shape, const Box& of_local) {
      Box of_packed = of_shape;
      for (std::size_t d = 0; d < box.size(); ++d) {
        of_packed[d].begin -= box[d].begin;
        of_packed[d].end -= box[d].begin;
      }
      f(part_of(packed, of_packed), part_of(local, of_local));
    });
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
  detail::require_memory(source, "redistribute");
  detail::require_memory(destination, "redistribute", "written");
  detail::require_distinct_elements("redistribute", destination);
  if (detail::may_overlap(source, destination)) {
    throw RuntimeError(
        "redistribute: the source and the destination must not share memory; clone() the source first");
  }
  const Tensor ordered = source.permute(plan.problem.order);
  source_ = ordered.reshape(plan.held[at(rank)].local_shape());
  const Dims wanted = plan.wanted[at(rank)].local_shape();
  const bool is_viewed = why_not_view(destination.layout(), wanted) == std::nullopt;
  destination_ = is_viewed ? destination.view(wanted) : empty(wanted, {.dtype = destination.dtype()});
}

void RankTensors::pack(const ExchangePart& part, Tensor& buffer) const {
  const Holding exchanged = plan_.part_of(plan_.exchanges[part.exchange]);
  each_part(exchanged, plan_.held[at(rank_)], part, buffer, source_,
            [](Tensor packed, const Tensor& local) { copy_elements(packed, local); });
}

void RankTensors::unpack(const ExchangePart& part, const Tensor& buffer) {
  const Holding exchanged = plan_.part_of(plan_.exchanges[part.exchange]);
  each_part(exchanged, plan_.wanted[at(rank_)], part, buffer, destination_,
            [](const Tensor& packed, Tensor local) { copy_elements(local, packed); });
}

void RankTensors::keep() {
  for (const Exchange& exchange : plan_.exchanges) {
    if (exchange.sender == rank_ && exchange.receiver == rank_) take(exchange, source_);
  }
}

void RankTensors::take(const Exchange& exchange, const Tensor& sender) {
  const Holding taken = plan_.part_of(exchange);
  Box all;
  for (const Index size : taken.local_shape()) all.push_back({0, size});
  each_local_box(taken, plan_.held[at(exchange.sender)], all, [&](const Box& of_taken, const Box& of_source) {
    each_local_box(taken, plan_.wanted[at(rank_)], of_taken,
                   [&](const Box& packed, const Box& of_destination) {
                     Box from = of_source;
                     for (std::size_t d = 0; d < from.size(); ++d) {
                       from[d].begin += packed[d].begin - of_taken[d].begin;
                       from[d].end = from[d].begin + packed[d].size();
                     }
                     Tensor local = part_of(destination_, of_destination);
                     copy_elements(local, part_of(sender, from));
                   });
  });
}

void RankTensors::finish() {
  if (destination_.shares_storage(destination_given_)) return;
  copy_elements(destination_given_, destination_.view(destination_given_.shape()));
}

}  // namespace tenstride::distributed
