// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/arithmetic.hpp"
#include "base/message.hpp"
#include "operations/operators.hpp"
#include "operations/runs.hpp"

/// Arithmetic: fresh results and results in place.
namespace tenstride::detail {
namespace {

Rounding rounding_of(const std::optional<std::string>& mode) {
  if (!mode) return Rounding::true_value;
  if (*mode == "trunc") return Rounding::trunc;
  if (*mode == "floor") return Rounding::floor;
  throw RuntimeError(message("div: rounding_mode '", *mode, "' must be None, 'trunc' or 'floor'"));
}

using Binary = Tensor (*)(const Operand&, const Operand&, Caller);

/// Where PyTorch takes one number at most.
template <Binary run>
Value with_tensor(Call& call) {
  if (!call.has_self()) static_cast<void>(call.tensor(0));
  return run(call.first_operand(), call.operand(0), {});
}

/// Only of complex numbers is `out` of another type than the absolute values.
Value abs_of(Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  const DType type = call.self().dtype();
  if (out && !is_complex(type) && call.tensor(*out).dtype() != type) {
    throw RuntimeError(message(call.operation().name, ": out's dtype ", name(call.tensor(*out).dtype()),
                               " must be the result's, ", name(type)));
  }
  return abs(call.self());
}

Tensor plain_add(const Operand& a, const Operand& b, Caller caller) {
  return add(a, b, 1, caller);
}
Tensor plain_sub(const Operand& a, const Operand& b, Caller caller) {
  return sub(a, b, 1, caller);
}
Tensor plain_div(const Operand& a, const Operand& b, Caller caller) {
  return div(a, b, Rounding::true_value, caller);
}
Tensor& plain_div_(Tensor& a, const Operand& b, Caller caller) {
  return div_(a, b, Rounding::true_value, caller);
}
Value div_of(Call& call) {
  return div(call.first_operand(), call.operand(0), rounding_of(call.maybe_text(1)));
}
Value div_into(Call& call) {
  div_(call.mutable_self(), call.operand(0), rounding_of(call.maybe_text(1)));
  return call.self_value();
}
/// Refuses bools.
bool is_positive(const Tensor& x) {
  static_cast<void>(positive(x));
  return true;
}
/// A comparison, which may begin with a number: then it is the opposite of the tensor's.
template <Tensor (*Compare)(const Tensor&, const Operand&, Caller),
          Tensor (*Opposite)(const Tensor&, const Operand&, Caller)>
Tensor compared(const Operand& a, const Operand& b, Caller caller) {
  return a.is_tensor() ? Compare(a.tensor(), b, caller) : Opposite(b.tensor(), a, caller);
}

}  // namespace

std::vector<Operation> arithmetic_operations() {
  using T = const Tensor&;
  using O = const Operand&;
  return {
      {"add(Tensor|Scalar self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", both, fresh, runs<add>,
       OutRule::castable,
       R"(The sum with a tensor or a number, `other` taken `alpha` times; sizes broadcast, types promote, the
layout follows the operands'. A function also takes a number first: `torch.add(1, x)`.

Raises RuntimeError where the sizes do not broadcast.

>>> torch.arange(3).add(torch.ones(3), alpha=2)
tensor([2., 3., 4.])
)"},
      {"sub(Tensor|Scalar self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", both, fresh, runs<sub>,
       OutRule::castable,
       R"(The difference to a tensor or a number, `other` taken `alpha` times; sizes and types as for `add`.
Raises RuntimeError for bool.

>>> torch.arange(3).sub(1)
tensor([-1,  0,  1])
)"},
      {"mul(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh, runs<mul>, OutRule::castable,
       R"(The product with a tensor or a number; sizes and types as for `add`.

>>> torch.arange(3).mul(2)
tensor([0, 2, 4])
)"},
      {"div(Tensor|Scalar self, Tensor|Scalar other, *, str? rounding_mode=None) -> Tensor", both, fresh,
       runs_or<div_of, plain_div>, OutRule::castable,
       R"(The quotient, of integers in the default type; `rounding_mode` 'floor' or 'trunc' rounds it and keeps
integers. Raises RuntimeError for another mode, and where an integer is divided by zero in one of
them.

>>> torch.tensor([7, -7]).div(2), torch.tensor([7, -7]).div(2, rounding_mode="trunc")
(tensor([ 3.5000, -3.5000]), tensor([ 3, -3]))
)"},
      {"true_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh, runs<plain_div>,
       OutRule::castable, R"(The quotient, of integers in the default type: `div` without rounding.

>>> torch.arange(3).true_divide(4)
tensor([0.0000, 0.2500, 0.5000])
)"},
      {"floor_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh, runs<floor_divide>,
       OutRule::castable,
       R"(The quotient rounded down; integers stay integers. Raises RuntimeError where an integer is divided
by zero.

>>> torch.tensor([7, -7]).floor_divide(2)
tensor([ 3, -4])
)"},
      {"remainder(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh,
       runs_or<with_tensor<remainder>, remainder>, OutRule::castable,
       R"(What `floor_divide` leaves: it has the divisor's sign. Raises RuntimeError where an integer is
divided by zero.

>>> torch.tensor([7, -7]).remainder(3)
tensor([1, 2])
)"},
      {"pow(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", both, fresh,
       runs_or<with_tensor<pow>, pow>, OutRule::castable,
       R"(The elements to the power of a tensor's or a number; the base may be the number. Raises RuntimeError
where integers would be raised to a negative number.

>>> torch.arange(4).pow(2), torch.pow(2, torch.arange(4))
(tensor([0, 1, 4, 9]), tensor([1, 2, 4, 8]))
)"},
      {"bitwise_and(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh,
       runs_or<with_tensor<bitwise_and>, bitwise_and>, OutRule::castable,
       R"(The bits that both have; of bool, whether both hold. Raises RuntimeError for other than integers and
bool.

>>> torch.tensor([6, 5]).bitwise_and(3)
tensor([2, 1])
)"},
      {"bitwise_or(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh,
       runs_or<with_tensor<bitwise_or>, bitwise_or>, OutRule::castable,
       R"(The bits that one of them has; of bool, whether one holds. Raises RuntimeError for other than
integers and bool.

>>> torch.tensor([6, 5]).bitwise_or(3)
tensor([7, 7])
)"},
      {"bitwise_xor(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", both, fresh,
       runs_or<with_tensor<bitwise_xor>, bitwise_xor>, OutRule::castable,
       R"(The bits that exactly one has; of bool, whether they differ. Raises RuntimeError for other than
integers and bool.

>>> torch.tensor([6, 5]).bitwise_xor(3)
tensor([5, 6])
)"},
      {"bitwise_not(Tensor self) -> Tensor", both, fresh, runs<bitwise_not>, OutRule::same,
       R"(The other bits; of bool, the opposite. Raises RuntimeError for other than integers and bool.

>>> torch.tensor([0, 5]).bitwise_not()
tensor([-1, -6])
)"},
      {"add_(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", method, in_place, runs<add_>,
       R"(Adds a tensor or a number, `other` taken `alpha` times, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.arange(3).add_(1)
tensor([1, 2, 3])
)"},
      {"sub_(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", method, in_place, runs<sub_>,
       R"(Subtracts a tensor or a number, `other` taken `alpha` times, in place; gives the tensor itself.
Raises RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold
the result.

>>> torch.arange(3).sub_(1)
tensor([-1,  0,  1])
)"},
      {"mul_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<mul_>,
       R"(Multiplies by a tensor or a number, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.arange(3).mul_(2)
tensor([0, 2, 4])
)"},
      {"div_(Tensor self, Tensor|Scalar other, *, str? rounding_mode=None) -> Tensor", method, in_place,
       runs_or<div_into, plain_div_>,
       R"(Divides by a tensor or a number, rounded by `rounding_mode` as `div`, in place; gives the tensor
itself. Raises RuntimeError where `other` does not expand to this tensor's sizes, or this type
cannot hold the result.

>>> torch.ones(2).div_(2)
tensor([0.5000, 0.5000])
)"},
      {"true_divide_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<plain_div_>,
       R"(Divides by a tensor or a number, without rounding, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.ones(2).true_divide_(4)
tensor([0.2500, 0.2500])
)"},
      {"floor_divide_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<floor_divide_>,
       R"(Divides by a tensor or a number and rounds down, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.tensor([7, -7]).floor_divide_(2)
tensor([ 3, -4])
)"},
      {"remainder_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<remainder_>,
       R"(Leaves the remainder of `floor_divide`, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([7, -7]).remainder_(3)
tensor([1, 2])
)"},
      {"pow_(Tensor self, Tensor|Scalar exponent) -> Tensor", method, in_place, runs<pow_>,
       R"(Raises to the power of a tensor or a number, in place; gives the tensor itself. Raises RuntimeError
where `other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.arange(3).pow_(2)
tensor([0, 1, 4])
)"},
      {"bitwise_and_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<bitwise_and_>,
       R"(Keeps the bits that `other` has too, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_and_(3)
tensor([2, 1])
)"},
      {"bitwise_or_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<bitwise_or_>,
       R"(Adds the bits that `other` has, in place; gives the tensor itself. Raises RuntimeError where `other`
does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_or_(3)
tensor([7, 7])
)"},
      {"bitwise_xor_(Tensor self, Tensor|Scalar other) -> Tensor", method, in_place, runs<bitwise_xor_>,
       R"(Inverts the bits that `other` has, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_xor_(3)
tensor([5, 6])
)"},
      {"bitwise_not_(Tensor self) -> Tensor", method, in_place, runs<bitwise_not_>,
       R"(Inverts all bits, in place; gives the tensor itself.

>>> torch.tensor([0, 5]).bitwise_not_()
tensor([-1, -6])
)"},
      {"positive(Tensor self) -> Tensor", both, OpClass::view_or_self, runs_unless<is_positive, positive>,
       R"(The very same tensor. Raises RuntimeError for bool.

>>> x = torch.arange(3)
>>> x.positive() is x
True
)"},
      {"square(Tensor self) -> Tensor", both, fresh, runs<square>, OutRule::castable,
       R"(The elements times themselves; bools as int64.

>>> torch.tensor([-2, 3]).square()
tensor([4, 9])
)"},
      {"neg(Tensor self) -> Tensor", both, fresh, runs<neg>, OutRule::same,
       R"(The elements with the other sign. Raises RuntimeError for bool.

>>> torch.arange(3).neg()
tensor([ 0, -1, -2])
)"},
      {"abs(Tensor self) -> Tensor", both, fresh, runs_or<abs_of, abs>, OutRule::castable,
       R"(The elements without their sign; of complex elements their distance from 0, as a real type.

>>> torch.tensor([-1.5, 2.0]).abs(), torch.tensor([3 + 4j]).abs()
(tensor([1.5000, 2.0000]), tensor([5.]))
)"},
      {"square_(Tensor self) -> Tensor", method, in_place, runs<square_>,
       R"(Multiplies the elements by themselves, in place; gives the tensor itself. Raises RuntimeError for bool.

>>> torch.tensor([-2, 3]).square_()
tensor([4, 9])
)"},
      {"neg_(Tensor self) -> Tensor", method, in_place, runs<neg_>,
       R"(Changes the sign, in place; gives the tensor itself.

>>> torch.arange(3).neg_()
tensor([ 0, -1, -2])
)"},
      {"abs_(Tensor self) -> Tensor", method, in_place, runs<abs_>,
       R"(Takes the sign away, in place; gives the tensor itself.

>>> torch.tensor([-1, 2]).abs_()
tensor([1, 2])
)"},
      {"clamp(Tensor self, Tensor|Scalar? min=None, Tensor|Scalar? max=None) -> Tensor", both, fresh,
       runs<clamp>, OutRule::same,
       R"(The elements moved into the range from `min` to `max`, tensors or numbers; one may be left out.
Raises RuntimeError where both are.

>>> torch.arange(5).clamp(1, 3)
tensor([1, 1, 2, 3, 3])
)"},
      {"clamp_(Tensor self, Tensor|Scalar? min=None, Tensor|Scalar? max=None) -> Tensor", method, in_place,
       runs<clamp_>,
       R"(Moves the elements into the range from `min` to `max`, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.arange(5).clamp_(1, 3)
tensor([1, 1, 2, 3, 3])
)"},
      {"clamp_min(Tensor self, Tensor|Scalar min) -> Tensor", both, fresh,
       runs<[](T x, O min, Caller caller) { return clamp(x, min, {}, caller); }>, OutRule::same,
       R"(The elements, none below `min`, a tensor or a number: `clamp` without a maximum.

>>> torch.arange(4).clamp_min(2)
tensor([2, 2, 2, 3])
)"},
      {"clamp_max(Tensor self, Tensor|Scalar max) -> Tensor", both, fresh,
       runs<[](T x, O max, Caller caller) { return clamp(x, {}, max, caller); }>, OutRule::same,
       R"(The elements, none above `max`, a tensor or a number: `clamp` without a minimum.

>>> torch.arange(4).clamp_max(2)
tensor([0, 1, 2, 2])
)"},
      {"clamp_min_(Tensor self, Tensor|Scalar min) -> Tensor", method, in_place,
       runs<[](Tensor& x, O min, Caller caller) -> Tensor& { return clamp_(x, min, {}, caller); }>,
       R"(Raises elements below `min` to it, in place; gives the tensor itself.

>>> torch.arange(4).clamp_min_(2)
tensor([2, 2, 2, 3])
)"},
      {"clamp_max_(Tensor self, Tensor|Scalar max) -> Tensor", method, in_place,
       runs<[](Tensor& x, O max, Caller caller) -> Tensor& { return clamp_(x, {}, max, caller); }>,
       R"(Lowers elements above `max` to it, in place; gives the tensor itself.

>>> torch.arange(4).clamp_max_(2)
tensor([0, 1, 2, 2])
)"},
      {"complex(Tensor real, Tensor imag) -> Tensor", function, fresh, makes<complex>, OutRule::same,
       R"(Complex numbers of real and imaginary parts, which broadcast. Raises RuntimeError where they are not both float16,
float32 or float64.

>>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor(3.0))
tensor([1.+3.j, 2.+3.j])
)"},
  };
}

std::optional<Operand> to_operand(const Value& value) {
  if (value.tensor() != nullptr) return Operand(*value.tensor());
  if (value.number() != nullptr) return Operand(*value.number());
  return std::nullopt;
}

const TensorOperator* find_tensor_operator(std::string_view sign) {
  static constexpr TensorOperator table[] = {
      {"+", "add", "add_", plain_add},
      {"-", "sub", "sub_", plain_sub},
      {"*", "mul", "mul_", mul},
      {"/", "div", "div_", plain_div},
      {"//", "floor_divide", "floor_divide_", floor_divide},
      {"%", "remainder", "remainder_", remainder},
      {"**", "pow", "pow_", pow},
      {"&", "bitwise_and", "bitwise_and_", bitwise_and},
      {"|", "bitwise_or", "bitwise_or_", bitwise_or},
      {"^", "bitwise_xor", "bitwise_xor_", bitwise_xor},
      {"==", "eq", "", compared<eq, eq>},
      {"!=", "ne", "", compared<ne, ne>},
      {"<", "lt", "", compared<lt, gt>},
      {"<=", "le", "", compared<le, ge>},
      {">", "gt", "", compared<gt, lt>},
      {">=", "ge", "", compared<ge, le>},
  };
  for (const TensorOperator& entry : table) {
    if (entry.sign == sign) return &entry;
  }
  return nullptr;
}

}  // namespace tenstride::detail
