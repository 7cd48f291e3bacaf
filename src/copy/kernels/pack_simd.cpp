// SPDX-License-Identifier: Apache-2.0
// The kernels of blocks over Highway: compiled once for each instruction set, as
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
#include "copy/kernels/next_block.hpp"
#include "copy/kernels/pack.hpp"
#include "copy/kernels/pack_permuted-inl.h"
#include "copy/kernels/pack_rows-inl.h"
#include "copy/kernels/pack_side_by_side-inl.h"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace {

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
template <std::size_t count>
HWY_INLINE void prefetch_line(const PrefetchRows& prefetch, std::size_t first, std::size_t step) {
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
  // Rows shorter than a line share lines: a prefetch for some of them, spread over the panel.
  const std::size_t spread =
      units < units_in_line ? std::max<std::size_t>(rows_in_panel / (prefetched * units), 1) : 1;
  // Local copies: stores through the buffer cannot alias them.
  OutgoingRuns outgoing = pack.out;
  PrefetchRows prefetch = pack.prefetch;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    const std::byte* rows[rows_in_panel];
    for (std::size_t r = 0; r < rows_in_panel; ++r) rows[r] = pack.src + table.rows[p * rows_in_panel + r];
    std::byte* const out = pack.buffer + table.panel_offsets[p];
    if constexpr (panel == Panel::narrow) {
      // Rows shorter than 16 bytes mostly share lines: one prefetch for several rows is enough.
      prefetch_line<prefetched>(prefetch, prefetch.panel * rows_in_panel, rows_in_panel / prefetched);
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
        if (q * prefetched < rows_in_panel) prefetch_line<prefetched>(prefetch, first + q * prefetched, 1);
        pack_unit<item, panel, stored>(out, columns + (u + q) * group, 0, group, rows, (u + q) * 16, filled);
        write_lines(outgoing, lines);
      }
      prefetch.step();
    }
    for (; u < units; ++u) {
      const std::size_t q = u % units_in_line;
      if (q * prefetched * spread < rows_in_panel)
        prefetch_line<prefetched>(prefetch, prefetch.panel * rows_in_panel + q * prefetched * spread, spread);
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
#if HWY_TARGET == HWY_AVX2
  if constexpr (item <= 4) {
    if (pack.table->side_by_side > 1) return pack_side_by_side<item>(pack);
  }
#endif
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

/// Gathers pieces by loads and stores of `width` bytes. The next piece overwrites what is stored past the end
/// of a piece; the last one of a panel is stored exactly.
template <std::size_t width>
void gather_pieces(Pack& pack) {
  const PackTable& table = *pack.table;
  const std::size_t bytes = table.bytes;
  const std::size_t per_step = pieces_per_step(table);
  OutgoingRuns outgoing = pack.out;
  NextBlockPrefetch prefetch(pack, gather_steps(table));
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

constexpr PackKernels table{.name = TENSTRIDE_TARGET_NAME,
                            .panel_bytes = widest,
                            .pack = TENSTRIDE_ITEMS(pack_block),
                            .rows = pack_rows,
                            .permuted = pack_permuted,
                            .permuted_bytes = 16,
                            .reads_beyond_short_rows = true,
                            .gathered = pack_gathered};

#if HWY_TARGET == HWY_AVX3
constexpr PackKernels vbmi_table = [] {
  PackKernels own = table;
  own.permuted = pack_permuted_64;
  own.permuted_bytes = 64;
  own.reads_beyond_short_rows = false;
  return own;
}();
#endif

}  // namespace

const PackKernels& own_pack_table() {
#if HWY_TARGET == HWY_AVX3
  if (Machine::here().permuted_bytes == static_cast<Index>(vbmi_table.permuted_bytes)) return vbmi_table;
#endif
  return table;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::copy {

const PackKernels& pack_kernels(std::string_view name) {
  return compiled_for(name, portable_pack_kernels, {TENSTRIDE_COMPILED(own_pack_table)})();
}

const PackKernels& pack_kernels() {
  static const PackKernels& chosen = pack_kernels(kernels().name);
  return chosen;
}

}  // namespace tenstride::copy
#endif  // HWY_ONCE
