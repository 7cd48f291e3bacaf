// SPDX-License-Identifier: Apache-2.0
#include "tenstride/arithmetic.hpp"
#include "base/message.hpp"
#include "operations/call.hpp"
#include "operations/operators.hpp"
#include "tensor/tensor_overlap.hpp"

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
  return run(call.self(), operand(call, 0), {});
}
/// Where PyTorch takes no number.
template <Binary run>
Value binary_of_tensors(Call& call) {
  return run(call.self(), call.tensor(0), {});
}
template <BinaryInPlace run>
Value binary_of_tensors_(Call& call) {
  run(call.mutable_self(), call.tensor(0), {});
  return call.self_value();
}
/// Where the first may be a number too.
template <Binary run>
Value binary_of_two(Call& call) {
  return run(operand(call, 0), operand(call, 1), {});
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

Value add_of(Call& call) {
  return add(call.self(), operand(call, 0), alpha_of(call));
}
Value add_into(Call& call) {
  add_(call.mutable_self(), operand(call, 0), alpha_of(call));
  return call.self_value();
}
Value sub_of(Call& call) {
  return sub(call.self(), operand(call, 0), alpha_of(call));
}
Value sub_into(Call& call) {
  sub_(call.mutable_self(), operand(call, 0), alpha_of(call));
  return call.self_value();
}
Value div_of(Call& call) {
  return div(call.self(), operand(call, 0), rounding_of(call));
}
Value div_into(Call& call) {
  div_(call.mutable_self(), operand(call, 0), rounding_of(call));
  return call.self_value();
}
Value true_divide(Call& call) {
  return div(call.self(), operand(call, 0));
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
/// `x.where(condition, other)` and `torch.where(condition, x, other)`.
Value where_method(Call& call) {
  return where(call.tensor(0), call.self(), operand(call, 1));
}
Value where_function(Call& call) {
  if (call.has(3)) {
    require_distinct_elements("where", call.tensor(3));  // also where it is resized
    return into_out(call, 3, where(call.tensor(0), call.tensor(1), call.tensor(2)));
  }
  return where(call.tensor(0), operand(call, 1), operand(call, 2));
}

Value sum_of(Call& call) {
  return sum(call.self(), axes_of(call), keepdim_of(call), call.dtype(2));
}
Value mean_of(Call& call) {
  return mean(call.self(), axes_of(call), keepdim_of(call), call.dtype(2));
}
Value prod_of(Call& call) {
  return prod(call.self(), call.maybe_index(0), keepdim_of(call), call.dtype(2));
}

template <Tensor (*run)(const Tensor&, const Dims&, KeepDim, Caller)>
Value along_axes(Call& call) {
  return run(call.self(), axes_of(call), keepdim_of(call), {});
}
template <Tensor (*run)(const Tensor&, std::optional<Index>, KeepDim, Caller)>
Value place(Call& call) {
  return run(call.self(), call.maybe_index(0), keepdim_of(call), {});
}
/// Of all elements, along an axis with where they stand, or of two tensors.
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
    table.push_back({name, both, fresh, "other | alpha?", name == "add" ? add_of : sub_of});
  }
  for (const std::string_view name : {"add_", "sub_", "subtract_"}) {
    table.push_back({name, method, in_place, "other | alpha?", name == "add_" ? add_into : sub_into});
  }
  for (const std::string_view name : {"mul", "multiply"}) {
    table.push_back({name, both, fresh, "other", binary<mul>});
  }
  for (const std::string_view name : {"mul_", "multiply_"}) {
    table.push_back({name, method, in_place, "other", binary_<mul_>});
  }
  for (const std::string_view name : {"div", "divide"}) {
    table.push_back({name, both, fresh, "other | rounding_mode?", div_of});
  }
  for (const std::string_view name : {"div_", "divide_"}) {
    table.push_back({name, method, in_place, "other | rounding_mode?", div_into});
  }
  const std::vector<Operation> more{
      {"true_divide", both, fresh, "other", true_divide},
      {"true_divide_", method, in_place, "other", true_divide_into},
      {"floor_divide", both, fresh, "other", binary<floor_divide>},
      {"floor_divide_", method, in_place, "other", binary_<floor_divide_>},
      {"remainder", method, fresh, "other", binary<remainder>},
      {"remainder", function, fresh, "! input other", binary_of_two<remainder>},
      {"remainder_", method, in_place, "other", binary_<remainder_>},
      {"pow", method, fresh, "exponent", binary<pow>},
      {"pow", function, fresh, "! input exponent", binary_of_two<pow>},
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
      {"square", both, fresh, "", unary<square>},
      {"square_", method, in_place, "", unary_<square_>},
      {"neg", both, fresh, "", unary<neg>},
      {"negative", both, fresh, "", unary<neg>},
      {"neg_", method, in_place, "", unary_<neg_>},
      {"negative_", method, in_place, "", unary_<neg_>},
      {"abs", both, fresh, "", unary<abs>},
      {"absolute", both, fresh, "", unary<abs>},
      {"abs_", method, in_place, "", unary_<abs_>},
      {"absolute_", method, in_place, "", unary_<abs_>},
      {"isnan", both, fresh, "", unary<isnan>},
      {"isinf", both, fresh, "", unary<isinf>},
      {"isfinite", both, fresh, "", unary<isfinite>},
      {"maximum", both, fresh, "other", binary_of_tensors<maximum>},
      {"minimum", both, fresh, "other", binary_of_tensors<minimum>},
      {"clamp", both, fresh, "min? max?", clamp_of},
      {"clip", both, fresh, "min? max?", clamp_of},
      {"clamp_", method, in_place, "min? max?", clamp_into},
      {"clip_", method, in_place, "min? max?", clamp_into},
      {"where", method, fresh, "condition other", where_method},
      {"where", function, fresh, "! condition input other | out?", where_function},
      {"bitwise_and", both, fresh, "other", binary<bitwise_and>},
      {"bitwise_or", both, fresh, "other", binary<bitwise_or>},
      {"bitwise_xor", both, fresh, "other", binary<bitwise_xor>},
      {"bitwise_not", both, fresh, "", unary<bitwise_not>},
      {"bitwise_and_", method, in_place, "other", binary_<bitwise_and_>},
      {"bitwise_or_", method, in_place, "other", binary_<bitwise_or_>},
      {"bitwise_xor_", method, in_place, "other", binary_<bitwise_xor_>},
      {"bitwise_not_", method, in_place, "", unary_<bitwise_not_>},
      {"logical_and", both, fresh, "other", binary_of_tensors<logical_and>},
      {"logical_or", both, fresh, "other", binary_of_tensors<logical_or>},
      {"logical_xor", both, fresh, "other", binary_of_tensors<logical_xor>},
      {"logical_not", both, fresh, "", unary<logical_not>},
      {"logical_and_", method, in_place, "other", binary_of_tensors_<logical_and_>},
      {"logical_or_", method, in_place, "other", binary_of_tensors_<logical_or_>},
      {"logical_xor_", method, in_place, "other", binary_of_tensors_<logical_xor_>},
      {"logical_not_", method, in_place, "", unary_<logical_not_>},
  };
  table.insert(table.end(), elements.begin(), elements.end());
}

void add_reductions(std::vector<Operation>& table) {
  const std::vector<Operation> reductions{
      {"sum", both, fresh, "dim? keepdim? | dtype?", sum_of},
      {"mean", both, fresh, "dim? keepdim? | dtype?", mean_of},
      {"prod", both, fresh, "dim? keepdim? | dtype?", prod_of},
      {"amax", both, fresh, "dim? keepdim?", along_axes<amax>},
      {"amin", both, fresh, "dim? keepdim?", along_axes<amin>},
      {"max", both, fresh, "dim? keepdim? | other?", extreme<max, max, maximum>},
      {"min", both, fresh, "dim? keepdim? | other?", extreme<min, min, minimum>},
      {"argmax", both, fresh, "dim? keepdim?", place<argmax>},
      {"argmin", both, fresh, "dim? keepdim?", place<argmin>},
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
