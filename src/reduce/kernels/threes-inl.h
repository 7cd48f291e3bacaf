// SPDX-License-Identifier: Apache-2.0
// Rows of pixels of three channels, each folded into three results; included once for each instruction set.
// Three vectors are whole pixels, whose channels take turns in the accumulators: these stay in registers
// for a row, and are taken apart at its end. The order of doubles is the same everywhere: 16 pixels in turn,
// then halves on halves.
#if defined(TENSTRIDE_REDUCE_KERNELS_THREES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_THREES_INL
#undef TENSTRIDE_REDUCE_KERNELS_THREES_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_THREES_INL
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <hwy/cache_control.h>

#include "reduce/kernels/columns-inl.h"
#include "reduce/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// The integers in which rows are summed first: as in Column, so many rounds at a time.
template <class Rule>
struct Narrowed {
  static constexpr bool is_other = false;
};
template <class T, class State>
requires(sizeof(State) > 2 * sizeof(T)) struct Narrowed<WholeSum<T, State>> {
  static constexpr bool is_other = true;
  using Number = hwy::MakeWide<Whole<T>>;
  using First = WholeSum<T, Number>;
  using Second = WholeSum<Number, State>;
  static constexpr Index max_rounds = 256;
};

template <class Rule>
struct Threes {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));

  static void fold(void* states, const ThreeRows& from) {
    auto* const to = static_cast<State*>(states);
    for (Index r = 0; r < from.rows; ++r) {
      accumulate_row(to + 3 * r, from.src + r * from.row_step, from.count, from.ahead);
    }
  }

  /// Any number of pixels: the last ones take the last lanes.
  static HWY_NOINLINE void accumulate_row(State* to, const std::byte* src, Index count,
                                          std::ptrdiff_t ahead) {
    if constexpr (HWY_TARGET != HWY_SCALAR && Narrowed<Rule>::is_other) {
      using First = Threes<typename Narrowed<Rule>::First>;
      using Number = typename Narrowed<Rule>::Number;
      constexpr Index most = Narrowed<Rule>::max_rounds * First::pixels;
      for (Index done = 0; done < count; done += most) {
        alignas(64) Number sums[static_cast<std::size_t>(3 * First::pixels)];
        First::accumulate_to_pixels(sums, src + done * 3 * item, std::min(most, count - done), ahead);
        Threes<typename Narrowed<Rule>::Second>::accumulate_row(to, reinterpret_cast<const std::byte*>(sums),
                                                                First::pixels, 0);
      }
    } else {
      alignas(64) State sums[static_cast<std::size_t>(3 * pixels)];
      accumulate_to_pixels(sums, src, count, ahead);
      add_pixels(to, sums);
    }
  }

#if HWY_TARGET == HWY_SCALAR
  /// Pixels that are folded side by side.
  static constexpr Index pixels = 16;

  /// Sets `pixels` times three accumulators.
  static void accumulate_to_pixels(State* sums, const std::byte* src, Index count, std::ptrdiff_t) {
    constexpr Index round = 3 * pixels;
    std::fill(sums, sums + round, Rule::first());
    const auto join = [&](Index lane) {
      sums[lane] = Rule::join(sums[lane], Rule::read(load_element<T>(src)));
      src += item;
    };
    for (; count >= pixels; count -= pixels) {
      for (Index k = 0; k < round; ++k) join(k);
    }
    for (Index k = round - 3 * count; k < round; ++k) join(k);
  }

 private:
  static void add_pixels(State* to, State* sums) {
    for (Index half = 3 * pixels / 2; half >= 3; half /= 2) {
      for (Index k = 0; k < half; ++k) sums[k] = Rule::join(sums[k], sums[k + half]);
    }
    for (Index k = 0; k < 3; ++k) to[k] = Rule::join(to[k], sums[k]);
  }
#else
  static constexpr Index pixels =
      std::is_same_v<State, double>
          ? 16
          : static_cast<Index>(hn::MaxLanes(VectorTag<State, static_cast<Index>(64 / sizeof(State))>()));

  static HWY_INLINE void accumulate_to_pixels(State* to, const std::byte* src, Index count,
                                              std::ptrdiff_t ahead) {
    const D d;
    hn::Vec<D> sums[vectors];
    for (std::size_t i = 0; i < vectors; ++i) sums[i] = hn::Set(d, Rule::first());
    for (; count >= pixels; count -= pixels, src += 3 * pixels * item) {
      for (Index i = 0; i < 3 * pixels * item; i += 64) hwy::Prefetch(src + ahead + i);
      join(sums, src);
    }
    if (count > 0) {
      alignas(64) T last[static_cast<std::size_t>(3 * pixels)];
      std::fill(last, last + 3 * (pixels - count), Rule::neutral());
      std::memcpy(last + 3 * (pixels - count), src, static_cast<std::size_t>(3 * count * item));
      join(sums, reinterpret_cast<const std::byte*>(last));
    }
    for (std::size_t i = 0; i < vectors; ++i) hn::StoreU(sums[i], d, to + i * hn::MaxLanes(d));
  }

 private:
  using D = VectorTag<State, pixels>;
  static constexpr auto lanes = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto vectors = static_cast<std::size_t>(3 * pixels / lanes);

  static HWY_INLINE void join(hn::Vec<D> (&sums)[vectors], const std::byte* src) {
    for (std::size_t i = 0; i < vectors; ++i) {
      sums[i] =
          Rule::join_vectors(sums[i], load_widened<Rule>(D(), src + static_cast<Index>(i) * lanes * item));
    }
  }

  static HWY_INLINE void add_pixels(State* to, State* sums) {
    const D d;
    for (Index left = pixels; left > lanes; left /= 2) {
      for (Index k = 0; k < 3 * left / 2; k += lanes) {
        const auto other = hn::LoadU(d, sums + 3 * left / 2 + k);
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, sums + k), other), d, sums + k);
      }
    }
    hn::Vec<D> a, b, c;
    hn::LoadInterleaved3(d, sums, a, b, c);
    to[0] = Rule::join(to[0], folded(a));
    to[1] = Rule::join(to[1], folded(b));
    to[2] = Rule::join(to[2], folded(c));
  }

  template <class V>
  static HWY_INLINE State folded(V v) {
    using D = hn::DFromV<V>;
    if constexpr (hn::MaxLanes(D()) * sizeof(State) > 16) {
      const hn::Half<D> half;
      return folded(Rule::join_vectors(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    } else {
      return reduced_lanes<hn::MaxLanes(D()) / 2>(v);
    }
  }
  template <std::size_t half, class V>
  static HWY_INLINE State reduced_lanes(V v) {
    if constexpr (half == 0) {
      return hn::GetLane(v);
    } else {
      return reduced_lanes<half / 2>(
          Rule::join_vectors(v, hn::ShiftRightLanes<static_cast<int>(half)>(hn::DFromV<V>(), v)));
    }
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
