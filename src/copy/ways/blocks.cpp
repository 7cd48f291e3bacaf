// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "copy/kernels/pack.hpp"
#include "copy/line_buffer.hpp"
#include "copy/row_converter.hpp"
#include "copy/shares.hpp"
#include "copy/ways/block_tables.hpp"
#include "copy/ways/outgoing_converted.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/grids.hpp"

namespace tenstride::copy {
namespace {

constexpr auto line = static_cast<Index>(line_bytes);
/// Kernels read at least this many bytes of a row, however short it is.
constexpr std::size_t min_row_read = 16;

/// Returns scratch memory that the thread keeps for its next copies.
std::byte* scratch(std::size_t bytes) {
  thread_local LineBuffer buffer;
  if (buffer.size() < bytes) {
    buffer = LineBuffer();
    buffer = LineBuffer(bytes);
  }
  return buffer.data();
}

/// Copies the blocks of one thread.
class Worker {
 public:
  Worker(const Blocks& way, const Bound& bound, const detail::Grid& grid)
      : way_(way),
        nest_(bound.nest),
        grid_(grid),
        kernels_(pack_kernels()),
        packing_(way.packing),
        is_transposed_(packing_ == Packing::transposed),
        dst_(bound.dst),
        src_(bound.src),
        src_end_(src_ + end_of_source(nest_)),
        run_limit_(run_bytes(way, nest_)),
        margin_(static_cast<std::size_t>((line / nest_.dst_item * nest_.src_item + line - 1) / line * line)),
        room_(way.packing == Packing::transposed ? room_behind_columns() : 0),
        pitch_(odd_lines(run_limit_ + margin_ + room_)),
        streams_(streams_of(way.stores)),
        is_streaming_(way.stores != Stores::ordinary) {
    Index items = 1;
    for (std::size_t d = 0; d < nest_.size(); ++d) items *= way.extents[d];
    const std::size_t size =
        static_cast<std::size_t>(items * nest_.src_item) / run_limit_ * pitch_ + margin_ + spill_bytes;
    // A block that is written before the next one is packed leaves its buffer to that one. Equal lines of two
    // buffers fall into different sets of the cache.
    const std::size_t second =
        way.block_stores == BlockStores::burst ? 0 : (size + 4095) / 4096 * 4096 + 2048;
    std::byte* const space = scratch(size + second);
    rows_ = {space + margin_, space + second + margin_};
    if (way.converts) converted_ = std::make_unique<OutgoingConverted>(bound.conversion, way.stores);
  }

  /// Copies blocks [first, last).
  void operator()(Index first, Index last) {
    Cursor cursor(grid_.loops(), dst_, src_);
    cursor.seek(first);
    GridBlock block = block_at(grid_, way_, cursor);
    block.begins = true;
    bool is_block_direct = is_direct(block);
    Pack pack;
    pack.prefetch.table = &tables(block).pack;
    pack.prefetch.src = src_of(block);
    const std::size_t step = pack.prefetch.table->panel_rows * line_bytes;
    for (std::size_t done = 0; step > 0 && done < prefetch_bytes; done += step) pack.prefetch.step();
    for (std::size_t buffer = 0; first < last; buffer ^= 1U) {
      const BlockTables& current = tables(block);
      GridBlock next;
      bool is_next_direct = false;
      if (++first < last) {
        cursor.next();
        next = block_at(grid_, way_, cursor);
        pack.prefetch.next_table = &tables(next).pack;
        pack.prefetch.next_src = src_of(next);
        is_next_direct = is_direct(next);
        // What is streamed from the registers neither takes nor hands on a partial line.
        next.begins |= is_block_direct;
        block.ends |= is_next_direct;
      } else {
        block.ends = true;
      }
      pack.table = &current.pack;
      pack.src = src_of(block);
      pack.is_direct = is_block_direct;
      pack.buffer = pack.is_direct ? block.dst : rows_[buffer];
      pack_and_write(pack);
      if (!pack.is_direct) queue_stores(pack, block, current, buffer);
      if (way_.block_stores == BlockStores::burst) drain(pack);
      if (pack.prefetch.next_table != nullptr) skip_to_next_block(pack.prefetch);
      block = next;
      is_block_direct = is_next_direct;
    }
    drain(pack);
    copy::kernels().fence();
  }

 private:
  /// Whether a block is streamed from the registers to the destination.
  [[nodiscard]] bool is_direct(const GridBlock& block) {
    const std::size_t bytes = tables(block).pack.streamed_bytes;
    return is_streaming_ && converted_ == nullptr && bytes != 0 && line_offset(block.dst) % bytes == 0;
  }

  /// The bytes that vectors have beyond the columns of a panel where there are fewer rows than a panel has.
  [[nodiscard]] std::size_t room_behind_columns() const {
    auto column = static_cast<std::size_t>(nest_.src_item);
    for (std::size_t d = 0; d < nest_.size(); ++d) {
      if (has_loop(way_.rows, d)) column *= static_cast<std::size_t>(way_.extents[d]);
    }
    return kernels_.panel_bytes - std::min(column, kernels_.panel_bytes);
  }

  static std::size_t run_bytes(const Blocks& way, const Nest& nest) {
    auto bytes = static_cast<std::size_t>(nest.src_item);
    for (std::size_t d = 0; d < nest.size(); ++d) {
      if (has_loop(way.run, d)) bytes *= static_cast<std::size_t>(way.extents[d]);
    }
    return bytes;
  }

  /// The offset of the end of the source from its first item, in bytes.
  static Index end_of_source(const Nest& nest) {
    Index end = nest.src_item;
    for (std::size_t d = 0; d < nest.size(); ++d)
      end += std::max<Index>((nest[d].extent - 1) * nest[d].src_stride, 0);
    return end;
  }

  const BlockTables& tables(const GridBlock& block) {
    for (const auto& [shorter, found] : tables_) {
      if (shorter == block.shorter) return *found;
    }
    tables_.emplace_back(block.shorter,
                         make_block_tables(way_, nest_, block.extent, {pitch_, room_}, kernels_));
    return *tables_.back().second;
  }

  const std::byte* src_of(const GridBlock& block) { return block.src + tables(block).lowest; }

  /// Lets prefetching continue at the next block where it is still behind it.
  static void skip_to_next_block(PrefetchRows& prefetch) {
    prefetch.table = prefetch.next_table;
    prefetch.src = prefetch.next_src;
    prefetch.next_table = nullptr;
    prefetch.panel = prefetch.line = 0;
  }

  void pack_and_write(Pack& pack) {
    const PackTable& table = *pack.table;
    const std::size_t panels = table.panels();
    const std::size_t units = is_transposed_ ? panels * table.units()
                              : packing_ == Packing::gathered
                                  ? gather_steps(table)
                                  : panels * table.repeats * table.bytes / step_bytes + 1;
    if (converted_ == nullptr) {
      pack.lines_per_step = (pack.out.lines() + units - 1) / units;
      pack_panels(pack, 0, panels);
      drain(pack);
      return;
    }
    pack.lines_per_step = 0;
    const std::size_t pieces = std::max<std::size_t>(converted_->lines() / OutgoingConverted::piece_lines, 1);
    const std::size_t step = (panels + pieces - 1) / pieces;
    const std::size_t lines = (converted_->lines() * step + panels - 1) / panels;
    for (std::size_t done = 0; done < panels; done += step) {
      pack_panels(pack, done, std::min(done + step, panels));
      converted_->write(lines);
    }
    converted_->drain();
  }

  /// Packs panels [first, last), those near the end of the source without reading beyond it.
  void pack_panels(Pack& pack, std::size_t first, std::size_t last) {
    const PackTable& table = *pack.table;
    if (packing_ == Packing::gathered) {
      // The kernel reads beyond a piece, perhaps beyond the source.
      const bool fits = std::has_single_bit(table.bytes) || !reaches_end(pack, std::bit_ceil(table.bytes));
      pack.first_panel = first;
      pack.last_panel = last;
      (fits ? kernels_ : portable_pack_kernels()).gathered(pack);
      return;
    }
    const PackBlock kernel = kernel_of(kernels_, pack);
    if (table.row_bytes() >= min_row_read || !is_transposed_ || !reaches_end(pack, min_row_read)) {
      pack.first_panel = first;
      pack.last_panel = last;
      kernel(pack);
      return;
    }
    for (std::size_t p = first; p < last; ++p) {
      pack.first_panel = p;
      pack.last_panel = p + 1;
      const auto* const rows = &table.rows[p * table.panel_rows];
      const Index highest = *std::max_element(rows, rows + table.panel_rows);
      const bool fits = pack.src + highest + min_row_read <= src_end_;
      (fits ? kernel : kernel_of(portable_pack_kernels(), pack))(pack);
    }
  }

  [[nodiscard]] PackBlock kernel_of(const PackKernels& kernels, const Pack& pack) const {
    const PackTable& table = *pack.table;
    if (is_transposed_) return kernels.pack[static_cast<std::size_t>(std::countr_zero(table.item))];
    if (packing_ == Packing::rows) return kernels.rows;
    if (packing_ == Packing::gathered) return kernels.gathered;
    const bool fits = !kernels.reads_beyond_short_rows || table.program.span >= kernels.permuted_bytes ||
                      !reaches_end(pack, kernels.permuted_bytes);
    return fits ? kernels.permuted : portable_pack_kernels().permuted;
  }

  /// Whether reading `bytes` bytes of each row or piece of the block may reach beyond the source.
  [[nodiscard]] bool reaches_end(const Pack& pack, std::size_t bytes) const {
    return pack.src + pack.table->highest + bytes > src_end_;
  }

  void drain(Pack& pack) {
    if (converted_ != nullptr) {
      converted_->drain();
      return;
    }
    const Kernels& kernels = copy::kernels();
    while (pack.out.left > 0 || pack.out.next()) {
      kernels.stream_run(pack.out.to, pack.out.from, pack.out.left * line_bytes, streams_);
      pack.out.left = 0;
    }
  }

  /// Queues the packed block for writing, or writes it by ordinary stores.
  void queue_stores(Pack& pack, const GridBlock& block, const BlockTables& current, std::size_t buffer) {
    OutgoingRuns out;
    out.dst = block.dst;
    out.offsets = current.runs.data();
    out.count = current.runs.size();
    out.rows = rows_[buffer];
    out.pitch = static_cast<Index>(pitch_);
    out.next_rows = rows_[buffer ^ 1U];
    out.items = current.run_items * static_cast<std::size_t>(nest_.dst_item);
    // Runs shorter than a line have no line to hand on.
    const bool hands_on =
        run_limit_ / static_cast<std::size_t>(nest_.src_item) * static_cast<std::size_t>(nest_.dst_item) >=
        static_cast<std::size_t>(line);
    out.begins = block.begins || !hands_on;
    out.ends = block.ends || !hands_on;
    if (!is_streaming_) {
      write_through_cache(out);
    } else if (converted_ != nullptr) {
      converted_->begin(out);
    } else {
      pack.out = out;
    }
  }

  void write_through_cache(const OutgoingRuns& out) {
    if (converted_ != nullptr) {
      converted_->write_through_cache(out);
      return;
    }
    for (std::size_t r = 0; r < out.count; ++r)
      std::memcpy(out.dst + out.offsets[r], out.rows + static_cast<Index>(r) * out.pitch, out.items);
  }

  const Blocks& way_;
  const Nest& nest_;
  const detail::Grid& grid_;
  const PackKernels& kernels_;
  Packing packing_;
  bool is_transposed_;
  std::byte* dst_;
  const std::byte* src_;
  const std::byte* src_end_;
  /// Bytes of the longest run of a block in the buffer.
  std::size_t run_limit_;
  /// Bytes before each run of the buffer: the items of a line of the destination.
  std::size_t margin_;
  /// Bytes behind each run of the buffer that kernels may overwrite.
  std::size_t room_;
  std::size_t pitch_;
  MemoryStreams streams_;
  bool is_streaming_;
  std::array<std::byte*, 2> rows_{};
  std::vector<std::pair<LoopSet, std::unique_ptr<BlockTables>>> tables_;
  std::unique_ptr<OutgoingConverted> converted_;
};

}  // namespace

void run(const Blocks& way, const Bound& plan) {
  const Bound bound(way.nest, plan);
  const detail::Grid grid = detail::grid_of(way);
  share_out(grid, bound.threads, [&](Index first, Index last) { Worker(way, bound, grid)(first, last); });
}

}  // namespace tenstride::copy
