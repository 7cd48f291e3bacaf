// SPDX-License-Identifier: Apache-2.0
#include "einops/rearrange_parts.hpp"

#include "tenstride/layout/chain.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::detail {

PartsBySource::PartsBySource(const BoundPattern& bound)
    : order(Dims::filled(bound.parts.size(), -1)), leading_parts(bound.first_axis_parts) {
  std::size_t old = 0;
  for (std::size_t i = 0, added = 0; i < bound.parts.size(); ++i) {
    const bool is_new = added < bound.added.size() && bound.added[added] == static_cast<Index>(i);
    const std::size_t place = is_new ? bound.order.size() + added++ : at(bound.order[old++]);
    order[place] = static_cast<Index>(i);
  }
  for (std::size_t i = 0; i < leading_parts; ++i) leading *= bound.split[i];
  for (std::size_t i = leading_parts; i < bound.split.size(); ++i) own.push_back(bound.split[i]);
}

Layout PartsBySource::place(const Layout& parts, Index number) const {
  Layout place = permute(parts, order);
  for (std::size_t i = leading_parts; i-- > 0;)
    place = select(place, static_cast<Index>(i), index(parts, number, i));
  return place;
}

Index PartsBySource::index(const Layout& parts, Index number, std::size_t part) const {
  for (std::size_t i = leading_parts; i-- > part + 1;) number /= parts.shape[at(order[i])];
  return number % parts.shape[at(order[part])];
}

Layout PartsBySource::source(const Layout& layout, const Layout& place) const {
  Chain chain = Chain(layout).reshape(own);
  while (chain.rank() < place.rank()) chain = chain.unsqueeze(-1);
  return chain.expand(place.shape).try_view().value();
}

}  // namespace tenstride::detail
