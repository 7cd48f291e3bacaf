// SPDX-License-Identifier: Apache-2.0
#include "tenstride/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "tenstride/copy.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/memory.hpp"
#include "tenstride/parallel.hpp"

/// Measurements, and what follows from them.
namespace tenstride {
namespace {

/// The shortest of several runs: whatever else the machine does only adds.
template <class Work>
double shortest(int runs, const Work& work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return std::max(best, 1e-9);
}

/// Bytes of one side of a copy that stays in the L2 cache, and of one that stays in none.
constexpr Index cached_side = Index{128} << 10;
constexpr Index memory_side = Index{64} << 20;
/// From here on a copy counts as one of memory; between the two the rate changes with the logarithm.
constexpr double last_cached = 2.0 * (Index{256} << 10);
constexpr double first_memory = 2.0 * (Index{32} << 20);

/// Bytes per second of copying between two square matrices of so many bytes each.
double rate(const Tensor& dst, const Tensor& src, int runs, int calls) {
  Tensor to = dst;
  const double seconds = shortest(runs, [&] {
    for (int i = 0; i < calls; ++i) copy_elements(to, src);
  });
  return 2.0 * static_cast<double>(src.nbytes()) * calls / seconds;
}

Index side_of_square(Index bytes) {
  Index side = 1;
  while ((2 * side) * (2 * side) * 4 <= bytes) side *= 2;
  return side;
}

bool is_turned(std::string_view kernel) {
  for (const std::string_view plain : {"memcpy", "rows", "fill", "small", "pieces", "triangle"}) {
    if (kernel == plain) return false;
  }
  return true;
}

/// What is read again and again comes from memory once.
double bytes_from_memory(const LedgerEntry& entry) {
  auto bytes = static_cast<double>(entry.bytes_read);
  if (!entry.src || is_empty(*entry.src)) return bytes;
  for (std::size_t d = 0; d < entry.src->rank(); ++d) {
    if (entry.src->strides[d] == 0) bytes /= static_cast<double>(entry.src->shape[d]);
  }
  return bytes;
}

/// Between two rates, by where the bytes stand between the caches and memory.
double blend(double bytes, double cached, double memory) {
  if (bytes <= last_cached) return cached;
  if (bytes >= first_memory) return memory;
  // Linear in the bytes: what exceeds the cache goes to memory.
  const double part = (bytes - last_cached) / (first_memory - last_cached);
  return 1 / ((1 - part) / cached + part / memory);
}

}  // namespace

Bandwidth measure_bandwidth() {
  Bandwidth result;
  result.threads = num_threads();
  {
    const Index side = side_of_square(cached_side);
    const Tensor from = ones({side, side});
    const Tensor to = zeros({side, side});
    result.cached = rate(to, from, 9, 64);
    result.transposed_cached_share = std::min(1.0, rate(to, from.t(), 9, 16) / result.cached);
    const Tensor few = ones({4});
    Tensor out = zeros({4});
    constexpr int calls = 4096;
    result.call_seconds = shortest(5,
                                   [&] {
                                     for (int i = 0; i < calls; ++i) copy_elements(out, few);
                                   }) /
                          calls;
  }
  const Index side = side_of_square(memory_side);
  const Tensor from = ones({side, side});
  {
    const Tensor to = zeros({side, side});
    result.memory = rate(to, from, 5, 1);
    result.transposed_share = std::min(1.0, rate(to, from.t(), 3, 1) / result.memory);
  }
  // Memory that is kept for the next tensor would not be fresh.
  const double seconds = shortest(3, [&] {
    empty_cache();
    (void)from.clone();
  });
  result.fresh = std::min(result.memory, 2.0 * static_cast<double>(from.nbytes()) / seconds);
  return result;
}

double forecast_seconds(const LedgerEntry& entry, const Bandwidth& bandwidth) {
  if (entry.link) return transfer_seconds(entry.bytes_read, entry.link->memory, bandwidth.link);
  const double bytes = static_cast<double>(entry.bytes_written) + bytes_from_memory(entry);
  if (bytes == 0) return 0;
  if (!entry.device.is_host()) return bandwidth.link.call_seconds + bytes / bandwidth.link.device_memory;
  const bool turns = is_turned(entry.kernel);
  const double cached = bandwidth.cached * (turns ? bandwidth.transposed_cached_share : 1);
  double memory = bandwidth.memory * (turns ? bandwidth.transposed_share : 1);
  // The pages cost what they cost, whatever is written to them.
  if (entry.bytes_allocated > 0 && bytes >= first_memory) {
    memory = 1 / (1 / memory + 1 / bandwidth.fresh - 1 / bandwidth.memory);
  }
  return bandwidth.call_seconds + bytes / blend(bytes, cached, memory);
}

double forecast_seconds(const CopyLedger& ledger, const Bandwidth& bandwidth) {
  double seconds = 0;
  for (const LedgerEntry& entry : ledger.entries()) seconds += forecast_seconds(entry, bandwidth);
  return seconds;
}

}  // namespace tenstride
