// SPDX-License-Identifier: Apache-2.0
#include "disk_fit.hpp"

#include <algorithm>

namespace tenstride::io {
namespace {

/// What a request costs by the model: its share of the time of each byte grows as requests get smaller.
double request_seconds(double large_speed, double small_speed, double large_nbytes, double small_nbytes) {
  // A system call costs so much at least; disks in memory may show nothing of it.
  constexpr double least = 1e-7;
  const double seconds = (1 / small_speed - 1 / large_speed) / (1 / small_nbytes - 1 / large_nbytes);
  return std::max(seconds, least);
}

/// The speed without what large requests cost. Where they seem to cost more than .9 of the time, that is
/// noise.
double full_speed(double large_speed, double seconds_per_request, double large_nbytes) {
  constexpr double most = 0.9;
  const double byte_seconds = 1 / large_speed;
  return 1 / (byte_seconds - std::min(seconds_per_request / large_nbytes, most * byte_seconds));
}

}  // namespace

DiskRates detail::fit_rates(const DiskSpeeds& speeds, double large_nbytes, double small_nbytes) {
  const double of_reads = request_seconds(speeds.large_reads, speeds.small_reads, large_nbytes, small_nbytes);
  const double of_writes =
      request_seconds(speeds.large_writes, speeds.small_writes, large_nbytes, small_nbytes);
  DiskRates rates;
  rates.read_bytes_per_second = full_speed(speeds.large_reads, of_reads, large_nbytes);
  rates.write_bytes_per_second = full_speed(speeds.large_writes, of_writes, large_nbytes);
  rates.seconds_per_request = (of_reads + of_writes) / 2;
  // For each byte that is read and one that is written.
  const double reading = 1 / speeds.large_reads;
  const double writing = 1 / speeds.large_writes;
  const double both = 2 / speeds.mixed;
  const double added = both - std::max(reading, writing);
  rates.contention = std::clamp(added / std::min(reading, writing), 0.0, detail::most_contention);
  return rates;
}

}  // namespace tenstride::io
