// SPDX-License-Identifier: Apache-2.0
// Pooling: reduces a small number of rows and short groups within them, in registers. Included once for each
// instruction set.
#if defined(TENSTRIDE_REDUCE_KERNELS_POOLS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_POOLS_INL
#undef TENSTRIDE_REDUCE_KERNELS_POOLS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_POOLS_INL
#endif

#include <algorithm>
#include <cstring>

#include <hwy/cache_control.h>

#include "reduce/kernels/columns-inl.h"
#include "reduce/kernels/kernels.hpp"
#include "reduce/kernels/rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

template <class Rule>
struct Pools {
  using T = typename Rule::Element;
  using State = typename Rule::State;
  static constexpr auto item = static_cast<Index>(sizeof(T));

  /// Sets accumulators to the results [first, first + count) of each line; both are multiples of `inner`.
  static void pool(void* states, const PoolRows& from, Index first, Index count) {
    auto* to = static_cast<State*>(states);
    if constexpr (uses_vectors<Rule>) {
      if (pool_neighbours(to, from, first, count)) return;
    }
    PoolRows line = from;
    for (Index n = 0; n < from.lines; ++n, to += count, line.src += from.line_step) {
      accumulate_line(to, line, first, count);
    }
  }

 private:
  static constexpr Index slack = 64;
  static constexpr Index max_permuted = 4;
  static constexpr Index staged = static_cast<Index>(staged_bytes / sizeof(State));

  static void accumulate_line(State* to, const PoolRows& from, Index first, Index count) {
    Index i = 0;
#if HWY_TARGET != HWY_SCALAR
    if constexpr (Rule::has_vectors) {
      const std::byte* const src = from.src + first * from.group * item;
      if (from.inner == 1) {  // lines shorter than a vector go one by one
      } else if (from.inner <= max_staged_channels) {
        i = pool_staged_pixels(to, from, src, count);
      } else if (from.inner <= 16) {
        i = pool_pixels<8>(to, from, src, first, count);
      } else {
        i = pool_pixels<static_cast<Index>(64 / sizeof(State))>(to, from, src, first, count);
      }
    }
#else
    if (from.inner == 1 && from.group == 3 && from.rows == 1) {
      for (const std::byte* src = from.src + first * 3 * item; i < count; ++i, src += 3 * item) {
        const auto read = [&](Index k) { return Rule::read(load_element<T>(src + k * item)); };
        to[i] = Rule::join(Rule::initial(), Rule::join(Rule::join(read(0), read(1)), read(2)));
      }
    }
#endif
    for (; i < count; ++i) {
      const Index group = from.inner == 1 ? first + i : (first + i) / from.inner;
      const Index channel = from.inner == 1 ? 0 : (first + i) % from.inner;
      to[i] = pool_one(from, from.src + (group * from.group * from.inner + channel) * item);
    }
  }

  /// Returns one result, accumulated in the order that all functions here follow: the rows of each column
  /// first, then the columns of the group.
  static State pool_one(const PoolRows& from, const std::byte* src) {
    State all = reduce_column(from, src);
    for (Index j = 1; j < from.group; ++j) {
      all = Rule::join(all, reduce_column(from, src + j * from.inner * item));
    }
    return Rule::join(Rule::initial(), all);  // the sum of -0 is 0
  }
  static State reduce_column(const PoolRows& from, const std::byte* src) {
    State sum = Rule::read(load_element<T>(src));
    for (Index r = 1; r < from.rows; ++r) {
      sum = Rule::join(sum, Rule::read(load_element<T>(src + r * from.row_step)));
    }
    return sum;
  }

#if HWY_TARGET != HWY_SCALAR
  // Functions that are not inlined take PoolRows by value: a vector store may alias anything, so the fields
  // of a reference would be read again after each.

  template <class D>
  static HWY_INLINE hn::Vec<D> load_column(D d, const PoolRows& from, const std::byte* src, Index rows) {
    auto sum = load_widened<Rule>(d, src);
    for (Index r = 1; r < rows; ++r) {
      sum = Rule::join_vectors(sum, load_widened<Rule>(d, src + r * from.row_step));
    }
    return sum;
  }
  /// Prefetches the next `bytes` bytes of each row, by lines.
  template <Index bytes = 64>
  static HWY_INLINE void prefetch_next(const PoolRows& from, const std::byte* src, Index rows) {
    for (Index r = 0; r < rows; ++r) {
      for (Index i = 0; i < bytes; i += 64)
        hwy::Prefetch(src + r * from.row_step + from.prefetch_distance + i);
    }
  }
  using Line = VectorTag<State, static_cast<Index>(64 / sizeof(State))>;
  static constexpr auto line_lanes = static_cast<Index>(hn::MaxLanes(Line()));

  /// Pools groups of two or three single elements, all lines in one call; returns false where the lines are
  /// too short.
  static bool pool_neighbours(State* to, const PoolRows& from, Index first, Index count) {
    if (from.inner != 1) return false;
    const std::byte* const src = from.src + first * from.group * item;
    if (from.group == 3) return from.rows == 1 && pool_triples<raw_lanes>(to, from, src, count);
    if (from.group != 2) return false;
    return from.rows == 2 ? pool_pairs<2, line_lanes>(to, from, src, count)
                          : pool_pairs<0, line_lanes>(to, from, src, count);
  }

  /// Pools pairs of neighbours. `known`: the number of rows, or 0 where it is not a constant. Lines shorter
  /// than a vector use shorter vectors.
  template <Index known, Index lanes>
  static HWY_NOINLINE bool pool_pairs(State* to, const PoolRows from, const std::byte* src, Index count) {
    if (count < lanes) {
      if constexpr (lanes * static_cast<Index>(sizeof(State)) > 16) {
        return pool_pairs<known, lanes / 2>(to, from, src, count);
      }
      return false;
    }
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    const Index rows = known == 0 ? from.rows : known;
    const auto first = hn::Set(d, Rule::initial());
    for (Index n = 0; n < from.lines; ++n, to += count, src += from.line_step) {
      for (Index i = 0; i < count; i += width) {
        i = std::min(i, count - width);  // the last vector overlaps the one before
        const std::byte* const at = src + 2 * i * item;
        prefetch_next<2 * width * item>(from, at, rows);
        const auto a = load_column(d, from, at, rows);
        const auto b = load_column(d, from, at + width * item, rows);
        const auto sum = Rule::join_vectors(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
        hn::StoreU(Rule::join_vectors(first, sum), d, to + i);
      }
    }
    return true;
  }

  using Raw = typename Rule::Raw;
  static constexpr auto raw_lanes =
      static_cast<Index>(hn::MaxLanes(VectorTag<Raw, static_cast<Index>(64 / sizeof(Raw))>()));

  /// Pools triples of neighbours in one row: they are deinterleaved as they are loaded, then widened.
  template <Index lanes>
  static HWY_NOINLINE bool pool_triples(State* to, const PoolRows from, const std::byte* src, Index count) {
    if (count < lanes) {
      if constexpr (lanes * static_cast<Index>(sizeof(Raw)) > 16) {
        return pool_triples<lanes / 2>(to, from, src, count);
      }
      return false;
    }
    const VectorTag<Raw, lanes> d;
    for (Index n = 0; n < from.lines; ++n, to += count, src += from.line_step) {
      for (Index i = 0; i < count; i += lanes) {
        i = std::min(i, count - lanes);
        const std::byte* const at = src + 3 * i * item;
        prefetch_next<3 * lanes * item>(from, at, 1);
        hn::Vec<decltype(d)> a, b, c;
        hn::LoadInterleaved3(d, reinterpret_cast<const Raw*>(at), a, b, c);
        store_triples(to + i, a, b, c);
      }
    }
    return true;
  }
  template <class V>
  static HWY_INLINE void store_triples(State* to, V a, V b, V c) {
    using D = hn::DFromV<V>;
    constexpr std::size_t lanes = hn::MaxLanes(D());
    if constexpr (hn::MaxLanes(hn::CappedTag<State, lanes>()) < lanes) {
      const hn::Half<D> half;
      store_triples(to, hn::LowerHalf(half, a), hn::LowerHalf(half, b), hn::LowerHalf(half, c));
      store_triples(to + lanes / 2, hn::UpperHalf(half, a), hn::UpperHalf(half, b), hn::UpperHalf(half, c));
    } else {
      const hn::CappedTag<State, lanes> states;
      const auto two = Rule::join_vectors(Rule::widened(states, a), Rule::widened(states, b));
      const auto all = Rule::join_vectors(two, Rule::widened(states, c));
      hn::StoreU(Rule::join_vectors(hn::Set(states, Rule::initial()), all), states, to);
    }
  }

  /// Pools pixels of up to `max_staged_channels` channels: first the rows into `stage`, then the groups.
  static HWY_NOINLINE Index pool_staged_pixels(State* to, const PoolRows from, const std::byte* src,
                                               Index count) {
    alignas(64) State stage[static_cast<std::size_t>(staged + max_staged_channels * 16 + slack)];
    const Index elements = count * from.group;
#if HWY_TARGET == HWY_AVX3
    if constexpr (sizeof(State) >= 2) {
      if (from.rows == 2 && from.group == 2 && from.inner <= max_permuted) {
        // In parts, so that rows are read while earlier groups are combined: sums of floats take .95 of the
        // time.
        const Index part = 24 * line_lanes / (2 * from.inner) * from.inner;
        for (Index o = 0, now = 0; o < count; o += now) {
          now = count - o < 2 * part ? count - o : part;
          accumulate_rows<2>(stage, from, src + 2 * o * item, 2 * now);
          permute_pairs(to + o, stage, from.inner, now);
        }
        return count;
      }
    }
#endif
    if (from.rows == 2) {
      accumulate_rows<2>(stage, from, src, elements);
    } else {
      accumulate_rows<0>(stage, from, src, elements);
    }
    if (from.inner > 4) return accumulate_groups<8, 0>(to, stage, from, count);
    return from.group == 2 ? accumulate_groups<4, 2>(to, stage, from, count)
                           : accumulate_groups<4, 0>(to, stage, from, count);
  }
  template <Index known>
  static HWY_INLINE void accumulate_rows(State* to, const PoolRows& from, const std::byte* src, Index count) {
    const Index rows = known == 0 ? from.rows : known;
    const Line d;
    if (count >= line_lanes) {
      for (Index i = 0; i < count; i += line_lanes) {
        i = std::min(i, count - line_lanes);
        prefetch_next(from, src + i * item, rows);
        hn::StoreU(load_column(d, from, src + i * item, rows), d, to + i);
      }
      return;
    }
    for (Index i = 0; i < count; ++i) to[i] = reduce_column(from, src + i * item);
  }
  /// Combines the groups of `stage` by vectors of `lanes`. Lanes that a vector writes beyond its group are
  /// overwritten by the next.
  template <Index lanes, Index known>
  static HWY_INLINE Index accumulate_groups(State* to, const State* stage, const PoolRows& from,
                                            Index count) {
    const Index inner = from.inner;
    const Index group = known == 0 ? from.group : known;
    Index o = 0;
    if constexpr (sizeof(State) <= 2) {
      if (group == 2) o = shuffle_groups(to, stage, inner, count);
    }
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (const State* at = stage + o * group; o < count; o += inner, at += group * inner) {
      for (Index k = 0; k < lanes; k += width) {
        auto sum = hn::LoadU(d, at + k);
        for (Index j = 1; j < group; ++j) {
          sum = Rule::join_vectors(sum, hn::LoadU(d, at + j * inner + k));
        }
        hn::StoreU(Rule::join_vectors(hn::Set(d, Rule::initial()), sum), d, to + o + k);
      }
    }
    return count;
  }
#if HWY_TARGET == HWY_AVX3
  /// For each number of channels, the indices of the first pixels of pairs. It is a constant because building
  /// it in each call took as long as reducing the pixels.
  template <class LaneIndex, Index lanes>
  struct PairIndices {
    alignas(64) LaneIndex of[max_permuted + 1][static_cast<std::size_t>(lanes)];
  };
  template <class LaneIndex, Index lanes>
  static constexpr auto pair_indices() {
    PairIndices<LaneIndex, lanes> indices{};
    for (Index inner = 1; inner <= max_permuted; ++inner) {
      for (Index k = 0; k < lanes; ++k) indices.of[inner][k] = static_cast<LaneIndex>(k + k / inner * inner);
    }
    return indices;
  }
  /// Combines as many pairs as one vector holds, or two vectors of 8-byte accumulators: each pixel with the
  /// next one in place, then one permutation brings the results together.
  static HWY_INLINE void permute_pairs(State* to, const State* stage, Index inner, Index count) {
    using LaneIndex = hwy::UnsignedFromSize<sizeof(State)>;
    const Line d;
    const hn::Repartition<LaneIndex, Line> bits;
    constexpr bool is_long = sizeof(State) == 8;
    constexpr Index lanes = is_long ? 2 * line_lanes : line_lanes;
    static constexpr auto indices = pair_indices<LaneIndex, line_lanes>();
    const __m512i order = _mm512_load_si512(indices.of[inner]);
    const Index groups = std::min((lanes - inner) / (2 * inner) + 1, line_lanes / inner);
    const auto first = hn::Set(d, Rule::initial());
    const auto joined = [&](const State* at) HWY_ATTR {
      return hn::BitCast(bits, Rule::join_vectors(hn::LoadU(d, at), hn::LoadU(d, at + inner))).raw;
    };
    for (Index o = 0; o < count; o += groups * inner, stage += 2 * groups * inner) {
      __m512i v;
      if constexpr (is_long) {
        v = _mm512_permutex2var_epi64(joined(stage), order, joined(stage + line_lanes));
      } else if constexpr (sizeof(State) == 4) {
        v = _mm512_permutexvar_epi32(order, joined(stage));
      } else {
        v = _mm512_permutexvar_epi16(order, joined(stage));
      }
      const auto sums = hn::BitCast(d, hn::Vec<decltype(bits)>{v});
      hn::StoreU(Rule::join_vectors(first, sums), d, to + o);
    }
  }
#endif
  /// Combines the pairs that a vector of 16 bytes holds at once and moves the results together. Returns how
  /// many results are written.
  static HWY_INLINE Index shuffle_groups(State* to, const State* stage, Index inner, Index count) {
    const hn::CappedTag<State, 16 / sizeof(State)> d;
    constexpr auto lanes = static_cast<Index>(16 / sizeof(State));
    if (inner > lanes) return 0;
    const Index groups = (lanes - inner) / (2 * inner) + 1;
    if (groups == 1) return 0;
    alignas(16) std::uint8_t indices[16];
    std::memset(indices, 0x80, sizeof indices);  // bytes without an index become 0
    for (Index k = 0; k < groups * inner * static_cast<Index>(sizeof(State)); ++k) {
      const Index bytes = inner * static_cast<Index>(sizeof(State));
      indices[k] = static_cast<std::uint8_t>(k + k / bytes * bytes);
    }
    const hn::Repartition<std::uint8_t, decltype(d)> bytes;
    const auto order = hn::Load(bytes, indices);
    Index o = 0;
    for (; o + groups * inner <= count; o += groups * inner, stage += 2 * groups * inner) {
      const auto joined = Rule::join_vectors(hn::LoadU(d, stage), hn::LoadU(d, stage + inner));
      hn::StoreU(hn::BitCast(d, hn::TableLookupBytesOr0(hn::BitCast(bytes, joined), order)), d, to + o);
    }
    return o;
  }

  /// Pools pixels of more channels by vectors of `lanes`, and returns how many results are written. Lanes
  /// that a vector writes beyond its group are overwritten by the next; what it reads beyond must belong to
  /// the rows.
  template <Index lanes>
  static HWY_NOINLINE Index pool_pixels(State* to, const PoolRows from, const std::byte* src, Index first,
                                        Index count) {
    const Index inner = from.inner;
    const Index beyond = ceil_divide(inner, lanes) * lanes - inner;
    const Index left = (from.groups - first / inner) * from.group * inner;  // elements to the rows' end
    const Index safe = left < beyond ? 0 : (left - beyond) / (from.group * inner) * inner;
    const Index end = std::min(count, safe);
    if (from.rows == 2 && from.group == 2) {
      pool_squares<lanes, 2>(to, from, src, end);
    } else {
      pool_squares<lanes, 0>(to, from, src, end);
    }
    return end;
  }
  /// `known`: the number of rows and of pixels in a group, or 0 where they are not constants.
  template <Index lanes, Index known>
  static HWY_INLINE void pool_squares(State* to, const PoolRows& from, const std::byte* src, Index count) {
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    const Index inner = from.inner;
    const Index rows = known == 0 ? from.rows : known;
    const Index group = known == 0 ? from.group : known;
    const Index next = inner * item;
    const bool has_lines = next >= 64;
    for (Index o = 0; o < count; o += inner, src += group * next) {
      for (Index k = 0; k < inner; k += width) {
        const std::byte* at = src + k * item;
        const bool begins_line = has_lines && k * item % 64 == 0;
        if (begins_line) prefetch_next(from, at, rows);
        auto sum = load_column(d, from, at, rows);
        for (Index j = 1; j < group; ++j) {
          at += next;
          if (begins_line) prefetch_next(from, at, rows);
          sum = Rule::join_vectors(sum, load_column(d, from, at, rows));
        }
        hn::StoreU(Rule::join_vectors(hn::Set(d, Rule::initial()), sum), d, to + o + k);
      }
    }
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
