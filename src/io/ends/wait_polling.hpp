// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tenstride::io {

/// Waits until `is_over()` gives true under the lock. Calls `while_waiting`, without the lock, some 20 times
/// a second; what it throws ends the waiting.
template <class WhileWaiting, class IsOver>
void wait_polling(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                  const WhileWaiting& while_waiting, const IsOver& is_over) {
  while (!changed.wait_for(lock, std::chrono::milliseconds(50), is_over)) {
    lock.unlock();
    while_waiting();
    lock.lock();
  }
}

}  // namespace tenstride::io
