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

#include "tenstride/caller.hpp"
#include "tenstride/copy_plan.hpp"
#include "tenstride/error.hpp"
#include "tenstride/export.hpp"
#include "tenstride/scramble.hpp"
#include "tenstride/storage.hpp"
#include "tenstride/transfer.hpp"

/// Copies in the open: a list of all that a stretch of code copies and allocates, and a ban on copies. Both
/// are scopes of the calling thread; where none is open, an operation asks for one pointer. See
/// docs/ledger.md.
namespace tenstride {

/// `copy` reads elements and writes them elsewhere, `fill` writes one value (it is no copy), `allocation` is
/// fresh memory that the same call does not fill by one copy, `scramble` a reshape that moves nothing and was
/// probably meant to be a transpose (see scramble.hpp), `transfer` sends elements to another device (it is
/// foretold; the copies before and after it on either side are entries of their own).
enum class LedgerKind : unsigned char { copy, fill, allocation, scramble, transfer };
/// "copy", "fill", "allocation", "scramble" or "transfer".
TENSTRIDE_API std::string_view name(LedgerKind kind);

/// A line of a script that called, where an interpreter stands between it and the library; of an expression
/// that `evaluate` or `explain` runs, the file is "<expression>".
struct ScriptPlace {
  std::string file;
  std::string function;
  unsigned line = 0;
};

/// One thing that happened; on meta, that would have happened.
struct LedgerEntry {
  LedgerKind kind = LedgerKind::copy;
  /// The outermost public call: "contiguous", "reshape", "cat", …
  std::string operation;
  /// Why there was a copy, or what the scramble was probably meant to be; empty for the other kinds.
  /// Example: "strides (1,3) are not the row-major (2,1)".
  std::string reason;
  /// What was read and written; nothing where there is no such side. Of a gather by an index the whole
  /// source.
  std::optional<Layout> src{};
  std::optional<Layout> dst{};
  DType src_dtype = DType::float32;
  DType dst_dtype = DType::float32;
  /// Of the destination.
  Device device = Device::cpu;
  /// Bytes of elements; each written element is read once. Allocated: by the same call, for this.
  Index bytes_read = 0;
  Index bytes_written = 0;
  Index bytes_allocated = 0;
  /// What carried it out: `CopyPlan::way()`, such as "tile" or "pipelined blocks", or "small" for a copy too
  /// short to be planned, "pieces" for parts joined piece by piece, "boxes" and "mask" for elements picked by
  /// an index, "triangle"; of a transfer "pageable", "pinned" or "peer". Without memory what was planned.
  std::string kernel;
  /// Of a copy between two layouts; else null.
  std::shared_ptr<const CopyPlan> plan{};
  /// Of a transfer; `bytes_read`, and as many `bytes_written`, cross it.
  std::optional<Link> link{};
  /// When it began, from the ledger's beginning, and how long it took. The parts of one "pieces" share the
  /// time by their bytes; on meta 0.
  double start = 0;
  double seconds = 0;
  /// The line that called the operation; line 0 where it is not known.
  Caller caller{};
  /// Told instead of `caller` where there is one.
  std::optional<ScriptPlace> script{};
  /// The name of the innermost NoCopy::Allow, empty where there is none.
  std::string allowed;
};

/// Sums over all entries, also over those that are not kept.
struct LedgerTotals {
  std::size_t copies = 0;
  std::size_t fills = 0;
  /// Of fresh memory, however it was filled.
  std::size_t allocations = 0;
  std::size_t scrambles = 0;
  std::size_t transfers = 0;
  Index bytes_read = 0;
  Index bytes_written = 0;
  Index bytes_allocated = 0;
  /// Bytes that cross a link; read and written above, too.
  Index bytes_transferred = 0;
  /// The most bytes allocated since the ledger began, on all devices together, that were alive at the same
  /// time. What another thread gives back counts on.
  Index peak_bytes = 0;
  double seconds = 0;
  friend bool operator==(const LedgerTotals&, const LedgerTotals&) = default;
};

namespace detail {
class LedgerWatch;

/// A scope that the calling thread's watch knows. Pre: ends on the thread that it began on, the inner scope
/// before the outer.
class TENSTRIDE_API WatchScope {
 public:
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 protected:
  enum class Kind : unsigned char { ledger, no_copy, allow_copy, reading, no_scramble, allow_scramble };
  explicit WatchScope(Kind kind);
  ~WatchScope();
  /// Ends it before its time; again it does nothing.
  void end() noexcept;

 private:
  friend LedgerWatch;
  Kind kind_;
  bool is_open_ = false;
  WatchScope* outer_ = nullptr;
};
}  // namespace detail

/// Lists every copy and every allocation that the calling thread makes while this lives, in order. Ledgers
/// nest: an entry stands in all that are open. What other threads do at a caller's own bidding is not seen;
/// the engine's helpers count to the call that they work for. Scratch memory of one operation's inside (of at
/// most some 128 KiB a thread, or the list of positions of an index) is not listed. Pre: as of any scope
/// here. Example: `CopyLedger ledger; y = x.t().contiguous(); ledger.totals().copies == 1`.
class TENSTRIDE_API CopyLedger : public detail::WatchScope {
 public:
  /// Keeps the first `most` entries, and counts the others.
  explicit CopyLedger(std::size_t most = std::size_t{1} << 16);
  ~CopyLedger() = default;

  [[nodiscard]] const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const LedgerTotals& totals() const noexcept { return totals_; }
  /// How many entries there were beyond what is kept.
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }
  /// Ends the scope early: what it lists stays to be read.
  void close() noexcept { end(); }
  /// Begins anew; what is alive counts no more.
  void clear();

 private:
  friend detail::LedgerWatch;
  void add(LedgerEntry entry, const void* block);
  void allocated(const void* block, Index nbytes);
  void released(const void* block) noexcept;

  std::size_t most_;
  std::size_t left_out_ = 0;
  std::vector<LedgerEntry> entries_;
  LedgerTotals totals_;
  /// Bytes of the blocks allocated since the beginning and alive.
  std::unordered_map<const void*, Index> alive_;
  Index alive_bytes_ = 0;
  /// The block of the last entry, where that is an allocation; a copy or fill of all of it takes it over.
  const void* last_block_ = nullptr;
  std::chrono::steady_clock::time_point began_;
};

/// A copy inside NoCopy. Nothing of it was done; the destination is as it was.
class TENSTRIDE_API NoCopyError : public RuntimeError {
 public:
  explicit NoCopyError(LedgerEntry refused);
  /// What would have been copied.
  [[nodiscard]] const LedgerEntry& refused() const noexcept { return refused_; }

 private:
  LedgerEntry refused_;
};

/// Forbids the calling thread to copy elements: an operation that would throws NoCopyError before it has
/// written anything. Views, fresh memory and fills (`zeros`) are free, and so is what hands elements out of
/// tensors: `item`, `tolist`, `to_vector`, printing, comparisons. Of NoCopy and NoCopy::Allow within each
/// other the innermost decides. A transfer to another device counts as a copy. Pre: as of any scope here.
/// Example: `const NoCopy none; y = x.permute({0, 2, 1}).view({2, 12});` throws where that takes a copy.
class TENSTRIDE_API NoCopy : public detail::WatchScope {
 public:
  NoCopy() : WatchScope(Kind::no_copy) {}
  ~NoCopy() = default;

  /// A named place where copies are welcome. Costs nothing worth naming where no scope is open.
  /// Example: `const NoCopy::Allow allowed("batching");`
  class TENSTRIDE_API Allow : public detail::WatchScope {
   public:
    explicit Allow(std::string_view place) : WatchScope(Kind::allow_copy), place_(place) {}
    ~Allow() = default;

   private:
    friend detail::LedgerWatch;
    std::string place_;
  };

  /// What was let through inside this scope, by place, in the order of the first copy of each.
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

/// A `view` or `reshape` inside NoScramble that was probably meant to be a transpose.
class TENSTRIDE_API ScrambleError : public RuntimeError {
 public:
  ScrambleError(Scramble scramble, std::string_view operation);
  [[nodiscard]] const Scramble& scramble() const noexcept { return scramble_; }

 private:
  Scramble scramble_;
};

/// Strict mode: a `view` or `reshape` of the calling thread in which an axis stands elsewhere and nothing
/// moves (see `find_scramble`) throws ScrambleError, which names the transpose that was probably meant. Where
/// it is meant as it stands, NoScramble::Allow silences this and the ledger's note, for a scope or for one
/// call. Of both within each other the innermost decides. Pre: as of any scope here. Example: `const
/// NoScramble strict; x.reshape({3, 2});` throws for x of sizes (2,3).
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

/// A line for each entry (number, operation, kind, layouts, bytes, kernel, milliseconds, place) and below it
/// the reason; then the totals. Ends with a line end.
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
