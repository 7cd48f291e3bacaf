// SPDX-License-Identifier: Apache-2.0
// Views of distributed tensors, against all that ranks could hold.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/copy_oracle.hpp"
#include "support/distributions.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/distribution/local_view.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::distributed {
namespace {

using oracle::all_held_positions;
using oracle::message_of;
using Positions = std::vector<std::vector<Index>>;

/// Whether several axes of the mesh divide one axis of the tensor.
bool is_nested(const Distribution& spread) {
  std::set<Index> divided;
  for (std::size_t m = 0; m < spread.placements.size(); ++m) {
    const Placement& placement = spread.placements[m];
    if (placement.is_replicate() || spread.mesh.shape[m] == 1) continue;
    if (!divided.insert(placement.axis).second) return true;
  }
  return false;
}

TEST(LocalView, IsFoundWhereverTheRanksCanHoldIt) {
  const Dims shapes[] = {{12},    {3, 4},  {4, 3},    {2, 6},    {6, 2},
                         {1, 12}, {12, 1}, {2, 2, 3}, {3, 2, 2}, {2, 3, 2}};
  std::size_t local_views = 0;
  std::size_t obstacles = 0;
  for (const Dims& mesh : {Dims{1}, Dims{2}, Dims{3}, Dims{4}, Dims{5}, Dims{2, 2}, Dims{2, 3}, Dims{3, 2}}) {
    std::map<std::size_t, std::set<Positions>> possible;  // by shape, where no axis is divided twice
    for (std::size_t s = 0; s < std::size(shapes); ++s) {
      oracle::each_placements(shapes[s], mesh.size(), 12, [&](const std::vector<Placement>& placements) {
        const Distribution to = distribute(shapes[s], {mesh}, placements);
        if (!is_nested(to)) possible[s].insert(all_held_positions(to));
      });
    }
    for (const Dims& shape : shapes) {
      oracle::each_placements(shape, mesh.size(), 12, [&](const std::vector<Placement>& placements) {
        const Distribution from = distribute(shape, {mesh}, placements);
        const Positions elements = all_held_positions(from);
        for (std::size_t s = 0; s < std::size(shapes); ++s) {
          const std::optional<Distribution> local = try_local_view(from, shapes[s]);
          EXPECT_EQ(why_not_local(from, shapes[s]).has_value(), !local);
          if (local) {
            ++local_views;
            EXPECT_EQ(local->shape, shapes[s]);
            ASSERT_EQ(all_held_positions(*local), elements)
                << from.to_string() << " as " << local->to_string();
            continue;
          }
          ++obstacles;
          ASSERT_TRUE(is_nested(from) || !possible[s].contains(elements))
              << from.to_string() << " as " << to_string(shapes[s]);
          const LocalObstacle obstacle = *why_not_local(from, shapes[s]);
          const Distribution remedied = distribute(shape, {mesh}, obstacle.remedy);
          for (std::size_t m = 0; m < mesh.size(); ++m) {
            if (m == obstacle.mesh_axis) continue;
            EXPECT_EQ(obstacle.remedy[m], from.placements[m]);
          }
          EXPECT_NE(obstacle.remedy, from.placements);
        }
      });
    }
  }
  EXPECT_GT(local_views, 10000U);
  EXPECT_GT(obstacles, 10000U);
}

TEST(LocalView, KeepsWhatEachRankHoldsOfAnAxisThatIsDividedThreeTimes) {
  oracle::Random random(3);
  const Dims shapes[] = {{24}, {4, 6}, {2, 12}, {3, 8}, {2, 3, 4}, {2, 2, 6}};
  std::size_t local_views = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Dims& shape = shapes[random.between(0, std::ssize(shapes) - 1)];
    std::vector<Placement> placements;
    for (int m = 0; m < 3; ++m) {
      const Index axis =
          random.between(0, 3) == 0 ? random.between(0, static_cast<Index>(shape.size()) - 1) : 0;
      const Placement choices[] = {shard(axis), strided_shard(axis, random.between(1, 6)),
                                   block_cyclic(axis, random.between(1, 6)), replicate()};
      placements.push_back(choices[random.between(0, 3)]);
    }
    const Distribution from = distribute(shape, {{2, 3, 2}}, placements);
    const Dims& to = shapes[random.between(0, std::ssize(shapes) - 1)];
    const std::optional<Distribution> local = try_local_view(from, to);
    if (!local) continue;
    ++local_views;
    ASSERT_EQ(all_held_positions(*local), all_held_positions(from))
        << from.to_string() << " as " << local->to_string();
  }
  EXPECT_GT(local_views, 5000U);
}

TEST(LocalView, IsARemedyAwayOnAMeshOfOneAxis) {
  for (const Dims& shape : {Dims{12}, Dims{3, 4}, Dims{2, 6}, Dims{2, 2, 3}}) {
    oracle::each_placements(shape, 1, 12, [&](const std::vector<Placement>& placements) {
      for (const Index ranks : {2, 3, 4, 5}) {
        const Distribution from = distribute(shape, {{ranks}}, placements);
        for (const Dims& to : {Dims{12}, Dims{4, 3}, Dims{6, 2}}) {
          const auto obstacle = why_not_local(from, to);
          if (!obstacle) continue;
          EXPECT_TRUE(try_local_view(distribute(shape, {{ranks}}, obstacle->remedy), to))
              << obstacle->to_string();
        }
      }
    });
  }
}

TEST(LocalView, PrefersShards) {
  const Mesh two{{2}};
  EXPECT_EQ(view(distribute({4, 6}, two, {shard(0)}), {24}), distribute({24}, two, {shard(0)}));
  EXPECT_EQ(view(distribute({4, 6}, two, {shard(0)}), {2, -1}), distribute({2, 12}, two, {shard(0)}));
  EXPECT_EQ(view(distribute({24}, two, {shard(0)}), {2, 3, 4}), distribute({2, 3, 4}, two, {shard(0)}));
  EXPECT_EQ(view(distribute({4, 6}, two, {shard(1)}), {4, 2, 3}), distribute({4, 2, 3}, two, {shard(1)}));
  // Parts of the last axis alternate in the merged one.
  EXPECT_EQ(view(distribute({4, 6}, two, {shard(1)}), {24}), distribute({24}, two, {block_cyclic(0, 3)}));
  EXPECT_EQ(view(distribute({24}, two, {block_cyclic(0, 3)}), {4, 6}), distribute({4, 6}, two, {shard(1)}));
  // Unequal parts of it repeat.
  EXPECT_EQ(view(distribute({4, 5}, two, {shard(1)}), {20}), distribute({20}, two, {strided_shard(0, 4)}));
  EXPECT_EQ(view(distribute({20}, two, {strided_shard(0, 4)}), {2, 10}),
            distribute({2, 10}, two, {strided_shard(1, 2)}));
  // Unequal parts of the first axis.
  EXPECT_EQ(view(distribute({5, 4}, two, {shard(0)}), {20}), distribute({20}, two, {block_cyclic(0, 12)}));
  // Both axes of the mesh on one axis.
  const Mesh four{{2, 2}};
  EXPECT_EQ(view(distribute({8, 3}, four, {shard(0), shard(0)}), {24}),
            distribute({24}, four, {shard(0), shard(0)}));
  EXPECT_EQ(view(distribute({24}, four, {shard(0), shard(0)}), {4, 6}),
            distribute({4, 6}, four, {shard(0), shard(0)}));
  EXPECT_EQ(view(distribute({24}, four, {shard(0), shard(0)}), {2, 2, 6}),
            distribute({2, 2, 6}, four, {shard(0), shard(1)}));
  // The same shape.
  EXPECT_EQ(view(distribute({4, 6}, two, {block_cyclic(0, 2)}), {4, 6}),
            distribute({4, 6}, two, {block_cyclic(0, 2)}));
  // Nothing to hold, and nothing but one element.
  EXPECT_EQ(view(distribute({0, 4}, two, {shard(1)}), {4, 0}).held_by(1).local_shape()[1], 0);
  EXPECT_EQ(view(distribute({1, 1}, two, {replicate()}), {}), distribute({}, two, {replicate()}));
}

TEST(LocalView, SaysWhatStandsInTheWay) {
  const Mesh two{{2}};
  EXPECT_EQ(
      message_of([&] {
        return view(distribute({20}, two, {shard(0)}), {5, 4});
      }),
      "RuntimeError: view: the view is not local (shape (20)) on mesh (2): Shard(0) of mesh axis 0 cuts the "
      "elements into parts of 10, which end within an index of every axis of (5,4); redistribute to "
      "Replicate() on "
      "mesh axis 0 first");
  EXPECT_EQ(message_of([&] {
              return view(distribute({4, 5}, two, {shard(1)}), {10, 2});
            }),
            "RuntimeError: view: the view is not local (shape (4,5)) on mesh (2): Shard(1) of mesh axis 0 "
            "gives the ranks "
            "unequal parts of axis 1, and (10,2) has no axis with these; redistribute to Shard(0) on mesh "
            "axis 0 first");
  const LocalObstacle obstacle = *why_not_local(distribute({4, 5}, two, {shard(1)}), {10, 2});
  EXPECT_EQ(obstacle.reason, LocalReason::uneven_parts);
  EXPECT_EQ(obstacle.part, 3);
  EXPECT_EQ(obstacle.remedy, std::vector{shard(0)});
  EXPECT_EQ(message_of([&] {
              return slice(distribute({4, 5}, two, {shard(1)}), 1, 0, 3);
            }),
            "RuntimeError: slice: the view is not local (shape (4,5)) on mesh (2): Shard(1) of mesh axis 0 "
            "spreads axis 1 "
            "of size 5, which the view takes indices of; redistribute to Replicate() on mesh axis 0 first");
  EXPECT_EQ(message_of([&] {
              return view(distribute({4, 5}, two, {shard(1)}), {3, 7});
            }),
            message_of([] {
              return tenstride::view(row_major({4, 5}), {3, 7});
            }));
}

TEST(LocalView, MovesDropsAndRepeatsAxes) {
  const Mesh mesh{{2, 2}};
  const Distribution from = distribute({4, 6, 5}, mesh, {shard(0), block_cyclic(1, 2)});
  EXPECT_EQ(permute(from, {2, 0, -2}), distribute({5, 4, 6}, mesh, {shard(1), block_cyclic(2, 2)}));
  EXPECT_EQ(slice(from, 2, 1, 5, 2), distribute({4, 6, 2}, mesh, {shard(0), block_cyclic(1, 2)}));
  EXPECT_EQ(slice(from, 0, 0, 4), from);
  EXPECT_EQ(select(from, -1, 3), distribute({4, 6}, mesh, {shard(0), block_cyclic(1, 2)}));
  EXPECT_EQ(select(distribute({3, 4, 6}, mesh, {shard(1), replicate()}), 0, 2),
            distribute({4, 6}, mesh, {shard(0), replicate()}));
  EXPECT_EQ(expand(distribute({4, 1}, mesh, {shard(0), replicate()}), {3, 4, 7}),
            distribute({3, 4, 7}, mesh, {shard(1), replicate()}));
  EXPECT_THROW(expand(distribute({4, 1}, mesh, {shard(1), replicate()}), {4, 7}), LocalViewError);
  EXPECT_THROW(select(from, 1, 0), LocalViewError);
  EXPECT_THROW(select(from, 1, 6), IndexError);
  EXPECT_THROW(permute(from, {0, 1}), Error);
}

}  // namespace
}  // namespace tenstride::distributed
