// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "call.hpp"
#include "tenstride/compare.hpp"

/// Questions about tensors, and comparisons.
namespace tenstride::detail {
namespace {

constexpr auto query = OpClass::query;
constexpr auto fresh = OpClass::fresh;

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
  return Value(Value::Variant(StorageBytes{self.with_layout(bytes, DType::uint8)}));
}

template <Tensor (*Compare)(const Tensor&, const Operand&, Caller)>
Value compared(Call& call) {
  if (call.is_tensor(0)) return Compare(call.self(), call.tensor(0), {});
  return Compare(call.self(), call.number(0), {});
}

template <Tensor (*Along)(const Tensor&, Index, KeepDim, Caller), Tensor (*Whole)(const Tensor&, Caller)>
Value reduced(Call& call) {
  if (!call.has(0)) return Whole(call.self(), {});
  return Along(call.self(), call.index(0), call.flag(1, false) ? KeepDim::yes : KeepDim::no, {});
}

Value broadcast_shapes_of(Call& call) {
  Dims result;
  const Value::Sequence* shapes = call.value(0).sequence();
  if (shapes == nullptr) call.fail_type(0, "sizes");
  const auto is_size = [](const Value& item) { return to_index(item).has_value(); };
  if (std::all_of(shapes->items.begin(), shapes->items.end(), is_size)) return Value::size_of(call.dims(0));
  for (const Value& shape : shapes->items) {
    if (shape.sequence() == nullptr) call.fail_type(0, "sizes");
    Dims sizes;
    for (const Value& item : shape.sequence()->items) {
      if (!is_size(item)) call.fail_type(0, "sizes");
      sizes.push_back(*to_index(item));
    }
    result = broadcast_shapes(result, sizes);
  }
  return Value::size_of(result);
}

Value promoted(Call& call) {
  const std::optional<DType> type = promote_types(*call.dtype(0), *call.dtype(1));
  if (!type) throw RuntimeError("promote_types: the two types have none in common");
  return Value(Value::Variant(*type));
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
      {"requires_grad", attribute, query, "", [](Call&) { return answer(false); }},
  };
  table.insert(table.end(), attributes.begin(), attributes.end());
}

void add_comparisons(std::vector<Operation>& table) {
  const std::vector<Operation> comparisons{
      {"eq", both, fresh, "other", compared<eq>},
      {"ne", both, fresh, "other", compared<ne>},
      {"lt", both, fresh, "other", compared<lt>},
      {"le", both, fresh, "other", compared<le>},
      {"gt", both, fresh, "other", compared<gt>},
      {"ge", both, fresh, "other", compared<ge>},
      {"all", both, fresh, "dim? keepdim?", reduced<all, all>},
      {"any", both, fresh, "dim? keepdim?", reduced<any, any>},
      {"equal", both, query, "other", [](Call& c) { return answer(c.self().equal(c.tensor(0))); }},
      {"allclose", both, query, "other rtol? atol?",
       [](Call& c) { return answer(c.self().allclose(c.tensor(0), c.real(1, 1e-5), c.real(2, 1e-8))); }},
  };
  table.insert(table.end(), comparisons.begin(), comparisons.end());
}

}  // namespace

std::vector<Operation> query_operations() {
  std::vector<Operation> table{
      {"size", method, query, "dim?", size},
      {"stride", method, query, "dim?", stride},
      {"dim", method, query, "", [](Call& c) { return number(c.self().dim()); }},
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
      {"is_pinned", method, query, "device?", [](Call& c) { return answer(c.self().is_pinned()); }},
      {"is_set_to", method, query, "tensor", [](Call& c) { return answer(c.self().is_same(c.tensor(0))); }},
      {"data_ptr", method, query, "",
       [](Call& c) {
         return number(static_cast<Index>(reinterpret_cast<std::intptr_t>(c.self().data_ptr())));
       }},
      {"storage", method, query, "",
       [](Call& c) { return Value(Value::Variant(StorageElements{c.self().flat_storage()})); }},
      {"untyped_storage", method, query, "", untyped_storage},
      {"item", method, query, "", [](Call& c) { return Value(c.self().item()); }},
      {"tolist", method, query, "", [](Call& c) { return to_list(c.self().tolist()); }},
      {"broadcast_shapes", function, query, "! shapes...", broadcast_shapes_of},
      {"promote_types", function, query, "! type1 type2", promoted},
  };
  add_attributes(table);
  add_comparisons(table);
  return table;
}

}  // namespace tenstride::detail
