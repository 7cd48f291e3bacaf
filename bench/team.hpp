// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tenstride::bench {

/// Threads that wait for work. The yardsticks have their own, so that they do not depend on a contender's
/// threads.
class Team {
 public:
  /// The caller is one of the members.
  explicit Team(int members);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  [[nodiscard]] int members() const noexcept { return static_cast<int>(threads_.size()) + 1; }
  /// Calls `work(0)` … `work(members() - 1)`, each on its own thread, and waits for all.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int member);

  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> is_over_{false};
};

}  // namespace tenstride::bench
