// SPDX-License-Identifier: Apache-2.0
// The loops of reductions over the rules of reduce/kernels/rules-inl.h; included once for each instruction
// set. Floating accumulators are 16 in each, so that the results are the same in each.
#if defined(TENSTRIDE_REDUCE_KERNELS_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_KERNELS_INL
#undef TENSTRIDE_REDUCE_KERNELS_KERNELS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_KERNELS_INL
#endif

#include <algorithm>
#include <array>
#include <cstring>

#include "reduce/kernels/accumulators-inl.h"
#include "reduce/kernels/columns-inl.h"
#include "reduce/kernels/gaps-inl.h"
#include "reduce/kernels/kernels.hpp"
#include "reduce/kernels/pools-inl.h"
#include "reduce/kernels/runs-inl.h"
#include "reduce/kernels/threes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// The types that have reductions.
using IntegerTypes = TypeList<bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                              std::int32_t, std::uint64_t, std::int64_t>;
using RealTypes = TypeList<float16, bfloat16, float, double>;
using FloatingTypes = TypeList<float16, bfloat16, float, double, std::complex<float>, std::complex<double>>;

/// What `find` gives for a pointer to the type.
template <class... T, class F>
const ReduceKernel* kernel_for(TypeList<T...>, DType dtype, F&& find) {
  const ReduceKernel* found = nullptr;
  ((dtype == dtype_of<T> ? void(found = find(static_cast<T*>(nullptr))) : void()), ...);
  return found;
}

template <class Rule>
struct KernelSet {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  /// Whether the order of folding is to be the same everywhere.
  static constexpr bool has_order = std::is_same_v<State, double>;
  /// The narrow column, and the wide one: a line of elements at least.
  static constexpr Index lanes = 16;
  static constexpr Index wide =
      has_order || uses_vectors<Rule> ? std::max(lanes, static_cast<Index>(64 / sizeof(T))) : lanes;
  /// Along a run products are of neighbours, too: of each vector one of 64-bit numbers. As each of their
  /// multiplications takes long, so many vectors are multiplied in turn, which the accumulators have room
  /// for.
  static constexpr bool collapses = uses_vectors<Rule> && requires { requires Rule::collapses; };
  static constexpr Index chains = 4;
  static constexpr Index along_run = collapses ? std::max<Index>(wide, chains * 8) : wide;
  /// Elements that lie apart are set side by side, so many at a time.
  static constexpr Index packed = 256;
  /// Fewer runs are folded one by one.
  static constexpr Index few_runs = 4;
  /// What is read soon lies in the run or in the next one: so many bytes behind what is read now. The first
  /// for rows whose soon is in the run, the second for its last.
  struct Soon {
    std::ptrdiff_t within;
    std::ptrdiff_t beyond;
    Soon(Index run_bytes, std::ptrdiff_t step)
        : within(run_bytes < ahead_of_runs ? ahead_by_steps(step) : ahead_of_runs),
          beyond(run_bytes < ahead_of_runs ? within : within + step - run_bytes) {}
  };
  /// Of rows the next ones are, where the first-level cache keeps so many bytes until they are read, else
  /// what follows in each. (Of rows of 16 KiB by eights the next ones took 1.2 times as long.)
  static constexpr Index ahead_rows_bytes = 32768;
  static constexpr Index ahead_in_rows = 512;

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
    const Index reads_on = stride == item && step > 0 ? count - 1 - along_run * item / step : 0;
    const Soon soon(run * item, step);
    const bool has_short_runs =
        Rule::has_vectors && stride == item && count >= few_runs && run <= ShortRuns<Rule>::longest;
    if constexpr (uses_vectors<Rule>) {
      if (has_short_runs) {
        ShortRuns<Rule>::fold(to, count, src, step, run, reads_on);
        return;
      }
    }
    for (Index i = 0; i < count; ++i, src += step) {
      const Tail tail = i < reads_on && !has_short_runs ? Tail::with_others : Tail::alone;
      to[i] = Rule::join(to[i], has_order && (run < wide || has_short_runs)
                                    ? folded < has_order ? lanes : along_run > (src, run, stride, soon, tail)
                                    : folded<along_run>(src, run, stride, soon, tail));
    }
  }

  static void accumulate_rows(void* states, Index count, const std::byte* src, std::ptrdiff_t stride,
                              Index rows, std::ptrdiff_t row_step) {
    auto* const to = static_cast<State*>(states);
    if (stride == item) {
      const bool are_kept = rows * count * item <= ahead_rows_bytes;
      accumulate_dense_rows(to, count, src, rows, row_step, are_kept ? rows * row_step : ahead_in_rows);
      return;
    }
    T values[static_cast<std::size_t>(packed)];
    for (Index i = 0; i < count; i += packed) {
      const Index now = std::min(packed, count - i);
      for (Index r = 0; r < rows; ++r) {
        pack(values, src + i * stride + r * row_step, now, stride);
        accumulate_dense_rows(to + i, now, reinterpret_cast<const std::byte*>(values), 1, 0, 0);
      }
    }
  }

  static void accumulate_gapped(void* state, const GappedRows& from) {
    using Gapped = GappedRuns<Rule>;
    State sums[static_cast<std::size_t>(Gapped::lanes)];
    clear<Gapped::lanes>(sums);
    Gapped::fold(sums, from);
    auto* const to = static_cast<State*>(state);
    *to = Rule::join(*to, reduced_together<Gapped::lanes>(sums));
  }
  /// Products take so long that nothing is gained by what is not wanted.
  static constexpr bool has_gapped = Rule::has_vectors && !requires { Rule::collapses; };

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

  /// `Last`: the rule that says what the results are.
  template <class Last = Rule>
  static const ReduceKernel* table() {
    using States = AccumulatorSet<typename AccumulatorRule<Rule>::type>;
    static constexpr ReduceKernel kernel{sizeof(State),   Rule::patience,    start,       fold,
                                         accumulate_rows, gapped(),          threes(),    States::combine,
                                         States::gather,  Pools<Rule>::fold, finish<Last>};
    return &kernel;
  }

 private:
  static constexpr auto gapped() -> void (*)(void*, const GappedRows&) {
    if constexpr (has_gapped) return accumulate_gapped;
    return nullptr;
  }

  /// Longer numbers are read as slowly as they are folded pixel by pixel.
  static constexpr auto threes() -> void (*)(void*, const ThreeRows&) {
    if constexpr (has_gapped && sizeof(T) <= 4) return Threes<Rule>::fold;
    return nullptr;
  }

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
  static HWY_NOINLINE State folded(const std::byte* src, Index run, std::ptrdiff_t stride, const Soon& soon,
                                   Tail tail) {
    State sums[static_cast<std::size_t>(width)];
    clear<width>(sums);
    if (stride == item) {
      accumulate_dense<width>(sums, src, run, soon, tail);
    } else {
      T values[static_cast<std::size_t>(packed)];
      for (Index done = 0; done < run; done += packed) {
        const Index now = std::min(packed, run - done);
        pack(values, src + done * stride, now, stride);
        accumulate_dense<width>(sums, reinterpret_cast<const std::byte*>(values), now, Soon(0, 0),
                                Tail::alone);
      }
    }
    return reduced_together<width>(sums);
  }

  template <Index width>
  static HWY_INLINE void accumulate_dense(State* sums, const std::byte* src, Index count, const Soon& soon,
                                          Tail tail) {
    constexpr Index row = width * item;
    const Index rows = count / width;
    const Index within = soon.within == soon.beyond ? rows : rows - std::min(rows, ahead_of_runs / row);
    if (within > 0) accumulate_run<width>(sums, src, within, soon.within);
    src += within * row;
    if (rows > within) accumulate_run<width>(sums, src, rows - within, soon.beyond);
    src += (rows - within) * row;
    const Index rest = count - rows * width;
    if (rest == 0) return;
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
    accumulate_run<width>(sums, bytes, 1, 0);
  }

  /// `rows` rows of `width` elements, one after another.
  template <Index width>
  static HWY_INLINE void accumulate_run(State* sums, const std::byte* src, Index rows, std::ptrdiff_t ahead) {
    if constexpr (collapses) {
      multiply_run(sums, src, rows * width, ahead);
    } else {
      accumulate_columns<Rule, width>(sums, 1, src, rows, width * item, ahead);
    }
  }
#if HWY_TARGET != HWY_SCALAR
  static HWY_NOINLINE void multiply_run(State* products, const std::byte* src, Index count,
                                        std::ptrdiff_t ahead) {
    using Factors = VectorTag<Whole<T>, static_cast<Index>(64 / sizeof(T))>;
    const Factors d;
    const hn::Repartition<State, Factors> numbers;
    constexpr auto bytes = static_cast<Index>(hn::MaxLanes(d)) * item;
    constexpr auto apart = static_cast<Index>(hn::MaxLanes(numbers));
    const auto factors = [&](Index i)
                             HWY_ATTR { return Rule::collapsed(d, load_whole<T>(d, src + i * bytes)); };
    hn::Vec<decltype(numbers)> of[chains];
    for (Index k = 0; k < chains; ++k) of[k] = hn::LoadU(numbers, products + k * apart);
    const std::byte* const end = src + count * item;
    for (; end - src >= chains * bytes; src += chains * bytes) {
      for (Index at = 0; at < chains * bytes; at += 64) hwy::Prefetch(src + ahead + at);
      for (Index k = 0; k < chains; ++k) of[k] = of[k] * factors(k);
    }
    for (; src < end; src += bytes) of[0] = of[0] * factors(0);
    for (Index k = 0; k < chains; ++k) hn::StoreU(of[k], numbers, products + k * apart);
  }
#endif

  static HWY_NOINLINE void accumulate_dense_rows(State* states, Index count, const std::byte* src, Index rows,
                                                 std::ptrdiff_t step, std::ptrdiff_t ahead) {
    Index i = count / wide * wide;
    accumulate_columns<Rule, wide>(states, count / wide, src, rows, step, ahead);
    if constexpr (wide > lanes) {
      const Index more = (count - i) / lanes;
      accumulate_columns<Rule, lanes>(states + i, more, src + i * item, rows, step, ahead);
      i += more * lanes;
    }
    const Index rest = count - i;
    if (rest == 0) return;
    State sums[static_cast<std::size_t>(lanes)];
    if (count >= lanes) {  // with columns that are done already
      const Index back = lanes - rest;
      std::copy(states + i - back, states + i + rest, sums);
      accumulate_columns<Rule, lanes>(sums, 1, src + (i - back) * item, rows, step, ahead);
      std::copy(sums + back, sums + lanes, states + i);
      return;
    }
    std::copy(states, states + rest, sums);
    std::fill(sums + rest, sums + lanes, Rule::first());
    T values[static_cast<std::size_t>(lanes)];
    std::fill(values, values + lanes, Rule::neutral());
    for (Index r = 0; r < rows; ++r, src += step) {
      std::memcpy(values, src, static_cast<std::size_t>(rest * item));
      accumulate_columns<Rule, lanes>(sums, 1, reinterpret_cast<const std::byte*>(values), 1, 0, 0);
    }
    std::copy(sums, sums + rest, states);
  }

  /// Halves on halves.
  template <Index count>
  static HWY_INLINE State reduced_together(State* sums) {
    if constexpr (uses_vectors<Rule> && hn::MaxLanes(VectorTag<State, count>()) > 1) {
      return reduced_vectors<count>(sums);
    } else {
      for (Index half = count / 2; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sums[k] = Rule::join(sums[k], sums[k + half]);
      }
      return sums[0];
    }
  }
  template <Index count>
  static HWY_INLINE State reduced_vectors(State* sums) {
    const VectorTag<State, count / 2> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    if constexpr (static_cast<Index>(sizeof(State)) * count > 32) {
      for (Index k = 0; k < count / 2; k += width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, sums + k), hn::LoadU(d, sums + k + count / 2)), d,
                   sums + k);
      }
      return reduced_vectors<count / 2>(sums);
    } else {
      return reduced_lanes<count / 4>(d,
                                      Rule::join_vectors(hn::LoadU(d, sums), hn::LoadU(d, sums + count / 2)));
    }
  }
  /// `half`: of the lanes that are left.
  template <Index half, class D, class V>
  static HWY_INLINE State reduced_lanes(D d, V v) {
    if constexpr (half == 0) {
      return hn::GetLane(v);
    } else {
#if HWY_TARGET != HWY_SCALAR  // which has no lanes to shift
      return reduced_lanes<half / 2>(d, Rule::join_vectors(v, hn::ShiftRightLanes<half>(d, v)));
#endif
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
