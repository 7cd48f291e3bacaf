// SPDX-License-Identifier: Apache-2.0
// The kernels of pipelined blocks over Highway: compiled once for each instruction set, as
// copy/kernels/simd.cpp is.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/pack_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/pack.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace {

/// Writes the next `count` lines of the runs by streaming stores, or as many as there are.
HWY_INLINE void write_lines(OutgoingRuns& out, std::size_t count) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; count > 0; --count) {
    if (out.left == 0 && !out.next()) return;
    for (std::size_t part = 0; part < line_bytes; part += step) {
      hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(out.from) + part), d,
                 reinterpret_cast<std::uint8_t*>(out.to) + part);
    }
    out.from += line_bytes;
    out.to += line_bytes;
    --out.left;
  }
}

/// What a panel is: rows of 16 bytes and more, or shorter ones.
enum class Panel { wide, narrow };

/// How a column is stored that has fewer bytes than a vector: all of the vector, whose surplus the columns
/// after it overwrite; or its own bytes, what stands behind them being read and written back. (A masked store
/// of 1- or 2-byte items is a loop on AVX2: 32 or 19 ns where a store takes 1.) Or by a streaming store of
/// the vector, or of its half.
enum class Columns { overlapping, exact, streamed, half_streamed };

/// Transposes a unit, 16 bytes of each row of a panel: each column becomes one vector, of which `filled`
/// bytes are the column's. Of narrow panels the first `count` columns are stored, of wide ones all, or,
/// streamed, those from `first` on.
template <std::size_t item, Panel panel, Columns stored>
HWY_INLINE void pack_unit(std::byte* out, const std::int32_t* columns, std::size_t first, std::size_t count,
                          const std::byte* const* rows, std::size_t at, std::size_t filled) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  transpose_columns<group>(d, v, rows, at);
  const auto own = hn::FirstN(d, filled / sizeof(T));
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    if (panel == Panel::narrow && c >= count) break;
    if (stored >= Columns::streamed && c < first) continue;
    auto* const to = reinterpret_cast<T*>(out + columns[c]);
    if constexpr (stored == Columns::streamed) {
      hn::Stream(v[c], d, to);
    } else if constexpr (stored == Columns::half_streamed) {
      const hn::Half<decltype(d)> half;
      hn::Stream(hn::LowerHalf(half, v[c]), half, to);
    } else if constexpr (stored == Columns::exact) {
      hn::StoreU(hn::IfThenElse(own, v[c], hn::LoadU(d, to)), d, to);
    } else {
      hn::StoreU(v[c], d, to);
    }
  }
}

/// Prefetches a line of `count` rows: `first`, first + step, ….
template <std::size_t count, std::size_t step>
HWY_INLINE void prefetch_line(const PrefetchRows& prefetch, std::size_t first) {
  const std::byte* const at = prefetch.src + prefetch.line * line_bytes;
  const Index* const rows = &prefetch.table->rows[first];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < count; ++r) __builtin_prefetch(at + rows[r * step], 0, 3);
}

template <std::size_t item, Panel panel, Columns stored>
HWY_INLINE void pack_panels(Pack& pack) {
  constexpr std::size_t rows_in_panel = widest / item;
  constexpr std::size_t group = 16 / item;
  // Units of a cache line, and the number of rows of which a line is prefetched with each unit.
  constexpr std::size_t units_in_line = 4;
  constexpr std::size_t prefetched = std::max<std::size_t>(rows_in_panel / units_in_line, 1);
  const PackTable& table = *pack.table;
  const std::size_t units = table.units();
  const std::size_t count = table.columns.size();
  const std::int32_t* const columns = table.columns.data();
  const std::size_t filled = table.filled_rows * item;
  const std::size_t lines = pack.lines_per_step;
  // Local copies: stores through the buffer cannot alias them.
  OutgoingRuns outgoing = pack.out;
  PrefetchRows prefetch = pack.prefetch;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    const std::byte* rows[rows_in_panel];
    for (std::size_t r = 0; r < rows_in_panel; ++r) rows[r] = pack.src + table.rows[p * rows_in_panel + r];
    std::byte* const out = pack.buffer + table.panel_offsets[p];
    if constexpr (panel == Panel::narrow) {
      // Rows shorter than 16 bytes mostly share lines: one prefetch for several rows is enough.
      prefetch_line<prefetched, rows_in_panel / prefetched>(prefetch, prefetch.panel * rows_in_panel);
      prefetch.step();
      pack_unit<item, panel, stored>(out, columns, 0, count, rows, 0, filled);
      write_lines(outgoing, lines);
      continue;
    }
    std::size_t u = 0;
    for (; u + units_in_line < units; u += units_in_line) {
      const std::size_t first = prefetch.panel * rows_in_panel;
#pragma GCC unroll 4
      for (std::size_t q = 0; q < units_in_line; ++q) {
        if (q * prefetched < rows_in_panel) prefetch_line<prefetched, 1>(prefetch, first + q * prefetched);
        pack_unit<item, panel, stored>(out, columns + (u + q) * group, 0, group, rows, (u + q) * 16, filled);
        write_lines(outgoing, lines);
      }
      prefetch.step();
    }
    for (; u < units; ++u) {
      const std::size_t q = u % units_in_line;
      if (q * prefetched < rows_in_panel)
        prefetch_line<prefetched, 1>(prefetch, prefetch.panel * rows_in_panel + q * prefetched);
      if (q + 1 == units_in_line || u + 1 == units) prefetch.step();
      const std::size_t column = std::min(u * group, count - group);
      pack_unit<item, panel, stored>(out, columns + column, u * group - column, group, rows, column * item,
                                     filled);
      write_lines(outgoing, lines);
    }
  }
  pack.prefetch = prefetch;
  pack.out = outgoing;
}

template <std::size_t item>
void pack_block(Pack& pack) {
  const bool is_exact = pack.table->filled_rows * item < widest && !pack.table->has_overlapping_columns;
  const std::size_t streamed = pack.is_direct ? pack.table->streamed_bytes : 0;
  if (pack.table->columns.size() < 16 / item) {
    is_exact ? pack_panels<item, Panel::narrow, Columns::exact>(pack)
             : pack_panels<item, Panel::narrow, Columns::overlapping>(pack);
  } else if (streamed == widest) {
    pack_panels<item, Panel::wide, Columns::streamed>(pack);
  } else if (widest == 32 && streamed == widest / 2) {
    if constexpr (widest == 32) pack_panels<item, Panel::wide, Columns::half_streamed>(pack);
  } else if (is_exact) {
    pack_panels<item, Panel::wide, Columns::exact>(pack);
  } else {
    pack_panels<item, Panel::wide, Columns::overlapping>(pack);
  }
}

/// Copies a row of `width` to 2 * width bytes by two vectors, one at either end, which may overlap.
template <std::size_t width>
HWY_INLINE void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  const hn::FixedTag<std::uint8_t, width> d;
  const auto first = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from));
  const auto last = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + bytes - width));
  hn::StoreU(first, d, reinterpret_cast<std::uint8_t*>(to));
  hn::StoreU(last, d, reinterpret_cast<std::uint8_t*>(to + bytes - width));
}

/// Copies a row of one to two words in the same way.
template <class Word>
HWY_INLINE void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) {
  Word first{};
  Word last{};
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

HWY_INLINE void copy_row(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 2 * widest) {
    for (; bytes > 2 * widest; bytes -= widest, to += widest, from += widest)
      copy_ends<widest>(to, from, widest);
  }
  if (bytes >= widest) return copy_ends<widest>(to, from, bytes);
  if constexpr (widest > 32) {
    if (bytes >= 32) return copy_ends<32>(to, from, bytes);
  }
  if constexpr (widest > 16) {
    if (bytes >= 16) return copy_ends<16>(to, from, bytes);
  }
  if (bytes >= 8) return copy_words<std::uint64_t>(to, from, bytes);
  if (bytes >= 4) return copy_words<std::uint32_t>(to, from, bytes);
  if (bytes >= 2) return copy_words<std::uint16_t>(to, from, bytes);
  *to = *from;
}

/// The rows that are packed together: how many, their bytes, and the bytes [lowest, lowest + span) of the
/// source that they span, from the first row on.
struct RowGroup {
  std::size_t count;
  std::size_t bytes;
  Index lowest;
  std::size_t span;
};

/// A cursor over the rows of a table, `RowGroup::count` at a time; the last group may overlap the one before.
/// Each step writes lines of the block before and prefetches the source.
class RowCursor {
 public:
  HWY_INLINE RowCursor(Pack& pack, const RowGroup& rows)
      : pack_(pack),
        table_(*pack.table),
        outgoing_(pack.out),
        rows_(rows),
        to_step_(static_cast<Index>(rows.count) * table_.buffer_step),
        from_step_(static_cast<Index>(rows.count) * table_.src_step),
        distance_(std::max<std::size_t>(prefetch_bytes / (table_.repeats * table_.bytes), 1)),
        panel_(pack.first_panel) {}

  /// Goes to the first group, or to the next one. Returns false after the last one.
  HWY_INLINE bool next() {
    if (left_ >= rows_.count) {
      move(to_step_, from_step_);
      left_ -= rows_.count;
    } else if (left_ > 0) {
      const auto rows = static_cast<Index>(left_);
      move(rows * table_.buffer_step, rows * table_.src_step);
      left_ = 0;
    } else if (panel_ < pack_.last_panel) {
      begin_panel();
    } else {
      pack_.out = outgoing_;
      return false;
    }
    for (std::size_t line = 0; line < rows_.span; line += line_bytes)
      __builtin_prefetch(prefetched_ + line, 0, 3);
    packed_ += rows_.bytes;
    if (packed_ >= step_bytes) {
      write_lines(outgoing_, packed_ / step_bytes * pack_.lines_per_step);
      packed_ %= step_bytes;
    }
    return true;
  }

  std::byte* to = nullptr;
  const std::byte* from = nullptr;

 private:
  HWY_INLINE void move(Index in_buffer, Index in_source) {
    to += in_buffer;
    from += in_source;
    prefetched_ += in_source;
  }

  HWY_NOINLINE void begin_panel() {
    from = pack_.src + table_.rows[panel_];
    to = pack_.buffer + table_.panel_offsets[panel_];
    left_ = table_.repeats - rows_.count;
    const std::size_t later = panel_ + distance_;
    if (later < table_.panels()) {
      prefetched_ = pack_.src + table_.rows[later];
    } else if (pack_.prefetch.next_table != nullptr) {
      const PackTable& after = *pack_.prefetch.next_table;
      prefetched_ =
          pack_.prefetch.next_src + after.rows[std::min(later - table_.panels(), after.panels() - 1)];
    } else {
      prefetched_ = from;
    }
    prefetched_ += rows_.lowest;
    ++panel_;
  }

  Pack& pack_;
  const PackTable& table_;
  OutgoingRuns outgoing_;
  RowGroup rows_;
  Index to_step_;
  Index from_step_;
  /// The prefetch distance, in panels.
  std::size_t distance_;
  std::size_t panel_;
  /// Rows of the panel behind the current group.
  std::size_t left_ = 0;
  const std::byte* prefetched_ = nullptr;
  std::size_t packed_ = 0;
};

void pack_rows(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  for (RowCursor cursor(pack, {1, bytes, 0, bytes}); cursor.next();) copy_row(cursor.to, cursor.from, bytes);
}

/// Prefetches the block after this one, an equal share with each step.
class NextBlockPrefetch {
 public:
  HWY_INLINE explicit NextBlockPrefetch(const Pack& pack) {
    table_ = pack.prefetch.next_table;
    if (table_ == nullptr) return;
    src_ = pack.prefetch.next_src;
    const std::size_t steps = gather_steps(*pack.table);
    each_ = (table_->src_runs.size() * table_->src_run_lines + steps - 1) / steps;
    const std::size_t done = each_ * (steps / pack.table->panels()) * pack.first_panel;
    run_ = done / table_->src_run_lines;
    line_ = done % table_->src_run_lines;
  }
  HWY_INLINE void step() {
    for (std::size_t i = 0; i < each_ && run_ < table_->src_runs.size(); ++i) {
      __builtin_prefetch(src_ + table_->src_runs[run_] + line_ * line_bytes, 0, 2);
      if (++line_ < table_->src_run_lines) continue;
      line_ = 0;
      ++run_;
    }
  }

 private:
  const PackTable* table_;
  const std::byte* src_ = nullptr;
  std::size_t each_ = 0;
  std::size_t run_ = 0;
  std::size_t line_ = 0;
};

/// Gathers pieces by loads and stores of `width` bytes. The next piece overwrites what is stored past the end
/// of a piece; the last one of a panel is stored exactly.
template <std::size_t width>
void gather_pieces(Pack& pack) {
  const PackTable& table = *pack.table;
  const std::size_t bytes = table.bytes;
  const std::size_t per_step = pieces_per_step(table);
  OutgoingRuns outgoing = pack.out;
  NextBlockPrefetch prefetch(pack);
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.panel_offsets[p];
    const std::byte* const from = pack.src + table.rows[p];
    const Index* piece = table.pieces.data();
    for (std::size_t left = table.pieces.size(); left > 0;) {
      const std::size_t now = std::min(left, per_step);
      left -= now;
      prefetch.step();
      // Unrolled, because the time of the short loop depends on its alignment: up to 1.7 times as long for
      // bytes.
#pragma GCC unroll 8
      for (std::size_t i = 0; i + 1 < now; ++i, to += bytes) std::memcpy(to, from + piece[i], width);
      std::memcpy(to, from + piece[now - 1], left > 0 ? width : bytes);
      to += bytes;
      piece += now;
      write_lines(outgoing, pack.lines_per_step);
    }
  }
  pack.out = outgoing;
}

void pack_gathered(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  if (bytes > 32) return gather_pieces<64>(pack);
  if (bytes > 16) return gather_pieces<32>(pack);
  if (bytes > 8) return gather_pieces<16>(pack);
  if (bytes > 4) return gather_pieces<8>(pack);
  if (bytes > 2) return gather_pieces<4>(pack);
  bytes == 2 ? gather_pieces<2>(pack) : gather_pieces<1>(pack);
}

RowGroup rows_of(const PermuteProgram& program) {
  return {program.rows, program.bytes, program.lowest, program.span};
}

/// The bytes of rows that are permuted vector by vector: they stay in the L1 cache.
constexpr std::size_t permuted_batch = 4096;

/// Where a group of rows is read and where it is written.
struct RowPlace {
  const std::byte* from;
  std::byte* to;
};

/// What a step loads: a vector, or two halves of one from different places.
enum class Window { whole, halves };

/// Makes one vector of each of `count` groups of rows, by steps whose lanes stay in registers. `adds`: to
/// what the steps before these made of it.
template <std::size_t steps, Window window, bool adds>
void permute_vector(const RowPlace* places, std::size_t count, std::uint32_t dst_offset,
                    const PermuteProgram::Step* step, const std::uint8_t* lanes) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const hn::Half<decltype(d)> half;
  hn::Vec<decltype(d)> taken[steps];
  Index first[steps];
  Index second[steps];
#pragma GCC unroll 8
  for (std::size_t s = 0; s < steps; ++s) {
    taken[s] = hn::LoadU(d, lanes + s * 16);
    first[s] = step[s].src_offset;
    second[s] = step[s].second_offset;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(places[i].from);
    auto* const to = reinterpret_cast<std::uint8_t*>(places[i].to) + dst_offset;
    auto made = adds ? hn::LoadU(d, to) : hn::Zero(d);
#pragma GCC unroll 8
    for (std::size_t s = 0; s < steps; ++s) {
      const auto given = window == Window::whole ? hn::LoadU(d, from + first[s])
                                                 : hn::Combine(d, hn::LoadU(half, from + second[s]),
                                                               hn::LoadU(half, from + first[s]));
      made = hn::Or(made, hn::TableLookupBytesOr0(given, taken[s]));
    }
    hn::StoreU(made, d, to);
  }
}

using PermuteVector = void (*)(const RowPlace*, std::size_t, std::uint32_t, const PermuteProgram::Step*,
                               const std::uint8_t*);

/// The most steps whose lanes stay in registers.
constexpr std::size_t max_steps = 8;

/// The functions for 1 to `max_steps` steps.
template <Window window, bool adds, std::size_t... i>
constexpr std::array<PermuteVector, max_steps> permute_vectors(std::index_sequence<i...>) {
  return {permute_vector<i + 1, window, adds>...};
}
constexpr std::make_index_sequence<max_steps> each_count;
constexpr auto permute_whole = permute_vectors<Window::whole, false>(each_count);
constexpr auto permute_halves = permute_vectors<Window::halves, false>(each_count);
constexpr auto add_halves = permute_vectors<Window::halves, true>(each_count);

/// Permutes rows by 16-byte vectors, whose bytes every instruction set can permute freely: one vector of the
/// program for many rows, then the next.
void permute_places(const PermuteProgram& program, const RowPlace* places, std::size_t count) {
  for (const PermuteProgram::Vector& vector : program.vectors) {
    const std::size_t steps = std::min<std::size_t>(vector.last_step - vector.first_step, max_steps);
    const auto& permute = vector.is_whole ? permute_whole : permute_halves;
    std::size_t s = vector.first_step;
    const auto run = [&](PermuteVector function) {
      function(places, count, vector.dst_offset, &program.steps[s], &program.lanes[s * 16]);
    };
    run(permute[steps - 1]);
    for (s += steps; s < vector.last_step; s += max_steps)
      run(add_halves[std::min<std::size_t>(vector.last_step - s, max_steps) - 1]);
  }
}

void pack_permuted(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  std::array<RowPlace, 64> places;
  const std::size_t batch = std::clamp<std::size_t>(permuted_batch / program.bytes, 1, places.size());
  std::size_t count = 0;
  for (RowCursor cursor(pack, rows_of(program)); cursor.next();) {
    places[count++] = {cursor.from, cursor.to};
    if (count < batch) continue;
    permute_places(program, places.data(), count);
    count = 0;
  }
  if (count > 0) permute_places(program, places.data(), count);
}

#if HWY_TARGET == HWY_AVX3
#pragma GCC push_options
#pragma GCC target("avx512vbmi")

/// Returns a mask of the first `count` lanes, or of all 64.
__mmask64 first_bytes(std::size_t count) {
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

/// Permutes rows 64 bytes at a time by AVX-512 VBMI, which is a target of its own in Highway. Direct blocks
/// are written by streaming stores except for the last rows, which may overlap the ones before and are not
/// aligned.
void pack_permuted_64(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  const PermuteProgram::Step* const steps = program.steps.data();
  const std::uint8_t* const lanes = program.lanes.data();
  const __mmask64 read = first_bytes(program.span);
  const __mmask64 written = first_bytes(program.bytes);
  for (RowCursor cursor(pack, rows_of(program)); cursor.next();) {
    const bool is_line = pack.is_direct && reinterpret_cast<std::uintptr_t>(cursor.to) % line_bytes == 0;
    for (const PermuteProgram::Vector& vector : program.vectors) {
      __m512i made = _mm512_setzero_si512();
      for (std::size_t s = vector.first_step; s < vector.last_step; ++s) {
        const __m512i given = _mm512_maskz_loadu_epi8(read, cursor.from + steps[s].src_offset);
        made =
            _mm512_mask_permutexvar_epi8(made, steps[s].lane_mask, _mm512_loadu_si512(lanes + s * 64), given);
      }
      if (is_line) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(cursor.to + vector.dst_offset), made);
      } else {
        _mm512_mask_storeu_epi8(cursor.to + vector.dst_offset, written, made);
      }
    }
  }
}

#pragma GCC pop_options
#endif

constexpr PackKernels table{
    .name = TENSTRIDE_TARGET_NAME,
    .panel_bytes = widest,
    .pack = {pack_block<1>, pack_block<2>, pack_block<4>, pack_block<8>, pack_block<16>},
    .rows = pack_rows,
    .permuted = pack_permuted,
    .permuted_bytes = 16,
    .permutes_short_rows = false,
    .gathered = pack_gathered};

#if HWY_TARGET == HWY_AVX3
constexpr PackKernels vbmi_table{.name = table.name,
                                 .panel_bytes = table.panel_bytes,
                                 .pack = table.pack,
                                 .rows = table.rows,
                                 .permuted = pack_permuted_64,
                                 .permuted_bytes = 64,
                                 .permutes_short_rows = true,
                                 .gathered = pack_gathered};
#endif

}  // namespace

const PackKernels& own_pack_table() {
#if HWY_TARGET == HWY_AVX3
  if (Machine::here().permuted_bytes == static_cast<Index>(vbmi_table.permuted_bytes)) return vbmi_table;
#endif
  return table;
}

#else

const PackKernels& own_pack_table() {
  return portable_pack_kernels();
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::copy {

const PackKernels& pack_kernels(std::string_view name) {
  return compiled_for<decltype(&portable_pack_kernels)>(
      name, {TENSTRIDE_COMPILED(own_pack_table){"portable", portable_pack_kernels}})();
}

const PackKernels& pack_kernels() {
  static const PackKernels& chosen = pack_kernels(kernels().name);
  return chosen;
}

}  // namespace tenstride::copy
#endif  // HWY_ONCE
