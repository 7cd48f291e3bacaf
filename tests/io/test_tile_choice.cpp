// SPDX-License-Identifier: Apache-2.0
// What a tile takes of memory and decodes, against counting element by element.
#include "io/plan/tile_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "io/ends/parts.hpp"
#include "support/copy_oracle.hpp"

namespace tenstride::io {
namespace {

using oracle::Random;

/// Axes in any order, with steps, from anywhere.
ChunkProblem random_problem(Random& random) {
  ChunkProblem problem;
  problem.src.item = problem.dst.item = 4;
  const auto rank = static_cast<std::size_t>(random.between(1, 3));
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), random.engine());
  problem.src.grid.shape = problem.src.grid.chunk = problem.map.first = Dims::filled(rank, 1);
  for (const std::size_t axis : axes) {
    const Index size = random.between(1, 20), step = random.between(1, 2), first = random.between(0, 3);
    const bool is_flipped = random.one_in(3);
    problem.dst.grid.shape.push_back(size);
    problem.dst.grid.chunk.push_back(random.between(1, 6));
    problem.map.axes.push_back({axis, is_flipped ? -step : step});
    problem.map.first[axis] = is_flipped ? first + (size - 1) * step : first;
    problem.src.grid.shape[axis] = first + (size - 1) * step + 1;
    problem.src.grid.chunk[axis] = random.between(1, 7);
  }
  if (random.one_in(4)) {
    problem.dst.grid.shape.push_back(random.between(1, 4));
    problem.dst.grid.chunk.push_back(random.between(1, 4));
    problem.map.axes.emplace_back();
  }
  return problem;
}

using Place = std::vector<Index>;

/// Reads chunks in the order of a plan.
struct IsReadBefore {
  const ChunkProblem* problem;
  const Dims* order;
  bool operator()(const Place& a, const Place& b) const {
    for (const Index axis : *order) {
      const IndexMap::Axis& from = problem->map.axes[static_cast<std::size_t>(axis)];
      if (!from.source || a[*from.source] == b[*from.source]) continue;
      return (a[*from.source] < b[*from.source]) == (from.step > 0);
    }
    return a < b;
  }
};

/// The chunks of the source that a tile needs, as they are read, each with its units.
using UnitsOfChunks = std::map<Place, std::set<Place>, IsReadBefore>;

UnitsOfChunks units_of_chunks(const ChunkProblem& problem, const TileChoice& choice, const Box& tile) {
  UnitsOfChunks units(IsReadBefore{&problem, &choice.order});
  for (Index i = 0; i < count_elements(tile.extents); ++i) {
    const Dims offset = unit_index(tile.extents, i);
    Place chunk(problem.map.first.begin(), problem.map.first.end()), unit(offset.size());
    for (std::size_t d = 0; d < offset.size(); ++d) {
      const Index at = tile.first[d] + offset[d];
      unit[d] = at / problem.dst.grid.chunk[d];
      const IndexMap::Axis& from = problem.map.axes[d];
      if (from.source) chunk[*from.source] += from.step * at;
    }
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] /= problem.src.grid.chunk[axis];
    units[chunk].insert(unit);
  }
  return units;
}

struct Counted {
  Index chunks = 0;
  /// Units that have elements of chunks that were read, and of chunks that are read now or later.
  std::size_t open = 0;
};

Counted count(const ChunkProblem& problem, const TileChoice& choice) {
  Counted counted;
  const Box all{Dims::filled(choice.tile.size(), 0), problem.dst.grid.shape};
  for (const Box& tile : cut_box(all, choice.tile)) {
    const UnitsOfChunks units = units_of_chunks(problem, choice, tile);
    counted.chunks += static_cast<Index>(units.size());
    std::map<Place, std::size_t> left;
    for (const auto& [chunk, own] : units) {
      for (const Place& unit : own) ++left[unit];
    }
    std::set<Place> open;
    for (const auto& [chunk, own] : units) {
      open.insert(own.begin(), own.end());
      counted.open = std::max(counted.open, open.size());
      for (const Place& unit : own) {
        if (--left[unit] == 0) open.erase(unit);
      }
    }
  }
  return counted;
}

TEST(TileChoices, HaveTheMemoryAndDecodeTheChunksThatCountingFinds) {
  int in_order = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const ChunkProblem problem = random_problem(random);
    const TileChoices choices(problem);
    double unit_nbytes = 4, src_chunk_nbytes = 4;
    for (const Index extent : problem.dst.grid.chunk) unit_nbytes *= static_cast<double>(extent);
    for (const Index extent : problem.src.grid.chunk) src_chunk_nbytes *= static_cast<double>(extent);
    const double memory = unit_nbytes * static_cast<double>(random.between(1, 40));
    const auto choice = choices.cheapest(memory);
    ASSERT_TRUE(choice);
    SCOPED_TRACE(seed);
    const Counted counted = count(problem, *choice);
    EXPECT_LE(choice->open_nbytes, memory);
    EXPECT_LE(static_cast<double>(counted.open) * unit_nbytes, choice->open_nbytes * (1 + 1e-9));
    EXPECT_EQ(choices.decoded_nbytes(choice->tile), static_cast<double>(counted.chunks) * src_chunk_nbytes);
    if (choice->open_nbytes < choices.tile_nbytes(choice->tile)) ++in_order;
  }
  EXPECT_GT(in_order, 50);
}

TEST(TileChoices, ReadBricksOnceWhereSomeUnitsAreCompleteBeforeOthersBegin) {
  // (time, lat, lon) in bricks of (100,250,250) to (lat, lon, time) in bricks of (100,100,500): the smallest
  // box of whole bricks of both sides is (500,500,500), 500 MB.
  ChunkProblem problem;
  problem.src = {{{2000, 1000, 1000}, {100, 250, 250}}, 4};
  problem.dst = {{{1000, 1000, 2000}, {100, 100, 500}}, 4};
  problem.map.axes = {{1, 1}, {2, 1}, {0, 1}};
  problem.map.first = {0, 0, 0};
  const TileChoices choices(problem);
  const auto choice = choices.cheapest(250e6);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choices.decoded_nbytes(choice->tile), 8e9);
  EXPECT_EQ(choice->open_nbytes, 220e6);
}

TEST(TileChoices, CountABillionChunksWithoutLookingAtEach) {
  struct Sizes {
    Index shape, chunk, unit;
  };
  for (const Sizes& sizes :
       {Sizes{1'000'000'000'000, 1, 1'000'000}, Sizes{1'000'000'000'000, 1'000'003, 999'983},
        Sizes{1'000'000'000'000, 1'000'000, 1}}) {
    ChunkProblem problem;
    problem.src = {{{sizes.shape}, {sizes.chunk}}, 4};
    problem.dst = {{{sizes.shape}, {sizes.unit}}, 4};
    problem.map = IndexMap::identity(1);
    const TileChoices choices(problem);
    const auto choice = choices.cheapest(250e6);
    ASSERT_TRUE(choice);
    EXPECT_GE(choices.decoded_nbytes(choice->tile), 4e12);
    EXPECT_LE(choices.decoded_nbytes(choice->tile), 6e12);
  }
}

}  // namespace
}  // namespace tenstride::io
