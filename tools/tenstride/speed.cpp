// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "speed.hpp"

namespace tenstride::cli {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double measure_memcpy(Index bytes) {
  const auto size = static_cast<std::size_t>(std::clamp<Index>(bytes, 1, Index{256} << 20));
  std::vector<char> src(size, 1), dst(size, 2);  // both touched: page faults are no part of a plain copy
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = now();
    std::memcpy(dst.data(), src.data(), size);
    src[0] = dst[size - 1];  // the copy is used, so that it is made
    best = std::min(best, now() - start);
  }
  return 2 * static_cast<double>(size) / 1e9 / std::max(best, 1e-9);
}

}  // namespace tenstride::cli
