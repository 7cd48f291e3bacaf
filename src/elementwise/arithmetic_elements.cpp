// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "elementwise/arithmetic_parts.hpp"
#include "elementwise/compare_parts.hpp"
#include "memory/watch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations and predicates of single elements, and choices between elements.
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

Tensor negative(std::string_view operation, const Tensor& x, Tensor* self) {
  if (x.dtype() == DType::bool_) {
    throw RuntimeError(message(operation, ": a bool has no negative; to invert a mask use ~ or logical_not"));
  }
  detail::require_taken(operation, x.dtype(), Takes::numbers);
  const elementwise::UnaryRow row = elementwise::unary_row(UnaryOp::neg, worked_in(x.dtype()));
  return detail::run_unary(operation, row, x, x.dtype(), x.dtype(), self);
}

/// Returns the absolute values of complex elements, laid out as by `empty_like`, as in PyTorch: unlike in
/// other results, axes of extent 1 keep the strides of x.
Tensor complex_magnitude(elementwise::UnaryRow row, const Tensor& x) {
  const DType given = component_type(x.dtype());
  const Layout layout = layout_like(x.layout(), MemoryFormat::preserve, "abs");
  Tensor result = detail::fresh_result(layout, given, x.device());
  if (!x.has_memory()) return result;
  detail::run_elementwise<1>(result, {detail::ElementSource{x, x.dtype(), worked_in(x.dtype())}}, row,
                             {worked_in(given), given});
  return result;
}

Tensor absolute(std::string_view operation, const Tensor& x, Tensor* self) {
  detail::require_taken(operation, x.dtype(), Takes::not_bool);
  if (self != nullptr && x.is_complex()) {
    detail::refuse_type(operation, x.dtype(), "must be real: absolute values are");
  }
  const elementwise::UnaryRow row = elementwise::unary_row(UnaryOp::abs, worked_in(x.dtype()));
  if (x.is_complex()) return complex_magnitude(row, x);
  return detail::run_unary(operation, row, x, x.dtype(), component_type(x.dtype()), self);
}

Tensor logical_inverse(std::string_view operation, const Tensor& x, Tensor* self) {
  detail::require_taken(operation, x.dtype(), Takes::numbers);
  const std::array operands{detail::prepare(x), detail::prepare_parameter(true)};
  return detail::run_truths(operation, elementwise::binary_row(BinaryOp::bit_xor, DType::uint8), operands,
                            x.dtype(), self);
}

Tensor inverted(std::string_view operation, const Tensor& x, Tensor* self) {
  detail::require_taken(operation, x.dtype(), Takes::bits);
  if (x.dtype() == DType::bool_) return logical_inverse(operation, x, self);
  const elementwise::UnaryRow row = elementwise::unary_row(UnaryOp::bit_not, x.dtype());
  return detail::run_unary(operation, row, x, x.dtype(), x.dtype(), self);
}

/// Computes a logical operation, by the bits of the operands' truth values.
Tensor logical(std::string_view operation, BinaryOp op, const Operand& a, const Operand& b, Tensor* self) {
  const std::array operands{detail::prepare(a), detail::prepare(b)};
  const DType meeting = detail::meeting_of(operation, operands, Takes::numbers);
  return detail::run_truths(operation, elementwise::binary_row(op, DType::uint8), operands, meeting, self);
}

Tensor predicate(std::string_view operation, UnaryOp op, const Tensor& x) {
  detail::require_taken(operation, x.dtype(), Takes::numbers);
  if (is_integer(x.dtype()) || x.dtype() == DType::bool_) {
    // PyTorch computes isnan as x != x, and lays out the results of the other two like x.
    if (op != UnaryOp::isnan) return full_like(x, op == UnaryOp::isfinite, {.dtype = DType::bool_});
    Tensor result = detail::fresh_result(elementwise_layout({&x.layout(), 1}), DType::bool_, x.device());
    return result.zero_();
  }
  const elementwise::UnaryRow row = elementwise::unary_row(op, worked_in(x.dtype()));
  return detail::run_unary(operation, row, x, x.dtype(), DType::bool_, nullptr);
}

/// Throws where the elements' type cannot hold the number. On meta no element is made of it, so nothing is
/// refused.
void require_number(std::string_view operation, const Operand& operand, DType type, const Tensor& x) {
  if (!operand.is_tensor() && x.has_memory()) detail::require_element(operation, operand.number(), type);
}

Tensor clamped(std::string_view operation, const Tensor& x, const std::optional<Operand>& min,
               const std::optional<Operand>& max, Tensor* self) {
  if (!min && !max) throw RuntimeError(message(operation, ": min or max must be given"));
  if (!min || !max) {
    std::array operands{detail::prepare(x), detail::prepare_parameter(min ? *min : *max)};
    // Of bools a tensor's bound is a maximum or a minimum, a number is none.
    const bool is_tensor = (min ? *min : *max).is_tensor();
    const DType meeting =
        detail::meeting_of(operation, operands, is_tensor ? Takes::real : Takes::real_not_bool);
    require_number(operation, min ? *min : *max, meeting, x);
    const BinaryOp op = min ? BinaryOp::maximum : BinaryOp::minimum;
    return detail::run_binary(operation, op, std::move(operands), meeting, self);
  }
  std::array operands{detail::prepare(x), detail::prepare_parameter(*min), detail::prepare_parameter(*max)};
  const DType meeting = detail::meeting_of(operation, operands, Takes::real_not_bool);
  for (const Operand& bound : {*min, *max}) require_number(operation, bound, meeting, x);
  return detail::run_ternary(operation, elementwise::ternary_row(TernaryOp::clamp, worked_in(meeting)),
                             std::move(operands), {meeting, meeting, meeting}, meeting, self);
}

}  // namespace

Tensor maximum(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("maximum", caller), BinaryOp::maximum, a, b, Takes::real, nullptr);
}
Tensor minimum(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("minimum", caller), BinaryOp::minimum, a, b, Takes::real, nullptr);
}
Tensor clamp(const Tensor& x, const std::optional<Operand>& min, const std::optional<Operand>& max,
             Caller caller) {
  return clamped(OperationScope("clamp", caller), x, min, max, nullptr);
}
Tensor& clamp_(Tensor& self, const std::optional<Operand>& min, const std::optional<Operand>& max,
               Caller caller) {
  clamped(OperationScope("clamp_", caller), self, min, max, &self);
  return self;
}

Tensor complex(const Tensor& real, const Tensor& imag, Caller caller) {
  const OperationScope scope("complex", caller);
  const DType part = real.dtype();
  if (part != DType::float16 && part != DType::float32 && part != DType::float64) {
    detail::refuse_type("complex", part, "of the real part must be float16, float32 or float64");
  }
  if (imag.dtype() != part)
    detail::refuse_type("complex", imag.dtype(), "of the imaginary part must be the real part's");
  detail::require_one_device("complex", real, imag);
  const Layout layout = elementwise_layout(std::array{real.layout(), imag.layout()});
  Tensor result = detail::fresh_result(layout, *complex_type(part), real.device());
  Tensor first = result.real(), second = result.imag();
  copy_elements(first, real.expand(layout.shape));
  copy_elements(second, imag.expand(layout.shape));
  return result;
}

Tensor where(const Tensor& condition, const Operand& a, const Operand& b, Caller caller) {
  const OperationScope scope("where", caller);
  if (condition.dtype() != DType::bool_ && condition.dtype() != DType::uint8) {
    detail::refuse_type("where", condition.dtype(), "of the condition must be bool");
  }
  std::array operands{detail::prepare(condition), detail::prepare(a), detail::prepare(b)};
  const DType meeting = detail::meeting_of_choice(operands);
  for (const Operand& operand : {a, b}) require_number("where", operand, meeting, condition);
  return detail::run_choice(elementwise::ternary_row(TernaryOp::where, meeting), std::move(operands),
                            meeting);
}

Tensor bitwise_and(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("bitwise_and", caller), BinaryOp::bit_and, a, b, Takes::bits, nullptr);
}
Tensor bitwise_or(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("bitwise_or", caller), BinaryOp::bit_or, a, b, Takes::bits, nullptr);
}
Tensor bitwise_xor(const Operand& a, const Operand& b, Caller caller) {
  return apply_binary(OperationScope("bitwise_xor", caller), BinaryOp::bit_xor, a, b, Takes::bits, nullptr);
}
Tensor bitwise_not(const Tensor& x, Caller caller) {
  return inverted(OperationScope("bitwise_not", caller), x, nullptr);
}
Tensor logical_and(const Operand& a, const Operand& b, Caller caller) {
  return logical(OperationScope("logical_and", caller), BinaryOp::bit_and, a, b, nullptr);
}
Tensor logical_or(const Operand& a, const Operand& b, Caller caller) {
  return logical(OperationScope("logical_or", caller), BinaryOp::bit_or, a, b, nullptr);
}
Tensor logical_xor(const Operand& a, const Operand& b, Caller caller) {
  return logical(OperationScope("logical_xor", caller), BinaryOp::bit_xor, a, b, nullptr);
}
Tensor logical_not(const Tensor& x, Caller caller) {
  return logical_inverse(OperationScope("logical_not", caller), x, nullptr);
}
Tensor neg(const Tensor& x, Caller caller) {
  return negative(OperationScope("neg", caller), x, nullptr);
}
Tensor abs(const Tensor& x, Caller caller) {
  return absolute(OperationScope("abs", caller), x, nullptr);
}
Tensor isnan(const Tensor& x, Caller caller) {
  return predicate(OperationScope("isnan", caller), UnaryOp::isnan, x);
}
Tensor isinf(const Tensor& x, Caller caller) {
  return predicate(OperationScope("isinf", caller), UnaryOp::isinf, x);
}
Tensor isfinite(const Tensor& x, Caller caller) {
  return predicate(OperationScope("isfinite", caller), UnaryOp::isfinite, x);
}

Tensor& bitwise_and_(Tensor& self, const Operand& other, Caller caller) {
  apply_binary(OperationScope("bitwise_and_", caller), BinaryOp::bit_and, self, other, Takes::bits, &self);
  return self;
}
Tensor& bitwise_or_(Tensor& self, const Operand& other, Caller caller) {
  apply_binary(OperationScope("bitwise_or_", caller), BinaryOp::bit_or, self, other, Takes::bits, &self);
  return self;
}
Tensor& bitwise_xor_(Tensor& self, const Operand& other, Caller caller) {
  apply_binary(OperationScope("bitwise_xor_", caller), BinaryOp::bit_xor, self, other, Takes::bits, &self);
  return self;
}
Tensor& bitwise_not_(Tensor& self, Caller caller) {
  inverted(OperationScope("bitwise_not_", caller), self, &self);
  return self;
}
Tensor& logical_and_(Tensor& self, const Operand& other, Caller caller) {
  logical(OperationScope("logical_and_", caller), BinaryOp::bit_and, self, other, &self);
  return self;
}
Tensor& logical_or_(Tensor& self, const Operand& other, Caller caller) {
  logical(OperationScope("logical_or_", caller), BinaryOp::bit_or, self, other, &self);
  return self;
}
Tensor& logical_xor_(Tensor& self, const Operand& other, Caller caller) {
  logical(OperationScope("logical_xor_", caller), BinaryOp::bit_xor, self, other, &self);
  return self;
}
Tensor& logical_not_(Tensor& self, Caller caller) {
  logical_inverse(OperationScope("logical_not_", caller), self, &self);
  return self;
}
Tensor& neg_(Tensor& self, Caller caller) {
  negative(OperationScope("neg_", caller), self, &self);
  return self;
}
Tensor& abs_(Tensor& self, Caller caller) {
  absolute(OperationScope("abs_", caller), self, &self);
  return self;
}

}  // namespace tenstride
