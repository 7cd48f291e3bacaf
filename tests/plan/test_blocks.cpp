// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride {
namespace {

PlanOptions blocks_wherever(Index block_bytes) {
  PlanOptions options;
  options.way = "blocks";
  options.streaming_above = 0;
  options.machine.l2_bytes = 8 * block_bytes;
  return options;
}

CopyPlan permuted(const Dims& shape, const Dims& order, DType to, DType from, const PlanOptions& options) {
  const Layout view = permute(row_major(shape), order);
  return plan_copy(row_major(view.shape), to, view, from, options);
}

/// The blocks of a plan that has them.
const Blocks& blocks_of(const CopyPlan& made) {
  return std::get<Blocks>(made.way);
}

/// Compares the result of the blocks, at every offset in a line, with that of the element-by-element loop,
/// and checks that nothing around it is written. `source` elements can be read, and no byte beyond.
void expect_exact(const Layout& view, Index source, DType to, DType from, const PlanOptions& options) {
  constexpr std::size_t guard = 256;
  const Layout dst = row_major(view.shape);
  oracle::Random random(7);
  const auto count = static_cast<std::size_t>(numel(view));
  const oracle::Bytes in = random.bytes(static_cast<std::size_t>(source) * item_size(from));
  const CopyPlan made = plan_copy(dst, to, view, from, options);
  ASSERT_TRUE(std::holds_alternative<Blocks>(made.way)) << made.to_string();
  for (const std::size_t skew : {0U, 1U, 4U, 8U, 16U, 24U, 32U, 40U, 48U, 63U}) {
    oracle::Bytes expected = random.bytes(count * item_size(to) + 2 * guard + skew);
    oracle::Bytes given = expected;
    oracle::copy(dst, to, expected.data() + guard + skew, view, from, in.data(), options);
    run_plan(made, given.data() + guard + skew, in.data());
    EXPECT_TRUE(given == expected) << made.to_string() << '\n' << run_text(made) << "\nskew " << skew;
  }
}

/// By streaming stores between the packing and in bursts, and by ordinary ones.
void expect_exact(const Layout& view, Index source, DType to, DType from, Index block_bytes) {
  PlanOptions options = blocks_wherever(block_bytes);
  expect_exact(view, source, to, from, options);
  PlanOptions in_bursts = options;
  in_bursts.machine.block_stores = BlockStores::burst;
  in_bursts.machine.l2_bytes = 2 * block_bytes;
  expect_exact(view, source, to, from, in_bursts);
  options.streaming_above = Index{1} << 40;
  expect_exact(view, source, to, from, options);
}

void expect_exact(const Dims& shape, const Dims& order, DType to, DType from, Index block_bytes) {
  const Layout view = permute(row_major(shape), order);
  expect_exact(view, numel(view), to, from, block_bytes);
}

TEST(Nest, IsTheNormalFormOfItsExample) {
  const CopyPlan made = permuted({2, 3, 4}, {2, 1, 0}, DType::float32, DType::float32, {});
  ASSERT_EQ(made.nest.size(), 3U);
  EXPECT_EQ(made.nest[0], (Loop{4, 24, 4}));
  EXPECT_EQ(made.nest[1], (Loop{3, 8, 16}));
  EXPECT_EQ(made.nest[2], (Loop{2, 4, 48}));
}

TEST(Blocks, HaveLongRunsOnBothSides) {
  // Reversed, (12, 1747626, 2) has runs of 2 items in the source.
  const CopyPlan made = permuted({12, 1747626, 2}, {2, 1, 0}, DType::float32, DType::float32,
                                 blocks_wherever(Index{256} << 10));
  const Blocks& blocks = blocks_of(made);
  EXPECT_EQ(blocks.packing, Packing::transposed);
  EXPECT_EQ(blocks.extents[0], 2);
  EXPECT_EQ(blocks.extents[2], 12);
  EXPECT_GT(blocks.extents[1], 1000);
  EXPECT_EQ(blocks.continued_loop, 1);  // the next loop on both sides
}

TEST(Blocks, PackRowsThatAreContiguousOnBothSides) {
  const CopyPlan made =
      permuted({100, 200, 50}, {1, 0, 2}, DType::float16, DType::float16, blocks_wherever(Index{64} << 10));
  EXPECT_EQ(blocks_of(made).packing, Packing::rows);
}

TEST(Blocks, GatherItemsAndShortRowsOfManyAxes) {
  const PlanOptions options = blocks_wherever(Index{64} << 10);
  const Dims order{4, 2, 0, 5, 1, 3};
  EXPECT_EQ(blocks_of(permuted({43, 2, 773, 2, 2, 2}, order, DType::int32, DType::uint8, options)).packing,
            Packing::gathered);
  // Rows of ten bytes, of which 16 are moved.
  EXPECT_EQ(blocks_of(permuted({17, 30, 19, 9, 5}, {1, 3, 2, 0, 4}, DType::float16, DType::float16, options))
                .packing,
            Packing::gathered);
  for (const Index block : {Index{256}, Index{4096}, Index{65536}}) {
    expect_exact({43, 2, 73, 2, 2, 2}, order, DType::int32, DType::uint8, block);
    for (const Index row : {3, 5, 6, 7}) {
      expect_exact({7, 10, 9, 4, row}, {1, 3, 2, 0, 4}, DType::uint8, DType::uint8, block);
      expect_exact({7, 10, 9, 4, row}, {1, 3, 2, 0, 4}, DType::float16, DType::float16, block);
      expect_exact({7, 10, 9, 4, row}, {1, 3, 2, 0, 4}, DType::float32, DType::uint8, block);
    }
  }
}

TEST(Blocks, GatherLongLoopsInParts) {
  // Planes to pixels, every other one or backwards: more pieces than a table has, not in equal parts.
  for (const Index planes : {2, 3, 7}) {
    for (const Index columns : {1025, 4099, 6007}) {
      const Layout all = row_major({planes, 3, columns});
      for (const Layout& view :
           {slice(permute(all, {1, 2, 0}), 1, 0, columns, 2), flip_view(permute(all, {1, 2, 0}), {1})}) {
        const CopyPlan made = plan_copy(row_major(view.shape), DType::uint8, view, DType::uint8,
                                        blocks_wherever(Index{256} << 10));
        EXPECT_EQ(blocks_of(made).packing, Packing::gathered);
        for (const Index block : {Index{4096}, Index{262144}}) {
          expect_exact(view, numel(all), DType::uint8, DType::uint8, block);
          expect_exact(view, numel(all), DType::float16, DType::float16, block);
          expect_exact(view, numel(all), DType::float64, DType::int16, block);
        }
      }
    }
  }
}

TEST(Blocks, AreExactWhateverTheItemsAndTheExtents) {
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128}) {
    for (const Index block : {Index{256}, Index{4096}, Index{65536}}) {
      expect_exact({67, 131}, {1, 0}, type, type, block);
      expect_exact({5, 7, 11, 13}, {3, 2, 1, 0}, type, type, block);
      expect_exact({40, 9, 17}, {0, 2, 1}, type, type, block);
      expect_exact({3, 301, 5}, {2, 1, 0}, type, type, block);
      expect_exact({19, 23, 7}, {1, 0, 2}, type, type, block);
    }
  }
}

TEST(Blocks, PermuteRowsWithGapsAndBackwards) {
  const PlanOptions options = blocks_wherever(Index{64} << 10);
  const auto packing_of = [&](const Layout& view) {
    return blocks_of(plan_copy(row_major(view.shape), DType::uint8, view, DType::uint8, options)).packing;
  };
  const Layout pixels = row_major({500, 60, 3});
  EXPECT_EQ(packing_of(flip_view(pixels, {2})), Packing::permuted);
  EXPECT_EQ(packing_of(slice(pixels, 1, 0, 60, 2)), Packing::permuted);  // 3 of 6 bytes
  EXPECT_EQ(packing_of(flip_view(row_major({30000}), {0})), Packing::permuted);
  EXPECT_EQ(packing_of(slice(row_major({90000}), 0, 0, 90000, 3)), Packing::permuted);
  // Columns are transposed together with the gaps between them.
  EXPECT_EQ(packing_of(slice(permute(row_major({500, 300}), {1, 0}), 0, 0, 300, 2)), Packing::transposed);
}

TEST(Blocks, AreExactWithGapsAndBackwards) {
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128}) {
    for (const Index block : {Index{256}, Index{4096}, Index{65536}}) {
      const Layout row = row_major({4001});
      expect_exact(flip_view(row, {0}), 4001, type, type, block);
      expect_exact(slice(row, 0, 0, 4001, 2), 4001, type, type, block);
      expect_exact(flip_view(slice(row, 0, 1, 4000, 3), {0}), 4001, type, type, block);
      const Layout matrix = row_major({67, 131});
      expect_exact(permute(slice(matrix, 1, 0, 131, 2), {1, 0}), 67 * 131, type, type, block);
      expect_exact(permute(flip_view(slice(matrix, 1, 1, 131, 3), {0, 1}), {1, 0}), 67 * 131, type, type,
                   block);
      const Layout pixels = row_major({40, 21, 3});
      expect_exact(flip_view(pixels, {0, 2}), 40 * 21 * 3, type, type, block);
      expect_exact(slice(flip_view(pixels, {2}), 1, 0, 21, 2), 40 * 21 * 3, type, type, block);
      expect_exact(slice(pixels, 2, 0, 2, 1), 40 * 21 * 3, type, type, block);
    }
  }
}

TEST(Blocks, AreExactWhereTheyConvert) {
  const std::vector<std::pair<DType, DType>> pairs{
      {DType::float32, DType::uint8},   {DType::uint8, DType::float32}, {DType::float16, DType::int64},
      {DType::complex128, DType::int8}, {DType::int8, DType::float64},  {DType::bfloat16, DType::float32}};
  for (const auto& [to, from] : pairs) {
    for (const Index block : {Index{512}, Index{16384}}) {
      expect_exact({67, 131}, {1, 0}, to, from, block);
      expect_exact({5, 7, 11, 13}, {3, 2, 1, 0}, to, from, block);
      expect_exact({19, 23, 7}, {1, 0, 2}, to, from, block);
    }
  }
}

TEST(Blocks, AreExactOnThreads) {
  const Layout view = permute(row_major({61, 45, 37}), {2, 1, 0});
  const Layout dst = row_major(view.shape);
  PlanOptions options = blocks_wherever(4096);
  options.max_threads = 3;
  options.thread_bytes = 1024;
  const CopyPlan made = plan_copy(dst, DType::float32, view, DType::float32, options);
  EXPECT_EQ(made.threads, 3);
  oracle::Random random(3);
  const auto bytes = static_cast<std::size_t>(numel(view)) * 4;
  const oracle::Bytes in = random.bytes(bytes);
  oracle::Bytes expected(bytes + 8);
  oracle::Bytes given(bytes + 8);
  oracle::copy(dst, DType::float32, expected.data() + 4, view, DType::float32, in.data(), options);
  run_plan(made, given.data() + 4, in.data());
  EXPECT_TRUE(given == expected);
}

/// Columns of whole lines are streamed from registers where the destination begins with a line; elsewhere the
/// same blocks pass a buffer. The last blocks are shorter, and ranges of threads begin with any block.
TEST(Blocks, WriteWholeLinesDirectly) {
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128}) {
    const auto lanes = 64 / static_cast<Index>(item_size(type));
    for (const Index columns : {lanes / 4, Index{7}, lanes, Index{24}}) {
      if (columns < 2) continue;
      for (const Index rows : {lanes, 2 * lanes}) {
        expect_exact({37, rows, columns}, {0, 2, 1}, type, type, 16384);
        expect_exact({5, 3, rows, columns}, {1, 0, 3, 2}, type, type, 4096);
      }
    }
  }
}

/// Matrices whose columns fill a part of a vector, several of which are transposed side by side; the last
/// part has fewer of them.
TEST(Blocks, TransposeSmallMatricesSideBySide) {
  PlanOptions options = blocks_wherever(Index{64} << 10);
  options.machine.instructions = InstructionSet::avx2;
  options.machine.permuted_bytes = 16;
  int transposed = 0;
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::float64}) {
    for (const Index rows : {2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17}) {
      for (const Index columns : {2, 3, 7, 16, 18, 33}) {
        const Layout batch = permute(row_major({141, rows, columns}), {0, 2, 1});
        expect_exact(batch, numel(batch), type, type, options);
        const CopyPlan made = plan_copy(row_major(batch.shape), type, batch, type, options);
        transposed += blocks_of(made).packing == Packing::transposed ? 1 : 0;
      }
      const Layout wide = row_major({141, rows, 30});
      for (const Layout& view : {slice(wide, 2, 0, 30, 2), flip_view(wide, {1}), flip_view(wide, {2}),
                                 slice(flip_view(wide, {0}), 2, 3, 11, 1)})
        expect_exact(permute(view, {0, 2, 1}), numel(wide), type, type, options);
      expect_exact(permute(wide, {0, 2, 1}), numel(wide), DType::float32, type, options);
    }
  }
  EXPECT_GE(transposed, 100);
}

/// The last block has so few rows that they are permuted within one vector, from windows in two halves.
TEST(Blocks, PermuteAFewLastItems) {
  PlanOptions options = blocks_wherever(128);
  options.machine.instructions = InstructionSet::avx2;
  for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::complex64}) {
    for (const Index step : {2, 3, 4, 5, 7}) {
      for (Index count = 33; count < 64; ++count) {
        const Layout steps{{count}, {step}, 0};
        const Layout pairs{{count, 2}, {-3 * step, -step}, 3 * step * (count - 1) + step};
        for (const Index permuted : {16, 64}) {
          options.machine.permuted_bytes = permuted;
          expect_exact(steps, step * (count - 1) + 1, type, type, options);
          expect_exact(pairs, pairs.offset + 1, type, type, options);
        }
      }
    }
  }
}

TEST(Blocks, AreTakenWhereTheyCostLess) {
  const CopyPlan narrow = permuted({33, 300001}, {1, 0}, DType::complex128, DType::complex128, {});
  EXPECT_EQ(narrow.method(), "blocks");
  EXPECT_EQ(blocks_of(narrow).packing, Packing::transposed);
  const std::string text = narrow.to_string();
  EXPECT_NE(text.find("\n  costs    blocks, transposed "), std::string::npos) << text;
  EXPECT_NE(text.find(", tiles "), std::string::npos) << text;
  // Blocks are not searched where another candidate costs little more than a plain copy.
  EXPECT_EQ(permuted({4096, 4096}, {1, 0}, DType::float32, DType::float32, {}).to_string().find("costs"),
            std::string::npos);
}

}  // namespace
}  // namespace tenstride
