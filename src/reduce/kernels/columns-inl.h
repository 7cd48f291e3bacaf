// SPDX-License-Identifier: Apache-2.0
// Rows of elements folded into a column of accumulators, the inner loop of every reduction; included once for
// each instruction set. How many accumulators there are depends on the type alone, so the results are the
// same in each.
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
      ((sums[i] =
            Rule::join_vectors(sums[i], load_widened<Rule>(d, src + static_cast<Index>(i) * width * item))),
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
  using Narrow = hwy::MakeWide<Whole<T>>;
  static constexpr Index max_rows = 256;
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    for (; rows > 0; rows -= max_rows, src += max_rows * step) {
      Narrow sums[static_cast<std::size_t>(lanes)] = {};
      Column<WholeSum<T, Narrow>, lanes>::fold(sums, src, std::min(rows, max_rows), step, ahead);
      const VectorTag<State, lanes> d;
      constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < lanes; k += width) {
        const auto more =
            load_widened<WholeSum<Narrow, State>>(d, reinterpret_cast<const std::byte*>(sums + k));
        hn::StoreU(hn::Add(hn::LoadU(d, states + k), more), d, states + k);
      }
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
/// Products of a few rows fit in twice, four times, eight times as many bits.
template <class T, Index lanes>
requires(sizeof(T) < 8) struct Column<WholeProduct<T>, lanes> {
  using Rule = WholeProduct<T>;
  using State = typename Rule::State;
  static constexpr auto group = static_cast<Index>(8 / sizeof(T));
  static HWY_INLINE void fold(State* states, const std::byte* src, Index rows, std::ptrdiff_t step,
                              std::ptrdiff_t ahead) {
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (; rows >= group; rows -= group, src += group * step) {
      for (Index r = 0; r < group; ++r) hwy::Prefetch(src + r * step + ahead);
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
  /// A vector of products of two: so many columns go together.
  static constexpr auto at_once = static_cast<Index>(hn::MaxLanes(Tag<Sized<2 * sizeof(T)>>()));

  template <class Product>
  struct Products {
    hn::Vec<Tag<Product>> of[static_cast<std::size_t>(at_once) / hn::MaxLanes(Tag<Product>())];
  };

  /// The products of as many rows as T goes into Product.
  template <class Product>
  static HWY_INLINE Products<Product> multiply(const std::byte* src, std::ptrdiff_t step) {
    const Tag<Product> d;
    Products<Product> result;
    if constexpr (sizeof(Product) == 2 * sizeof(T)) {
      result.of[0] = Rule::times(d, hn::PromoteTo(d, load_whole<T>(d, src)),
                                 hn::PromoteTo(d, load_whole<T>(d, src + step)));
    } else {
      using Half = Sized<sizeof(Product) / 2>;
      constexpr std::ptrdiff_t half_rows = sizeof(Half) / sizeof(T);
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

/// Columns beside each other.
template <class Rule, Index lanes>
HWY_NOINLINE void accumulate_columns(typename Rule::State* states, Index columns, const std::byte* src,
                                     Index rows, std::ptrdiff_t step, std::ptrdiff_t ahead) {
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
