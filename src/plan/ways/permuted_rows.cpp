// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/permuted_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_line.hpp"

namespace tenstride::detail {
namespace {

/// The most instructions of a row's program, and the most source bytes that its row spans: the tables of the
/// program stay in the L1 cache.
constexpr Index max_permutes = 512;
constexpr Index max_permuted_bytes = 16384;
/// The least number of rows that a program is made for.
constexpr Index min_rows_permuted = 64;

}  // namespace

Index permutes_of_vector(const Nest& nest, const LoopChains& chains, const BlockRow& row, Index vector) {
  const Index items = std::max<Index>(vector / nest.src_item, 1);
  const Index stride = std::abs(nest[chains.src.loops[0]].src_stride);
  Index rows = 1;
  for (std::size_t i = 0; chains.dst.loops[i] != chains.src.loops[0] && rows < items; ++i)
    rows *= nest[chains.dst.loops[i]].extent;
  const Index vectors_per_row = (std::min(stride, vector) + nest.src_item - 1) / nest.src_item;
  const Index max_vectors = row.loops == 0 ? items : (row.span + vector - 1) / vector;
  // Items that lie close together, as every second one, come from a few vectors. Not weighed where one
  // instruction permutes a line: fitted without it.
  const Loop& inner = nest[chains.dst.loops[0]];
  const Index run = std::min(inner.extent, items);
  const Index run_vectors = (run * std::abs(inner.src_stride) + vector - 1) / vector;
  const Index close = vector == line_bytes ? items : run_vectors * ((items + run - 1) / run);
  return std::min({rows * vectors_per_row, items, max_vectors, close}) + 1;
}

bool is_permuted(const Nest& nest, const LoopChains& chains, const BlockRow& row, Index vector) {
  const Index vectors = (row.bytes + vector - 1) / vector;
  return row.span <= max_permuted_bytes &&
         row.bytes <= nest.loops.positions() * nest.src_item / min_rows_permuted &&
         vectors * permutes_of_vector(nest, chains, row, vector) <= max_permutes;
}

}  // namespace tenstride::detail
