// SPDX-License-Identifier: Apache-2.0
#include "copy/ways/block_tables.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tenstride::copy {
namespace {

using Extents = BlockExtents;

/// The most pieces in a table: the L1 cache holds the table beside the gathered items. .31 with 4096 → .36 of
/// a plain copy with 1024 (bytes).
constexpr std::size_t max_pieces = 1024;

/// Some loops of a nest, sorted by the size of their strides on one side, the smallest first.
struct SortedLoops {
  std::array<std::size_t, Blocks::max_loops> loops{};
  std::size_t count = 0;

  static SortedLoops of(const Nest& nest, LoopSet set, Stride stride) {
    SortedLoops sorted;
    for (std::size_t d = 0; d < nest.size(); ++d) {
      if (has_loop(set, d)) sorted.loops[sorted.count++] = d;
    }
    std::sort(sorted.loops.data(), sorted.loops.data() + sorted.count, [&](std::size_t a, std::size_t b) {
      return std::abs(nest[a].*stride) < std::abs(nest[b].*stride);
    });
    return sorted;
  }
};

/// Makes the tables of blocks of given extents.
class TableMaker {
 public:
  TableMaker(const Blocks& way, const Nest& nest, const BufferRows& buffer, const PackKernels& kernels)
      : way_(way),
        nest_(nest),
        buffer_(buffer),
        panel_bytes_(kernels.panel_bytes),
        permuted_bytes_(kernels.permuted_bytes) {}

  [[nodiscard]] std::unique_ptr<BlockTables> make(const Extents& extent) const {
    auto tables = std::make_unique<BlockTables>();
    Extents buffer_stride{};
    const SortedLoops run = SortedLoops::of(nest_, way_.run, &Loop::dst_stride);
    Index reach = nest_.src_item;
    for (std::size_t i = 0; i < run.count; ++i) {
      buffer_stride[run.loops[i]] = reach;
      reach *= extent[run.loops[i]];
    }
    tables->run_items = static_cast<std::size_t>(reach / nest_.src_item);
    const auto all = static_cast<LoopSet>((1U << nest_.size()) - 1);
    const SortedLoops across =
        SortedLoops::of(nest_, static_cast<LoopSet>(all & ~way_.run), &Loop::dst_stride);
    tables->runs = {0};
    auto rows = static_cast<Index>(buffer_.pitch);
    for (std::size_t i = 0; i < across.count; ++i) {
      const std::size_t d = across.loops[i];
      buffer_stride[d] = rows;
      rows *= extent[d];
      add_loop(tables->runs, extent[d], nest_[d].dst_stride);
    }
    const SortedLoops others =
        SortedLoops::of(nest_, static_cast<LoopSet>(all & ~(way_.rows | way_.columns)), &Loop::src_stride);
    const SortedLoops columns = SortedLoops::of(nest_, way_.columns, &Loop::src_stride);
    if (way_.packing == Packing::gathered) {
      fill_pieces(*tables, extent, buffer_stride, columns);
    } else if (way_.packing != Packing::transposed) {
      fill_rows(*tables, extent, buffer_stride, columns, others);
      if (way_.packing == Packing::permuted) fill_program(*tables, extent, buffer_stride, columns);
    } else {
      fill_panels(*tables, extent, buffer_stride, SortedLoops::of(nest_, way_.rows, &Loop::dst_stride),
                  columns, others);
    }
    return tables;
  }

 private:
  /// Adds the offsets of a loop around the loops that the table has.
  template <class Table>
  static void add_loop(Table& offsets, Index extent, Index stride) {
    const std::size_t count = offsets.size();
    offsets.reserve(count * static_cast<std::size_t>(extent));
    for (Index i = 1; i < extent; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        offsets.push_back(
            static_cast<typename Table::value_type>(offsets[j] + static_cast<Index>(i * stride)));
      }
    }
  }

  /// The offsets of items in the source and in the buffer, in bytes.
  struct ItemOffsets {
    std::vector<Index> src{0};
    std::vector<Index> buffer{0};
  };

  [[nodiscard]] ItemOffsets offsets_of(const SortedLoops& side, const Extents& extent,
                                       const Extents& buffer_stride) const {
    ItemOffsets offsets;
    for (std::size_t i = 0; i < side.count; ++i) {
      const std::size_t d = side.loops[i];
      add_loop(offsets.src, extent[d], nest_[d].src_stride);
      add_loop(offsets.buffer, extent[d], buffer_stride[d]);
    }
    return offsets;
  }

  void fill_rows(BlockTables& tables, const Extents& extent, const Extents& buffer_stride,
                 const SortedLoops& row_side, SortedLoops other_side) const {
    PackTable& pack = tables.pack;
    pack.item = static_cast<std::size_t>(nest_.src_item);
    Index row = nest_.src_item;
    for (std::size_t i = 0; i < row_side.count; ++i) row *= extent[row_side.loops[i]];
    pack.bytes = static_cast<std::size_t>(row);
    // The loop with the smallest source stride is not in the table: the kernel steps along it.
    std::size_t first = 0;
    while (first < other_side.count && extent[other_side.loops[first]] == 1) ++first;
    if (first < other_side.count) {
      const std::size_t d = other_side.loops[first];
      pack.repeats = static_cast<std::size_t>(extent[d]);
      pack.src_step = nest_[d].src_stride;
      pack.buffer_step = buffer_stride[d];
      std::copy(other_side.loops.data() + first + 1, other_side.loops.data() + other_side.count,
                other_side.loops.data());
      other_side.count -= first + 1;
    } else {
      other_side.count = 0;
    }
    ItemOffsets others = offsets_of(other_side, extent, buffer_stride);
    pack.rows = std::move(others.src);
    pack.highest = *std::max_element(pack.rows.begin(), pack.rows.end()) +
                   std::max<Index>(static_cast<Index>(pack.repeats - 1) * pack.src_step, 0);
    for (const Index offset : others.buffer) pack.panel_offsets.push_back(static_cast<std::int32_t>(offset));
  }

  /// Fills the table of gathered pieces, in the order of the run. Takes in as many of the run's loops as
  /// there is room for, the last of them in equal parts, of which the last may overlap the one before it.
  /// These parts and the other loops are panels.
  void fill_pieces(BlockTables& tables, const Extents& extent, const Extents& buffer_stride,
                   const SortedLoops& row_side) const {
    PackTable& pack = tables.pack;
    pack.item = static_cast<std::size_t>(nest_.src_item);
    LoopSet indexed = way_.columns;
    Index row = nest_.src_item;
    for (std::size_t i = 0; i < row_side.count; ++i) row *= extent[row_side.loops[i]];
    pack.bytes = static_cast<std::size_t>(row);
    pack.pieces = {0};
    const SortedLoops run =
        SortedLoops::of(nest_, static_cast<LoopSet>(way_.run & ~way_.columns), &Loop::dst_stride);
    ItemOffsets parts;
    for (std::size_t i = 0; i < run.count; ++i) {
      const std::size_t d = run.loops[i];
      const auto room = static_cast<Index>(max_pieces / pack.pieces.size());
      const Index count = ceil_divide(extent[d], room);
      const Index part = ceil_divide(extent[d], count);
      add_loop(pack.pieces, part, nest_[d].src_stride);
      indexed = static_cast<LoopSet>(indexed | 1U << d);
      if (count == 1) continue;
      for (Index n = 1; n < count; ++n) {
        const Index first = std::min(n * part, extent[d] - part);
        parts.src.push_back(first * nest_[d].src_stride);
        parts.buffer.push_back(first * buffer_stride[d]);
      }
      break;
    }
    const auto all = static_cast<LoopSet>((1U << nest_.size()) - 1);
    const ItemOffsets panels =
        offsets_of(SortedLoops::of(nest_, static_cast<LoopSet>(all & ~indexed), &Loop::dst_stride), extent,
                   buffer_stride);
    for (std::size_t p = 0; p < panels.src.size(); ++p) {
      for (std::size_t n = 0; n < parts.src.size(); ++n) {
        pack.rows.push_back(panels.src[p] + parts.src[n]);
        pack.panel_offsets.push_back(static_cast<std::int32_t>(panels.buffer[p] + parts.buffer[n]));
      }
    }
    pack.highest = *std::max_element(pack.rows.begin(), pack.rows.end()) +
                   *std::max_element(pack.pieces.begin(), pack.pieces.end());
    fill_src_runs(pack, extent, tables.lowest);
  }

  /// Fills the table of source runs to be prefetched: a run consists of the loops whose strides leave gaps of
  /// at most a line. `lowest`: from where on they are counted.
  void fill_src_runs(PackTable& pack, const Extents& extent, Index lowest) const {
    const auto all = static_cast<LoopSet>((1U << nest_.size()) - 1);
    const SortedLoops loops = SortedLoops::of(nest_, all, &Loop::src_stride);
    constexpr auto line = static_cast<Index>(line_bytes);
    Index reach = nest_.src_item;
    Index below = 0;
    pack.src_runs = {0};
    for (std::size_t i = 0; i < loops.count; ++i) {
      const std::size_t d = loops.loops[i];
      const Index stride = nest_[d].src_stride;
      if (pack.src_runs.size() == 1 && std::abs(stride) <= reach + line) {
        reach += std::abs(stride) * (extent[d] - 1);
        below += std::min<Index>(stride * (extent[d] - 1), 0);
      } else {
        add_loop(pack.src_runs, extent[d], stride);
      }
    }
    for (Index& run : pack.src_runs) run += below - lowest;
    pack.src_run_lines = static_cast<std::size_t>((reach + line - 1) / line);
  }

  /// Makes the program that permutes rows, whose items have another order in the buffer.
  void fill_program(BlockTables& tables, const Extents& extent, const Extents& buffer_stride,
                    const SortedLoops& row_side) const {
    PackTable& pack = tables.pack;
    for (std::size_t i = 0; i < row_side.count; ++i) {
      const std::size_t d = row_side.loops[i];
      tables.lowest += std::min<Index>((extent[d] - 1) * nest_[d].src_stride, 0);
    }
    const ItemOffsets items = offsets_of(row_side, extent, buffer_stride);
    pack.src_bytes.resize(pack.bytes);
    for (std::size_t i = 0; i < items.src.size(); ++i) {
      for (std::size_t b = 0; b < pack.item; ++b) {
        pack.src_bytes[static_cast<std::size_t>(items.buffer[i]) + b] =
            static_cast<std::uint16_t>(items.src[i] - tables.lowest + static_cast<Index>(b));
      }
    }
    pack.program = make_program(pack.src_bytes, rows_of_program(pack), pack.src_step, permuted_bytes_);
    const bool are_lines =
        tables.runs.size() == 1 && permuted_bytes_ == line_bytes && pack.program.bytes % line_bytes == 0 &&
        tables.run_items * pack.item % line_bytes == 0 && pack.buffer_step == static_cast<Index>(pack.bytes);
    if (are_lines) pack.streamed_bytes = line_bytes;
  }

  /// The number of rows that are permuted at a time: as many as fill vectors best, where rows are contiguous
  /// in the buffer and at most 64 bytes apart in the source.
  [[nodiscard]] std::size_t rows_of_program(const PackTable& pack) const {
    constexpr std::size_t max_vectors = 16;
    constexpr std::size_t max_gap = 64;
    const std::size_t span = *std::max_element(pack.src_bytes.begin(), pack.src_bytes.end()) + std::size_t{1};
    const bool are_contiguous = pack.buffer_step == static_cast<Index>(pack.bytes) &&
                                static_cast<std::size_t>(std::abs(pack.src_step)) <= span + max_gap;
    std::size_t best = 1;
    double lowest_waste = std::numeric_limits<double>::infinity();
    for (std::size_t rows = 1; rows <= (are_contiguous ? pack.repeats : 1); ++rows) {
      const std::size_t bytes = rows * pack.bytes;
      const std::size_t vectors = (bytes + permuted_bytes_ - 1) / permuted_bytes_;
      if (rows > 1 && vectors > max_vectors) break;
      const double waste = static_cast<double>(vectors * permuted_bytes_) / static_cast<double>(bytes);
      // Of equally good numbers the largest: each step of a program has overhead beside its vectors.
      if (waste > lowest_waste) continue;
      lowest_waste = waste;
      best = rows;
    }
    return best;
  }

  /// Fills the buffer offsets of the columns, in the order of the source. A gap between two columns gets the
  /// offset of the column after it, which overwrites what stood in the gap.
  static void fill_columns(BlockTables& tables, const ItemOffsets& items) {
    PackTable& pack = tables.pack;
    const auto [lowest, highest] = std::minmax_element(items.src.begin(), items.src.end());
    const auto item = static_cast<Index>(pack.item);
    tables.lowest = *lowest;
    constexpr std::int32_t gap = -1;
    pack.columns.assign(static_cast<std::size_t>((*highest - *lowest) / item + 1), gap);
    for (std::size_t i = 0; i < items.src.size(); ++i)
      pack.columns[static_cast<std::size_t>((items.src[i] - *lowest) / item)] =
          static_cast<std::int32_t>(items.buffer[i]);
    for (std::size_t c = pack.columns.size(); c-- > 0;) {
      if (pack.columns[c] == gap) pack.columns[c] = pack.columns[c + 1];
    }
  }

  void fill_panels(BlockTables& tables, const Extents& extent, const Extents& buffer_stride,
                   const SortedLoops& row_side, const SortedLoops& column_side,
                   const SortedLoops& other_side) const {
    PackTable& pack = tables.pack;
    pack.item = static_cast<std::size_t>(nest_.src_item);
    pack.panel_rows = panel_bytes_ / pack.item;
    fill_columns(tables, offsets_of(column_side, extent, buffer_stride));
    const ItemOffsets rows = offsets_of(row_side, extent, buffer_stride);
    const ItemOffsets others = offsets_of(other_side, extent, buffer_stride);
    fill_src_runs(pack, extent, tables.lowest);
    const std::size_t row_count = rows.src.size();
    pack.filled_rows = std::min(row_count, pack.panel_rows);
    if (lie_side_by_side(pack, others)) {
      fill_panels_side_by_side(pack, rows, others);
      return;
    }
    const std::size_t panels = others.src.size() * ((row_count + pack.panel_rows - 1) / pack.panel_rows);
    pack.panel_offsets.reserve(panels);
    pack.rows.reserve(panels * pack.panel_rows);
    for (std::size_t other = 0; other < others.src.size(); ++other) {
      for (std::size_t done = 0; done < row_count; done += pack.panel_rows) {
        const std::size_t first = std::min(done, row_count - pack.filled_rows);
        pack.panel_offsets.push_back(static_cast<std::int32_t>(others.buffer[other] + rows.buffer[first]));
        for (std::size_t r = 0; r < pack.panel_rows; ++r)
          pack.rows.push_back(others.src[other] + rows.src[std::min(first + r, row_count - 1)]);
      }
    }
    pack.highest = *std::max_element(pack.rows.begin(), pack.rows.end());
    pack.has_overlapping_columns = has_overlapping_columns(pack);
    if (tables.runs.size() != 1) return;
    if (panel_bytes_ == line_bytes && row_count % pack.panel_rows == 0 && are_line_starts(pack)) {
      pack.streamed_bytes = line_bytes;
    } else if (panel_bytes_ < line_bytes && row_count == pack.filled_rows && follow_each_other(pack)) {
      pack.streamed_bytes = pack.filled_rows * pack.item;
    }
  }

  /// Whether panels have few rows, and what is stored behind a column, as far as its part of a vector, lies
  /// in the columns after it or in the panel after it.
  [[nodiscard]] bool lie_side_by_side(const PackTable& pack, const ItemOffsets& others) const {
    const std::size_t column = pack.filled_rows * pack.item;
    const std::size_t sides = panels_side_by_side(panel_bytes_, pack.item, pack.filled_rows);
    return sides > 1 && others.src.size() >= sides * min_panels_apart &&
           panel_bytes_ / sides - column <= buffer_.room && ascend(pack.columns, column) &&
           ascend(others.buffer, static_cast<std::size_t>(pack.columns.back()) + column);
  }

  void fill_panels_side_by_side(PackTable& pack, const ItemOffsets& rows, const ItemOffsets& others) const {
    pack.side_by_side = panels_side_by_side(panel_bytes_, pack.item, pack.filled_rows);
    const std::size_t count = others.src.size();
    const std::size_t sets = (count + pack.side_by_side - 1) / pack.side_by_side;
    const auto panel = [&](std::size_t side, std::size_t set) {
      return std::min(side * sets + set, count - 1);
    };
    for (std::size_t side = 0; side < pack.side_by_side; ++side) {
      for (std::size_t set = 0; set < sets; ++set)
        pack.panel_offsets.push_back(static_cast<std::int32_t>(others.buffer[panel(side, set)]));
    }
    for (std::size_t set = 0; set < sets; ++set) {
      for (std::size_t side = 0; side < pack.side_by_side; ++side) {
        for (std::size_t r = 0; r < pack.panel_rows / pack.side_by_side; ++r)
          pack.rows.push_back(others.src[panel(side, set)] + rows.src[std::min(r, pack.filled_rows - 1)]);
      }
    }
    pack.highest = *std::max_element(pack.rows.begin(), pack.rows.end());
  }

  /// Whether each offset is at least `bytes` above the one before it, or equal to it, as where a gap gets the
  /// offset of the column after it.
  template <class Offset>
  static bool ascend(const std::vector<Offset>& offsets, std::size_t bytes) {
    return std::adjacent_find(offsets.begin(), offsets.end(), [=](Offset a, Offset b) {
             return b != a && b < a + static_cast<Offset>(bytes);
           }) == offsets.end();
  }

  /// Whether what is stored behind a column is overwritten later: columns ascend, and so do panels, each
  /// behind all columns of the one before it or each behind the one before it in every column. Behind the
  /// last one of a run there has to be room.
  [[nodiscard]] bool has_overlapping_columns(const PackTable& pack) const {
    const std::size_t column = pack.filled_rows * pack.item;
    const std::size_t of_columns = static_cast<std::size_t>(pack.columns.back()) + column;
    const std::size_t of_panels = static_cast<std::size_t>(pack.panel_offsets.back()) + panel_bytes_;
    return panel_bytes_ - column <= buffer_.room &&
           ((ascend(pack.columns, column) && ascend(pack.panel_offsets, of_columns)) ||
            (ascend(pack.panel_offsets, column) && ascend(pack.columns, of_panels)));
  }

  /// Whether columns of 16 or 32 bytes follow each other in the buffer without a gap, in the order of
  /// packing.
  static bool follow_each_other(const PackTable& pack) {
    const std::size_t column = pack.filled_rows * pack.item;
    const auto are_apart = [](const std::vector<std::int32_t>& offsets, std::size_t bytes) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] != static_cast<std::int32_t>(i * bytes)) return false;
      }
      return true;
    };
    return (column == 16 || column == 32) && pack.row_bytes() >= 16 && are_apart(pack.columns, column) &&
           are_apart(pack.panel_offsets, pack.columns.size() * column);
  }

  /// Whether every column of every panel begins at a line of its own in the buffer, and rows are whole units
  /// of 16 bytes.
  static bool are_line_starts(const PackTable& pack) {
    const auto is_start = [](std::int32_t offset) { return offset % static_cast<Index>(line_bytes) == 0; };
    const bool are_distinct =
        std::adjacent_find(pack.columns.begin(), pack.columns.end()) == pack.columns.end();
    return are_distinct && pack.row_bytes() % 16 == 0 &&
           std::all_of(pack.columns.begin(), pack.columns.end(), is_start) &&
           std::all_of(pack.panel_offsets.begin(), pack.panel_offsets.end(), is_start);
  }

  const Blocks& way_;
  const Nest& nest_;
  BufferRows buffer_;
  std::size_t panel_bytes_;
  std::size_t permuted_bytes_;
};

}  // namespace

std::unique_ptr<BlockTables> make_block_tables(const Blocks& way, const Nest& nest,
                                               const BlockExtents& extent, const BufferRows& buffer,
                                               const PackKernels& kernels) {
  return TableMaker(way, nest, buffer, kernels).make(extent);
}

}  // namespace tenstride::copy
