// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/copy.hpp"
#include "base/message.hpp"
#include "operations/call.hpp"
#include "ops/out.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations that give a copy, always or where one is needed.
namespace tenstride::detail {
namespace {

constexpr auto maybe_self = OpClass::self_or_copy;

Blocking blocking_of(bool is_non_blocking) {
  return is_non_blocking ? Blocking::non_blocking : Blocking::blocking;
}

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
  bool is_non_blocking = false;
  bool always = false;
  for (std::size_t flag = 0; next < 4; ++next, ++flag) {
    if (flag == 0) is_non_blocking = call.flag(next, false);
    if (flag == 1) always = call.flag(next, false);
  }
  if (call.has(4)) options.dtype = call.dtype(4);
  if (call.has(5)) options.device = call.device(5);
  if (call.flag(6, always)) options.copy = CopyRule::always;
  options.memory_format = call.format(7).value_or(MemoryFormat::preserve);
  options.blocking = blocking_of(call.flag(8, is_non_blocking));
  options.absent = call.session().absent;
  return call.self().to(options);
}

/// `x.cuda()`, `x.xpu("xpu:1")`.
template <DeviceKind Kind>
Value to_kind(Call& call) {
  Device target(Kind);
  if (call.is_index(0)) {
    const Index index = call.index(0);
    if (index < 0 || index > 127) {
      throw RuntimeError(message(name(Kind), ": device index ", index, " must be in 0..127"));
    }
    target = Device(Kind, static_cast<int>(index));
  } else if (call.has(0)) {
    target = *call.device(0);
  }
  if (target.kind() != Kind) {
    throw RuntimeError(message(name(Kind), ": device '", name(target), "' must be of kind ", name(Kind)));
  }
  return call.self().to(ToOptions{.device = target,
                                  .memory_format = call.format(2).value_or(MemoryFormat::preserve),
                                  .absent = call.session().absent,
                                  .blocking = blocking_of(call.flag(1, false))});
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
    case DType::complex32:
      return "torch.ComplexHalfTensor";
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
  }
  __builtin_unreachable();  // a DType holds one of its enumerators
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

/// The positions of the repeats: `repeat_interleave(tensor([1, 2]))` is [0, 1, 1].
Tensor repeated_positions(const Tensor& repeats) {
  if (repeats.dim() != 1) {
    throw RuntimeError(
        message("repeat_interleave: repeats alone must have 1 axis (shape ", repeats.shape(), ")"));
  }
  return arange(repeats.numel(), {.dtype = repeats.dtype(), .device = repeats.device()})
      .repeat_interleave(repeats, 0);
}

/// The result on meta: without the numbers, `output_size` alone says how many elements there will be.
Tensor repeated_on_meta(const Call& call, bool is_alone) {
  const Tensor& self = call.self();
  const bool has_axis = !is_alone && call.has(1);
  Dims shape = has_axis ? self.shape() : Dims{0};
  const std::size_t d = has_axis ? wrap_axis("repeat_interleave", call.index(1), shape) : 0;
  shape[d] = call.index(2);
  return empty(shape, {.dtype = self.dtype(), .device = self.device()});
}

/// Parameter 2 is `output_size`, which must be the size that the axis then has.
Value repeat_interleave(Call& call) {
  const Tensor& self = call.self();
  const bool is_alone = !call.has(0);
  if (is_alone && (call.was_given(0) || call.has(1))) call.fail_type(0, "an int or a Tensor");
  if (const Tensor* repeats = is_alone ? &self : call.value(0).tensor();
      repeats != nullptr && !repeats->has_memory() && call.has(2)) {
    return repeated_on_meta(call, is_alone);
  }
  const Tensor result = is_alone ? repeated_positions(self)
                        : call.is_tensor(0) && !call.is_index(0)
                            ? self.repeat_interleave(call.tensor(0), call.maybe_index(1))
                            : self.repeat_interleave(call.index(0), call.maybe_index(1));
  const Index size = result.size(is_alone ? 0 : call.index(1, 0));
  if (call.has(2) && call.index(2) != size) {
    throw RuntimeError(message("repeat_interleave: output_size ", call.index(2), " must be ", size,
                               ", the size that the repeats make (shape ", self.shape(), ")"));
  }
  return result;
}

Value squeeze_copy(Call& call) {
  if (!call.has(0)) return into_out(call, 1, tenstride::squeeze_copy(call.self()));
  if (call.is_index(0)) return into_out(call, 1, tenstride::squeeze_copy(call.self(), call.index(0)));
  return into_out(call, 1, tenstride::squeeze_copy(call.self(), call.dims_or_index(0)));
}

Value view_copy(Call& call) {
  if (!call.has(0) && !call.has(1)) call.fail_type(0, "sizes or a dtype");
  if (call.has(0) && !call.is_dtype(0)) {
    return into_out(call, 2, tenstride::view_copy(call.self(), call.dims(0)));
  }
  return into_out(call, 2, tenstride::view_copy(call.self(), call.has(0) ? *call.dtype(0) : *call.dtype(1)));
}

/// The tensors of `out`, one for each part.
std::vector<Value> outs_of(const Call& call, std::size_t parameter, std::size_t parts) {
  const Value::Sequence* outs = call.value(parameter).sequence();
  if (outs == nullptr) call.fail_type(parameter, "a tuple of tensors");
  static_cast<void>(call.tensors(parameter));
  if (outs->items.size() == parts) return outs->items;
  throw RuntimeError(message(call.operation().name, ": out must have ", parts,
                             " tensors, one for each part, not ", outs->items.size()));
}

/// Copies the parts that an earlier tensor of `out` lies in the memory of, which are read after that is
/// written.
void keep_apart(const Tensor& whole, std::vector<Tensor>& parts, const std::vector<Value>& outs) {
  for (std::size_t i = 0; i + 1 < outs.size(); ++i) {
    const Tensor& out = *outs[i].tensor();
    if (!may_overlap(out, whole)) continue;
    for (std::size_t k = i + 1; k < parts.size(); ++k) parts[k] = apart_from(out, parts[k]);
  }
}

/// Each part by `copy_` into the tensor of `out` for it, which broadcasts and converts; gives None, as
/// PyTorch does.
Value parts_into(Call& call, std::size_t parameter, std::vector<Tensor> parts) {
  std::vector<Value> outs = outs_of(call, parameter, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    require_no_partial_overlap("copy_", *outs[i].tensor(), parts[i]);
  }
  keep_apart(call.self(), parts, outs);
  for (std::size_t i = 0; i < parts.size(); ++i) outs[i].tensor()->copy_(parts[i]);
  return {};
}

Value split_parts(Call& call) {
  const Index size = call.index(0), dim = call.index(1, 0);
  if (call.has(2)) return parts_into(call, 2, call.self().split(size, dim));
  return tuple_value(split_copy(call.self(), size, dim));
}
Value unbound_parts(Call& call) {
  const Index dim = call.index(0, 0);
  if (call.has(1)) return parts_into(call, 1, call.self().unbind(dim));
  return tuple_value(unbind_copy(call.self(), dim));
}
/// Here PyTorch resizes the tensors of `out`, and converts nothing.
Value sized_parts(Call& call) {
  const Dims sizes = call.dims(0);
  const Index dim = call.index(1, 0);
  if (!call.has(2)) return tuple_value(split_with_sizes_copy(call.self(), sizes, dim));
  std::vector<Tensor> parts = call.self().split_with_sizes(sizes, dim);
  std::vector<Value> outs = outs_of(call, 2, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Tensor& out = *outs[i].tensor();
    const Layout layout{parts[i].shape(), row_major_strides(parts[i].shape()), 0};
    prepare_out(call.operation().name, out, layout, parts[i].dtype(), parts[i].device(), OutType::same,
                std::span(&parts[i], 1));
  }
  keep_apart(call.self(), parts, outs);
  for (std::size_t i = 0; i < parts.size(); ++i) copy_elements(*outs[i].tensor(), parts[i]);
  return {};
}

template <Tensor (*Op)(TensorList, Caller), Tensor& (*Into)(Tensor&, TensorList, Caller)>
Value joined(Call& call) {
  if (!call.has(1)) return Op(call.tensors(0), {});
  Into(call.mutable_tensor(1), call.tensors(0), {});
  return call.value(1);
}
template <Tensor (*Op)(TensorList, Index, Caller), Tensor& (*Into)(Tensor&, TensorList, Index, Caller)>
Value joined_along(Call& call) {
  if (!call.has(2)) return Op(call.tensors(0), call.index(1, 0), {});
  Into(call.mutable_tensor(2), call.tensors(0), call.index(1, 0), {});
  return call.value(2);
}

constexpr std::string_view joining = "! tensors dim? | out?";
constexpr std::string_view stacking = "! tensors | out?";
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
      {"chalf", method, maybe_self, converting, to_type<DType::complex32>},
      {"cfloat", method, maybe_self, converting, to_type<DType::complex64>},
      {"cdouble", method, maybe_self, converting, to_type<DType::complex128>},
      {"cpu", method, maybe_self, converting,
       [](Call& c) -> Value {
         return c.self().to(ToOptions{.device = Device::cpu,
                                      .memory_format = c.format(0).value_or(MemoryFormat::preserve),
                                      .absent = c.session().absent});
       }},
      {"cuda", method, maybe_self, "device? non_blocking? | memory_format?", to_kind<DeviceKind::cuda>},
      {"xpu", method, maybe_self, "device? non_blocking? | memory_format?", to_kind<DeviceKind::xpu>},
      {"pin_memory", method, maybe_self, "device?",
       [](Call& c) -> Value { return c.self().pin_memory(c.session().absent); }},
      {"type", method, maybe_self, "dtype?", type},
      {"type_as", method, maybe_self, "other",
       [](Call& c) -> Value {
         return c.self().to(ToOptions{
             .dtype = c.tensor(0).dtype(), .device = c.tensor(0).device(), .absent = c.session().absent});
       }},
  };
  table.insert(table.end(), conversions.begin(), conversions.end());
}

void add_view_copies(std::vector<Operation>& table) {
  const std::vector<Operation> copies{
      {"alias_copy", function, copy, "| out?",
       [](Call& c) -> Value { return into_out(c, 0, alias_copy(c.self())); }},
      {"detach_copy", function, copy, "| out?",
       [](Call& c) -> Value { return into_out(c, 0, detach_copy(c.self())); }},
      {"as_strided_copy", function, copy, "size stride storage_offset? | out?",
       [](Call& c) -> Value {
         return into_out(c, 3, as_strided_copy(c.self(), c.dims(0), c.dims(1), c.maybe_index(2)));
       }},
      {"diagonal_copy", function, copy, "offset? dim1? dim2? | out?",
       [](Call& c) -> Value {
         return into_out(c, 3, diagonal_copy(c.self(), c.index(0, 0), c.index(1, 0), c.index(2, 1)));
       }},
      {"expand_copy", function, copy, "size | out?",
       [](Call& c) -> Value { return into_out(c, 1, expand_copy(c.self(), c.dims(0))); }},
      {"narrow_copy", method, copy, "dim start length",
       [](Call& c) -> Value { return narrow_copy(c.self(), c.index(0), c.index(1), c.index(2)); }},
      {"narrow_copy", function, copy, "dim start length | out?",
       [](Call& c) -> Value {
         return into_out(c, 3, narrow_copy(c.self(), c.index(0), c.index(1), c.index(2)));
       }},
      {"permute_copy", function, copy, "dims | out?",
       [](Call& c) -> Value { return into_out(c, 1, permute_copy(c.self(), c.dims(0))); }},
      {"select_copy", function, copy, "dim index | out?",
       [](Call& c) -> Value { return into_out(c, 2, select_copy(c.self(), c.index(0), c.index(1))); }},
      {"slice_copy", function, copy, "dim? start? end? step? | out?",
       [](Call& c) -> Value {
         return into_out(
             c, 4, slice_copy(c.self(), c.index(0, 0), c.maybe_index(1), c.maybe_index(2), c.index(3, 1)));
       }},
      {"squeeze_copy", function, copy, "dim? | out?", squeeze_copy},
      {"t_copy", function, copy, "| out?", [](Call& c) -> Value { return into_out(c, 0, t_copy(c.self())); }},
      {"transpose_copy", function, copy, "dim0 dim1 | out?",
       [](Call& c) -> Value { return into_out(c, 2, transpose_copy(c.self(), c.index(0), c.index(1))); }},
      {"unfold_copy", function, copy, "dimension size step | out?",
       [](Call& c) -> Value {
         return into_out(c, 3, unfold_copy(c.self(), c.index(0), c.index(1), c.index(2)));
       }},
      {"unsqueeze_copy", function, copy, "dim | out?",
       [](Call& c) -> Value { return into_out(c, 1, unsqueeze_copy(c.self(), c.index(0))); }},
      {"view_copy", function, copy, "size? | dtype? out?", view_copy},
      {"view_as_real_copy", function, copy, "| out?",
       [](Call& c) -> Value { return into_out(c, 0, view_as_real_copy(c.self())); }},
      {"view_as_complex_copy", function, copy, "| out?",
       [](Call& c) -> Value { return into_out(c, 0, view_as_complex_copy(c.self())); }},
      {"split_copy", function, copy, "split_size dim? | out?", split_parts},
      {"split_with_sizes_copy", function, copy, "split_sizes dim? | out?", sized_parts},
      {"unbind_copy", function, copy, "dim? | out?", unbound_parts},
  };
  table.insert(table.end(), copies.begin(), copies.end());
}

}  // namespace

Value into_out(Call& call, std::size_t parameter, Tensor result, std::initializer_list<Tensor> read) {
  if (!call.has(parameter)) return result;
  Tensor& out = call.mutable_tensor(parameter);
  prepare_out(call.operation().name, out, result.layout(), result.dtype(), result.device(), OutType::same,
              std::span(read.begin(), read.size()));
  copy_elements(out, result);
  return call.value(parameter);
}

std::vector<Operation> copy_operations() {
  std::vector<Operation> table{
      {"contiguous", method, maybe_self, "memory_format?",
       [](Call& c) -> Value { return c.self().contiguous(c.format(0).value_or(MemoryFormat::contiguous)); }},
      // Four by position (device, dtype, non_blocking, copy in PyTorch's overloads), then by name.
      {"to", method, maybe_self,
       "other? _dtype? _non_blocking? _copy? | dtype? device? copy? memory_format? non_blocking?", to},
      {"resolve_conj", both, maybe_self, "", [](Call& c) -> Value { return c.self().resolve_conj(); }},
      {"resolve_neg", both, maybe_self, "", [](Call& c) -> Value { return c.self().resolve_neg(); }},
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
      {"repeat_interleave", method, copy, "repeats dim? | output_size?", repeat_interleave},
      {"repeat_interleave", function, copy, "repeats? dim? | output_size?", repeat_interleave},
      {"tril", method, copy, "diagonal?", [](Call& c) -> Value { return c.self().tril(c.index(0, 0)); }},
      {"tril", function, copy, "diagonal? | out?",
       [](Call& c) -> Value { return into_out(c, 1, c.self().tril(c.index(0, 0))); }},
      {"triu", method, copy, "diagonal?", [](Call& c) -> Value { return c.self().triu(c.index(0, 0)); }},
      {"triu", function, copy, "diagonal? | out?",
       [](Call& c) -> Value { return into_out(c, 1, c.self().triu(c.index(0, 0))); }},
      {"cat", function, copy, joining, joined_along<cat, cat_out>},
      {"concat", function, copy, joining, joined_along<concat, cat_out>},
      {"concatenate", function, copy, joining, joined_along<concatenate, cat_out>},
      {"stack", function, copy, joining, joined_along<stack, stack_out>},
      {"hstack", function, copy, stacking, joined<hstack, hstack_out>},
      {"vstack", function, copy, stacking, joined<vstack, vstack_out>},
      {"row_stack", function, copy, stacking, joined<row_stack, vstack_out>},
      {"dstack", function, copy, stacking, joined<dstack, dstack_out>},
      {"column_stack", function, copy, stacking, joined<column_stack, column_stack_out>},
      {"block_diag", function, copy, "! tensors...",
       [](Call& c) -> Value { return block_diag(c.tensors(0)); }},
  };
  add_conversions(table);
  add_view_copies(table);
  return table;
}

}  // namespace tenstride::detail
