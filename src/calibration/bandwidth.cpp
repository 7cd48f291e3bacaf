// SPDX-License-Identifier: Apache-2.0
#include "tenstride/calibration/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "tenstride/copy/copy.hpp"
#include "tenstride/memory/memory.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

/// Measures bandwidths, and forecasts the time of copies by them.
namespace tenstride {
namespace {

/// The shortest time of several runs, in seconds: other load on the machine can only make a run longer.
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

/// Bytes of one side of a copy within the L2 cache, and of one that no cache holds.
constexpr Index cached_side = Index{128} << 10;
constexpr Index memory_side = Index{64} << 20;
/// A forecast uses the cached rate up to the first size, the memory rate from the second on, and a blend
/// between them.
constexpr double last_cached = 2.0 * (Index{256} << 10);
constexpr double first_memory = 2.0 * (Index{32} << 20);

/// Bytes read and written per second by `calls` copies of `src` to `dst`.
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

/// Whether a kernel's sides are in different orders, so that the transposed rates apply.
bool is_transposing(std::string_view kernel) {
  for (const std::string_view plain : {"contiguous", "rows", "fill", "small", "pieces", "triangle"}) {
    if (kernel == plain) return false;
  }
  return true;
}

/// The bytes read of distinct elements: elements that a stride of 0 repeats come from memory once.
double distinct_bytes_read(const LedgerEntry& entry) {
  auto bytes = static_cast<double>(entry.bytes_read);
  if (!entry.src || is_empty(*entry.src)) return bytes;
  for (std::size_t d = 0; d < entry.src->rank(); ++d) {
    if (entry.src->strides[d] == 0) bytes /= static_cast<double>(entry.src->shape[d]);
  }
  return bytes;
}

/// The rate of a copy of `bytes` bytes, between the cached rate and the memory rate.
double blend(double bytes, double cached, double memory) {
  if (bytes <= last_cached) return cached;
  if (bytes >= first_memory) return memory;
  // The time is linear in the bytes: those beyond the cache have the memory rate.
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
    const Tensor small = ones({4});
    Tensor out = zeros({4});
    constexpr int calls = 4096;
    result.call_seconds = shortest(5,
                                   [&] {
                                     for (int i = 0; i < calls; ++i) copy_elements(out, small);
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
  // Memory that the allocator caches for the next tensor would not be new.
  const double seconds = shortest(3, [&] {
    empty_cache();
    (void)from.clone();
  });
  result.fresh = std::min(result.memory, 2.0 * static_cast<double>(from.nbytes()) / seconds);
  return result;
}

double forecast_seconds(const LedgerEntry& entry, const Bandwidth& bandwidth) {
  if (entry.link) return transfer_seconds(entry.bytes_read, entry.link->memory, bandwidth.link);
  const double bytes = static_cast<double>(entry.bytes_written) + distinct_bytes_read(entry);
  if (bytes == 0) return 0;
  if (!entry.device.is_host()) return bandwidth.link.call_seconds + bytes / bandwidth.link.device_memory;
  const bool is_transposed = is_transposing(entry.kernel);
  const double cached = bandwidth.cached * (is_transposed ? bandwidth.transposed_cached_share : 1);
  double memory = bandwidth.memory * (is_transposed ? bandwidth.transposed_share : 1);
  // Providing new pages takes the same time whatever is written to them.
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
