// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "memory/watch.hpp"
#include "tenstride/ledger.hpp"
#include "tenstride/tensor.hpp"

/// What operations tell the calling thread's ledgers. All of it is for the case that `watch` is not null.
namespace tenstride::detail {

/// The one Watch there is: hands on to the open scopes, the innermost first.
class LedgerWatch final : public Watch {
 public:
  void allocated(const StorageBlock* block, Device device, std::size_t nbytes) override;
  void released(const StorageBlock* block) noexcept override;
  void reshaped(const Dims& from, const Dims& to, std::string_view what, const Caller& caller) override;
  void moving(std::size_t nbytes, Device device) override;

  /// Opens the first scope of the thread, or null; closes the last.
  static void open(WatchScope& scope);
  static void close(WatchScope& scope) noexcept;

  /// Throws NoCopyError where the innermost scope that knows forbids it.
  void require_allowed(const LedgerEntry& entry) const;
  void add(LedgerEntry entry, const void* block);

  /// Inside of what is told as a whole nothing is told: 0 outside.
  int covered = 0;

 private:
  [[nodiscard]] WatchScope* deciding(WatchScope::Kind forbids, WatchScope::Kind allows) const noexcept;

  WatchScope* innermost_ = nullptr;
};

inline LedgerWatch& ledger_watch() noexcept {
  return static_cast<LedgerWatch&>(*watch);
}
/// Whether copies are to be told.
inline bool is_watched() noexcept {
  return watch != nullptr && ledger_watch().covered == 0;
}

/// A copy of `count` elements, with the operation under way and its reason; no plan.
LedgerEntry copy_entry(const Tensor& dst, const Tensor& src, Index count);
/// A fill of all elements.
LedgerEntry fill_entry(const Tensor& dst);
/// A copy into memory that is not there yet may be refused before that is asked for.
void require_copy_allowed(const Layout& dst, DType dst_dtype, const Tensor& src);

/// Names what carried a copy out, and does it.
using CopyWork = std::string_view (*)(void* state);
/// Refuses the copies, or carries them out by one call and tells them. Pre: is_watched().
void record(std::span<LedgerEntry> entries, const Storage& dst, CopyWork work, void* state);

/// The same with a callable that gives the kernel's name ("": the plan's). Anything else that it does, copies
/// and scratch memory, is not told.
template <class Work>
void record(std::span<LedgerEntry> entries, const Storage& dst, const Work& work) {
  record(
      entries, dst, [](void* state) -> std::string_view { return (*static_cast<const Work*>(state))(); },
      const_cast<Work*>(&work));
}

/// Carries out a copy of `count` elements that is no plan's, and tells it where somebody watches.
template <class Work>
void copy_by(std::string_view kernel, const Tensor& dst, const Tensor& src, Index count, const Work& work) {
  if (!is_watched() || count == 0) return work();
  LedgerEntry entry = copy_entry(dst, src, count);
  record({&entry, 1}, dst.storage(), [&] {
    work();
    return kernel;
  });
}

/// What happens in the scope is the inside of one operation: scratch memory and the copies to and from it are
/// neither told nor refused.
class MutedScope {
 public:
  MutedScope() noexcept : watched_(watch != nullptr ? &ledger_watch() : nullptr) {
    if (watched_ != nullptr) ++watched_->covered;
  }
  ~MutedScope() {
    if (watched_ != nullptr) --watched_->covered;
  }
  MutedScope(const MutedScope&) = delete;
  MutedScope& operator=(const MutedScope&) = delete;

 private:
  LedgerWatch* watched_;
};

/// Elements are handed out of tensors, or looked at: what is copied to that end NoCopy lets pass.
class ReadingScope : public WatchScope {
 public:
  ReadingScope() : WatchScope(Kind::reading) {}
  ~ReadingScope() = default;
};

}  // namespace tenstride::detail
