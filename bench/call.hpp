// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tenstride/base/index.hpp"

namespace tenstride::bench {

/// Reads the bytes of a result.
using Look = std::function<void(const std::byte*)>;

/// Work that is prepared and can be timed. If `run` and `run_elsewhere` are both empty, a peer does not offer
/// it.
struct Call {
  /// The timed call. It writes its result into the destination, or makes a new result and destroys it.
  std::function<void()> run{};
  /// Makes a result and passes its bytes on; empty if `run` writes into the destination.
  std::function<void(const Look&)> show{};
  /// Called before each `run`, untimed.
  std::function<void()> before{};
  /// In place of `run`, for another process: makes as many calls there and returns their seconds in total.
  std::function<double(std::uint64_t)> run_elsewhere{};
  /// With `run_elsewhere`: the result's elements at these positions, concatenated.
  std::function<std::vector<std::byte>(std::span<const Index>)> read_elsewhere{};
  /// Whether preparing the call overwrote the source and the destination.
  bool spoilt_the_source = false;

  [[nodiscard]] bool is_offered() const { return run != nullptr || run_elsewhere != nullptr; }
};

/// Keeps the compiler from removing the computation of the value.
template <class T>
void keep(T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// A call that makes a new result: `make()` gives its owner, `data(owner)` its bytes.
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

/// The same for a result of any layout, which `rows(owner)` makes row-major before it is looked at.
template <class Make, class Rows, class Data>
Call fresh_call(Make make, Rows rows, Data data) {
  Call call = fresh_call(make, data);
  call.show = [make, rows, data](const Look& look) {
    const auto result = rows(make());
    look(static_cast<const std::byte*>(static_cast<const void*>(data(result))));
  };
  return call;
}

}  // namespace tenstride::bench
