// SPDX-License-Identifier: Apache-2.0
// The conversions worth an instruction set of their own, included once for each. Every loop gives exactly
// what convert_element gives.
#if defined(TENSTRIDE_COPY_KERNELS_CONVERT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CONVERT_INL
#undef TENSTRIDE_COPY_KERNELS_CONVERT_INL
#else
#define TENSTRIDE_COPY_KERNELS_CONVERT_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "copy/kernels/convert_halves-inl.h"
#include "copy/kernels/convert_numbers-inl.h"
#include "copy/kernels/convert_types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "tenstride/base/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Stores a vector. For streaming stores `to` is aligned to the vector.
template <class D, class V>
HWY_INLINE void put(V v, D d, hn::TFromD<D>* to, Stores stores) {
  if (stores != Stores::ordinary) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

/// Joins vectors of equal length, at least 8 bytes each, to one vector.
template <class D, class V, std::size_t parts>
HWY_INLINE auto join([[maybe_unused]] D part, const std::array<V, parts>& v) {
  if constexpr (parts == 1) {
    return v[0];
  } else {
    const hn::Twice<D> twice;
    std::array<hn::Vec<decltype(twice)>, parts / 2> halves;
    for (std::size_t i = 0; i < parts / 2; ++i) halves[i] = hn::Combine(twice, v[2 * i + 1], v[2 * i]);
    return join(twice, halves);
  }
}

/// Returns the lower bytes of the lanes of four vectors, or the lower halves of those of two, as one vector;
/// those of the first vector come first. Bytes of one lane are combined in a lane, then permuted within
/// blocks of 16 bytes, then across blocks. This takes a fifth of the shuffles of narrowing each vector.
template <class To, class V, std::size_t parts>
HWY_INLINE auto join_words(const std::array<V, parts>& words) {
  const hn::ScalableTag<std::uint32_t> bits;
  const hn::ScalableTag<std::uint8_t> bytes;
  constexpr std::size_t blocks = hn::MaxLanes(bytes) / 16;
  constexpr std::uint32_t low = parts == 4 ? 0xffU : 0xffffU;
  const auto word = [&](std::size_t p) HWY_ATTR { return hn::BitCast(bits, words[p]); };
  auto packed = hn::And(word(0), hn::Set(bits, low));
  if constexpr (parts == 4) {
    packed = hn::OrAnd(packed, hn::ShiftLeft<8>(word(1)), hn::Set(bits, low << 8U));
    packed = hn::OrAnd(packed, hn::ShiftLeft<16>(word(2)), hn::Set(bits, low << 16U));
    packed = hn::Or(packed, hn::ShiftLeft<24>(word(3)));
  } else {
    packed = hn::Or(packed, hn::ShiftLeft<16>(word(1)));
  }
  static constexpr auto within = [] {
    std::array<std::uint8_t, 16> from{};
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        for (std::size_t byte = 0; byte < sizeof(To); ++byte)
          from[(p * 4 + lane) * sizeof(To) + byte] =
              static_cast<std::uint8_t>(lane * 4 + p * sizeof(To) + byte);
      }
    }
    return from;
  }();
  const auto transposed =
      hn::TableLookupBytes(hn::BitCast(bytes, packed), hn::LoadDup128(bytes, within.data()));
  const hn::ScalableTag<Bits<To>> whole;
  if constexpr (blocks == 1) {
    return hn::BitCast(whole, transposed);
  } else {
    static constexpr auto across = [] {
      constexpr std::size_t unit = 4 / parts;
      std::array<std::int32_t, 4 * blocks> from{};
      for (std::size_t p = 0; p < parts; ++p) {
        for (std::size_t block = 0; block < blocks; ++block) {
          for (std::size_t lane = 0; lane < unit; ++lane)
            from[(p * blocks + block) * unit + lane] =
                static_cast<std::int32_t>((block * parts + p) * unit + lane);
        }
      }
      return from;
    }();
    return hn::BitCast(
        whole, hn::TableLookupLanes(hn::BitCast(bits, transposed), hn::SetTableIndices(bits, across.data())));
  }
}

/// Returns one vector of results. `part(p)` returns vector p of the floats that they are made of.
template <class To, class Rule, class Part>
HWY_INLINE auto convert_whole(const Part& part) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t parts = sizeof(float) / sizeof(To);
  const auto all = [&](const auto& rule) HWY_ATTR {
    std::array<decltype(rule(part(0))), parts> v;
    for (std::size_t p = 0; p < parts; ++p) v[p] = rule(part(p));
    return v;
  };
  if constexpr (requires { Rule::word(d, part(0)); }) {
    return join_words<To>(all([&](auto v) HWY_ATTR { return Rule::word(d, v); }));
  } else {
    return join(hn::Rebind<Bits<To>, decltype(d)>(), all([&](auto v) HWY_ATTR { return Rule::run(d, v); }));
  }
}

/// Writes whole lines of results by streaming stores, as many as there are, and returns the number of
/// results. `floats(d, i)` returns the floats that the results from i on are made of, read from `in`. A line
/// is made in registers and written at once. Written in parts while others are read, lines often leave the
/// core in parts: .47 → .75 of a plain copy (float32 to uint8).
template <class To, class From, class Rule, class Floats>
HWY_INLINE std::size_t stream_floats(std::byte* out, const std::byte* in, std::size_t count, Stores stores,
                                     const Floats& floats) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t line = 64;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t vector_bytes = lanes * sizeof(float);
  constexpr std::size_t vectors = line / vector_bytes;
  constexpr std::size_t in_vector = vector_bytes / sizeof(To);
  const hn::ScalableTag<Bits<To>> whole;
  const std::size_t lines = count / (vectors * in_vector);
  const PrefetchBesideLine<To, From> prefetch_beside_line(stores);
  each_line<To, From>(
      lines, stores, [&](std::size_t i) HWY_ATTR __attribute__((always_inline)) {
        constexpr std::size_t in_line = vectors * in_vector;
        prefetch_beside_line(in + i * in_line * sizeof(From), in_line);
        std::array<hn::Vec<decltype(whole)>, vectors> results;
        for (std::size_t k = 0; k < vectors; ++k) {
          const std::size_t first = (i * vectors + k) * in_vector;
          results[k] =
              convert_whole<To, Rule>([&](std::size_t p) HWY_ATTR { return floats(d, first + p * lanes); });
        }
        for (std::size_t k = 0; k < vectors; ++k) {
          hn::Stream(results[k], whole, reinterpret_cast<Bits<To>*>(out + i * line + k * vector_bytes));
        }
      });
  return lines * vectors * in_vector;
}

/// Writes whole vectors of results by ordinary stores, and returns the number of results. `floats` is that of
/// `stream_floats`. Narrowing several vectors together takes a part of the shuffles of narrowing each: 7 ->
/// 14 elements a ns (float32 to uint8, Zen 3). Does nothing where vectors are longer than stores should be.
template <class To, class From, class Rule, class Floats>
HWY_INLINE std::size_t store_floats(std::byte* out, const std::byte* in, std::size_t count,
                                    const Floats& floats) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<Bits<To>> whole;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t at_once = hn::MaxLanes(whole);
  std::size_t i = 0;
  if constexpr (at_once > lanes && at_once * sizeof(To) <= store_bytes) {
    for (; i + at_once <= count; i += at_once) {
      prefetch_source<To, From>(in + i * sizeof(From), at_once);
      const auto results =
          convert_whole<To, Rule>([&](std::size_t p) HWY_ATTR { return floats(d, i + p * lanes); });
      hn::StoreU(results, whole, reinterpret_cast<Bits<To>*>(out + i * sizeof(To)));
    }
  }
  return i;
}

/// Converts elements by way of float, where one of the types is float or a small float: by `Source` to
/// vectors of floats, by `Rule` from these.
template <class To, class From, class Source = ToFloats<From>, class Rule = typename RuleFor<To, From>::type>
void convert_floats(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  const FloatsFor<To> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto from = [&](auto tag, const std::byte* at)
                        HWY_ATTR { return Source::run(tag, reinterpret_cast<const Bits<From>*>(at)); };
  const auto floats = [&](auto tag, std::size_t at) HWY_ATTR { return from(tag, in + at * sizeof(From)); };
  const auto step = [&](std::byte* to, const std::byte* at) HWY_ATTR {
    hn::StoreU(Rule::run(d, from(d, at)), hn::Rebind<Bits<To>, FloatsFor<To>>(),
               reinterpret_cast<Bits<To>*>(to));
  };
  std::size_t i = stores != Stores::ordinary ? stream_floats<To, From, Rule>(out, in, count, stores, floats)
                                             : store_floats<To, From, Rule>(out, in, count, floats);
  for (constexpr std::size_t several = 4 * lanes; i + several <= count; i += several) {
    prefetch_source<To, From>(in + i * sizeof(From), several);
    for (std::size_t k = i; k < i + several; k += lanes) step(out + k * sizeof(To), in + k * sizeof(From));
  }
  for (; i + lanes <= count; i += lanes) step(out + i * sizeof(To), in + i * sizeof(From));
  convert_rest<To, From, lanes>(out, in, i, count, stores, step);
}

/// Does the same with scale and shift: one of each for all elements, or one of each for each element. Rounds
/// twice, as the sources are built without contraction, which would fuse multiplication and addition.
template <class To, class From, Numbers numbers>
void scale_floats(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                  const float* shift, Stores stores) {
  const FloatsFor<To> d;
  const hn::Rebind<Bits<To>, FloatsFor<To>> result;
  const std::size_t lanes = hn::Lanes(d);
  const auto floats = [&](auto tag, std::size_t at) HWY_ATTR {
    const auto v = ToFloats<From>::run(tag, reinterpret_cast<const Bits<From>*>(in + at * sizeof(From)));
    if constexpr (numbers == Numbers::one) {
      return hn::Add(hn::Mul(v, hn::Set(tag, *scale)), hn::Set(tag, *shift));
    } else {
      return hn::Add(hn::Mul(v, hn::LoadU(tag, scale + at)), hn::LoadU(tag, shift + at));
    }
  };
  std::size_t i = stores != Stores::ordinary
                      ? stream_floats<To, From, FromFloats<To>>(out, in, count, stores, floats)
                      : store_floats<To, From, FromFloats<To>>(out, in, count, floats);
  for (; i + lanes <= count; i += lanes) {
    prefetch_source<To, From>(in + i * sizeof(From), lanes);
    hn::StoreU(FromFloats<To>::run(d, floats(d, i)), result,
               reinterpret_cast<Bits<To>*>(out + i * sizeof(To)));
  }
  for (; i < count; ++i) {
    const std::size_t at = numbers == Numbers::one ? 0 : i;
    store_element<To>(out + i * sizeof(To),
                      scale_element<To>(load_element<From>(in + i * sizeof(From)), scale[at], shift[at]));
  }
}

/// Converts 8-bit floats to float by a table of all 256 values.
template <class From>
void from_float8(std::byte* out, const std::byte* in, std::size_t count, Stores /*stores*/) {
  static constexpr auto table = [] {
    std::array<float, 256> values{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      values[bits] = static_cast<float>(From::from_bits(static_cast<std::uint8_t>(bits)));
    }
    return values;
  }();
  for (std::size_t i = 0; i < count; ++i) {
    store_element<float>(out + i * sizeof(float), table[std::to_integer<std::uint8_t>(in[i])]);
  }
}

/// The number of elements that are converted together by way of another type. They stay in the L1 cache.
inline constexpr std::size_t part_length = 256;

/// One of two conversions that follow each other. `item` is the bytes of an element of the source for the
/// first one, of the destination for the second one.
struct Half {
  ConvertRow convert;
  std::size_t item;
};

inline HWY_NOINLINE void convert_by_parts(std::byte* out, const std::byte* in, std::size_t count,
                                          Stores stores, Half first, Half second) {
  alignas(64) std::array<std::byte, part_length * 16> middle;
  for (std::size_t i = 0; i < count; i += part_length) {
    const std::size_t now = std::min(count - i, part_length);
    first.convert(middle.data(), in + i * first.item, now, Stores::ordinary);
    second.convert(out + i * second.item, middle.data(), now, stores);
  }
}

/// Converts by way of another type: by `first`, then by `second`.
template <class To, class From, ConvertRow first, ConvertRow second>
void through(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  convert_by_parts(out, in, count, stores, {first, sizeof(From)}, {second, sizeof(To)});
}

inline HWY_NOINLINE void scale_by_parts(std::byte* out, const std::byte* in, std::size_t count,
                                        const float* scale, const float* shift, Stores stores,
                                        Numbers numbers, Half first, Half second) {
  alignas(64) std::array<std::byte, part_length * sizeof(float)> floats;
  const ScaleRow scale_part = numbers == Numbers::one ? scale_floats<float, float, Numbers::one>
                                                      : scale_floats<float, float, Numbers::each>;
  for (std::size_t i = 0; i < count; i += part_length) {
    const std::size_t now = std::min(count - i, part_length);
    const std::size_t at = numbers == Numbers::one ? 0 : i;
    first.convert(floats.data(), in + i * first.item, now, Stores::ordinary);
    scale_part(floats.data(), floats.data(), now, scale + at, shift + at, Stores::ordinary);
    second.convert(out + i * second.item, floats.data(), now, stores);
  }
}

/// Converts to float, scales and shifts, and converts to the destination's type.
template <class To, class From, Numbers numbers, ConvertRow first, ConvertRow second>
void scale_through(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                   const float* shift, Stores stores) {
  scale_by_parts(out, in, count, scale, shift, stores, numbers, {first, sizeof(From)}, {second, sizeof(To)});
}

/// Converts real numbers to complex ones of the same precision.
template <class Real>
void with_zeros(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  const hn::CappedTag<Real, store_bytes / sizeof(Real)> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zeros = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const Real*>(in + i * sizeof(Real)));
    auto* const to = reinterpret_cast<Real*>(out + 2 * i * sizeof(Real));
    const auto low = hn::InterleaveLower(d, v, zeros);
    const auto high = hn::InterleaveUpper(d, v, zeros);
    if constexpr (hn::MaxLanes(d) * sizeof(Real) == 32) {
      put(hn::ConcatLowerLower(d, high, low), d, to, stores);
      put(hn::ConcatUpperUpper(d, high, low), d, to + lanes, stores);
    } else {
      put(low, d, to, stores);
      put(high, d, to + lanes, stores);
    }
  }
  for (; i < count; ++i) {
    store_element(out + 2 * i * sizeof(Real), std::complex<Real>(load_element<Real>(in + i * sizeof(Real))));
  }
}

/// Converts complex numbers to their real parts, of the same precision.
template <class Real>
void real_parts(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  const hn::CappedTag<Real, store_bytes / sizeof(Real)> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, reinterpret_cast<const Real*>(in + 2 * i * sizeof(Real)), real, imaginary);
    put(real, d, reinterpret_cast<Real*>(out + i * sizeof(Real)), stores);
  }
  for (; i < count; ++i) {
    store_element(out + i * sizeof(Real), load_element<Real>(in + 2 * i * sizeof(Real)));
  }
}

/// Converts complex numbers to complex ones of another precision, as twice as many real numbers.
template <class To, class From>
void both_parts(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  convert_numbers<To, From>(out, in, 2 * count, stores);
}

template <class T>
struct RealOf {
  using type = T;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type = Real;
};

/// The fast loop for a pair of types; `is_there` is false where only the portable loop converts the pair.
struct FastRow {
  bool is_there = false;
  ConvertRow run = nullptr;

  constexpr FastRow() = default;
  constexpr FastRow(ConvertRow loop) : is_there(true), run(loop) {}
};

template <class T>
inline constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The unsigned type of the same length for integers; other types unchanged.
template <class T>
using Unsigned =
    typename std::conditional_t<is_whole<T>, std::make_unsigned<std::conditional_t<is_whole<T>, T, int>>,
                                std::type_identity<T>>::type;

/// Returns `convert_numbers` for a pair of types. Integers with and without a sign share it where the sign
/// changes no bit, which is where the result is an integer and not longer: int32 to int8 is uint32 to uint8.
template <class To, class From>
constexpr ConvertRow numbers_row() {
  if constexpr (std::is_same_v<To, bool> || (is_whole<To> && is_whole<From> && sizeof(To) <= sizeof(From))) {
    return convert_numbers<Unsigned<To>, Unsigned<From>>;
  } else if constexpr (is_whole<To> && std::is_integral_v<From>) {
    return convert_numbers<Unsigned<To>, From>;
  } else {
    return convert_numbers<To, From>;
  }
}

/// Whether a pair of types is converted by one loop, with floats in registers in between. Of the 8-bit floats
/// these are the conversions to and from float and the 16-bit floats; all others take two loops.
template <class To, class From>
inline constexpr bool is_direct = std::is_same_v<To, float> || std::is_same_v<From, float> ||
                                  (is_small_float<To> && is_small_float<From> &&
                                   sizeof(To) + sizeof(From) > 2) ||
                                  !((is_small_float<To> && sizeof(To) == 1) ||
                                    (is_small_float<From> && sizeof(From) == 1));

/// Returns the fastest loop for a pair of types.
template <class To, class From>
constexpr FastRow row_of() {
  constexpr bool takes_small_float = is_small_float<To> || is_small_float<From>;
  if constexpr (std::is_same_v<To, From> || std::is_same_v<To, complex32> ||
                std::is_same_v<From, complex32>) {
    return {};
  } else if constexpr (std::is_same_v<To, float8_e5m2> && std::is_same_v<From, float16>) {
    return round_halves;
  } else if constexpr (is_complex_element<To> && is_complex_element<From>) {
    return both_parts<typename RealOf<To>::type, typename RealOf<From>::type>;
  } else if constexpr (is_complex_element<To>) {
    using Real = typename RealOf<To>::type;
    if constexpr (std::is_same_v<Real, From>) {
      return with_zeros<Real>;
    } else if constexpr (constexpr FastRow to_real = row_of<Real, From>(); to_real.is_there) {
      return through<To, From, to_real.run, with_zeros<Real>>;
    } else {
      return {};
    }
  } else if constexpr (is_complex_element<From>) {
    using Real = typename RealOf<From>::type;
    if constexpr (std::is_same_v<Real, To>) {
      return real_parts<Real>;
    } else if constexpr (std::is_same_v<To, bool>) {
      return {};
    } else if constexpr (constexpr FastRow from_real = row_of<To, Real>(); from_real.is_there) {
      return through<To, From, real_parts<Real>, from_real.run>;
    } else {
      return {};
    }
#if HWY_TARGET == HWY_AVX2
  } else if constexpr ((std::is_same_v<From, double> && is_small_integer<To>) ||
                       (std::is_floating_point_v<From> && std::is_same_v<To, std::int32_t>)) {
    return convert_floats<To, From, SaturatedWords<To>, FromWords<To>>;
#endif
  } else if constexpr ((takes_small_float || std::is_same_v<From, float> ||
                        (std::is_same_v<To, float> && sizeof(From) <= 2)) &&
                       is_direct<To, From> && GivesFloats<From> && TakesFloats<To>) {
    return convert_floats<To, From>;
  } else if constexpr (is_small_float<From> && sizeof(From) == 1 && std::is_same_v<To, float>) {
    return from_float8<From>;
  } else if constexpr (!takes_small_float) {
    return numbers_row<To, From>();
  } else if constexpr (std::is_same_v<To, float> || std::is_same_v<From, float>) {
    return {};
  } else if constexpr (constexpr FastRow first = row_of<float, From>(), second = row_of<To, float>();
                       first.is_there && second.is_there) {
    return through<To, From, first.run, second.run>;
  } else {
    return {};
  }
}

inline ConvertRow fast_convert(DType to, DType from) {
  return visit(to, [&]<class To>(std::type_identity<To>) {
    return visit(from, []<class From>(std::type_identity<From>) { return row_of<To, From>().run; });
  });
}

/// Returns the loop that scales and shifts. Conversions to and from float, and of bytes to 16-bit floats,
/// have a loop of their own. The others go through float.
template <class To, class From, Numbers numbers>
constexpr ScaleRow scale_row_of() {
  constexpr bool bytes_to_halves =
      std::is_same_v<From, std::uint8_t> && is_small_float<To> && sizeof(To) == 2;
  constexpr bool is_within_float =
      std::is_same_v<From, float> || is_small_float<From> || is_small_integer<From>;
  if constexpr (!is_within_float || !GivesFloats<From> || !TakesFloats<To>) {
    return nullptr;
  } else if constexpr (std::is_same_v<To, float> || std::is_same_v<From, float> || bytes_to_halves) {
    return scale_floats<To, From, numbers>;
  } else {
    return scale_through<To, From, numbers, row_of<float, From>().run, row_of<To, float>().run>;
  }
}

inline ScaleRow fast_scale(DType to, DType from, Numbers numbers) {
  return visit(to, [&]<class To>(std::type_identity<To>) {
    return visit(from, [&]<class From>(std::type_identity<From>) {
      return numbers == Numbers::one ? scale_row_of<To, From, Numbers::one>()
                                     : scale_row_of<To, From, Numbers::each>();
    });
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
