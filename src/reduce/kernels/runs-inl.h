// SPDX-License-Identifier: Apache-2.0
// Many short runs at a time; included once for each instruction set. Each run is folded to one vector, and as
// many vectors as they have lanes to one vector of results: two vectors are woven together so that lanes to
// be joined lie above each other, which gives one vector of both. So a result takes three instructions and a
// little more, where folding each run by itself takes three for each halving. The order of doubles is that of
// one run by itself, halves on halves.
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

/// How far ahead what is read next is asked for, along runs. (By 1 KiB, sums of floats had .80 of a plain
/// read from memory and .84 from the L3 cache, by 2 KiB .88 and .92, by 4 to 16 KiB .90 and .97.)
inline constexpr Index ahead_of_runs = 4096;

/// The same where runs are shorter and lie `step` apart: as many whole steps.
inline std::ptrdiff_t ahead_by_steps(std::ptrdiff_t step) {
  return step == 0 ? ahead_of_runs : (ahead_of_runs + std::abs(step) - 1) / std::abs(step) * step;
}

template <class Rule>
struct ShortRuns {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));
  /// A run is folded by 16 doubles, or a line of other accumulators; a line of factors is folded at once.
  static constexpr bool collapses = requires { requires Rule::collapses; };
  static constexpr Index row =
      std::is_same_v<State, double> ? 16 : static_cast<Index>(64 / (collapses ? sizeof(T) : sizeof(State)));
  /// Longer runs are worth a start of their own.
  static constexpr Index longest = 8 * row;

#if HWY_TARGET != HWY_SCALAR  // which folds one by one, by 16 accumulators as well

  /// Folds a dense run of `run` elements into each of `count` accumulators; the runs lie `step` apart. Of the
  /// first `reads_on` runs, `row` elements more than they have may be read; the others are copied to where
  /// they may be, too.
  static void fold(State* to, Index count, const std::byte* src, std::ptrdiff_t step, Index run,
                   Index reads_on) {
    const Shape shape(run, ahead_by_steps(step));
    const Index plain = std::clamp<Index>(reads_on, 0, count) / width * width;
    accumulate_all(to, plain, src, step, shape);
    alignas(64) std::byte runs[static_cast<std::size_t>((width * longest + row) * item)];
    for (Index i = plain; i < count; i += width) {
      const Index now = std::min(width, count - i);
      for (Index k = 0; k < now; ++k) {
        std::memcpy(runs + k * run * item, src + (i + k) * step, static_cast<std::size_t>(run * item));
      }
      accumulate_all(to + i, now, runs, run * item, shape);
    }
  }

 private:
  /// What a run is folded to, 32 bytes at most, of products a vector, as each multiplication of 64 bits is
  /// dear; and the accumulators of one.
  using D = VectorTag<State, static_cast<Index>((collapses ? 64 : 32) / sizeof(State))>;
  using Row = VectorTag<State, row>;
  /// Of which some may not be wanted.
  using Read = std::conditional_t<collapses, VectorTag<Whole<T>, row>, Row>;
  static constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
  static constexpr auto row_lanes = static_cast<Index>(hn::MaxLanes(Row()));
  static constexpr auto step_lanes = static_cast<Index>(hn::MaxLanes(Read()));
  static constexpr auto steps = static_cast<std::size_t>(row / step_lanes);
  /// Lanes within which vectors are woven together.
  static constexpr Index block = std::min<Index>(width, static_cast<Index>(16 / sizeof(State)));

  struct Shape {
    Shape(Index run, std::ptrdiff_t bytes_ahead) : whole(run / row * row), ahead(bytes_ahead) {
      for (std::size_t i = 0; i < steps; ++i) {
        const Index left = run - whole - static_cast<Index>(i) * step_lanes;
        rest[i] = hn::FirstN(Read(), static_cast<std::size_t>(std::clamp<Index>(left, 0, step_lanes)));
        if (left > 0) rest_steps = i + 1;
      }
    }
    Index whole;           ///< elements in whole rows
    std::ptrdiff_t ahead;  ///< bytes to what is read soon, which is asked for
    std::size_t rest_steps = 0;
    hn::Mask<Read> rest[steps];
  };

  static HWY_NOINLINE void accumulate_all(State* to, Index count, const std::byte* src, std::ptrdiff_t step,
                                          const Shape shape) {
    alignas(64) State vectors[static_cast<std::size_t>(width * width)];
    for (Index i = 0; i < count; i += width) {
      const Index now = std::min(width, count - i);
      for (Index k = 0; k < now; ++k, src += step) {
        hwy::Prefetch(src + shape.ahead);
        to_vector(vectors + k * width, src, src + shape.whole * item, shape);
      }
      const D d;
      if (now == width) {
        hn::StoreU(Rule::join_vectors(hn::LoadU(d, to + i), interleave<block>(vectors)), d, to + i);
        continue;
      }
      std::fill(vectors + now * width, vectors + width * width, Rule::first());
      hn::StoreU(interleave<block>(vectors), d, vectors);
      for (Index k = 0; k < now; ++k) to[i + k] = Rule::join(to[i + k], vectors[k]);
    }
  }

  static HWY_INLINE void to_vector(State* to, const std::byte* src, const std::byte* rest,
                                   const Shape& shape) {
    const Row d;
    hn::Vec<Row> sums[steps];
    const std::byte* const end = src + shape.whole * item;
    std::size_t done = 0;  // steps that have their rest
    if constexpr (!collapses) {
      for (std::size_t i = 0; i < steps; ++i) sums[i] = hn::Set(d, Rule::first());
    } else if (shape.whole > 0) {  // no multiplications by 1
      for (std::size_t i = 0; i < steps; ++i) sums[i] = load(src, i);
      src += row * item;
    } else {
      for (std::size_t i = 0; i < steps; ++i) {
        sums[i] = i < shape.rest_steps ? load_rest(rest, i, shape.rest[i]) : hn::Set(d, Rule::first());
      }
      done = steps;
    }
    for (; src < end; src += row * item) {
      hwy::Prefetch(src + shape.ahead);
      for (std::size_t i = 0; i < steps; ++i) sums[i] = Rule::join_vectors(sums[i], load(src, i));
    }
    for (std::size_t i = done; i < steps; ++i) {
      if (i < shape.rest_steps) sums[i] = with_rest(sums[i], rest, i, shape.rest[i]);
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
  static HWY_INLINE hn::Vec<Row> with_rest(hn::Vec<Row> sum, const std::byte* src, std::size_t i,
                                           hn::Mask<Read> wanted) {
    if constexpr (collapses) {
      return Rule::join_vectors(sum, load_rest(src, i, wanted));
    } else {
      return hn::IfThenElse(wanted, Rule::join_vectors(sum, load(src, i)), sum);
    }
  }
  static HWY_INLINE hn::Vec<Row> load_rest(const std::byte* src, std::size_t i, hn::Mask<Read> wanted) {
    const Read d;
    const auto values = load_whole<T>(d, src + static_cast<Index>(i) * step_lanes * item);
    return Rule::collapsed(d, hn::IfThenElse(wanted, values, hn::Set(d, Whole<T>{1})));
  }

  /// Vectors `from` and after, of each block's lanes `size` results in order.
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

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
