// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include "files/system_reason.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

/// A thread that is joined at the end. By pthread_create instead of std::thread, whose destructor ends the
/// program where it is not joined.
class WorkerThread {
 public:
  WorkerThread() = default;
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread() { join(); }

  /// Calls `owner.*run`, which must not throw. Throws StorageError where no thread can be had.
  template <class Owner, void (Owner::*run)()>
  void start(Owner& owner) {
    const auto call = [](void* given) -> void* {
      (static_cast<Owner*>(given)->*run)();
      return nullptr;
    };
    const int error = pthread_create(&thread_, nullptr, call, &owner);
    if (error != 0)
      throw StorageError("thread: the system must have room for a thread" + system_reason(error));
    is_running_ = true;
  }
  void join() {
    if (is_running_) pthread_join(thread_, nullptr);
    is_running_ = false;
  }

 private:
  pthread_t thread_{};
  bool is_running_ = false;
};

}  // namespace tenstride::io
