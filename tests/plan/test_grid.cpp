// SPDX-License-Identifier: Apache-2.0
// How the work of a copy is cut into units and shared among threads.
#include "plan/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "copy/shares.hpp"
#include "tenstride/layout/views_axes.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride {
namespace {

using detail::Grid;
using detail::Shares;

TEST(Grid, PartsCoverALoopAndMeetWhereLinesBegin) {
  for (const Index in_line : {64, 16, 4}) {
    for (Index before = 0; before < in_line; ++before) {
      for (const Index extent : {1, 3, 63, 64, 65, 200, 1000}) {
        Grid grid;
        const std::size_t loop = grid.add_around(0, {extent, 0, 0}, 2 * in_line, before);
        Index reached = 0;
        for (Index part = 0; part < grid.units(); ++part) {
          EXPECT_EQ(grid.first(loop, part), reached);
          EXPECT_LT(grid.first(loop, part), grid.last(loop, part));
          if (part > 0) {
            EXPECT_EQ((grid.first(loop, part) + before) % in_line, 0);
          }
          reached = grid.last(loop, part);
        }
        EXPECT_EQ(reached, extent);
      }
    }
  }
}

/// Three loops in parts, the last of which begins within a line.
Grid drawn_grid(std::mt19937& random) {
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  Grid grid;
  for (std::size_t d = 0; d < 3; ++d) {
    const Index extent = between(1, 60);
    const Index part = between(1, 20);
    grid.add_around(d, {extent, 0, 0}, part, d == 0 ? between(0, part - 1) : 0);
  }
  grid.shares_per_thread = between(1, 9);
  grid.keeps_innermost = between(0, 1) == 1;
  return grid;
}

/// The iterations of a unit, by its parts.
Index iterations_of(const Grid& grid, Index unit) {
  Index iterations = 1;
  for (std::size_t number = Grid::innermost + 1; number-- > grid.outermost();) {
    const Index parts = grid.loops()[grid.place(number)].extent;
    iterations *= grid.length(number, unit % parts);
    unit /= parts;
  }
  return iterations;
}

TEST(Grid, CountsTheIterationsBeforeAUnit) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Grid grid = drawn_grid(random);
    Index before = 0;
    for (Index unit = 0; unit < grid.units(); ++unit) {
      ASSERT_EQ(grid.iterations_before(unit), before);
      before += iterations_of(grid, unit);
    }
    ASSERT_EQ(grid.iterations_before(grid.units()), before);
    ASSERT_EQ(grid.iterations(), before);
  }
}

TEST(Grid, SharesEndAtTheNearestUnit) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Grid grid = drawn_grid(random);
    const Shares shares = grid.shares(1 + trial % 9);
    const Index group = shares.keeps_innermost ? grid.loops().back().extent : 1;
    for (Index share = 1; share < shares.count; ++share) {
      const Index unit = grid.first_unit(shares, share);
      ASSERT_EQ(unit % group, 0);
      const auto distance = [&](Index at) {
        return std::abs(static_cast<double>(grid.iterations_before(at)) -
                        static_cast<double>(grid.iterations() * share) / static_cast<double>(shares.count));
      };
      if (unit >= group) {
        ASSERT_LE(distance(unit), distance(unit - group) + 1);
      }
      if (unit + group <= grid.units()) {
        ASSERT_LE(distance(unit), distance(unit + group) + 1);
      }
    }
  }
}

TEST(Shares, CoverEachUnitOnce) {
  std::mt19937 random(3);
  for (const int threads : {1, 2, 5}) {
    for (int trial = 0; trial < 100; ++trial) {
      const Grid grid = drawn_grid(random);
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(grid.units()));
      copy::share_out(grid, threads, [&](Index first, Index last) {
        for (Index unit = first; unit < last; ++unit) ++taken[static_cast<std::size_t>(unit)];
      });
      for (const std::atomic<int>& times : taken) ASSERT_EQ(times, 1);
    }
  }
}

/// A copy of a permuted, perhaps stepped or repeated, tensor of at least 64 KiB for each of `threads`.
CopyPlan drawn_plan(std::mt19937& random, int threads) {
  const auto between = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  const auto spread = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  constexpr std::array types{DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex128};
  const DType from = types[static_cast<std::size_t>(between(0, 4))];
  DType to = between(0, 3) == 0 ? types[static_cast<std::size_t>(between(0, 4))] : from;
  if (is_complex(from) != is_complex(to)) to = from;
  const auto item = static_cast<double>(std::max(item_size(from), item_size(to)));
  const double least = threads * 65536.0;
  const auto rank = static_cast<std::size_t>(between(2, 6));
  Dims shape;
  double elements = 0;
  do {
    std::vector<double> extents(rank);
    for (double& extent : extents) extent = spread(2, 3000);
    const double product = std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
    const double factor =
        std::pow(spread(least, 100 * least) / item / product, 1 / static_cast<double>(rank));
    shape = Dims{};
    elements = 1;
    for (const double extent : extents) {
      shape.push_back(std::max<Index>(std::llround(extent * factor), 1));
      elements *= static_cast<double>(shape.back());
    }
  } while (elements * item < std::max(least, 524288.0));
  Layout src = row_major(shape);
  if (between(0, 7) == 0) src.strides[rank - 1] = 2;
  if (between(0, 5) == 0) src.strides[static_cast<std::size_t>(between(0, static_cast<int>(rank) - 1))] = 0;
  Dims axes = shape;
  std::iota(axes.begin(), axes.end(), Index{0});
  std::shuffle(axes.begin(), axes.end() - between(0, 1), random);
  src = permute(src, axes);
  PlanOptions options;
  options.max_threads = threads;
  options.placement.dst_in_line = 16 * between(0, 3);
  if (between(0, 1) == 1) options.machine.stores = SequentialStores::streaming;
  if (between(0, 1) == 1) options.machine.streams = MemoryStreams::one;
  if (between(0, 1) == 1) options.machine.block_stores = BlockStores::burst;
  return plan_copy(row_major(src.shape), to, src, from, options);
}

/// The bytes of the thread that has most, where each takes the next share when it is done.
Index largest_load(const std::vector<Index>& shares, int threads) {
  std::vector<Index> loads(static_cast<std::size_t>(threads));
  for (const Index bytes : shares) *std::min_element(loads.begin(), loads.end()) += bytes;
  return *std::max_element(loads.begin(), loads.end());
}

TEST(Shares, AreEvenWhateverTheWay) {
  std::mt19937 random(4);
  std::map<std::string, int> plans;
  for (int trial = 0; trial < 20000; ++trial) {
    constexpr std::array counts{2, 3, 4, 7, 8, 16, 33, 64, 128};
    const int threads = counts[static_cast<std::size_t>(trial) % counts.size()];
    const CopyPlan plan = drawn_plan(random, threads);
    ++plans[std::string(plan.method())];
    ASSERT_TRUE(plan.threads == threads || threads < 8) << plan.to_string();
    const std::vector<Index> shares = plan.share_bytes();
    const Index bytes = std::accumulate(shares.begin(), shares.end(), Index{0});
    ASSERT_EQ(bytes, plan.count * static_cast<Index>(item_size(plan.conversion.dst_type)));
    const double mean = static_cast<double>(bytes) / static_cast<double>(shares.size());
    const auto largest = static_cast<double>(*std::max_element(shares.begin(), shares.end()));
    ASSERT_LE(largest, 1.15 * mean) << trial << '\n' << plan.to_string();
    const auto load = static_cast<double>(largest_load(shares, threads));
    ASSERT_LE(load, 1.15 * static_cast<double>(bytes) / threads) << trial << '\n' << plan.to_string();
  }
  for (const std::string_view way : way_names) {
    if (way != "small" && way != "strided") {
      EXPECT_GE(plans[std::string(way)], 20) << way;
    }
  }
}

}  // namespace
}  // namespace tenstride
