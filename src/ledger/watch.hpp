// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "memory/watch.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/tensor/tensor.hpp"

/// How operations report to the calling thread's ledgers. All functions here except `is_watched` and
/// MutedScope have the precondition that `watch` is not null.
namespace tenstride::detail {

/// The implementation of Watch: passes events to the open scopes, the innermost first.
class LedgerWatch final : public Watch {
 public:
  void allocated(const StorageBlock* block, Device device, std::uint64_t nbytes) override;
  void released(const StorageBlock* block) noexcept override;
  void reshaped(const Dims& from, const Dims& to, std::string_view what, const Caller& caller) override;
  void moving(std::uint64_t nbytes, Device device) override;

  /// Adds a scope of the thread; the first one creates the watch, if it can record or forbid anything.
  /// `close` removes a scope; the last one deletes the watch.
  static void open(WatchScope& scope);
  static void close(WatchScope& scope) noexcept;

  /// Throws NoCopyError where the innermost scope that decides about copies forbids them.
  TENSTRIDE_API void require_allowed(const LedgerEntry& entry) const;
  void add(LedgerEntry entry, const void* block);

  /// The number of open MutedScopes: where it is not 0, nothing is recorded.
  int mute_depth = 0;

 private:
  [[nodiscard]] WatchScope* deciding(WatchScope::Kind forbids, WatchScope::Kind allows) const noexcept;

  WatchScope* innermost_ = nullptr;
};

inline LedgerWatch& ledger_watch() noexcept {
  return static_cast<LedgerWatch&>(*watch);
}
/// Whether copies have to be recorded: a scope is open, and it is not muted.
inline bool is_watched() noexcept {
  return watch != nullptr && ledger_watch().mute_depth == 0;
}

/// An entry of a copy of `count` elements, with the current operation and its reason, and without a plan.
TENSTRIDE_API LedgerEntry copy_entry(const Tensor& dst, const Tensor& src, Index count);
/// An entry of a fill of all elements.
LedgerEntry fill_entry(const Tensor& dst);
/// Throws NoCopyError where a copy into new memory is forbidden, before that memory is allocated.
void require_copy_allowed(const Layout& dst, DType dst_dtype, const Tensor& src);

/// Makes a copy, and returns the name of what made it.
using CopyWork = std::string_view (*)(void* state);
/// Makes the copies by one call of `work`, and records them; throws NoCopyError before that where copies are
/// forbidden. Pre: is_watched().
TENSTRIDE_API void record(std::span<LedgerEntry> entries, const Storage& dst, CopyWork work, void* state);

/// Makes the copies by a callable that returns the kernel's name ("": the plan's). Copies and allocations
/// inside it are muted.
template <class Work>
void record(std::span<LedgerEntry> entries, const Storage& dst, const Work& work) {
  record(
      entries, dst, [](void* state) -> std::string_view { return (*static_cast<const Work*>(state))(); },
      const_cast<Work*>(&work));
}

/// Makes a copy of `count` elements that has no plan, and records it where a scope is open.
template <class Work>
void copy_by(std::string_view kernel, const Tensor& dst, const Tensor& src, Index count, const Work& work) {
  if (!is_watched() || count == 0) return work();
  LedgerEntry entry = copy_entry(dst, src, count);
  record({&entry, 1}, dst.storage(), [&] {
    work();
    return kernel;
  });
}

/// Mutes its scope, which is the inside of one operation: scratch memory and copies to and from it are
/// neither recorded nor refused.
class MutedScope {
 public:
  MutedScope() noexcept : watched_(watch != nullptr ? &ledger_watch() : nullptr) {
    if (watched_ != nullptr) ++watched_->mute_depth;
  }
  ~MutedScope() {
    if (watched_ != nullptr) --watched_->mute_depth;
  }
  MutedScope(const MutedScope&) = delete;
  MutedScope& operator=(const MutedScope&) = delete;

 private:
  LedgerWatch* watched_;
};

/// A scope that reads elements out of tensors: NoCopy allows the copies that this takes.
class ReadingScope : public WatchScope {
 public:
  ReadingScope() : WatchScope(Kind::reading) {}
  ~ReadingScope() = default;
};

}  // namespace tenstride::detail
