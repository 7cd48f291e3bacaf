// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/disk.hpp"

namespace tenstride::io::detail {

/// Reads and writes in turn may cost a disk more than each alone; more than this is noise.
inline constexpr double max_contention = 3;

/// Bytes per second, requests in flight, in the order of chance.
struct DiskSpeeds {
  double large_reads = 0;
  double large_writes = 0;
  /// The speed of both together, while as many requests read as write: as in a pass.
  double large_mixed = 0;
  double small_mixed = 0;
};

/// The rates by which DiskRates' model gives these speeds; the page is left as it is. Example: requests of 1
/// MiB read and written at 2 GB/s, alone and mixed, of 16 KiB mixed at 1 GB/s: 2.03e9 bytes per second,
/// 8.3e-6 seconds per request, contention 1.
DiskRates fit_rates(const DiskSpeeds& speeds, double large_nbytes, double small_nbytes);

}  // namespace tenstride::io::detail
