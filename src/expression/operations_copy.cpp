// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"
#include "message.hpp"
#include "tenstride/ops.hpp"

/// Operations that give a copy, always or where one is needed.
namespace tenstride::detail {
namespace {

constexpr auto copy = OpClass::copy;
constexpr auto maybe_self = OpClass::self_or_copy;

/// `to(dtype)`, `to(device)`, `to(device, dtype)`, `to(other)` and the same by name.
Value to(Call& call) {
  ToOptions options;
  std::size_t next = 0;
  if (call.is_tensor(0)) {
    options.dtype = call.tensor(0).dtype();
    options.device = call.tensor(0).device();
    next = 1;
  } else {
    if (call.has(0) && !call.is_dtype(0)) options.device = call.device(next++);
    if (call.has(next) && call.is_dtype(next)) options.dtype = call.dtype(next++);
    if (next == 0 && call.has(0)) call.fail_type(0, "a dtype, a device or a Tensor");
  }
  bool always = false;
  for (std::size_t flag = 0; next < 4; ++next, ++flag) {
    if (flag == 1) always = call.flag(next, always);
    if (flag < 1 && call.has(next))
      static_cast<void>(call.flag(next, false));  // non_blocking changes nothing here
  }
  if (call.has(4)) options.dtype = call.dtype(4);
  if (call.has(5)) options.device = call.device(5);
  if (call.flag(6, always)) options.copy = CopyRule::always;
  options.memory_format = call.format(7).value_or(MemoryFormat::preserve);
  return call.self().to(options);
}

template <DType Type>
Value to_type(Call& call) {
  return call.self().to(
      ToOptions{.dtype = Type, .memory_format = call.format(0).value_or(MemoryFormat::preserve)});
}

/// The name that PyTorch's tensor classes once had: "torch.FloatTensor".
std::string class_name(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "torch.BoolTensor";
    case DType::uint8:
      return "torch.ByteTensor";
    case DType::int8:
      return "torch.CharTensor";
    case DType::int16:
      return "torch.ShortTensor";
    case DType::int32:
      return "torch.IntTensor";
    case DType::int64:
      return "torch.LongTensor";
    case DType::float16:
      return "torch.HalfTensor";
    case DType::bfloat16:
      return "torch.BFloat16Tensor";
    case DType::float32:
      return "torch.FloatTensor";
    case DType::float64:
      return "torch.DoubleTensor";
    case DType::complex64:
      return "torch.ComplexFloatTensor";
    case DType::complex128:
      return "torch.ComplexDoubleTensor";
    case DType::uint16:
      return "torch.UInt16Tensor";
    case DType::uint32:
      return "torch.UInt32Tensor";
    case DType::uint64:
      return "torch.UInt64Tensor";
    case DType::float8_e4m3fn:
      return "torch.Float8_e4m3fnTensor";
    case DType::float8_e5m2:
      return "torch.Float8_e5m2Tensor";
    default:
      return "torch.Tensor";
  }
}

/// `type()`, `type(torch.int32)`, `type("torch.IntTensor")`.
Value type(Call& call) {
  const Tensor& self = call.self();
  if (!call.has(0)) {
    std::string known = class_name(self.dtype());
    if (self.is_meta()) known.insert(std::string_view("torch.").size(), "meta.");
    return Value(Value::Variant(known));
  }
  if (std::holds_alternative<std::string>(call.value(0).variant())) {
    const std::string given = call.text(0);
    for (std::size_t i = 0; i < dtype_count; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (class_name(dtype) == given) return self.to(dtype);
    }
    throw ValueError(message("type: '", given, "' must be the name of a type, e.g. 'torch.FloatTensor'"));
  }
  return self.to(*call.dtype(0));
}

Value roll(Call& call) {
  return call.self().roll(call.dims_or_index(0), call.has(1) ? call.dims_or_index(1) : Dims{});
}

Value repeat_interleave(Call& call) {
  if (call.is_tensor(0) && !call.is_index(0)) {
    return call.self().repeat_interleave(call.tensor(0), call.maybe_index(1));
  }
  return call.self().repeat_interleave(call.index(0), call.maybe_index(1));
}

Value squeeze_copy(Call& call) {
  if (!call.has(0)) return tenstride::squeeze_copy(call.self());
  if (call.is_index(0)) return tenstride::squeeze_copy(call.self(), call.index(0));
  return tenstride::squeeze_copy(call.self(), call.dims_or_index(0));
}

Value view_copy(Call& call) {
  if (call.has(0) && !call.is_dtype(0)) return tenstride::view_copy(call.self(), call.dims(0));
  return tenstride::view_copy(call.self(), call.has(0) ? *call.dtype(0) : *call.dtype(1));
}

template <Tensor (*Op)(TensorList, Caller)>
Value joined(Call& call) {
  return Op(call.tensors(0), {});
}
template <Tensor (*Op)(TensorList, Index, Caller)>
Value joined_along(Call& call) {
  return Op(call.tensors(0), call.index(1, 0), {});
}

constexpr std::string_view joining = "! tensors dim?";
constexpr std::string_view converting = "| memory_format?";

void add_conversions(std::vector<Operation>& table) {
  const std::vector<Operation> conversions{
      {"bool", method, maybe_self, converting, to_type<DType::bool_>},
      {"byte", method, maybe_self, converting, to_type<DType::uint8>},
      {"char", method, maybe_self, converting, to_type<DType::int8>},
      {"short", method, maybe_self, converting, to_type<DType::int16>},
      {"int", method, maybe_self, converting, to_type<DType::int32>},
      {"long", method, maybe_self, converting, to_type<DType::int64>},
      {"half", method, maybe_self, converting, to_type<DType::float16>},
      {"bfloat16", method, maybe_self, converting, to_type<DType::bfloat16>},
      {"float", method, maybe_self, converting, to_type<DType::float32>},
      {"double", method, maybe_self, converting, to_type<DType::float64>},
      {"cfloat", method, maybe_self, converting, to_type<DType::complex64>},
      {"cdouble", method, maybe_self, converting, to_type<DType::complex128>},
      {"cpu", method, maybe_self, converting,
       [](Call& c) -> Value {
         return c.self().to(
             ToOptions{.device = Device::cpu, .memory_format = c.format(0).value_or(MemoryFormat::preserve)});
       }},
      {"type", method, maybe_self, "dtype?", type},
  };
  table.insert(table.end(), conversions.begin(), conversions.end());
}

void add_view_copies(std::vector<Operation>& table) {
  const std::vector<Operation> copies{
      {"alias_copy", function, copy, "", [](Call& c) -> Value { return alias_copy(c.self()); }},
      {"detach_copy", function, copy, "", [](Call& c) -> Value { return detach_copy(c.self()); }},
      {"as_strided_copy", function, copy, "size stride storage_offset?",
       [](Call& c) -> Value { return as_strided_copy(c.self(), c.dims(0), c.dims(1), c.maybe_index(2)); }},
      {"diagonal_copy", function, copy, "offset? dim1? dim2?",
       [](Call& c) -> Value { return diagonal_copy(c.self(), c.index(0, 0), c.index(1, 0), c.index(2, 1)); }},
      {"expand_copy", function, copy, "size",
       [](Call& c) -> Value { return expand_copy(c.self(), c.dims(0)); }},
      {"narrow_copy", both, copy, "dim start length",
       [](Call& c) -> Value { return narrow_copy(c.self(), c.index(0), c.index(1), c.index(2)); }},
      {"permute_copy", function, copy, "dims",
       [](Call& c) -> Value { return permute_copy(c.self(), c.dims(0)); }},
      {"select_copy", function, copy, "dim index",
       [](Call& c) -> Value { return select_copy(c.self(), c.index(0), c.index(1)); }},
      {"slice_copy", function, copy, "dim? start? end? step?",
       [](Call& c) -> Value {
         return slice_copy(c.self(), c.index(0, 0), c.maybe_index(1), c.maybe_index(2), c.index(3, 1));
       }},
      {"squeeze_copy", function, copy, "dim?", squeeze_copy},
      {"t_copy", function, copy, "", [](Call& c) -> Value { return t_copy(c.self()); }},
      {"transpose_copy", function, copy, "dim0 dim1",
       [](Call& c) -> Value { return transpose_copy(c.self(), c.index(0), c.index(1)); }},
      {"unfold_copy", function, copy, "dimension size step",
       [](Call& c) -> Value { return unfold_copy(c.self(), c.index(0), c.index(1), c.index(2)); }},
      {"unsqueeze_copy", function, copy, "dim",
       [](Call& c) -> Value { return unsqueeze_copy(c.self(), c.index(0)); }},
      {"view_copy", function, copy, "size? | dtype?", view_copy},
      {"view_as_real_copy", function, copy, "", [](Call& c) -> Value { return view_as_real_copy(c.self()); }},
      {"view_as_complex_copy", function, copy, "",
       [](Call& c) -> Value { return view_as_complex_copy(c.self()); }},
      {"split_copy", function, copy, "split_size dim?",
       [](Call& c) -> Value { return tuple_value(split_copy(c.self(), c.index(0), c.index(1, 0))); }},
      {"split_with_sizes_copy", function, copy, "split_sizes dim?",
       [](Call& c) -> Value {
         return tuple_value(split_with_sizes_copy(c.self(), c.dims(0), c.index(1, 0)));
       }},
      {"unbind_copy", function, copy, "dim?",
       [](Call& c) -> Value { return tuple_value(unbind_copy(c.self(), c.index(0, 0))); }},
  };
  table.insert(table.end(), copies.begin(), copies.end());
}

}  // namespace

std::vector<Operation> copy_operations() {
  std::vector<Operation> table{
      {"contiguous", method, maybe_self, "memory_format?",
       [](Call& c) -> Value { return c.self().contiguous(c.format(0).value_or(MemoryFormat::contiguous)); }},
      // Four by position (device, dtype, non_blocking, copy in PyTorch's overloads), then by name.
      {"to", method, maybe_self,
       "other? _dtype? _non_blocking? _copy? | dtype? device? copy? memory_format? non_blocking?", to},
      {"resolve_conj", both, maybe_self, "", [](Call& c) -> Value { return c.self().resolve_conj(); }},
      {"clone", both, copy, "| memory_format?",
       [](Call& c) -> Value { return c.self().clone(c.format(0).value_or(MemoryFormat::preserve)); }},
      {"flip", both, copy, "dims...", [](Call& c) -> Value { return c.self().flip(c.dims(0)); }},
      {"fliplr", both, copy, "", [](Call& c) -> Value { return c.self().fliplr(); }},
      {"flipud", both, copy, "", [](Call& c) -> Value { return c.self().flipud(); }},
      {"rot90", both, copy, "k? dims?",
       [](Call& c) -> Value {
         return c.self().rot90(c.index(0, 1), c.has(1) ? c.dims(1) : Dims{0, 1});
       }},
      {"roll", both, copy, "shifts dims?", roll},
      {"repeat", method, copy, "repeats...", [](Call& c) -> Value { return c.self().repeat(c.dims(0)); }},
      {"tile", both, copy, "dims...", [](Call& c) -> Value { return c.self().tile(c.dims(0)); }},
      {"repeat_interleave", both, copy, "repeats dim?", repeat_interleave},
      {"tril", both, copy, "diagonal?", [](Call& c) -> Value { return c.self().tril(c.index(0, 0)); }},
      {"triu", both, copy, "diagonal?", [](Call& c) -> Value { return c.self().triu(c.index(0, 0)); }},
      {"cat", function, copy, joining, joined_along<cat>},
      {"concat", function, copy, joining, joined_along<concat>},
      {"concatenate", function, copy, joining, joined_along<concatenate>},
      {"stack", function, copy, joining, joined_along<stack>},
      {"hstack", function, copy, "! tensors", joined<hstack>},
      {"vstack", function, copy, "! tensors", joined<vstack>},
      {"row_stack", function, copy, "! tensors", joined<row_stack>},
      {"dstack", function, copy, "! tensors", joined<dstack>},
      {"column_stack", function, copy, "! tensors", joined<column_stack>},
      {"block_diag", function, copy, "! tensors...", joined<block_diag>},
  };
  add_conversions(table);
  add_view_copies(table);
  return table;
}

}  // namespace tenstride::detail
