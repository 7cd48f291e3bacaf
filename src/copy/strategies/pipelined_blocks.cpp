// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/pipelined_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "copy/convert.hpp"
#include "copy/pack.hpp"
#include "copy/strategies/outgoing_converted.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

using detail::Nest;
using Extents = std::array<Index, Nest::most_loops>;

constexpr Index line = OutgoingRuns::line;
/// Ranges of blocks for each thread: a range begins with nothing prefetched.
constexpr Index ranges_each = 4;
/// What is read of a row at a time, however short it is.
constexpr std::size_t least_row = 16;

/// The grid of blocks. Those that follow each other along the destination run are neighbours; otherwise what
/// is read next lies beside what was read.
class Grid {
 public:
  struct Block {
    std::ptrdiff_t dst = 0;
    std::ptrdiff_t src = 0;
    Extents extent{};
    /// One bit for each loop along which the block is a shorter one.
    LoopSet shorter = 0;
    bool begins = true;
    bool ends = true;
  };

  Grid(const PipelinedBlocks& strategy, const Nest& nest) : strategy_(strategy), nest_(nest) {
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (strategy.part[d] < nest[d].extent && d != strategy.along) cut_[cut_count_++] = d;
    }
    const auto step = [&](std::size_t d) { return std::abs(nest[d].src_stride) * strategy.part[d]; };
    std::sort(cut_.data(), cut_.data() + cut_count_,
              [&](std::size_t a, std::size_t b) { return step(a) > step(b); });
    if (strategy.along < nest.count) cut_[cut_count_++] = strategy.along;
  }

  [[nodiscard]] Index count() const {
    Index count = 1;
    for (std::size_t i = 0; i < cut_count_; ++i) count *= parts(cut_[i]);
    return count;
  }
  /// Blocks that hand lines on to each other.
  [[nodiscard]] Index together() const {
    return strategy_.along < nest_.count ? parts(strategy_.along) : Index{1};
  }

  [[nodiscard]] Block block(Index number) const {
    Block block;
    block.extent = strategy_.part;
    for (std::size_t i = cut_count_; i-- > 0;) {
      const std::size_t d = cut_[i];
      const Index index = number % parts(d);
      number /= parts(d);
      const Index first = index * strategy_.part[d];
      block.dst += first * nest_[d].dst_stride;
      block.src += first * nest_[d].src_stride;
      block.extent[d] = std::min(strategy_.part[d], nest_[d].extent - first);
      if (block.extent[d] < strategy_.part[d]) block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
      if (d == strategy_.along) {
        block.begins = index == 0;
        block.ends = index + 1 == parts(d);
      }
    }
    return block;
  }

 private:
  [[nodiscard]] Index parts(std::size_t d) const { return ceil_divide(nest_[d].extent, strategy_.part[d]); }

  const PipelinedBlocks& strategy_;
  const Nest& nest_;
  std::array<std::size_t, Nest::most_loops> cut_{};
  std::size_t cut_count_ = 0;
};

/// Loops, the ones of the smallest strides first.
struct Side {
  std::array<std::size_t, Nest::most_loops> loops{};
  std::size_t count = 0;

  template <class Stride>
  static Side of(const Nest& nest, LoopSet set, const Stride& stride) {
    Side side;
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (has_loop(set, d)) side.loops[side.count++] = d;
    }
    std::sort(side.loops.data(), side.loops.data() + side.count, [&](std::size_t a, std::size_t b) {
      return std::abs(stride(nest[a])) < std::abs(stride(nest[b]));
    });
    return side;
  }
};

/// Where the items of blocks of the same extents lie, in the source, in the buffer and in the destination.
struct BlockTables {
  PackTable pack;
  std::vector<std::ptrdiff_t> runs;
  /// From the first item of a block to the lowest one, in bytes of the source.
  std::ptrdiff_t lowest = 0;
  std::size_t run_items = 1;
};

/// Makes the tables of a block.
class TableMaker {
 public:
  TableMaker(const PipelinedBlocks& strategy, const Nest& nest, std::size_t pitch, const PackKernels& kernels)
      : strategy_(strategy),
        nest_(nest),
        pitch_(pitch),
        panel_bytes_(kernels.panel_bytes),
        permuted_bytes_(kernels.permuted_bytes) {}

  [[nodiscard]] std::unique_ptr<BlockTables> make(const Extents& extent) const {
    auto tables = std::make_unique<BlockTables>();
    const auto by_src = [](const Nest::Loop& loop) { return loop.src_stride; };
    const auto by_dst = [](const Nest::Loop& loop) { return loop.dst_stride; };
    Extents place{};
    const Side run = Side::of(nest_, strategy_.run, by_dst);
    Index reach = nest_.src_item;
    for (std::size_t i = 0; i < run.count; ++i) {
      place[run.loops[i]] = reach;
      reach *= extent[run.loops[i]];
    }
    tables->run_items = static_cast<std::size_t>(reach / nest_.src_item);
    const auto all = static_cast<LoopSet>((1U << nest_.count) - 1);
    const Side across = Side::of(nest_, static_cast<LoopSet>(all & ~strategy_.run), by_dst);
    tables->runs = {0};
    auto rows = static_cast<Index>(pitch_);
    for (std::size_t i = 0; i < across.count; ++i) {
      const std::size_t d = across.loops[i];
      place[d] = rows;
      rows *= extent[d];
      repeat(tables->runs, extent[d], nest_[d].dst_stride);
    }
    const Side others =
        Side::of(nest_, static_cast<LoopSet>(all & ~(strategy_.rows | strategy_.columns)), by_src);
    const Side columns = Side::of(nest_, strategy_.columns, by_src);
    if (strategy_.packing != Packing::transposed) {
      fill_rows(*tables, extent, place, columns, others);
      if (strategy_.packing == Packing::permuted) fill_program(*tables, extent, place, columns);
    } else {
      fill_panels(*tables, extent, place, Side::of(nest_, strategy_.rows, by_dst), columns, others);
    }
    return tables;
  }

 private:
  /// The places of a loop around those that are there.
  template <class List>
  static void repeat(List& places, Index extent, std::ptrdiff_t stride) {
    const std::size_t count = places.size();
    places.reserve(count * static_cast<std::size_t>(extent));
    for (Index i = 1; i < extent; ++i) {
      for (std::size_t at = 0; at < count; ++at) {
        places.push_back(
            static_cast<typename List::value_type>(places[at] + static_cast<std::ptrdiff_t>(i * stride)));
      }
    }
  }

  struct Places {
    std::vector<std::ptrdiff_t> src{0};
    std::vector<std::ptrdiff_t> buffer{0};
  };

  [[nodiscard]] Places places_of(const Side& side, const Extents& extent, const Extents& place) const {
    Places places;
    for (std::size_t i = 0; i < side.count; ++i) {
      const std::size_t d = side.loops[i];
      repeat(places.src, extent[d], nest_[d].src_stride);
      repeat(places.buffer, extent[d], place[d]);
    }
    return places;
  }

  void fill_rows(BlockTables& tables, const Extents& extent, const Extents& place, const Side& row_side,
                 Side other_side) const {
    PackTable& pack = tables.pack;
    pack.item = static_cast<std::size_t>(nest_.src_item);
    Index row = nest_.src_item;
    for (std::size_t i = 0; i < row_side.count; ++i) row *= extent[row_side.loops[i]];
    pack.bytes = static_cast<std::size_t>(row);
    // The loop of the shortest steps in the source is walked by its steps.
    std::size_t first = 0;
    while (first < other_side.count && extent[other_side.loops[first]] == 1) ++first;
    if (first < other_side.count) {
      const std::size_t d = other_side.loops[first];
      pack.repeats = static_cast<std::size_t>(extent[d]);
      pack.src_step = nest_[d].src_stride;
      pack.buffer_step = place[d];
      std::copy(other_side.loops.data() + first + 1, other_side.loops.data() + other_side.count,
                other_side.loops.data());
      other_side.count -= first + 1;
    } else {
      other_side.count = 0;
    }
    Places others = places_of(other_side, extent, place);
    pack.rows = std::move(others.src);
    for (const std::ptrdiff_t at : others.buffer) pack.places.push_back(static_cast<std::int32_t>(at));
  }

  /// Rows whose items stand in another order in the buffer.
  void fill_program(BlockTables& tables, const Extents& extent, const Extents& place,
                    const Side& row_side) const {
    PackTable& pack = tables.pack;
    for (std::size_t i = 0; i < row_side.count; ++i) {
      const std::size_t d = row_side.loops[i];
      tables.lowest += std::min<Index>((extent[d] - 1) * nest_[d].src_stride, 0);
    }
    const Places items = places_of(row_side, extent, place);
    pack.from.resize(pack.bytes);
    for (std::size_t i = 0; i < items.src.size(); ++i) {
      for (std::size_t b = 0; b < pack.item; ++b) {
        pack.from[static_cast<std::size_t>(items.buffer[i]) + b] =
            static_cast<std::uint16_t>(items.src[i] - tables.lowest + static_cast<std::ptrdiff_t>(b));
      }
    }
    const bool are_side_by_side =
        pack.src_step == static_cast<std::ptrdiff_t>(pack.bytes) && pack.buffer_step == pack.src_step;
    pack.program = make_program(pack.from, are_side_by_side ? rows_of_program(pack) : 1, permuted_bytes_);
  }

  /// As many rows at a time as fill vectors best.
  [[nodiscard]] std::size_t rows_of_program(const PackTable& pack) const {
    constexpr std::size_t most_vectors = 8;
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t rows = 1; rows <= pack.repeats; ++rows) {
      const std::size_t bytes = rows * pack.bytes;
      const std::size_t vectors = (bytes + permuted_bytes_ - 1) / permuted_bytes_;
      if (rows > 1 && vectors > most_vectors) break;
      const double waste = static_cast<double>(vectors * permuted_bytes_) / static_cast<double>(bytes);
      if (waste >= least) continue;
      least = waste;
      best = rows;
    }
    return best;
  }

  void fill_panels(BlockTables& tables, const Extents& extent, const Extents& place, const Side& row_side,
                   const Side& column_side, const Side& other_side) const {
    PackTable& pack = tables.pack;
    pack.item = static_cast<std::size_t>(nest_.src_item);
    pack.panel_rows = panel_bytes_ / pack.item;
    pack.columns = {0};
    std::int32_t first_column = 0;
    for (std::size_t i = 0; i < column_side.count; ++i) {
      const std::size_t d = column_side.loops[i];
      const Index reach = (extent[d] - 1) * nest_[d].src_stride;
      // Columns in the order of the source: of a loop that is read backwards the last one is the first.
      if (reach < 0) {
        tables.lowest += reach;
        first_column += static_cast<std::int32_t>((extent[d] - 1) * place[d]);
        repeat(pack.columns, extent[d], -place[d]);
      } else {
        repeat(pack.columns, extent[d], place[d]);
      }
    }
    const Places rows = places_of(row_side, extent, place);
    const Places others = places_of(other_side, extent, place);
    const std::size_t row_count = rows.src.size();
    pack.filled_rows = std::min(row_count, pack.panel_rows);
    const std::size_t panels = others.src.size() * ((row_count + pack.panel_rows - 1) / pack.panel_rows);
    pack.places.reserve(panels);
    pack.rows.reserve(panels * pack.panel_rows);
    for (std::size_t other = 0; other < others.src.size(); ++other) {
      for (std::size_t done = 0; done < row_count; done += pack.panel_rows) {
        const std::size_t first = std::min(done, row_count - pack.filled_rows);
        pack.places.push_back(static_cast<std::int32_t>(others.buffer[other] + rows.buffer[first]) +
                              first_column);
        for (std::size_t r = 0; r < pack.panel_rows; ++r)
          pack.rows.push_back(others.src[other] + rows.src[std::min(first + r, row_count - 1)]);
      }
    }
    pack.highest = *std::max_element(pack.rows.begin(), pack.rows.end());
  }

  const PipelinedBlocks& strategy_;
  const Nest& nest_;
  std::size_t pitch_;
  std::size_t panel_bytes_;
  std::size_t permuted_bytes_;
};

/// Memory of a thread that copies again and again.
std::byte* scratch(std::size_t bytes) {
  thread_local std::unique_ptr<std::byte[]> space;
  thread_local std::size_t size = 0;
  if (size < bytes + 64) {
    space = std::make_unique_for_overwrite<std::byte[]>(bytes + 64);
    size = bytes + 64;
  }
  return space.get() + (0 - reinterpret_cast<std::uintptr_t>(space.get())) % 64;
}

/// The work of one thread.
class Worker {
 public:
  Worker(const PipelinedBlocks& strategy, const Nest& nest, const CopyPlan& plan, const Grid& grid,
         std::byte* dst, const std::byte* src)
      : nest_(nest),
        grid_(grid),
        kernels_(pack_kernels()),
        packing_(strategy.packing),
        is_transposed_(packing_ == Packing::transposed),
        dst_(dst),
        src_(src),
        src_end_(src + end_of_source(nest)),
        run_limit_(run_bytes(strategy, nest)),
        margin_(static_cast<std::size_t>((line / nest.dst_item * nest.src_item + line - 1) / line * line)),
        pitch_(odd_lines(run_limit_ + margin_)),
        maker_(strategy, nest, pitch_, kernels_) {
    Index items = 1;
    for (std::size_t d = 0; d < nest.count; ++d) items *= strategy.part[d];
    const std::size_t size =
        static_cast<std::size_t>(items * nest.src_item) / run_limit_ * pitch_ + margin_ + spill_bytes;
    // The same lines of both do not fall into the same sets of the cache.
    const std::size_t apart = (size + 4095) / 4096 * 4096 + 2048;
    std::byte* const space = scratch(2 * apart);
    rows_ = {space + margin_, space + apart + margin_};
    if (plan.conversion != CopyConversion::none) converted_ = std::make_unique<OutgoingConverted>(plan, nest);
  }

  /// Blocks [from, to).
  void operator()(Index from, Index to) {
    Grid::Block block = grid_.block(from);
    block.begins = true;
    Pack pack;
    pack.ahead.table = &tables(block).pack;
    pack.ahead.src = src_of(block);
    const std::size_t step = pack.ahead.table->panel_rows * OutgoingRuns::line;
    for (std::size_t done = 0; step > 0 && done < prefetch_bytes; done += step) pack.ahead.step();
    for (std::size_t buffer = 0; from < to; buffer ^= 1U) {
      const BlockTables& now = tables(block);
      Grid::Block next;
      if (++from < to) {
        next = grid_.block(from);
        pack.ahead.next_table = &tables(next).pack;
        pack.ahead.next_src = src_of(next);
      } else {
        block.ends = true;
      }
      pack.table = &now.pack;
      pack.src = src_of(block);
      pack.buffer = rows_[buffer];
      pack_and_write(pack);
      send(pack, block, now, buffer);
      if (pack.ahead.next_table != nullptr) start_ahead(pack.ahead);
      block = next;
    }
    drain(pack);
    copy::kernels().fence();
  }

 private:
  static std::size_t run_bytes(const PipelinedBlocks& strategy, const Nest& nest) {
    auto bytes = static_cast<std::size_t>(nest.src_item);
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (has_loop(strategy.run, d)) bytes *= static_cast<std::size_t>(strategy.part[d]);
    }
    return bytes;
  }

  /// From the first item to behind the highest one.
  static std::ptrdiff_t end_of_source(const Nest& nest) {
    std::ptrdiff_t end = nest.src_item;
    for (std::size_t d = 0; d < nest.count; ++d)
      end += std::max<Index>((nest[d].extent - 1) * nest[d].src_stride, 0);
    return end;
  }

  /// An odd number of lines, so that rows of the buffer fall into different sets of the cache.
  static std::size_t odd_lines(std::size_t bytes) { return ((bytes + 63) / 64 | 1U) * 64; }

  const BlockTables& tables(const Grid::Block& block) {
    for (const auto& [shorter, found] : tables_) {
      if (shorter == block.shorter) return *found;
    }
    tables_.emplace_back(block.shorter, maker_.make(block.extent));
    return *tables_.back().second;
  }

  const std::byte* src_of(const Grid::Block& block) { return src_ + block.src + tables(block).lowest; }

  /// Prefetching that has not come to its block in time begins there.
  static void start_ahead(PrefetchRows& ahead) {
    ahead.table = ahead.next_table;
    ahead.src = ahead.next_src;
    ahead.next_table = nullptr;
    ahead.panel = ahead.line = 0;
  }

  void pack_and_write(Pack& pack) {
    const PackTable& table = *pack.table;
    const std::size_t panels = table.panels();
    const std::size_t units =
        is_transposed_ ? panels * table.units() : panels * table.repeats * table.bytes / row_quantum + 1;
    if (converted_ == nullptr) {
      pack.lines_each = (pack.out.lines() + units - 1) / units;
      pack_panels(pack, 0, panels);
      drain(pack);
      return;
    }
    pack.lines_each = 0;
    const std::size_t pieces = std::max<std::size_t>(converted_->lines() / OutgoingConverted::piece_lines, 1);
    const std::size_t step = (panels + pieces - 1) / pieces;
    const std::size_t lines = (converted_->lines() * step + panels - 1) / panels;
    for (std::size_t done = 0; done < panels; done += step) {
      pack_panels(pack, done, std::min(done + step, panels));
      converted_->write(lines);
    }
    converted_->drain();
  }

  /// Panels [from, to), those near the end of the source without reading beyond it.
  void pack_panels(Pack& pack, std::size_t from, std::size_t to) {
    const PackTable& table = *pack.table;
    const PackBlock leaf = leaf_of(kernels_, table);
    if (table.row_bytes() >= least_row || !is_transposed_ || !reaches_end(pack)) {
      pack.first_panel = from;
      pack.last_panel = to;
      leaf(pack);
      return;
    }
    for (std::size_t p = from; p < to; ++p) {
      pack.first_panel = p;
      pack.last_panel = p + 1;
      const auto* const rows = &table.rows[p * table.panel_rows];
      const std::ptrdiff_t highest = *std::max_element(rows, rows + table.filled_rows);
      const bool fits = pack.src + highest + least_row <= src_end_;
      (fits ? leaf : leaf_of(portable_pack_kernels(), table))(pack);
    }
  }

  [[nodiscard]] PackBlock leaf_of(const PackKernels& kernels, const PackTable& table) const {
    if (is_transposed_) return kernels.pack[static_cast<std::size_t>(std::countr_zero(table.item))];
    if (packing_ == Packing::rows) return kernels.rows;
    const bool fits = kernels.permutes_less || table.program.bytes >= kernels.permuted_bytes;
    return fits ? kernels.permuted : portable_pack_kernels().permuted;
  }

  /// Whether 16 bytes from a row of the block on may reach beyond the source.
  [[nodiscard]] bool reaches_end(const Pack& pack) const {
    return pack.src + pack.table->highest + least_row > src_end_;
  }

  void drain(Pack& pack) {
    if (converted_ != nullptr) {
      converted_->drain();
      return;
    }
    const Kernels& kernels = copy::kernels();
    while (pack.out.left > 0 || pack.out.next()) {
      kernels.stream_run(pack.out.to, pack.out.from, pack.out.left * OutgoingRuns::line);
      pack.out.left = 0;
    }
  }

  /// Sends the packed block on its way.
  void send(Pack& pack, const Grid::Block& block, const BlockTables& now, std::size_t buffer) {
    OutgoingRuns out;
    out.dst = dst_ + block.dst;
    out.places = now.runs.data();
    out.count = now.runs.size();
    out.rows = rows_[buffer];
    out.pitch = static_cast<std::ptrdiff_t>(pitch_);
    out.next_rows = rows_[buffer ^ 1U];
    out.bytes = now.run_items * static_cast<std::size_t>(nest_.dst_item);
    // Where runs are shorter than a line they have no line to hand on.
    const bool hands_on =
        run_limit_ / static_cast<std::size_t>(nest_.src_item) * static_cast<std::size_t>(nest_.dst_item) >=
        static_cast<std::size_t>(line);
    out.begins = block.begins || !hands_on;
    out.ends = block.ends || !hands_on;
    if (converted_ != nullptr) {
      converted_->begin(out, now.run_items);
    } else {
      pack.out = out;
    }
  }

  const Nest& nest_;
  const Grid& grid_;
  const PackKernels& kernels_;
  Packing packing_;
  bool is_transposed_;
  std::byte* dst_;
  const std::byte* src_;
  const std::byte* src_end_;
  /// Of the longest run of a block, in the buffer.
  std::size_t run_limit_;
  /// What stands before each run of the buffer: a line of the destination.
  std::size_t margin_;
  std::size_t pitch_;
  TableMaker maker_;
  std::array<std::byte*, 2> rows_{};
  std::vector<std::pair<LoopSet, std::unique_ptr<BlockTables>>> tables_;
  std::unique_ptr<OutgoingConverted> converted_;
};

}  // namespace

void run(const PipelinedBlocks& strategy, const Nest& nest, const CopyPlan& plan, std::byte* dst,
         const std::byte* src) {
  const Grid grid(strategy, nest);
  const Index threads = threads_of(plan);
  const Index chains = grid.count() / grid.together();
  // Blocks that hand lines on to each other stay together where there are enough others.
  const Index unit = chains >= ranges_each * threads ? grid.together() : Index{1};
  const Index units = grid.count() / unit;
  const Index grain = threads == 1 ? units : ceil_divide(units, ranges_each * threads);
  parallel_for(
      0, units, grain,
      [&](Index from, Index to) {
        Worker(strategy, nest, plan, grid, dst + nest.dst_offset, src + nest.src_offset)(from * unit,
                                                                                         to * unit);
      },
      plan.threads);
}

}  // namespace tenstride::copy
