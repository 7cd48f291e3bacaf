// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process.
#pragma once

#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tenstride/distributed/transport.hpp"

namespace tenstride::oracle {

/// What the ranks have in common.
struct ThreadRanks {
  ThreadRanks(Index count, Index ranks_per_machine)
      : size(count),
        per_machine(ranks_per_machine),
        barrier(static_cast<std::ptrdiff_t>(count)),
        boards(static_cast<std::size_t>(count)) {
    for (Index first = 0; first < count; first += ranks_per_machine)
      machines.emplace_back(std::min(ranks_per_machine, count - first));
  }

  Index size;
  Index per_machine;
  std::barrier<> barrier;
  std::deque<std::barrier<>> machines;
  std::vector<std::vector<std::byte>> boards;  ///< what each rank shows the others
  std::vector<std::byte*> shared_parts = std::vector<std::byte*>(boards.size());
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<Index, Index>, std::deque<std::vector<std::byte>>> mail;  ///< by sender and receiver
  Index pieces_shared = 0;                                                     ///< those that live
};

class ThreadTransport final : public distributed::Transport {
 public:
  ThreadTransport(ThreadRanks& ranks, Index rank) : ranks_(ranks), rank_(rank) {}
  ~ThreadTransport() override {
    ranks_.barrier.arrive_and_wait();
    release_shared();
  }

  [[nodiscard]] Index rank() const override { return rank_; }
  [[nodiscard]] Index size() const override { return ranks_.size; }
  [[nodiscard]] bool is_near(Index rank) const override {
    return rank / ranks_.per_machine == rank_ / ranks_.per_machine;
  }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    ranks_.boards[at(rank_)].assign(own.begin(), own.end());
    ranks_.barrier.arrive_and_wait();
    for (std::size_t rank = 0; rank < ranks_.boards.size(); ++rank)
      std::copy(ranks_.boards[rank].begin(), ranks_.boards[rank].end(), &all[rank * own.size()]);
    ranks_.barrier.arrive_and_wait();
  }
  void send(Index to, std::span<const std::byte> bytes) override { outbox_.emplace_back(to, bytes); }
  void receive(Index from, std::span<std::byte> bytes) override { receives_.emplace_back(from, bytes); }
  /// Only here is anything moved: what a buffer holds by then is what arrives.
  std::optional<std::size_t> wait_received() override {
    post();
    if (received_ == receives_.size()) {
      receives_.clear();
      received_ = 0;
      return std::nullopt;
    }
    const auto& [from, bytes] = receives_[received_];
    std::unique_lock lock(ranks_.mutex);
    auto& letters = ranks_.mail[{from, rank_}];
    ranks_.arrived.wait(lock, [&] { return !letters.empty(); });
    EXPECT_EQ(letters.front().size(), bytes.size());
    std::copy(letters.front().begin(), letters.front().end(), bytes.begin());
    letters.pop_front();
    return received_++;
  }
  void wait_sent() override { post(); }
  void sync_near() override { ranks_.machines[at(rank_ / ranks_.per_machine)].arrive_and_wait(); }
  [[noreturn]] void fail(const std::string& message) override {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::abort();
  }

 private:
  class Shared final : public distributed::SharedMemory {
   public:
    Shared(ThreadRanks& ranks, Index rank, std::size_t nbytes)
        : ranks_(ranks), rank_(rank), own_(nbytes + 1) {
      ranks.shared_parts[at(rank)] = own_.data();
      ranks.barrier.arrive_and_wait();
      parts_ = ranks.shared_parts;
      if (rank == 0) ++ranks.pieces_shared;
      ranks.barrier.arrive_and_wait();
    }
    ~Shared() override {
      if (rank_ == 0) --ranks_.pieces_shared;
    }
    [[nodiscard]] std::byte* of(Index rank) const override {
      return rank / ranks_.per_machine == rank_ / ranks_.per_machine ? parts_[at(rank)] : nullptr;
    }

   private:
    ThreadRanks& ranks_;
    Index rank_;
    std::vector<std::byte> own_;
    std::vector<std::byte*> parts_;
  };

  static std::size_t at(Index rank) { return static_cast<std::size_t>(rank); }
  std::unique_ptr<distributed::SharedMemory> allocate_shared(std::size_t nbytes) override {
    return std::make_unique<Shared>(ranks_, rank_, nbytes);
  }
  void post() {
    const std::scoped_lock lock(ranks_.mutex);
    for (const auto& [to, bytes] : outbox_) ranks_.mail[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
    outbox_.clear();
    ranks_.arrived.notify_all();
  }

  ThreadRanks& ranks_;
  Index rank_;
  std::vector<std::pair<Index, std::span<const std::byte>>> outbox_;
  std::vector<std::pair<Index, std::span<std::byte>>> receives_;
  std::size_t received_ = 0;
};

/// Runs `f(transport)` on each rank, on threads.
inline void on_thread_ranks(ThreadRanks& ranks, const std::function<void(distributed::Transport&)>& f) {
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < ranks.size; ++rank) {
    threads.emplace_back([&ranks, &f, rank] {
      ThreadTransport transport(ranks, rank);
      f(transport);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tenstride::oracle
