// SPDX-License-Identifier: Apache-2.0
// The loops of reductions over the rules of reduce_rules-inl.h; included once for each instruction set.
// Floating accumulators are 16 in each, so that the results are the same in each.
#if defined(TENSTRIDE_REDUCE_LEAVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_LEAVES_INL
#undef TENSTRIDE_REDUCE_LEAVES_INL
#else
#define TENSTRIDE_REDUCE_LEAVES_INL
#endif

#include <algorithm>
#include <array>
#include <cstring>

#include "reduce_columns-inl.h"
#include "reduce_kernels.hpp"
#include "reduce_pools-inl.h"
#include "reduce_runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

template <class Rule>
struct Leaves {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  /// The narrow column, and the wide one: a line of elements at least.
  static constexpr Index lanes = 16;
  static constexpr Index wide = std::max(lanes, static_cast<Index>(64 / sizeof(T)));
  /// Elements that lie apart are set side by side, so many at a time.
  static constexpr Index packed = 256;
  /// Fewer runs are folded one by one.
  static constexpr Index few_runs = 4;
  /// How far ahead what is read next is asked for, along a run; and pixels are folded so many bytes at a
  /// time.
  static constexpr Index ahead_bytes = 1024;
  static constexpr Index block_bytes = 4096;

  static void start(void* states, Index count) {
    auto* const to = static_cast<State*>(states);
    Index i = 0;
    for (; i + wide <= count; i += wide) clear<wide>(to + i);
    for (; i < count; ++i) to[i] = Rule::first();
  }

  static void fold(void* states, Index count, const std::byte* src, std::ptrdiff_t step, Index run,
                   std::ptrdiff_t stride) {
    auto* const to = static_cast<State*>(states);
    // As far as a run is followed by others, its last elements are read with what lies behind them.
    const Index reads_on = stride == item && step > 0 ? count - 1 - wide * item / step : 0;
    const bool has_short_runs =
        Rule::has_vectors && stride == item && count >= few_runs && run <= ShortRuns<Rule>::longest;
    if constexpr (uses_vectors<Rule>) {
      if (has_short_runs) {
        ShortRuns<Rule>::fold(to, count, src, step, run, reads_on);
        return;
      }
    }
    for (Index i = 0; i < count; ++i, src += step) {
      if (i < reads_on && !has_short_runs) {
        to[i] = Rule::join(to[i], folded<wide>(src, run, stride, Tail::with_others));
      } else {
        const State all =
            run < wide || has_short_runs ? folded<lanes>(src, run, stride) : folded<wide>(src, run, stride);
        to[i] = Rule::join(to[i], all);
      }
    }
  }

  static void fold_rows(void* states, Index count, const std::byte* src, std::ptrdiff_t stride, Index rows,
                        std::ptrdiff_t row_step) {
    auto* const to = static_cast<State*>(states);
    if (stride == item) {
      fold_dense_rows(to, count, src, rows, row_step, rows * row_step);
      return;
    }
    T values[static_cast<std::size_t>(packed)];
    for (Index i = 0; i < count; i += packed) {
      const Index now = std::min(packed, count - i);
      for (Index r = 0; r < rows; ++r) {
        pack(values, src + i * stride + r * row_step, now, stride);
        fold_dense_rows(to + i, now, reinterpret_cast<const std::byte*>(values), 1, 0, 0);
      }
    }
  }

  static void fold_pixels(void* states, Index channels, const std::byte* src, Index count) {
    // So many pixels are a row of whole vectors; a power of two, so that they can be halved.
    Index pixels = 1;
    while (pixels * channels < 4 * lanes || pixels * channels % lanes != 0) pixels *= 2;
    const Index row = pixels * channels;
    State sums[static_cast<std::size_t>(lanes * most_channels)];
    start(sums, row);
    const Index most = std::max<Index>(block_bytes / (row * item), 1);
    for (Index rows = count / pixels; rows > 0;) {
      const Index now = std::min(rows, most);
      fold_dense_rows(sums, row, src, now, row * item, most * row * item);
      src += now * row * item;
      rows -= now;
    }
    if (count % pixels != 0) fold_dense_rows(sums, count % pixels * channels, src, 1, 0, 0);
    for (Index half = pixels / 2; half > 0; half /= 2) {
      combine(sums, sums + half * channels, half * channels);
    }
    combine(states, sums, channels);
  }

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

  static void gather(void* out, void* in, Index count, Index group, Index inner) {
    auto* const to = static_cast<State*>(out);
    auto* const from = static_cast<State*>(in);
    if (inner == 1) {
      for (; group % 2 == 0 && group > 2; group /= 2) gather_pairs(from, from, count * group / 2);
      if (group == 2) {
        gather_pairs(to, from, count);
      } else if (group == 3) {
        gather_triples(to, from, count);
      } else {
        gather_vectors<1>(to, from, count, group, inner);
      }
    } else if (inner == 2) {
      gather_vectors<2>(to, from, count, group, inner);
    } else if (inner <= 4) {
      gather_vectors<4>(to, from, count, group, inner);
    } else {
      gather_vectors<8>(to, from, count, group, inner);
    }
  }

  template <class Last>
  static void finish(std::byte* dst, const void* states, Index count, Index folded) {
    const auto* from = static_cast<const State*>(states);
    Index i = 0;
    using Result = decltype(Last::result(State(), 0));
    constexpr auto size = static_cast<Index>(sizeof(Result));
    if constexpr (uses_vectors<Last> && requires { Last::width; }) {
      for (; i + Last::width <= count; i += Last::width) Last::finish(dst + i * size, from + i, folded);
    }
    for (; i < count; ++i) store_element(dst + i * size, Last::result(from[i], folded));
  }

  template <class Last>
  static void pool(std::byte* dst, const PoolRows& from, Stores stores) {
    using Result = decltype(Last::result(State(), 0));
    Pools<Rule>::pool(dst, from, stores, finish<Last>, static_cast<Index>(sizeof(Result)));
  }

  /// `Last`: the rule that says what the results are.
  template <class Last = Rule>
  static const ReduceKernel* table() {
    static constexpr ReduceKernel kernel{sizeof(State), Rule::patience, start,  fold,       fold_rows,
                                         fold_pixels,   combine,        gather, pool<Last>, finish<Last>};
    return &kernel;
  }

 private:
  /// Whether what lies behind the last elements of a run may be read.
  enum class Tail : unsigned char { alone, with_others };

  /// Elements that change nothing.
  template <Index count>
  struct Values {
    std::array<T, static_cast<std::size_t>(count)> at;
    Values() { at.fill(Rule::neutral()); }
  };

  static HWY_NOINLINE void pack(T* to, const std::byte* src, Index count, std::ptrdiff_t stride) {
    for (Index k = 0; k < count; ++k) std::memcpy(to + k, src + k * stride, sizeof(T));
  }

  template <Index count>
  static HWY_INLINE void clear(State* to) {
    if constexpr (uses_vectors<Rule>) {
      const VectorTag<State, count> d;
      constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < count; k += width) hn::StoreU(hn::Set(d, Rule::first()), d, to + k);
    } else {
      std::fill(to, to + count, Rule::first());
    }
  }

  /// A run, folded by `width` accumulators in turn.
  template <Index width>
  static HWY_NOINLINE State folded(const std::byte* src, Index run, std::ptrdiff_t stride,
                                   Tail tail = Tail::alone) {
    State sums[static_cast<std::size_t>(width)];
    clear<width>(sums);
    if (stride == item) {
      fold_dense<width>(sums, src, run, tail);
    } else {
      T values[static_cast<std::size_t>(packed)];
      for (Index done = 0; done < run; done += packed) {
        const Index now = std::min(packed, run - done);
        pack(values, src + done * stride, now, stride);
        fold_dense<width>(sums, reinterpret_cast<const std::byte*>(values), now, Tail::alone);
      }
    }
    return folded_together<width>(sums);
  }

  template <Index width>
  static HWY_INLINE void fold_dense(State* sums, const std::byte* src, Index count, Tail tail) {
    const Index rows = count / width;
    if (rows > 0) fold_columns<Rule, width>(sums, 1, src, rows, width * item, ahead_bytes);
    const Index rest = count - rows * width;
    if (rest == 0) return;
    src += rows * width * item;
    static const Values<width> neutral;
    Values<width> values = neutral;
    auto* const bytes = reinterpret_cast<std::byte*>(values.at.data());
    if (uses_vectors<Rule> && tail == Tail::with_others) {
      const VectorTag<std::uint8_t, width * item> d;
      constexpr auto step = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < width * item; k += step) {
        const auto wanted =
            hn::FirstN(d, static_cast<std::size_t>(std::clamp<Index>(rest * item - k, 0, step)));
        auto* const to = reinterpret_cast<std::uint8_t*>(bytes + k);
        hn::StoreU(hn::IfThenElse(wanted, load_dense<std::uint8_t>(d, src + k), hn::LoadU(d, to)), d, to);
      }
    } else {
      std::memcpy(bytes, src, static_cast<std::size_t>(rest * item));
    }
    fold_columns<Rule, width>(sums, 1, bytes, 1, 0, 0);
  }

  static HWY_NOINLINE void fold_dense_rows(State* states, Index count, const std::byte* src, Index rows,
                                           std::ptrdiff_t step, std::ptrdiff_t ahead) {
    Index i = count / wide * wide;
    fold_columns<Rule, wide>(states, count / wide, src, rows, step, ahead);
    if constexpr (wide > lanes) {
      const Index more = (count - i) / lanes;
      fold_columns<Rule, lanes>(states + i, more, src + i * item, rows, step, ahead);
      i += more * lanes;
    }
    const Index rest = count - i;
    if (rest == 0) return;
    State sums[static_cast<std::size_t>(lanes)];
    if (count >= lanes) {  // with columns that are done already
      const Index back = lanes - rest;
      std::copy(states + i - back, states + i + rest, sums);
      fold_columns<Rule, lanes>(sums, 1, src + (i - back) * item, rows, step, ahead);
      std::copy(sums + back, sums + lanes, states + i);
      return;
    }
    std::copy(states, states + rest, sums);
    std::fill(sums + rest, sums + lanes, Rule::first());
    T values[static_cast<std::size_t>(lanes)];
    std::fill(values, values + lanes, Rule::neutral());
    for (Index r = 0; r < rows; ++r, src += step) {
      std::memcpy(values, src, static_cast<std::size_t>(rest * item));
      fold_columns<Rule, lanes>(sums, 1, reinterpret_cast<const std::byte*>(values), 1, 0, 0);
    }
    std::copy(sums, sums + rest, states);
  }

  /// Halves on halves.
  template <Index count>
  static HWY_INLINE State folded_together(State* sums) {
    if constexpr (uses_vectors<Rule> && hn::MaxLanes(VectorTag<State, count>()) > 1) {
      return folded_vectors<count>(sums);
    } else {
      for (Index half = count / 2; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sums[k] = Rule::join(sums[k], sums[k + half]);
      }
      return sums[0];
    }
  }
  template <Index count>
  static HWY_INLINE State folded_vectors(State* sums) {
    const VectorTag<State, count / 2> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    if constexpr (static_cast<Index>(sizeof(State)) * count > 32) {
      for (Index k = 0; k < count / 2; k += width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, sums + k), hn::LoadU(d, sums + k + count / 2)), d,
                   sums + k);
      }
      return folded_vectors<count / 2>(sums);
    } else {
      return folded_lanes<count / 4>(d,
                                     Rule::join_vectors(hn::LoadU(d, sums), hn::LoadU(d, sums + count / 2)));
    }
  }
  /// `half`: of the lanes that are left.
  template <Index half, class D, class V>
  static HWY_INLINE State folded_lanes(D d, V v) {
    if constexpr (half == 0) {
      return hn::GetLane(v);
    } else {
#if HWY_TARGET != HWY_SCALAR  // which has no lanes to shift
      return folded_lanes<half / 2>(d, Rule::join_vectors(v, hn::ShiftRightLanes<half>(d, v)));
#endif
    }
  }

  /// Groups by vectors of `width` lanes at most. What a vector writes beyond its group is overwritten by the
  /// next group.
  template <Index width>
  static void gather_vectors(State* to, const State* from, Index count, Index group, Index inner) {
    if (inner <= width && group == 2) {
      gather_short<width, 2>(to, from, count, inner);
    } else if (inner <= width && group == 3) {
      gather_short<width, 3>(to, from, count, inner);
    } else {
      for (Index o = 0; o < count; ++o, from += group * inner, to += inner) {
        for (Index i = 0; i < inner; i += width) gather_one<width>(to + i, from + i, group, inner);
      }
    }
  }
  template <Index width, Index group>
  static HWY_NOINLINE void gather_short(State* to, const State* from, Index count, Index inner) {
    for (Index o = 0; o < count; ++o, from += group * inner, to += inner) {
      gather_one<width>(to, from, group, inner);
    }
  }
  template <Index width>
  static HWY_INLINE void gather_one(State* to, const State* from, Index group, Index inner) {
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

  static HWY_NOINLINE void gather_pairs(State* to, const State* from, Index count) {
    Index o = 0;
    if constexpr (uses_vectors<Rule> &&
                  hn::MaxLanes(VectorTag<State, static_cast<Index>(16 / sizeof(State))>()) > 1) {
      const VectorTag<State, static_cast<Index>(32 / sizeof(State))> d;
      const auto width = static_cast<Index>(hn::Lanes(d));
      for (; o + width <= count; o += width) {
        hn::Vec<decltype(d)> even, odd;
        hn::LoadInterleaved2(d, from + 2 * o, even, odd);
        hn::StoreU(Rule::join_vectors(even, odd), d, to + o);
      }
    }
    for (; o < count; ++o) to[o] = Rule::join(from[2 * o], from[2 * o + 1]);
  }

  static HWY_NOINLINE void gather_triples(State* to, const State* from, Index count) {
    Index o = 0;
    if constexpr (uses_vectors<Rule> &&
                  hn::MaxLanes(VectorTag<State, static_cast<Index>(16 / sizeof(State))>()) > 1) {
      const VectorTag<State, static_cast<Index>(32 / sizeof(State))> d;
      const auto width = static_cast<Index>(hn::Lanes(d));
      for (; o + width <= count; o += width) {
        hn::Vec<decltype(d)> a, b, c;
        hn::LoadInterleaved3(d, from + 3 * o, a, b, c);
        hn::StoreU(Rule::join_vectors(Rule::join_vectors(a, b), c), d, to + o);
      }
    }
    for (; o < count; ++o) {
      to[o] = Rule::join(Rule::join(from[3 * o], from[3 * o + 1]), from[3 * o + 2]);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
