// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/cached_tiles.hpp"

#include "plan/loop_order.hpp"
#include "plan/nest.hpp"
#include "plan/strategies/cached_shapes.hpp"

namespace tenstride::detail {
namespace {

/// No buffer is passed, and no line is fetched that is not there.
constexpr double within_caches = .5;

/// Up to so many bytes are copied without a worker: about what an L2 cache holds. Of 4 MB it takes 1.2 to 1.7
/// times as long as by tiles on the Xeons, on Zen 5 half as long.
Index max_cached_bytes(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::tile && plan.streams == MemoryStreams::one ? max_cached_tiles
                                                                               : Index{2} << 20;
}

bool is_cached(const Nest& nest) {
  Inner in{nest, nest.count, nest.dst_item};
  if (CachedPixels(in).is_transposed()) return true;
  const CachedWay way = inner_of(in);
  return way != CachedWay::by_plan &&
         (way != CachedWay::transposed || way_of(in, [](const auto&) {}) != CachedWay::by_plan);
}

}  // namespace

std::optional<Proposal> propose_cached_tiles(Problem& problem) {
  const CopyPlan& plan = problem.plan;
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  const bool may_be = plan.conversion == CopyConversion::none && !plan.streaming &&
                      plan.count <= max_cached_bytes(plan) / element && plan.kernel != CopyKernel::memcpy &&
                      plan.kernel != CopyKernel::fill;
  if (!may_be) return std::nullopt;
  const std::optional<Nest> nest = nest_of(plan);
  if (!nest || !is_cached(*nest)) return std::nullopt;
  return Proposal{CachedTiles{}, within_caches};
}

}  // namespace tenstride::detail
