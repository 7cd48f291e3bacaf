// SPDX-License-Identifier: Apache-2.0
// Packing panels of few rows, as those of small matrices: several of them side by side in one vector. 11 x 18
// bytes: .23 of a plain copy by permuting -> .29; 2 x 55 floats: .35 -> .55 (Zen 3). Included once for each
// instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_PACK_SIDE_BY_SIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_PACK_SIDE_BY_SIDE_INL
#undef TENSTRIDE_COPY_KERNELS_PACK_SIDE_BY_SIDE_INL
#else
#define TENSTRIDE_COPY_KERNELS_PACK_SIDE_BY_SIDE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "copy/kernels/next_block.hpp"
#include "copy/kernels/pack.hpp"
#include "copy/kernels/pack_rows-inl.h"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2

/// Calls move(kept, at, bytes) for the bytes behind the last set, of each part but the last one: they begin
/// the first panel of the next part, which is packed already.
template <std::size_t sides, class Move>
void behind_last_set(const Pack& pack, std::byte (*kept)[16], const Move& move) {
  const PackTable& table = *pack.table;
  for (std::size_t side = 1; side < sides; ++side) {
    move(kept[side], pack.buffer + table.panel_offsets[side * table.panels()],
         widest / sides - table.filled_rows * table.item);
  }
}

/// Transposes a unit of the panels that lie side by side, and stores `count` columns of each, or all.
template <std::size_t item, std::size_t sides>
HWY_INLINE void pack_unit_of_sides(const std::array<std::byte*, sides> outs, const std::int32_t* columns,
                                   std::size_t count, const std::byte* const* rows, std::size_t at) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, widest / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  transpose_columns<group>(d, v, rows, at);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    if (c >= count) break;
    const Index column = columns[c];
    const __m256d both = _mm256_castsi256_pd(v[c].raw);
    const __m128d halves[2] = {_mm256_castpd256_pd128(both), _mm256_extractf128_pd(both, 1)};
    for (std::size_t half = 0; half < 2; ++half) {
      if constexpr (sides == 2) {
        std::memcpy(outs[half] + column, &halves[half], sizeof(__m128d));
      } else {
        const double first = halves[half][0];
        const double second = halves[half][1];
        std::memcpy(outs[2 * half] + column, &first, sizeof first);
        std::memcpy(outs[2 * half + 1] + column, &second, sizeof second);
      }
    }
  }
}

/// Packs panels of few rows, several side by side.
template <std::size_t item, std::size_t sides>
void pack_sides(Pack& pack) {
  constexpr std::size_t rows_in_vector = widest / item;
  constexpr std::size_t group = 16 / item;
  const PackTable& table = *pack.table;
  const std::size_t sets = table.panels();
  const std::size_t units = table.units();
  const std::size_t count = table.columns.size();
  const std::int32_t* const columns = table.columns.data();
  const std::size_t lines = pack.lines_per_step;
  OutgoingRuns outgoing = pack.out;
  NextBlockPrefetch prefetch(pack, sets);
  std::byte kept[sides][16];
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    const bool is_last = p + 1 == sets;
    if (is_last)
      behind_last_set<sides>(pack, kept, [](auto* to, auto* at, std::size_t n) { std::memcpy(to, at, n); });
    prefetch.step();
    const std::byte* rows[rows_in_vector];
    for (std::size_t r = 0; r < rows_in_vector; ++r) rows[r] = pack.src + table.rows[p * rows_in_vector + r];
    std::array<std::byte*, sides> outs;
    for (std::size_t side = 0; side < sides; ++side)
      outs[side] = pack.buffer + table.panel_offsets[side * sets + p];
    for (std::size_t u = 0; u < units; ++u) {
      const std::size_t column = std::min(u * group, std::max(count, group) - group);
      pack_unit_of_sides<item, sides>(outs, columns + column, count, rows, column * item);
      write_lines(outgoing, lines);
    }
    if (is_last)
      behind_last_set<sides>(pack, kept,
                             [](auto* from, auto* at, std::size_t n) { std::memcpy(at, from, n); });
  }
  pack.out = outgoing;
}

template <std::size_t item>
void pack_side_by_side(Pack& pack) {
  pack.table->side_by_side == 2 ? pack_sides<item, 2>(pack) : pack_sides<item, 4>(pack);
}

#endif

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
