// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tenstride::io {

/// Objects that threads borrow, as many as are in use at once.
template <class T>
class Pool {
 public:
  /// One object, until the end of the scope.
  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<T> object) : pool_(&pool), object_(std::move(object)) {}
    ~Loan() { pool_->give_back(std::move(object_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_.get(); }

   private:
    Pool* pool_;
    std::unique_ptr<T> object_;
  };

  [[nodiscard]] Loan borrow() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      all_ += 1;
      free_.reserve(all_);  // giving back cannot fail
      return Loan(*this, std::make_unique<T>());
    }
    std::unique_ptr<T> object = std::move(free_.back());
    free_.pop_back();
    return Loan(*this, std::move(object));
  }

 private:
  void give_back(std::unique_ptr<T> object) noexcept {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  std::size_t all_ = 0;
};

}  // namespace tenstride::io
