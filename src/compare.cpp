// SPDX-License-Identifier: Apache-2.0
#include "tenstride/compare.hpp"

#include "arithmetic_parts.hpp"
#include "compare_parts.hpp"
#include "message.hpp"
#include "tenstride/elementwise.hpp"
#include "tenstride/factory.hpp"
#include "watch.hpp"

namespace tenstride {
namespace {

using copy::Comparison;

constexpr std::string_view name_of(Comparison comparison) {
  constexpr std::array<std::string_view, 6> names{"eq", "ne", "lt", "le", "gt", "ge"};
  return names[static_cast<std::size_t>(comparison)];
}

TypedOperand typed(const Tensor& x) {
  return {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor};
}

/// The layout an operand has once it is of the type in which they meet: `to` keeps a dense one.
Layout met_layout(const Tensor& x, DType meeting) {
  if (x.dtype() == meeting) return x.layout();
  return layout_like(x.layout(), MemoryFormat::preserve, "compare");
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
  const Layout layout = elementwise_layout(std::array{met_layout(a, *meeting), met_layout(b, *meeting)});
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = DType::bool_, .device = a.device()});
  if (result.numel() == 0 || result.is_meta()) return result;
  const DType type = detail::worked_in(*meeting);
  detail::run_elementwise<2>(result, {{{a, *meeting, type}, {b, *meeting, type}}},
                             copy::compare_row(comparison, type), {DType::uint8, DType::bool_});
  return result;
}

Tensor compare(Comparison comparison, const Tensor& a, const Operand& b, Caller caller) {
  if (!b.is_tensor()) {
    const detail::Prepared number = detail::prepare(b.number());
    return compare(comparison, a, number.tensor, number.typed, caller);
  }
  detail::require_one_device(name_of(comparison), a, b.tensor());
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
