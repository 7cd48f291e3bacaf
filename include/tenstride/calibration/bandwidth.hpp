// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tenstride/ledger/ledger.hpp"

/// The bandwidth of copies on this machine, and forecasts of how long the entries of a ledger take.
namespace tenstride {

/// Bytes read plus bytes written per second, of copies by this library with all its threads.
struct Bandwidth {
  /// A plain copy within a core's cache.
  double cached = 0;
  /// A plain copy far larger than all caches, into memory that has been written before.
  double memory = 0;
  /// A plain copy into new memory, whose pages the system has to provide first.
  double fresh = 0;
  /// The bandwidth of a transpose as a share of `memory` and of `cached`.
  double transposed_share = 0;
  double transposed_cached_share = 0;
  /// Seconds that a copy of 16 bytes takes.
  double call_seconds = 0;
  int threads = 1;
  /// The link to other devices; neither measured nor stored in the file (see transfer.hpp).
  LinkSpeed link = link_speed();
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Measures the bandwidth; takes about half a second and 256 MiB of memory.
TENSTRIDE_API Bandwidth measure_bandwidth();

/// The bandwidth of this machine: measured once and stored in `bandwidth_file()`. A file that is damaged, or
/// is of another processor, number of threads or version, is replaced by a new measurement; where the file
/// cannot be written, the figures last as long as the process. Thread-safe. Throws nothing but std::bad_alloc
/// and StorageError.
TENSTRIDE_API Bandwidth machine_bandwidth();
/// The bandwidth of this machine if it was measured before, otherwise nothing. Never measures.
TENSTRIDE_API std::optional<Bandwidth> known_bandwidth();
/// Measures again and replaces what was stored.
TENSTRIDE_API Bandwidth refresh_bandwidth();
/// `$XDG_CACHE_HOME/tenstride/bandwidth`, or `~/.cache/tenstride/bandwidth`; empty where neither is known.
TENSTRIDE_API std::string bandwidth_file();

/// A forecast of the seconds that an entry takes, by its bytes, its kernel and whether its memory is new;
/// right to a factor of about 2. 0 for entries that move nothing.
TENSTRIDE_API double forecast_seconds(const LedgerEntry& entry, const Bandwidth& bandwidth);
/// The sum over all entries that the ledger lists.
TENSTRIDE_API double forecast_seconds(const CopyLedger& ledger, const Bandwidth& bandwidth);

/// The figures as lines for people, in 10^9 bytes per second.
TENSTRIDE_API std::string to_text(const Bandwidth& bandwidth);
/// `{"cached","memory","fresh","transposed_share","transposed_cached_share","call_seconds","threads"}`.
TENSTRIDE_API std::string to_json(const Bandwidth& bandwidth);

}  // namespace tenstride
