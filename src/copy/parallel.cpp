// SPDX-License-Identifier: Apache-2.0
#include "tenstride/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "tenstride/error.hpp"

#ifdef TENSTRIDE_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace tenstride {
namespace {

int initial_threads() {
#ifdef TENSTRIDE_HAS_TBB
  if (const char* text = std::getenv("TENSTRIDE_NUM_THREADS"); text != nullptr) {
    int count = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), count);
    if (error == std::errc{} && *end == '\0' && count >= 1) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#else
  return 1;
#endif
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{initial_threads()};
  return count;
}

/// What the calling thread's innermost scope says; 0 outside of all.
thread_local constinit int scoped_count = 0;

void require_count(const char* operation, int count) {
  if (count >= 1) return;
  throw ValueError(std::string(operation) + ": count (" + std::to_string(count) + ") must be at least 1");
}

#ifdef TENSTRIDE_HAS_TBB
/// oneTBB gives no more threads than there are processors, and prints a warning where it is asked for more.
/// For as long as this lives it gives as many as are asked for, or as the program allows by a limit of its
/// own.
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

/// The order that oneTBB keeps between the caller and the bodies, said once more where ThreadSanitizer sees
/// it: it does not look into libtbb. Nothing in any other build.
class Order {
 public:
#ifdef __SANITIZE_THREAD__
  void before_all() {
    begun_.store(true, std::memory_order_release);
  }
  void before_one() {
    static_cast<void>(begun_.load(std::memory_order_acquire));
  }
  void after_one() {
    ended_.fetch_add(1, std::memory_order_release);
  }
  void after_all() {
    static_cast<void>(ended_.load(std::memory_order_acquire));
  }

 private:
  std::atomic<bool> begun_{false};
  std::atomic<int> ended_{0};
#else
  void before_all() {}
  void before_one() {}
  void after_one() {}
  void after_all() {}
#endif
};
#endif

}  // namespace

int num_threads() {
  if (scoped_count != 0) return scoped_count;
  return thread_count().load(std::memory_order_relaxed);
}

void set_num_threads(int count) {
  require_count("set_num_threads", count);
#ifdef TENSTRIDE_HAS_TBB
  thread_count().store(count, std::memory_order_relaxed);
#endif
}

ThreadScope::ThreadScope(int count) : outer_(scoped_count) {
  require_count("ThreadScope", count);
#ifdef TENSTRIDE_HAS_TBB
  scoped_count = count;
#endif
}

ThreadScope::~ThreadScope() {
  scoped_count = outer_;
}

namespace detail {
#ifdef TENSTRIDE_HAS_TBB
namespace {

/// False where only one thread is to be had: nothing was done then.
bool run_on_threads(Index begin, Index end, Index grain, int threads, void (*body)(void*, Index, Index),
                    void* state) {
  const Allowance allowance(threads);
  if (allowance.threads() < 2) return false;
  Order order;
  order.before_all();
  const auto loop = [&] {
    tbb::parallel_for(
        tbb::blocked_range<Index>(begin, end, static_cast<std::size_t>(std::max<Index>(grain, 1))),
        [&](const tbb::blocked_range<Index>& range) {
          order.before_one();
          body(state, range.begin(), range.end());
          order.after_one();
        },
        tbb::simple_partitioner{});
  };
  if (allowance.threads() == tbb::this_task_arena::max_concurrency()) {
    // While it waits the thread takes up nothing of the caller's own tasks: its scopes are not theirs.
    tbb::this_task_arena::isolate(loop);
  } else {
    tbb::task_arena arena(allowance.threads());
    arena.execute(loop);
  }
  order.after_all();
  return true;
}

}  // namespace
#endif

void parallel_run(Index begin, Index end, Index grain, int threads, void (*body)(void*, Index, Index),
                  void* state) {
  if (end <= begin) return;
#ifdef TENSTRIDE_HAS_TBB
  if (threads == 0) threads = num_threads();
  if (threads > 1 && end - begin > grain && run_on_threads(begin, end, grain, threads, body, state)) return;
#endif
  static_cast<void>(grain);
  static_cast<void>(threads);
  body(state, begin, end);
}

}  // namespace detail
}  // namespace tenstride
