// SPDX-License-Identifier: Apache-2.0
#include "io/plan/default_chunk.hpp"

#include <algorithm>

#include "tenstride/base/index.hpp"

namespace tenstride::io {
namespace {

/// The largest divisor that is at most half; 1 for a prime.
Index half_divisor(Index size) {
  for (Index count = 2; count * count <= size; ++count) {
    if (size % count == 0) return size / count;
  }
  return 1;
}

}  // namespace

Dims default_chunk(const Dims& shape, Index item, const Dims& shard) {
  constexpr double max_nbytes = 4 << 20;
  Dims chunk = shard.empty() ? shape : shard;
  for (Index& size : chunk) size = std::max<Index>(size, 1);
  const auto nbytes = [&] {
    double product = static_cast<double>(item);
    for (const Index size : chunk) product *= static_cast<double>(size);
    return product;
  };
  while (nbytes() > max_nbytes) {
    Index& largest = *std::max_element(chunk.begin(), chunk.end());
    if (largest == 1) break;
    largest = shard.empty() ? ceil_divide(largest, 2) : half_divisor(largest);
  }
  return chunk;
}

Dims last_axes_chunk(const Dims& shape, Index item, std::size_t whole_axes) {
  constexpr Index max_nbytes = Index{4} << 20;
  Dims chunk = shape;
  Index nbytes = item;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Index extent = std::max<Index>(shape[d], 1);
    const bool is_whole = d + whole_axes >= shape.size();
    chunk[d] = is_whole ? extent : std::clamp<Index>(max_nbytes / nbytes, 1, extent);
    nbytes *= chunk[d];
  }
  return chunk;
}

}  // namespace tenstride::io
