// SPDX-License-Identifier: Apache-2.0
#include "tenstride/parallel/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "parallel/parallel_tbb.hpp"
#include "parallel/ranges.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/parallel/simulated_threads.hpp"

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

/// The count of the calling thread's innermost scope; 0 where there is none.
thread_local constinit int scoped_count = 0;

void require_count(const char* operation, int count) {
  if (count >= 1) return;
  throw ValueError(std::string(operation) + ": count (" + std::to_string(count) + ") must be at least 1");
}

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

#ifdef __SANITIZE_THREAD__

/// Repeats with atomics the ordering that oneTBB guarantees between the caller and the bodies, because
/// ThreadSanitizer does not see oneTBB's own synchronization.
class OrderedBody {
 public:
  OrderedBody(void (*body)(void*, Index, Index), void* state) : body_(body), state_(state) {
    begun_.store(true, std::memory_order_release);
  }

  bool run(const Ranges& ranges, int threads) {
    const bool done = detail::run_on_tbb(ranges, threads, &OrderedBody::run_part, this);
    static_cast<void>(ended_.load(std::memory_order_acquire));
    return done;
  }

 private:
  static void run_part(void* self, Index begin, Index end) {
    auto& ordered = *static_cast<OrderedBody*>(self);
    static_cast<void>(ordered.begun_.load(std::memory_order_acquire));
    ordered.body_(ordered.state_, begin, end);
    ordered.ended_.fetch_add(1, std::memory_order_release);
  }

  void (*body_)(void*, Index, Index);
  void* state_;
  std::atomic<bool> begun_{false};
  std::atomic<int> ended_{0};
};

bool run_on_threads(const Ranges& ranges, int threads, void (*body)(void*, Index, Index), void* state) {
  return OrderedBody(body, state).run(ranges, threads);
}

#else

constexpr auto run_on_threads = &detail::run_on_tbb;

#endif

}  // namespace
#endif

void parallel_run(Index begin, Index end, Index grain, int threads, void (*body)(void*, Index, Index),
                  void* state) {
  if (end <= begin) return;
  const int count = threads == 0 ? num_threads() : threads;
  const Ranges ranges(begin, end, grain, count);
  if (ranges.count() > 1) {
    if (SimulatedThreads* const simulation = SimulatedThreads::current(); simulation != nullptr)
      return simulation->run(ranges, count, body, state);
#ifdef TENSTRIDE_HAS_TBB
    if (run_on_threads(ranges, count, body, state)) return;
#endif
  }
  body(state, begin, end);
}

}  // namespace detail
}  // namespace tenstride
