// SPDX-License-Identifier: Apache-2.0
#include "io/disk/fit.hpp"

#include <algorithm>

namespace tenstride::io {
namespace {

/// The speed without what large requests cost. Where they seem to cost more than .9 of the time, that is
/// noise.
double full_speed(double large_speed, double seconds_per_request, double large_nbytes) {
  constexpr double most = 0.9;
  const double byte_seconds = 1 / large_speed;
  return 1 / (byte_seconds - std::min(seconds_per_request / large_nbytes, most * byte_seconds));
}

}  // namespace

DiskRates detail::fit_rates(const DiskSpeeds& speeds, double large_nbytes, double small_nbytes) {
  // For each byte that is read and one that is written.
  const double reading = 1 / speeds.large_reads;
  const double writing = 1 / speeds.large_writes;
  const double added = 2 / speeds.large_mixed - std::max(reading, writing);
  DiskRates rates;
  rates.contention = std::clamp(added / std::min(reading, writing), 0.0, max_contention);
  // By the model a request that reads and one that writes together take n * byte_seconds + (1 + contention) *
  // seconds_per_request. A system call costs so much at least; disks in memory may show nothing of it.
  constexpr double least = 1e-7;
  const double small = 2 / speeds.small_mixed - 2 / speeds.large_mixed;
  const double requests = (1 / small_nbytes - 1 / large_nbytes) * (1 + rates.contention);
  rates.seconds_per_request = std::max(small / requests, least);
  rates.read_bytes_per_second = full_speed(speeds.large_reads, rates.seconds_per_request, large_nbytes);
  rates.write_bytes_per_second = full_speed(speeds.large_writes, rates.seconds_per_request, large_nbytes);
  return rates;
}

}  // namespace tenstride::io
