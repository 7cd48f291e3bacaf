// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/disk_rates.hpp"

namespace tenstride::io::detail {

/// Reads and writes in turn may cost a disk more than each alone; more than this is noise.
inline constexpr double most_contention = 3;

/// Bytes per second, requests in flight, in the order of chance.
struct DiskSpeeds {
  double large_reads = 0;
  double large_writes = 0;
  double small_reads = 0;
  double small_writes = 0;
  /// Of both together, while as many large requests read as write.
  double mixed = 0;
};

/// The rates by which DiskRates' model gives these speeds; the page is left as it is. `seconds_per_request`
/// is the mean of reads and writes. Example: requests of 1 MiB at 2 GB/s, of 16 KiB at 1 GB/s, mixed at 2
/// GB/s: 2.03e9 bytes per second, 8.3e-6 seconds per request, contention 1.
DiskRates fit_rates(const DiskSpeeds& speeds, double large_nbytes, double small_nbytes);

}  // namespace tenstride::io::detail
