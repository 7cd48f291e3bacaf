// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#ifdef TENSTRIDE_HAS_TBB
#include <tbb/parallel_for.h>
#endif

#include <atomic>
#include <thread>

#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

TEST(LedgerThreads, ALedgerIsOfItsThreadAlone) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  const NoCopy none;
  std::thread([&x] { (void)x.clone(); }).join();
  EXPECT_EQ(ledger.totals(), LedgerTotals{});
}

TEST(LedgerThreads, EachThreadHasItsOwn) {
  constexpr int threads = 8;
  const Tensor x = arange(300 * 200).view({300, 200});
  std::atomic<int> right = 0;
  std::vector<std::thread> team;
  for (int id = 0; id < threads; ++id) {
    team.emplace_back([&, id] {
      for (int round = 0; round < 20; ++round) {
        const CopyLedger outer;
        const CopyLedger inner;
        for (int i = 0; i <= id; ++i) (void)x.t().contiguous();
        bool is_refused = false;
        try {
          const NoCopy none;
          (void)x.clone();
        } catch (const NoCopyError&) {
          is_refused = true;
        }
        const auto expected = static_cast<std::size_t>(id) + 1;
        const bool is_right = inner.totals().copies == expected && outer.totals().copies == expected &&
                              inner.totals().peak_bytes == 300 * 200 * 8 && is_refused;
        right += is_right ? 1 : 0;
      }
    });
  }
  for (std::thread& one : team) one.join();
  EXPECT_EQ(right, threads * 20);
}

TEST(LedgerThreads, TheEnginesHelpersCountToTheCall) {
  const ThreadScope many(4);
  const Tensor x = zeros({2048, 1024});
  const std::vector<Tensor> columns(8, ones({40000, 1}));
  const CopyLedger ledger;
  (void)x.t().contiguous();
  (void)cat(columns, 1);
  EXPECT_EQ(ledger.totals().copies, 9U);
  EXPECT_EQ(ledger.totals().allocations, 2U);
}

#ifdef TENSTRIDE_HAS_TBB
/// Without "Thread" in its name: ThreadSanitizer does not see what orders oneTBB's own tasks.
TEST(LedgerTasks, OfTheProgramDoNotMix) {
  const ThreadScope many(4);
  const Tensor x = zeros({1024, 512});
  std::atomic<int> right = 0;
  tbb::parallel_for(0, 64, [&](int) {
    const CopyLedger ledger;
    (void)x.t().contiguous();
    right += ledger.totals().copies == 1 ? 1 : 0;
  });
  EXPECT_EQ(right, 64);
}
#endif

TEST(LedgerThreads, MemoryMayEndOnAnotherThread) {
  const CopyLedger ledger;
  Tensor x = empty({1000});
  std::thread([y = std::move(x)]() mutable { y = Tensor(); }).join();
  EXPECT_EQ(ledger.totals().peak_bytes, 4000);
  for (int i = 0; i < 100; ++i) {
    Tensor z = empty({1000});
    std::thread([y = std::move(z)]() mutable { y = Tensor(); }).join();
  }
  EXPECT_EQ(ledger.totals().allocations, 101U);
  EXPECT_LE(ledger.totals().peak_bytes, 101 * 4000);
}

}  // namespace
}  // namespace tenstride
