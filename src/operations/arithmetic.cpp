// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/arithmetic.hpp"
#include "base/message.hpp"
#include "operations/call.hpp"
#include "operations/operators.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/ops/selection.hpp"

/// Arithmetic: fresh results, results in place, reductions.
namespace tenstride::detail {
namespace {

Operand operand(const Call& call, std::size_t parameter) {
  std::optional<Operand> result = to_operand(call.value(parameter));
  if (!result) call.fail_type(parameter, "a Tensor or a number");
  return *std::move(result);
}
std::optional<Operand> maybe_operand(const Call& call, std::size_t parameter) {
  return call.has(parameter) ? std::optional(operand(call, parameter)) : std::nullopt;
}

/// The first operand: the tensor, or the number in its place.
Operand first_operand(const Call& call) {
  return call.has_self() ? Operand(call.self()) : Operand(*call.self_value().number());
}

Scalar alpha_of(const Call& call) {
  return call.has(1) ? call.number(1) : Scalar(1);
}

Rounding rounding_of(const Call& call) {
  if (!call.has(1)) return Rounding::true_value;
  const std::string given = call.text(1);
  if (given == "trunc") return Rounding::trunc;
  if (given == "floor") return Rounding::floor;
  throw RuntimeError(message("div: rounding_mode '", given, "' must be None, 'trunc' or 'floor'"));
}

KeepDim keepdim_of(const Call& call) {
  return call.flag(1, false) ? KeepDim::yes : KeepDim::no;
}
Dims axes_of(const Call& call) {
  return call.has(0) ? call.dims_or_index(0) : Dims{};
}

using Binary = Tensor (*)(const Operand&, const Operand&, Caller);
using BinaryInPlace = Tensor& (*)(Tensor&, const Operand&, Caller);
using Unary = Tensor (*)(const Tensor&, Caller);
using UnaryInPlace = Tensor& (*)(Tensor&, Caller);

template <Binary run>
Value binary(Call& call) {
  return run(first_operand(call), operand(call, 0), {});
}
/// The call where PyTorch takes one number at most.
template <Binary run>
Value binary_with_tensor(Call& call) {
  if (!call.has_self()) static_cast<void>(call.tensor(0));
  return binary<run>(call);
}
/// The call where PyTorch takes no number.
template <Binary run>
Value binary_of_tensors(Call& call) {
  return run(call.self(), call.tensor(0), {});
}
template <BinaryInPlace run>
Value binary_of_tensors_(Call& call) {
  run(call.mutable_self(), call.tensor(0), {});
  return call.self_value();
}
template <BinaryInPlace run>
Value binary_(Call& call) {
  run(call.mutable_self(), operand(call, 0), {});
  return call.self_value();
}
template <Unary run>
Value unary(Call& call) {
  return run(call.self(), {});
}
template <UnaryInPlace run>
Value unary_(Call& call) {
  run(call.mutable_self(), {});
  return call.self_value();
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

Value add_of(Call& call) {
  return add(first_operand(call), operand(call, 0), alpha_of(call));
}
Value add_into(Call& call) {
  add_(call.mutable_self(), operand(call, 0), alpha_of(call));
  return call.self_value();
}
Value sub_of(Call& call) {
  return sub(first_operand(call), operand(call, 0), alpha_of(call));
}
Value sub_into(Call& call) {
  sub_(call.mutable_self(), operand(call, 0), alpha_of(call));
  return call.self_value();
}
Value div_of(Call& call) {
  return div(first_operand(call), operand(call, 0), rounding_of(call));
}
Value div_into(Call& call) {
  div_(call.mutable_self(), operand(call, 0), rounding_of(call));
  return call.self_value();
}
Value true_divide(Call& call) {
  return div(first_operand(call), operand(call, 0));
}
Value true_divide_into(Call& call) {
  div_(call.mutable_self(), operand(call, 0));
  return call.self_value();
}
Value clamp_of(Call& call) {
  return clamp(call.self(), maybe_operand(call, 0), maybe_operand(call, 1));
}
Value clamp_into(Call& call) {
  clamp_(call.mutable_self(), maybe_operand(call, 0), maybe_operand(call, 1));
  return call.self_value();
}
Value clamp_min_of(Call& call) {
  return clamp(call.self(), operand(call, 0));
}
Value clamp_max_of(Call& call) {
  return clamp(call.self(), {}, operand(call, 0));
}
Value clamp_min_into(Call& call) {
  clamp_(call.mutable_self(), operand(call, 0));
  return call.self_value();
}
Value clamp_max_into(Call& call) {
  clamp_(call.mutable_self(), {}, operand(call, 0));
  return call.self_value();
}
/// `x.where(condition, other)` and `torch.where(condition, x, other)`.
Value where_method(Call& call) {
  return where(call.tensor(0), call.self(), operand(call, 1));
}
/// `torch.where(condition)` is `condition.nonzero(as_tuple=True)`.
Value where_function(Call& call) {
  if (!call.was_given(1) && !call.was_given(2) && !call.has(3)) {
    return tuple_value(nonzero_as_tuple(call.tensor(0)));
  }
  if (call.has(3)) {
    require_distinct_elements("where", call.tensor(3));  // also where it is resized
    return into_out(call, 3, where(call.tensor(0), call.tensor(1), call.tensor(2)));
  }
  return where(call.tensor(0), operand(call, 1), operand(call, 2));
}

/// The dtype that a sum is made in: as it is said, else that of `out`. Throws TypeError where `out` is given
/// and no dim, as PyTorch does.
std::optional<DType> dtype_of_sum(const Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  if (out && !call.was_given(0)) {
    throw TypeError(message(call.operation().name, ": dim must be given together with out"));
  }
  return out && !call.has(2) ? call.tensor(*out).dtype() : call.dtype(2);
}

Value sum_of(Call& call) {
  return sum(call.self(), axes_of(call), keepdim_of(call), dtype_of_sum(call));
}
Value mean_of(Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  std::optional<DType> dtype = call.dtype(2);
  // A mean is made in out's type where the elements have a mean and it goes into that type.
  const DType own = call.self().dtype();
  const bool has_mean = is_floating_point(own) || is_complex(own);
  if (out && !dtype && has_mean && can_cast(own, call.tensor(*out).dtype()))
    dtype = call.tensor(*out).dtype();
  return mean(call.self(), axes_of(call), keepdim_of(call), dtype);
}
Value prod_of(Call& call) {
  return prod(call.self(), call.maybe_index(0), keepdim_of(call), dtype_of_sum(call));
}

template <Tensor (*run)(const Tensor&, const Dims&, KeepDim, Caller)>
Value along_axes(Call& call) {
  return run(call.self(), axes_of(call), keepdim_of(call), {});
}
template <Tensor (*run)(const Tensor&, std::optional<Index>, KeepDim, Caller)>
Value place(Call& call) {
  return run(call.self(), call.maybe_index(0), keepdim_of(call), {});
}
/// The extreme of all elements, along an axis with where they stand, or of two tensors.
template <Unary Whole, ValuesAndIndices (*Along)(const Tensor&, Index, KeepDim, Caller), Binary OfTwo>
Value extreme(Call& call) {
  if (call.has(2)) return OfTwo(call.self(), call.tensor(2), {});
  if (!call.has(0)) return Whole(call.self(), {});
  if (call.is_tensor(0)) return OfTwo(call.self(), call.tensor(0), {});
  ValuesAndIndices both = Along(call.self(), call.index(0), keepdim_of(call), {});
  return tuple_value({std::move(both.values), std::move(both.indices)});
}

void add_sums(std::vector<Operation>& table) {
  for (const std::string_view name : {"add", "sub", "subtract"}) {
    table.push_back(
        {name, both, fresh, "# other | alpha?", name == "add" ? add_of : sub_of, OutRule::castable});
  }
  for (const std::string_view name : {"add_", "sub_", "subtract_"}) {
    table.push_back({name, method, in_place, "other | alpha?", name == "add_" ? add_into : sub_into});
  }
  for (const std::string_view name : {"mul", "multiply"}) {
    table.push_back({name, both, fresh, "# other", binary<mul>, OutRule::castable});
  }
  for (const std::string_view name : {"mul_", "multiply_"}) {
    table.push_back({name, method, in_place, "other", binary_<mul_>});
  }
  for (const std::string_view name : {"div", "divide"}) {
    table.push_back({name, both, fresh, "# other | rounding_mode?", div_of, OutRule::castable});
  }
  for (const std::string_view name : {"div_", "divide_"}) {
    table.push_back({name, method, in_place, "other | rounding_mode?", div_into});
  }
  const std::vector<Operation> more{
      {"true_divide", both, fresh, "# other", true_divide, OutRule::castable},
      {"true_divide_", method, in_place, "other", true_divide_into},
      {"floor_divide", both, fresh, "# other", binary<floor_divide>, OutRule::castable},
      {"floor_divide_", method, in_place, "other", binary_<floor_divide_>},
      {"remainder", both, fresh, "# other", binary_with_tensor<remainder>, OutRule::castable},
      {"remainder_", method, in_place, "other", binary_<remainder_>},
      {"pow", both, fresh, "# exponent", binary_with_tensor<pow>, OutRule::castable},
      {"pow_", method, in_place, "exponent", binary_<pow_>},
  };
  table.insert(table.end(), more.begin(), more.end());
}

void add_elements(std::vector<Operation>& table) {
  const std::vector<Operation> elements{
      {"positive", both, OpClass::view_or_self, "",
       [](Call& c) {
         static_cast<void>(positive(c.self()));  // refuses bools
         return c.self_value();
       }},
      {"square", both, fresh, "", unary<square>, OutRule::castable},
      {"square_", method, in_place, "", unary_<square_>},
      {"neg", both, fresh, "", unary<neg>, OutRule::same},
      {"negative", both, fresh, "", unary<neg>, OutRule::same},
      {"neg_", method, in_place, "", unary_<neg_>},
      {"negative_", method, in_place, "", unary_<neg_>},
      {"abs", both, fresh, "", abs_of, OutRule::castable},
      {"absolute", both, fresh, "", abs_of, OutRule::castable},
      {"abs_", method, in_place, "", unary_<abs_>},
      {"absolute_", method, in_place, "", unary_<abs_>},
      {"isnan", both, fresh, "", unary<isnan>},
      {"isinf", both, fresh, "", unary<isinf>},
      {"isfinite", both, fresh, "", unary<isfinite>},
      {"maximum", both, fresh, "other", binary_of_tensors<maximum>, OutRule::castable},
      {"minimum", both, fresh, "other", binary_of_tensors<minimum>, OutRule::castable},
      {"clamp", both, fresh, "min? max?", clamp_of, OutRule::same},
      {"clip", both, fresh, "min? max?", clamp_of, OutRule::same},
      {"clamp_", method, in_place, "min? max?", clamp_into},
      {"clip_", method, in_place, "min? max?", clamp_into},
      {"clamp_min", both, fresh, "min", clamp_min_of, OutRule::same},
      {"clamp_max", both, fresh, "max", clamp_max_of, OutRule::same},
      {"clamp_min_", method, in_place, "min", clamp_min_into},
      {"clamp_max_", method, in_place, "max", clamp_max_into},
      {"complex", function, fresh, "! real imag",
       [](Call& c) -> Value { return complex(c.tensor(0), c.tensor(1)); }, OutRule::same},
      {"where", method, fresh, "condition other", where_method},
      {"where", function, fresh, "! condition input? other? | out?", where_function},
      {"bitwise_and", both, fresh, "# other", binary_with_tensor<bitwise_and>, OutRule::castable},
      {"bitwise_or", both, fresh, "# other", binary_with_tensor<bitwise_or>, OutRule::castable},
      {"bitwise_xor", both, fresh, "# other", binary_with_tensor<bitwise_xor>, OutRule::castable},
      {"bitwise_not", both, fresh, "", unary<bitwise_not>, OutRule::same},
      {"bitwise_and_", method, in_place, "other", binary_<bitwise_and_>},
      {"bitwise_or_", method, in_place, "other", binary_<bitwise_or_>},
      {"bitwise_xor_", method, in_place, "other", binary_<bitwise_xor_>},
      {"bitwise_not_", method, in_place, "", unary_<bitwise_not_>},
      {"logical_and", both, fresh, "other", binary_of_tensors<logical_and>, OutRule::castable},
      {"logical_or", both, fresh, "other", binary_of_tensors<logical_or>, OutRule::castable},
      {"logical_xor", both, fresh, "other", binary_of_tensors<logical_xor>, OutRule::castable},
      {"logical_not", both, fresh, "", unary<logical_not>, OutRule::castable},
      {"logical_and_", method, in_place, "other", binary_of_tensors_<logical_and_>},
      {"logical_or_", method, in_place, "other", binary_of_tensors_<logical_or_>},
      {"logical_xor_", method, in_place, "other", binary_of_tensors_<logical_xor_>},
      {"logical_not_", method, in_place, "", unary_<logical_not_>},
  };
  table.insert(table.end(), elements.begin(), elements.end());
}

void add_reductions(std::vector<Operation>& table) {
  const std::vector<Operation> reductions{
      {"sum", both, fresh, "dim? keepdim? | dtype?", sum_of, OutRule::reduced},
      {"mean", both, fresh, "dim? keepdim? | dtype?", mean_of, OutRule::reduced},
      {"prod", both, fresh, "dim? keepdim? | dtype?", prod_of, OutRule::reduced},
      {"count_nonzero", both, fresh, "dim?",
       [](Call& c) -> Value { return count_nonzero(c.self(), axes_of(c)); }},
      {"sum_to_size", method, OpClass::self_or_copy, "size...",
       [](Call& c) -> Value { return sum_to_size(c.self(), c.dims(0)); }},
      {"amax", both, fresh, "dim? keepdim?", along_axes<amax>, OutRule::reduced},
      {"amin", both, fresh, "dim? keepdim?", along_axes<amin>, OutRule::reduced},
      {"max", both, fresh, "dim? keepdim? | other?", extreme<max, max, maximum>, OutRule::castable},
      {"min", both, fresh, "dim? keepdim? | other?", extreme<min, min, minimum>, OutRule::castable},
      {"argmax", both, fresh, "dim? keepdim?", place<argmax>, OutRule::reduced},
      {"argmin", both, fresh, "dim? keepdim?", place<argmin>, OutRule::reduced},
  };
  table.insert(table.end(), reductions.begin(), reductions.end());
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
/// A comparison, which may begin with a number: then it is the opposite of the tensor's.
template <Tensor (*Compare)(const Tensor&, const Operand&, Caller),
          Tensor (*Opposite)(const Tensor&, const Operand&, Caller)>
Tensor compared(const Operand& a, const Operand& b, Caller caller) {
  return a.is_tensor() ? Compare(a.tensor(), b, caller) : Opposite(b.tensor(), a, caller);
}

}  // namespace

std::vector<Operation> arithmetic_operations() {
  std::vector<Operation> table;
  add_sums(table);
  add_elements(table);
  add_reductions(table);
  return table;
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
