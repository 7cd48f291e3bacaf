// SPDX-License-Identifier: Apache-2.0
#include "calibration/machine_calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/cache_file.hpp"
#include "copy/kernels/kernels.hpp"
#include "plan/processor.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// Bytes of one side of the measured copies: far more than a core's caches.
constexpr Index side = Index{128} << 20;
constexpr std::size_t rounds = 9;
/// Smaller differences are taken as noise.
constexpr double min_ratio = 1.05;
/// A copy by blocks: 32 MB of matrices of 15 x 43 float64, transposed.
const Dims block_shape{6400, 15, 43};

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

/// The one of two values with the shorter time, or `known` where they are about equal.
template <class Value>
Value faster(Value a, const Times& of_a, Value b, const Times& of_b, Value known) {
  const double ratio = of_a.median() / of_b.median();
  return ratio > min_ratio ? b : ratio < 1 / min_ratio ? a : known;
}

/// When lines of packed blocks are best written, by copies that are planned in both ways.
BlockStores measure_block_stores(Machine machine, BlockStores known) {
  const Tensor source = full(block_shape, 1, {.dtype = DType::float64}).transpose(1, 2);
  Tensor destination = full(source.shape(), 0, {.dtype = DType::float64});
  const auto copy_by = [&](BlockStores stores) {
    machine.block_stores = stores;
    const MachineScope scope(machine);
    destination.copy_(source);
  };
  Times interleaved;
  Times burst;
  for (std::size_t round = 0; round < rounds; ++round) {
    interleaved.add(round, [&] { copy_by(BlockStores::interleaved); });
    burst.add(round, [&] { copy_by(BlockStores::burst); });
  }
  return faster(BlockStores::interleaved, interleaved, BlockStores::burst, burst, known);
}

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
  machine.streams = faster(MemoryStreams::one, one, MemoryStreams::several, several, known.streams);
  machine.stores = faster(SequentialStores::ordinary, ordinary, SequentialStores::streaming,
                          machine.streams == MemoryStreams::one ? one : several, known.stores);
  machine.block_stores = measure_block_stores(machine, known.block_stores);
  return machine;
}

Machine refresh_machine() {
  const Machine machine = calibrate_machine();
  detail::write_cache(machine_file(),
                      detail::machine_file_heading(detail::this_processor()) + to_text(machine));
  return machine;
}

std::string machine_file() {
  return detail::cache_file(detail::machine_cache);
}

}  // namespace tenstride
