// SPDX-License-Identifier: Apache-2.0
// The rules: what each reduction does with one element and with a vector of them. Minima, maxima, any and all
// work on the bits of the elements, so that each takes one or two instructions and results do not depend on
// the order. Included once for each instruction set.
#if defined(TENSTRIDE_REDUCE_KERNELS_RULES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_RULES_INL
#undef TENSTRIDE_REDUCE_KERNELS_RULES_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_RULES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "reduce/kernels/loads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// The `direct_rows` of rules whose results do not depend on the order.
inline constexpr Index unlimited_direct_rows = Index{1} << 20;

/// The tag of the vectors in which doubles become results.
using Doubles = hn::CappedTag<double, 8>;

/// Sums in double; real and imaginary parts of complex numbers separately.
template <class T>
struct FloatSum {
  using Element = T;
  using State = std::conditional_t<is_complex_element<T>, std::complex<double>, double>;
  static constexpr bool has_vectors = !is_complex_element<T>;
  /// A double has bits to spare for sums of shorter numbers.
  static constexpr Index direct_rows = sizeof(T) < 8 ? 1024 : 128;
  static constexpr State initial() { return State(0); }
  static constexpr T neutral() { return T(0); }
  static State read(T value) {
    if constexpr (is_complex_element<T>) {
      return State(value.real(), value.imag());
    } else if constexpr (is_small_float<T>) {
      return static_cast<double>(static_cast<float>(value));
    } else {
      return static_cast<State>(value);
    }
  }
  static State join(State a, State b) { return a + b; }
  static T result(State state, Index) { return convert_element<T>(state); }
  using Raw = RawFloat<T>;
  template <class D, class V>
  static HWY_INLINE hn::Vec<D> widened(D d, V v) {
    return as_doubles<T>(d, v);
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return hn::Add(a, b);
  }
  static constexpr auto width = has_vectors ? static_cast<Index>(hn::MaxLanes(Doubles())) : 1;
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index) {
    if constexpr (has_vectors) {
      store_doubles<T>(dst, hn::LoadU(Doubles(), states));
    } else {
      store_element(dst, result(*states, 0));
    }
  }
};

template <class T>
struct FloatMean : FloatSum<T> {
  using typename FloatSum<T>::State;
  static T result(State state, Index reduced_count) {
    return convert_element<T>(state / static_cast<double>(reduced_count));
  }
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index reduced_count) {
    const Doubles d;
    store_doubles<T>(dst, hn::Div(hn::LoadU(d, states), hn::Set(d, static_cast<double>(reduced_count))));
  }
};

template <class T>
struct FloatProduct : FloatSum<T> {
  static constexpr bool is_never_pooled = true;
  using typename FloatSum<T>::State;
  static constexpr State initial() { return State(1); }
  static constexpr T neutral() { return T(1.0F); }
  static State join(State a, State b) {
    if constexpr (is_complex_element<T>) {
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
      return a * b;
    }
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return hn::Mul(a, b);
  }
};

/// Sums of integers modulo 2^64, in accumulators as wide as the number of elements requires.
template <class T, class S>
struct WholeSum {
  using Element = T;
  using State = S;
  using Modulo = std::make_unsigned_t<S>;
  static constexpr bool has_vectors = true;
  /// A pool has at most 15 rows and groups of 15 pixels, whose sums fit twice the bits.
  static constexpr bool is_never_pooled = sizeof(T) <= 2 && sizeof(S) > 2 * sizeof(T);
  static constexpr Index direct_rows = unlimited_direct_rows;
  static constexpr State initial() { return 0; }
  static constexpr T neutral() { return T(0); }
  static State read(T value) { return static_cast<State>(value); }
  static State join(State a, State b) {
    return static_cast<State>(static_cast<Modulo>(static_cast<Modulo>(a) + static_cast<Modulo>(b)));
  }
  static std::int64_t result(State state, Index) { return static_cast<std::int64_t>(state); }
  static constexpr Index width = 16;
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index) {
    if constexpr (sizeof(State) == 8) {
      std::memcpy(dst, states, 8 * width);
    } else {
      using Long = std::conditional_t<std::is_signed_v<S>, std::int64_t, std::uint64_t>;
      const VectorTag<Long, width> d;
      constexpr auto step = static_cast<Index>(hn::MaxLanes(decltype(d)()));
      for (Index k = 0; k < width; k += step) {
        const auto v = load_widened<WholeSum<State, Long>>(d, reinterpret_cast<const std::byte*>(states + k));
        hn::StoreU(v, d, reinterpret_cast<Long*>(dst + k * 8));
      }
    }
  }
  using Raw = Whole<T>;
  template <class D, class V>
  static HWY_INLINE hn::Vec<D> widened(D d, V raw) {
    const auto v = as_whole<T>(raw);
    if constexpr (sizeof(T) == sizeof(S)) {
      return v;
    } else if constexpr (sizeof(T) <= 2 && sizeof(S) == 8) {
      using Middle = std::conditional_t<std::is_signed_v<S>, std::int32_t, std::uint32_t>;
      return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<Middle, D>(), v));
    } else {
      return hn::PromoteTo(d, v);
    }
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return hn::Add(a, b);
  }
};

template <class T>
using Word = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

template <class T>
struct WholeProduct : WholeSum<T, Word<T>> {
  static constexpr bool is_never_pooled = true;
  using State = Word<T>;
  static constexpr State initial() { return 1; }
  static constexpr T neutral() { return T(1); }
  static State join(State a, State b) {
    return static_cast<State>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return a * b;
  }

  /// Returns the products of numbers that fit in half the lane, which is cheaper than a multiplication of 64
  /// bits.
  template <class D>
  static HWY_INLINE hn::Vec<D> times(D, hn::Vec<D> a, hn::Vec<D> b) {
    if constexpr (sizeof(hn::TFromD<D>) < 8) {
      return hn::Mul(a, b);
    } else {
      const hn::RepartitionToNarrow<D> halves;
      return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
    }
  }
#if HWY_TARGET != HWY_SCALAR
  static constexpr bool collapses = sizeof(T) < 8;
  /// Multiplies neighbours until the products have 64 bits. Shifts and masks select them: multiplying the
  /// upper half of a vector with the lower one takes twice as many instructions, all on one port.
  template <class D>
  static HWY_INLINE auto collapsed(D d, hn::Vec<D> v) {
    using Number = hn::TFromD<D>;
    if constexpr (sizeof(Number) == 8) {
      return v;
    } else if constexpr (sizeof(Number) == 4) {
      const auto odd = hn::ShiftRight<32>(hn::BitCast(hn::Repartition<std::uint64_t, D>(), v));
      return hn::MulEven(v, hn::BitCast(d, odd));
    } else {
      const hn::RepartitionToWide<D> wide;
      return collapsed(wide, neighbours_multiplied(wide, hn::BitCast(wide, v)));
    }
  }
  /// Returns the product of the two halves of each lane.
  template <class D>
  static HWY_INLINE hn::Vec<D> neighbours_multiplied(D d, hn::Vec<D> both) {
    using Number = hn::TFromD<D>;
    constexpr int bits = 4 * sizeof(Number);
    const auto odd = hn::ShiftRight<bits>(both);
    if constexpr (std::is_unsigned_v<Number>) {
      return hn::Mul(hn::And(both, hn::Set(d, (Number{1} << bits) - 1)), odd);
#if HWY_TARGET == HWY_AVX3
    } else if constexpr (sizeof(Number) == 4 && hn::MaxLanes(D()) == 16) {
      // The upper 16 bits of each lane are 0 in both, so their product adds nothing.
      return hn::Vec<D>{_mm512_madd_epi16(_mm512_srli_epi32(both.raw, 16),
                                          _mm512_and_si512(both.raw, _mm512_set1_epi32(0xffff)))};
#endif
    } else {
      return hn::Mul(hn::ShiftRight<bits>(hn::ShiftLeft<bits>(both)), odd);
    }
  }
#endif
};

/// Minima and maxima. Floating-point numbers are compared as integers, in the totalOrder of IEEE 754: -0 lies
/// below 0. A NaN wins against every number.
template <class T, bool less>
struct Extreme {
  using Element = T;
  static constexpr bool is_float = is_small_float<T> || std::is_floating_point_v<T>;
  using State = std::conditional_t<is_float, hwy::SignedFromSize<sizeof(T)>, Whole<T>>;
  static constexpr bool has_vectors = true;
  static constexpr Index direct_rows = unlimited_direct_rows;
  static constexpr State lowest = std::numeric_limits<State>::lowest();
  static constexpr State highest = std::numeric_limits<State>::max();
  static constexpr State infinity() {
    if constexpr (sizeof(T) == 8) return State(0x7ff0000000000000);
    if constexpr (sizeof(T) == 4) return State(0x7f800000);
    return std::is_same_v<T, float16> ? State(0x7c00) : State(0x7f80);
  }
  static constexpr State initial() {
    if constexpr (is_float) return less ? infinity() : static_cast<State>(~infinity());
    if constexpr (std::is_same_v<T, bool>) return less ? 1 : 0;
    return less ? highest : lowest;
  }
  static T neutral() { return result(initial(), 0); }
  static State read(T value) {
    if constexpr (is_float) {
      State bits;
      std::memcpy(&bits, &value, sizeof bits);
      if ((bits & highest) > infinity()) return less ? lowest : highest;
      return static_cast<State>(bits < 0 ? bits ^ highest : bits);
    } else {
      return static_cast<State>(value);
    }
  }
  static State join(State a, State b) { return less ? std::min(a, b) : std::max(a, b); }
  static T result(State state, Index) {
    if constexpr (is_float) {
      return std::bit_cast<T>(static_cast<State>(state < 0 ? state ^ highest : state));
    } else {
      return static_cast<T>(state);
    }
  }
  using Raw = State;
  template <class D>
  static HWY_INLINE hn::Vec<D> widened(D d, hn::Vec<D> bits) {
    if constexpr (is_float) {
      const auto magnitude = hn::And(bits, hn::Set(d, highest));
      const auto sign = hn::BroadcastSignBit(bits);
      // Negative numbers: all bits but the sign are inverted.
      const auto ordered = hn::Xor(magnitude, sign);
      const auto is_nan = hn::Gt(magnitude, hn::Set(d, infinity()));
      return hn::IfThenElse(is_nan, hn::Set(d, less ? lowest : highest), ordered);
    } else {
      return as_whole<T>(bits);
    }
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return less ? hn::Min(a, b) : hn::Max(a, b);
  }
  static constexpr Index width = 64 / sizeof(T);
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index) {
    const VectorTag<State, width> d;
    constexpr auto step = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (Index k = 0; k < width; k += step) {
      auto v = hn::LoadU(d, states + k);
      if constexpr (is_float) v = hn::Xor(v, hn::And(hn::BroadcastSignBit(v), hn::Set(d, highest)));
      hn::StoreU(v, d, reinterpret_cast<State*>(dst) + k);
    }
  }
};

/// Makes bools of minima or maxima of unsigned integers: whether they differ from 0.
template <class State, class Result>
struct NotZero {
  static_assert(sizeof(Result) == 1 || sizeof(Result) == 8);
  static constexpr bool has_vectors = true;
  static Result result(State state, Index) { return static_cast<Result>(state != 0); }
  static constexpr Index width = 16;
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index) {
    if constexpr (sizeof(Result) == 1) {
      for (Index k = 0; k < width; ++k) dst[k] = static_cast<std::byte>(states[k] != 0);
    } else {
      for (Index k = 0; k < width; ++k) store_element(dst + k * 8, result(states[k], 0));
    }
  }
};

/// Any and all of floating-point and complex numbers: whether one differs from 0, or whether none is 0. -0 is
/// 0, and NaN is not.
template <class T, bool finds_zero>
struct Truth {
  using Element = T;
  static constexpr bool is_never_pooled = true;
  static constexpr bool has_vectors = sizeof(T) <= 8;
  static constexpr Index direct_rows = unlimited_direct_rows;
  using State = std::conditional_t<has_vectors, hwy::UnsignedFromSize<sizeof(T)>, std::uint8_t>;
  /// The bits that tell 0 from other numbers: all but the sign.
  static constexpr State bits() {
    if constexpr (is_complex_element<T>) return State(0x7fffffff7fffffff);
    return static_cast<State>(static_cast<State>(~State(0)) >> 1U);
  }
  static constexpr State initial() { return 0; }
  static constexpr T neutral() { return finds_zero ? T(1.0F) : T(0.0F); }
  static State read(T value) { return convert_element<bool>(value) == finds_zero ? 0 : 1; }
  static State join(State a, State b) { return a | b; }
  static bool result(State state, Index) { return (state == 0) == finds_zero; }
  static constexpr Index width = 16;
  static HWY_INLINE void finish(std::byte* dst, const State* states, Index) {
    for (Index k = 0; k < width; ++k) dst[k] = static_cast<std::byte>((states[k] == 0) == finds_zero);
  }
  using Raw = State;
  template <class D>
  static HWY_INLINE hn::Vec<D> widened(D d, hn::Vec<D> all) {
    const auto v = hn::And(all, hn::Set(d, bits()));
    if constexpr (!finds_zero) return v;
    return hn::VecFromMask(d, hn::Eq(v, hn::Zero(d)));
  }
  template <class V>
  static HWY_INLINE V join_vectors(V a, V b) {
    return hn::Or(a, b);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
