// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/coalesce.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/copy_oracle.hpp"

namespace tenstride {
namespace {

static_assert(coalesce(Layout{{2, 3, 4}, {12, 4, 1}, 0}) == Layout{{24}, {1}, 0});
static_assert(coalesce(Layout{{2, 3}, {1, 2}, 0}) == Layout{{2, 3}, {1, 2}, 0});
static_assert(coalesce(Layout{{}, {}, 7}) == Layout{{}, {}, 7});
static_assert(coalesce(Layout{{1, 5, 1}, {9, 2, 77}, 3}) == Layout{{5}, {2}, 3});
static_assert(coalesce(Layout{{2, 0, 3}, {9, 2, 1}, 3}) == Layout{{0}, {1}, 3});
static_assert(coalesce(Layout{{4, 5}, {0, 0}, 0}) == Layout{{20}, {0}, 0});
static_assert(coalesce(Layout{{4, 5}, {-5, -1}, 19}) == Layout{{20}, {-1}, 19});
static_assert(coalesce(Layout{{2, 3, 4}, {20, 4, 1}, 0}) == Layout{{2, 12}, {20, 1}, 0});

std::vector<Index> positions(const Layout& layout) {
  std::vector<Index> result;
  const Index count = numel(layout);
  for (Index n = 0; n < count; ++n) {
    Index rest = n;
    Index at = layout.offset;
    for (std::size_t d = layout.rank(); d-- > 0;) {
      at += rest % layout.shape[d] * layout.strides[d];
      rest /= layout.shape[d];
    }
    result.push_back(at);
  }
  return result;
}

TEST(Coalesce, KeepsTheFunctionAndLeavesNothingToMerge) {
  oracle::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(0, 6)), 200);
    const Layout layout = oracle::random_layout(random, shape, true).layout;
    const Layout merged = coalesce(layout);
    ASSERT_EQ(positions(merged), positions(layout));
    ASSERT_EQ(coalesce(merged), merged);
    for (const Index extent : merged.shape) ASSERT_NE(extent, 1);
  }
}

TEST(Coalesce, MergesWhatIsOneAxisInAllLayouts) {
  const auto merged =
      coalesce(std::array<Layout, 2>{Layout{{2, 3, 4}, {12, 4, 1}, 0}, Layout{{2, 3, 4}, {24, 4, 1}, 0}});
  EXPECT_EQ(merged[0], (Layout{{2, 12}, {12, 1}, 0}));
  EXPECT_EQ(merged[1], (Layout{{2, 12}, {24, 1}, 0}));
  oracle::Random random(2);
  for (int round = 0; round < 2000; ++round) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(0, 5)), 200);
    const std::array<Layout, 3> layouts{oracle::random_layout(random, shape, true).layout, row_major(shape),
                                        oracle::random_layout(random, shape, false).layout};
    const auto joint = coalesce(layouts);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_EQ(joint[k].shape, joint[0].shape);
      ASSERT_EQ(positions(joint[k]), positions(layouts[k]));
    }
  }
}

TEST(Coalesce, DoesNotMergeWhereAProductOverflows) {
  const Layout layout{{1, 3, 3}, {0, -2, Index{1} << 63U >> 1U}, 0};
  EXPECT_EQ(coalesce(layout).rank(), 2U);
}

}  // namespace
}  // namespace tenstride
