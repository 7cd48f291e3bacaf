// SPDX-License-Identifier: Apache-2.0
// The kernels of comparisons over Highway: compiled once for each instruction set, as copy/kernels/simd.cpp.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elementwise/kernels/compare_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "copy/kernels/convert_types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "elementwise/kernels/compare.hpp"
#include "elementwise/kernels/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::elementwise {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;
using copy::HWY_NAMESPACE::is_half;
using copy::HWY_NAMESPACE::widen_halves;

/// Whether the opposite comparison is computed, and its result inverted at the end: Highway's Ne is false for
/// NaN, and integers have no Le and Ge.
template <Comparison comparison, class T>
constexpr bool computes_opposite = comparison == Comparison::ne ||
                                   (std::is_integral_v<T> &&
                                    (comparison == Comparison::le || comparison == Comparison::ge));

/// Returns the mask of one vector of elements as lanes of -1 and 0.
template <Comparison comparison, class D>
auto mask_at(D d, const hn::TFromD<D>* a, const hn::TFromD<D>* b) {
  constexpr bool is_opposite = computes_opposite<comparison, hn::TFromD<D>>;
  const auto x = hn::LoadU(d, a);
  const auto y = hn::LoadU(d, b);
  const hn::RebindToUnsigned<D> bits;
  const auto lanes = [&](auto mask) HWY_ATTR { return hn::BitCast(bits, hn::VecFromMask(d, mask)); };
  if constexpr (comparison == Comparison::eq || comparison == Comparison::ne) {
    return lanes(hn::Eq(x, y));
  } else if constexpr (comparison == Comparison::lt || (comparison == Comparison::ge && is_opposite)) {
    return lanes(hn::Lt(x, y));
  } else if constexpr (comparison == Comparison::gt || (comparison == Comparison::le && is_opposite)) {
    return lanes(hn::Gt(x, y));
  } else if constexpr (comparison == Comparison::le) {
    return lanes(hn::Le(x, y));
  } else {
    return lanes(hn::Ge(x, y));
  }
}

/// Returns the masks of as many elements as a vector has bytes, one byte each. Of a lane of -1 or 0 the lower
/// half alone says which, so every second half is dropped until bytes are left.
template <Comparison comparison, class T>
auto byte_masks(const T* a, const T* b) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::ScalableTag<std::uint16_t> d16;
  const hn::ScalableTag<std::uint32_t> d32;
  const auto mask = [&](std::size_t k)
                        HWY_ATTR { return mask_at<comparison>(d, a + k * lanes, b + k * lanes); };
  const auto halved = [](auto narrow, auto low, auto high) HWY_ATTR {
    return hn::ConcatEven(narrow, hn::BitCast(narrow, high), hn::BitCast(narrow, low));
  };
  if constexpr (sizeof(T) == 1) {
    return mask(0);
  } else if constexpr (sizeof(T) == 2) {
    return halved(d8, mask(0), mask(1));
  } else if constexpr (sizeof(T) == 4) {
    return halved(d8, halved(d16, mask(0), mask(1)), halved(d16, mask(2), mask(3)));
  } else {
    return halved(d8, halved(d16, halved(d32, mask(0), mask(1)), halved(d32, mask(2), mask(3))),
                  halved(d16, halved(d32, mask(4), mask(5)), halved(d32, mask(6), mask(7))));
  }
}

/// Writes the answers, 0 or 1, for as many elements as a vector has bytes.
template <Comparison comparison, class T>
HWY_INLINE void compare_step(std::byte* out, const T* a, const T* b) {
  const hn::ScalableTag<std::uint8_t> d8;
  const auto one = hn::Set(d8, 1);
  const auto masks = byte_masks<comparison, T>(a, b);
  const auto answers = computes_opposite<comparison, T> ? hn::AndNot(masks, one) : hn::And(masks, one);
  hn::StoreU(answers, d8, reinterpret_cast<std::uint8_t*>(out));
}

template <Comparison comparison, class T>
void compare_all(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  const auto step = static_cast<Index>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
  constexpr auto item = static_cast<Index>(sizeof(T));
  Index i = 0;
  for (; i + step <= count; i += step) {
    compare_step<comparison, T>(out + i, reinterpret_cast<const T*>(a + i * item),
                                reinterpret_cast<const T*>(b + i * item));
  }
  portable_compare_kernels().compare(comparison, dtype_of<T>)(out + i, a + i * item, b + i * item, count - i);
}

/// Compares float16 and bfloat16 as floats.
template <Comparison comparison, class T>
void compare_halves(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  constexpr std::size_t step = hn::MaxLanes(hn::ScalableTag<std::uint8_t>());
  const std::size_t answers = hn::Lanes(hn::ScalableTag<std::uint8_t>());
  constexpr auto item = static_cast<Index>(sizeof(T));
  alignas(64) std::array<float, step> x;
  alignas(64) std::array<float, step> y;
  Index i = 0;
  for (; i + static_cast<Index>(step) <= count; i += static_cast<Index>(step)) {
    widen_halves<step, T>(x, a + i * item);
    widen_halves<step, T>(y, b + i * item);
    for (std::size_t k = 0; k < step; k += answers)
      compare_step<comparison, float>(out + i + k, x.data() + k, y.data() + k);
  }
  const Index rest = count - i;
  for (Index k = 0; k < rest; ++k) {
    x[static_cast<std::size_t>(k)] = convert_element<float>(load_element<T>(a + (i + k) * item));
    y[static_cast<std::size_t>(k)] = convert_element<float>(load_element<T>(b + (i + k) * item));
  }
  portable_compare_kernels().compare(comparison, DType::float32)(
      out + i, reinterpret_cast<const std::byte*>(x.data()), reinterpret_cast<const std::byte*>(y.data()),
      rest);
}

template <class T>
constexpr bool is_simple = (std::is_integral_v<T> || std::is_floating_point_v<T>)&&!std::is_same_v<T, bool>;

CompareRow find_compare(Comparison given, DType type) {
  return find_row<CompareRow, Comparison::ge>(given, type,
                                              []<Comparison comparison, class T>() -> CompareRow {
                                                if constexpr (is_simple<T>)
                                                  return &compare_all<comparison, T>;
                                                if constexpr (is_half<T>)
                                                  return &compare_halves<comparison, T>;
                                                return nullptr;
                                              });
}

/// Returns whether all elements, or any, have a bit of `significant` set. Tests four vectors at a time.
template <class T, bool is_all>
bool truth(const std::byte* in, Index count, T significant) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto* const from = reinterpret_cast<const T*>(in);
  const auto kept = hn::Set(d, significant);
  const auto zero = hn::Zero(d);
  Index i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto at = [&](Index k) HWY_ATTR { return hn::And(hn::LoadU(d, from + i + k * lanes), kept); };
    if constexpr (is_all) {
      const auto is_zero = [&](Index k) HWY_ATTR { return hn::Eq(at(k), zero); };
      const auto found = hn::Or(hn::Or(is_zero(0), is_zero(1)), hn::Or(is_zero(2), is_zero(3)));
      if (!hn::AllFalse(d, found)) return false;
    } else {
      const auto found = hn::Or(hn::Or(at(0), at(1)), hn::Or(at(2), at(3)));
      if (!hn::AllTrue(d, hn::Eq(found, zero))) return true;
    }
  }
  for (; i < count; ++i) {
    T bits{};
    std::memcpy(&bits, in + i * static_cast<Index>(sizeof(T)), sizeof(T));
    if (((bits & significant) != 0) != is_all) return !is_all;
  }
  return is_all;
}

/// Tests all bits of integers, and all bits but the sign of floating-point numbers.
template <class T, class Bits, bool is_all>
bool truth_row(const std::byte* in, Index count) {
  constexpr bool has_sign = !std::is_integral_v<T>;
  return truth<Bits, is_all>(in, count,
                             static_cast<Bits>(std::numeric_limits<Bits>::max() >> (has_sign ? 1 : 0)));
}

template <bool is_all>
TruthRow find_truth(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> TruthRow {
    if constexpr (!is_complex_element<T>) return &truth_row<T, hwy::UnsignedFromSize<sizeof(T)>, is_all>;
    return nullptr;
  });
}

/// Loads one byte of the mask for each lane, and widens it to the lane.
template <class D>
auto mask_lanes(D d, const std::uint8_t* mask) {
  using T = hn::TFromD<D>;
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, D>(), mask);
  if constexpr (sizeof(T) == 1) {
    return bytes;
  } else if constexpr (sizeof(T) == 8) {
    return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), bytes));
  } else {
    return hn::PromoteTo(d, bytes);
  }
}

template <class T>
void fill_set(std::byte* out, const std::byte* mask, Index count, const std::byte* value) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  T bits{};
  std::memcpy(&bits, value, sizeof(T));
  const auto values = hn::Set(d, bits);
  const auto zero = hn::Zero(d);
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto* const to = reinterpret_cast<T*>(out) + i;
    const auto chosen = mask_lanes(d, reinterpret_cast<const std::uint8_t*>(mask) + i);
    hn::StoreU(hn::IfThenElse(hn::Eq(chosen, zero), hn::LoadU(d, to), values), d, to);
  }
  constexpr auto log2 = static_cast<std::size_t>(std::countr_zero(sizeof(T)));
  portable_compare_kernels().fill_set[log2](out + i * static_cast<Index>(sizeof(T)), mask + i, count - i,
                                            value);
}

/// Items of 16 bytes take the portable loop: a vector holds too few of them to be faster.
void fill_set_16(std::byte* out, const std::byte* mask, Index count, const std::byte* value) {
  portable_compare_kernels().fill_set[4](out, mask, count, value);
}

constexpr CompareKernels table{TENSTRIDE_TARGET_NAME,
                               find_compare,
                               find_truth<true>,
                               find_truth<false>,
                               {fill_set<std::uint8_t>, fill_set<std::uint16_t>, fill_set<std::uint32_t>,
                                fill_set<std::uint64_t>, fill_set_16}};

const CompareKernels& own_compare_table() {
  return table;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::elementwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::elementwise {

const CompareKernels& compare_kernels(std::string_view name) {
  return copy::compiled_for(name, portable_compare_kernels, {TENSTRIDE_COMPILED(own_compare_table)})();
}

const CompareKernels& compare_kernels() {
  static const CompareKernels& chosen = compare_kernels(copy::kernels().name);
  return chosen;
}

}  // namespace tenstride::elementwise
#endif  // HWY_ONCE
