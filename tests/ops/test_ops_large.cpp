// SPDX-License-Identifier: Apache-2.0
// Operations on tensors large enough to be split among threads and into pieces, against the slow definitions:
// the bytes are the same whatever the number of threads.
#include <gtest/gtest.h>

#include "random/normal.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"

namespace tenstride {
namespace {

using oracle::numbered;
using oracle::value_at;

constexpr std::array thread_counts{1, 2, 3};

template <class T>
const T* data(const Tensor& x) {
  return static_cast<const T*>(x.data_ptr());
}

/// A mask without a pattern: about `of` in 8 are set.
Tensor mask_of(const Dims& shape, unsigned of) {
  Tensor mask = empty(shape, {.dtype = DType::bool_});
  Generator generator(7);
  for (Index i = 0; i < mask.numel(); ++i) {
    mask.mutable_data<bool>()[i] = generator.random() % 8 < of;
  }
  return mask;
}

std::vector<Dims> indexes_set(const Tensor& mask) {
  std::vector<Dims> found;
  for (Index i = 0; i < mask.numel(); ++i) {
    if (data<bool>(mask)[i]) found.push_back(unravel(i, mask.shape()));
  }
  return found;
}

TEST(LargeMask, ReadsEveryTypeAndLayout) {
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::int64, DType::complex128}) {
    const Tensor base = numbered({150, 520}, type);
    for (const Tensor& x : {base, base.t(), base.index({Slice{{}, {}, -1}, Slice{{}, {}, 2}})}) {
      const Tensor mask = mask_of(x.shape(), 3);
      const std::vector<Dims> found = indexes_set(mask);
      for (const int threads : thread_counts) {
        const ThreadScope scope(threads);
        const Tensor given = x.index({mask});
        ASSERT_EQ(given.shape(), Dims{static_cast<Index>(found.size())});
        for (std::size_t k = 0; k < found.size(); ++k) {
          ASSERT_EQ(value_at(given, {static_cast<Index>(k)}), value_at(x, found[k]))
              << name(type) << ' ' << k;
        }
      }
    }
  }
}

TEST(LargeMask, CarriesOutConjugation) {
  const Tensor x = numbered({90, 400}, DType::complex64).conj();
  const Tensor mask = mask_of(x.shape(), 4);
  const std::vector<Dims> found = indexes_set(mask);
  const Tensor given = x.index({mask});
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(value_at(given, {static_cast<Index>(k)}), value_at(x, found[k]));
  }
}

TEST(LargeMask, WritesValuesAndNumbersAndNothingElse) {
  for (const DType type : {DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex128}) {
    for (const unsigned of : {0U, 1U, 5U, 8U}) {
      const Tensor mask = mask_of({130, 260}, of);
      const std::vector<Dims> found = indexes_set(mask);
      const auto count = static_cast<Index>(found.size());
      const Tensor values = numbered({2 * count + 2}, type).slice(0, 1, 1 + 2 * count, 2);
      for (const int threads : thread_counts) {
        const ThreadScope scope(threads);
        Tensor storage = numbered({260, 260}, type);
        Tensor x = storage.slice(0, {}, {}, 2).t().slice(0, 0, 260, 1).t();
        const Tensor before = x.clone();
        x.index_put_({mask}, values);
        Tensor filled = before.t().contiguous().t();
        filled.index_put_({mask}, 3);
        std::size_t k = 0;
        for (Index i = 0; i < mask.numel(); ++i) {
          const Dims at = unravel(i, mask.shape());
          const bool is_set = data<bool>(mask)[i];
          const auto wanted = is_set ? value_at(values, {static_cast<Index>(k)}) : value_at(before, at);
          ASSERT_EQ(value_at(x, at), wanted) << name(type) << ' ' << i;
          ASSERT_EQ(value_at(filled, at), is_set ? oracle::Number(3) : value_at(before, at)) << name(type);
          if (is_set) ++k;
        }
      }
    }
  }
}

TEST(LargeMask, StandsBesideOtherIndexes) {
  const Tensor x = numbered({300, 7, 40}, DType::int32);
  const Tensor mask = mask_of({300}, 4);
  const std::vector<Dims> found = indexes_set(mask);
  const Tensor last = numbered({static_cast<Index>(found.size())}, DType::int64).to(DType::int64);
  Tensor column = empty(last.shape(), {.dtype = DType::int64});
  for (Index k = 0; k < column.numel(); ++k) column.mutable_data<Index>()[k] = (k * 7) % 40 - 40;
  const Tensor rows = x.index({mask});
  const Tensor points = x.index({mask, 3, column});
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto at = static_cast<Index>(k);
    for (Index i = 0; i < 7; ++i) {
      ASSERT_EQ(value_at(rows, {at, i, 5}), value_at(x, {found[k][0], i, 5}));
    }
    ASSERT_EQ(value_at(points, {at}), value_at(x, {found[k][0], 3, (at * 7) % 40}));
  }
}

TEST(LargeScatter, KeepsTheLastOfSeveralThatMeet) {
  constexpr Index count = 200000;
  Tensor rows = empty({count}, {.dtype = DType::int64});
  for (Index k = 0; k < count; ++k) rows.mutable_data<Index>()[k] = (k * 7919) % 30011;
  const Tensor values = arange(count);
  std::vector<Index> wanted(30011, -1);
  for (Index k = 0; k < count; ++k) wanted[static_cast<std::size_t>(data<Index>(rows)[k])] = k;
  for (const int threads : thread_counts) {
    const ThreadScope scope(threads);
    Tensor x = full({30011}, -1, {.dtype = DType::int64});
    x.index_put_({rows}, values);
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(data<Index>(x)[i], wanted[i]) << i;
  }
}

TEST(LargeScatter, SplitsRowsAndColumnsAlike) {
  const Tensor values = numbered({640, 500}, DType::int32);
  Tensor order = empty({640}, {.dtype = DType::int64});
  for (Index k = 0; k < 640; ++k) order.mutable_data<Index>()[k] = (k * 77) % 320;  // each twice
  for (const int threads : thread_counts) {
    const ThreadScope scope(threads);
    Tensor rows = zeros({320, 500}, {.dtype = DType::int32});
    rows.index_put_({order}, values);
    Tensor columns = zeros({500, 320}, {.dtype = DType::int32});
    columns.index_put_({Slice{}, order}, values.t());
    for (Index k = 320; k < 640; ++k) {
      const Index at = data<Index>(order)[k];
      for (Index j = 0; j < 500; ++j) {
        ASSERT_EQ(value_at(rows, {at, j}), value_at(values, {k, j}));
        ASSERT_EQ(value_at(columns, {j, at}), value_at(values, {k, j}));
      }
    }
  }
}

TEST(LargeGather, TakesLongRowsInAnyOrder) {
  const Tensor x = numbered({700, 501}, DType::int32);
  Tensor order = empty({900}, {.dtype = DType::int64});
  for (Index k = 0; k < 900; ++k) order.mutable_data<Index>()[k] = (k * 77) % 700;
  for (const int threads : thread_counts) {
    const ThreadScope scope(threads);
    for (const Tensor& from : {x, x.slice(1, 3, 499)}) {
      const Tensor given = from.index({order});
      for (Index k = 0; k < 900; ++k) {
        ASSERT_TRUE(given.select(0, k).equal(from.select(0, data<Index>(order)[k]))) << k;
      }
    }
  }
}

TEST(LargeJoin, AgreesWithTheDefinition) {
  struct Case {
    std::vector<Dims> shapes;
    Index axis;
  };
  const std::vector<Case> cases{{{{9000, 1}, {9000, 1}, {9000, 1}}, 1},
                                {{{7001, 3}, {7001, 1}}, 1},
                                {{{3000, 2, 5}, {3000, 0, 5}, {3000, 3, 5}}, 1},
                                {{{300, 17, 1}, {300, 17, 1}, {300, 17, 1}, {300, 17, 1}, {300, 17, 1}}, 2},
                                {{{5, 40, 61}, {5, 40, 61}}, 0}};
  for (const DType type : {DType::uint8, DType::float32, DType::complex128}) {
    for (const Case& one : cases) {
      std::vector<Tensor> parts;
      for (std::size_t i = 0; i < one.shapes.size(); ++i) {
        const Tensor part = numbered(one.shapes[i], type);
        parts.push_back(i % 2 == 0 ? part : part.transpose(0, 1).contiguous().transpose(0, 1));
      }
      for (const int threads : thread_counts) {
        const ThreadScope scope(threads);
        for (const Tensor& given : {cat(parts, one.axis), numpy::concatenate(parts, one.axis)}) {
          Index start = 0;
          for (const Tensor& part : parts) {
            const Tensor place = given.narrow(one.axis, start, part.size(one.axis));
            ASSERT_TRUE(place.equal(part)) << name(type) << " from " << start;
            start += part.size(one.axis);
          }
          EXPECT_EQ(start, given.size(one.axis));
        }
      }
    }
  }
}

TEST(LargeJoin, ConvertsWhatItStacks) {
  const std::vector<Tensor> parts{numbered({20000}, DType::int16), numbered({20000}, DType::float32),
                                  numbered({20000}, DType::uint8)};
  const Tensor given = stack(parts, 1);
  EXPECT_EQ(given.dtype(), DType::float32);
  for (Index k = 0; k < 3; ++k) {
    const Tensor column = given.select(1, k);
    EXPECT_TRUE(column.equal(parts[static_cast<std::size_t>(k)].to(DType::float32)));
  }
}

TEST(LargeTriangles, KeepOneSideOfEachMatrix) {
  for (const Tensor& x : {numbered({3, 210, 320}), numbered({3, 320, 210}).transpose(1, 2),
                          numbered({3, 210, 320}, DType::complex64).conj()}) {
    for (const int threads : thread_counts) {
      const ThreadScope scope(threads);
      for (const Index diagonal : {-250, -3, 0, 100, 400}) {
        const Tensor lower = x.tril(diagonal);
        const Tensor upper = x.triu(diagonal);
        for (Index n = 0; n < x.numel(); n += 7) {
          const Dims at = unravel(n, x.shape());
          const auto value = value_at(x, at);
          ASSERT_EQ(value_at(lower, at), at[2] - at[1] <= diagonal ? value : oracle::Number(0));
          ASSERT_EQ(value_at(upper, at), at[2] - at[1] >= diagonal ? value : oracle::Number(0));
        }
      }
    }
  }
}

TEST(LargeRepeatInterleave, RepeatsEachRowSoOften) {
  const Tensor x = numbered({4, 3000, 5}, DType::int32).transpose(0, 1);
  Tensor repeats = empty({3000}, {.dtype = DType::int64});
  for (Index i = 0; i < 3000; ++i) repeats.mutable_data<Index>()[i] = i % 4;
  for (const int threads : thread_counts) {
    const ThreadScope scope(threads);
    const Tensor given = x.repeat_interleave(repeats, 0);
    Index row = 0;
    for (Index i = 0; i < 3000; ++i) {
      for (Index k = 0; k < i % 4; ++k, ++row) ASSERT_TRUE(given.select(0, row).equal(x.select(0, i)));
    }
    EXPECT_EQ(given.size(0), row);
  }
}

TEST(LargeTruth, IsFoundWhereverItIs) {
  for (const DType type : {DType::bool_, DType::uint8, DType::float32, DType::complex64}) {
    for (const int threads : thread_counts) {
      const ThreadScope scope(threads);
      for (const Index at : {0, 70000, 131071, 199999}) {
        Tensor one_set = zeros({400, 500}, {.dtype = type});
        Tensor one = one_set.view({200000}).narrow(0, at, 1);
        EXPECT_FALSE(one_set.any().item().to<bool>());
        one.fill_(1);
        EXPECT_TRUE(one_set.any().item().to<bool>());
        EXPECT_TRUE(one_set.t().any().item().to<bool>());
        Tensor one_cleared = ones({400, 500}, {.dtype = type});
        EXPECT_TRUE(one_cleared.all().item().to<bool>());
        Tensor none = one_cleared.view({200000}).narrow(0, at, 1);
        none.fill_(0);
        EXPECT_FALSE(one_cleared.all().item().to<bool>());
        EXPECT_FALSE(one_cleared.slice(1, {}, {}, 1).t().all().item().to<bool>());
        for (const Index axis : {0, 1}) {
          const Tensor any_along = any(one_set, axis);
          const Tensor all_along = all(one_cleared, axis);
          const Index hit = axis == 0 ? at % 500 : at / 500;
          for (Index i = 0; i < any_along.numel(); ++i) {
            ASSERT_EQ(value_at(any_along, {i}), oracle::Number(i == hit ? 1 : 0));
            ASSERT_EQ(value_at(all_along, {i}), oracle::Number(i == hit ? 0 : 1));
          }
        }
      }
    }
  }
}

TEST(LargeNumbers, DoNotDependOnThreads) {
  const ThreadScope serial(1);
  const Tensor count = arange(3, 800003, 3, {.dtype = DType::int32});
  const Tensor tenths = arange(0, 20000, 0.1);
  const Tensor line = linspace(-1, 1, 300001);
  const Tensor halves = linspace(0, 1, 200001, {.dtype = DType::bfloat16});
  manual_seed(3);
  const Tensor normal = randn({500, 333});
  const ThreadScope several(3);
  EXPECT_TRUE(arange(3, 800003, 3, {.dtype = DType::int32}).equal(count));
  EXPECT_TRUE(arange(0, 20000, 0.1).equal(tenths));
  EXPECT_TRUE(linspace(-1, 1, 300001).equal(line));
  EXPECT_TRUE(linspace(0, 1, 200001, {.dtype = DType::bfloat16}).equal(halves));
  manual_seed(3);
  EXPECT_TRUE(randn({500, 333}).equal(normal));
  for (Index i = 0; i < count.numel(); i += 501) EXPECT_EQ(data<int>(count)[i], 3 + 3 * i);
}

TEST(Generator, DrawsManyAsOneByOne) {
  Generator one(11);
  Generator many(11);
  std::vector<std::uint32_t> words(2000);
  for (std::size_t count = 0; count < words.size(); count += 191) {
    many.random(words.data(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(words[i], one.random());
  }
  EXPECT_EQ(one.random(), many.random());
}

TEST(NormalBlocks, AreTheSameWithVectors) {
  const detail::NormalBlocks fast = detail::fast_normal_blocks();
  if (fast == nullptr) return;  // without a fused multiply-add there is the definition alone
  Generator generator(2);
  std::vector<float> given(16 * 4096);
  detail::draw_uniforms(given.data(), static_cast<Index>(given.size()), generator);
  given[0] = 0;
  given[8] = 0;
  given[1] = 1 - 0x1p-24F;
  given[9] = 1 - 0x1p-24F;
  std::vector<float> wanted = given;
  const detail::Normal normal{0.125, 0.75};
  fast(given.data(), 4096, normal);
  detail::normal_blocks(wanted.data(), 4096, normal);
  for (std::size_t i = 0; i < given.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(given[i]), std::bit_cast<std::uint32_t>(wanted[i])) << i;
  }
}

TEST(Remainders, AreThoseOfTheDivision) {
  for (const Index high : {Index{1}, Index{2}, Index{7}, Index{1000}, Index{4294967295}, Index{4294967296}}) {
    Generator one(5);
    Generator other(5);
    const Tensor given = randint(0, high, {3000}, one, {.dtype = DType::int64});
    const bool is_wide = high > 4294967295;
    for (Index i = 0; i < 3000; ++i) {
      const std::uint64_t drawn = is_wide ? other.random64() : other.random();
      ASSERT_EQ(data<Index>(given)[i], static_cast<Index>(drawn % static_cast<std::uint64_t>(high))) << high;
    }
  }
}

}  // namespace
}  // namespace tenstride
