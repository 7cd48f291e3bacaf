// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tenstride/index.hpp"

namespace tenstride::bench {

/// Looks at the bytes of a result.
using Look = std::function<void(const std::byte*)>;

/// A prepared piece of work. One without `run` and `run_elsewhere` is not offered.
struct Call {
  /// What is timed. Leaves its result in the destination, or makes one and drops it.
  std::function<void()> run{};
  /// Does the same and shows the result; empty where the result is in the destination.
  std::function<void(const Look&)> show{};
  /// Not timed, before each `run`.
  std::function<void()> before{};
  /// Instead of `run`, in another process: seconds of so many calls.
  std::function<double(std::uint64_t)> run_elsewhere{};
  /// Then: the elements of the result at these positions, one after the other.
  std::function<std::vector<std::byte>(std::span<const Index>)> read_elsewhere{};
  /// Preparing overwrote source and destination.
  bool spoilt_the_source = false;

  [[nodiscard]] bool is_offered() const { return run != nullptr || run_elsewhere != nullptr; }
};

/// Keeps the compiler from leaving out what made the value.
template <class T>
void keep(T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// The call that makes its own result: `make()` gives an owner, `data(owner)` its bytes.
template <class Make, class Data>
Call fresh_call(Make make, Data data) {
  Call call;
  call.run = [make] {
    auto result = make();
    keep(result);
  };
  call.show = [make, data](const Look& look) {
    const auto result = make();
    look(static_cast<const std::byte*>(static_cast<const void*>(data(result))));
  };
  return call;
}

}  // namespace tenstride::bench
