// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/ops/selection.hpp"

/// Comparisons, tests of elements, and what is chosen by them.
namespace tenstride::detail {
namespace {

template <Tensor (*compare)(const Tensor&, const Operand&, Caller)>
Value compared_with(Call& call) {
  if (call.is_tensor(0)) return compare(call.self(), call.tensor(0), {});
  return compare(call.self(), call.number(0), {});
}

template <Tensor (*Along)(const Tensor&, Index, KeepDim, Caller), Tensor (*Whole)(const Tensor&, Caller)>
Value reduced(Call& call) {
  const Tensor& self = call.self();
  const KeepDim keepdim = call.flag(1) ? KeepDim::yes : KeepDim::no;
  if (call.is_index(0)) return Along(self, call.index(0), keepdim, {});
  if (!call.has(0)) {
    const Tensor whole = Whole(self, {});
    return keepdim == KeepDim::no ? whole : whole.view(Dims::filled(self.shape().size(), 1));
  }
  const Dims axes = call.dims(0);
  // No axis: each element is asked alone.
  if (axes.empty()) return Along(self.unsqueeze(-1), -1, KeepDim::no, {});
  std::vector<bool> is_named(std::max<std::size_t>(self.shape().size(), 1));
  Tensor result = self;
  for (const Index axis : axes) {
    const std::size_t d = wrap_axis(call.operation().name, axis, self.shape());
    if (is_named[d]) throw_repeated_axis(call.operation().name, axes, axis, self.shape());
    is_named[d] = true;
  }
  for (const Index axis : axes) result = Along(result, axis, KeepDim::yes, {});
  return keepdim == KeepDim::yes || self.dim() == 0 ? result : result.squeeze(axes);
}

/// all and any, which give bytes where `out` has such elements.
template <Tensor (*Along)(const Tensor&, Index, KeepDim, Caller), Tensor (*Whole)(const Tensor&, Caller)>
Value truths(Call& call) {
  Value result = reduced<Along, Whole>(call);
  const std::optional<std::size_t> out = call.out_parameter();
  if (!out) return result;
  const DType type = call.tensor(*out).dtype();
  return type == DType::uint8 || type == DType::bool_ ? Value(result.tensor()->to(type)) : result;
}

bool all_close(const Tensor& x, const Tensor& other, double rtol, double atol, EqualNan equal_nan) {
  if (equal_nan == EqualNan::yes) return isclose(x, other, rtol, atol, equal_nan).all().item<bool>();
  return x.allclose(other, rtol, atol);
}
/// Where PyTorch takes no number.
template <Tensor (*run)(const Operand&, const Operand&, Caller)>
Tensor of_tensors(const Tensor& x, const Tensor& other, Caller caller) {
  return run(x, other, caller);
}
template <Tensor& (*run)(Tensor&, const Operand&, Caller)>
Tensor& of_tensors_(Tensor& x, const Tensor& other, Caller caller) {
  return run(x, other, caller);
}

/// `torch.where(condition)` is `condition.nonzero(as_tuple=True)`.
Value where_function(Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  if (!call.was_given(1) && !call.was_given(2) && !out) {
    return tuple_value(nonzero_as_tuple(call.tensor(0)));
  }
  if (out) {
    require_distinct_elements("where", call.tensor(*out));  // also where it is resized
    return where(call.tensor(0), call.tensor(1), call.tensor(2));
  }
  return where(call.tensor(0), call.operand(1), call.operand(2));
}

}  // namespace

std::vector<Operation> comparison_operations() {
  using T = const Tensor&;
  return {
      {"eq(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<eq>, eq>,
       OutRule::castable,
       R"(Where the elements equal those of a tensor or a number, as bool; sizes broadcast. Raises
RuntimeError where they do not.

>>> torch.arange(3).eq(1)
tensor([False,  True, False])
)"},
      {"ne(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<ne>, ne>,
       OutRule::castable,
       R"(Where the elements differ from those of a tensor or a number, as bool; sizes as for `eq`.

>>> torch.arange(3).ne(1)
tensor([ True, False,  True])
)"},
      {"lt(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<lt>, lt>,
       OutRule::castable,
       R"(Where the elements are less than those of a tensor or a number, as bool; sizes as for `eq`. Raises
RuntimeError for complex types.

>>> torch.arange(3).lt(1)
tensor([ True, False, False])
)"},
      {"le(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<le>, le>,
       OutRule::castable,
       R"(Where the elements are less or equal, as bool; sizes as for `eq`. Raises RuntimeError for complex
types.

>>> torch.arange(3).le(1)
tensor([ True,  True, False])
)"},
      {"gt(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<gt>, gt>,
       OutRule::castable,
       R"(Where the elements are greater than those of a tensor or a number, as bool; sizes as for `eq`.
Raises RuntimeError for complex types.

>>> torch.arange(3).gt(1)
tensor([False, False,  True])
)"},
      {"ge(Tensor self, Tensor|Scalar other) -> Tensor", both, fresh, runs_or<compared_with<ge>, ge>,
       OutRule::castable,
       R"(Where the elements are greater or equal, as bool; sizes as for `eq`. Raises RuntimeError for complex
types.

>>> torch.arange(3).ge(1)
tensor([False,  True,  True])
)"},
      {"all(Tensor self, int|int[]? dim=None, bool keepdim=False) -> Tensor", both, fresh, truths<all, all>,
       OutRule::reduced,
       R"(Whether all elements are not zero, of the whole or along `dim`; `keepdim` leaves the axis with size
1. True where there is none.

>>> torch.tensor([[1, 0], [1, 1]]).all(0)
tensor([ True, False])
)"},
      {"any(Tensor self, int|int[]? dim=None, bool keepdim=False) -> Tensor", both, fresh, truths<any, any>,
       OutRule::reduced,
       R"(Whether an element is not zero, of the whole or along `dim`; `keepdim` leaves the axis with size 1.
False where there is none.

>>> torch.tensor([0, 2]).any()
tensor(True)
)"},
      {"equal(Tensor self, Tensor other) -> bool", both, OpClass::query, runs<&Tensor::equal>,
       R"(Whether both tensors have the same sizes and equal elements; of two types, as `eq` compares them.

>>> torch.equal(torch.arange(2), torch.arange(2))
True
)"},
      {"isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> "
       "Tensor",
       both, fresh, runs<isclose>,
       R"(Where the two are close: |a - b| <= atol + rtol * |b|, or equal; with `equal_nan` also where both are NaN. An
infinity is close to itself alone. Raises RuntimeError where the types differ.

>>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.1]))
tensor([ True, False])
)"},
      {"allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> "
       "bool",
       both, OpClass::query, runs<all_close>,
       R"(Whether all elements differ by at most `atol + rtol * abs(other)`. Raises RuntimeError where the
types differ or the sizes do not broadcast.

>>> torch.ones(2).allclose(torch.ones(2) + 1e-7)
True
)"},
      {"isnan(Tensor self) -> Tensor", both, fresh, runs<isnan>, R"(Where the elements are NaN, as bool.

>>> torch.tensor([1.0, float("nan")]).isnan()
tensor([False,  True])
)"},
      {"isinf(Tensor self) -> Tensor", both, fresh, runs<isinf>, R"(Where the elements are infinite, as bool.

>>> torch.tensor([1.0, float("-inf")]).isinf()
tensor([False,  True])
)"},
      {"isfinite(Tensor self) -> Tensor", both, fresh, runs<isfinite>,
       R"(Where the elements are neither infinite nor NaN, as bool.

>>> torch.tensor([1.0, float("inf")]).isfinite()
tensor([ True, False])
)"},
      {"maximum(Tensor self, Tensor other) -> Tensor", both, fresh, runs<of_tensors<maximum>>,
       OutRule::castable,
       R"(The larger of two elements, NaN where one of them is; sizes and types as for `add`. Raises
RuntimeError for complex types.

>>> torch.arange(3).maximum(torch.ones(3, dtype=torch.int64))
tensor([1, 1, 2])
)"},
      {"minimum(Tensor self, Tensor other) -> Tensor", both, fresh, runs<of_tensors<minimum>>,
       OutRule::castable,
       R"(The smaller of two elements, NaN where one of them is; sizes and types as for `add`. Raises
RuntimeError for complex types.

>>> torch.arange(3).minimum(torch.ones(3, dtype=torch.int64))
tensor([0, 1, 1])
)"},
      {"where(Tensor self, Tensor condition, Tensor|Scalar other) -> Tensor", method, fresh,
       runs<[](T x, T condition, const Operand& other, Caller caller) {
         return where(condition, x, other, caller);
       }>,
       R"(The elements of one tensor (or number) where the condition holds, of the other elsewhere; all three
broadcast.

As a method `x.where(condition, other)`. The condition alone gives its positions, as
`nonzero(condition, as_tuple=True)` does. Raises RuntimeError where the condition is not bool or the sizes
do not broadcast.

>>> x = torch.arange(-1, 2)
>>> torch.where(x > 0, x, 0)
tensor([0, 0, 1])
)"},
      {"where(Tensor condition, Tensor|Scalar? input=None, Tensor|Scalar? other=None) -> Tensor", function,
       fresh, where_function, OutRule::copied, ""},
      {"logical_and(Tensor self, Tensor other) -> Tensor", both, fresh, runs<of_tensors<logical_and>>,
       OutRule::castable, R"(Whether both are not zero, as bool.

>>> torch.tensor([0, 2]).logical_and(torch.tensor([1, 1]))
tensor([False,  True])
)"},
      {"logical_or(Tensor self, Tensor other) -> Tensor", both, fresh, runs<of_tensors<logical_or>>,
       OutRule::castable, R"(Whether one is not zero, as bool.

>>> torch.tensor([0, 2]).logical_or(torch.tensor([0, 0]))
tensor([False,  True])
)"},
      {"logical_xor(Tensor self, Tensor other) -> Tensor", both, fresh, runs<of_tensors<logical_xor>>,
       OutRule::castable, R"(Whether exactly one is not zero, as bool.

>>> torch.tensor([0, 2]).logical_xor(torch.tensor([1, 1]))
tensor([ True, False])
)"},
      {"logical_not(Tensor self) -> Tensor", both, fresh, runs<logical_not>, OutRule::castable,
       R"(Whether the element is zero, as bool.

>>> torch.tensor([0, 2]).logical_not()
tensor([ True, False])
)"},
      {"logical_and_(Tensor self, Tensor other) -> Tensor", method, in_place, runs<of_tensors_<logical_and_>>,
       R"(Writes whether both are not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_and_(torch.tensor([1, 1]))
tensor([0, 1])
)"},
      {"logical_or_(Tensor self, Tensor other) -> Tensor", method, in_place, runs<of_tensors_<logical_or_>>,
       R"(Writes whether one is not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_or_(torch.tensor([0, 0]))
tensor([0, 1])
)"},
      {"logical_xor_(Tensor self, Tensor other) -> Tensor", method, in_place, runs<of_tensors_<logical_xor_>>,
       R"(Writes whether exactly one is not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_xor_(torch.tensor([1, 1]))
tensor([1, 0])
)"},
      {"logical_not_(Tensor self) -> Tensor", method, in_place, runs<logical_not_>,
       R"(Writes whether the element is zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_not_()
tensor([1, 0])
)"},
  };
}

}  // namespace tenstride::detail
