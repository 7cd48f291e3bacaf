// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ledger/ledger.hpp"

#include <algorithm>
#include <utility>

#include "base/message.hpp"
#include "ledger/place.hpp"
#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/text.hpp"

/// The scopes of a thread, and how they record, refuse and count copies.
namespace tenstride {

using detail::LedgerWatch;
using detail::message;

std::string_view name(LedgerKind kind) {
  constexpr std::string_view names[] = {"copy", "fill", "allocation", "scramble", "transfer", "reduction"};
  return names[static_cast<std::size_t>(kind)];
}

CopyLedger::CopyLedger(std::size_t max_entries)
    : WatchScope(Kind::ledger), max_entries_(max_entries), began_(std::chrono::steady_clock::now()) {}

void CopyLedger::clear() {
  entries_.clear();
  left_out_ = 0;
  totals_ = {};
  alive_.clear();
  alive_bytes_ = 0;
  last_block_ = nullptr;
  began_ = std::chrono::steady_clock::now();
}

void CopyLedger::add(LedgerEntry entry, const void* block) {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - began_;
  entry.start = std::max(since.count() - entry.seconds, 0.0);
  totals_.copies += entry.kind == LedgerKind::copy ? 1 : 0;
  totals_.fills += entry.kind == LedgerKind::fill ? 1 : 0;
  totals_.scrambles += entry.kind == LedgerKind::scramble ? 1 : 0;
  if (entry.kind == LedgerKind::transfer) {
    ++totals_.transfers;
    totals_.bytes_transferred = saturating_add(totals_.bytes_transferred, entry.bytes_read);
  }
  if (entry.kind == LedgerKind::reduction) {
    ++totals_.reductions;
    totals_.bytes_reduced = saturating_add(totals_.bytes_reduced, entry.bytes_read);
  } else {
    totals_.bytes_read = saturating_add(totals_.bytes_read, entry.bytes_read);
    totals_.bytes_written = saturating_add(totals_.bytes_written, entry.bytes_written);
  }
  totals_.seconds += entry.seconds;
  const bool is_allocation = entry.kind == LedgerKind::allocation;
  const bool takes_over = !is_allocation && block != nullptr && block == last_block_ &&
                          entries_.back().bytes_allocated == entry.bytes_written;
  last_block_ = nullptr;
  if (takes_over) {
    entry.bytes_allocated = entries_.back().bytes_allocated;
    entries_.back() = std::move(entry);
  } else if (entries_.size() < max_entries_) {
    entries_.push_back(std::move(entry));
    if (is_allocation) last_block_ = block;
  } else {
    ++left_out_;
  }
}

void CopyLedger::allocated(const void* block, Index nbytes) {
  ++totals_.allocations;
  totals_.bytes_allocated = saturating_add(totals_.bytes_allocated, nbytes);
  alive_bytes_ = saturating_add(alive_bytes_, nbytes);
  totals_.peak_bytes = std::max(totals_.peak_bytes, alive_bytes_);
  const auto [place, is_new] = alive_.try_emplace(block, nbytes);
  if (!is_new)
    alive_bytes_ = std::max<Index>(alive_bytes_ - std::exchange(place->second, nbytes), 0);  // grown
}

void CopyLedger::released(const void* block) noexcept {
  const auto found = alive_.find(block);
  if (found == alive_.end()) return;
  alive_bytes_ = std::max<Index>(alive_bytes_ - found->second, 0);
  alive_.erase(found);
}

NoCopyError::NoCopyError(LedgerEntry refused)
    : RuntimeError(message(refused.operation, ": ", to_string(*refused.src), " ", name(refused.src_dtype),
                           " must not be copied inside NoCopy: ", refused.reason, "; ", refused.bytes_read,
                           " B would be read and ", refused.bytes_written, " B written as ",
                           to_string(*refused.dst), " ", name(refused.dst_dtype), " (",
                           detail::place_text(refused),
                           "); use a view, copy before the scope, or let the place copy by NoCopy::Allow")),
      refused_(std::move(refused)) {}

ScrambleError::ScrambleError(Scramble scramble, std::string_view operation)
    : RuntimeError(message(operation, ": ", to_string(scramble),
                           " (inside NoScramble; where it is meant, NoScramble::Allow lets it pass)")),
      scramble_(std::move(scramble)) {}

namespace detail {

namespace {
/// Whether an entry is of elements that were moved: a copy or a transfer.
bool moves_elements(const LedgerEntry& entry) {
  return entry.kind == LedgerKind::copy || entry.kind == LedgerKind::transfer;
}
}  // namespace

WatchScope::WatchScope(Kind kind) : kind_(kind) {
  LedgerWatch::open(*this);
}
WatchScope::~WatchScope() {
  end();
}
void WatchScope::end() noexcept {
  if (is_open_) LedgerWatch::close(*this);
  is_open_ = false;
}

void LedgerWatch::open(WatchScope& scope) {
  using Kind = WatchScope::Kind;
  const bool forbids_or_lists =
      scope.kind_ == Kind::ledger || scope.kind_ == Kind::no_copy || scope.kind_ == Kind::no_scramble;
  if (watch == nullptr) {
    if (!forbids_or_lists) return;  // nothing is forbidden that could be allowed
    watch = new LedgerWatch;
  }
  LedgerWatch& it = ledger_watch();
  scope.outer_ = std::exchange(it.innermost_, &scope);
  scope.is_open_ = true;
}

void LedgerWatch::close(WatchScope& scope) noexcept {
  LedgerWatch& it = ledger_watch();
  WatchScope** link = &it.innermost_;
  while (*link != &scope) link = &(*link)->outer_;
  *link = scope.outer_;
  if (it.innermost_ != nullptr) return;
  delete &it;
  watch = nullptr;
}

WatchScope* LedgerWatch::deciding(WatchScope::Kind forbids, WatchScope::Kind allows) const noexcept {
  WatchScope* scope = innermost_;
  while (scope != nullptr && scope->kind_ != forbids && scope->kind_ != allows &&
         (forbids != WatchScope::Kind::no_copy || scope->kind_ != WatchScope::Kind::reading)) {
    scope = scope->outer_;
  }
  return scope;
}

void LedgerWatch::require_allowed(const LedgerEntry& entry) const {
  if (!moves_elements(entry)) return;
  const WatchScope* const scope = deciding(WatchScope::Kind::no_copy, WatchScope::Kind::allow_copy);
  if (scope != nullptr && scope->kind_ == WatchScope::Kind::no_copy) throw NoCopyError(entry);
}

void LedgerWatch::add(LedgerEntry entry, const void* block) {
  const WatchScope* const scope = deciding(WatchScope::Kind::no_copy, WatchScope::Kind::allow_copy);
  const bool is_allowed =
      moves_elements(entry) && scope != nullptr && scope->kind_ == WatchScope::Kind::allow_copy;
  if (is_allowed) entry.allowed = static_cast<const NoCopy::Allow*>(scope)->place_;
  for (WatchScope* each = innermost_; each != nullptr; each = each->outer_) {
    if (each->kind_ == WatchScope::Kind::ledger) static_cast<CopyLedger*>(each)->add(entry, block);
    if (each->kind_ != WatchScope::Kind::no_copy || !is_allowed) continue;
    std::vector<NoCopy::Allowed>& places = static_cast<NoCopy*>(each)->allowed_;
    auto place = std::find_if(places.begin(), places.end(),
                              [&](const NoCopy::Allowed& known) { return known.place == entry.allowed; });
    if (place == places.end()) place = places.insert(places.end(), {entry.allowed, 0, 0, 0});
    ++place->copies;
    place->bytes_read = saturating_add(place->bytes_read, entry.bytes_read);
    place->bytes_written = saturating_add(place->bytes_written, entry.bytes_written);
  }
}

void LedgerWatch::allocated(const StorageBlock* block, Device device, std::uint64_t nbytes) {
  if (mute_depth > 0) return;
  LedgerEntry entry;
  entry.kind = LedgerKind::allocation;
  entry.operation = operation.empty() ? "allocate" : operation;
  entry.device = device;
  entry.bytes_allocated = static_cast<Index>(nbytes);
  entry.caller = operation.empty() ? Caller() : caller;
  if (script != nullptr) entry.script = *script;
  for (WatchScope* each = innermost_; each != nullptr; each = each->outer_) {
    if (each->kind_ != WatchScope::Kind::ledger) continue;
    static_cast<CopyLedger*>(each)->allocated(block, entry.bytes_allocated);
  }
  add(std::move(entry), block);
}

void LedgerWatch::released(const StorageBlock* block) noexcept {
  for (WatchScope* each = innermost_; each != nullptr; each = each->outer_) {
    if (each->kind_ == WatchScope::Kind::ledger) static_cast<CopyLedger*>(each)->released(block);
  }
}

void LedgerWatch::reshaped(const Dims& from, const Dims& to, std::string_view what, const Caller& place) {
  if (!operation.empty()) return;  // views that the library makes itself are no scrambles
  const std::optional<Scramble> found = find_scramble(from, to);
  if (!found) return;
  const WatchScope* const scope = deciding(WatchScope::Kind::no_scramble, WatchScope::Kind::allow_scramble);
  if (scope != nullptr && scope->kind_ == WatchScope::Kind::allow_scramble) return;
  if (scope != nullptr) throw ScrambleError(*found, what);
  LedgerEntry entry;
  entry.kind = LedgerKind::scramble;
  entry.operation = what;
  entry.reason = to_string(*found);
  entry.src = row_major(from);
  entry.dst = row_major(to);
  entry.caller = place;
  if (script != nullptr) entry.script = *script;
  add(std::move(entry), nullptr);
}

void LedgerWatch::moving(std::uint64_t nbytes, Device device) {
  if (mute_depth > 0) return;
  LedgerEntry entry;
  entry.operation = operation.empty() ? "grow" : operation;
  entry.reason = reason.empty() ? "the storage grows, and its bytes move" : reason;
  entry.src = entry.dst = row_major({static_cast<Index>(nbytes)});
  entry.src_dtype = entry.dst_dtype = DType::uint8;
  entry.device = device;
  entry.bytes_read = entry.bytes_written = static_cast<Index>(nbytes);
  entry.kernel = way_names[0];
  entry.caller = operation.empty() ? Caller() : caller;
  if (script != nullptr) entry.script = *script;
  require_allowed(entry);
  add(std::move(entry), nullptr);
}

LedgerEntry copy_entry(const Tensor& dst, const Tensor& src, Index count) {
  const Watch& it = *watch;
  LedgerEntry entry;
  entry.operation = it.operation;
  entry.reason = it.reason.empty() ? message(it.operation, " always copies") : it.reason;
  entry.src = src.layout();
  entry.dst = dst.layout();
  entry.src_dtype = src.dtype();
  entry.dst_dtype = dst.dtype();
  entry.device = dst.device();
  entry.bytes_read = saturating_multiply(count, static_cast<Index>(src.element_size()));
  entry.bytes_written = saturating_multiply(count, static_cast<Index>(dst.element_size()));
  entry.caller = it.caller;
  if (it.script != nullptr) entry.script = *it.script;
  return entry;
}

LedgerEntry fill_entry(const Tensor& dst) {
  LedgerEntry entry;
  entry.kind = LedgerKind::fill;
  entry.operation = watch->operation;
  entry.dst = dst.layout();
  entry.dst_dtype = entry.src_dtype = dst.dtype();
  entry.device = dst.device();
  entry.bytes_written = static_cast<Index>(dst.nbytes());
  entry.caller = watch->caller;
  if (watch->script != nullptr) entry.script = *watch->script;
  return entry;
}

void require_copy_allowed(const Layout& dst, DType dst_dtype, const Tensor& src) {
  if (!is_watched() || is_empty(dst)) return;
  const Tensor wanted = unchecked_tensor(Storage(), dst, dst_dtype);
  ledger_watch().require_allowed(copy_entry(wanted, src, numel(dst)));
}

void record(std::span<LedgerEntry> entries, const Storage& dst, CopyWork work, void* state) {
  LedgerWatch& it = ledger_watch();
  const auto bytes_of = [](const LedgerEntry& entry) {
    return static_cast<double>(entry.bytes_read) + static_cast<double>(entry.bytes_written);
  };
  double bytes = 0;
  for (const LedgerEntry& entry : entries) {
    it.require_allowed(entry);
    bytes += bytes_of(entry);
  }
  std::string_view kernel;
  const auto start = std::chrono::steady_clock::now();
  {
    const MutedScope muted;
    kernel = work(state);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  for (LedgerEntry& entry : entries) {
    if (entry.device.has_memory()) entry.seconds = took.count() * bytes_of(entry) / bytes;
    if (entry.kernel.empty()) entry.kernel = kernel.empty() && entry.plan ? entry.plan->method() : kernel;
    it.add(std::move(entry), dst.id());
  }
}

}  // namespace detail
}  // namespace tenstride
