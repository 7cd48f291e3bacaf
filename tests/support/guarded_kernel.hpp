// SPDX-License-Identifier: Apache-2.0
// Calls of kernels between guard pages, for the tests in test_kernels_*.cpp.
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
/// Bytes before and after a destination that are checked to be unchanged.
inline constexpr std::size_t canary = 64;

/// A call of a kernel of the given table, on given addresses.
using Call = std::function<void(const Kernels& kernels, std::byte* out, const std::byte* in)>;

/// A call between guard pages, and the bytes that it may read and write.
struct Job {
  /// Bytes that are read. The first is `in_start` bytes before the address that the kernel takes as its
  /// source.
  std::size_t in_bytes = 0;
  std::size_t in_start = 0;
  /// The same for the destination.
  std::size_t out_bytes = 0;
  std::size_t out_start = 0;
  /// Bytes after the destination that the kernel may overwrite with anything.
  std::size_t spill = 0;
  Call call;
};

/// The arenas live as long as the test: new pages for each call would take most of the time.
class Bench {
 public:
  Bench() : in_(32768), out_(32768), wanted_(32768), before_(32768) {
    in_.fill_randomly(1);
    before_.fill_randomly(2);
    std::memcpy(out_.begin(), before_.begin(), out_.size());
    std::memcpy(wanted_.begin(), before_.begin(), wanted_.size());
  }

  /// Where a block lies: `skew` bytes from the guard page before it, or from the one after it.
  struct Place {
    bool is_at_front = true;
    std::size_t skew = 0;
  };

  /// Whether the table's kernel writes what the portable kernel writes, and no other byte.
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

  /// Flush with the guards: both sides, each with the guard in front and the one behind.
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

  /// Every alignment of both sides to a line, near the guard behind.
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

inline std::ptrdiff_t signed_bytes(std::size_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

inline std::string text(std::initializer_list<std::size_t> numbers) {
  std::string result;
  for (const std::size_t number : numbers) result += ' ' + std::to_string(number);
  return result;
}

enum class Direction { up, down };

}  // namespace tenstride::testing
