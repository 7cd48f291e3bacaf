// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tenstride/base/caller.hpp"
#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/memory/storage.hpp"

/// How ledgers and their like get to know what the calling thread does. The rungs that allocate and copy ask
/// one thing, whether the thread's `watch` is null; it is, unless a scope of ledger.hpp is open.
namespace tenstride {
struct ScriptPlace;
}

namespace tenstride::detail {

/// Told of a thread's memory and names what it does. Implemented by the ledger's rung.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Fresh memory, or memory that has grown to `nbytes`. The block is told by its address alone.
  virtual void allocated(const StorageBlock* block, Device device, std::uint64_t nbytes) = 0;
  virtual void released(const StorageBlock* block) noexcept = 0;
  /// A tensor is about to be seen in other sizes, without -1. Throws where that is forbidden.
  virtual void reshaped(const Dims& from, const Dims& to, std::string_view what, const Caller& caller) = 0;
  /// The bytes of a block are about to be moved to a longer one. Throws where that is forbidden.
  virtual void moving(std::uint64_t nbytes, Device device) = 0;

  /// The public call that is under way, the outermost; empty between calls.
  std::string_view operation;
  Caller caller;
  /// The script's line that is under way; null where none is known.
  const ScriptPlace* script = nullptr;
  /// Why it copies, where something knows better than "always".
  std::string reason;

 protected:
  ~Watch() = default;
};

/// Read at the price of a register (initial-exec: 8 bytes that also a library loaded late finds room for).
TENSTRIDE_API extern constinit thread_local Watch* watch __attribute__((tls_model("initial-exec")));

/// A public operation, from here to the end of the scope. Of operations within each other the outermost one
/// has the name and the place. Handed to what computes the operation it is also its name.
class OperationScope {
 public:
  OperationScope(std::string_view name, const Caller& caller) noexcept : name_(name) {
    if (watch == nullptr || !watch->operation.empty()) [[likely]] {
      return;
    }
    begun_ = watch;
    begun_->operation = name;
    begun_->caller = caller;
  }
  ~OperationScope() {
    if (begun_ != nullptr) [[unlikely]] {
      begun_->operation = {};
    }
  }
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;
  operator std::string_view() const noexcept { return name_; }

 private:
  std::string_view name_;
  Watch* begun_ = nullptr;
};

/// An interpreter's call, from here to the end of the scope. Pre: the place lives as long.
class ScriptScope {
 public:
  explicit ScriptScope(const ScriptPlace& place) noexcept : begun_(watch) {
    if (begun_ != nullptr) outer_ = std::exchange(begun_->script, &place);
  }
  ~ScriptScope() {
    if (begun_ != nullptr) begun_->script = outer_;
  }
  ScriptScope(const ScriptScope&) = delete;
  ScriptScope& operator=(const ScriptScope&) = delete;

 private:
  Watch* begun_;
  const ScriptPlace* outer_ = nullptr;
};

/// Says why what happens in the scope is a copy; `text()` is called only where somebody watches. The
/// innermost reason counts.
class ReasonScope {
 public:
  template <class Text>
  explicit ReasonScope(const Text& text) {
    if (watch == nullptr) [[likely]] {
      return;
    }
    begun_ = watch;
    outer_ = std::exchange(begun_->reason, text());
  }
  ~ReasonScope() {
    if (begun_ != nullptr) [[unlikely]] {
      begun_->reason = std::move(outer_);
    }
  }
  ReasonScope(const ReasonScope&) = delete;
  ReasonScope& operator=(const ReasonScope&) = delete;

 private:
  Watch* begun_ = nullptr;
  std::string outer_;
};

}  // namespace tenstride::detail
