// SPDX-License-Identifier: Apache-2.0
// The kernels of arithmetic for each instruction set: the definitions in loops of a fixed length, which the
// compiler vectorizes. Highway compiles them once for each set, as copy/kernels/simd.cpp.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elementwise/kernels/arithmetic_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <array>

#include "copy/kernels/convert_types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "elementwise/kernels/arithmetic.hpp"
#include "elementwise/kernels/element.hpp"
#include "elementwise/kernels/rows.hpp"

// Loops use vectors, and therefore stores, of 32 bytes: see `store_bytes` in
// copy/kernels/convert_numbers-inl.h.
#undef TENSTRIDE_LOOP
#if HWY_ARCH_X86 && defined(__GNUC__) && !defined(__clang__)
#define TENSTRIDE_LOOP __attribute__((target("prefer-vector-width=256")))
#else
#define TENSTRIDE_LOOP
#endif

// `out` may be an input, element for element: no element depends on another.
#undef TENSTRIDE_INDEPENDENT
#if defined(__clang__)
#define TENSTRIDE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TENSTRIDE_INDEPENDENT _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace tenstride::elementwise::arithmetic {  // its own: comparisons have some of the same names
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;
using copy::HWY_NAMESPACE::is_half;
using copy::HWY_NAMESPACE::narrow_halves;
using copy::HWY_NAMESPACE::widen_halves;

/// Elements of one step: the compiler vectorizes loops of a fixed length.
inline constexpr Index step = 32;

/// A number at any address.
template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};

template <class T>
HWY_INLINE Unaligned<T>* at(std::byte* address, Index i) {
  return reinterpret_cast<Unaligned<T>*>(address) + i;
}
template <class T>
HWY_INLINE const Unaligned<T>* at(const std::byte* address, Index i) {
  return reinterpret_cast<const Unaligned<T>*>(address) + i;
}

template <UnaryOp op, class T>
TENSTRIDE_LOOP void unary_loop(std::byte* out, const std::byte* a, Index count) {
  using To = UnaryResult<op, T>;
  Index i = 0;
  for (; i + step <= count; i += step) {
    auto* const to = at<To>(out, i);
    const auto* const from = at<T>(a, i);
    TENSTRIDE_INDEPENDENT
    for (Index k = 0; k < step; ++k) to[k].value = unary_element<op, T>(from[k].value);
  }
  for (; i < count; ++i) at<To>(out, i)->value = unary_element<op, T>(at<T>(a, i)->value);
}

template <BinaryOp op, class T>
HWY_INLINE void binary_step(std::byte* out, const std::byte* a, const std::byte* b) {
  auto* const to = at<T>(out, 0);
  const auto* const x = at<T>(a, 0);
  const auto* const y = at<T>(b, 0);
  TENSTRIDE_INDEPENDENT
  for (Index k = 0; k < step; ++k) to[k].value = binary_element<op, T>(x[k].value, y[k].value);
}

template <BinaryOp op, class T>
TENSTRIDE_LOOP void binary_loop(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  Index i = 0;
  for (; i + step <= count; i += step) binary_step<op, T>(out + i * item, a + i * item, b + i * item);
  for (; i < count; ++i) {
    at<T>(out, i)->value = binary_element<op, T>(at<T>(a, i)->value, at<T>(b, i)->value);
  }
}

template <TernaryOp op, class T, class First>
HWY_INLINE T ternary_of(const First& a, const T& b, const T& c) {
  if constexpr (op == TernaryOp::where) {
    return a != 0 ? b : c;
  } else {
    return ternary_element<op, T>(a, b, c);
  }
}

template <TernaryOp op, class T>
TENSTRIDE_LOOP void ternary_loop(std::byte* out, const std::byte* a, const std::byte* b, const std::byte* c,
                                 Index count) {
  using First = std::conditional_t<op == TernaryOp::where, std::uint8_t, T>;
  Index i = 0;
  for (; i + step <= count; i += step) {
    auto* const to = at<T>(out, i);
    const auto* const x = at<First>(a, i);
    const auto* const y = at<T>(b, i);
    const auto* const z = at<T>(c, i);
    TENSTRIDE_INDEPENDENT
    for (Index k = 0; k < step; ++k)
      to[k].value = ternary_of<op, T, First>(x[k].value, y[k].value, z[k].value);
  }
  for (; i < count; ++i) {
    at<T>(out, i)->value =
        ternary_of<op, T, First>(at<First>(a, i)->value, at<T>(b, i)->value, at<T>(c, i)->value);
  }
}

/// Compares whole steps by vectors. Steps with a better element, which are rare, are searched one by one.
template <Extreme which, class T>
TENSTRIDE_LOOP Index extreme_loop(std::byte* best, const std::byte* in, Index count) {
  using Bits = hwy::MakeUnsigned<T>;
  T value = at<T>(best, 0)->value;
  Index found = -1;
  Index i = 0;
  for (; i + step <= count && value == value; i += step) {
    const auto* const from = at<T>(in, i);
    Bits any = 0;
    for (Index k = 0; k < step; ++k) any |= is_better<which, T>(from[k].value, value) ? Bits(1) : Bits(0);
    if (any == 0) continue;
    found = i + better_in<which, T>(value, reinterpret_cast<const std::byte*>(from), step);
  }
  const Index rest = better_in<which, T>(value, in + i * static_cast<Index>(sizeof(T)), count - i);
  at<T>(best, 0)->value = value;
  return rest >= 0 ? i + rest : found;
}

/// Computes float16 and bfloat16 in float, step by step, and rounds each result.
template <BinaryOp op, class T>
void binary_halves(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  Index i = 0;
  for (; i + step <= count; i += step) {
    alignas(64) std::array<float, step> x;
    alignas(64) std::array<float, step> y;
    widen_halves<step, T>(x, a + i * item);
    widen_halves<step, T>(y, b + i * item);
    binary_step<op, float>(reinterpret_cast<std::byte*>(x.data()),
                           reinterpret_cast<const std::byte*>(x.data()),
                           reinterpret_cast<const std::byte*>(y.data()));
    narrow_halves<step, T>(out + i * item, x);
  }
  for (; i < count; ++i) {
    const auto value = [i](const std::byte* from)
                           HWY_ATTR { return convert_element<float>(load_element<T>(from + i * item)); };
    store_element<T>(out + i * item, convert_element<T>(binary_element<op, float>(value(a), value(b))));
  }
}

/// Computes the parts of elements: a sum of complex numbers is a sum of twice as many real ones, and an
/// operation on bits is one on bytes.
template <BinaryOp op, class Part, Index parts>
void binary_parts(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  binary_loop<op, Part>(out, a, b, count * parts);
}
template <UnaryOp op, class Part, Index parts>
void unary_parts(std::byte* out, const std::byte* a, Index count) {
  unary_loop<op, Part>(out, a, count * parts);
}

/// Multiplies by Highway: the compiler does not vectorize loops over alternating real and imaginary parts.
template <class Part>
void multiply_complex(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  const hn::ScalableTag<Part> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  constexpr auto item = static_cast<Index>(2 * sizeof(Part));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto a_real = hn::Zero(d), a_imag = hn::Zero(d), b_real = hn::Zero(d), b_imag = hn::Zero(d);
    hn::LoadInterleaved2(d, reinterpret_cast<const Part*>(a + i * item), a_real, a_imag);
    hn::LoadInterleaved2(d, reinterpret_cast<const Part*>(b + i * item), b_real, b_imag);
    const auto real = hn::Sub(hn::Mul(a_real, b_real), hn::Mul(a_imag, b_imag));
    const auto imag = hn::Add(hn::Mul(a_real, b_imag), hn::Mul(a_imag, b_real));
    hn::StoreInterleaved2(real, imag, d, reinterpret_cast<Part*>(out + i * item));
  }
  portable_arithmetic_kernels().binary(BinaryOp::mul, dtype_of<std::complex<Part>>)(
      out + i * item, a + i * item, b + i * item, count - i);
}

/// Computes `where`: loads one byte of the condition for each lane, and widens it to the lane.
template <class T>
void choose(std::byte* out, const std::byte* condition, const std::byte* a, const std::byte* b, Index count) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  constexpr auto item = static_cast<Index>(sizeof(T));
  const auto* const from = reinterpret_cast<const std::uint8_t*>(condition);
  const auto zero = hn::Zero(d);
  const auto wide = [&](auto narrow) HWY_ATTR {
    if constexpr (sizeof(T) == 8) {
      return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<std::uint32_t, decltype(d)>(), narrow));
    } else {
      return hn::PromoteTo(d, narrow);
    }
  };
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto chosen = hn::Ne(wide(hn::LoadU(bytes, from + i)), zero);
    const auto one = hn::LoadU(d, reinterpret_cast<const T*>(a + i * item));
    const auto other = hn::LoadU(d, reinterpret_cast<const T*>(b + i * item));
    hn::StoreU(hn::IfThenElse(chosen, one, other), d, reinterpret_cast<T*>(out + i * item));
  }
  portable_arithmetic_kernels().ternary(TernaryOp::where, dtype_of<T>)(out + i * item, condition + i,
                                                                       a + i * item, b + i * item, count - i);
}

/// The unsigned type for integers, which share its loops where the sign does not matter; others unchanged.
template <class T, bool = is_whole<T>>
struct UnsignedOf {
  using type = T;
};
template <class T>
struct UnsignedOf<T, true> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;

template <class T>
constexpr bool is_simple = is_whole<T> || std::is_floating_point_v<T>;

/// Returns nullptr where the processor has no vectors for the operation.
UnaryRow find_unary(UnaryOp given, DType type) {
  return find_row<UnaryRow, UnaryOp::isfinite>(given, type, []<UnaryOp op, class T>() -> UnaryRow {
    constexpr bool has_vectors = op < UnaryOp::cube || op > UnaryOp::reciprocal_square;
    if constexpr (!has_vectors || !has_unary<op, T>()) {
      return nullptr;
    } else if constexpr (op == UnaryOp::bit_not) {
      return &unary_parts<op, std::uint8_t, sizeof(T)>;
    } else if constexpr (op == UnaryOp::neg && is_complex_number<T>) {
      return &unary_parts<op, typename T::value_type, 2>;
    } else if constexpr (op == UnaryOp::abs && is_simple<T>) {
      return &unary_loop<op, T>;
    } else if constexpr (is_simple<T>) {
      return &unary_loop<op, Unsigned<T>>;
    } else {
      return nullptr;
    }
  });
}

BinaryRow find_binary(BinaryOp given, DType type) {
  return find_row<BinaryRow, BinaryOp::bit_xor>(given, type, []<BinaryOp op, class T>() -> BinaryRow {
    constexpr bool is_sum = op == BinaryOp::add || op == BinaryOp::sub;
    constexpr bool has_vectors = op < BinaryOp::floor_divide || op > BinaryOp::pow;
    if constexpr (!has_vectors) {
      return nullptr;
    } else if constexpr (is_half<T> && has_binary<op, float>()) {
      return &binary_halves<op, T>;
    } else if constexpr (!has_binary<op, T>()) {
      return nullptr;
    } else if constexpr (op >= BinaryOp::bit_and) {
      return &binary_parts<op, std::uint8_t, sizeof(T)>;
    } else if constexpr (is_sum && is_complex_number<T>) {
      return &binary_parts<op, typename T::value_type, 2>;
    } else if constexpr (op == BinaryOp::mul && is_complex_number<T>) {
      return &multiply_complex<typename T::value_type>;
    } else if constexpr (is_sum || op == BinaryOp::mul) {
      return &binary_loop<op, Unsigned<T>>;
    } else if constexpr (is_simple<T>) {
      return &binary_loop<op, T>;
    } else {
      return nullptr;
    }
  });
}

TernaryRow find_ternary(TernaryOp given, DType type) {
  return find_row<TernaryRow, TernaryOp::add_halves>(given, type, []<TernaryOp op, class T>() -> TernaryRow {
    if constexpr (op == TernaryOp::where && sizeof(T) == 1) {
      return &ternary_loop<op, std::uint8_t>;
    } else if constexpr (op == TernaryOp::where && sizeof(T) <= 8) {
      return &choose<hwy::UnsignedFromSize<sizeof(T)>>;
    } else if constexpr (op == TernaryOp::where || op == TernaryOp::add_halves || !is_simple<T>) {
      return nullptr;
    } else if constexpr (op == TernaryOp::add_scaled) {
      return &ternary_loop<op, Unsigned<T>>;
    } else {
      return &ternary_loop<op, T>;
    }
  });
}

ExtremeRow find_extreme(Extreme given, DType type) {
  return find_row<ExtremeRow, Extreme::greatest>(given, type, []<Extreme which, class T>() -> ExtremeRow {
    if constexpr (is_simple<T>) return &extreme_loop<which, T>;
    return nullptr;
  });
}

constexpr ArithmeticKernels table{TENSTRIDE_TARGET_NAME, find_unary, find_binary, find_ternary, find_extreme};

const ArithmeticKernels& own_arithmetic_table() {
  return table;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::elementwise::arithmetic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::elementwise {

const ArithmeticKernels& arithmetic_kernels(std::string_view name) {
  using namespace arithmetic;
  return copy::compiled_for(name, portable_arithmetic_kernels, {TENSTRIDE_COMPILED(own_arithmetic_table)})();
}

const ArithmeticKernels& arithmetic_kernels() {
  static const ArithmeticKernels& chosen = arithmetic_kernels(copy::kernels().name);
  return chosen;
}

}  // namespace tenstride::elementwise
#endif  // HWY_ONCE
