// SPDX-License-Identifier: Apache-2.0
// Many threads at work, the library's and the caller's own; these run under ThreadSanitizer too.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tenstride/base/error.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/memory/memory.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

/// `count`, or 1 in a build without oneTBB.
int possible(int count) {
#ifdef TENSTRIDE_HAS_TBB
  return count;
#else
  static_cast<void>(count);
  return 1;
#endif
}

Tensor counted(const Dims& shape) {
  Tensor result = empty(shape, {.dtype = DType::int32});
  auto* const values = result.mutable_data<std::int32_t>();
  for (Index i = 0; i < result.numel(); ++i) values[i] = static_cast<std::int32_t>(i * 2654435761 % 1000003);
  return result;
}

bool are_same_bytes(const Tensor& a, const Tensor& b) {
  return a.nbytes() == b.nbytes() && std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

template <class F>
void on_threads(int count, const F& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadScope, HoldsUntilItsEndAndNests) {
  const int before = num_threads();
  {
    const ThreadScope outer(3);
    EXPECT_EQ(num_threads(), possible(3));
    {
      const ThreadScope inner(1);
      EXPECT_EQ(num_threads(), 1);
    }
    EXPECT_EQ(num_threads(), possible(3));
  }
  EXPECT_EQ(num_threads(), before);
}

TEST(ThreadScope, EndsWhereAnExceptionLeavesIt) {
  const int before = num_threads();
  EXPECT_THROW(
      {
        const ThreadScope scope(before + 1);
        throw std::runtime_error("out");
      },
      std::runtime_error);
  EXPECT_EQ(num_threads(), before);
}

TEST(ThreadScope, LeavesTheProcessAndOtherThreadsAsTheyAre) {
  const int before = num_threads();
  const ThreadScope scope(before + 2);
  int elsewhere = 0;
  std::thread([&] { elsewhere = num_threads(); }).join();
  EXPECT_EQ(elsewhere, before);
  set_num_threads(before + 1);  // is heard outside of the scope only
  EXPECT_EQ(num_threads(), possible(before + 2));
  std::thread([&] { elsewhere = num_threads(); }).join();
  EXPECT_EQ(elsewhere, possible(before + 1));
  set_num_threads(before);
}

TEST(ThreadScope, RefusesLessThanOne) {
  const int before = num_threads();
  try {
    const ThreadScope scope(0);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "ThreadScope: count (0) must be at least 1");
  }
  EXPECT_EQ(num_threads(), before);
}

TEST(Threads, AsManyWorkAsAreAskedForAndNoMore) {
  for (const int count : {1, 2, 5}) {
    const ThreadScope scope(count);
    std::atomic<int> working{0};
    std::atomic<int> most{0};
    std::atomic<Index> done{0};
    parallel_for(0, 200, 1, [&](Index from, Index to) {
      const int now = ++working;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
      std::this_thread::yield();
      done += to - from;
      --working;
    });
    EXPECT_EQ(done, 200);
    EXPECT_GE(most, 1);
    EXPECT_LE(most, possible(count));
  }
}

TEST(Threads, CarryAnExceptionToTheCaller) {
  const ThreadScope scope(3);
  EXPECT_THROW(parallel_for(0, 100, 1,
                            [](Index from, Index) {
                              if (from == 50) throw std::runtime_error("50");
                            }),
               std::runtime_error);
}

/// Every kernel of the engine, large enough for threads and for streaming stores, with a conversion each.
std::vector<Tensor> many_copies(const Tensor& x) {
  const Tensor square = x.view({1250, 1000});
  const Tensor image = x.view({500, 2500}).narrow(1, 0, 2499).reshape({500, 833, 3});
  std::vector<Tensor> results;
  results.push_back(square.transpose(0, 1).contiguous());
  results.push_back(square.transpose(0, 1).to(DType::float16));
  results.push_back(square.narrow(1, 1, 997).contiguous());
  results.push_back(square.index({Slice{}, Slice{{}, {}, 3}}).clone());
  results.push_back(square.flip({1}).contiguous());
  results.push_back(image.permute({2, 0, 1}).contiguous());
  results.push_back(image.permute({2, 0, 1}).contiguous().permute({1, 2, 0}).contiguous());
  results.push_back(x.view({50, 25, 1000}).permute({2, 0, 1}).to(DType::float64));
  results.push_back(square.narrow(1, 0, 1).expand({1250, 1000}).contiguous());
  const std::vector<double> scale{0.5, 0.25, 2};
  results.push_back(convert(image, DType::float32, {.scale = scale, .shift = {}, .axis = 2}));
  results.push_back(zeros({1250, 1000}, {.dtype = DType::int16}).copy_(square));
  return results;
}

TEST(Threads, CopyTheSameBytesWhateverTheirNumber) {
  const Tensor x = counted({1250000});
  const std::vector<Tensor> wanted = [&] {
    const ThreadScope serial(1);
    return many_copies(x);
  }();
  for (const int count : {2, 3, 7}) {
    const ThreadScope scope(count);
    for (int round = 0; round < 2; ++round) {
      const std::vector<Tensor> given = many_copies(x);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_TRUE(are_same_bytes(given[i], wanted[i])) << count << " threads, copy " << i;
      }
    }
  }
}

TEST(Threads, ViewAndCopyOneTensorTogether) {
  const Tensor x = counted({300, 400});
  const Tensor wanted = x.transpose(0, 1).contiguous();
  std::atomic<int> wrong{0};
  on_threads(6, [&](int t) {
    for (Index i = 0; i < 60; ++i) {
      const Tensor view = x.view({3, 100, 400}).select(0, (t + i) % 3).narrow(1, i, 100).transpose(0, 1);
      const Tensor copy = view.contiguous();
      if (!equal(copy, view)) ++wrong;
      if (i % 10 == 0 && !are_same_bytes(x.t().contiguous(), wanted)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, StartLargeCopiesAllAtOnce) {
  const Tensor x = counted({1250000});
  const Tensor wanted = x.view({1250, 1000}).t().contiguous();
  std::atomic<int> wrong{0};
  on_threads(4, [&](int t) {
    const ThreadScope scope(1 + t % 3);
    for (int i = 0; i < 4; ++i) {
      if (!are_same_bytes(x.view({1250, 1000}).t().contiguous(), wanted)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, WriteToDifferentPartsOfOneTensor) {
  Tensor x = zeros({8, 100, 100}, {.dtype = DType::int32});
  on_threads(8, [part = x](int t) {
    Tensor mine = part.select(0, t);
    for (int i = 0; i < 20; ++i) mine.transpose(0, 1).fill_(t + 1);
  });
  for (Index t = 0; t < 8; ++t) {
    EXPECT_TRUE(equal(x.select(0, t), full({100, 100}, t + 1, {.dtype = DType::int32})));
  }
}

TEST(Threads, ShareTheBlocksThatAreKept) {
  const std::size_t old_limit = cache_limit();
  set_cache_limit(std::size_t{64} << 20);
  std::atomic<int> wrong{0};
  on_threads(6, [&](int t) {
    for (Index i = 0; i < 60; ++i) {
      Tensor block = empty({300000 + 1000 * (i % 3)}, {.dtype = DType::int32});
      block.fill_(t);
      if (block[i].item().to<int>() != t || block[-1].item().to<int>() != t) ++wrong;
      if (t == 0 && i % 16 == 0) empty_cache();
      if (t == 1 && i % 16 == 0) set_cache_limit(static_cast<std::size_t>(16 + i % 5) << 20);
      if (memory_statistics().bytes_cached > std::size_t{64} << 20) ++wrong;
    }
  });
  set_cache_limit(old_limit);
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ChangeTheirNumberWhileOthersCopy) {
  const int before = num_threads();
  const Tensor x = counted({500, 700});
  const Tensor wanted = x.t().contiguous();
  std::atomic<int> wrong{0};
  on_threads(4, [&](int t) {
    for (int i = 0; i < 20; ++i) {
      if (t == 0) {
        set_num_threads(1 + i % 4);
      } else if (!are_same_bytes(x.t().contiguous(), wanted)) {
        ++wrong;
      }
    }
  });
  set_num_threads(before);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tenstride
