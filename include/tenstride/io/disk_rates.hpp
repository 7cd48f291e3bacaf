// SPDX-License-Identifier: Apache-2.0
#pragma once

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
