// SPDX-License-Identifier: Apache-2.0
#include "calibration/machine_calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/cache_file.hpp"
#include "copy/kernels/kernels.hpp"
#include "files/write_cache.hpp"
#include "plan/processor.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// Bytes of one side of the measured copies: far more than a core's caches.
constexpr Index side = Index{128} << 20;
constexpr std::size_t rounds = 9;
/// Smaller differences are taken as noise.
constexpr double min_ratio = 1.05;

/// The times of one kind of copy, of which the median is used.
struct Times {
  std::array<double, rounds> seconds{};

  template <class Copy>
  void add(std::size_t round, const Copy& copy) {
    const auto start = std::chrono::steady_clock::now();
    copy();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds[round] = took.count();
  }
  [[nodiscard]] double median() const {
    std::array<double, rounds> sorted = seconds;
    std::nth_element(sorted.begin(), sorted.begin() + rounds / 2, sorted.end());
    return sorted[rounds / 2];
  }
};

}  // namespace

Machine calibrate_machine() {
  const copy::Kernels& kernels = copy::kernels();
  const Tensor source = full({side}, 1, {.dtype = DType::uint8});
  Tensor destination = full({side}, 0, {.dtype = DType::uint8});
  const auto* const from = source.storage_data();
  auto* const to = destination.mutable_storage_data();
  Times ordinary;
  Times one;
  Times several;
  for (std::size_t round = 0; round < rounds; ++round) {
    ordinary.add(round, [&] { kernels.copy_rows(to, 0, from, 0, 1, side); });
    one.add(round, [&] { kernels.stream_run(to, from, side, MemoryStreams::one), kernels.fence(); });
    several.add(round, [&] { kernels.stream_run(to, from, side, MemoryStreams::several), kernels.fence(); });
  }
  const Machine known = detail::machine_of(detail::this_processor());
  Machine machine = Machine::here();
  const double ratio = one.median() / several.median();
  machine.streams = ratio > min_ratio       ? MemoryStreams::several
                    : ratio < 1 / min_ratio ? MemoryStreams::one
                                            : known.streams;
  const double streaming = machine.streams == MemoryStreams::one ? one.median() : several.median();
  const double gain = ordinary.median() / streaming;
  machine.stores = gain > min_ratio       ? SequentialStores::streaming
                   : gain < 1 / min_ratio ? SequentialStores::ordinary
                                          : known.stores;
  return machine;
}

Machine refresh_machine() {
  const Machine machine = calibrate_machine();
  detail::write_cache(machine_file(),
                      detail::machine_file_heading(detail::this_processor()) + to_text(machine), "machine");
  return machine;
}

std::string machine_file() {
  return detail::cache_file(detail::machine_cache);
}

}  // namespace tenstride
