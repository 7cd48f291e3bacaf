// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/costs.hpp"

#include <array>

#include "plan/processor.hpp"

namespace tenstride {
namespace {

constexpr std::array constants{
    CostConstant{"row_bytes", &Costs::row_bytes},
    CostConstant{"converted_row_bytes", &Costs::converted_row_bytes},
    CostConstant{"hidden_conversion", &Costs::hidden_conversion},
    CostConstant{"gather", &Costs::gather},
    CostConstant{"gather_gap", &Costs::gather_gap},
    CostConstant{"long_gather_bytes", &Costs::long_gather_bytes},
    CostConstant{"small_item_gather_bytes", &Costs::small_item_gather_bytes},
    CostConstant{"short_gather_bytes", &Costs::short_gather_bytes},
    CostConstant{"repeated_rows", &Costs::repeated_rows},
    CostConstant{"row_scatter", &Costs::row_scatter},
    CostConstant{"row_scatter_bytes", &Costs::row_scatter_bytes},
    CostConstant{"cached_tiles", &Costs::cached_tiles},
    CostConstant{"cached_channels", &Costs::cached_channels},
    CostConstant{"channels", &Costs::channels},
    CostConstant{"converted_channels", &Costs::converted_channels},
    CostConstant{"interleaved_large_items", &Costs::interleaved_large_items},
    CostConstant{"line_channels", &Costs::line_channels},
    CostConstant{"channel_bytes", &Costs::channel_bytes},
    CostConstant{"large_item_channel_bytes", &Costs::large_item_channel_bytes},
    CostConstant{"line_channel_bytes", &Costs::line_channel_bytes},
    CostConstant{"large_item_line_channel_bytes", &Costs::large_item_line_channel_bytes},
    CostConstant{"tiles", &Costs::tiles},
    CostConstant{"slow_line_tiles", &Costs::slow_line_tiles},
    CostConstant{"joined_tiles", &Costs::joined_tiles},
    CostConstant{"converted_joined_tiles", &Costs::converted_joined_tiles},
    CostConstant{"converted_tiles", &Costs::converted_tiles},
    CostConstant{"partial_lines", &Costs::partial_lines},
    CostConstant{"short_item_partial_lines", &Costs::short_item_partial_lines},
    CostConstant{"partial_column_bytes", &Costs::partial_column_bytes},
    CostConstant{"small_matrix_bytes", &Costs::small_matrix_bytes},
    CostConstant{"short_row_bytes", &Costs::short_row_bytes},
    CostConstant{"blocks", &Costs::blocks},
    CostConstant{"transposed_blocks_1", &Costs::transposed_blocks_1},
    CostConstant{"transposed_blocks_2", &Costs::transposed_blocks_2},
    CostConstant{"transposed_blocks_4", &Costs::transposed_blocks_4},
    CostConstant{"transposed_blocks_8", &Costs::transposed_blocks_8},
    CostConstant{"transposed_blocks_16", &Costs::transposed_blocks_16},
    CostConstant{"block_src_run_bytes", &Costs::block_src_run_bytes},
    CostConstant{"block_dst_run_bytes", &Costs::block_dst_run_bytes},
    CostConstant{"block_run_end_bytes", &Costs::block_run_end_bytes},
    CostConstant{"block_bytes", &Costs::block_bytes},
    CostConstant{"block_gap", &Costs::block_gap},
    CostConstant{"empty_lanes", &Costs::empty_lanes},
    CostConstant{"transposed_row_items", &Costs::transposed_row_items},
    CostConstant{"packed_row_bytes", &Costs::packed_row_bytes},
    CostConstant{"panel_bytes", &Costs::panel_bytes},
    CostConstant{"piece_bytes", &Costs::piece_bytes},
    CostConstant{"line_permute", &Costs::line_permute},
    CostConstant{"permute", &Costs::permute},
};
static_assert(constants.size() * sizeof(double) == sizeof(Costs), "each constant has a name");

}  // namespace

Costs detail::costs_of(BlockStores stores) {
  if (stores == BlockStores::interleaved) return {};
  // Fitted to 550 drawn copies, but for `tiles`: long transposes of two axes are not among them
  // (bench/notes/fit.md).
  Costs zen3;
  zen3.converted_row_bytes = 660;
  zen3.row_scatter = .89;
  zen3.channels = 1.17;
  zen3.converted_channels = 1.6;
  zen3.interleaved_large_items = 1.1;
  zen3.line_channels = 1;
  zen3.channel_bytes = 755;
  zen3.line_channel_bytes = 35;
  zen3.large_item_line_channel_bytes = 280;
  zen3.tiles = 1.6;
  zen3.slow_line_tiles = 2;
  zen3.converted_joined_tiles = 6;
  zen3.partial_lines = 1.56;
  zen3.blocks = 1.42;
  zen3.transposed_blocks_1 = 1.65;
  zen3.transposed_blocks_8 = 1.36;
  zen3.block_src_run_bytes = 200;
  zen3.block_run_end_bytes = 200;
  zen3.block_gap = .72;
  zen3.transposed_row_items = 2.2;
  zen3.piece_bytes = 3.8;
  zen3.permute = .056;
  return zen3;
}

std::span<const CostConstant> cost_constants() {
  return constants;
}

}  // namespace tenstride
