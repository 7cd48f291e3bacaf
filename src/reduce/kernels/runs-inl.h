// SPDX-License-Identifier: Apache-2.0
// Reduces many short runs at a time. Included once for each instruction set. Each run is accumulated into one
// vector. Then as many vectors as a vector has lanes become one vector of results: two of them are
// interleaved so that lanes to be combined lie in the same place, and combined. A result so takes little more
// than three instructions, where reducing each run by itself takes three for each halving. Doubles are
// combined in the same order as in a run by itself, by halves.
#if defined(TENSTRIDE_REDUCE_KERNELS_RUNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_RUNS_INL
#undef TENSTRIDE_REDUCE_KERNELS_RUNS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_RUNS_INL
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "reduce/kernels/columns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// The prefetch distance along runs, in bytes. 1 → 2 → 4 KiB: .80 → .88 → .90 of a plain read from memory,
/// .84 → .92 → .97 from the L3 cache (sums of floats, Emerald Rapids). 16 KiB are as fast as 4 KiB.
inline constexpr Index run_prefetch_distance = 4096;

/// Returns the prefetch distance for shorter runs that lie `step` apart: whole steps. Example: 6000 for a
/// step of 3000.
inline Index steps_prefetch_distance(Index step) {
  return step == 0 ? run_prefetch_distance
                   : (run_prefetch_distance + std::abs(step) - 1) / std::abs(step) * step;
}

template <class Rule, bool has_vectors = Rule::has_vectors>
struct ShortRuns {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  /// A run is accumulated by rows: of 16 doubles, of 64 bytes of other accumulators, or of 64 bytes of
  /// factors.
  static constexpr bool collapses = requires { requires Rule::collapses; };
  static constexpr Index row =
      std::is_same_v<State, double> ? 16 : static_cast<Index>(64 / (collapses ? sizeof(T) : sizeof(State)));
  /// Longer runs are reduced one by one.
  static constexpr Index max_run = 8 * row;
  /// What a run is reduced to: 32 bytes at most, or a whole vector of products, as multiplications of 64 bits
  /// are slow.
  using D = VectorTag<State, static_cast<Index>((collapses ? 64 : 32) / sizeof(State))>;
  /// The runs that are combined at a time.
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));

#if HWY_TARGET != HWY_SCALAR  // without vectors, runs are reduced one by one

  /// Accumulates a dense run of `run` elements into each of `count` accumulators; the runs lie `step` apart.
  /// Behind each of the first `followed_runs` runs, `row` more elements may be read; the others are copied to
  /// a buffer where that is so.
  static void accumulate(State* to, Index count, const std::byte* src, Index step, Index run,
                         Index followed_runs) {
    const Shape shape(run, steps_prefetch_distance(step));
    const Index plain = std::clamp<Index>(followed_runs, 0, count) / width * width;
    accumulate_all(to, plain, src, step, shape);
    alignas(64) std::byte runs[static_cast<std::size_t>((width * max_run + row) * item)];
    for (Index i = plain; i < count; i += width) {
      const Index now = std::min(width, count - i);
      for (Index k = 0; k < now; ++k) {
        std::memcpy(runs + k * run * item, src + (i + k) * step, static_cast<std::size_t>(run * item));
      }
      accumulate_all(to + i, now, runs, run * item, shape);
    }
  }

 private:
  using Row = VectorTag<State, row>;
  /// The vectors that are loaded; some lanes of the last ones may not be selected.
  using Read = std::conditional_t<collapses, VectorTag<Whole<T>, row>, Row>;
  static constexpr auto row_lanes = static_cast<Index>(hn::MaxLanes(Row()));
  static constexpr auto step_lanes = static_cast<Index>(hn::MaxLanes(Read()));
  static constexpr auto steps = static_cast<std::size_t>(row / step_lanes);
  /// Lanes of 16 bytes, within which vectors are interleaved.
  static constexpr Index block = std::min<Index>(width, static_cast<Index>(16 / sizeof(State)));

  struct Shape {
    Shape(Index run, Index distance) : whole(run / row * row), prefetch_distance(distance) {
      for (std::size_t i = 0; i < steps; ++i) {
        const Index left = run - whole - static_cast<Index>(i) * step_lanes;
        tail[i] = hn::FirstN(Read(), static_cast<std::size_t>(std::clamp<Index>(left, 0, step_lanes)));
        if (left > 0) tail_steps = i + 1;
      }
    }
    Index whole;              ///< elements in whole rows
    Index prefetch_distance;  ///< from what is read to what is prefetched, in bytes
    std::size_t tail_steps = 0;
    hn::Mask<Read> tail[steps];
  };

  static HWY_NOINLINE void accumulate_all(State* to, Index count, const std::byte* src, Index step,
                                          const Shape shape) {
    alignas(64) State vectors[static_cast<std::size_t>(width * width)];
    for (Index i = 0; i < count; i += width) {
      const Index now = std::min(width, count - i);
      for (Index k = 0; k < now; ++k, src += step) {
        hwy::Prefetch(src + shape.prefetch_distance);
        to_vector(vectors + k * width, src, src + shape.whole * item, shape);
      }
      const D d;
      if (now == width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, to + i), interleave<block>(vectors)), d, to + i);
        continue;
      }
      std::fill(vectors + now * width, vectors + width * width, Rule::initial());
      hn::StoreU(interleave<block>(vectors), d, vectors);
      for (Index k = 0; k < now; ++k) to[i + k] = Rule::join(to[i + k], vectors[k]);
    }
  }

  static HWY_INLINE void to_vector(State* to, const std::byte* src, const std::byte* tail,
                                   const Shape& shape) {
    const Row d;
    hn::Vec<Row> sums[steps];
    const std::byte* const end = src + shape.whole * item;
    std::size_t done = 0;  // steps whose tail is in `sums`
    if constexpr (!collapses) {
      for (std::size_t i = 0; i < steps; ++i) sums[i] = hn::Set(d, Rule::initial());
    } else if (shape.whole > 0) {  // starts with the first row, which saves multiplications by 1
      for (std::size_t i = 0; i < steps; ++i) sums[i] = load(src, i);
      src += row * item;
    } else {
      for (std::size_t i = 0; i < steps; ++i) {
        sums[i] = i < shape.tail_steps ? load_tail(tail, i, shape.tail[i]) : hn::Set(d, Rule::initial());
      }
      done = steps;
    }
    for (; src < end; src += row * item) {
      hwy::Prefetch(src + shape.prefetch_distance);
      for (std::size_t i = 0; i < steps; ++i) sums[i] = Rule::join_vectors(sums[i], load(src, i));
    }
    for (std::size_t i = done; i < steps; ++i) {
      if (i < shape.tail_steps) sums[i] = with_tail(sums[i], tail, i, shape.tail[i]);
    }
    for (std::size_t half = steps / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) sums[i] = Rule::join_vectors(sums[i], sums[i + half]);
    }
    if constexpr (row_lanes > width) {
      const hn::Half<Row> half;
      hn::StoreU(Rule::join_vectors(hn::LowerHalf(half, sums[0]), hn::UpperHalf(half, sums[0])), half, to);
    } else {
      hn::StoreU(sums[0], d, to);
    }
  }
  static HWY_INLINE hn::Vec<Row> load(const std::byte* src, std::size_t i) {
    const std::byte* const at = src + static_cast<Index>(i) * step_lanes * item;
    if constexpr (collapses) {
      return Rule::collapsed(Read(), load_whole<T>(Read(), at));
    } else {
      return load_widened<Rule>(Row(), at);
    }
  }
  static HWY_INLINE hn::Vec<Row> with_tail(hn::Vec<Row> sum, const std::byte* src, std::size_t i,
                                           hn::Mask<Read> selected) {
    if constexpr (collapses) {
      return Rule::join_vectors(sum, load_tail(src, i, selected));
    } else {
      return hn::IfThenElse(selected, Rule::join_vectors(sum, load(src, i)), sum);
    }
  }
  static HWY_INLINE hn::Vec<Row> load_tail(const std::byte* src, std::size_t i, hn::Mask<Read> selected) {
    const Read d;
    const auto values = load_whole<T>(d, src + static_cast<Index>(i) * step_lanes * item);
    return Rule::collapsed(d, hn::IfThenElse(selected, values, hn::Set(d, Whole<T>{1})));
  }

  /// Returns the vectors at `from` combined and interleaved: each block of lanes has `size` results in order.
  template <Index size>
  static HWY_INLINE hn::Vec<D> interleave(const State* from) {
    const D d;
    if constexpr (size > 1) {
      using Part = hwy::UnsignedFromSize<sizeof(State) * static_cast<std::size_t>(size / 2)>;
      const hn::Repartition<Part, D> parts;
      const auto a = hn::BitCast(parts, interleave<size / 2>(from));
      const auto b = hn::BitCast(parts, interleave<size / 2>(from + size / 2 * width));
      return Rule::join_vectors(hn::BitCast(d, hn::InterleaveLower(parts, a, b)),
                                hn::BitCast(d, hn::InterleaveUpper(parts, a, b)));
    } else if constexpr (width == 4 * block) {
      const auto a = halves_joined(from, from + 2 * block * width);
      const auto b = halves_joined(from + block * width, from + 3 * block * width);
      return Rule::join_vectors(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a),
                                hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
    } else if constexpr (width > block) {
      return halves_joined(from, from + block * width);
    } else {
      return hn::LoadU(d, from);
    }
  }
  static HWY_INLINE hn::Vec<D> halves_joined(const State* first, const State* second) {
    const D d;
    const auto a = hn::LoadU(d, first);
    const auto b = hn::LoadU(d, second);
    return Rule::join_vectors(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
  }
#endif
};

/// Reduces runs one by one, where there are no vectors of the elements.
template <class Rule>
struct ShortRuns<Rule, false> {
  static constexpr Index width = 1;
  static constexpr Index max_run = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
