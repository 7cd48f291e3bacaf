// SPDX-License-Identifier: Apache-2.0
// How a reduction combines accumulators, whatever elements they were made of: rules whose accumulators have
// the same bits share this code. Included once for each instruction set.
#if defined(TENSTRIDE_REDUCE_KERNELS_ACCUMULATORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_ACCUMULATORS_INL
#undef TENSTRIDE_REDUCE_KERNELS_ACCUMULATORS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_ACCUMULATORS_INL
#endif

#include <algorithm>
#include <complex>
#include <type_traits>

#include "reduce/kernels/columns-inl.h"
#include "reduce/kernels/kernels.hpp"
#include "reduce/kernels/rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// The rule that combines accumulators as `Rule` does. Example: sums of int8 in 16 bits are combined as sums
/// of uint16 in 16 bits, as both are modulo 2^16.
template <class Rule>
struct AccumulatorRule {
  using type = Rule;
};
template <class T, class State>
struct AccumulatorRule<WholeSum<T, State>> {
  using Bits = std::make_unsigned_t<State>;
  using type = WholeSum<Bits, Bits>;
};
template <class T>
struct AccumulatorRule<WholeProduct<T>> {
  using type = WholeProduct<std::int64_t>;
};
/// Real numbers are accumulated as doubles, complex ones as pairs of them.
template <class T>
using DoubleOf = std::conditional_t<is_complex_element<T>, std::complex<double>, double>;
template <class T>
struct AccumulatorRule<FloatSum<T>> {
  using type = FloatSum<DoubleOf<T>>;
};
template <class T>
struct AccumulatorRule<FloatProduct<T>> {
  using type = FloatProduct<DoubleOf<T>>;
};
template <class T, bool less>
struct AccumulatorRule<Extreme<T, less>> {
  using type = Extreme<typename Extreme<T, less>::State, less>;
};
template <class T, bool finds_zero>
struct AccumulatorRule<Truth<T, finds_zero>> {
  using type = Truth<std::conditional_t<std::is_same_v<T, std::complex<float>>, double, T>, false>;
};

template <class Rule>
struct AccumulatorSet {
  using State = typename Rule::State;

  static HWY_NOINLINE void combine(void* states, const void* others, Index count) {
    auto* const to = static_cast<State*>(states);
    const auto* const from = static_cast<const State*>(others);
    Index i = 0;
    if constexpr (uses_vectors<Rule>) {
      const hn::CappedTag<State, 64 / sizeof(State)> d;
      const auto width = static_cast<Index>(hn::Lanes(d));
      for (; i + width <= count; i += width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
      }
    }
    for (; i < count; ++i) to[i] = Rule::join(to[i], from[i]);
  }

  static void combine_groups(void* out, void* in, Index count, Index group, Index inner) {
    auto* const to = static_cast<State*>(out);
    auto* const from = static_cast<State*>(in);
    if (inner == 1) {
      for (; group % 2 == 0 && group > 2; group /= 2) combine_neighbours<2>(from, from, count * group / 2);
      if (group == 2) {
        combine_neighbours<2>(to, from, count);
      } else if (group == 3) {
        combine_neighbours<3>(to, from, count);
      } else {
        const State* group_of = from;
        for (Index o = 0; o < count; ++o, group_of += group) {
          to[o] = group_of[0];
          for (Index j = 1; j < group; ++j) to[o] = Rule::join(to[o], group_of[j]);
        }
      }
    } else if (inner <= 4) {
      combine_vectors<4>(to, from, count, group, inner);
    } else {
      combine_vectors<8>(to, from, count, group, inner);
    }
  }

 private:
  /// Combines the `inner` accumulators of each group by vectors of at most `width` lanes. Lanes that a vector
  /// writes beyond its group are overwritten by the next group.
  template <Index width>
  static HWY_NOINLINE void combine_vectors(State* to, const State* from, Index count, Index group,
                                           Index inner) {
    if (group == 2 && inner <= width) {
      for (Index o = 0; o < count; ++o, from += 2 * inner, to += inner)
        combine_one<width>(to, from, 2, inner);
      return;
    }
    for (Index o = 0; o < count; ++o, from += group * inner, to += inner) {
      for (Index i = 0; i < inner; i += width) combine_one<width>(to + i, from + i, group, inner);
    }
  }
  template <Index width>
  static HWY_INLINE void combine_one(State* to, const State* from, Index group, Index inner) {
    if constexpr (uses_vectors<Rule>) {
      const VectorTag<State, width> d;
      constexpr auto step = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < width; k += step) {
        auto sum = hn::LoadU(d, from + k);
        for (Index j = 1; j < group; ++j) sum = Rule::join_vectors(sum, hn::LoadU(d, from + j * inner + k));
        hn::StoreU(sum, d, to + k);
      }
    } else {
      for (Index k = 0; k < std::min(width, inner); ++k) {
        State sum = from[k];
        for (Index j = 1; j < group; ++j) sum = Rule::join(sum, from[j * inner + k]);
        to[k] = sum;
      }
    }
  }

  template <Index group>
  static HWY_NOINLINE void combine_neighbours(State* to, const State* from, Index count) {
    Index o = 0;
    if constexpr (uses_vectors<Rule> &&
                  hn::MaxLanes(VectorTag<State, static_cast<Index>(16 / sizeof(State))>()) > 1) {
      const VectorTag<State, static_cast<Index>(32 / sizeof(State))> d;
      const auto width = static_cast<Index>(hn::Lanes(d));
      for (; o + width <= count; o += width) {
        [[maybe_unused]] hn::Vec<decltype(d)> a, b, c;
        if constexpr (group == 2) {
          hn::LoadInterleaved2(d, from + 2 * o, a, b);
          hn::StoreU(Rule::join_vectors(a, b), d, to + o);
        } else {
          hn::LoadInterleaved3(d, from + 3 * o, a, b, c);
          hn::StoreU(Rule::join_vectors(Rule::join_vectors(a, b), c), d, to + o);
        }
      }
    }
    for (; o < count; ++o) {
      State all = Rule::join(from[group * o], from[group * o + 1]);
      if constexpr (group == 3) all = Rule::join(all, from[group * o + 2]);
      to[o] = all;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
