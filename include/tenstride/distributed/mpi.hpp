// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !__has_include(<mpi.h>)
#error \
    "tenstride/distributed/mpi.hpp needs MPI: install libopenmpi-dev or libmpich-dev, and compile by mpicxx or with CMake's MPI::MPI_C"
#endif
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tenstride/distributed/transport.hpp"

/// Ranks of MPI, by its C interface. This header alone needs MPI; the library does not, so that it works with
/// any MPI.
namespace tenstride::distributed {

/// The ranks of a communicator. Those of a machine share memory by MPI-3's windows. An error of MPI ends all
/// ranks, with its message. Example: see `Redistributor`.
class MpiTransport final : public Transport {
 public:
  /// Duplicates the communicator, between MPI_Init and MPI_Finalize; both ends of its life are collective.
  /// `machine` has the ranks that share memory with this one; by default all of its machine.
  explicit MpiTransport(MPI_Comm ranks, MPI_Comm machine = MPI_COMM_NULL) {
    MPI_Comm_dup(ranks, &ranks_);
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
    if (machine == MPI_COMM_NULL) {
      MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine_);
    } else {
      MPI_Comm_dup(machine, &machine_);
    }
    MPI_Comm_set_errhandler(machine_, MPI_ERRORS_ARE_FATAL);
    find_near_ranks();
  }
  /// Where an error unwinds this rank alone, the others may never come here: MPI's objects are left open
  /// then, so that the error gets to a handler, which should end all ranks (MPI_Abort).
  ~MpiTransport() override {
    is_unwound_ = std::uncaught_exceptions() > exceptions_;
    release_shared();
    if (is_unwound_) return;
    MPI_Comm_free(&machine_);
    MPI_Comm_free(&ranks_);
  }

  [[nodiscard]] Index rank() const override { return rank_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] bool is_near(Index rank) const override { return near_rank(rank) != MPI_UNDEFINED; }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    const int count = static_cast<int>(own.size());
    sync_windows();
    MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, ranks_);
    sync_windows();
  }
  void send(Index to, std::span<const std::byte> bytes) override {
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), 0, ranks_,
              &sends_.emplace_back(MPI_REQUEST_NULL));
  }
  void receive(Index from, std::span<std::byte> bytes) override {
    MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(from), 0, ranks_,
              &receives_.emplace_back(MPI_REQUEST_NULL));
  }
  std::optional<std::size_t> wait_received() override {
    int which = MPI_UNDEFINED;
    MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &which, MPI_STATUS_IGNORE);
    if (which != MPI_UNDEFINED) return static_cast<std::size_t>(which);
    receives_.clear();
    return std::nullopt;
  }
  void wait_sent() override {
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    sends_.clear();
  }
  void sync_near() override {
    sync_windows();
    MPI_Barrier(machine_);
    sync_windows();
  }
  [[noreturn]] void fail(const std::string& message) override {
    std::fprintf(stderr, "rank %d: %s\n", rank_, message.c_str());
    MPI_Abort(ranks_, 1);
    std::abort();
  }

 private:
  /// A window that is open to all its ranks as long as it lives.
  class Window final : public SharedMemory {
   public:
    Window(MpiTransport& owner, std::size_t nbytes) : owner_(owner) {
      MPI_Info each_at_its_own_pages = MPI_INFO_NULL;
      MPI_Info_create(&each_at_its_own_pages);
      MPI_Info_set(each_at_its_own_pages, "alloc_shared_noncontig", "true");
      void* own = nullptr;
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(nbytes), 1, each_at_its_own_pages, owner.machine_, &own,
                              &window_);
      MPI_Info_free(&each_at_its_own_pages);
      MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
      owner.windows_.push_back(window_);
    }
    ~Window() override {
      if (owner_.is_unwound_) return;
      std::erase(owner_.windows_, window_);
      MPI_Win_unlock_all(window_);
      MPI_Win_free(&window_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::byte* of(Index rank) const override {
      const int near = owner_.near_rank(rank);
      if (near == MPI_UNDEFINED) return nullptr;
      MPI_Aint nbytes = 0;
      int unit = 0;
      void* data = nullptr;
      MPI_Win_shared_query(window_, near, &nbytes, &unit, &data);
      return static_cast<std::byte*>(data);
    }

   private:
    MpiTransport& owner_;
    MPI_Win window_ = MPI_WIN_NULL;
  };

  std::unique_ptr<SharedMemory> allocate_shared(std::size_t nbytes) override {
    return std::make_unique<Window>(*this, nbytes);
  }
  void sync_windows() const {
    for (const MPI_Win window : windows_) MPI_Win_sync(window);
  }
  [[nodiscard]] int near_rank(Index rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }
  void find_near_ranks() {
    std::vector<int> all(static_cast<std::size_t>(size_));
    for (int rank = 0; rank < size_; ++rank) all[static_cast<std::size_t>(rank)] = rank;
    near_ranks_.resize(all.size());
    MPI_Group ranks = MPI_GROUP_NULL;
    MPI_Group machine = MPI_GROUP_NULL;
    MPI_Comm_group(ranks_, &ranks);
    MPI_Comm_group(machine_, &machine);
    MPI_Group_translate_ranks(ranks, size_, all.data(), machine, near_ranks_.data());
    MPI_Group_free(&ranks);
    MPI_Group_free(&machine);
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  MPI_Comm machine_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  int exceptions_ = std::uncaught_exceptions();
  bool is_unwound_ = false;
  std::vector<int> near_ranks_;  ///< by rank: its number within the machine
  std::vector<MPI_Win> windows_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> receives_;
};

}  // namespace tenstride::distributed
