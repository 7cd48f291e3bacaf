// SPDX-License-Identifier: Apache-2.0
#include "elementwise/kernels/arithmetic.hpp"

#include <array>

#include "elementwise/kernels/element.hpp"
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

template <UnaryOp op>
UnaryRow unary_of(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> UnaryRow {
    if constexpr (has_unary<op, T>()) {
      return &unary_loop<op, T>;
    } else {
      return nullptr;
    }
  });
}

template <BinaryOp op>
BinaryRow binary_of(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> BinaryRow {
    if constexpr (has_binary<op, T>()) {
      return &binary_loop<op, T>;
    } else {
      return nullptr;
    }
  });
}

template <TernaryOp op>
TernaryRow ternary_of(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> TernaryRow {
    if constexpr (has_ternary<op, T>()) {
      return &ternary_loop<op, T>;
    } else {
      return nullptr;
    }
  });
}

UnaryRow portable_unary(UnaryOp op, DType type) {
  using Op = UnaryOp;
  static constexpr std::array rows{
      unary_of<Op::neg>,    unary_of<Op::abs>,        unary_of<Op::bit_not>,
      unary_of<Op::square>, unary_of<Op::cube>,       unary_of<Op::sqrt>,
      unary_of<Op::rsqrt>,  unary_of<Op::reciprocal>, unary_of<Op::reciprocal_square>,
      unary_of<Op::isnan>,  unary_of<Op::isinf>,      unary_of<Op::isfinite>};
  return rows[static_cast<std::size_t>(op)](type);
}

BinaryRow portable_binary(BinaryOp op, DType type) {
  using Op = BinaryOp;
  static constexpr std::array rows{
      binary_of<Op::add>,       binary_of<Op::sub>,          binary_of<Op::mul>,
      binary_of<Op::div>,       binary_of<Op::floor_divide>, binary_of<Op::trunc_divide>,
      binary_of<Op::remainder>, binary_of<Op::pow>,          binary_of<Op::maximum>,
      binary_of<Op::minimum>,   binary_of<Op::bit_and>,      binary_of<Op::bit_or>,
      binary_of<Op::bit_xor>};
  return rows[static_cast<std::size_t>(op)](type);
}

TernaryRow portable_ternary(TernaryOp op, DType type) {
  using Op = TernaryOp;
  static constexpr std::array rows{ternary_of<Op::add_scaled>, ternary_of<Op::clamp>, ternary_of<Op::where>,
                                   ternary_of<Op::add_halves>};
  return rows[static_cast<std::size_t>(op)](type);
}

template <Extreme which, class T>
Index extreme_loop(std::byte* best, const std::byte* in, Index count) {
  T value = load_element<T>(best);
  const Index found = better_in<which, T>(value, in, count);
  store_element<T>(best, value);
  return found;
}

ExtremeRow portable_extreme(Extreme which, DType type) {
  return visit(type, [&]<class T>(std::type_identity<T>) -> ExtremeRow {
    if constexpr (is_whole<T> || std::is_floating_point_v<T>) {
      return which == Extreme::least ? &extreme_loop<Extreme::least, T> : &extreme_loop<Extreme::greatest, T>;
    } else {
      return nullptr;
    }
  });
}

template <class Row>
Row or_else(Row fast, Row portable) {
  return fast != nullptr ? fast : portable;
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
