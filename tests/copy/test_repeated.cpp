// SPDX-License-Identifier: Apache-2.0
// Fills and copies of repeated sources, compared with the copy element by element; bytes around them are
// preserved.
#include <gtest/gtest.h>

#include "support/access.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using oracle::Bytes;

constexpr std::array item_types{DType::uint8, DType::float16, DType::float32, DType::float64,
                                DType::complex128};

Bytes numbered_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 + i / 251);
  return bytes;
}

/// Compares whole buffers of `elements` items that begin `shift` bytes behind an even address.
void expect_copied(const Layout& dst, Index elements, const Layout& src, DType type, std::size_t shift) {
  const std::size_t item = item_size(type);
  const Bytes source = numbered_bytes(static_cast<std::size_t>(numel(src) + src.offset + 64) * item);
  const Bytes before(static_cast<std::size_t>(elements) * item + shift, std::byte{0xA5});
  Bytes expected = before;
  oracle::copy(dst, type, expected.data() + shift, src, type, source.data());
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    Bytes given = before;
    run_plan(plan_copy(dst, type, src, type), given.data() + shift, source.data());
    ASSERT_EQ(given, expected) << to_string(dst) << " from " << to_string(src) << ", " << name(type)
                               << ", shift " << shift;
  }
}

TEST(Repeated, FillsDenseRunsOfEveryLengthAtEveryAddress) {
  for (const DType type : item_types) {
    const auto item = static_cast<Index>(item_size(type));
    for (Index bytes = 128; bytes < 400; bytes += item) {
      const Index count = bytes / item;
      for (const std::size_t shift : {0U, 1U, 8U, 16U, 31U}) {
        expect_copied({{count}, {1}, 3}, count + 6, {{count}, {0}, 2}, type, shift);
      }
    }
  }
}

TEST(Repeated, FillsRowsOfDifferentElements) {
  for (const DType type : item_types) {
    expect_copied({{7, 130}, {133, 1}, 1}, 7 * 133 + 1, {{7, 130}, {2, 0}, 0}, type, 0);
    expect_copied({{3, 5, 260}, {2000, 300, 1}, 0}, 6000, {{3, 5, 260}, {1, 3, 0}, 0}, type, 0);
    expect_copied({{700, 300}, {300, 1}, 0}, 210000, {{700, 300}, {1, 0}, 0}, type, 0);
    expect_copied({{700, 300}, {1, 700}, 5}, 210009, {{700, 300}, {0, 1}, 0}, type, 0);
  }
}

TEST(Repeated, FillsElementsWithGaps) {
  for (const DType type : item_types) {
    expect_copied({{150}, {2}, 0}, 300, {{150}, {0}, 1}, type, 0);
    expect_copied({{600, 256}, {512, 2}, 1}, 600 * 512, {{600, 256}, {0, 0}, 0}, type, 0);
    expect_copied({{9, 256}, {1000, 3}, 0}, 9000, {{9, 256}, {1, 0}, 0}, type, 0);
    expect_copied({{300}, {-1}, 299}, 300, {{300}, {0}, 0}, type, 0);
    expect_copied({{300}, {-2}, 598}, 600, {{300}, {0}, 0}, type, 0);
  }
}

TEST(Repeated, WritesRepeatedRows) {
  for (const DType type : item_types) {
    const auto item = static_cast<Index>(item_size(type));
    for (Index bytes = 128; bytes < 300; bytes += item) {
      const Index count = bytes / item;
      expect_copied({{6, count}, {count, 1}, 0}, 6 * count, {{6, count}, {0, 1}, 1}, type, 0);
    }
    expect_copied({{5, 30, 300}, {9300, 310, 1}, 1}, 5 * 9300 + 1, {{5, 30, 300}, {300, 0, 1}, 0}, type, 0);
    expect_copied({{700, 333}, {333, 1}, 0}, 700 * 333, {{700, 333}, {0, 1}, 0}, type, 0);
    expect_copied({{20, 8000}, {8000, 1}, 0}, 160000, {{20, 8000}, {0, 1}, 0}, type, 0);
  }
}

TEST(Repeated, FillsLongRunsOnSeveralThreads) {
  for (const DType type : item_types) {
    expect_copied({{1000003}, {1}, 1}, 1000009, {{1000003}, {0}, 0}, type, 0);
    expect_copied({{3, 300007}, {300007 + 9, 1}, 0}, 3 * 300016, {{3, 300007}, {1, 0}, 0}, type, 0);
  }
}

TEST(Repeated, IsPlannedAsWhatItIs) {
  using detail::AccessKind;
  const auto kind = [](const Layout& dst, const Layout& src) {
    return testing::kind_of(dst, src, DType::float32);
  };
  EXPECT_EQ(kind({{500}, {1}, 0}, {{500}, {0}, 0}), AccessKind::fill);
  EXPECT_EQ(kind({{100, 40}, {40, 1}, 0}, {{100, 40}, {1, 0}, 0}), AccessKind::fill);
  EXPECT_EQ(kind({{100, 4}, {4, 1}, 0}, {{100, 4}, {1, 0}, 0}), AccessKind::interleave) << "short runs";
  EXPECT_EQ(kind({{100, 40}, {40, 1}, 0}, {{100, 40}, {0, 1}, 0}), AccessKind::rows);
  EXPECT_EQ(kind({{500}, {2}, 0}, {{500}, {0}, 0}), AccessKind::strided);
}

TEST(Repeated, IsUsedByFillsAndCopiesOfTensors) {
  Tensor x = zeros({300, 200}, {.dtype = DType::float32});
  x.slice(1, 1, {}, 2).fill_(7);
  const Tensor row = x.select(0, 5).clone();
  Tensor y = empty({90, 200}, {.dtype = DType::float32});
  y.copy_(row);
  for (Index i = 0; i < 300; ++i) ASSERT_TRUE(x.select(0, i).equal(row)) << i;
  for (Index i = 0; i < 90; ++i) ASSERT_TRUE(y.select(0, i).equal(row)) << i;
  for (Index j = 0; j < 200; ++j) ASSERT_EQ(row.select(0, j).item<float>(), j % 2 == 0 ? 0 : 7) << j;
}

}  // namespace
}  // namespace tenstride
