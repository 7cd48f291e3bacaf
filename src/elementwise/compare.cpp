// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/compare.hpp"

#include "base/message.hpp"
#include "elementwise/arithmetic_parts.hpp"
#include "elementwise/compare_parts.hpp"
#include "elementwise/operands.hpp"
#include "memory/watch.hpp"
#include "tenstride/elementwise/elementwise.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using elementwise::Comparison;

constexpr std::string_view name_of(Comparison comparison) {
  constexpr std::array<std::string_view, 6> names{"eq", "ne", "lt", "le", "gt", "ge"};
  return names[static_cast<std::size_t>(comparison)];
}

TypedOperand typed(const Tensor& x) {
  return {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor};
}

/// Returns the device of the result. Throws RuntimeError where the operands are on different devices.
Device met_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (detail::goes_as_number(b, a.device())) return a.device();
  if (detail::goes_as_number(a, b.device())) return b.device();
  detail::require_one_device(operation, a, b);
  return a.device();
}

Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b, const TypedOperand& type_b,
               Caller caller) {
  const std::string_view operation = name_of(comparison);
  const detail::OperationScope scope(operation, caller);
  const std::optional<DType> meeting = result_type(std::array{typed(a), type_b});
  if (!meeting) {
    throw RuntimeError(detail::message(operation, ": dtypes ", name(a.dtype()), " and ", name(type_b.dtype),
                                       " must have a common type; convert one with .to(dtype)"));
  }
  if (is_complex(*meeting) && comparison != Comparison::eq && comparison != Comparison::ne) {
    throw RuntimeError(detail::message(operation, ": complex numbers have no order, dtypes ", name(a.dtype()),
                                       " and ", name(type_b.dtype), " must be real; use eq or ne"));
  }
  const Layout layout =
      elementwise_layout(std::array{detail::met_layout(a, *meeting), detail::met_layout(b, *meeting)});
  const Device device = met_device(operation, a, b);
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = DType::bool_, .device = device});
  if (result.numel() == 0 || !result.has_memory()) return result;
  DType type = *meeting;
  elementwise::CompareRow row = elementwise::compare_row(comparison, type);
  if (row == nullptr) row = elementwise::compare_row(comparison, type = detail::worked_in(*meeting));
  detail::run_elementwise<2>(result, {{{a, *meeting, type}, {b, *meeting, type}}}, row,
                             {DType::uint8, DType::bool_});
  return result;
}

Tensor compare(Comparison comparison, const Tensor& a, const Operand& b, Caller caller) {
  if (!b.is_tensor()) {
    const detail::Prepared number = detail::prepare(b.number());
    return compare(comparison, a, number.tensor, number.typed, caller);
  }
  return compare(comparison, a, b.tensor(), typed(b.tensor()), caller);
}

}  // namespace

Tensor eq(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::eq, a, b, caller);
}
Tensor ne(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::ne, a, b, caller);
}
Tensor lt(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::lt, a, b, caller);
}
Tensor le(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::le, a, b, caller);
}
Tensor gt(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::gt, a, b, caller);
}
Tensor ge(const Tensor& a, const Operand& b, Caller caller) {
  return compare(Comparison::ge, a, b, caller);
}

}  // namespace tenstride
