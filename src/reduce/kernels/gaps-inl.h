// SPDX-License-Identifier: Apache-2.0
// Reduces runs with gaps between their rows (crops) or between their elements (every second one) without
// packing them: whole vectors are read, and the selected lanes of each are accumulated. Packing first is
// slower, as no memory is read while the packed elements are accumulated. Included once for each instruction
// set.
#if defined(TENSTRIDE_REDUCE_KERNELS_GAPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_GAPS_INL
#undef TENSTRIDE_REDUCE_KERNELS_GAPS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_GAPS_INL
#endif

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "reduce/kernels/columns-inl.h"
#include "reduce/kernels/gap_pattern.hpp"
#include "reduce/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// Accumulates rows with gaps into `lanes` accumulators: an element that lies p elements behind the first of
/// its row goes to accumulator p % lanes.
template <class Rule>
struct GappedRuns {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  static constexpr Index lanes = std::max<Index>(16, 64 / item);

  static void accumulate(State* sums, const GappedRows& from) {
    if constexpr (!Narrowed<Rule>::is_narrower) {
      accumulate_all(sums, from);
    } else {
      using First = typename Narrowed<Rule>::First;
      constexpr Index max_addends = Narrowed<Rule>::max_addends;
      const Index columns = from.span() / lanes + 1;
      GappedRows part = from;
      part.rows = std::max<Index>(max_addends / columns, 1);
      part.run = std::min((max_addends - 1) * lanes / from.step, from.run);
      for (Index r = 0; r < from.rows; r += part.rows) {
        part.rows = std::min(part.rows, from.rows - r);
        for (Index k = 0; k < from.run; k += part.run) {
          GappedRows now = part;
          now.src = from.src + r * from.row_step + k * from.step * item;
          now.run = std::min(part.run, from.run - k);
          typename First::State narrow_sums[static_cast<std::size_t>(lanes)] = {};
          GappedRuns<First>::accumulate(narrow_sums, now);
          Column<typename Narrowed<Rule>::Second, lanes>::accumulate(
              sums, reinterpret_cast<const std::byte*>(narrow_sums), 1, 0, 0);
        }
      }
    }
  }

 private:
#if HWY_TARGET == HWY_SCALAR
  static void accumulate_all(State* sums, const GappedRows& from) {
    for (Index r = 0; r < from.rows; ++r) {
      for (Index k = 0; k < from.run; ++k) {
        const Index position = k * from.step;
        State& sum = sums[position % lanes];
        sum = Rule::join(sum, Rule::read(load_element<T>(from.src + r * from.row_step + position * item)));
      }
    }
  }
#else
  using D = VectorTag<State, lanes>;
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto vectors = static_cast<std::size_t>(lanes / width);
  static constexpr auto all = std::make_index_sequence<vectors>();
  static constexpr Index column_bytes = lanes * item;

  /// Which lanes of each column are selected. The pattern repeats after `period` columns. Example: every
  /// third element of columns of 16 has a period of 3.
  struct Shape {
    explicit Shape(const GappedRows& from)
        : columns(from.span() / lanes),
          period(static_cast<std::size_t>(from.step / std::gcd(lanes, from.step))) {
      const Index tail = from.span() % lanes;
      tail_bytes = static_cast<std::size_t>(tail * item);
      for (std::size_t c = 0; c < period; ++c)
        set(masks + c * vectors, static_cast<Index>(c), from.step, lanes);
      set(tail_masks, columns, from.step, tail);
    }
    static HWY_INLINE void set(hn::Mask<D>* to, Index column, Index step, Index count) {
      using MaskBits = hwy::UnsignedFromSize<sizeof(State)>;
      const hn::Repartition<MaskBits, D> mask_bits;
      const MaskBits* const from = gap_pattern<MaskBits>.of[step] + column * lanes % step;
      for (std::size_t i = 0; i < vectors; ++i) {
        const Index first = static_cast<Index>(i) * width;
        const auto left = static_cast<std::size_t>(std::clamp<Index>(count - first, 0, width));
        const auto selected = hn::And(hn::LoadU(mask_bits, from + first),
                                      hn::VecFromMask(mask_bits, hn::FirstN(mask_bits, left)));
        to[i] = hn::MaskFromVec(hn::BitCast(D(), selected));
      }
    }
    Index columns;  ///< whole columns in a row
    std::size_t period;
    std::size_t tail_bytes;
    hn::Mask<D> masks[static_cast<std::size_t>(max_gapped_step) * vectors];
    hn::Mask<D> tail_masks[vectors];
  };

  static HWY_NOINLINE void accumulate_all(State* sums, const GappedRows& from) {
    const Shape shape(from);
    // The last column of a row that others follow is read as a whole, though the row ends within it; that of
    // the last rows is copied first.
    const Index beyond = column_bytes - static_cast<Index>(shape.tail_bytes);
    const Index followed =
        from.row_step == 0 ? 0 : from.rows - 1 - (beyond + from.row_step - 1) / from.row_step;
    const Index plain = shape.tail_bytes == 0 ? from.rows : std::clamp<Index>(followed, 0, from.rows);
    if (shape.period == 1) {
      accumulate_rows<true>(sums, from, 0, plain, shape, all);
    } else {
      accumulate_rows<false>(sums, from, 0, plain, shape, all);
    }
    alignas(64) std::byte tail[static_cast<std::size_t>(column_bytes)] = {};
    for (Index r = plain; r < from.rows; ++r) {
      std::memcpy(tail, from.src + r * from.row_step + shape.columns * column_bytes, shape.tail_bytes);
      accumulate_rows<false>(sums, from, r, r + 1, shape, all, tail);
    }
  }

  /// `copied`: a copy of the tail of the row, where memory behind it must not be read; else null.
  template <bool is_even, std::size_t... i>
  static HWY_NOINLINE void accumulate_rows(State* to, const GappedRows from, Index first, Index last,
                                           const Shape& shape, std::index_sequence<i...>,
                                           const std::byte* copied = nullptr) {
    const D d;
    hn::Vec<D> sums[] = {hn::LoadU(d, to + static_cast<Index>(i) * width)...};
    const auto join = [&](const hn::Mask<D>* selected, const std::byte* src) HWY_ATTR {
      ((sums[i] = hn::IfThenElse(
            selected[i],
            Rule::join_vectors(sums[i], load_widened<Rule>(d, src + static_cast<Index>(i) * width * item)),
            sums[i])),
       ...);
    };
    const Index columns = shape.columns;
    const hn::Mask<D> even[] = {shape.masks[i]...};
    const hn::Mask<D> tail[] = {shape.tail_masks[i]...};
    for (Index r = first; r < last; ++r) {
      const std::byte* src = from.src + r * from.row_step;
      if constexpr (is_even) {
        for (Index c = 0; c < columns; ++c, src += column_bytes) {
          hwy::Prefetch(src + from.prefetch_distance);
          join(even, src);
        }
      } else {
        const auto* const end = shape.masks + shape.period * vectors;
        const auto* selected = shape.masks;
        for (Index c = 0; c < columns; ++c, src += column_bytes) {
          hwy::Prefetch(src + from.prefetch_distance);
          join(selected, src);
          selected += vectors;
          if (selected == end) selected = shape.masks;
        }
      }
      if (shape.tail_bytes == 0) continue;
      hwy::Prefetch(src + from.prefetch_distance);
      join(tail, copied == nullptr ? src : copied);
    }
    (hn::StoreU(sums[i], d, to + static_cast<Index>(i) * width), ...);
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
