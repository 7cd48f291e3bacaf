// SPDX-License-Identifier: Apache-2.0
// Accumulates rows of elements into a column of accumulators: the inner loop of every reduction. Included
// once for each instruction set. The number of accumulators depends on the type alone, so all instruction
// sets give the same results.
#if defined(TENSTRIDE_REDUCE_KERNELS_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_COLUMNS_INL
#undef TENSTRIDE_REDUCE_KERNELS_COLUMNS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_COLUMNS_INL
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "reduce/kernels/rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// Whether a rule works on vectors; the scalar target has none.
template <class Rule>
inline constexpr bool uses_vectors = Rule::has_vectors&& HWY_TARGET != HWY_SCALAR;

/// Returns the combination of the lanes of a vector, by halves. Example: of four lanes, (v[0] + v[2]) +
/// (v[1] + v[3]).
template <class Rule, class V, std::size_t half = hn::MaxLanes(hn::DFromV<V>()) / 2>
HWY_INLINE typename Rule::State combined_lanes(V v) {
#if HWY_TARGET != HWY_SCALAR  // vectors of one lane have nothing to shift
  using D = hn::DFromV<V>;
  if constexpr (hn::MaxLanes(D()) * sizeof(typename Rule::State) > 16) {
    const hn::Half<D> part;
    return combined_lanes<Rule>(Rule::join_vectors(hn::LowerHalf(part, v), hn::UpperHalf(part, v)));
  } else if constexpr (half > 0) {
    const auto shifted = hn::ShiftRightLanes<static_cast<int>(half)>(D(), v);
    return combined_lanes<Rule, V, half / 2>(Rule::join_vectors(v, shifted));
  }
#endif
  return hn::GetLane(v);
}

/// A column of `lanes` accumulators that takes rows of `lanes` elements: accumulator k takes element k of
/// each row. While a row is read, the line `prefetch_distance` bytes behind it is prefetched.
template <class Rule, Index lanes>
struct Column {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  using D = VectorTag<State, lanes>;
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto vectors = std::make_index_sequence<static_cast<std::size_t>(lanes / width)>();

  static HWY_INLINE void accumulate(State* states, const std::byte* src, Index rows, Index step,
                                    Index prefetch_distance) {
    accumulate(states, src, rows, step, prefetch_distance, vectors);
  }

 private:
  template <std::size_t... i>
  static HWY_INLINE void accumulate(State* states, const std::byte* src, Index rows, Index step,
                                    Index prefetch_distance, std::index_sequence<i...>) {
    constexpr auto item = static_cast<Index>(sizeof(T));
    const D d;
    hn::Vec<D> sums[] = {hn::LoadU(d, states + static_cast<Index>(i) * width)...};
    for (Index r = 0; r < rows; ++r, src += step) {
      hwy::Prefetch(src + prefetch_distance);
      if constexpr (lanes * item > 64) hwy::Prefetch(src + prefetch_distance + 64);
      ((sums[i] =
            Rule::join_vectors(sums[i], load_widened<Rule>(d, src + static_cast<Index>(i) * width * item))),
       ...);
    }
    (hn::StoreU(sums[i], d, states + static_cast<Index>(i) * width), ...);
  }
};

/// Rules without vectors. A sum of complex numbers is a sum of twice as many real ones.
template <class Rule, Index lanes>
requires(!uses_vectors<Rule>) struct Column<Rule, lanes> {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static HWY_INLINE void accumulate(State* states, const std::byte* src, Index rows, Index step,
                                    Index prefetch_distance) {
    if constexpr (is_complex_element<T> && std::is_same_v<Rule, FloatSum<T>>) {
      using Part = typename T::value_type;
      Column<FloatSum<Part>, 2 * lanes>::accumulate(reinterpret_cast<double*>(states), src, rows, step,
                                                    prefetch_distance);
    } else {
      for (Index r = 0; r < rows; ++r, src += step) {
        for (Index k = 0; k < lanes; ++k) {
          const T value = load_element<T>(src + k * static_cast<Index>(sizeof(T)));
          states[k] = Rule::join(states[k], Rule::read(value));
        }
      }
    }
  }
};

/// Sums of integers of one or two bytes are made in two steps: the rule `First` sums up to `max_addends` of
/// them in integers of twice the size, which cannot overflow, and the rule `Second` adds these sums up.
template <class Rule>
struct Narrowed {
  static constexpr bool is_narrower = false;
};
template <class T, class State>
requires(sizeof(State) > 2 * sizeof(T)) struct Narrowed<WholeSum<T, State>> {
  static constexpr bool is_narrower = true;
  using First = WholeSum<T, hwy::MakeWide<Whole<T>>>;
  using Second = WholeSum<typename First::State, State>;
  static constexpr Index max_addends = 256;
};

template <class T, class S, Index lanes>
requires(uses_vectors<WholeSum<T, S>>&&
             Narrowed<WholeSum<T, S>>::is_narrower) struct Column<WholeSum<T, S>, lanes> {
  using State = S;
  using Steps = Narrowed<WholeSum<T, S>>;
  using Narrow = typename Steps::First::State;
  static constexpr Index max_rows = Steps::max_addends;
  static HWY_INLINE void accumulate(State* states, const std::byte* src, Index rows, Index step,
                                    Index prefetch_distance) {
    for (; rows > 0; rows -= max_rows, src += max_rows * step) {
      Narrow sums[static_cast<std::size_t>(lanes)] = {};
      Column<typename Steps::First, lanes>::accumulate(sums, src, std::min(rows, max_rows), step,
                                                       prefetch_distance);
      const VectorTag<State, lanes> d;
      constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < lanes; k += width) {
        const auto more =
            load_widened<typename Steps::Second>(d, reinterpret_cast<const std::byte*>(sums + k));
        hn::StoreU(hn::Add(hn::LoadU(d, states + k), more), d, states + k);
      }
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
/// Products of integers of less than 64 bits: the product of 8 / sizeof(T) rows fits in 64 bits, so only the
/// multiplication into the accumulator is a full one.
template <class T, Index lanes>
requires(sizeof(T) < 8) struct Column<WholeProduct<T>, lanes> {
  using Rule = WholeProduct<T>;
  using State = typename Rule::State;
  static constexpr auto group = static_cast<Index>(8 / sizeof(T));
  static HWY_INLINE void accumulate(State* states, const std::byte* src, Index rows, Index step,
                                    Index prefetch_distance) {
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (; rows >= group; rows -= group, src += group * step) {
      for (Index r = 0; r < group; ++r) hwy::Prefetch(src + r * step + prefetch_distance);
      for (Index k = 0; k < lanes; k += at_once) {
        const auto factors = multiply<State>(src + k * static_cast<Index>(sizeof(T)), step);
        for (Index i = 0; i < at_once; i += width) {
          State* const to = states + k + i;
          hn::StoreU(hn::LoadU(d, to) * factors.of[i / width], d, to);
        }
      }
    }
    for (; rows > 0; --rows, src += step) {
      for (Index k = 0; k < lanes; k += width) {
        const auto factor = load_widened<Rule>(d, src + k * static_cast<Index>(sizeof(T)));
        hn::StoreU(hn::LoadU(d, states + k) * factor, d, states + k);
      }
    }
  }

 private:
  template <std::size_t size>
  using Sized = SignedAs<T, size>;
  template <class Product>
  using Tag = VectorTag<Product, std::min(lanes, static_cast<Index>(32 / sizeof(T)))>;
  /// The number of columns that are multiplied at once: the lanes of a vector of products of two elements.
  static constexpr auto at_once = static_cast<Index>(hn::MaxLanes(Tag<Sized<2 * sizeof(T)>>()));

  template <class Product>
  struct Products {
    hn::Vec<Tag<Product>> of[static_cast<std::size_t>(at_once) / hn::MaxLanes(Tag<Product>())];
  };

  /// Returns the products of sizeof(Product) / sizeof(T) rows. Example: of uint8 as uint32, the products of
  /// four rows.
  template <class Product>
  static HWY_INLINE Products<Product> multiply(const std::byte* src, Index step) {
    const Tag<Product> d;
    Products<Product> result;
    if constexpr (sizeof(Product) == 2 * sizeof(T)) {
      result.of[0] = Rule::times(d, hn::PromoteTo(d, load_whole<T>(d, src)),
                                 hn::PromoteTo(d, load_whole<T>(d, src + step)));
    } else {
      using Half = Sized<sizeof(Product) / 2>;
      constexpr Index half_rows = sizeof(Half) / sizeof(T);
      const auto a = multiply<Half>(src, step);
      const auto b = multiply<Half>(src + half_rows * step, step);
      if constexpr (hn::MaxLanes(Tag<Half>()) == hn::MaxLanes(d)) {
        result.of[0] = Rule::times(d, hn::PromoteTo(d, a.of[0]), hn::PromoteTo(d, b.of[0]));
      } else {
        const hn::Half<Tag<Half>> part;
        for (std::size_t i = 0; i < std::size(a.of); ++i) {
          result.of[2 * i] = Rule::times(d, hn::PromoteTo(d, hn::LowerHalf(part, a.of[i])),
                                         hn::PromoteTo(d, hn::LowerHalf(part, b.of[i])));
          result.of[2 * i + 1] = Rule::times(d, hn::PromoteTo(d, hn::UpperHalf(part, a.of[i])),
                                             hn::PromoteTo(d, hn::UpperHalf(part, b.of[i])));
        }
      }
    }
    return result;
  }
};
#endif

/// Accumulates `rows` rows into adjacent columns of `lanes` accumulators each.
template <class Rule, Index lanes>
HWY_NOINLINE void accumulate_columns(typename Rule::State* states, Index columns, const std::byte* src,
                                     Index rows, Index step, Index prefetch_distance) {
  for (; columns > 0; --columns) {
    Column<Rule, lanes>::accumulate(states, src, rows, step, prefetch_distance);
    states += lanes;
    src += lanes * static_cast<Index>(sizeof(typename Rule::Element));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
