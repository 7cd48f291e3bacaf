// SPDX-License-Identifier: Apache-2.0
// How the cost grows with the size: three permutations of float32 from 4 KiB to 4 GiB.
#include "case.hpp"

namespace tenstride::bench {
namespace {

/// A shape of 2^exponent elements and `rank` axes, of which the later ones are the longer.
Dims split(int exponent, int rank) {
  Dims shape;
  for (int d = 0; d < rank; ++d) {
    const int part = exponent / (rank - d);
    shape.push_back(Index{1} << part);
    exponent -= part;
  }
  return shape;
}

std::string size_name(int exponent) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB"};
  return std::to_string(Index{1} << (exponent % 10)) + " " + units[exponent / 10];
}

}  // namespace

void add_size_cases(std::vector<CopySpec>& specs) {
  for (const Dims& order : {Dims{1, 0}, Dims{0, 2, 1, 3}, Dims{3, 2, 1, 0}}) {
    for (int exponent = 12; exponent <= 32; exponent += 2) {
      CopySpec spec;
      spec.family = "sizes, " + permutation_name(order);
      spec.name = size_name(exponent);
      spec.source = split(exponent - 2, static_cast<int>(order.size()));
      spec.view = permuted(order);
      spec.is_quick = order.size() == 2 && exponent <= 28;
      spec.is_small = exponent <= 14;
      specs.push_back(std::move(spec));
    }
  }
}

}  // namespace tenstride::bench
