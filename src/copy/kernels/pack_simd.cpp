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
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/pack.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace {

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

/// How much of a panel there is: in `lines` every column is a whole line of the destination.
enum class Fill { whole, lines, few_rows, few_columns };

/// Turns 16 bytes of each row of a panel: every column comes out as one vector, of which `filled` bytes are
/// kept.
template <std::size_t item, Fill fill>
HWY_INLINE void pack_unit(std::byte* out, const std::int32_t* columns, std::size_t count,
                          const std::byte* const* rows, std::size_t at, std::size_t filled) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  transpose_columns<group>(d, v, rows, at);
  if constexpr (fill == Fill::whole) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c) hn::StoreU(v[c], d, reinterpret_cast<T*>(out + columns[c]));
  } else if constexpr (fill == Fill::lines) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c) hn::Stream(v[c], d, reinterpret_cast<T*>(out + columns[c]));
  } else {
    const auto mask = hn::FirstN(d, filled / sizeof(T));
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c) {
      if (fill == Fill::few_columns && c >= count) break;
      hn::BlendedStore(v[c], mask, d, reinterpret_cast<T*>(out + columns[c]));
    }
  }
}

/// Prefetches a line of `count` rows, `step` apart in their list.
template <std::size_t count, std::size_t step>
HWY_INLINE void ask(const PrefetchRows& prefetch, std::size_t first) {
  const std::byte* const at = prefetch.src + prefetch.line * line_bytes;
  const std::ptrdiff_t* const rows = &prefetch.table->rows[first];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < count; ++r) __builtin_prefetch(at + rows[r * step], 0, 3);
}

template <std::size_t item, Fill fill>
HWY_INLINE void pack_panels(Pack& pack) {
  constexpr std::size_t rows_in_panel = widest / item;
  constexpr std::size_t group = 16 / item;
  /// Units of a line, and rows of which a line is prefetched with each.
  constexpr std::size_t in_line = 4;
  constexpr std::size_t asked = std::max<std::size_t>(rows_in_panel / in_line, 1);
  const PackTable& table = *pack.table;
  const std::size_t units = table.units();
  const std::size_t count = table.columns.size();
  const std::int32_t* const columns = table.columns.data();
  const std::size_t filled = table.filled_rows * item;
  const std::size_t lines = pack.lines_each;
  // Copies, which no store can change.
  OutgoingRuns outgoing = pack.out;
  PrefetchRows prefetch = pack.prefetch;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    const std::byte* rows[rows_in_panel];
    for (std::size_t r = 0; r < rows_in_panel; ++r) rows[r] = pack.src + table.rows[p * rows_in_panel + r];
    std::byte* const out = pack.buffer + table.places[p];
    if constexpr (fill == Fill::few_columns) {
      // Rows shorter than 16 bytes lie side by side as a rule.
      ask<asked, rows_in_panel / asked>(prefetch, prefetch.panel * rows_in_panel);
      prefetch.step();
      pack_unit<item, fill>(out, columns, count, rows, 0, filled);
      write_lines(outgoing, lines);
      continue;
    }
    std::size_t u = 0;
    for (; u + in_line < units; u += in_line) {
      const std::size_t first = prefetch.panel * rows_in_panel;
#pragma GCC unroll 4
      for (std::size_t q = 0; q < in_line; ++q) {
        if (q * asked < rows_in_panel) ask<asked, 1>(prefetch, first + q * asked);
        pack_unit<item, fill>(out, columns + (u + q) * group, group, rows, (u + q) * 16, filled);
        write_lines(outgoing, lines);
      }
      prefetch.step();
    }
    for (; u < units; ++u) {
      const std::size_t q = u % in_line;
      if (q * asked < rows_in_panel) ask<asked, 1>(prefetch, prefetch.panel * rows_in_panel + q * asked);
      if (q + 1 == in_line || u + 1 == units) prefetch.step();
      const std::size_t column = std::min(u * group, count - group);
      pack_unit<item, fill>(out, columns + column, group, rows, column * item, filled);
      write_lines(outgoing, lines);
    }
  }
  pack.prefetch = prefetch;
  pack.out = outgoing;
}

template <std::size_t item>
void pack_block(Pack& pack) {
  if (pack.table->columns.size() < 16 / item) {
    pack_panels<item, Fill::few_columns>(pack);
  } else if (pack.table->filled_rows * item < widest) {
    pack_panels<item, Fill::few_rows>(pack);
  } else if (widest == line_bytes && pack.is_direct) {
    pack_panels<item, Fill::lines>(pack);
  } else {
    pack_panels<item, Fill::whole>(pack);
  }
}

/// As many bytes as a vector has, and as many again that end with the row.
template <std::size_t width>
HWY_INLINE void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  const hn::FixedTag<std::uint8_t, width> d;
  const auto first = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from));
  const auto last = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + bytes - width));
  hn::StoreU(first, d, reinterpret_cast<std::uint8_t*>(to));
  hn::StoreU(last, d, reinterpret_cast<std::uint8_t*>(to + bytes - width));
}

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

/// What is moved at a time: rows, their bytes, and where these lie in the source.
struct Rows {
  std::size_t count;
  std::size_t bytes;
  std::ptrdiff_t lowest;
  std::size_t span;
};

/// The rows of a table, or so many at a time; the last of these may begin within the ones before. With each
/// step lines are written and the source is prefetched.
class RowWalk {
 public:
  HWY_INLINE RowWalk(Pack& pack, const Rows& rows)
      : pack_(pack),
        table_(*pack.table),
        outgoing_(pack.out),
        rows_(rows),
        to_step_(static_cast<std::ptrdiff_t>(rows.count) * table_.buffer_step),
        from_step_(static_cast<std::ptrdiff_t>(rows.count) * table_.src_step),
        prefetch_(std::max<std::size_t>(prefetch_bytes / (table_.repeats * table_.bytes), 1)),
        panel_(pack.first_panel) {}

  /// Goes to the first rows, or the next ones. False where there are none.
  HWY_INLINE bool next() {
    if (left_ >= rows_.count) {
      move(to_step_, from_step_);
      left_ -= rows_.count;
    } else if (left_ > 0) {
      const auto rows = static_cast<std::ptrdiff_t>(left_);
      move(rows * table_.buffer_step, rows * table_.src_step);
      left_ = 0;
    } else if (panel_ < pack_.last_panel) {
      begin_panel();
    } else {
      pack_.out = outgoing_;
      return false;
    }
    for (std::size_t line = 0; line < rows_.span; line += line_bytes) __builtin_prefetch(asked_ + line, 0, 3);
    packed_ += rows_.bytes;
    if (packed_ >= row_quantum) {
      write_lines(outgoing_, packed_ / row_quantum * pack_.lines_each);
      packed_ %= row_quantum;
    }
    return true;
  }

  std::byte* to = nullptr;
  const std::byte* from = nullptr;

 private:
  HWY_INLINE void move(std::ptrdiff_t in_buffer, std::ptrdiff_t in_source) {
    to += in_buffer;
    from += in_source;
    asked_ += in_source;
  }

  HWY_NOINLINE void begin_panel() {
    from = pack_.src + table_.rows[panel_];
    to = pack_.buffer + table_.places[panel_];
    left_ = table_.repeats - rows_.count;
    const std::size_t later = panel_ + prefetch_;
    if (later < table_.panels()) {
      asked_ = pack_.src + table_.rows[later];
    } else if (pack_.prefetch.next_table != nullptr) {
      const PackTable& after = *pack_.prefetch.next_table;
      asked_ = pack_.prefetch.next_src + after.rows[std::min(later - table_.panels(), after.panels() - 1)];
    } else {
      asked_ = from;
    }
    asked_ += rows_.lowest;
    ++panel_;
  }

  Pack& pack_;
  const PackTable& table_;
  OutgoingRuns outgoing_;
  Rows rows_;
  std::ptrdiff_t to_step_;
  std::ptrdiff_t from_step_;
  /// So many rows of the table later, what is prefetched now is needed.
  std::size_t prefetch_;
  std::size_t panel_;
  /// Rows of the panel behind these.
  std::size_t left_ = 0;
  const std::byte* asked_ = nullptr;
  std::size_t packed_ = 0;
};

void pack_rows(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  for (RowWalk walk(pack, {1, bytes, 0, bytes}); walk.next();) copy_row(walk.to, walk.from, bytes);
}

/// Prefetches the block after this one, as much with each gathering.
class BlockAhead {
 public:
  HWY_INLINE explicit BlockAhead(const Pack& pack) {
    table_ = pack.prefetch.next_table;
    if (table_ == nullptr) return;
    src_ = pack.prefetch.next_src;
    const std::size_t all = gatherings(*pack.table);
    each_ = (table_->asked.size() * table_->prefetched_lines + all - 1) / all;
    const std::size_t done = each_ * (all / pack.table->panels()) * pack.first_panel;
    run_ = done / table_->prefetched_lines;
    line_ = done % table_->prefetched_lines;
  }
  HWY_INLINE void step() {
    for (std::size_t i = 0; i < each_ && run_ < table_->asked.size(); ++i) {
      __builtin_prefetch(src_ + table_->asked[run_] + line_ * line_bytes, 0, 2);
      if (++line_ < table_->prefetched_lines) continue;
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

/// `width` bytes of each piece, of which the next piece overwrites what is too many.
template <std::size_t width>
void gather_pieces(Pack& pack) {
  const PackTable& table = *pack.table;
  const std::size_t bytes = table.bytes;
  const std::size_t at_once = pieces_at_once(table);
  OutgoingRuns outgoing = pack.out;
  BlockAhead prefetch(pack);
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.places[p];
    const std::byte* const from = pack.src + table.rows[p];
    const std::ptrdiff_t* piece = table.pieces.data();
    for (std::size_t left = table.pieces.size(); left > 0;) {
      const std::size_t now = std::min(left, at_once);
      left -= now;
      prefetch.step();
      // Not unrolled, its place in the code decides whether bytes take 1.7 times as long.
#pragma GCC unroll 8
      for (std::size_t i = 0; i + 1 < now; ++i, to += bytes) std::memcpy(to, from + piece[i], width);
      std::memcpy(to, from + piece[now - 1], left > 0 ? width : bytes);
      to += bytes;
      piece += now;
      write_lines(outgoing, pack.lines_each);
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

Rows rows_of(const PermuteProgram& program) {
  return {program.rows, program.bytes, program.lowest, program.span};
}

/// 16 bytes at a time: each instruction set permutes as many in any way.
void pack_permuted(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  const hn::FixedTag<std::uint8_t, 16> d;
  const PermuteProgram::Step* const steps = program.steps.data();
  const std::uint8_t* const lanes = program.lanes.data();
  for (RowWalk walk(pack, rows_of(program)); walk.next();) {
    for (const PermuteProgram::Vector& vector : program.vectors) {
      auto made = hn::Zero(d);
      for (std::size_t s = vector.first_step; s < vector.last_step; ++s) {
        const auto given = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(walk.from) + steps[s].from);
        made = hn::Or(made, hn::TableLookupBytesOr0(given, hn::LoadU(d, lanes + s * 16)));
      }
      hn::StoreU(made, d, reinterpret_cast<std::uint8_t*>(walk.to) + vector.place);
    }
  }
}

#if HWY_TARGET == HWY_AVX3
#pragma GCC push_options
#pragma GCC target("avx512vbmi")

/// As many lanes, or all.
__mmask64 first_bytes(std::size_t count) {
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

/// 64 bytes at a time, by VBMI, which Highway has as a target of its own. Directly to the destination but for
/// the last rows, which may begin within the ones before.
void pack_permuted_64(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  const PermuteProgram::Step* const steps = program.steps.data();
  const std::uint8_t* const lanes = program.lanes.data();
  const __mmask64 read = first_bytes(program.span);
  const __mmask64 written = first_bytes(program.bytes);
  for (RowWalk walk(pack, rows_of(program)); walk.next();) {
    const bool is_line = pack.is_direct && reinterpret_cast<std::uintptr_t>(walk.to) % line_bytes == 0;
    for (const PermuteProgram::Vector& vector : program.vectors) {
      __m512i made = _mm512_setzero_si512();
      for (std::size_t s = vector.first_step; s < vector.last_step; ++s) {
        const __m512i given = _mm512_maskz_loadu_epi8(read, walk.from + steps[s].from);
        made = _mm512_mask_permutexvar_epi8(made, steps[s].taken, _mm512_loadu_si512(lanes + s * 64), given);
      }
      if (is_line) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(walk.to + vector.place), made);
      } else {
        _mm512_mask_storeu_epi8(walk.to + vector.place, written, made);
      }
    }
  }
}

#pragma GCC pop_options
#endif

constexpr PackKernels table{
    .name = hwy_target_name,
    .panel_bytes = widest,
    .pack = {pack_block<1>, pack_block<2>, pack_block<4>, pack_block<8>, pack_block<16>},
    .rows = pack_rows,
    .permuted = pack_permuted,
    .permuted_bytes = 16,
    .permutes_less = false,
    .gathered = pack_gathered,
    .packs_directly = widest == line_bytes};

#if HWY_TARGET == HWY_AVX3
constexpr PackKernels vbmi_table{.name = table.name,
                                 .panel_bytes = table.panel_bytes,
                                 .pack = table.pack,
                                 .rows = table.rows,
                                 .permuted = pack_permuted_64,
                                 .permuted_bytes = 64,
                                 .permutes_less = true,
                                 .gathered = pack_gathered,
                                 .packs_directly = table.packs_directly};
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
namespace tenstride::copy {

const PackKernels* find_pack_kernels(std::string_view name) {
  const auto tables = {
#if HWY_ARCH_X86
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::own_pack_table(),
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::own_pack_table(),
#endif
#if HWY_TARGETS & HWY_SSSE3
    &N_SSSE3::own_pack_table(),
#endif
#else
    &HWY_STATIC_DISPATCH(own_pack_table)(),
#endif
    &portable_pack_kernels()
  };
  for (const PackKernels* table : tables) {
    if (table->name == name) return table;
  }
  return nullptr;
}

const PackKernels& pack_kernels() {
  static const PackKernels* const found = find_pack_kernels(kernels().name);
  return found != nullptr ? *found : portable_pack_kernels();
}

}  // namespace tenstride::copy
#endif  // HWY_ONCE
