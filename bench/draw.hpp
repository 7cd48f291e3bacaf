// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "case.hpp"

namespace tenstride::bench {

/// Draws what cases are made of; the same seed draws the same. Extents are log-uniform, so that multiples of
/// a vector are not preferred.
class Draw {
 public:
  Draw(std::uint64_t seed, Scope scope) : random_(seed), is_tiny_(scope == Scope::smoke) {}

  std::size_t one_of(std::size_t count);
  template <class List>
  auto any(const List& list) {
    return list[one_of(list.size())];
  }
  double uniform(double first, double last);
  Index log_uniform(Index first, Index last);
  /// The number of elements of one side, for 8 to 256 MiB; in a smoke run for 1 to 32 KiB.
  Index elements(DType type);
  /// Extents of at least 2 whose product is about `count`: its logarithm is cut at uniformly drawn places.
  Dims extents(std::size_t rank, Index count);
  /// Any order of the axes but that of memory. Pre: rank > 1.
  Dims shuffled(std::size_t rank);

  /// Leaves out indices of an axis, and adds to the name what is left: every second or third, or a part.
  void take_steps(Layout& view, std::size_t axis, std::string& name);
  void crop(Layout& view, std::size_t axis, std::string& name);

 private:
  std::mt19937_64 random_;
  bool is_tiny_;
};

Dims identity_order(std::size_t rank);

}  // namespace tenstride::bench
