// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tenstride/base/caller.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/layout/scramble.hpp"
#include "tenstride/memory/storage.hpp"
#include "tenstride/memory/transfer.hpp"
#include "tenstride/plan/copy_plan.hpp"

/// Ledgers of copies: a scope that lists everything that a stretch of code copies and allocates, and a scope
/// that forbids copies. Both belong to the calling thread; where none is open, an operation tests one
/// pointer. See docs/ledger.md.
namespace tenstride {

struct ReducePlan;

/// The kinds of entries. `copy` reads elements and writes them elsewhere; `fill` writes one value (it is no
/// copy); `allocation` is new memory that the same call does not fill by one copy; `scramble` is a reshape
/// that moves nothing and was probably meant to be a transpose (see scramble.hpp); `transfer` sends elements
/// to another device (a forecast; copies before and after it on either side are entries of their own);
/// `reduction` reads elements and writes what they come to (it is no copy).
enum class LedgerKind : unsigned char { copy, fill, allocation, scramble, transfer, reduction };
/// "copy", "fill", "allocation", "scramble", "transfer" or "reduction".
TENSTRIDE_API std::string_view name(LedgerKind kind);

/// The calling line of a script, where an interpreter stands between it and the library. For an expression
/// that `evaluate` or `explain` runs, the file is "<expression>".
struct ScriptPlace {
  std::string file;
  std::string function;
  unsigned line = 0;
};

/// A recorded event; on meta, one that would have happened.
struct LedgerEntry {
  LedgerKind kind = LedgerKind::copy;
  /// The outermost public call: "contiguous", "reshape", "cat", …
  std::string operation;
  /// Why there was a copy, or what the scramble was probably meant to be; empty for the other kinds.
  /// Example: "strides (1,3) are not the row-major (2,1)".
  std::string reason;
  /// The layouts that were read and written; empty where there is no such side. For a gather by an index
  /// `src` is the whole source.
  std::optional<Layout> src{};
  std::optional<Layout> dst{};
  DType src_dtype = DType::float32;
  DType dst_dtype = DType::float32;
  /// The device of the destination.
  Device device = Device::cpu;
  /// Bytes of the elements read and written (each written element is read once), and of memory that the same
  /// call allocated for them.
  Index bytes_read = 0;
  Index bytes_written = 0;
  Index bytes_allocated = 0;
  /// The name of what made the copy: `CopyPlan::method()`, such as "tiles" or "blocks"; "pieces" for parts
  /// that are joined, "boxes" and "mask" for elements selected by an index, "triangle"; for a transfer
  /// "pageable", "pinned" or "peer"; for a reduction `ReducePlan::way`, such as "packed rows". Without memory
  /// what was planned.
  std::string kernel;
  /// The plan of a copy between two layouts; otherwise null.
  std::shared_ptr<const CopyPlan> plan{};
  /// The plan of a reduction (reduce_plan.hpp); otherwise null.
  std::shared_ptr<const ReducePlan> reduction{};
  /// The link of a transfer, which `bytes_read` bytes cross.
  std::optional<Link> link{};
  /// Seconds from the ledger's beginning to the start of the event, and its duration. The parts of one
  /// "pieces" copy share the time by their bytes; 0 on meta.
  double start = 0;
  double seconds = 0;
  /// The line that called the operation; line 0 where it is not known.
  Caller caller{};
  /// Shown in place of `caller` where there is one.
  std::optional<ScriptPlace> script{};
  /// The name of the innermost NoCopy::Allow, empty where there is none.
  std::string allowed;
};

/// Sums over all entries, including those that the ledger does not list.
struct LedgerTotals {
  std::size_t copies = 0;
  std::size_t fills = 0;
  /// All allocations, however the memory was filled.
  std::size_t allocations = 0;
  std::size_t scrambles = 0;
  std::size_t transfers = 0;
  std::size_t reductions = 0;
  /// Bytes read and written, without what reductions read and write.
  Index bytes_read = 0;
  Index bytes_written = 0;
  Index bytes_allocated = 0;
  /// Bytes that cross a link; they are counted as read and written, too.
  Index bytes_transferred = 0;
  /// Bytes that reductions read.
  Index bytes_reduced = 0;
  /// The largest number of bytes, allocated since the ledger began, that were alive at the same time, on all
  /// devices together. Memory that another thread frees still counts.
  Index peak_bytes = 0;
  double seconds = 0;
  friend bool operator==(const LedgerTotals&, const LedgerTotals&) = default;
};

namespace detail {
class LedgerWatch;

/// A scope of the calling thread. Pre: ends on the thread that it began on, inner scopes before outer ones.
class TENSTRIDE_API WatchScope {
 public:
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 protected:
  enum class Kind : unsigned char { ledger, no_copy, allow_copy, reading, no_scramble, allow_scramble };
  explicit WatchScope(Kind kind);
  ~WatchScope();
  /// Ends the scope early; does nothing if it has ended.
  void end() noexcept;

 private:
  friend LedgerWatch;
  Kind kind_;
  bool is_open_ = false;
  WatchScope* outer_ = nullptr;
};
}  // namespace detail

/// Lists every copy and every allocation that the calling thread makes during its lifetime, in order. Ledgers
/// nest: an entry is recorded in all that are open. Copies that other threads of the program make are not
/// recorded; the engine's worker threads count for the call that they work for. Scratch memory inside an
/// operation (at most about 128 KiB a thread, or the positions of an index) is muted. Pre: as for any scope
/// here. Example: `CopyLedger ledger; y = x.t().contiguous(); ledger.totals().copies == 1`.
class TENSTRIDE_API CopyLedger : public detail::WatchScope {
 public:
  /// Lists the first `max_entries` entries, and only counts the others.
  explicit CopyLedger(std::size_t max_entries = std::size_t{1} << 16);
  ~CopyLedger() = default;

  [[nodiscard]] const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const LedgerTotals& totals() const noexcept { return totals_; }
  /// The number of entries that are counted but not listed.
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }
  /// Ends the scope early; the entries stay readable.
  void close() noexcept { end(); }
  /// Empties the ledger and begins again; memory that is alive no longer counts.
  void clear();

 private:
  friend detail::LedgerWatch;
  void add(LedgerEntry entry, const void* block);
  void allocated(const void* block, Index nbytes);
  void released(const void* block) noexcept;

  std::size_t max_entries_;
  std::size_t left_out_ = 0;
  std::vector<LedgerEntry> entries_;
  LedgerTotals totals_;
  /// Bytes of each block that was allocated since the beginning and is alive.
  std::unordered_map<const void*, Index> alive_;
  Index alive_bytes_ = 0;
  /// The block of the last entry, if that is an allocation. A copy or fill of the whole block replaces the
  /// entry.
  const void* last_block_ = nullptr;
  std::chrono::steady_clock::time_point began_;
};

/// Thrown for a copy inside NoCopy. Nothing was copied; the destination is unchanged.
class TENSTRIDE_API NoCopyError : public RuntimeError {
 public:
  explicit NoCopyError(LedgerEntry refused);
  /// The copy that was refused.
  [[nodiscard]] const LedgerEntry& refused() const noexcept { return refused_; }

 private:
  LedgerEntry refused_;
};

/// Forbids the calling thread to copy elements: an operation that would copy throws NoCopyError before it has
/// written anything. Views, allocations and fills (`zeros`) are allowed, and so is reading elements out of
/// tensors: `item`, `tolist`, `to_vector`, printing, comparisons. Where NoCopy and NoCopy::Allow are nested,
/// the innermost decides. A transfer to another device counts as a copy. Pre: as for any scope here. Example:
/// `const NoCopy none; y = x.permute({0, 2, 1}).view({2, 12});` throws where that takes a copy.
class TENSTRIDE_API NoCopy : public detail::WatchScope {
 public:
  NoCopy() : WatchScope(Kind::no_copy) {}
  ~NoCopy() = default;

  /// A named scope in which copies are allowed. Takes next to no time where no other scope is open.
  /// Example: `const NoCopy::Allow allowed("batching");`
  class TENSTRIDE_API Allow : public detail::WatchScope {
   public:
    explicit Allow(std::string_view place) : WatchScope(Kind::allow_copy), place_(place) {}
    ~Allow() = default;

   private:
    friend detail::LedgerWatch;
    std::string place_;
  };

  /// The copies that were allowed inside this scope, by place, in the order of the first copy of each.
  struct Allowed {
    std::string place;
    std::size_t copies = 0;
    Index bytes_read = 0;
    Index bytes_written = 0;
  };
  [[nodiscard]] const std::vector<Allowed>& allowed() const noexcept { return allowed_; }

 private:
  friend detail::LedgerWatch;
  std::vector<Allowed> allowed_;
};

/// Thrown for a `view` or `reshape` inside NoScramble that was probably meant to be a transpose.
class TENSTRIDE_API ScrambleError : public RuntimeError {
 public:
  ScrambleError(Scramble scramble, std::string_view operation);
  [[nodiscard]] const Scramble& scramble() const noexcept { return scramble_; }

 private:
  Scramble scramble_;
};

/// Strict mode: a `view` or `reshape` of the calling thread that moves an axis to another position without
/// moving elements (see `find_scramble`) throws ScrambleError, which names the transpose that was probably
/// meant. NoScramble::Allow permits it, and keeps it out of ledgers, for a scope or for one call. Where both
/// are nested, the innermost decides. Pre: as for any scope here. Example: `const NoScramble strict;
/// x.reshape({3, 2});` throws for x of sizes (2,3).
class TENSTRIDE_API NoScramble : public detail::WatchScope {
 public:
  NoScramble() : WatchScope(Kind::no_scramble) {}
  ~NoScramble() = default;

  /// Example: `(NoScramble::Allow(), x.reshape({3, 2}))`.
  class TENSTRIDE_API Allow : public detail::WatchScope {
   public:
    Allow() : WatchScope(Kind::allow_scramble) {}
    ~Allow() = default;
  };
};

/// The ledger as text: one line for each entry (number, operation, kind, layouts, bytes, kernel,
/// milliseconds, place) with the reason below it; then the totals. Ends with a newline.
TENSTRIDE_API std::string to_text(const CopyLedger& ledger);
/// Everything as JSON on one line; `left_out` counts the entries that are not kept:
/// ```text
/// {"entries":[{"kind","operation","reason","src":null|{"layout","dtype"},"dst","device","bytes_read",
/// "bytes_written","bytes_allocated","kernel","link":null|{"from","to","memory","blocking"},"start","seconds",
/// "file","line","function","allowed"}],"totals":{"copies","fills","allocations","scrambles","transfers",
/// "bytes_read","bytes_written","bytes_allocated","bytes_transferred","peak_bytes","seconds"},"left_out"}
/// ```
TENSTRIDE_API std::string to_json(const CopyLedger& ledger);
/// A JSON array of complete events in Chrome's trace format, to be looked at in Perfetto or chrome://tracing:
/// `{"name","cat","ph":"X","ts","dur","pid","tid","args"}`, times in microseconds from the ledger's
/// beginning.
TENSTRIDE_API std::string to_trace(const CopyLedger& ledger);

}  // namespace tenstride
