// SPDX-License-Identifier: Apache-2.0
#include "copy/in_place/steps.hpp"

#include <array>
#include <cmath>

#include "plan/in_place/transpose.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views_axes.hpp"

/// The steps that use planned copies: through the scratch memory, and by tiles.
namespace tenstride::copy {
namespace {

/// Bytes that a thread copies to the scratch memory and back at a time, so that they come back from the L2
/// cache.
constexpr Index cached_bytes = Index{256} << 10;

/// The element type with the most bytes that divides `item`.
DType unit_of(Index item) {
  if (item % 16 == 0) return DType::complex128;
  if (item % 8 == 0) return DType::int64;
  if (item % 4 == 0) return DType::int32;
  return item % 2 == 0 ? DType::int16 : DType::uint8;
}

/// The layout in elements, of which an item has `units`.
Layout in_units(Layout layout, Index units) {
  for (Index& stride : layout.strides) stride *= units;
  layout.offset *= units;
  layout.shape.push_back(units);
  layout.strides.push_back(1);
  return layout;
}

/// The layout of `count` successive blocks. Pre: the block is dense.
Layout repeated(const Layout& block, Index count) {
  Layout result = block;
  result.shape.insert(0, count);
  result.strides.insert(0, numel(block));
  return result;
}

/// The copies of blocks that are permuted together: to the scratch memory, and back.
struct Chunk {
  CopyPlan out;
  CopyPlan back;
};

Chunk chunk_of(const InPlaceStep& step, Index blocks, int threads) {
  const Layout src = permute(repeated(row_major(step.shape), blocks), [&] {
    Dims order{0};
    for (const Index axis : step.order) order.push_back(axis + 1);
    return order;
  }());
  const Layout flat = row_major({numel(src)});
  return {plan_items(row_major(src.shape), src, step.item_bytes, threads),
          plan_items(flat, flat, step.item_bytes, threads)};
}

/// How a square matrix is cut into tiles of `side` rows and columns, fewer at the edge.
struct SquareTiling {
  Index size;
  Index side;

  [[nodiscard]] Index count() const { return (size + side - 1) / side; }
  [[nodiscard]] Index extent(Index i) const { return std::min(side, size - i * side); }
};

/// The copies of a tile of rows x columns: transposed to the scratch memory, and from there to the matrix.
struct TileCopies {
  CopyPlan to_scratch;
  CopyPlan to_matrix;
};

TileCopies tile_copies(const SquareTiling& tiling, Index rows, Index columns, Index item) {
  const Layout tile{{columns, rows}, {1, tiling.size}, 0};
  const Layout across{{columns, rows}, {tiling.size, 1}, 0};
  const Layout packed = row_major({columns, rows});
  return {plan_items(packed, tile, item, 1), plan_items(across, packed, item, 1)};
}

}  // namespace

CopyPlan plan_items(const Layout& dst, const Layout& src, Index item, int threads) {
  const DType type = unit_of(item);
  const Index units = item / static_cast<Index>(item_size(type));
  PlanOptions options = options_here();
  options.max_threads = threads;
  return plan_copy(in_units(dst, units), type, in_units(src, units), type, options);
}

void run_by_scratch(const InPlaceStep& step, std::byte* data, std::byte* scratch) {
  const Index block = detail::block_bytes(step);
  const Index held_blocks = step.scratch_bytes / block;
  const Index threads = num_threads();
  const Index blocks_at_once =
      std::clamp(std::min(cached_bytes / block, held_blocks / threads), Index{1}, held_blocks);
  const Index chunks = (step.batch + blocks_at_once - 1) / blocks_at_once;
  const Index slots = std::min({threads, held_blocks / blocks_at_once, chunks});
  const int inner_threads = slots == 1 ? 0 : 1;
  const Index last_blocks = step.batch - (chunks - 1) * blocks_at_once;
  const Chunk whole = chunk_of(step, blocks_at_once, inner_threads);
  const Chunk last = chunk_of(step, last_blocks, inner_threads);
  run_in_slots(slots, chunks, [&](Index slot, Index task) {
    const Chunk& chunk = task + 1 == chunks ? last : whole;
    std::byte* const blocks = data + task * blocks_at_once * block;
    std::byte* const slot_scratch = scratch + slot * blocks_at_once * block;
    run_plan(chunk.out, slot_scratch, blocks);
    run_plan(chunk.back, blocks, slot_scratch);
  });
}

void run_by_tiles(const InPlaceStep& step, std::byte* data, std::byte* scratch) {
  const Index item = step.item_bytes;
  const Index size = step.shape[0];
  const Index min_slot_bytes = 2 * std::max(cached_bytes, item);
  const Index slots = std::clamp(step.scratch_bytes / min_slot_bytes, Index{1}, Index{num_threads()});
  const Index tile_bytes = std::max(std::min(step.scratch_bytes / slots, cached_bytes) / 2, item);
  auto side = static_cast<Index>(std::sqrt(static_cast<double>(tile_bytes / item)));
  if (side > 16) side -= side % 16;
  const SquareTiling tiling{size, std::clamp(side, Index{1}, size)};
  const Index count = tiling.count();
  const auto extents = std::array{tiling.side, tiling.extent(count - 1)};
  std::array<std::array<TileCopies, 2>, 2> copies;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) copies[i][j] = tile_copies(tiling, extents[i], extents[j], item);
  }
  const auto kind = [&](Index i) -> std::size_t { return i + 1 == count ? 1 : 0; };
  run_in_slots(slots, step.batch * count, [&](Index slot, Index task) {
    std::byte* const matrix = data + task / count * size * size * item;
    std::byte* const first = scratch + slot * 2 * tile_bytes;
    std::byte* const second = first + tile_bytes;
    const Index i = task % count;
    for (Index j = i; j < count; ++j) {
      std::byte* const above = matrix + (i * size + j) * tiling.side * item;
      std::byte* const below = matrix + (j * size + i) * tiling.side * item;
      const TileCopies& down = copies[kind(i)][kind(j)];
      const TileCopies& up = copies[kind(j)][kind(i)];
      run_plan(down.to_scratch, first, above);
      if (i != j) {
        run_plan(up.to_scratch, second, below);
        run_plan(up.to_matrix, above, second);
      }
      run_plan(down.to_matrix, below, first);
    }
  });
}

void run_step(const InPlaceStep& step, std::byte* data, std::byte* scratch) {
  switch (step.method) {
    case InPlaceMethod::scratch:
      return run_by_scratch(step, data, scratch);
    case InPlaceMethod::tiles:
      return run_by_tiles(step, data, scratch);
    case InPlaceMethod::cycles:
      return run_by_cycles(step, data, scratch);
    case InPlaceMethod::decomposition:
      return run_by_decomposition(step, data, scratch);
  }
}

}  // namespace tenstride::copy
