// SPDX-License-Identifier: Apache-2.0
#include "parallel/parallel_tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tenstride::detail {
namespace {

/// Raises oneTBB's limit on threads for its lifetime. oneTBB provides as many threads as there are
/// processors, and prints a warning where more are requested; a lower limit that the program has set itself
/// stays.
class Allowance {
 public:
  explicit Allowance(int threads) {
    if (threads > allowed()) limit_.emplace(limit, static_cast<std::size_t>(threads));
    threads_ = std::min(threads, allowed());
  }
  [[nodiscard]] int threads() const { return threads_; }

 private:
  static constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  static int allowed() { return static_cast<int>(tbb::global_control::active_value(limit)); }
  std::optional<tbb::global_control> limit_;
  int threads_ = 1;
};

}  // namespace

bool run_on_tbb(const Ranges& ranges, int threads, void (*body)(void*, Index, Index), void* state) {
  const Allowance allowance(threads);
  if (allowance.threads() < 2) return false;
  const auto loop = [&] {
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, ranges.count()),
        [&](const tbb::blocked_range<Index>& part) {
          body(state, ranges.first(part.begin()), ranges.first(part.end()));
        },
        tbb::simple_partitioner{});
  };
  if (allowance.threads() == tbb::this_task_arena::max_concurrency()) {
    // Isolated, so that a waiting thread does not run other tasks of the caller, which have other scopes.
    tbb::this_task_arena::isolate(loop);
  } else {
    tbb::task_arena arena(allowance.threads());
    arena.execute(loop);
  }
  return true;
}

}  // namespace tenstride::detail
