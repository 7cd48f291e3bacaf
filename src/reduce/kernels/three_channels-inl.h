// SPDX-License-Identifier: Apache-2.0
// Reduces rows of pixels of three channels to three results each. Three vectors hold whole pixels, so each
// lane belongs to one channel: the accumulators stay in registers for a row and are deinterleaved at its end.
// The order of doubles is the same on each instruction set: 16 pixels at a time, then by halves. Included
// once for each instruction set.
#if defined(TENSTRIDE_REDUCE_KERNELS_THREE_CHANNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_THREE_CHANNELS_INL
#undef TENSTRIDE_REDUCE_KERNELS_THREE_CHANNELS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_THREE_CHANNELS_INL
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

template <class Rule>
struct ThreeChannels {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));

  static void accumulate(void* states, const ThreeChannelRows& from) {
    auto* const to = static_cast<State*>(states);
    for (Index r = 0; r < from.rows; ++r) {
      accumulate_row(to + 3 * r, from.src + r * from.row_step, from.count, from.prefetch_distance);
    }
  }

  /// Accumulates a row of `count` pixels into three accumulators. Pixels that do not fill the vectors take
  /// the last lanes.
  static HWY_NOINLINE void accumulate_row(State* to, const std::byte* src, Index count,
                                          Index prefetch_distance) {
    if constexpr (HWY_TARGET != HWY_SCALAR && Narrowed<Rule>::is_narrower) {
      using First = ThreeChannels<typename Narrowed<Rule>::First>;
      constexpr Index max_pixels = Narrowed<Rule>::max_addends * First::pixels;
      for (Index done = 0; done < count; done += max_pixels) {
        alignas(64) typename First::State sums[static_cast<std::size_t>(3 * First::pixels)];
        First::accumulate_to_pixels(sums, src + done * 3 * item, std::min(max_pixels, count - done),
                                    prefetch_distance);
        ThreeChannels<typename Narrowed<Rule>::Second>::accumulate_row(
            to, reinterpret_cast<const std::byte*>(sums), First::pixels, 0);
      }
    } else {
      alignas(64) State sums[static_cast<std::size_t>(3 * pixels)];
      accumulate_to_pixels(sums, src, count, prefetch_distance);
      add_pixels(to, sums);
    }
  }

#if HWY_TARGET == HWY_SCALAR
  /// The number of pixels that are accumulated in parallel.
  static constexpr Index pixels = 16;

  /// Sets `pixels` times three accumulators to the reductions of each `pixels`-th pixel.
  static void accumulate_to_pixels(State* sums, const std::byte* src, Index count, Index) {
    constexpr Index round = 3 * pixels;
    std::fill(sums, sums + round, Rule::initial());
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
                                              Index prefetch_distance) {
    const D d;
    hn::Vec<D> sums[vectors];
    for (std::size_t i = 0; i < vectors; ++i) sums[i] = hn::Set(d, Rule::initial());
    for (; count >= pixels; count -= pixels, src += 3 * pixels * item) {
      for (Index i = 0; i < 3 * pixels * item; i += 64) hwy::Prefetch(src + prefetch_distance + i);
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
    to[0] = Rule::join(to[0], combined_lanes<Rule>(a));
    to[1] = Rule::join(to[1], combined_lanes<Rule>(b));
    to[2] = Rule::join(to[2], combined_lanes<Rule>(c));
  }

#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
