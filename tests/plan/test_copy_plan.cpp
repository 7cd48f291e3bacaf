// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/copy_plan.hpp"

#include <gtest/gtest.h>

#include "support/access.hpp"
#include "tenstride/layout/views_axes.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

constexpr DType f32 = DType::float32;
constexpr DType u8 = DType::uint8;

/// The plan for one thread, unless the options name a number.
CopyPlan of(const Layout& src, DType type, PlanOptions options = {}) {
  if (options.max_threads == 0) options.max_threads = 1;
  return plan_copy(row_major(src.shape), type, src, type, options);
}

/// The tiles of a plan, also where another way costs less.
Tiles tiles_of(const CopyPlan& made) {
  return std::get<Tiles>(made.way);
}

TEST(CopyPlan, OfALargeTransposePrintsAsDocumented) {
  PlanOptions options;
  options.max_threads = 2;
  EXPECT_EQ(of({{4096, 4096}, {1, 4096}, 0}, f32, options).to_string(),
            "copy 16777216 elements float32 -> float32, 64 MiB -> 64 MiB\n"
            "  way      tiles 32 x 1024, streaming stores, 2 threads\n"
            "  offset   dst 0, src 0\n"
            "  loop 0   4096  dst stride 4096  src stride 1     source run\n"
            "  loop 1   4096  dst stride 1     src stride 4096  destination run\n"
            "  shares   16 of 4 MiB, units along loop 1 by 32, loop 0 by 1024");
}

TEST(CopyPlan, JoinsLoopsOfTheSourceToLongRows) {
  PlanOptions options;
  options.machine.stores = SequentialStores::streaming;
  options.max_threads = 2;
  // 128 bytes each become a matrix of rows of 28800 bytes and columns of 1920.
  const CopyPlan reversed =
      of({{32, 15, 15, 15, 15, 32}, {1, 32, 480, 7200, 108000, 1620000}, 0}, f32, options);
  EXPECT_EQ(reversed.to_string(),
            "copy 51840000 elements float32 -> float32, 202500 KiB -> 202500 KiB\n"
            "  way      tiles 32 x 4096, streaming stores, 2 threads\n"
            "  offset   dst 0, src 0\n"
            "  loop 0   15  dst stride 480      src stride 7200\n"
            "  loop 1   15  dst stride 7200     src stride 480      source run\n"
            "  loop 2   15  dst stride 108000   src stride 32       source run\n"
            "  loop 3   32  dst stride 1620000  src stride 1        source run\n"
            "  loop 4   15  dst stride 32       src stride 108000   destination run\n"
            "  loop 5   32  dst stride 1        src stride 1620000  destination run\n"
            "  shares   16 of 12600 KiB to 13050 KiB, units along loop 0 by 1, loop 4 by 32, loop 3 by 3600");
  EXPECT_EQ(tiles_of(reversed).strip_loop, 4U);
  EXPECT_EQ(tiles_of(reversed).source_loops, 3U);
  const auto joined = [&](const Layout& src, DType type) {
    return tiles_of(of(src, type, options)).source_loops;
  };
  EXPECT_EQ(joined({{90, 90, 90, 90}, {1, 90, 8100, 729000}, 0}, f32), 2U) << "nor whole lines";
  EXPECT_EQ(joined({{15, 15, 15, 15, 15, 15, 15}, {1, 15, 225, 3375, 50625, 759375, 11390625}, 0}, u8), 3U);
  EXPECT_EQ(joined({{48, 28, 28, 28, 48}, {1, 48, 1344, 37632, 1053696}, 0}, f32), 2U) << "192 bytes";
  EXPECT_EQ(joined({{96, 75, 75, 96}, {1, 96, 7200, 540000}, 0}, f32), 1U)
      << "rows of 384 bytes, whole lines";
  EXPECT_EQ(joined({{300, 90, 300}, {1, 300, 27000}, 0}, f32), 1U) << "rows of 1200 bytes";
  EXPECT_EQ(joined({{300, 70000, 30}, {1, 30, 2100000}, 0}, f32), 1U) << "too many columns to list";
  EXPECT_EQ(tiles_of(of({{90, 90, 90, 90}, {1, 90, 8100, 729000}, 0}, f32)).source_loops, 2U)
      << "stores in order";
}

/// Panels with a table of columns are all transposed straight to memory: the last one is as wide as that
/// needs.
TEST(CopyPlan, CutsTablesOfColumnsIntoWidePanels) {
  PlanOptions options;
  options.way = "tiles";
  options.streaming_above = 0;
  options.machine.stores = SequentialStores::streaming;
  options.thread_bytes = 1024;
  int tables = 0;
  for (options.max_threads = 1; options.max_threads <= 40; ++options.max_threads) {
    for (Index rows = 60; rows < 260; rows += 7) {
      const Dims shape{3, rows, 135};
      const Layout dst{shape, {rows * 192 + 32, 192, 1}, 0};
      const Layout src{shape, {rows, 1, 6681}, 0};
      options.placement.dst_in_line = rows % 16 * 4;
      const Tiles tiles = tiles_of(plan_copy(dst, f32, src, f32, options));
      if (!tiles.has_column_table) continue;
      ++tables;
      const Index last = (tiles.columns - 1) % tiles.panel + 1;
      ASSERT_GE(last * 4, 128) << rows << " rows, " << options.max_threads << " threads";
    }
  }
  EXPECT_GE(tables, 500);
}

TEST(CopyPlan, FitsItsTilesToShortRunsWhereSequentialStoresStream) {
  PlanOptions options;
  options.way = "tiles";
  options.machine.stores = SequentialStores::streaming;
  // Columns of two lines without gaps between them, from rows of four lines.
  const Layout columns{{15, 15, 5, 15, 112, 32}, {17920, 4032000, 112, 268800, 1, 560}, 0};
  EXPECT_EQ(tiles_of(of(columns, f32, options)).tile_src, 64);
  // From long rows far apart such columns are tiles as of a wider matrix, otherwise they pass a buffer.
  const auto last = [&](Index channels, Index pixels) {
    return tiles_of(of({{4, pixels, channels}, {channels * pixels, 1, pixels}, 0}, DType::float16, options))
        .tile_src;
  };
  EXPECT_EQ(last(64, 12544), 8192);
  EXPECT_EQ(last(64, 2047), 64) << "rows of less than 4 KiB";
  EXPECT_EQ(last(32, 25088), 128) << "columns of one line";
}

TEST(CopyPlan, DeinterleavesChannelsInPiecesOfFourLines) {
  const auto taken = [](DType type, Index channels) {
    return std::get<Channels>(of({{channels, 1 << 20}, {1, channels}, 0}, type).way).tile_dst;
  };
  EXPECT_EQ(taken(f32, 48), 640);
  EXPECT_EQ(taken(f32, 64), 512);
  EXPECT_EQ(taken(u8, 12), 5376);
}

TEST(CopyPlan, PrintsConversionScaleAndConjugation) {
  const std::array scale{0.1, 0.2, 0.3};
  const std::array shift{0.5};
  PlanOptions options;
  options.scale = scale;
  options.shift = shift;
  options.axis = 0;
  options.max_threads = 2;
  const Layout image{{3, 20, 30}, {1, 90, 3}, 7};
  EXPECT_EQ(plan_copy(row_major(image.shape), f32, image, u8, options).to_string(),
            "copy 1800 elements uint8 -> float32, 1800 B -> 7200 B\n"
            "  way      channels 1280 x 3, times [3] plus 0.5, ordinary stores, one thread\n"
            "  offset   dst 0, src 7\n"
            "  loop 0   3    dst stride 600  src stride 1  source run  scaled\n"
            "  loop 1   600  dst stride 1    src stride 3  destination run");
  options = {};
  options.conjugation = Conjugation::conjugate;
  EXPECT_EQ(of({{1}, {1}, 0}, DType::complex64, options).to_string(),
            "copy 1 element complex64 -> complex64, 8 B -> 8 B\n"
            "  way      rows, conjugated, ordinary stores, one thread\n"
            "  offset   dst 0, src 0\n"
            "  loop 0   1  dst stride 1  src stride 1  destination run");
  EXPECT_EQ(of({{2, 0}, {0, 1}, 0}, f32).to_string(), "copy 0 elements");
}

using detail::AccessKind;

using testing::kind_of;

TEST(CopyPlan, ChoosesTheWayByTheAccess) {
  const auto kind = [](const Layout& src, DType type = f32) {
    return kind_of(row_major(src.shape), src, type);
  };
  EXPECT_EQ(kind({{}, {}, 5}), AccessKind::contiguous);
  EXPECT_EQ(kind({{3, 4, 5}, {20, 5, 1}, 0}), AccessKind::contiguous);
  EXPECT_EQ(kind({{3, 50}, {70, 1}, 0}), AccessKind::rows);
  EXPECT_EQ(kind({{3, 50}, {-70, 1}, 140}), AccessKind::rows);
  EXPECT_EQ(kind({{3, 50}, {1, 0}, 0}), AccessKind::fill);
  EXPECT_EQ(kind({{3, 20}, {1, 0}, 0}), AccessKind::transpose) << "short repetitions of neighbours";
  EXPECT_EQ(kind({{50, 3}, {1, 0}, 0}), AccessKind::interleave) << "each of 50 three times";
  EXPECT_EQ(kind({{3, 50}, {100, 2}, 0}), AccessKind::gather);
  EXPECT_EQ(kind({{50}, {-1}, 49}), AccessKind::gather);
  EXPECT_EQ(kind({{30, 50}, {1, 30}, 0}), AccessKind::transpose);
  EXPECT_EQ(kind({{30, 50}, {-1, 30}, 29}), AccessKind::transpose);
  EXPECT_EQ(kind({{3, 50}, {1, 3}, 0}), AccessKind::deinterleave);
  EXPECT_EQ(kind({{50, 3}, {1, 50}, 0}), AccessKind::interleave);
  EXPECT_EQ(kind({{3, 50}, {1, 3}, 0}, DType::complex128), AccessKind::deinterleave);
  EXPECT_EQ(kind({{16, 50}, {1, 16}, 0}), AccessKind::deinterleave);
  EXPECT_EQ(kind({{50, 16}, {1, 50}, 0}), AccessKind::interleave);
  EXPECT_EQ(kind({{17, 50}, {1, 17}, 0}), AccessKind::transpose) << "more streams than are followed";
  EXPECT_EQ(kind({{50, 17}, {1, 50}, 0}), AccessKind::transpose);
  EXPECT_EQ(kind({{64, 100000}, {1, 64}, 0}), AccessKind::deinterleave) << "from the cache, 16 at a time";
  EXPECT_EQ(kind({{65, 100000}, {1, 65}, 0}), AccessKind::transpose);
  EXPECT_EQ(kind({{100000, 64}, {1, 100000}, 0}), AccessKind::transpose);
  EXPECT_EQ(kind_of({{4, 4}, {8, 2}, 0}, row_major({4, 4}), f32), AccessKind::strided);
}

TEST(CopyPlan, MergesAxesThatAreOneOnBothSides) {
  const PlanOptions not_small{.may_be_small = false};
  // (2,3,4,5).permute(2,3,0,1): two groups of axes are exchanged.
  const CopyPlan made = of({{4, 5, 2, 3}, {5, 1, 60, 20}, 0}, f32);
  ASSERT_EQ(made.nest.size(), 2U);
  EXPECT_EQ(made.nest[0], (Loop{20, 24, 4}));
  EXPECT_EQ(made.nest[1], (Loop{6, 4, 80}));
  // The destination may be the permuted side: the order of its strides decides.
  EXPECT_EQ(plan_copy({{2, 3, 4}, {1, 2, 6}, 0}, f32, {{2, 3, 4}, {1, 2, 6}, 0}, f32, not_small).method(),
            "contiguous");
  // Axes that are reversed on both sides are copied forwards.
  EXPECT_EQ(plan_copy({{9}, {-1}, 8}, f32, {{9}, {-1}, 8}, f32, not_small).method(), "contiguous");
}

TEST(CopyPlan, MovesShortDenseRunsAsItems) {
  const CopyPlan made = of({{64, 64, 2}, {2, 128, 1}, 0}, f32);
  EXPECT_EQ(made.nest.elements, 2);
  EXPECT_EQ(kind_of(row_major({64, 64, 2}), {{64, 64, 2}, {2, 128, 1}, 0}, f32), AccessKind::transpose);
  // 12 bytes are no item.
  EXPECT_EQ(kind_of(row_major({64, 64, 3}), {{64, 64, 3}, {3, 192, 1}, 0}, f32), AccessKind::rows);
}

TEST(CopyPlan, StreamsTilesBySize) {
  const auto transposed = [](Index size, DType type) {
    return of({{size, size}, {1, size}, 0}, type).stores() != Stores::ordinary;
  };
  EXPECT_FALSE(transposed(511, f32));
  EXPECT_TRUE(transposed(512, f32));
  EXPECT_FALSE(transposed(2047, DType::uint8));
  EXPECT_TRUE(transposed(2048, DType::uint8));
  EXPECT_FALSE(of(row_major({2000000}), f32).stores() != Stores::ordinary);  // sequential: ordinary stores
}

TEST(CopyPlan, KeepsSmallTilesInALargeCache) {
  const auto reversed = [](Index first, const PlanOptions& options) {
    return of(permute(row_major({first, 16, 32, 32}), {3, 2, 1, 0}), f32, options).stores() !=
           Stores::ordinary;
  };
  PlanOptions non_temporal;
  non_temporal.machine.stores = SequentialStores::streaming;
  EXPECT_TRUE(reversed(16, {}));
  EXPECT_FALSE(reversed(16, non_temporal));
  EXPECT_TRUE(reversed(24, non_temporal));
}

TEST(CopyPlan, TransposesWithinTheCachesWhereMemoryIsOneStream) {
  PlanOptions options;
  options.machine.l2_bytes = Machine::zen5().l2_bytes;
  const auto streams = [&](const Dims& shape, DType type, MemoryStreams of_machine) {
    options.machine.streams = of_machine;
    return of(transpose(row_major(shape), 0, 1), type, options).stores() != Stores::ordinary;
  };
  constexpr MemoryStreams one = MemoryStreams::one;
  EXPECT_TRUE(streams({1000, 1000}, f32, MemoryStreams::several));
  EXPECT_FALSE(streams({1000, 1000}, f32, one));
  EXPECT_TRUE(streams({1300, 1300}, f32, one));
  EXPECT_TRUE(streams({1024, 1024}, f32, one)) << "rows share sets of the L1 cache";
  EXPECT_TRUE(streams({1000, 1024}, f32, one)) << "rows share sets";
  EXPECT_TRUE(streams({1024, 1000}, f32, one)) << "columns do";
  EXPECT_FALSE(streams({512, 512}, DType::complex128, one)) << "rows share sets of the L1 cache";
  EXPECT_FALSE(streams({2200, 2200}, DType::uint8, one));
  EXPECT_TRUE(streams({2048, 2048}, DType::uint8, one));
  EXPECT_TRUE(streams({2200, 2200}, DType::uint8, MemoryStreams::several));
  EXPECT_FALSE(streams({1000, 1000}, DType::uint8, MemoryStreams::several)) << "smaller copies never stream";
}

TEST(CopyPlan, ThreadsBySize) {
  EXPECT_EQ(of(row_major({1000}), f32).threads, 1);
  PlanOptions options;
  options.max_threads = 0;
  EXPECT_EQ(plan_copy(row_major({2000000}), f32, row_major({2000000}), f32, options).threads, num_threads());
  options.max_threads = 100;
  EXPECT_EQ(of(row_major({131071}), f32, options).threads, 1);
  EXPECT_EQ(of(row_major({131072}), f32, options).threads, 8);
  EXPECT_EQ(of(row_major({200000}), f32, options).threads, 12);
  EXPECT_EQ(of(row_major({2000000}), f32, options).threads, 100);
  options.thread_bytes = 1024;
  EXPECT_EQ(of(row_major({3000}), f32, options).threads, 11);
}

TEST(CopyPlan, DoesNotMergeTheScaledAxisWithInnerLoops) {
  const std::vector<double> scale(6, 2.0);
  PlanOptions options;
  options.scale = scale;
  options.axis = 1;
  const CopyPlan made = of(row_major({4, 6, 8}), f32, options);
  // The four indices of the outer loop repeat the six numbers.
  ASSERT_EQ(made.nest.size(), 2U);
  EXPECT_EQ(made.nest.scaled_loop, 0U);
  EXPECT_EQ(made.nest[0].extent, 24);
  EXPECT_EQ(made.conversion.scale, scale);
  EXPECT_EQ(of(row_major({4, 6, 8}), f32).nest.size(), 1U);
}

TEST(CopyPlan, StreamsSequentialDestinationsWhereTheMachineDoes) {
  constexpr Index size = Index{4} << 20;
  const auto kernel = [](const Layout& dst, const Layout& src, DType to, Index bytes, Index above) {
    PlanOptions options;
    options.machine.stores = SequentialStores::streaming;
    options.streaming_above = above;
    const CopyPlan made = plan_copy(dst, to, src, DType::uint8, options);
    EXPECT_EQ(made.count * static_cast<Index>(item_size(to)), bytes);
    return made.stores() != Stores::ordinary;
  };
  const Layout dense{{size}, {1}, 0};
  const Layout one{{size}, {0}, 0};
  const Layout rows{{1024, size / 1024}, {size / 512, 1}, 0};
  const Layout packed{{1024, size / 1024}, {size / 1024, 1}, 0};
  const Layout pixels{{size / 4, 4}, {1, size / 4}, 0};
  const Layout interleaved{{size / 4, 4}, {4, 1}, 0};
  for (const auto& [dst, src] : {std::pair{dense, dense},
                                 {dense, one},
                                 {packed, rows},
                                 {interleaved, pixels},
                                 {pixels, interleaved}}) {
    EXPECT_TRUE(kernel(dst, src, DType::uint8, size, size));
    EXPECT_FALSE(kernel(dst, src, DType::uint8, size, size + 1));
    EXPECT_TRUE(kernel(dst, src, DType::float32, 4 * size, 4 * size));
  }
}

}  // namespace
}  // namespace tenstride
