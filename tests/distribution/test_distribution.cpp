// SPDX-License-Identifier: Apache-2.0
// Who holds what of a distributed tensor.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/distributions.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/distribution/distribution.hpp"

namespace tenstride::distributed {
namespace {

using Ranges = std::vector<IndexRange>;

TEST(Mesh, NumbersRanksRowByRow) {
  const Mesh mesh{{2, 4}};
  EXPECT_EQ(mesh.size(), 8);
  EXPECT_EQ(mesh.coordinate(0), (Dims{0, 0}));
  EXPECT_EQ(mesh.coordinate(5), (Dims{1, 1}));
  EXPECT_EQ((Mesh{{}}).size(), 1);
}

TEST(Placements, AreText) {
  for (const Placement& placement :
       {replicate(), shard(0), shard(11), strided_shard(1, 4), block_cyclic(2, 64)})
    EXPECT_EQ(parse_placement(to_string(placement)), placement);
  EXPECT_EQ(to_string(block_cyclic(2, 64)), "BlockCyclic(2,64)");
  EXPECT_EQ(parse_placement("R"), replicate());
  EXPECT_EQ(parse_placement("S(3)"), shard(3));
  EXPECT_EQ(parse_placement("Shard(dim=-1)"), shard(-1));
  for (const std::string_view text :
       {"", "Shard", "Shard()", "Shard(", "Shard(1", "Shard(1,)", "Shard(1,2)", "Shard(x)", "Partial()",
        "Replicate(0)", "BlockCyclic(0)", "BlockCyclic(0,1,2)", "Shard(1)x", "Shard(99999999999999999999)",
        "Shard(dim=)", ")", "(", "R("}) {
    EXPECT_THROW(parse_placement(text), ParseError) << text;
  }
  EXPECT_EQ(oracle::message_of([] { return parse_placement("Shard(x)"); }),
            "ValueError: placement: \"Shard(x)\" must be Replicate(), Shard(axis), "
            "StridedShard(axis,split_factor) or BlockCyclic(axis,block), from byte 6 on it is not");
}

TEST(Placements, AreLists) {
  EXPECT_EQ(parse_placements("S(0), R,BlockCyclic(1,64)"),
            (std::vector<Placement>{shard(0), replicate(), block_cyclic(1, 64)}));
  EXPECT_EQ(parse_placements("Replicate()"), std::vector<Placement>{replicate()});
  for (const std::string_view text : {"", "S(0),", ",S(0)", "S(0))", "S(0),,R", "S(0,R", "S(0)  ,R"})
    EXPECT_THROW(parse_placements(text), ParseError) << text;
}

TEST(Distribution, ShardsAsTorchChunkDoes) {
  const Distribution spread = distribute({5}, {{4}}, {shard(0)});
  const Ranges held[] = {{{0, 2}}, {{2, 4}}, {{4, 5}}, {}};
  for (Index rank = 0; rank < 4; ++rank) EXPECT_EQ(spread.held_by(rank).ranges[0], held[rank]) << rank;
  EXPECT_EQ(spread.held_by(3).local_shape(), (Dims{0}));
  EXPECT_TRUE(spread.held_by(3).is_box());
  // The second axis of the mesh divides what the first one gave: 5 is 3 and 2, 3 is 2 and 1, 2 is 1 and 1.
  const Distribution twice = distribute({5}, {{2, 2}}, {shard(0), shard(0)});
  const Ranges parts[] = {{{0, 2}}, {{2, 3}}, {{3, 4}}, {{4, 5}}};
  for (Index rank = 0; rank < 4; ++rank) EXPECT_EQ(twice.held_by(rank).ranges[0], parts[rank]) << rank;
}

TEST(Distribution, ShardsPieces) {
  const Distribution spread = distribute({7}, {{2}}, {strided_shard(0, 2)});  // pieces of 4 and 3
  EXPECT_EQ(spread.held_by(0).ranges[0], (Ranges{{0, 2}, {4, 6}}));
  EXPECT_EQ(spread.held_by(1).ranges[0], (Ranges{{2, 4}, {6, 7}}));
}

TEST(Distribution, DealsBlocksCyclically) {
  const Distribution spread = distribute({7, 2}, {{3}}, {block_cyclic(-2, 2)});
  const Ranges held[] = {{{0, 2}, {6, 7}}, {{2, 4}}, {{4, 6}}};
  for (Index rank = 0; rank < 3; ++rank) EXPECT_EQ(spread.held_by(rank).ranges[0], held[rank]) << rank;
  EXPECT_FALSE(spread.held_by(0).is_box());
  EXPECT_EQ(spread.held_by(0).local_shape(), (Dims{3, 2}));
  EXPECT_EQ(spread.held_by(0).ranges[1], (Ranges{{0, 2}}));
  EXPECT_EQ(spread.to_string(), "(7,2) on (3): BlockCyclic(0,2)");
}

TEST(Distribution, GivesEachElementToTheRanksThatItSays) {
  oracle::each_distribution([](const Distribution& spread) {
    for (Index rank = 0; rank < spread.mesh.size(); ++rank) {
      const Holding holding = spread.held_by(rank);
      for (std::size_t d = 0; d < spread.shape.size(); ++d) {
        Dims indices;
        for (const IndexRange& range : holding.ranges[d]) {
          EXPECT_LT(range.begin, range.end);
          EXPECT_TRUE(indices.empty() || indices.back() + 1 < range.begin);
          for (Index i = range.begin; i < range.end; ++i) indices.push_back(i);
        }
        ASSERT_EQ(indices, oracle::held_indices(spread, rank, d)) << spread.to_string() << " rank " << rank;
      }
    }
  });
}

TEST(Distribution, OfMoreIndicesThanMemoryHolds) {
  const Index size = INT64_MAX;
  const Distribution spread = distribute({size}, {{3}}, {shard(0)});
  EXPECT_EQ(spread.held_by(2).ranges[0].back().end, size);
  EXPECT_EQ(distribute({size}, {{8}}, {block_cyclic(0, size)}).held_by(7).local_shape(), (Dims{0}));
  EXPECT_EQ(distribute({size}, {{8}}, {block_cyclic(0, size / 2)}).held_by(0).local_shape(),
            (Dims{size / 2}));
}

TEST(Distribution, RefusesWhatDoesNotFit) {
  EXPECT_EQ(oracle::message_of([] {
              return distribute({4}, {{2, 2}}, {shard(0)});
            }),
            "ValueError: distribute: 1 placements must be 2, one for each axis of the mesh (2,2)");
  EXPECT_EQ(oracle::message_of([] { return distribute({4}, {{2}}, {shard(1)}); }),
            "IndexError: distribute: axis 1 must lie in [-1,0] (shape (4))");
  EXPECT_EQ(oracle::message_of([] { return distribute({4}, {{0}}, {shard(0)}); }),
            "RuntimeError: distribute: mesh (0) must have a rank");
  EXPECT_EQ(oracle::message_of([] { return distribute({4}, {{2}}, {block_cyclic(0, 0)}); }),
            "ValueError: distribute: BlockCyclic(0,0): a block must have an index");
  EXPECT_EQ(oracle::message_of([] { return distribute({4}, {{2}}, {strided_shard(0, 0)}); }),
            "ValueError: distribute: StridedShard(0,0): there must be a piece");
  EXPECT_EQ(oracle::message_of([] { return distribute({4}, {{2}}, {shard(0)}).held_by(2); }),
            "IndexError: held_by: rank 2 must lie in [0,1] (mesh (2))");
}

}  // namespace
}  // namespace tenstride::distributed
