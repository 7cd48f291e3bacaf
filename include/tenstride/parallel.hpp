// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "tenstride/export.hpp"
#include "tenstride/index.hpp"

namespace tenstride {

/// How many threads a large copy of the calling thread may use: what its innermost `ThreadScope` says, else
/// what `set_num_threads` said, else the environment variable TENSTRIDE_NUM_THREADS, else the number of
/// processors. 1 in a build without oneTBB. The elements that a copy writes do not depend on it.
TENSTRIDE_API int num_threads();

/// Sets the number of threads for the whole process. Throws ValueError where `count` is less than 1.
TENSTRIDE_API void set_num_threads(int count);

/// A number of threads for the copies that the calling thread makes until the end of the scope, however that
/// is left. Other threads, and what `set_num_threads` says, stay as they are; scopes nest. The constructor
/// throws ValueError where `count` is less than 1. Pre: ends on the thread that it began on, the inner scope
/// before the outer. Example: `{ const ThreadScope serial(1); y = x.permute({2, 0, 1}).contiguous(); }`.
class TENSTRIDE_API ThreadScope {
 public:
  explicit ThreadScope(int count);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int outer_ = 0;
};

namespace detail {
TENSTRIDE_API void parallel_run(Index begin, Index end, Index grain, int threads,
                                void (*body)(void*, Index, Index), void* state);
}  // namespace detail

/// Calls `f(from, to)` for consecutive ranges that make up [begin, end), each of about `grain` indexes, on at
/// most `threads` threads (0: `num_threads()`). An exception of `f` comes out of here. Example:
/// `parallel_for(0, n, 1024, [&](Index from, Index to) { … })`.
template <class F>
void parallel_for(Index begin, Index end, Index grain, F&& f, int threads = 0) {
  using Body = std::remove_reference_t<F>;
  detail::parallel_run(
      begin, end, grain, threads,
      [](void* state, Index from, Index to) { (*static_cast<Body*>(state))(from, to); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

}  // namespace tenstride
