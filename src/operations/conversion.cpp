// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/runs.hpp"

/// The tensor itself, or its elements in another type, on another device, in another order of memory.
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
  options.memory_format = call.format(7);
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
                                  .memory_format = call.format(2),
                                  .absent = call.session().absent,
                                  .blocking = blocking_of(call.flag(1))});
}

template <DType Type>
Tensor converted(const Tensor& x, MemoryFormat format, Caller caller) {
  return x.to(ToOptions{.dtype = Type, .memory_format = format}, caller);
}
/// `preserve_format` is the usual one here, and refused where that would be a copy.
bool is_in_format(const Tensor& x, MemoryFormat format) {
  return x.is_contiguous(format == MemoryFormat::preserve ? MemoryFormat::contiguous : format);
}
Tensor made_contiguous(const Tensor& x, MemoryFormat format, Caller caller) {
  return x.contiguous(format, CopyRule::if_needed, caller);
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

}  // namespace

std::vector<Operation> conversion_operations() {
  return {
      {"contiguous(Tensor self, MemoryFormat memory_format=contiguous_format) -> Tensor", method, maybe_self,
       runs_unless<is_in_format, made_contiguous>,
       R"(The very same tensor where its elements lie in row-major order (or that of `memory_format`) already,
else a copy that does. Raises RuntimeError where the format does not fit the rank.

>>> x = torch.arange(6).view(2, 3)
>>> x.contiguous() is x, x.T.contiguous().stride()
(True, (2, 1))
)"},
      // Four by position (device, dtype, non_blocking, copy in PyTorch's overloads), then by name.
      {"to(Tensor self, Tensor|ScalarType|Device? other=None, ScalarType? _dtype=None, bool? "
       "_non_blocking=None, bool? _copy=None, *, ScalarType? dtype=None, Device? device=None, bool? "
       "copy=None, MemoryFormat memory_format=preserve_format, bool? non_blocking=None) -> Tensor",
       method, maybe_self, to,
       R"(The elements in another dtype, on another device or in another memory format; the very same tensor
where all is so already and `copy` is not asked for. A tensor as argument stands for its dtype and
device.

To another device than the cpu and meta it is a transfer, which is foretold of a tensor without memory;
of one with elements it raises RuntimeError. So it does where the format does not fit the rank. Numbers that an integer type does not
hold become its nearest.

>>> x = torch.tensor([1.5, -2.5])
>>> x.to(torch.int32), x.to(torch.float32) is x
(tensor([ 1, -2], dtype=torch.int32), True)
)"},
      {"resolve_conj(Tensor self) -> Tensor", both, maybe_self, runs<&Tensor::resolve_conj>,
       R"(A copy with the conjugates written out where the tensor has the conjugate bit, else the very same
tensor.

>>> torch.tensor([1 + 2j]).conj().resolve_conj().is_conj()
False
)"},
      {"resolve_neg(Tensor self) -> Tensor", both, maybe_self, runs<&Tensor::resolve_neg>,
       R"(A copy with the negatives written out where the tensor has the negative bit, else the very same
tensor.

>>> torch.tensor([1 + 2j]).conj().imag.resolve_neg().is_neg()
False
)"},
      {"bool(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::bool_>>,
       R"(The elements as bool (not zero); the very same tensor where they are already.

>>> torch.tensor([0, 2]).bool()
tensor([False,  True])
)"},
      {"byte(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::uint8>>,
       R"(The elements as uint8; the very same tensor where they are already. Numbers outside become the
nearest.

>>> torch.tensor([1, 2]).byte()
tensor([1, 2], dtype=torch.uint8)
)"},
      {"char(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::int8>>, R"(The elements as int8; the very same tensor where they are already.

>>> torch.tensor([1, 2]).char().dtype
torch.int8
)"},
      {"short(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::int16>>, R"(The elements as int16; the very same tensor where they are already.

>>> torch.tensor([1, 2]).short().dtype
torch.int16
)"},
      {"int(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::int32>>,
       R"(The elements as int32, toward zero; the very same tensor where they are already.

>>> torch.tensor([1.5, -1.5]).int()
tensor([ 1, -1], dtype=torch.int32)
)"},
      {"long(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::int64>>,
       R"(The elements as int64, toward zero; the very same tensor where they are already.

>>> x = torch.arange(2)
>>> x.long() is x
True
)"},
      {"half(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::float16>>,
       R"(The elements as float16; the very same tensor where they are already.

>>> torch.ones(2).half()
tensor([1., 1.], dtype=torch.float16)
)"},
      {"bfloat16(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::bfloat16>>,
       R"(The elements as bfloat16; the very same tensor where they are already.

>>> torch.ones(2).bfloat16().element_size()
2
)"},
      {"float(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::float32>>,
       R"(The elements as float32; the very same tensor where they are already.

>>> torch.arange(2).float()
tensor([0., 1.])
)"},
      {"double(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::float64>>,
       R"(The elements as float64; the very same tensor where they are already.

>>> torch.arange(2).double()
tensor([0., 1.], dtype=torch.float64)
)"},
      {"chalf(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::complex32>>,
       R"(The elements as complex32, of two float16; the very same tensor where they are already.

>>> torch.ones(1).chalf()
tensor([1.+0.j], dtype=torch.complex32)
)"},
      {"cfloat(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::complex64>>,
       R"(The elements as complex64; the very same tensor where they are already.

>>> torch.ones(1).cfloat()
tensor([1.+0.j])
)"},
      {"cdouble(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       runs<converted<DType::complex128>>,
       R"(The elements as complex128; the very same tensor where they are already.

>>> torch.ones(1).cdouble().dtype
torch.complex128
)"},
      {"cpu(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", method, maybe_self,
       [](Call& c) -> Value {
         return c.self().to(
             ToOptions{.device = Device::cpu, .memory_format = c.format(0), .absent = c.session().absent});
       },
       R"(The tensor with memory on the cpu: the very same one where it is there already. Raises RuntimeError
for one on meta, which has no elements. From another device it is a transfer, which is foretold: the
result lies on meta, which stands for the cpu without memory.

>>> x = torch.ones(1)
>>> x.cpu() is x
True
>>> x.to("meta").cuda().cpu().device
device(type='meta')
)"},
      {"cuda(Tensor self, Device|int? device=None, bool non_blocking=False, *, MemoryFormat "
       "memory_format=preserve_format) -> Tensor",
       method, maybe_self, to_kind<DeviceKind::cuda>,
       R"(The tensor on a GPU: a transfer, which is foretold of a tensor without memory (docs/devices.md).
Raises RuntimeError for one with elements: tenstride holds memory on the cpu only.

>>> with torch.CopyLedger() as ledger:
...     y = torch.zeros(2, 3, device="meta").cuda(1)
>>> y.device, ledger.transfers, ledger.bytes_transferred
(device(type='cuda', index=1), 1, 24)
)"},
      {"xpu(Tensor self, Device|int? device=None, bool non_blocking=False, *, MemoryFormat "
       "memory_format=preserve_format) -> Tensor",
       method, maybe_self, to_kind<DeviceKind::xpu>,
       R"(The tensor on an Intel GPU: a transfer, which is foretold as that of `cuda`, with its refusals.

>>> torch.zeros(2, 3, device="meta").xpu().device
device(type='xpu', index=0)
)"},
      {"pin_memory(Tensor self, Device? device=None) -> Tensor", method, maybe_self,
       [](Call& c) -> Value { return c.self().pin_memory(c.session().absent); },
       R"(The tensor in page-locked memory, from which a device reads without a detour: a copy, or the very same
tensor where it is pinned already. Foretold, of a tensor without memory. Raises RuntimeError for one with
elements, as there is no device here.

>>> x = torch.zeros(2, device="meta").pin_memory()
>>> x.is_pinned(), x.pin_memory() is x
(True, True)
)"},
      {"type(Tensor self, ScalarType? dtype=None) -> Tensor", method, maybe_self, type,
       R"(Without an argument the name of the element type; with a dtype the elements converted, as `to` does.

>>> torch.ones(1).type(torch.int64)
tensor([1])
)"},
      {"type_as(Tensor self, Tensor other) -> Tensor", method, maybe_self,
       [](Call& c) -> Value {
         return c.self().to(ToOptions{
             .dtype = c.tensor(0).dtype(), .device = c.tensor(0).device(), .absent = c.session().absent});
       },
       R"(The tensor in the type, and on the device, of another; itself where it is there.

>>> torch.arange(2).type_as(torch.zeros(1))
tensor([0., 1.])
)"},
  };
}

}  // namespace tenstride::detail
