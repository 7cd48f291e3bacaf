// SPDX-License-Identifier: Apache-2.0
// The constants of the ways' costs, which differ from processor to processor.
#pragma once

#include <span>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride {

/// The constants of the functions that foretell what each way of a copy costs. A cost is a multiple of the
/// time in which a plain copy moves the same bytes. Constants that end in `_bytes` are the bytes that a plain
/// copy moves in the same time: of a row, a run, a column or a block, by whose bytes they are divided. The
/// default values are those of Emerald Rapids. `tenstride-bench --fit` fits all of them (bench/notes/fit.md).
struct Costs {
  /// Rows that are copied: each row. Where rows are converted, each row more, and the part of a plain copy's
  /// time that a conversion may take without making the copy slower.
  double row_bytes = 60;
  double converted_row_bytes = 500;
  double hidden_conversion = .4;

  /// Rows that are gathered, and the bytes that are read only because they share a line with others, as a
  /// part of the time to copy them. Each gathered row of 128 bytes and more; of such rows of items of 1 and 2
  /// bytes; and of shorter rows.
  double gather = 1.1;
  double gather_gap = .6;
  double long_gather_bytes = 40;
  double small_item_gather_bytes = 300;
  double short_gather_bytes = 700;

  /// Rows that occur several times, of which mostly the writes remain; and rows that are scattered, and each
  /// of them.
  double repeated_rows = .7;
  double row_scatter = 1;
  double row_scatter_bytes = 35;

  /// Tiles whose items stay in the caches: less than a plain copy of memory, as every line is in a cache
  /// already. Channels of which they are made by tables: the kernels for channels are faster from runs of a
  /// few KiB on.
  double cached_tiles = .5;
  double cached_channels = 1.4;

  /// Channels with long runs; five or more that are converted, as a multiple; five or more of 16-byte items
  /// that are interleaved; and up to four that are deinterleaved to whole lines.
  double channels = 1.1;
  double converted_channels = 1;
  double interleaved_large_items = 1.4;
  double line_channels = 1.1;
  /// Each run of a channel; of a few channels of 16-byte items that are interleaved; and of channels that are
  /// deinterleaved to whole lines, also of 16-byte items.
  double channel_bytes = 400;
  double large_item_channel_bytes = 1500;
  double line_channel_bytes = 400;
  double large_item_line_channel_bytes = 400;

  /// Tiles with long rows and columns of whole lines; those that are converted, or have short rows of 16-byte
  /// items; tiles of short columns that pass a buffer, also where they are converted; and all others.
  double tiles = 1.2;
  double slow_line_tiles = 1.2;
  double joined_tiles = 1.2;
  double converted_joined_tiles = 1.2;
  double converted_tiles = 2;
  /// Partial lines of items of less than 16 bytes, as a multiple; of items of less than 4 bytes, once more as
  /// a summand; of each column; of each matrix; and each short row.
  double partial_lines = 1;
  double short_item_partial_lines = .8;
  double partial_column_bytes = 512;
  double small_matrix_bytes = 1500;
  double short_row_bytes = 35;

  /// Blocks with long runs and full registers: not transposed; transposed, by the bytes of an item.
  double blocks = 1.2;
  double transposed_blocks_1 = 1.75;
  double transposed_blocks_2 = 1.28;
  double transposed_blocks_4 = 1.2;
  double transposed_blocks_8 = 1.28;
  double transposed_blocks_16 = 1.38;
  /// Each run of the source and of the destination, each partial line at the end of a destination run, and
  /// each block.
  double block_src_run_bytes = 300;
  double block_dst_run_bytes = 200;
  double block_run_end_bytes = 0;
  double block_bytes = 2048;
  /// Source lines that are read only because they lie between needed items.
  double block_gap = .8;
  /// Unused lanes: as many superfluous registers as necessary ones. Each row of items of 8 bytes and more
  /// that are transposed, in items.
  double empty_lanes = .6;
  double transposed_row_items = 0;
  /// Each packed row, each group of rows that are permuted together, and each gathered piece.
  double packed_row_bytes = 28;
  double panel_bytes = 60;
  double piece_bytes = 4;
  /// One permute instruction, of a line and of 16 bytes, as a multiple of the time in which a plain copy
  /// moves a line.
  double line_permute = .1;
  double permute = .05;

  friend bool operator==(const Costs&, const Costs&) = default;
};

/// A constant of the costs and its name. Example: {"row_bytes", &Costs::row_bytes}.
struct CostConstant {
  std::string_view name;
  double Costs::*value;
};

/// All constants, in the order of `Costs`.
TENSTRIDE_API std::span<const CostConstant> cost_constants();

}  // namespace tenstride
