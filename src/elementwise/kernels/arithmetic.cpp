// SPDX-License-Identifier: Apache-2.0
#include "elementwise/kernels/arithmetic.hpp"

#include "elementwise/kernels/element.hpp"
#include "elementwise/kernels/rows.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::elementwise {

void throw_zero_division() {
  throw RuntimeError("ZeroDivisionError: integers must not be divided by 0");
}

namespace {

template <class T>
inline constexpr auto item = static_cast<Index>(sizeof(T));

template <UnaryOp op, class T>
void unary_loop(std::byte* out, const std::byte* a, Index count) {
  using To = UnaryResult<op, T>;
  for (Index i = 0; i < count; ++i) {
    store_element<To>(out + i * item<To>, unary_element<op>(load_element<T>(a + i * item<T>)));
  }
}

template <BinaryOp op, class T>
void binary_loop(std::byte* out, const std::byte* a, const std::byte* b, Index count) {
  for (Index i = 0; i < count; ++i) {
    store_element<T>(out + i * item<T>,
                     binary_element<op>(load_element<T>(a + i * item<T>), load_element<T>(b + i * item<T>)));
  }
}

template <TernaryOp op, class T>
void ternary_loop(std::byte* out, const std::byte* a, const std::byte* b, const std::byte* c, Index count) {
  for (Index i = 0; i < count; ++i) {
    if constexpr (op == TernaryOp::where) {
      store_element<T>(out + i * item<T>, load_element<T>((a[i] != std::byte{0} ? b : c) + i * item<T>));
    } else {
      store_element<T>(out + i * item<T>,
                       ternary_element<op>(load_element<T>(a + i * item<T>), load_element<T>(b + i * item<T>),
                                           load_element<T>(c + i * item<T>)));
    }
  }
}

UnaryRow portable_unary(UnaryOp given, DType type) {
  return find_row<UnaryRow, UnaryOp::isfinite>(given, type, []<UnaryOp op, class T>() -> UnaryRow {
    if constexpr (has_unary<op, T>()) return &unary_loop<op, T>;
    return nullptr;
  });
}

BinaryRow portable_binary(BinaryOp given, DType type) {
  return find_row<BinaryRow, BinaryOp::bit_xor>(given, type, []<BinaryOp op, class T>() -> BinaryRow {
    if constexpr (has_binary<op, T>()) return &binary_loop<op, T>;
    return nullptr;
  });
}

TernaryRow portable_ternary(TernaryOp given, DType type) {
  return find_row<TernaryRow, TernaryOp::add_halves>(given, type, []<TernaryOp op, class T>() -> TernaryRow {
    if constexpr (has_ternary<op, T>()) return &ternary_loop<op, T>;
    return nullptr;
  });
}

template <Extreme which, class T>
Index extreme_loop(std::byte* best, const std::byte* in, Index count) {
  T value = load_element<T>(best);
  const Index found = better_in<which, T>(value, in, count);
  store_element<T>(best, value);
  return found;
}

ExtremeRow portable_extreme(Extreme given, DType type) {
  return find_row<ExtremeRow, Extreme::greatest>(given, type, []<Extreme which, class T>() -> ExtremeRow {
    if constexpr (is_whole<T> || std::is_floating_point_v<T>) return &extreme_loop<which, T>;
    return nullptr;
  });
}

}  // namespace

const ArithmeticKernels& portable_arithmetic_kernels() {
  static constexpr ArithmeticKernels table{"portable", portable_unary, portable_binary, portable_ternary,
                                           portable_extreme};
  return table;
}

UnaryRow unary_row(UnaryOp op, DType type) {
  return or_else(arithmetic_kernels().unary(op, type), portable_unary(op, type));
}
BinaryRow binary_row(BinaryOp op, DType type) {
  return or_else(arithmetic_kernels().binary(op, type), portable_binary(op, type));
}
TernaryRow ternary_row(TernaryOp op, DType type) {
  return or_else(arithmetic_kernels().ternary(op, type), portable_ternary(op, type));
}
ExtremeRow extreme_row(Extreme which, DType type) {
  return or_else(arithmetic_kernels().extreme(which, type), portable_extreme(which, type));
}

}  // namespace tenstride::elementwise
