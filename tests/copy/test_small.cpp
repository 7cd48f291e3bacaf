// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "copy/ways/small.hpp"
#include "plan/ways/small.hpp"
#include "support/allocation_count.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/views_slices.hpp"
#include "tenstride/parallel/parallel.hpp"

// Compares copies without a plan, and tiles without a worker, with the slow loop.
namespace tenstride {
namespace {

using oracle::Bytes;
using oracle::Placed;
using oracle::Random;

std::size_t size_of(const Placed& placed, DType type) {
  return static_cast<std::size_t>(placed.storage) * item_size(type);
}

DType dtype_at(std::size_t i) {
  return static_cast<DType>(i);
}

/// Bits that are a value of every type (a bool is 0 or 1).
Bytes values(Random& random, std::size_t nbytes, DType type) {
  Bytes bytes = random.bytes(nbytes);
  if (type == DType::bool_) {
    for (std::byte& byte : bytes) byte &= std::byte{1};
  }
  return bytes;
}

/// Makes a small copy. Returns false, with nothing written, where the copy is not small.
bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base) {
  detail::SmallCopy small;
  if (!small.find(dst, dst_type, src, src_type)) return false;
  copy::copy_small(small.way, small.nest, dst_type, dst_base, src_type, src_base);
  return true;
}

/// Compares the result of copy_small for one pair of layouts, with the bytes between the elements.
void expect_small_is_slow(Random& random, const Placed& dst, DType dst_type, const Placed& src,
                          DType src_type) {
  const Bytes from = values(random, size_of(src, src_type), src_type);
  Bytes expected = values(random, size_of(dst, dst_type), dst_type);
  Bytes written = expected;
  oracle::copy(dst.layout, dst_type, expected.data(), src.layout, src_type, from.data());
  ASSERT_TRUE(copy_small(dst.layout, dst_type, written.data(), src.layout, src_type, from.data()) ||
              is_empty(dst.layout));
  ASSERT_EQ(written, expected) << name(src_type) << " to " << name(dst_type) << " " << dst.layout.rank();
}

TEST(CopySmall, IsTheSlowLoopForEveryPairOfTypes) {
  Random random(1);
  for (std::size_t to = 0; to < dtype_count; ++to) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
      for (std::size_t rank = 0; rank <= 5; ++rank) {
        const Dims shape = oracle::random_shape(random, rank, 200);
        expect_small_is_slow(random, oracle::random_layout(random, shape, false), dtype_at(to),
                             oracle::random_layout(random, shape, true), dtype_at(from));
      }
    }
  }
}

TEST(CopySmall, IsTheSlowLoopForEverySmallShape) {
  Random random(2);
  for (Index a = 0; a <= 4; ++a) {
    for (Index b = 0; b <= 4; ++b) {
      for (Index c = 0; c <= 5; ++c) {
        for (const DType type :
             {DType::uint8, DType::float16, DType::float32, DType::int64, DType::complex128}) {
          const Dims shape{a, b, c};
          expect_small_is_slow(random, oracle::random_layout(random, shape, false), type,
                               oracle::random_layout(random, shape, true), type);
        }
      }
    }
  }
}

/// Permutations of more elements than a plain loop takes, dense or with gaps on both sides.
TEST(CopySmall, IsTheSlowLoopForPermutations) {
  Random random(5);
  for (const Dims& shape : {Dims{8, 8, 8, 2}, Dims{7, 5, 11, 3}, Dims{9, 9, 9, 1}, Dims{2, 3, 40, 16},
                            Dims{64, 2, 5, 2}, Dims{3, 2, 2, 90}, Dims{1, 1, 600, 9}, Dims{33, 3, 1, 17}}) {
    for (const Dims& order : {Dims{3, 2, 1, 0}, Dims{0, 2, 1, 3}, Dims{0, 3, 1, 2}, Dims{2, 0, 3, 1}}) {
      for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::int64, DType::complex128}) {
        for (const Index gap : {0, 1}) {
          const auto spread = [&](const Dims& sizes) {
            Dims wide = sizes;
            for (std::size_t d = 0; d < wide.size(); ++d) wide[d] += gap;
            Layout layout = row_major(wide);
            layout.shape = sizes;
            return layout;
          };
          const Layout src = permute(spread(shape), order);
          const Layout dst = spread(src.shape);
          const Bytes from =
              random.bytes(static_cast<std::size_t>((reach(src)->highest + 1)) * item_size(type));
          Bytes expected =
              random.bytes(static_cast<std::size_t>((reach(dst)->highest + 1)) * item_size(type));
          Bytes written = expected;
          oracle::copy(dst, type, expected.data(), src, type, from.data());
          if (!copy_small(dst, type, written.data(), src, type, from.data())) {
            ASSERT_NE(written, expected);
            run_plan(plan_copy(dst, type, src, type), written.data(), from.data());
          }
          ASSERT_EQ(written, expected) << name(type) << " " << plan_copy(dst, type, src, type).to_string();
        }
      }
    }
  }
}

TEST(CopySmall, LeavesWhatIsLargeToAPlan) {
  std::byte byte{};
  const auto tries = [&byte](const Dims& shape) {
    const Layout layout{shape, Dims::filled(shape.size(), 0), 0};
    return copy_small(layout, DType::uint8, &byte, layout, DType::uint8, &byte);
  };
  EXPECT_FALSE(tries({513}));
  EXPECT_FALSE(tries({32, 17}));
  EXPECT_FALSE(tries({INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(tries({1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(tries({0, 7}));
}

/// A transpose of `rows` x `columns` with `gap` elements between the rows of the destination.
void expect_transposed(Random& random, DType type, Index rows, Index columns, Index gap) {
  const Dims shape{columns, rows};
  const Layout src{shape, {1, columns}, 0};
  const Layout dst{shape, {rows + gap, 1}, 3};
  const std::size_t item = item_size(type);
  const Bytes from = random.bytes(static_cast<std::size_t>(rows * columns) * item);
  Bytes expected = random.bytes(static_cast<std::size_t>((rows + gap) * columns + 6) * item);
  Bytes written = expected;
  oracle::copy(dst, type, expected.data(), src, type, from.data());
  PlanOptions options;
  options.may_be_small = false;
  const CopyPlan small = plan_copy(dst, type, src, type, options);
  if (small.costs.ways[CopyWay(Tiles{}).index()] != 0) {
    ASSERT_EQ(small.method(), "cached tiles");
  }
  run_plan(small, written.data(), from.data());
  ASSERT_EQ(written, expected) << small.to_string();
}

TEST(CachedTiles, TransposesEveryTailAndWritesNothingElse) {
  Random random(3);
  for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex128}) {
    for (Index rows = 2; rows <= 70; rows += rows < 20 ? 1 : 7) {
      for (Index columns = 5; columns <= 70; columns += columns < 18 ? 1 : 9) {
        expect_transposed(random, type, rows, columns, rows % 3);
      }
    }
    expect_transposed(random, type, 64, 64, 0);
    expect_transposed(random, type, 130, 65, 1);
  }
}

TEST(CachedTiles, TransposesUnderOuterLoops) {
  Random random(4);
  for (const Dims& order : {Dims{0, 2, 1}, Dims{2, 0, 1}, Dims{1, 2, 0}}) {
    const Layout src = permute(row_major({5, 33, 29}), order);
    const Layout dst = row_major(src.shape);
    const Bytes from = random.bytes(5 * 33 * 29 * 4);
    Bytes expected(from.size());
    Bytes written(from.size());
    oracle::copy(dst, DType::float32, expected.data(), src, DType::float32, from.data());
    run_plan(plan_copy(dst, DType::float32, src, DType::float32), written.data(), from.data());
    EXPECT_EQ(written, expected);
  }
}

TEST(CachedTiles, TransposesPixels) {
  Random random(7);
  for (const Index channels : {3, 5, 6, 7}) {
    for (Index rows = 3; rows < 40; rows += 4) {
      for (Index columns = 3; columns < 40; columns += 3) {
        Layout src = permute(row_major({2, rows, columns, channels}), {0, 2, 1, 3});
        if (rows % 8 == 3) src = flip_view(src, {1});
        const Layout dst = row_major(src.shape);
        const Bytes from = random.bytes(static_cast<std::size_t>(numel(src)));
        Bytes expected(from.size());
        Bytes written(from.size());
        oracle::copy(dst, DType::uint8, expected.data(), src, DType::uint8, from.data());
        run_plan(plan_copy(dst, DType::uint8, src, DType::uint8), written.data(), from.data());
        ASSERT_EQ(written, expected) << plan_copy(dst, DType::uint8, src, DType::uint8).to_string();
      }
    }
  }
}

/// Copies that are longer than a table, and copies on several threads.
TEST(CachedTiles, TransposesInParts) {
  Random random(6);
  for (const Dims& shape : {Dims{1100, 700}, Dims{3, 1030, 250}, Dims{40, 5, 3600}, Dims{90, 80, 70, 2}}) {
    for (const DType type : {DType::uint8, DType::int16}) {
      for (const int threads : {1, 3}) {
        const ThreadScope scope(threads);
        Dims order;
        for (std::size_t d = shape.size(); d-- > 0;) order.push_back(static_cast<Index>(d));
        const Layout src = permute(row_major(shape), order);
        const Layout dst = row_major(src.shape);
        const Bytes from = random.bytes(static_cast<std::size_t>(numel(src)) * item_size(type));
        Bytes expected(from.size());
        Bytes written(from.size());
        oracle::copy(dst, type, expected.data(), src, type, from.data());
        run_plan(plan_copy(dst, type, src, type), written.data(), from.data());
        ASSERT_EQ(written, expected) << plan_copy(dst, type, src, type).to_string();
      }
    }
  }
}

TEST(CopySmall, TakesNothingFromTheHeap) {
  const Tensor x = arange(24).view({2, 3, 4});
  const Tensor square = zeros({64, 64});
  EXPECT_EQ(testing::allocations_in([&] { return x.permute({2, 0, 1}).contiguous(); }), 0U);
  EXPECT_EQ(testing::allocations_in([&] { return x.to(DType::float16); }), 0U);
  EXPECT_EQ(testing::allocations_in([&] { return x.permute({2, 0, 1}).reshape({24}); }), 0U);
  EXPECT_EQ(testing::allocations_in([&] { return zeros({2, 3}); }), 0U);
  EXPECT_EQ(testing::allocations_in([&] { return square.t().contiguous(); }), 0U);
}

TEST(CopySmall, AppliesAPendingConjugation) {
  const Tensor x = full({2, 3}, std::complex<double>(1, 2)).conj();
  EXPECT_EQ(x.t().contiguous().to_vector<std::complex<double>>(),
            std::vector<std::complex<double>>(6, std::complex<double>(1, -2)));
}

}  // namespace
}  // namespace tenstride
