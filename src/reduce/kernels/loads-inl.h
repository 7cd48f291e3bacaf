// SPDX-License-Identifier: Apache-2.0
// Loads vectors of elements, as they lie in memory and widened to the numbers that a rule accumulates.
// Included once for each instruction set.
#if defined(TENSTRIDE_REDUCE_KERNELS_LOADS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_LOADS_INL
#undef TENSTRIDE_REDUCE_KERNELS_LOADS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_LOADS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "tenstride/base/element.hpp"
#include "tenstride/base/index.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// An integer of `size` bytes, signed where T is.
template <class T, std::size_t size>
using SignedAs =
    std::conditional_t<std::is_signed_v<T>, hwy::SignedFromSize<size>, hwy::UnsignedFromSize<size>>;

/// The tag of vectors of `lanes` elements, or of a register where that is shorter.
template <class State, Index lanes>
using VectorTag = hn::CappedTag<State, static_cast<std::size_t>(lanes)>;

template <class V, class D>
HWY_INLINE auto load_dense(D, const std::byte* src) {
  const hn::Rebind<V, D> d;
  return hn::LoadU(d, reinterpret_cast<const V*>(src));
}

/// Elements of a real floating type as they are loaded: float16 and bfloat16 as their bits.
template <class T>
using RawFloat = std::conditional_t<is_small_float<T>, std::uint16_t, T>;

/// Returns loaded elements as doubles, which is exact.
template <class T, class D, class V>
HWY_INLINE hn::Vec<D> as_doubles(D d, V v) {
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::PromoteTo(d, v);
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    const hn::Rebind<std::uint32_t, D> words;
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(words, v));
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<float, D>(), bits));
  } else {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    const hn::Rebind<hwy::float16_t, D> halves;
    return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<float, D>(), hn::BitCast(halves, v)));
#else
    T numbers[hn::MaxLanes(D())];
    hn::StoreU(v, hn::Rebind<std::uint16_t, D>(), reinterpret_cast<std::uint16_t*>(numbers));
    double values[hn::MaxLanes(D())];
    for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) values[k] = static_cast<float>(numbers[k]);
    return hn::LoadU(d, values);
#endif
  }
}

/// Writes doubles as elements of a real floating type, rounded as convert_element rounds: to float first
/// where T is shorter.
template <class T, class V>
HWY_INLINE void store_doubles(std::byte* dst, V v) {
  using D = hn::DFromV<V>;
  [[maybe_unused]] const hn::Rebind<float, D> floats;
  if constexpr (std::is_same_v<T, double>) {
    hn::StoreU(v, D(), reinterpret_cast<double*>(dst));
  } else if constexpr (std::is_same_v<T, float>) {
    hn::StoreU(hn::DemoteTo(floats, v), floats, reinterpret_cast<float*>(dst));
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  } else if constexpr (std::is_same_v<T, float16>) {
    const auto values = hn::DemoteTo(floats, v);
    // The processor keeps the payload of a NaN; convert_element drops it.
    const auto quiet = hn::BitCast(floats, hn::Set(hn::Rebind<std::uint32_t, D>(), 0x7fc00000U));
    const auto plain = hn::IfThenElse(hn::IsNaN(values), hn::CopySign(quiet, values), values);
    const hn::Rebind<hwy::float16_t, D> halves;
    hn::StoreU(hn::DemoteTo(halves, plain), halves, reinterpret_cast<hwy::float16_t*>(dst));
#endif
  } else {
    float values[hn::MaxLanes(D())];
    hn::StoreU(hn::DemoteTo(floats, v), floats, values);
    for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) store_element(dst + k * sizeof(T), T(values[k]));
  }
}

/// The integer that an element is loaded as: a bool as a byte, which as_whole makes 0 or 1.
template <class T>
using Whole = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
template <class T, class V>
HWY_INLINE V as_whole(V v) {
  if constexpr (std::is_same_v<T, bool>) {
    return hn::Min(v, hn::Set(hn::DFromV<V>(), std::uint8_t{1}));
  } else {
    return v;
  }
}
template <class T, class D>
HWY_INLINE auto load_whole(D d, const std::byte* src) {
  return as_whole<T>(load_dense<Whole<T>>(d, src));
}

/// Returns elements as the numbers that a rule accumulates.
template <class Rule, class D>
HWY_INLINE hn::Vec<D> load_widened(D d, const std::byte* src) {
  return Rule::widened(d, load_dense<typename Rule::Raw>(d, src));
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
