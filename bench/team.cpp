// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <chrono>

namespace tenstride::bench {
namespace {

/// Waits for a change of the value, spinning for 50 µs before it sleeps: waking up costs more than a small
/// copy.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (value.load(std::memory_order_acquire) == old) {
    if (std::chrono::steady_clock::now() > patience) {
      value.wait(old, std::memory_order_acquire);
      return;
    }
  }
}

}  // namespace

Team::Team(int members) {
  for (int i = 1; i < members; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  is_over_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  work(0);
  for (int left = busy_.load(); left != 0; left = busy_.load()) wait_for_change(busy_, left);
}

void Team::serve(int member) {
  int seen = 0;
  for (;;) {
    wait_for_change(round_, seen);
    const int now = round_.load();
    if (now == seen) continue;  // woken for nothing
    seen = now;
    if (is_over_) return;
    (*work_)(member);
    --busy_;
    busy_.notify_all();
  }
}

}  // namespace tenstride::bench
