// SPDX-License-Identifier: Apache-2.0
// Calls of the copy kernels between guard pages: what the tests in test_kernels_*.cpp have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "copy/kernels/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride::testing {

using copy::Kernels;

inline const Kernels& plain() {
  return copy::portable_kernels();
}

inline constexpr std::size_t line = 64;
/// The bytes around a destination that are compared, beyond what may be written.
inline constexpr std::size_t canary = 64;

/// A call of a kernel of the given table, on given addresses.
using Call = std::function<void(const Kernels& kernels, std::byte* out, const std::byte* in)>;

/// One call between guards, and the memory that it may access.
struct Job {
  /// The bytes that are read, from `in_start` bytes before the source address on.
  std::size_t in_bytes = 0;
  std::size_t in_start = 0;
  /// The same for the destination.
  std::size_t out_bytes = 0;
  std::size_t out_start = 0;
  /// The bytes after the destination that may be overwritten.
  std::size_t spill = 0;
  Call call;
};

/// The arenas of a test, which all its calls use: new pages for each call would take most of the time.
class Bench {
 public:
  Bench() : in_(32768), out_(32768), wanted_(32768), before_(32768) {
    in_.fill_randomly(1);
    before_.fill_randomly(2);
    std::memcpy(out_.begin(), before_.begin(), out_.size());
    std::memcpy(wanted_.begin(), before_.begin(), wanted_.size());
  }

  /// The position of a block: `skew` bytes from the guard before it, or from the guard behind it.
  struct Place {
    bool is_at_front = true;
    std::size_t skew = 0;
  };

  /// Returns whether the table's kernel writes what the portable one writes, and preserves all other bytes.
  bool agrees(const Kernels& kernels, const Job& job, Place in_place, Place out_place) {
    const std::size_t out_room = job.out_bytes + job.spill;
    const std::byte* const in =
        (in_place.is_at_front ? in_.at_front(in_place.skew) : in_.at_back(job.in_bytes, in_place.skew)) +
        job.in_start;
    const auto first = static_cast<std::size_t>(
        (out_place.is_at_front ? out_.at_front(out_place.skew) : out_.at_back(out_room, out_place.skew)) -
        out_.begin());
    job.call(kernels, out_.begin() + first + job.out_start, in);
    kernels.fence();
    job.call(plain(), wanted_.begin() + first + job.out_start, in);
    // The spill may hold anything.
    std::memcpy(out_.begin() + first + job.out_bytes, before_.begin() + first + job.out_bytes, job.spill);
    const std::size_t from = first < canary ? 0 : first - canary;
    const std::size_t to = std::min(first + out_room + canary, out_.size());
    const bool same = std::memcmp(out_.begin() + from, wanted_.begin() + from, to - from) == 0;
    std::memcpy(out_.begin() + from, before_.begin() + from, to - from);
    std::memcpy(wanted_.begin() + from, before_.begin() + from, to - from);
    return same;
  }

  /// Tests with both sides directly at a guard: each at the one before it and at the one behind it.
  ::testing::AssertionResult at_the_guards(const Kernels& kernels, const Job& job) {
    for (const bool in_front : {true, false}) {
      for (const bool out_front : {true, false}) {
        if (!agrees(kernels, job, {in_front, 0}, {out_front, 0})) {
          return ::testing::AssertionFailure()
                 << kernels.name << ", source at the " << (in_front ? "front" : "back")
                 << ", destination at the " << (out_front ? "front" : "back");
        }
      }
    }
    return ::testing::AssertionSuccess();
  }

  /// Tests every alignment of both sides to a line, near either guard.
  ::testing::AssertionResult at_every_alignment(const Kernels& kernels, const Job& job) {
    for (std::size_t in_skew = 0; in_skew < line; ++in_skew) {
      for (std::size_t out_skew = 0; out_skew < line; ++out_skew) {
        if (!agrees(kernels, job, {false, in_skew}, {false, out_skew}) ||
            !agrees(kernels, job, {true, in_skew}, {true, out_skew})) {
          return ::testing::AssertionFailure()
                 << kernels.name << ", source at " << in_skew << ", destination at " << out_skew;
        }
      }
    }
    return ::testing::AssertionSuccess();
  }

 private:
  Guarded in_;
  Guarded out_;
  Guarded wanted_;
  Guarded before_;
};

inline Index signed_bytes(std::size_t bytes) {
  return static_cast<Index>(bytes);
}

inline std::string text(std::initializer_list<std::size_t> numbers) {
  std::string result;
  for (const std::size_t number : numbers) result += ' ' + std::to_string(number);
  return result;
}

enum class Direction { up, down };

}  // namespace tenstride::testing
