// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {

/// The number of threads that a large copy of the calling thread may use: that of its innermost
/// `ThreadScope`, else that of `set_num_threads`, else that of the environment variable
/// TENSTRIDE_NUM_THREADS, else the number of processors. 1 in a build without oneTBB. The elements that a
/// copy writes do not depend on it.
TENSTRIDE_API int num_threads();

/// Sets the number of threads for the whole process. Throws ValueError where `count` is less than 1.
TENSTRIDE_API void set_num_threads(int count);

/// Sets the number of threads for copies that the calling thread makes during the scope. Other threads, and
/// the number of `set_num_threads`, are not affected; scopes nest. The constructor throws ValueError where
/// `count` is less than 1. Pre: the scope ends on the thread that it began on, inner scopes before outer
/// ones. Example: `{ const ThreadScope serial(1); y = x.permute({2, 0, 1}).contiguous(); }`.
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

/// Calls `f(first, last)` for consecutive ranges [first, last) that make up [begin, end), on at most
/// `threads` threads (0: `num_threads()`). Up to `grain` indices are one range; otherwise ranges have about
/// an eighth of a grain or more, and differ in length by at most one index. Rethrows an exception of `f`.
/// Example: `parallel_for(0, n, 1024, [&](Index first, Index last) { … })`.
template <class F>
void parallel_for(Index begin, Index end, Index grain, F&& f, int threads = 0) {
  using Body = std::remove_reference_t<F>;
  detail::parallel_run(
      begin, end, grain, threads,
      [](void* state, Index first, Index last) { (*static_cast<Body*>(state))(first, last); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

}  // namespace tenstride
