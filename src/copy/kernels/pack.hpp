// SPDX-License-Identifier: Apache-2.0
// The kernels of blocks. They pack a block into a buffer; meanwhile they write lines of the block
// before it by streaming stores and prefetch the source of what follows. One table for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "copy/kernels/outgoing_runs.hpp"

namespace tenstride::copy {

/// The bytes of vectors that may be loaded by halves.
inline constexpr std::size_t halved_width = 16;

/// A permutation of the bytes of one or more rows, by vectors. Each vector of the destination is combined in
/// steps: a step loads one vector of the source, or two halves of one from different places, and takes the
/// bytes of it that belong to the destination vector.
struct PermuteProgram {
  struct Vector {
    /// Where the vector begins in the destination, in bytes.
    std::uint32_t dst_offset = 0;
    /// Its steps: [first_step, last_step).
    std::uint32_t first_step = 0;
    std::uint32_t last_step = 0;
    /// Whether the second half of what each step loads follows its first half.
    bool is_whole = true;
  };
  struct Step {
    /// Where the loaded vector begins in the source, in bytes from the first row on, and where its second
    /// half does.
    std::int32_t src_offset = 0;
    std::int32_t second_offset = 0;
    /// Bit i is set where byte i of the destination vector comes from this step.
    std::uint64_t lane_mask = 0;
  };
  /// The number of rows that are permuted together, and their bytes.
  std::size_t rows = 1;
  std::size_t bytes = 0;
  /// The bytes of the source that they span, gaps included: [lowest, lowest + span), from the first row on.
  Index lowest = 0;
  std::size_t span = 0;
  std::vector<Vector> vectors;
  std::vector<Step> steps;
  /// For each step one byte for each lane: which byte of the loaded vector the lane takes, or 0x80 for none.
  std::vector<std::uint8_t> lanes;
};

/// Returns the program for `rows` rows that lie `src_step` bytes apart in the source. Byte i of a row is byte
/// src_bytes[i] of it in the source. Vectors have `width` bytes, or as many as all rows where these are
/// fewer. Vectors of `halved_width` bytes are loaded by halves where that takes fewer steps.
PermuteProgram make_program(const std::vector<std::uint16_t>& src_bytes, std::size_t rows, Index src_step,
                            std::size_t width);

/// The offsets of the items of a block. A panel is the rows of the source that are transposed together,
/// `panel_rows` or all where there are fewer; a unit is 16 bytes of each row of a panel. The last panel of
/// several, and the last unit of a row, may overlap the one before. Panels of few rows may be transposed side
/// by side, each in a part of the vectors.
struct PackTable {
  /// For each panel `panel_rows` offsets in the source, in bytes from the first item of the block to a row;
  /// an equal part of them for each of the panels that lie side by side. Where a panel has fewer rows the
  /// last offset is repeated.
  std::vector<Index> rows;
  /// The greatest of these offsets.
  Index highest = 0;
  /// Where the first column of each panel begins in the buffer. Panels that lie side by side are
  /// `panels()` apart in this table: what is stored behind the last column of a panel lies in the panel after
  /// it, which is packed later. The last panel may be repeated at the end.
  std::vector<std::int32_t> panel_offsets;
  /// How many panels are transposed side by side.
  std::size_t side_by_side = 1;
  /// Where each column of a panel begins, from its first column on, in the buffer.
  std::vector<std::int32_t> columns;
  std::size_t panel_rows = 0;
  /// The number of different rows in a panel.
  std::size_t filled_rows = 0;
  /// Whether what is stored behind a column, as far as a vector, is overwritten by the columns after it or
  /// lies behind the rows of the buffer.
  bool has_overlapping_columns = false;
  std::size_t item = 0;
  /// For rows that are copied or permuted: each offset of `rows` begins `repeats` rows of `bytes` bytes,
  /// which lie `src_step` apart in the source and `buffer_step` apart in the buffer.
  std::size_t repeats = 1;
  std::size_t bytes = 0;
  Index src_step = 0;
  Index buffer_step = 0;
  /// For rows that are permuted: byte i of a row is byte src_bytes[i] of it in the source.
  std::vector<std::uint16_t> src_bytes;
  PermuteProgram program;
  /// For pieces that are gathered: where each piece of `bytes` bytes begins in the source, from its panel's
  /// row on. The pieces of a panel are contiguous in the buffer.
  std::vector<Index> pieces;
  /// For the prefetch: where the runs of the source begin that hold the block, and how many lines each has.
  std::vector<Index> src_runs;
  std::size_t src_run_lines = 0;

  /// Where the block is one run of the destination and may go there from the registers by streaming stores,
  /// the bytes of a store: a line, where every vector is one; or the 16 or 32 bytes of a column, where
  /// columns follow each other in the order of packing, so that the processor joins them to lines. 0 where
  /// neither is.
  std::size_t streamed_bytes = 0;

  /// The number of panels, or of sets of panels that lie side by side.
  [[nodiscard]] std::size_t panels() const { return panel_offsets.size() / side_by_side; }
  [[nodiscard]] std::size_t row_bytes() const { return columns.size() * item; }
  [[nodiscard]] std::size_t units() const { return (row_bytes() + 15) / 16; }
};

/// A cursor over the lines of the source that are prefetched, in the order of their use: line 0 of each row
/// of a panel, then line 1 of each row, then the next panel, and after the last panel the next block.
struct PrefetchRows {
  const PackTable* table = nullptr;
  const std::byte* src = nullptr;
  std::size_t panel = 0;
  std::size_t line = 0;
  const PackTable* next_table = nullptr;
  const std::byte* next_src = nullptr;

  void step() {
    if (++line * line_bytes < table->row_bytes()) return;
    line = 0;
    if (++panel < table->panels()) return;
    panel = 0;
    if (next_table != nullptr) {
      table = next_table;
      src = next_src;
      next_table = nullptr;
    } else {
      panel = table->panels() - 1;
    }
  }
};

/// What a pack kernel does in one call, and how far the output and the prefetch have come.
struct Pack {
  const PackTable* table = nullptr;
  const std::byte* src = nullptr;
  std::byte* buffer = nullptr;
  /// Whether `buffer` is the destination itself, aligned to the table's `streamed_bytes`, and is written by
  /// streaming stores of so many bytes.
  bool is_direct = false;
  /// The panels that are packed: [first_panel, last_panel).
  std::size_t first_panel = 0;
  std::size_t last_panel = 0;
  /// The number of lines of `out` that are written with each step: a unit of a panel, or `step_bytes` of rows
  /// or pieces.
  std::size_t lines_per_step = 0;
  OutgoingRuns out;
  PrefetchRows prefetch;
};

using PackBlock = void (*)(Pack& pack);

/// The bytes of rows or pieces that are packed in one step.
inline constexpr std::size_t step_bytes = 256;
/// The greatest number of bytes of a gathered piece. Pieces are moved by loads of the next power of two.
inline constexpr std::size_t max_piece = 64;
/// Returns how many pieces are gathered in one step.
inline std::size_t pieces_per_step(const PackTable& table) {
  return step_bytes / table.bytes;
}
/// Returns the number of steps that gather all pieces of a table.
inline std::size_t gather_steps(const PackTable& table) {
  return table.panels() * ((table.pieces.size() + pieces_per_step(table) - 1) / pieces_per_step(table));
}
/// The prefetch distance: how many bytes of the source lie between what is prefetched and what is packed.
inline constexpr std::size_t prefetch_bytes = 8192;

/// How many panels whose columns have `rows` items are transposed side by side by vectors of `panel_bytes`: 1
/// where columns fill more than half of a vector; where items have 8 bytes, pairs of which are gathered
/// faster (.57 -> .31 of a plain copy, 2 x 4 float64, Zen 3); and for other vectors than those of 32 bytes,
/// for which alone this was measured.
constexpr std::size_t panels_side_by_side(std::size_t panel_bytes, std::size_t item, std::size_t rows) {
  if (panel_bytes != 32 || item > 4 || item * rows > 16) return 1;
  return item * rows > 8 ? 2 : 4;
}
/// The least number of panels in each of the parts that lie side by side: what stands behind a panel is
/// packed long before the last one.
inline constexpr std::size_t min_panels_apart = 16;

/// The pack kernels of one instruction set.
struct PackKernels {
  std::string_view name;
  /// Bytes of one column of a panel: panel_rows * item.
  std::size_t panel_bytes;
  /// Transpose; by log2 of the bytes of an item.
  std::array<PackBlock, 5> pack;
  /// Copies rows.
  PackBlock rows;
  /// Permutes rows by a program of vectors of `permuted_bytes`. Reads as many bytes of rows that span fewer
  /// where `reads_beyond_short_rows`.
  PackBlock permuted;
  std::size_t permuted_bytes;
  bool reads_beyond_short_rows;
  /// Gathers pieces. Reads the next power of two of the bytes of each piece.
  PackBlock gathered;
};

/// Returns the table of plain C++, which all others are tested against.
const PackKernels& portable_pack_kernels();

/// Returns the table that goes with the `Kernels` of this name. Precondition for using it: the processor has
/// their instruction set.
const PackKernels& pack_kernels(std::string_view name);

/// Returns the table that goes with `kernels()`.
const PackKernels& pack_kernels();

}  // namespace tenstride::copy
