// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tenstride/ledger.hpp"

/// How fast this machine copies, and so how long what a ledger lists will take.
namespace tenstride {

/// Bytes read plus bytes written per second, of copies by this library with as many threads as it has.
struct Bandwidth {
  /// A plain copy that stays in a core's cache.
  double cached = 0;
  /// A plain copy far larger than all caches, into memory that is in use.
  double memory = 0;
  /// The same into memory that the system has to give first.
  double fresh = 0;
  /// What is left of `memory` and `cached` where both sides are walked in other orders (a transpose): a
  /// share.
  double transposed_share = 0;
  double transposed_cached_share = 0;
  /// Seconds that a copy of a few bytes takes.
  double call_seconds = 0;
  int threads = 1;
  /// To other devices: not measured, and not kept in the file (see transfer.hpp).
  LinkSpeed link = link_speed();
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Measures, for about half a second, with 256 MiB of memory.
TENSTRIDE_API Bandwidth measure_bandwidth();

/// This machine's: measured once and kept in `bandwidth_file()`. A file that is damaged, or of another
/// processor, number of threads or version, is measured anew and replaced; where it cannot be written, the
/// figures last as long as the process. Any thread may ask. Throws nothing but std::bad_alloc and
/// StorageError.
TENSTRIDE_API Bandwidth machine_bandwidth();
/// The same where it was measured before; measures nothing, and so needs no memory.
TENSTRIDE_API std::optional<Bandwidth> known_bandwidth();
/// Measures anew, whatever is kept, and keeps that.
TENSTRIDE_API Bandwidth refresh_bandwidth();
/// `$XDG_CACHE_HOME/tenstride/bandwidth`, or `~/.cache/tenstride/bandwidth`; empty where neither is known.
TENSTRIDE_API std::string bandwidth_file();

/// The seconds that an entry will take, by its bytes, its kernel and whether its memory is fresh: a forecast
/// good to a factor of 2 or so. 0 for what moves nothing.
TENSTRIDE_API double forecast_seconds(const LedgerEntry& entry, const Bandwidth& bandwidth);
/// Of all entries that are kept.
TENSTRIDE_API double forecast_seconds(const CopyLedger& ledger, const Bandwidth& bandwidth);

/// Lines for people, in 10^9 bytes per second.
TENSTRIDE_API std::string to_text(const Bandwidth& bandwidth);
/// `{"cached","memory","fresh","transposed_share","transposed_cached_share","call_seconds","threads"}`.
TENSTRIDE_API std::string to_json(const Bandwidth& bandwidth);

}  // namespace tenstride
