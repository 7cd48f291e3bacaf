// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/arithmetic.hpp"

#include <array>

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "elementwise/arithmetic_parts.hpp"
#include "memory/watch.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/tensor/factory.hpp"

/// Sums, products, quotients and powers. One function computes each, with a fresh result or in place.
namespace tenstride {
namespace {

using detail::apply_binary;
using detail::message;
using detail::OperationScope;
using detail::Prepared;
using detail::Takes;
using detail::worked_in;
using elementwise::BinaryOp;
using elementwise::TernaryOp;
using elementwise::UnaryOp;

bool is_bool(const Operand& operand) {
  return operand.is_tensor() ? operand.tensor().dtype() == DType::bool_ : operand.number().is_bool();
}

void refuse_bool_difference(std::string_view operation, const Operand& a, const Operand& b) {
  if (!is_bool(a) && !is_bool(b)) return;
  if (is_bool(a) && is_bool(b)) {
    throw RuntimeError(
        message(operation, ": the difference of two bools is not defined; use ^ or logical_xor"));
  }
  throw RuntimeError(
      message(operation, ": a bool must not stand in a difference; to invert a mask use ~ or logical_not"));
}

void require_alpha(std::string_view operation, const Scalar& alpha, DType meeting) {
  const bool is_whole = meeting == DType::bool_ || is_integer(meeting);
  std::string_view rule;
  if (alpha.is_bool() && meeting != DType::bool_) rule = "must be a number where the result is not bool";
  if (alpha.is_floating_point() && is_whole) rule = "must be an integer where the operands are";
  if (alpha.is_complex() && !is_complex(meeting)) rule = "must be real where the operands are";
  if (rule.empty()) return;
  throw RuntimeError(message(operation, ": alpha (", alpha.to_string(), ") ", rule));
}

Scalar negated(const Scalar& number) {
  return std::visit(
      [](auto value) -> Scalar {
        if constexpr (std::is_integral_v<decltype(value)>) {
          return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value));
        } else {
          return -value;
        }
      },
      number.value());
}

/// Returns a + alpha * b, or a - alpha * b.
Tensor add_scaled(std::string_view operation, BinaryOp op, const Operand& a, const Operand& b,
                  const Scalar& alpha, Tensor* self) {
  if (op == BinaryOp::sub) refuse_bool_difference(operation, a, b);
  std::array operands{detail::prepare(a), detail::prepare(b)};
  const DType meeting = detail::meeting_of(operation, operands, Takes::numbers);
  require_alpha(operation, alpha, meeting);
  if (meeting == DType::bool_ && !alpha.to<bool>()) {  // a or (b and false)
    return apply_binary(operation, op, a,
                        zeros({}, {.dtype = DType::bool_}).expand(operands[1].tensor.shape()), Takes::numbers,
                        self);
  }
  // PyTorch multiplies by alpha here even where it is 1, which makes NaN of an infinite part.
  const bool is_half = meeting == DType::complex32;
  if (!is_half && (meeting == DType::bool_ || alpha == Scalar(1))) {
    return apply_binary(operation, op, a, b, Takes::numbers, self);
  }
  const Scalar multiple = op == BinaryOp::sub ? negated(alpha) : alpha;
  if (operands[0].tensor.has_memory()) detail::require_element(operation, multiple, meeting);
  Prepared factor = detail::prepare_parameter(multiple);
  const TernaryOp sum = is_half ? TernaryOp::add_halves : TernaryOp::add_scaled;
  return detail::run_ternary(operation, elementwise::ternary_row(sum, worked_in(meeting)),
                             {std::move(operands[0]), std::move(operands[1]), std::move(factor)},
                             {meeting, meeting, meeting}, meeting, self);
}

/// Computes a product or a quotient. Where the operands meet in a small float type, a second operand of rank
/// 0 is used in float32 and not rounded to that type, as in PyTorch.
Tensor scale(std::string_view operation, BinaryOp op, std::array<Prepared, 2> operands, DType meeting,
             Tensor* self) {
  const DType type = worked_in(meeting);
  if (type == DType::float32 && meeting != type && operands[1].tensor.dim() == 0) {
    operands[1].tensor = detail::number_as(operands[1].tensor, type);
    return detail::run_scaled(operation, op, std::move(operands), meeting, self);
  }
  return detail::run_binary(operation, op, std::move(operands), meeting, self);
}

Tensor multiply(std::string_view operation, const Operand& a, const Operand& b, Tensor* self) {
  std::array operands{detail::prepare(a), detail::prepare(b)};
  const DType meeting = detail::meeting_of(operation, operands, Takes::numbers);
  const BinaryOp op = meeting == DType::bool_ ? BinaryOp::bit_and : BinaryOp::mul;
  return scale(operation, op, std::move(operands), meeting, self);
}

Tensor divide(std::string_view operation, const Operand& a, const Operand& b, Rounding rounding,
              Tensor* self) {
  if (rounding != Rounding::true_value) {
    const BinaryOp op = rounding == Rounding::floor ? BinaryOp::floor_divide : BinaryOp::trunc_divide;
    return apply_binary(operation, op, a, b, Takes::real_not_bool, self);
  }
  std::array operands{detail::prepare(a), detail::prepare(b)};
  DType meeting = detail::meeting_of(operation, operands, Takes::numbers);
  if (!is_floating_point(meeting) && !is_complex(meeting)) meeting = default_dtype();
  return scale(operation, BinaryOp::div, std::move(operands), meeting, self);
}

/// Returns the single operation that computes this power of each element, where there is one.
std::optional<UnaryOp> simple_power(const Scalar& exponent, DType meeting) {
  if (exponent == Scalar(2)) return UnaryOp::square;
  if (exponent == Scalar(3)) return UnaryOp::cube;
  if (!is_floating_point(meeting)) return std::nullopt;
  if (exponent == Scalar(0.5)) return UnaryOp::sqrt;
  if (exponent == Scalar(-0.5)) return UnaryOp::rsqrt;
  if (exponent == Scalar(-1)) return UnaryOp::reciprocal;
  if (exponent == Scalar(-2)) return UnaryOp::reciprocal_square;
  return std::nullopt;
}

Tensor power(std::string_view operation, const Operand& a, const Operand& b, Tensor* self) {
  std::array operands{detail::prepare(a), detail::prepare(b)};
  const DType meeting = detail::meeting_of(operation, operands, Takes::not_bool);
  if (!b.is_tensor() && is_integer(meeting)) {
    const auto* exponent = std::get_if<std::int64_t>(&b.number().value());
    if (exponent != nullptr && *exponent < 0) {
      throw RuntimeError(message(operation, ": the exponent (", *exponent,
                                 ") of integers must not be negative; convert to a floating type"));
    }
  }
  if (a.is_tensor() && !b.is_tensor()) {
    // PyTorch converts the exponent to these types, and to double for the others.
    const bool is_narrow = is_integer(meeting) || meeting == DType::float16 || meeting == DType::bfloat16;
    if (is_narrow && a.tensor().has_memory()) detail::require_element(operation, b.number(), meeting);
    if (const std::optional<UnaryOp> op = simple_power(b.number(), meeting)) {
      return detail::run_unary(operation, elementwise::unary_row(*op, worked_in(meeting)), a.tensor(),
                               meeting, meeting, self);
    }
  }
  if (a.is_tensor()) operands[1].is_parameter = !b.is_tensor();
  return detail::run_binary(operation, BinaryOp::pow, std::move(operands), meeting, self);
}

}  // namespace

Tensor add(const Operand& a, const Operand& b, const Scalar& alpha, Caller caller) {
  return add_scaled(OperationScope("add", caller), BinaryOp::add, a, b, alpha, nullptr);
}
Tensor sub(const Operand& a, const Operand& b, const Scalar& alpha, Caller caller) {
  return add_scaled(OperationScope("sub", caller), BinaryOp::sub, a, b, alpha, nullptr);
}
Tensor mul(const Operand& a, const Operand& b, Caller caller) {
  return multiply(OperationScope("mul", caller), a, b, nullptr);
}
Tensor div(const Operand& a, const Operand& b, Rounding rounding, Caller caller) {
  return divide(OperationScope("div", caller), a, b, rounding, nullptr);
}
Tensor floor_divide(const Operand& a, const Operand& b, Caller caller) {
  return divide(OperationScope("floor_divide", caller), a, b, Rounding::floor, nullptr);
}
Tensor remainder(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("remainder", caller), BinaryOp::remainder, a, b, Takes::real_not_bool,
                      nullptr);
}
Tensor pow(const Operand& a, const Operand& b, Caller caller) {
  return power(OperationScope("pow", caller), a, b, nullptr);
}

Tensor positive(const Tensor& x) {
  if (x.dtype() != DType::bool_) return x;
  throw RuntimeError("positive: dtype bool must be a number's; convert with .to(dtype)");
}
Tensor square(const Tensor& x, Caller caller) {
  return power(OperationScope("square", caller), x, 2, nullptr);
}

Tensor& add_(Tensor& self, const Operand& other, const Scalar& alpha, Caller caller) {
  add_scaled(OperationScope("add_", caller), BinaryOp::add, self, other, alpha, &self);
  return self;
}
Tensor& sub_(Tensor& self, const Operand& other, const Scalar& alpha, Caller caller) {
  add_scaled(OperationScope("sub_", caller), BinaryOp::sub, self, other, alpha, &self);
  return self;
}
Tensor& mul_(Tensor& self, const Operand& other, Caller caller) {
  multiply(OperationScope("mul_", caller), self, other, &self);
  return self;
}
Tensor& div_(Tensor& self, const Operand& other, Rounding rounding, Caller caller) {
  divide(OperationScope("div_", caller), self, other, rounding, &self);
  return self;
}
Tensor& floor_divide_(Tensor& self, const Operand& other, Caller caller) {
  divide(OperationScope("floor_divide_", caller), self, other, Rounding::floor, &self);
  return self;
}
Tensor& remainder_(Tensor& self, const Operand& other, Caller caller) {
  apply_binary(OperationScope("remainder_", caller), BinaryOp::remainder, self, other, Takes::real_not_bool,
               &self);
  return self;
}
Tensor& square_(Tensor& self, Caller caller) {
  power(OperationScope("square_", caller), self, 2, &self);
  return self;
}
Tensor& pow_(Tensor& self, const Operand& other, Caller caller) {
  power(OperationScope("pow_", caller), self, other, &self);
  return self;
}

}  // namespace tenstride
