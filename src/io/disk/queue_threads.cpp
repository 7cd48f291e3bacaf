// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/message.hpp"
#include "io/disk/request.hpp"

namespace tenstride::io {
namespace {

class ThreadQueue final : public RequestQueue {
 public:
  explicit ThreadQueue(std::size_t depth) : RequestQueue(depth) {
    constexpr std::size_t max_threads = 16;
    const std::size_t count = std::min(depth, max_threads);
    threads_.reserve(count);
    results_.reserve(depth);
    int error = 0;
    while (threads_.size() < count && error == 0) {
      pthread_t thread{};
      error = pthread_create(&thread, nullptr, &ThreadQueue::run, this);
      if (error == 0) threads_.push_back(thread);
    }
    if (threads_.empty()) {
      throw StorageError("disk queue: the system must have room for a thread" + system_reason(error));
    }
  }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;
  ~ThreadQueue() override {
    finish();
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    work_came_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "threads"; }

 private:
  void start(std::size_t slot) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(slot);
    }
    work_came_.notify_one();
  }

  Result next_result() override {
    std::unique_lock lock(mutex_);
    result_came_.wait(lock, [this] { return !results_.empty(); });
    const Result result = results_.back();
    results_.pop_back();
    return result;
  }

  /// One thread: transfers until the queue is over.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_came_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
      if (is_over_) return;
      const std::size_t slot = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      const std::int64_t value = request(slot).perform();
      lock.lock();
      results_.push_back({slot, value});
      result_came_.notify_one();
    }
  }
  // pthread_create instead of std::thread, whose destructor ends the program where it is not joined.
  static void* run(void* queue) {
    static_cast<ThreadQueue*>(queue)->work();
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable result_came_;
  /// Guarded by the mutex.
  std::deque<std::size_t> waiting_;
  /// Results, with room for all, so that no thread ever needs memory.
  std::vector<Result> results_;
  bool is_over_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace

std::unique_ptr<DiskQueue> make_thread_queue(std::size_t depth) {
  return std::make_unique<ThreadQueue>(depth);
}

}  // namespace tenstride::io
