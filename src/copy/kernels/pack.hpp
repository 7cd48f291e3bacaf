// SPDX-License-Identifier: Apache-2.0
// The kernels of pipelined blocks: a block is packed into a buffer, while lines of the block before it go
// out and the source of what follows is prefetched. One table for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "copy/outgoing_runs.hpp"

namespace tenstride::copy {

/// Rows of some bytes, some of them at a time, permuted by vectors: each vector of the destination is made of
/// those of the source that have bytes of it.
struct PermuteProgram {
  struct Vector {
    /// In the destination.
    std::uint32_t place = 0;
    std::uint32_t first_step = 0;
    std::uint32_t last_step = 0;
  };
  struct Step {
    /// In the source, from the first row on.
    std::int32_t from = 0;
    /// Bytes of the vector that this step has.
    std::uint64_t taken = 0;
  };
  /// So many rows at a time, and their bytes.
  std::size_t rows = 1;
  std::size_t bytes = 0;
  /// Where they lie in the source, from the first one on, gaps and all.
  std::ptrdiff_t lowest = 0;
  std::size_t span = 0;
  std::vector<Vector> vectors;
  std::vector<Step> steps;
  /// Of each step a vector of lanes: which byte each takes, 0x80 where it takes none.
  std::vector<std::uint8_t> lanes;
};

/// The program of `rows` rows, each `src_step` bytes behind the one before, whose byte i is byte from[i] of
/// the source, by vectors of `width` bytes, or all bytes where these are fewer.
PermuteProgram make_program(const std::vector<std::uint16_t>& from, std::size_t rows, std::ptrdiff_t src_step,
                            std::size_t width);

/// Where the items of a block lie. A panel is as many rows of the source as are turned together, or all
/// where there are fewer; a unit is 16 bytes of each of them. The last panel of several, and the last unit of
/// a row, begin within the one before.
struct PackTable {
  /// Of each panel `panel_rows` rows: how far each lies from the first item of the block. Where there are
  /// fewer, the last one again and again.
  std::vector<std::ptrdiff_t> rows;
  /// The greatest of these.
  std::ptrdiff_t highest = 0;
  /// Where the first column of each panel begins in the buffer.
  std::vector<std::int32_t> places;
  /// How far each column of a panel lies from its first one in the buffer.
  std::vector<std::int32_t> columns;
  std::size_t panel_rows = 0;
  std::size_t filled_rows = 0;
  std::size_t item = 0;
  /// For rows: each of `rows` is the first of so many, each of `bytes` bytes, so far apart on either side.
  std::size_t repeats = 1;
  std::size_t bytes = 0;
  std::ptrdiff_t src_step = 0;
  std::ptrdiff_t buffer_step = 0;
  /// For rows that are permuted: byte i of a row is byte from[i] of it in the source.
  std::vector<std::uint16_t> from;
  PermuteProgram program;
  /// For what is gathered: where each of the pieces of `bytes` bytes lies, those of a panel one after the
  /// other.
  std::vector<std::ptrdiff_t> pieces;
  /// Where the runs of the source begin that hold the block, and their lines.
  std::vector<std::ptrdiff_t> asked;
  std::size_t prefetched_lines = 0;

  /// Whether all that is written at a time are whole lines of the buffer, where that is one run.
  bool is_lines = false;

  [[nodiscard]] std::size_t panels() const { return places.size(); }
  [[nodiscard]] std::size_t row_bytes() const { return columns.size() * item; }
  [[nodiscard]] std::size_t units() const { return (row_bytes() + 15) / 16; }
};

/// The place in the source where lines are prefetched: in the order of use, a line of each row of a panel
/// after the other, on into the next block.
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

struct Pack {
  const PackTable* table = nullptr;
  const std::byte* src = nullptr;
  std::byte* buffer = nullptr;
  /// Whether `buffer` is the destination itself, written by streaming stores: for `PackTable::is_lines`, from
  /// a line's start on.
  bool is_direct = false;
  /// The panels that are packed.
  std::size_t first_panel = 0;
  std::size_t last_panel = 0;
  /// Of each unit so many lines are written.
  std::size_t lines_each = 0;
  OutgoingRuns out;
  PrefetchRows prefetch;
};

using PackBlock = void (*)(Pack& pack);

/// What is packed while `lines_each` lines are written, of rows and pieces.
inline constexpr std::size_t row_quantum = 256;
/// Pieces that are gathered have so many bytes at most, and are moved by the next power of two.
inline constexpr std::size_t max_piece = 64;
/// So many pieces are gathered at a time, and so many times of a table.
inline std::size_t pieces_at_once(const PackTable& table) {
  return row_quantum / table.bytes;
}
inline std::size_t gatherings(const PackTable& table) {
  return table.panels() * ((table.pieces.size() + pieces_at_once(table) - 1) / pieces_at_once(table));
}
/// How far ahead of its use the source is prefetched, in bytes.
inline constexpr std::size_t prefetch_bytes = 8192;

struct PackKernels {
  std::string_view name;
  /// Bytes of the rows of a panel, of one column: panel_rows * item.
  std::size_t panel_bytes;
  /// By log2 of the bytes of an item.
  std::array<PackBlock, 5> pack;
  PackBlock rows;
  /// By programs of vectors of so many bytes, which rows have at least where `permutes_less` is false.
  PackBlock permuted;
  std::size_t permuted_bytes;
  bool permutes_less;
  /// Of each piece the next power of two of its bytes is read.
  PackBlock gathered;
  /// Whether `pack` takes blocks that are direct.
  bool packs_directly;
};

/// The definitions.
const PackKernels& portable_pack_kernels();

/// The table of an instruction set, by the name of its `Kernels`; nullptr where there is none. Pre: where it
/// is used, the processor has it.
const PackKernels* find_pack_kernels(std::string_view name);

/// The table that goes with `kernels()`.
const PackKernels& pack_kernels();

}  // namespace tenstride::copy
