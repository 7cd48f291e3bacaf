// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "support/copy_oracle.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using oracle::Bytes;
using oracle::Random;

constexpr Index guard = 256;

/// Runs and compares every byte of the destination's storage and of the guards around it.
void expect_as_oracle(Random& random, const Layout& dst, DType dst_type, Index dst_storage, const Layout& src,
                      DType src_type, Index src_storage, const PlanOptions& options = {}) {
  const auto skew = random.one_in(2) ? random.between(0, 70) : 0;  // storages need no alignment
  const auto in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(src_type, src_storage) + skew));
  Bytes expected =
      random.bytes(static_cast<std::size_t>(oracle::bytes_of(dst_type, dst_storage) + 2 * guard + skew));
  Bytes given = expected;
  oracle::copy(dst, dst_type, expected.data() + guard + skew, src, src_type, in.data() + skew, options);
  const CopyPlan made = plan_copy(dst, dst_type, src, src_type, options);
  run_plan(made, given.data() + guard + skew, in.data() + skew);
  if (given == expected) return;
  const auto [at, wanted] = std::mismatch(given.begin(), given.end(), expected.begin());
  FAIL() << "byte " << at - given.begin() - guard - skew << " of " << dst_storage << " elements differs\n"
         << made.to_string();
}

/// Plans that stream and thread even small copies, so that the tests reach those paths.
PlanOptions random_options(Random& random) {
  PlanOptions options;
  if (random.one_in(2)) options.streaming_above = 0;
  if (random.one_in(2)) options.machine.stores = SequentialStores::streaming;
  options.may_be_small = random.one_in(4);
  return options;
}

TEST(RunPlan, CopiesRandomLayoutsOfEveryItemSize) {
  Random random(1);
  constexpr std::array types{DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex128};
  for (int round = 0; round < 6000; ++round) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(0, 8)),
                                            random.one_in(10) ? 20000 : 600);
    const auto dst = oracle::random_layout(random, shape, false);
    const auto src = oracle::random_layout(random, shape, true);
    const DType type = types[static_cast<std::size_t>(random.between(0, 4))];
    expect_as_oracle(random, dst.layout, type, dst.storage, src.layout, type, src.storage,
                     random_options(random));
    if (HasFatalFailure()) return;
  }
}

TEST(RunPlan, TransposesEverySmallMatrixAtEveryItemSize) {
  Random random(2);
  constexpr std::array types{DType::bool_, DType::float16, DType::int32, DType::complex64, DType::complex128};
  for (const DType type : types) {
    for (const Index rows : {2, 3, 4, 5, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 130, 200}) {
      for (const Index columns : {2, 3, 4, 5, 8, 13, 16, 31, 32, 33, 48, 64, 65, 127, 129, 192, 257}) {
        const Layout dst = row_major({rows, columns});
        const Layout src{{rows, columns}, {1, rows}, 0};
        for (const Index above : {Index{0}, Index{1} << 30}) {
          PlanOptions options;
          options.may_be_small = false;
          options.streaming_above = above;
          options.machine.stores = SequentialStores::streaming;
          expect_as_oracle(random, dst, type, rows * columns, src, type, rows * columns, options);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(RunPlan, CopiesLargeTransposesOnThreads) {
  Random random(3);
  const int before = num_threads();
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::complex64}) {
      for (const Dims& shape :
           {Dims{1025, 599}, Dims{3, 300001}, Dims{300001, 3}, Dims{16, 32768}, Dims{30000, 17}}) {
        Layout src = column_major(shape);
        expect_as_oracle(random, row_major(shape), type, numel(src), src, type, numel(src),
                         random_options(random));
        if (HasFatalFailure()) return;
      }
      const Dims runs{4000, 301};
      expect_as_oracle(random, row_major(runs), type, 4000 * 301, Layout{runs, {303, 1}, 1}, type, 4000 * 303,
                       random_options(random));
      const Dims steps{2, 600000};
      expect_as_oracle(random, row_major(steps), type, 1200000, Layout{steps, {1200000, 2}, 0}, type, 2400000,
                       random_options(random));
      expect_as_oracle(random, row_major(steps), type, 1200000, Layout{steps, {1, 0}, 0}, type, 2,
                       random_options(random));
      if (HasFatalFailure()) return;
    }
  }
  set_num_threads(before);
}

/// Strips of long rows that share partial lines and are begun and ended by threads within lines; bytes
/// between the rows are preserved.
TEST(RunPlan, TransposesLongRowsOnThreads) {
  PlanOptions options;
  options.machine.stores = SequentialStores::streaming;
  const Dims shape{4099, 4097};
  const Layout to{shape, {4103, 1}, 5};
  const Layout from{shape, {1, 4101}, 3};
  std::vector<std::uint8_t> src(std::size_t{4101} * 4099);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::uint8_t>(i * 37 + i / 4096);
  for (const int threads : {1, 2, 5}) {
    options.max_threads = threads;
    std::vector<std::uint8_t> dst(std::size_t{4103} * 4100, 7);
    run_plan(plan_copy(to, DType::uint8, from, DType::uint8, options), dst.data(), src.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < dst.size(); ++i) {
      const std::size_t row = (i - 5) / 4103;
      const std::size_t column = (i - 5) % 4103;
      const bool is_copied = i >= 5 && row < 4099 && column < 4097;
      wrong += dst[i] != (is_copied ? src[3 + column * 4101 + row] : 7) ? 1U : 0U;
    }
    EXPECT_EQ(wrong, 0U) << threads;
  }
}

/// Runs without a dense destination are cut for the threads as well.
TEST(RunPlan, CutsLongRunsWithAStride) {
  Random random(7);
  const int before = num_threads();
  set_num_threads(3);
  constexpr Index count = 200'000;
  for (const Index src_stride : {0, 1, 3}) {
    expect_as_oracle(random, {{count}, {2}, 1}, DType::float32, 2 * count + 1, {{count}, {src_stride}, 0},
                     DType::float32, 3 * count);
    expect_as_oracle(random, {{count}, {3}, 0}, DType::float32, 3 * count, {{count}, {src_stride}, 0},
                     DType::int16, 3 * count);
  }
  set_num_threads(before);
}

TEST(RunPlan, CopiesTheSameInEveryOrderOfItsLoops) {
  Random random(8);
  const Dims shape{48, 3, 5, 64};
  const Layout src{shape, {1, 48, 144, 720}, 0};
  PlanOptions options;
  options.streaming_above = 0;
  for (const DType type : {DType::int16, DType::float32, DType::complex64, DType::complex128}) {
    const auto in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(type, numel(src))));
    for (const std::size_t skew : {std::size_t{0}, std::size_t{16}, std::size_t{20}}) {
      Bytes expected = random.bytes(in.size() + 192);
      const Bytes before = expected;
      oracle::copy(row_major(shape), type, expected.data() + 64 + skew, src, type, in.data(), {});
      std::vector<std::byte> space(expected.size() + 64);
      std::byte* const out = space.data() + (64 - reinterpret_cast<std::uintptr_t>(space.data()) % 64) % 64;
      const CopyPlan made = plan_copy(row_major(shape), type, src, type, options);
      ASSERT_EQ(made.method(), "tiles");
      const Tiles& tiles = std::get<Tiles>(made.way);
      ASSERT_EQ(tiles.strip_loop, 3U);
      const Index items = 64 / static_cast<Index>(item_size(type));
      std::array<std::size_t, 3> order{0, 1, 2};
      do {
        CopyPlan changed = made;
        Tiles& given = std::get<Tiles>(changed.way);
        given.dst_in_line = Tiles::not_placed;
        for (std::size_t d = 0; d < 3; ++d) {
          given.nest.loops[d] = tiles.nest[order[d]];
          if (order[d] == tiles.source_loop) given.source_loop = d;
        }
        for (given.strip_depth = 0; given.strip_depth <= 3; ++given.strip_depth) {
          for (const Index rows : {items, tiles.tile_dst}) {
            given.tile_dst = rows;
            std::memcpy(out, before.data(), before.size());
            run_plan(changed, out + 64 + skew, in.data());
            ASSERT_EQ(std::memcmp(out, expected.data(), expected.size()), 0)
                << changed.to_string() << "\nstrips around loop " << given.strip_depth;
          }
        }
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
}

/// Rows of the source lie some pages apart, those of the destination are whole lines or not, in strips of one
/// line and of two. A strip that begins within a line keeps the end of each row for the next one.
TEST(RunPlan, TransposesMatricesByStripsOfOneLineAndOfTwo) {
  Random random(9);
  PlanOptions options;
  options.way = "tiles";
  options.streaming_above = 0;
  for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::complex64, DType::complex128}) {
    const auto item = static_cast<Index>(item_size(type));
    for (const Index extra : {0, 1, 3}) {
      const Index rows = 320 / item + extra;  // of the source
      const Index columns = 2304 / item + extra;
      const Layout src{{columns, rows}, {1, columns}, 0};
      const auto in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(type, numel(src))));
      for (const Index skew : {Index{0}, item, 64 - item}) {
        Bytes expected = random.bytes(in.size() + 192);
        const Bytes before = expected;
        oracle::copy(row_major(src.shape), type, expected.data() + 64 + skew, src, type, in.data(), {});
        std::vector<std::byte> space(expected.size() + 64);
        std::byte* const out = space.data() + (64 - reinterpret_cast<std::uintptr_t>(space.data()) % 64) % 64;
        CopyPlan given = plan_copy(row_major(src.shape), type, src, type, options);
        ASSERT_EQ(given.method(), "tiles");
        Tiles& tiles = std::get<Tiles>(given.way);
        for (const Index bytes : {64, 128}) {
          tiles.tile_dst = bytes / item;
          tiles.dst_in_line = Tiles::not_placed;
          std::memcpy(out, before.data(), before.size());
          run_plan(given, out + 64 + skew, in.data());
          ASSERT_EQ(std::memcmp(out, expected.data(), expected.size()), 0)
              << given.to_string() << "\n"
              << skew << " bytes behind a line's start";
        }
      }
    }
  }
}

TEST(RunPlan, CopiesRank64) {
  Random random(4);
  Dims shape = Dims::filled(64, 1);
  for (const std::size_t d : {0U, 7U, 13U, 20U, 31U, 40U, 41U, 50U, 55U, 60U, 63U}) shape[d] = 2;
  for (int round = 0; round < 50; ++round) {
    const auto dst = oracle::random_layout(random, shape, false);
    const auto src = oracle::random_layout(random, shape, true);
    expect_as_oracle(random, dst.layout, DType::int32, dst.storage, src.layout, DType::int32, src.storage,
                     random_options(random));
    if (HasFatalFailure()) return;
  }
}

TEST(RunPlan, ConvertsRandomLayoutsOfEveryPair) {
  Random random(5);
  for (std::size_t to = 0; to < dtype_count; ++to) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
      for (int round = 0; round < 12; ++round) {
        const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(1, 4)), 900);
        const auto dst = oracle::random_layout(random, shape, false);
        const auto src = oracle::random_layout(random, shape, true);
        PlanOptions options = random_options(random);
        if (random.one_in(4)) options.conjugation = Conjugation::conjugate;
        expect_as_oracle(random, dst.layout, static_cast<DType>(to), dst.storage, src.layout,
                         static_cast<DType>(from), src.storage, options);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(RunPlan, ScalesAndShiftsByOneNumberOrAlongAnAxis) {
  Random random(6);
  for (int round = 0; round < 6000; ++round) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(1, 4)), 900);
    const auto dst = oracle::random_layout(random, shape, false);
    const auto src = oracle::random_layout(random, shape, true);
    PlanOptions options = random_options(random);
    options.axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(shape.size()) - 1));
    const auto extent = static_cast<std::size_t>(shape[options.axis]);
    std::vector<double> scale(random.one_in(3) ? 1 : extent);
    std::vector<double> shift(random.one_in(3) ? 1 : random.one_in(3) ? 0 : extent);
    for (double& number : scale) number = static_cast<double>(random.between(1, 999)) / 255;
    for (double& number : shift) number = static_cast<double>(random.between(-999, 999)) / 7;
    options.scale = scale;
    options.shift = shift;
    const auto to = static_cast<DType>(random.between(0, dtype_count - 1));
    const auto from = static_cast<DType>(random.between(0, dtype_count - 1));
    expect_as_oracle(random, dst.layout, to, dst.storage, src.layout, from, src.storage, options);
    if (HasFatalFailure()) return;
  }
}

TEST(Threads, AreSetForTheProcess) {
  const int before = num_threads();
  set_num_threads(3);
  EXPECT_TRUE(num_threads() == 3 || num_threads() == 1);  // 1: a build without oneTBB
  set_num_threads(before);
  try {
    set_num_threads(0);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "set_num_threads: count (0) must be at least 1");
  }
}

/// The text of a copy to a dense destination.
std::string text_of(const Dims& shape, const std::vector<std::size_t>& order, DType type = DType::float32) {
  const Layout dense = row_major(shape);
  Layout src;
  for (const std::size_t axis : order) {
    src.shape.push_back(dense.shape[axis]);
    src.strides.push_back(dense.strides[axis]);
  }
  return run_text(plan_copy(row_major(src.shape), type, src, type));
}

TEST(RunText, NamesTheBlocksOfShortRuns) {
  const Layout view = permute(row_major({100000, 64, 6}), {1, 0, 2});
  const std::string text = run_text(plan_copy(row_major(view.shape), DType::float32, view, DType::float32));
  EXPECT_TRUE(text.starts_with("in blocks of ")) << text;
  EXPECT_TRUE(text.ends_with(", gathered")) << text;
}

TEST(RunText, NamesCopiesWithinTheCaches) {
  EXPECT_EQ(text_of({64, 64}, {1, 0}), "tiles transposed in registers");
  EXPECT_EQ(text_of({300, 300}, {1, 0}), "tiles transposed in registers, within the caches");
}

TEST(RunText, NamesRowsThatArePackedOnce) {
  PlanOptions options;
  options.streaming_above = 0;
  const Layout enlarged{{300, 5, 300}, {600, 0, 2}, 0};
  const CopyPlan made =
      plan_copy(row_major({300, 5, 300}), DType::float32, enlarged, DType::float32, options);
  EXPECT_EQ(run_text(made), "rows of 300 elements, each packed once in a cache and written 5 times")
      << made.to_string();
}

TEST(RunText, NamesRowsInTheSourcesOrder) {
  PlanOptions options;
  options.machine.stores = SequentialStores::streaming;
  const Layout permuted{{64, 2307, 75}, {75, 64 * 75, 1}, 0};
  const auto text = [&](MemoryStreams streams) {
    options.machine.streams = streams;
    return run_text(plan_copy(row_major({64, 2307, 75}), DType::float32, permuted, DType::float32, options));
  };
  EXPECT_EQ(text(MemoryStreams::one),
            "rows of 300 bytes read in the source's order and scattered by streaming stores, "
            "partial lines joined in a buffer");
  EXPECT_EQ(text(MemoryStreams::several), "rows collected in the L1 cache and streamed");
}

TEST(RunText, NamesMethods) {
  EXPECT_EQ(text_of({4096, 4096}, {1, 0}), "transposed, long rows transposed straight to memory");
  EXPECT_EQ(text_of({1 << 22}, {0}), "one run");
  EXPECT_EQ(text_of({0, 3}, {1, 0}), "");
}

TEST(RunText, IsThereForLayoutsThatNoMemoryHolds) {
  EXPECT_NE(text_of({Index{1} << 40, 17, 3}, {0, 2, 1}), "");
  EXPECT_NE(text_of({Index{1} << 40, 64, 6}, {1, 0, 2}), "");
}

TEST(ParallelFor, CoversTheRangeOnce) {
  std::vector<int> seen(1000, 0);
  parallel_for(0, 1000, 7, [&](Index from, Index to) {
    for (Index i = from; i < to; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
  parallel_for(5, 5, 1, [](Index, Index) { FAIL() << "an empty range"; });
}

}  // namespace
}  // namespace tenstride
