// SPDX-License-Identifier: Apache-2.0
#include "io/plan/tile_plan.hpp"

#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "io/plan/block_plan_parts.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride {
namespace {

/// The problem with its axes in the destination's order, merged where both sides allow it.
BlockProblem normalized(const BlockProblem& given) {
  const std::size_t rank = given.src.rank();
  std::vector<std::size_t> axes(rank);
  for (std::size_t d = 0; d < rank; ++d) axes[d] = d;
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return given.dst.strides[a] > given.dst.strides[b]; });
  const Layout& positions = given.positions.rank() == rank ? given.positions : given.dst;
  std::array<Layout, 4> sides;  // the stride of the last one keeps `unmerged_axis` from being merged
  sides[0].offset = given.src.offset;
  sides[1].offset = given.dst.offset;
  sides[2].offset = positions.offset;
  for (const std::size_t axis : axes) {
    const bool is_unmerged = given.unmerged_axis == axis;
    const std::array<Index, 4> strides{given.src.strides[axis], given.dst.strides[axis],
                                       positions.strides[axis], is_unmerged ? 1 : 0};
    for (std::size_t k = 0; k < sides.size(); ++k) {
      sides[k].shape.push_back(given.src.shape[axis]);
      sides[k].strides.push_back(strides[k]);
    }
  }
  sides = coalesce(sides);
  BlockProblem problem = given;
  problem.src = sides[0];
  problem.dst = sides[1];
  problem.positions = sides[2];
  problem.unmerged_axis.reset();
  for (std::size_t d = 0; d < problem.src.rank(); ++d) {
    if (sides[3].strides[d] == 1) problem.unmerged_axis = d;
  }
  return problem;
}

/// Returns the limits for requests through the page cache. They serve plans in which whole pages at both ends
/// of every run would take too much memory.
BlockLimits without_pages(BlockLimits limits) {
  limits.disk.page = 1;
  return limits;
}

TilePlan empty_plan(const BlockProblem& problem) {
  TilePlan plan;
  plan.problem = problem;
  TilePass pass;
  pass.tile = {0};
  pass.tiles = 0;
  plan.passes = {pass};
  return plan;
}

Index sum(const TilePlan& plan, const auto& part) {
  Index total = 0;
  for (const TilePass& pass : plan.passes) total += part(pass);
  return total;
}

}  // namespace

Index TilePlan::tiles() const {
  return sum(*this, [](const TilePass& pass) { return pass.tiles; });
}
Index TilePlan::bytes_read() const {
  return sum(*this, [](const TilePass& pass) { return pass.read.bytes; });
}
Index TilePlan::bytes_written() const {
  return sum(*this, [](const TilePass& pass) { return pass.write.bytes; });
}
Index TilePlan::requests() const {
  return sum(*this, [](const TilePass& pass) { return pass.read.requests + pass.write.requests; });
}

TilePlan plan_blocks(const BlockProblem& given, const BlockLimits& limits) {
  const BlockProblem problem = normalized(given);
  if (is_empty(problem.src)) return empty_plan(problem);
  if (std::optional<TilePlan> plan = detail::choose_plan(problem, limits)) return *std::move(plan);
  if (std::optional<TilePlan> plan = detail::choose_plan(problem, without_pages(limits)))
    return *std::move(plan);
  throw ValueError(detail::message("plan_blocks: memory of ", limits.memory, " bytes must be at least ",
                                   min_block_memory(given), " bytes for these axes"));
}

Index min_block_memory(const BlockProblem& given) {
  const BlockProblem problem = normalized(given);
  if (is_empty(problem.src)) return 0;
  const auto suffices = [&](Index memory) {
    BlockLimits limits;
    limits.memory = memory;
    return detail::has_plan(problem, without_pages(limits));
  };
  Index sufficient = 1;
  while (!suffices(sufficient)) sufficient *= 2;
  Index insufficient = sufficient / 2;
  while (sufficient - insufficient > insufficient / 16 + 1) {
    const Index middle = insufficient + (sufficient - insufficient) / 2;
    (suffices(middle) ? sufficient : insufficient) = middle;
  }
  return sufficient;
}

}  // namespace tenstride
