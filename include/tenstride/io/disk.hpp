// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {

/// The speed of a disk as a linear model: a transfer of n bytes by r requests, many of them in flight, takes
/// n / bytes_per_second + r * seconds_per_request. A run of bytes_per_second * seconds_per_request bytes
/// reaches half of the full speed, one four times as long .80 of it.
struct DiskRates {
  double read_bytes_per_second = 2e9;
  double write_bytes_per_second = 2e9;
  double seconds_per_request = 1e-5;
  /// How much reading and writing slow each other: 1, they share the speed; 0, neither slows the other; above
  /// 1, both together take longer than one after the other.
  double contention = 1;
  /// Offsets and lengths of requests are multiples of this many bytes; 1 through the page cache.
  Index page = 4096;
  friend bool operator==(const DiskRates&, const DiskRates&) = default;
};

}  // namespace tenstride

namespace tenstride::io {

/// How the bytes of large files are moved: past the page cache (O_DIRECT) or through it. `automatic`: past it
/// where the file system can.
enum class DiskAccess : unsigned char { automatic, direct, buffered };

/// Measures the disk under a folder, for about three seconds, with a file of at most `nbytes` that has no
/// name and is gone afterwards: requests of 256 KiB that read, that write and of both in turn, and such of 16
/// KiB, at most 64 and 8 MiB of a kind in flight, give the rates. Throws FileError, and ValueError for less
/// than 2 MiB. Example: `measure_disk(".")` of a virtio disk: 3.3e9 bytes read and 3.5e9 written per second,
/// 7.9e-6 seconds per request, contention 1.3, page 4096.
TENSTRIDE_API DiskRates measure_disk(const std::string& folder, DiskAccess access = DiskAccess::automatic,
                                     std::size_t nbytes = std::size_t{1} << 30);

/// What is kept of earlier measurements, for the disk that a file or folder is on.
struct KnownDisk {
  DiskRates rates;
  /// Whether the rates were measured; otherwise they are those of DiskRates{}.
  bool is_measured = false;
};
/// The kept rates, or those of DiskRates{}; measures nothing and writes nothing.
TENSTRIDE_API KnownDisk known_disk(const std::string& path);
/// Measures anew and keeps that in `disk_rates_file()`.
TENSTRIDE_API DiskRates refresh_disk(const std::string& folder);
/// `$XDG_CACHE_HOME/tenstride/disks`, or `~/.cache/tenstride/disks`; empty where neither is known.
TENSTRIDE_API std::string disk_rates_file();

}  // namespace tenstride::io
