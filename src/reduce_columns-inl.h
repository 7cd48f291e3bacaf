// SPDX-License-Identifier: Apache-2.0
// Rows of elements folded into a column of accumulators, the inner loop of every reduction; included once for
// each instruction set. How many accumulators there are depends on the type alone, so the results are the
// same in each.
#if defined(TENSTRIDE_REDUCE_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_COLUMNS_INL
#undef TENSTRIDE_REDUCE_COLUMNS_INL
#else
#define TENSTRIDE_REDUCE_COLUMNS_INL
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <utility>

#include "reduce_rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// Whether a rule works on vectors, of which the scalar target has none.
template <class Rule>
inline constexpr bool uses_vectors = Rule::has_vectors&& HWY_TARGET != HWY_SCALAR;

/// Columns of `lanes` accumulators, into which rows of as many elements are folded. `ahead`: how far behind a
/// row (in bytes) what will be read next lies, which is asked for.
template <class Rule, Index lanes>
struct Column {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  using D = VectorTag<State, lanes>;
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto vectors = std::make_index_sequence<static_cast<std::size_t>(lanes / width)>();

  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    fold(states, src, rows, step, ahead, vectors);
  }

 private:
  template <std::size_t... i>
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead, std::index_sequence<i...>) {
    constexpr auto item = static_cast<Index>(sizeof(T));
    const D d;
    hn::Vec<D> sums[] = {hn::LoadU(d, states + static_cast<Index>(i) * width)...};
    for (Index r = 0; r < rows; ++r, src += step) {
      hwy::Prefetch(src + ahead);
      if constexpr (lanes * item > 64) hwy::Prefetch(src + ahead + 64);
      ((sums[i] = Rule::join_vectors(sums[i], Rule::load(d, src + static_cast<Index>(i) * width * item))),
       ...);
    }
    (hn::StoreU(sums[i], d, states + static_cast<Index>(i) * width), ...);
  }
};

/// Rules without vectors. Sums of complex numbers are sums of twice as many real ones.
template <class Rule, Index lanes>
requires(!uses_vectors<Rule>) struct Column<Rule, lanes> {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    if constexpr (is_complex_element<T> && std::is_same_v<Rule, FloatSum<T>>) {
      using Part = typename T::value_type;
      Column<FloatSum<Part>, 2 * lanes>::fold(reinterpret_cast<double*>(states), src, rows, step, ahead);
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

/// Integers of a byte or two: so many rows are summed in twice as many bits before they are added up.
template <class T, class State, Index lanes>
requires(uses_vectors<WholeSum<T, State>> &&
         sizeof(State) > 2 * sizeof(T)) struct Column<WholeSum<T, State>, lanes> {
  using Narrow =
      std::conditional_t<sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>,
                         std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
  static constexpr Index most_rows = 256;
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    for (; rows > 0; rows -= most_rows, src += most_rows * step) {
      Narrow sums[static_cast<std::size_t>(lanes)] = {};
      Column<WholeSum<T, Narrow>, lanes>::fold(sums, src, std::min(rows, most_rows), step, ahead);
      const VectorTag<State, lanes> d;
      constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < lanes; k += width) {
        const auto more = WholeSum<Narrow, State>::load(d, reinterpret_cast<const std::byte*>(sums + k));
        hn::StoreU(hn::Add(hn::LoadU(d, states + k), more), d, states + k);
      }
    }
  }
};

/// Products of a few rows fit in twice, four times, eight times as many bits: multiplications of short
/// integers are cheap, of 64 bits dear.
template <class T, Index lanes>
requires(uses_vectors<WholeProduct<T>> && sizeof(T) < 8) struct Column<WholeProduct<T>, lanes> {
  using State = typename WholeProduct<T>::State;
  static constexpr auto group = static_cast<Index>(8 / sizeof(T));
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (; rows >= group; rows -= group, src += group * step) {
      State products[static_cast<std::size_t>(lanes)];
      for (Index r = 0; r < group; ++r) hwy::Prefetch(src + r * step + ahead);
      multiply<T>(products, src, step);
      for (Index k = 0; k < lanes; k += width) {
        const auto factor = hn::LoadU(d, products + k);
        hn::StoreU(hn::LoadU(d, states + k) * factor, d, states + k);
      }
    }
    for (; rows > 0; --rows, src += step) {
      for (Index k = 0; k < lanes; k += width) {
        const auto factor = WholeProduct<T>::load(d, src + k * static_cast<Index>(sizeof(T)));
        hn::StoreU(hn::LoadU(d, states + k) * factor, d, states + k);
      }
    }
  }

 private:
  template <std::size_t size, bool is_signed>
  using Sized = std::conditional_t<is_signed, std::make_signed_t<UnsignedOf<size>>, UnsignedOf<size>>;

  /// The products of 8 / sizeof(From) rows, in 64 bits.
  template <class From>
  static HWY_INLINE void multiply(State* to, const std::byte* src, std::ptrdiff_t step) {
    using Product = Sized<2 * sizeof(From), std::is_signed_v<From>>;
    constexpr auto pairs = static_cast<Index>(4 / sizeof(From));
    Product products[static_cast<std::size_t>(pairs * lanes)];
    const VectorTag<Product, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (Index pair = 0; pair < pairs; ++pair) {
      const std::byte* const row = src + 2 * pair * step;
      for (Index k = 0; k < lanes; k += width) {
        const auto a = hn::PromoteTo(d, load_whole<From>(d, row + k * static_cast<Index>(sizeof(From))));
        const auto b =
            hn::PromoteTo(d, load_whole<From>(d, row + step + k * static_cast<Index>(sizeof(From))));
        hn::StoreU(times(d, a, b), d, products + pair * lanes + k);
      }
    }
    if constexpr (sizeof(Product) == 8) {
      std::copy(products, products + lanes, to);
    } else {
      multiply<Product>(to, reinterpret_cast<const std::byte*>(products),
                        lanes * static_cast<Index>(sizeof(Product)));
    }
  }
  template <class D, class V>
  static HWY_INLINE V times(D, V a, V b) {
    if constexpr (sizeof(hn::TFromD<D>) < 8) {
      return hn::Mul(a, b);
    } else if constexpr (hn::MaxLanes(D()) == 1) {
      return a * b;
    } else {
      const hn::RepartitionToNarrow<D> halves;
      return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
    }
  }
};

/// Columns beside each other.
template <class Rule, Index lanes>
HWY_NOINLINE void fold_columns(typename Rule::State* states, Index columns, const std::byte* src, Index rows,
                               std::ptrdiff_t step, std::ptrdiff_t ahead) {
  for (; columns > 0; --columns) {
    Column<Rule, lanes>::fold(states, src, rows, step, ahead);
    states += lanes;
    src += lanes * static_cast<Index>(sizeof(typename Rule::Element));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
