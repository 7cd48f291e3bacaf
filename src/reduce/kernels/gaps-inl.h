// SPDX-License-Identifier: Apache-2.0
// Runs with gaps, between their rows (crops) and between elements (every second one), folded from where they
// lie: whole vectors are read, and of each the lanes that are wanted are joined. Packed into the cache first,
// they were folded while no memory was read. Included once for each instruction set.
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

/// The rule by which a few elements are summed; integers of a byte or two in twice as many bits.
template <class Rule>
struct FewSums {
  using type = Rule;
};
template <class T, class State>
requires(sizeof(State) > 2 * sizeof(T)) struct FewSums<WholeSum<T, State>> {
  using type = WholeSum<T, hwy::MakeWide<Whole<T>>>;
};

/// An element `p` items behind the beginning of its row goes to accumulator p % lanes.
template <class Rule>
struct GappedRuns {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  static constexpr Index lanes = std::max<Index>(16, 64 / item);

  static void fold(State* sums, const GappedRows& from) {
    using Few = typename FewSums<Rule>::type;
    if constexpr (std::is_same_v<Few, Rule>) {
      accumulate_all(sums, from);
    } else {
      constexpr Index most = 256;  // of the largest elements, in twice as many bits
      const Index columns = from.span() / lanes + 1;
      GappedRows part = from;
      part.rows = std::max<Index>(most / columns, 1);
      part.run = std::min((most - 1) * lanes / from.step, from.run);
      for (Index r = 0; r < from.rows; r += part.rows) {
        part.rows = std::min(part.rows, from.rows - r);
        for (Index k = 0; k < from.run; k += part.run) {
          GappedRows now = part;
          now.src = from.src + r * from.row_step + k * from.step * item;
          now.run = std::min(part.run, from.run - k);
          typename Few::State few[static_cast<std::size_t>(lanes)] = {};
          GappedRuns<Few>::fold(few, now);
          Column<WholeSum<typename Few::State, State>, lanes>::fold(
              sums, reinterpret_cast<const std::byte*>(few), 1, 0, 0);
        }
      }
    }
  }

 private:
#if HWY_TARGET == HWY_SCALAR
  static void accumulate_all(State* sums, const GappedRows& from) {
    for (Index r = 0; r < from.rows; ++r) {
      for (Index k = 0; k < from.run; ++k) {
        const Index place = k * from.step;
        State& sum = sums[place % lanes];
        sum = Rule::join(sum, Rule::read(load_element<T>(from.src + r * from.row_step + place * item)));
      }
    }
  }
#else
  using D = VectorTag<State, lanes>;
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto vectors = static_cast<std::size_t>(lanes / width);
  static constexpr auto all = std::make_index_sequence<vectors>();
  static constexpr Index column_bytes = lanes * item;

  /// Which lanes are wanted of each column. The pattern starts anew after `period` columns.
  struct Shape {
    explicit Shape(const GappedRows& from)
        : columns(from.span() / lanes),
          period(static_cast<std::size_t>(from.step / std::gcd(lanes, from.step))) {
      const Index rest = from.span() % lanes;
      rest_bytes = static_cast<std::size_t>(rest * item);
      for (std::size_t c = 0; c < period; ++c)
        set(masks + c * vectors, static_cast<Index>(c), from.step, lanes);
      set(rest_masks, columns, from.step, rest);
    }
    static HWY_INLINE void set(hn::Mask<D>* to, Index column, Index step, Index count) {
      using Place = hwy::UnsignedFromSize<sizeof(State)>;
      const hn::Repartition<Place, D> places;
      const Place* const from = gap_pattern<Place>.of[step] + column * lanes % step;
      for (std::size_t i = 0; i < vectors; ++i) {
        const Index first = static_cast<Index>(i) * width;
        const auto left = static_cast<std::size_t>(std::clamp<Index>(count - first, 0, width));
        const auto wanted =
            hn::And(hn::LoadU(places, from + first), hn::VecFromMask(places, hn::FirstN(places, left)));
        to[i] = hn::MaskFromVec(hn::BitCast(D(), wanted));
      }
    }
    Index columns;  ///< whole ones in a row
    std::size_t period;
    std::size_t rest_bytes;
    hn::Mask<D> masks[static_cast<std::size_t>(max_gapped_step) * vectors];
    hn::Mask<D> rest_masks[vectors];
  };

  static HWY_NOINLINE void accumulate_all(State* sums, const GappedRows& from) {
    const Shape shape(from);
    // As far as a row is followed by others, its last elements are read with what lies behind them.
    const Index beyond = column_bytes - static_cast<Index>(shape.rest_bytes);
    const Index followed =
        from.row_step == 0 ? 0 : from.rows - 1 - (beyond + from.row_step - 1) / from.row_step;
    const Index plain = shape.rest_bytes == 0 ? from.rows : std::clamp<Index>(followed, 0, from.rows);
    if (shape.period == 1) {
      accumulate_rows<true>(sums, from, 0, plain, shape, all);
    } else {
      accumulate_rows<false>(sums, from, 0, plain, shape, all);
    }
    alignas(64) std::byte rest[static_cast<std::size_t>(column_bytes)] = {};
    for (Index r = plain; r < from.rows; ++r) {
      std::memcpy(rest, from.src + r * from.row_step + shape.columns * column_bytes, shape.rest_bytes);
      accumulate_rows<false>(sums, from, r, r + 1, shape, all, rest);
    }
  }

  /// `copied`: what a row ends with, where no more may be read.
  template <bool is_even, std::size_t... i>
  static HWY_NOINLINE void accumulate_rows(State* to, const GappedRows from, Index first, Index last,
                                           const Shape& shape, std::index_sequence<i...>,
                                           const std::byte* copied = nullptr) {
    const D d;
    hn::Vec<D> sums[] = {hn::LoadU(d, to + static_cast<Index>(i) * width)...};
    const auto join = [&](const hn::Mask<D>* wanted, const std::byte* src) HWY_ATTR {
      ((sums[i] = hn::IfThenElse(
            wanted[i],
            Rule::join_vectors(sums[i], load_widened<Rule>(d, src + static_cast<Index>(i) * width * item)),
            sums[i])),
       ...);
    };
    const Index columns = shape.columns;
    const hn::Mask<D> even[] = {shape.masks[i]...};
    const hn::Mask<D> rest[] = {shape.rest_masks[i]...};
    for (Index r = first; r < last; ++r) {
      const std::byte* src = from.src + r * from.row_step;
      if constexpr (is_even) {
        for (Index c = 0; c < columns; ++c, src += column_bytes) {
          hwy::Prefetch(src + from.ahead);
          join(even, src);
        }
      } else {
        const auto* const end = shape.masks + shape.period * vectors;
        const auto* wanted = shape.masks;
        for (Index c = 0; c < columns; ++c, src += column_bytes) {
          hwy::Prefetch(src + from.ahead);
          join(wanted, src);
          wanted += vectors;
          if (wanted == end) wanted = shape.masks;
        }
      }
      if (shape.rest_bytes == 0) continue;
      hwy::Prefetch(src + from.ahead);
      join(rest, copied == nullptr ? src : copied);
    }
    (hn::StoreU(sums[i], d, to + static_cast<Index>(i) * width), ...);
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
