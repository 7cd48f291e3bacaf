// SPDX-License-Identifier: Apache-2.0
#include "io/ends/tile_source.hpp"

#include "copy/swap_bytes.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

void swap_bytes_of(const LoadedTile& tile, DType dtype) {
  const std::size_t width = item_size(component_type(dtype));
  const auto item = static_cast<Index>(item_size(dtype));
  auto* const data = const_cast<std::byte*>(tile.data);  // the reader's own buffer, which it does not look at
  for_each_run(tile.buffer.runs, tile.buffer.pitch, [&](Index, Index position) {
    std::byte* const run = data + position * item;
    swap_bytes(run, run, static_cast<std::size_t>(tile.buffer.runs.span * item), width);
  });
}

/// The blocks of a tile, each where its slot begins.
std::vector<LoadedBox> blocks_of_slots(const BlockPlan& plan, const LoadedTile& tile) {
  const Index begin = block_offset(plan, tile.box.first);
  std::vector<LoadedBox> blocks;
  const Dims counts = tile_counts(tile.box.extents, plan.block);
  for (Index number = 0; number < count_elements(counts); ++number) {
    Box block = tile_box(tile.box.extents, plan.block, number);
    for (std::size_t d = 0; d < counts.size(); ++d) block.first[d] += tile.box.first[d];
    blocks.push_back(
        {block, tile.data + (block_offset(plan, block.first) - begin), row_major(block.extents)});
  }
  return blocks;
}

}  // namespace

std::vector<LoadedBox> TileSource::read(const SourcePart& /*part*/, std::vector<std::byte>& /*buffer*/) {
  const LoadedTile& tile = reader_.wait(notes_.while_waiting);
  if (pass_.reads_blocks()) return blocks_of_slots(pass_.plan, tile);
  if (is_swapped_) swap_bytes_of(tile, dtype_);
  const BlockProblem& problem = pass_.plan.problem;
  const Layout layout =
      box_in_buffer(tile.box.extents, problem.src.strides, tile.buffer.runs, tile.buffer.pitch);
  if (sum_ != nullptr) {
    *sum_ +=
        checksum(tensor_on_memory(tile.data, layout, dtype_), layout_of_box(problem.positions, tile.box));
  }
  return {{tile.box, tile.data, layout}};
}

}  // namespace tenstride::io
