// SPDX-License-Identifier: Apache-2.0
// How indices are divided among threads, and imaginary threads.
#include "parallel/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>

#include "tenstride/base/error.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/parallel/simulated_threads.hpp"

namespace tenstride {
namespace {

using detail::Ranges;

TEST(Ranges, CoverAllIndicesAndDifferByOneAtMost) {
  for (const int threads : {1, 2, 3, 16, 64}) {
    for (const Index grain : {0, 1, 7, 64, 1000}) {
      for (const Index length : {1, 2, 5, 63, 64, 65, 1000, 12345}) {
        const Ranges ranges(10, 10 + length, grain, threads);
        ASSERT_GE(ranges.count(), 1);
        EXPECT_EQ(ranges.first(0), 10);
        EXPECT_EQ(ranges.first(ranges.count()), 10 + length);
        Index shortest = length;
        Index longest = 0;
        for (Index range = 0; range < ranges.count(); ++range) {
          const Index size = ranges.first(range + 1) - ranges.first(range);
          shortest = std::min(shortest, size);
          longest = std::max(longest, size);
        }
        EXPECT_LE(longest - shortest, 1);
        EXPECT_GE(shortest, 1);
        EXPECT_TRUE(ranges.count() < threads || ranges.count() % threads == 0);
        if (threads == 1 || length <= grain) {
          EXPECT_EQ(ranges.count(), 1);
        } else if (length > 8 * threads * std::max<Index>(grain, 1)) {
          EXPECT_GE(ranges.count(), 8 * threads);
        }
      }
    }
  }
}

/// Takes so many seconds of this thread.
void work(double seconds) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  for (const double end = now() + seconds; now() < end;) continue;
}

TEST(SimulatedThreads, ShareEqualRangesEvenly) {
  const SimulatedThreads threads(4);
  EXPECT_EQ(num_threads(), 4);
  Index done = 0;
  parallel_for(0, 8, 1, [&](Index first, Index last) {
    EXPECT_EQ(num_threads(), 1);
    work(1e-3 * static_cast<double>(last - first));
    done += last - first;
  });
  EXPECT_EQ(done, 8);
  EXPECT_EQ(threads.ranges(), 8);
  EXPECT_GE(threads.sequential(), 7e-3);
  EXPECT_GE(threads.shared(), 1.9e-3);
  EXPECT_GT(threads.speed_up(), 1);
  EXPECT_LE(threads.speed_up(), 4.0001);
}

TEST(SimulatedThreads, WaitForALongRange) {
  const SimulatedThreads threads(4);
  parallel_for(0, 4, 1, [](Index first, Index) { work(first == 2 ? 9e-3 : 1e-3); });
  EXPECT_GE(threads.shared(), 8e-3);
  EXPECT_LE(threads.shared(), threads.sequential());
}

TEST(SimulatedThreads, CountWhatIsOutsideOfLoopsOnce) {
  const SimulatedThreads threads(2);
  work(4e-3);
  parallel_for(0, 2, 1, [](Index, Index) { work(1e-3); });
  EXPECT_GE(threads.alone(), 3e-3);
  EXPECT_LT(threads.speed_up(), 2);
}

TEST(SimulatedThreads, EndWithTheirScopeAndPassExceptionsOn) {
  const int before = num_threads();
  {
    const SimulatedThreads threads(3);
    EXPECT_THROW(parallel_for(0, 9, 1, [](Index, Index) { throw std::runtime_error("out"); }),
                 std::runtime_error);
    parallel_for(0, 9, 1, [](Index, Index) {});
    EXPECT_EQ(threads.ranges(), 9);
  }
  EXPECT_EQ(num_threads(), before);
  try {
    const SimulatedThreads threads(0);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "SimulatedThreads: count (0) must be at least 1");
  }
}

}  // namespace
}  // namespace tenstride
