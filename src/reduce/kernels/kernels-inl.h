// SPDX-License-Identifier: Apache-2.0
// The loops of reductions, over the rules of reduce/kernels/rules-inl.h. Included once for each instruction
// set. Floating-point sums have 16 accumulators on each of them, so that the results are the same.
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
#include "reduce/kernels/three_channels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

template <class Rule>
struct KernelSet {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  /// Whether results depend on the order of accumulation, which must then be the same on each instruction
  /// set.
  static constexpr bool has_order = std::is_same_v<State, double>;
  /// Widths of the columns of accumulators: a narrow one, and a wide one, which takes at least 64 bytes of
  /// elements at a time.
  static constexpr Index lanes = 16;
  static constexpr Index wide =
      has_order || uses_vectors<Rule> ? std::max(lanes, static_cast<Index>(64 / sizeof(T))) : lanes;
  /// Along a run, products also combine neighbours: a vector of elements gives one of 64-bit products. As a
  /// multiplication of 64 bits has a long latency, `chains` vectors are multiplied independently; `along_run`
  /// accumulators have room for them.
  static constexpr bool collapses = uses_vectors<Rule> && requires { requires Rule::collapses; };
  static constexpr Index chains = 4;
  static constexpr Index along_run = collapses ? std::max<Index>(wide, chains * 8) : wide;
  /// Strided elements are packed, up to this many at a time.
  static constexpr Index max_packed = 256;
  /// Fewer runs than this are reduced one by one: of sums of floats, which are rounded in the order of short
  /// runs, 4; of others, as many as are combined at a time. Six runs of 123 int16 took 1.5 times as long
  /// together.
  static constexpr Index min_short_runs = has_order ? 4 : std::max<Index>(ShortRuns<Rule>::width, 4);
  /// Bytes from what is read to what is prefetched, which lies in the same run or in the next one: `within`
  /// for rows whose prefetch stays in the run, `beyond` for the last rows of a run.
  struct PrefetchDistances {
    Index within;
    Index beyond;
    PrefetchDistances(Index run_bytes, Index step)
        : within(run_bytes < run_prefetch_distance ? steps_prefetch_distance(step) : run_prefetch_distance),
          beyond(run_bytes < run_prefetch_distance ? within : within + step - run_bytes) {}
  };
  /// Rows of at most `max_prefetched_bytes` together stay in the L1 cache until they are read: then the rows
  /// after them are prefetched. Otherwise the prefetch goes `row_prefetch_distance` bytes along each row.
  /// (With the next rows prefetched, eight rows of 16 KiB at a time took 1.2 times as long.)
  static constexpr Index max_prefetched_bytes = 32768;
  static constexpr Index row_prefetch_distance = 512;

  static void start(void* states, Index count) {
    auto* const to = static_cast<State*>(states);
    Index i = 0;
    for (; i + wide <= count; i += wide) clear<wide>(to + i);
    for (; i < count; ++i) to[i] = Rule::initial();
  }

  static void accumulate_runs(void* states, Index count, const std::byte* src, Index step, Index run,
                              Index stride) {
    auto* const to = static_cast<State*>(states);
    // Runs that are followed by enough others that a vector may read beyond their last elements.
    const Index followed_runs = stride == item && step > 0 ? count - 1 - along_run * item / step : 0;
    const PrefetchDistances distances(run * item, step);
    const bool has_short_runs =
        Rule::has_vectors && stride == item && count >= min_short_runs && run <= ShortRuns<Rule>::max_run;
    if constexpr (uses_vectors<Rule>) {
      if (has_short_runs) {
        ShortRuns<Rule>::accumulate(to, count, src, step, run, followed_runs);
        return;
      }
    }
    constexpr Index short_width = has_order ? lanes : along_run;
    const bool is_short = has_order && (run < wide || has_short_runs);
    for (Index i = 0; i < count; ++i, src += step) {
      const TailRead tail_read =
          i < followed_runs && !has_short_runs ? TailRead::beyond_run : TailRead::within_run;
      to[i] = Rule::join(to[i], is_short ? reduced_run<short_width>(src, run, stride, distances, tail_read)
                                         : reduced_run<along_run>(src, run, stride, distances, tail_read));
    }
  }

  static void accumulate_rows(void* states, Index count, const std::byte* src, Index stride, Index rows,
                              Index row_step) {
    auto* const to = static_cast<State*>(states);
    if (stride == item) {
      const bool stays_in_cache = rows * count * item <= max_prefetched_bytes;
      accumulate_dense_rows(to, count, src, rows, row_step,
                            stays_in_cache ? rows * row_step : row_prefetch_distance);
      return;
    }
    T values[static_cast<std::size_t>(max_packed)];
    for (Index i = 0; i < count; i += max_packed) {
      const Index now = std::min(max_packed, count - i);
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
    Gapped::accumulate(sums, from);
    auto* const to = static_cast<State*>(state);
    *to = Rule::join(*to, combined<Gapped::lanes>(sums));
  }
  /// Whether runs with gaps are accumulated without packing. Products are not: the multiplications cost more
  /// than packing saves.
  static constexpr bool has_gapped = Rule::has_vectors && !requires { Rule::collapses; };

  template <class Last>
  static void finish(std::byte* dst, const void* states, Index count, Index reduced_count) {
    const auto* from = static_cast<const State*>(states);
    Index i = 0;
    using Result = decltype(Last::result(State(), 0));
    constexpr auto size = static_cast<Index>(sizeof(Result));
    if constexpr (uses_vectors<Last> && requires { Last::width; }) {
      for (; i + Last::width <= count; i += Last::width)
        Last::finish(dst + i * size, from + i, reduced_count);
    }
    for (; i < count; ++i) store_element(dst + i * size, Last::result(from[i], reduced_count));
  }

  /// The kernel of this rule. `Last`: the rule that makes results of accumulators.
  template <class Last = Rule>
  static const ReduceKernel* table() {
    using States = AccumulatorSet<typename AccumulatorRule<Rule>::type>;
    static constexpr ReduceKernel kernel{sizeof(State),    Rule::direct_rows, start,
                                         accumulate_runs,  accumulate_rows,   gapped(),
                                         three_channels(), States::combine,   States::combine_groups,
                                         pool(),           finish<Last>};
    return &kernel;
  }

 private:
  static constexpr auto gapped() -> void (*)(void*, const GappedRows&) {
    if constexpr (has_gapped) return accumulate_gapped;
    return nullptr;
  }

  /// Null for rules that nobody pools by, whose kernels would be the largest of all.
  static constexpr auto pool() -> void (*)(void*, const PoolRows&, Index, Index) {
    if constexpr (!requires { requires Rule::is_never_pooled; }) return Pools<Rule>::pool;
    return nullptr;
  }

  /// Null for elements of more than four bytes: accumulated pixel by pixel, they are as fast as memory is
  /// read.
  static constexpr auto three_channels() -> void (*)(void*, const ThreeChannelRows&) {
    if constexpr (has_gapped && sizeof(T) <= 4) return ThreeChannels<Rule>::accumulate;
    return nullptr;
  }

  /// Whether a load may read beyond the last elements of a run.
  enum class TailRead : unsigned char { within_run, beyond_run };

  /// Elements that leave an accumulator as it is.
  template <Index count>
  struct Values {
    std::array<T, static_cast<std::size_t>(count)> at;
    Values() { at.fill(Rule::neutral()); }
  };

  static HWY_NOINLINE void pack(T* to, const std::byte* src, Index count, Index stride) {
    for (Index k = 0; k < count; ++k) std::memcpy(to + k, src + k * stride, sizeof(T));
  }

  template <Index count>
  static HWY_INLINE void clear(State* to) {
    if constexpr (uses_vectors<Rule>) {
      const VectorTag<State, count> d;
      constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < count; k += width) hn::StoreU(hn::Set(d, Rule::initial()), d, to + k);
    } else {
      std::fill(to, to + count, Rule::initial());
    }
  }

  /// Returns the reduction of a run. Element k goes to accumulator k % width; the accumulators are combined
  /// by halves.
  template <Index width>
  static HWY_NOINLINE State reduced_run(const std::byte* src, Index run, Index stride,
                                        const PrefetchDistances& distances, TailRead tail_read) {
    State sums[static_cast<std::size_t>(width)];
    clear<width>(sums);
    if (stride == item) {
      accumulate_dense<width>(sums, src, run, distances, tail_read);
    } else {
      T values[static_cast<std::size_t>(max_packed)];
      for (Index done = 0; done < run; done += max_packed) {
        const Index now = std::min(max_packed, run - done);
        pack(values, src + done * stride, now, stride);
        accumulate_dense<width>(sums, reinterpret_cast<const std::byte*>(values), now,
                                PrefetchDistances(0, 0), TailRead::within_run);
      }
    }
    return combined<width>(sums);
  }

  template <Index width>
  static HWY_INLINE void accumulate_dense(State* sums, const std::byte* src, Index count,
                                          const PrefetchDistances& distances, TailRead tail_read) {
    constexpr Index row = width * item;
    const Index rows = count / width;
    const Index within =
        distances.within == distances.beyond ? rows : rows - std::min(rows, run_prefetch_distance / row);
    if (within > 0) accumulate_contiguous<width>(sums, src, within, distances.within);
    src += within * row;
    if (rows > within) accumulate_contiguous<width>(sums, src, rows - within, distances.beyond);
    src += (rows - within) * row;
    const Index tail = count - rows * width;
    if (tail == 0) return;
    static const Values<width> neutral;
    Values<width> values = neutral;
    auto* const bytes = reinterpret_cast<std::byte*>(values.at.data());
    if (uses_vectors<Rule> && tail_read == TailRead::beyond_run) {
      const VectorTag<std::uint8_t, width * item> d;
      constexpr auto step = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < width * item; k += step) {
        const auto selected =
            hn::FirstN(d, static_cast<std::size_t>(std::clamp<Index>(tail * item - k, 0, step)));
        auto* const to = reinterpret_cast<std::uint8_t*>(bytes + k);
        hn::StoreU(hn::IfThenElse(selected, load_dense<std::uint8_t>(d, src + k), hn::LoadU(d, to)), d, to);
      }
    } else {
      std::memcpy(bytes, src, static_cast<std::size_t>(tail * item));
    }
    accumulate_contiguous<width>(sums, bytes, 1, 0);
  }

  /// Accumulates `rows` rows of `width` elements, which lie one after another.
  template <Index width>
  static HWY_INLINE void accumulate_contiguous(State* sums, const std::byte* src, Index rows,
                                               Index prefetch_distance) {
    if constexpr (collapses) {
      multiply_run(sums, src, rows * width, prefetch_distance);
    } else {
      accumulate_columns<Rule, width>(sums, 1, src, rows, width * item, prefetch_distance);
    }
  }
#if HWY_TARGET != HWY_SCALAR
  static HWY_NOINLINE void multiply_run(State* products, const std::byte* src, Index count,
                                        Index prefetch_distance) {
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
      for (Index at = 0; at < chains * bytes; at += 64) hwy::Prefetch(src + prefetch_distance + at);
      for (Index k = 0; k < chains; ++k) of[k] = of[k] * factors(k);
    }
    for (; src < end; src += bytes) of[0] = of[0] * factors(0);
    for (Index k = 0; k < chains; ++k) hn::StoreU(of[k], numbers, products + k * apart);
  }
#endif

  static HWY_NOINLINE void accumulate_dense_rows(State* states, Index count, const std::byte* src, Index rows,
                                                 Index step, Index prefetch_distance) {
    Index i = count / wide * wide;
    accumulate_columns<Rule, wide>(states, count / wide, src, rows, step, prefetch_distance);
    if constexpr (wide > lanes) {
      const Index more = (count - i) / lanes;
      accumulate_columns<Rule, lanes>(states + i, more, src + i * item, rows, step, prefetch_distance);
      i += more * lanes;
    }
    const Index tail = count - i;
    if (tail == 0) return;
    State sums[static_cast<std::size_t>(lanes)];
    if (count >= lanes) {  // together with columns that are done; only the tail is stored
      const Index back = lanes - tail;
      std::copy(states + i - back, states + i + tail, sums);
      accumulate_columns<Rule, lanes>(sums, 1, src + (i - back) * item, rows, step, prefetch_distance);
      std::copy(sums + back, sums + lanes, states + i);
      return;
    }
    std::copy(states, states + tail, sums);
    std::fill(sums + tail, sums + lanes, Rule::initial());
    T values[static_cast<std::size_t>(lanes)];
    std::fill(values, values + lanes, Rule::neutral());
    for (Index r = 0; r < rows; ++r, src += step) {
      std::memcpy(values, src, static_cast<std::size_t>(tail * item));
      accumulate_columns<Rule, lanes>(sums, 1, reinterpret_cast<const std::byte*>(values), 1, 0, 0);
    }
    std::copy(sums, sums + tail, states);
  }

  /// Returns the combination of `count` accumulators, by halves. Example: of four, (s[0] + s[2]) + (s[1] +
  /// s[3]).
  template <Index count>
  static HWY_INLINE State combined(State* sums) {
    if constexpr (uses_vectors<Rule> && hn::MaxLanes(VectorTag<State, count>()) > 1) {
      return combined_vectors<count>(sums);
    } else {
      for (Index half = count / 2; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sums[k] = Rule::join(sums[k], sums[k + half]);
      }
      return sums[0];
    }
  }
  template <Index count>
  static HWY_INLINE State combined_vectors(State* sums) {
    const VectorTag<State, count / 2> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    if constexpr (static_cast<Index>(sizeof(State)) * count > 32) {
      for (Index k = 0; k < count / 2; k += width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, sums + k), hn::LoadU(d, sums + k + count / 2)), d,
                   sums + k);
      }
      return combined_vectors<count / 2>(sums);
    } else {
      return combined_lanes<Rule>(Rule::join_vectors(hn::LoadU(d, sums), hn::LoadU(d, sums + count / 2)));
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
