// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "operations/call.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/elementwise/elementwise.hpp"

/// Questions about tensors, and comparisons.
namespace tenstride::detail {
namespace {

constexpr auto query = OpClass::query;

Value number(Index value) {
  return Value(Scalar(value));
}
Value answer(bool value) {
  return Value(Scalar(value));
}

Value to_list(const Nested& nested) {
  if (!nested.is_list()) return Value(nested.scalar());
  Value::Sequence list{Value::SequenceKind::list, {}};
  for (const Nested& item : nested.items()) list.items.push_back(to_list(item));
  return Value(Value::Variant(std::move(list)));
}

Value size(Call& call) {
  if (call.has(0)) return number(call.self().size(call.index(0)));
  return Value::size_of(call.self().shape());
}
Value stride(Call& call) {
  if (call.has(0)) return number(call.self().stride(call.index(0)));
  return Value::tuple_of(call.self().strides());
}

Value untyped_storage(Call& call) {
  const Tensor& self = call.self();
  const Layout bytes{{static_cast<Index>(self.storage().nbytes())}, {1}, 0};
  return Value(Value::Variant(StorageBytes{with_layout(self, bytes, DType::uint8)}));
}

template <Tensor (*Compare)(const Tensor&, const Operand&, Caller)>
Value compared(Call& call) {
  if (call.is_tensor(0)) return Compare(call.self(), call.tensor(0), {});
  return Compare(call.self(), call.number(0), {});
}

template <Tensor (*Along)(const Tensor&, Index, KeepDim, Caller), Tensor (*Whole)(const Tensor&, Caller)>
Value reduced(Call& call) {
  const Tensor& self = call.self();
  const KeepDim keepdim = call.flag(1, false) ? KeepDim::yes : KeepDim::no;
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

Value close(Call& call) {
  return isclose(call.self(), call.tensor(0), call.real(1, 1e-5), call.real(2, 1e-8),
                 call.flag(3, false) ? EqualNan::yes : EqualNan::no);
}

/// Whether the order of the axes could be told in several ways, and not by exactly one of the formats.
bool is_ambiguous(const Tensor& x, const std::vector<MemoryFormat>& formats) {
  bool has_twins = false;
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    has_twins = has_twins || x.shape()[d] == 1 || (d > 0 && x.strides()[d] == x.strides()[d - 1]);
  }
  const auto is_seen = [&](MemoryFormat format) { return x.is_contiguous(format); };
  return has_twins && std::count_if(formats.begin(), formats.end(), is_seen) != 1;
}

/// `dim_order()`, `dim_order(ambiguity_check=True)` or a list of memory formats.
Value dim_order_of(Call& call) {
  std::vector<MemoryFormat> formats;
  bool checks = false;
  if (call.has(0)) {
    const Value::Sequence* const listed = call.value(0).sequence();
    const bool is_list = listed != nullptr && listed->kind == Value::SequenceKind::list;
    if (is_list) {
      for (const Value& item : listed->items) {
        const auto* const format = std::get_if<MemoryFormat>(&item.variant());
        if (format == nullptr) call.fail_type(0, "a bool or a list of memory formats");
        formats.push_back(*format);
      }
    }
    checks = is_list || call.flag(0, false);
  }
  if (checks && is_ambiguous(call.self(), formats)) {
    throw RuntimeError(
        message("dim_order: the order of the axes must be told by sizes and strides, or by exactly one of "
                "the memory formats that are given (shape ",
                call.self().shape(), ", strides ", call.self().strides(), ")"));
  }
  return Value::tuple_of(dim_order(call.self().layout()));
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

Dims sizes_of(const Call& call, const Value& shape) {
  const std::optional<Index> alone = to_index(shape);
  if (alone) return {*alone};
  if (shape.sequence() == nullptr) {
    throw RuntimeError(message("broadcast_shapes: a shape must be an int, or a tuple or list of ints (",
                               shape.type_name(), " ", shape.repr(), ")"));
  }
  Dims sizes;
  for (const Value& item : shape.sequence()->items) {
    const std::optional<Index> size = to_index(item);
    if (!size) call.fail_type(0, "ints, or tuples or lists of ints");
    sizes.push_back(*size);
  }
  return sizes;
}

/// Each argument is a shape; an int is one of a single axis.
Value broadcast_shapes_of(Call& call) {
  Dims result;
  if (!call.has(0)) return Value::size_of(result);
  const Value& given = call.value(0);
  if (!call.is_spread()) return Value::size_of(broadcast_shapes(result, sizes_of(call, given)));
  for (const Value& shape : given.sequence()->items) {
    result = broadcast_shapes(result, sizes_of(call, shape));
  }
  return Value::size_of(result);
}

Value is_nonzero(Call& call) {
  if (call.self().numel() != 1) {
    throw RuntimeError(message("is_nonzero: a tensor of ", call.self().numel(), " elements must have 1"));
  }
  return answer(call.self().item().to<bool>());
}

Value common_type(std::string_view operation, std::optional<DType> found, DType a, DType b) {
  if (found) return Value(Value::Variant(*found));
  throw RuntimeError(message(operation, ": dtypes ", name(a), " and ", name(b),
                             " must have a common type; convert one with .to(dtype)"));
}

DType needed_dtype(const Call& call, std::size_t parameter) {
  if (!call.has(parameter)) call.fail_type(parameter, "a dtype, e.g. torch.float32");
  return *call.dtype(parameter);
}

Value promoted(Call& call) {
  const DType a = needed_dtype(call, 0), b = needed_dtype(call, 1);
  return common_type("promote_types", promote_types(a, b), a, b);
}

TypedOperand typed(const Call& call, std::size_t parameter) {
  if (!call.is_tensor(parameter)) return {call.number(parameter).dtype(), TypeWeight::number};
  const Tensor& x = call.tensor(parameter);
  return {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor};
}

Value type_of_result(Call& call) {
  const std::array operands{typed(call, 0), typed(call, 1)};
  return common_type("result_type", result_type(operands), operands[0].dtype, operands[1].dtype);
}

template <DeviceKind Kind>
Value is_on(Call& call) {
  return answer(call.self().device().kind() == Kind);
}

void add_attributes(std::vector<Operation>& table) {
  const std::vector<Operation> attributes{
      {"shape", attribute, query, "", [](Call& c) { return Value::size_of(c.self().shape()); }},
      {"dtype", attribute, query, "", [](Call& c) { return Value(Value::Variant(c.self().dtype())); }},
      {"device", attribute, query, "", [](Call& c) { return Value(Value::Variant(c.self().device())); }},
      {"ndim", attribute, query, "", [](Call& c) { return number(c.self().dim()); }},
      {"itemsize", attribute, query, "",
       [](Call& c) { return number(static_cast<Index>(c.self().itemsize())); }},
      {"nbytes", attribute, query, "", [](Call& c) { return number(static_cast<Index>(c.self().nbytes())); }},
      {"is_meta", attribute, query, "", [](Call& c) { return answer(c.self().is_meta()); }},
      {"is_cpu", attribute, query, "", is_on<DeviceKind::cpu>},
      {"is_cuda", attribute, query, "", is_on<DeviceKind::cuda>},
      {"is_mps", attribute, query, "", is_on<DeviceKind::mps>},
      {"is_xpu", attribute, query, "", is_on<DeviceKind::xpu>},
      {"is_leaf", attribute, query, "", [](Call&) { return answer(true); }},
      {"output_nr", attribute, query, "", [](Call&) { return number(0); }},
  };
  table.insert(table.end(), attributes.begin(), attributes.end());
  // What no tensor of ours is: on a device that is not known, of another layout, quantized, or part of a
  // graph.
  for (const char* name :
       {"is_ipu", "is_maia", "is_mkldnn", "is_mtia", "is_nested", "is_quantized", "is_sparse",
        "is_sparse_csr", "is_vulkan", "is_xla", "requires_grad", "retains_grad"}) {
    table.push_back({name, attribute, query, "", [](Call&) { return answer(false); }});
  }
  for (const char* name : {"grad", "grad_fn", "name"}) {
    table.push_back({name, attribute, query, "", [](Call&) { return Value(); }});
  }
}

void add_comparisons(std::vector<Operation>& table) {
  const std::vector<Operation> comparisons{
      {"eq", both, fresh, "other", compared<eq>, OutRule::castable},
      {"ne", both, fresh, "other", compared<ne>, OutRule::castable},
      {"lt", both, fresh, "other", compared<lt>, OutRule::castable},
      {"le", both, fresh, "other", compared<le>, OutRule::castable},
      {"gt", both, fresh, "other", compared<gt>, OutRule::castable},
      {"ge", both, fresh, "other", compared<ge>, OutRule::castable},
      {"all", both, fresh, "dim? keepdim?", truths<all, all>, OutRule::reduced},
      {"any", both, fresh, "dim? keepdim?", truths<any, any>, OutRule::reduced},
      {"equal", both, query, "other", [](Call& c) { return answer(c.self().equal(c.tensor(0))); }},
      {"isclose", both, fresh, "other rtol? atol? equal_nan?", close},
      {"allclose", both, query, "other rtol? atol? equal_nan?",
       [](Call& c) {
         if (c.flag(3, false)) return answer(close(c).tensor()->all().item<bool>());
         return answer(c.self().allclose(c.tensor(0), c.real(1, 1e-5), c.real(2, 1e-8)));
       }},
  };
  table.insert(table.end(), comparisons.begin(), comparisons.end());
}

}  // namespace

std::vector<Operation> query_operations() {
  std::vector<Operation> table{
      {"size", method, query, "dim?", size},
      {"stride", method, query, "dim?", stride},
      {"dim_order", method, query, "| ambiguity_check?", dim_order_of},
      {"dim", method, query, "", [](Call& c) { return number(c.self().dim()); }},
      {"get_device", both, query, "", [](Call& c) { return number(c.self().device().index().value_or(-1)); }},
      {"ndimension", method, query, "", [](Call& c) { return number(c.self().dim()); }},
      {"numel", both, query, "", [](Call& c) { return number(c.self().numel()); }},
      {"nelement", method, query, "", [](Call& c) { return number(c.self().numel()); }},
      {"element_size", method, query, "",
       [](Call& c) { return number(static_cast<Index>(c.self().element_size())); }},
      {"storage_offset", method, query, "", [](Call& c) { return number(c.self().storage_offset()); }},
      {"is_contiguous", method, query, "| memory_format?",
       [](Call& c) {
         const MemoryFormat format = c.format(0).value_or(MemoryFormat::contiguous);
         // PyTorch takes `preserve_format` for the usual one here.
         return answer(
             c.self().is_contiguous(format == MemoryFormat::preserve ? MemoryFormat::contiguous : format));
       }},
      {"is_non_overlapping_and_dense", both, query, "",
       [](Call& c) { return answer(c.self().is_non_overlapping_and_dense()); }},
      {"is_floating_point", both, query, "", [](Call& c) { return answer(c.self().is_floating_point()); }},
      {"is_complex", both, query, "", [](Call& c) { return answer(c.self().is_complex()); }},
      {"is_conj", both, query, "", [](Call& c) { return answer(c.self().is_conj()); }},
      {"is_inference", both, query, "", [](Call&) { return answer(false); }},
      {"is_neg", both, query, "", [](Call& c) { return answer(c.self().is_neg()); }},
      {"is_nonzero", both, query, "", is_nonzero},
      {"is_pinned", method, query, "device?", [](Call& c) { return answer(c.self().is_pinned()); }},
      {"is_same_size", both, query, "other",
       [](Call& c) { return answer(c.self().shape() == c.tensor(0).shape()); }},
      {"is_shared", method, query, "", [](Call&) { return answer(false); }},
      {"is_signed", both, query, "",
       [](Call& c) {
         const DTypeKind type = kind(c.self().dtype());
         return answer(type != DTypeKind::boolean && type != DTypeKind::unsigned_integer);
       }},
      {"is_set_to", method, query, "tensor", [](Call& c) { return answer(c.self().is_same(c.tensor(0))); }},
      {"data_ptr", method, query, "",
       [](Call& c) {
         const void* const first = c.self().numel() == 0 ? nullptr : c.self().data_ptr();
         return number(static_cast<Index>(reinterpret_cast<std::intptr_t>(first)));
       }},
      {"storage", method, query, "",
       [](Call& c) { return Value(Value::Variant(StorageElements{c.self().flat_storage()})); }},
      {"untyped_storage", method, query, "", untyped_storage},
      {"item", method, query, "", [](Call& c) { return Value(c.self().item()); }},
      {"tolist", method, query, "", [](Call& c) { return to_list(c.self().tolist()); }},
      {"broadcast_shapes", function, query, "! shapes...?", broadcast_shapes_of},
      {"promote_types", function, query, "! type1 type2", promoted},
      {"result_type", function, query, "! tensor other", type_of_result},
      {"can_cast", function, query, "! from_ to",
       [](Call& c) { return answer(can_cast(needed_dtype(c, 0), needed_dtype(c, 1))); }},
  };
  add_attributes(table);
  add_comparisons(table);
  return table;
}

}  // namespace tenstride::detail
