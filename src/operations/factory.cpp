// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations that make a tensor of nothing but numbers, and the like of another tensor.
namespace tenstride::detail {
namespace {

/// What `make(options)` gives; where `out` is given, that in the sizes, once `fill(out)` has filled it.
template <typename Make, typename Fill>
Value made(Call& call, std::size_t at, const Dims& size, const Make& make, const Fill& fill) {
  const TensorOptions chosen = call.fresh_options(at);
  const std::optional<std::size_t> out = call.out_parameter();
  return out ? fill_out(call, *out, size, fill) : make(chosen);
}

/// `x.new_zeros(...)`: dtype and device of the tensor by default.
TensorOptions new_options(const Call& call, std::size_t at) {
  return {call.dtype(at).value_or(call.self().dtype()), call.device_for_fresh(at + 1, call.self().device())};
}

Value empty_of(Call& call) {
  if (call.has(3) && call.out_parameter()) {
    throw RuntimeError("empty: memory_format must not be given together with out");
  }
  const Dims size = call.dims(0);
  const auto make = [&](TensorOptions chosen) -> Value {
    chosen.memory_format = call.format(3);
    return empty(size, chosen);
  };
  return made(call, 1, size, make, [](Tensor&) {});
}

Value zeros_of(Call& call) {
  const Dims size = call.dims(0);
  return made(
      call, 1, size, [&](const TensorOptions& chosen) -> Value { return zeros(size, chosen); },
      [](Tensor& out) { out.zero_(); });
}

Value ones_of(Call& call) {
  const Dims size = call.dims(0);
  return made(
      call, 1, size, [&](const TensorOptions& chosen) -> Value { return ones(size, chosen); },
      [](Tensor& out) { out.fill_(1); });
}

Value full_of(Call& call) {
  const Dims size = call.dims(0);
  const Scalar value = call.number(1);
  return made(
      call, 2, size, [&](const TensorOptions& chosen) -> Value { return full(size, value, chosen); },
      [&](Tensor& out) { out.fill_(value); });
}

Value eye_of(Call& call) {
  const Index n = call.index(0);
  const std::optional<Index> m = call.maybe_index(1);
  return made(
      call, 2, {n, m.value_or(n)}, [&](const TensorOptions& chosen) -> Value { return eye(n, m, chosen); },
      [](Tensor& out) { out.zero_().diagonal().fill_(1); });
}

/// `arange(end)`, `arange(start, end)`, `arange(start, end, step)`.
Value arange_of(Call& call) {
  const TensorOptions chosen = call.fresh_options(3);
  if (!call.has(1)) {
    if (!call.has(0)) throw TypeError("arange: the end must be given");
    return numbers_into_out(call, arange(call.number(0), chosen));
  }
  return numbers_into_out(call, arange(call.has(0) ? call.number(0) : Scalar(0), call.number(1),
                                       call.has(2) ? call.number(2) : Scalar(1), chosen));
}

Value linspace_of(Call& call) {
  return numbers_into_out(call,
                          linspace(call.number(0), call.number(1), call.index(2), call.fresh_options(3)));
}

bool holds_none(const Value& value) {
  if (value.sequence() == nullptr) return value.is_none();
  const std::vector<Value>& items = value.sequence()->items;
  return std::any_of(items.begin(), items.end(), holds_none);
}

/// What `tensor` and `new_tensor` make of their data.
Value made_of_data(Call& call, TensorOptions chosen) {
  if (!chosen.dtype) chosen.dtype = dtype_of_tensors(call.value(0));
  const Nested numbers = call.nested(0, chosen.dtype);
  if (chosen.device.is_host()) return tensor(numbers, chosen);
  // As PyTorch does it: made on the cpu, and then sent.
  const Device target = std::exchange(chosen.device, Device::meta);
  return tensor(numbers, chosen).to(target);
}

Value copy_of_data(const Call& call, std::optional<DType> dtype, std::optional<Device> device) {
  return call.tensor(0).to(
      ToOptions{.dtype = dtype, .device = device, .copy = CopyRule::always, .absent = call.session().absent});
}

Value tensor_of(Call& call) {
  if (call.is_tensor(0)) return copy_of_data(call, call.dtype(1), call.fresh_device(2));
  if (!call.has(1) && holds_none(call.value(0))) {
    throw RuntimeError("tensor: None must be a number, or the dtype be given (it tells no dtype)");
  }
  return made_of_data(call, call.fresh_options(1));
}

Value new_tensor_of(Call& call) {
  const TensorOptions chosen = new_options(call, 1);
  if (call.is_tensor(0)) return copy_of_data(call, chosen.dtype, chosen.device);
  return made_of_data(call, chosen);
}

Value size_value(Call& call) {
  return Value::size_of(call.dims(0));
}

Value device_value(Call& call) {
  if (!call.has(0)) call.fail_type(0, "a device");
  Device device = *call.device(0);
  if (call.has(1)) {
    const Index index = call.index(1);
    if (device.index()) {
      throw RuntimeError(message("device: '", name(device),
                                 "' must not have an index of its own where index ", index, " is given"));
    }
    if (index < 0 || index > 127) throw RuntimeError(message("device: index ", index, " must be in 0..127"));
    device = Device(device.kind(), static_cast<int>(index));
  }
  return Value(Value::Variant(device));
}

/// What small factories give that are told no more than sizes and a type.
template <Tensor (*make)(const Dims&, const TensorOptions&, Caller)>
Tensor of_type(const Dims& size, std::optional<DType> dtype, Caller caller) {
  return make(size, {.dtype = dtype}, caller);
}
Tensor full_of_type(const Dims& size, const Scalar& value, std::optional<DType> dtype, Caller caller) {
  return full(size, value, {.dtype = dtype}, caller);
}

}  // namespace

std::vector<Operation> factory_operations() {
  return {
      {"empty(int... size, *, ScalarType? dtype=None, Device? device=None, MemoryFormat "
       "memory_format=contiguous_format, bool requires_grad=False, Layout? layout=None, Tensor? out=None) -> "
       "Tensor",
       function, fresh, makes_or<empty_of, of_type<empty>>,
       R"(A tensor of the given sizes whose elements are whatever the memory held; of the default type unless
`dtype` says otherwise.

Raises RuntimeError where a size is negative or the memory cannot be had. `device="meta"` takes no
memory.

>>> torch.empty(2, 3).shape
torch.Size([2, 3])
)"},
      {"zeros(int... size, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh,
       makes_or<zeros_of, of_type<zeros>>,
       R"(A tensor of the given sizes filled with 0; of the default type unless `dtype` says otherwise. Raises
RuntimeError where a size is negative.

>>> torch.zeros(2, 2)
tensor([[0., 0.],
        [0., 0.]])
)"},
      {"ones(int... size, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh,
       makes_or<ones_of, of_type<ones>>,
       R"(A tensor of the given sizes filled with 1; of the default type unless `dtype` says otherwise. Raises
RuntimeError where a size is negative.

>>> torch.ones(3, dtype=torch.int64)
tensor([1, 1, 1])
)"},
      {"full(int[] size, Scalar fill_value, *, TensorOptions options, Tensor? out=None) -> Tensor", function,
       fresh, makes_or<full_of, full_of_type>,
       R"(A tensor of the given sizes filled with a number, of the number's type unless `dtype` says
otherwise: bool, int64, or the default type, real or complex. Raises RuntimeError where a size is negative.

>>> torch.full((2,), 7)
tensor([7, 7])
)"},
      {"empty_strided(int[] size, int[] stride, *, TensorOptions options) -> Tensor", function, fresh,
       makes<empty_strided>,
       R"(A tensor of the given sizes and strides whose elements are whatever the memory held. Raises
RuntimeError where the counts differ or a stride is negative.

>>> torch.empty_strided((2, 3), (1, 2)).stride()
(1, 2)
)"},
      {"arange(Scalar? start=None, Scalar? end=None, Scalar step=1, *, TensorOptions options, Tensor? "
       "out=None) -> Tensor",
       function, fresh, arange_of,
       R"(The numbers from `start` (0) to before `end`, `step` (1) apart: int64 for ints, the default type where
one is a float. Raises RuntimeError where `step` is 0 or leads away from the end.

>>> torch.arange(1, 8, 3)
tensor([1, 4, 7])
)"},
      {"linspace(Scalar start, Scalar end, int steps, *, TensorOptions options, Tensor? out=None) -> Tensor",
       function, fresh, linspace_of,
       R"(`steps` numbers in equal distances from `start` to `end`, both included; of the default type. Raises
RuntimeError where `steps` is negative.

>>> torch.linspace(0, 1, 3)
tensor([0.0000, 0.5000, 1.0000])
)"},
      {"eye(int n, int? m=None, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh,
       eye_of,
       R"(A matrix of `n` rows and `m` columns (`n` too unless given) with ones along the diagonal. Raises
RuntimeError where one is negative.

>>> torch.eye(2)
tensor([[1., 0.],
        [0., 1.]])
)"},
      {"tril_indices(int row, int col, int offset=0, *, TensorOptions options) -> Tensor", function, fresh,
       makes<tril_indices>,
       R"(Rows and columns of a matrix's elements on and below a diagonal, in row-major order: int64, or int32 by `dtype`.
Raises RuntimeError for negative sizes.

>>> torch.tril_indices(2, 2)
tensor([[0, 1, 1],
        [0, 0, 1]])
)"},
      {"triu_indices(int row, int col, int offset=0, *, TensorOptions options) -> Tensor", function, fresh,
       makes<triu_indices>,
       R"(Rows and columns of a matrix's elements on and above a diagonal, in row-major order: int64, or int32 by `dtype`.
Raises RuntimeError for negative sizes.

>>> torch.triu_indices(2, 2, 1)
tensor([[0],
        [1]])
)"},
      {"tensor(Any data, *, TensorOptions options) -> Tensor", function, fresh, tensor_of,
       R"(A tensor of its own memory from a number, from lists or other sequences of numbers (deque,
array.array, bytearray, memoryview), or from a tensor or an array, whose elements are copied. Its type is that of the numbers (bool, int64, or the default type, real or complex), or `dtype`.

Raises ValueError where lists of one level differ in length, TypeError for what is no number.

>>> torch.tensor([[1, 2], [3, 4]]).shape
torch.Size([2, 2])
)"},
      {"scalar_tensor(Scalar s, *, TensorOptions options) -> Tensor", function, fresh,
       [](Call& c) -> Value {
         TensorOptions chosen = c.fresh_options(1);
         chosen.dtype = chosen.dtype.value_or(default_dtype());
         return full({}, c.number(0), chosen);
       },
       R"(A number as a tensor of rank 0; of the default type unless `dtype` says otherwise.

>>> torch.scalar_tensor(2)
tensor(2.)
)"},
      {"Size(int[] sizes) -> Size", function, OpClass::query, size_value,
       R"(A tuple of sizes, one for each axis.

>>> torch.Size([2, 3]).numel()
6
)"},
      {"device(Device type, int? index=None) -> Device", function, OpClass::query, device_value, ""},
      {"empty_like(Tensor self, *, LikeOptions options) -> Tensor", function, fresh, runs<empty_like>,
       R"(A tensor of the same sizes, type and device, elements not initialised; without gaps in the given one
it keeps the strides. `dtype`, `device` and `memory_format` say otherwise.

>>> torch.empty_like(torch.zeros(2, 3).T).stride()
(1, 3)
)"},
      {"zeros_like(Tensor self, *, LikeOptions options) -> Tensor", function, fresh, runs<zeros_like>,
       R"(A tensor filled with 0, in everything else as `empty_like` gives it.

>>> torch.zeros_like(torch.arange(2))
tensor([0, 0])
)"},
      {"ones_like(Tensor self, *, LikeOptions options) -> Tensor", function, fresh, runs<ones_like>,
       R"(A tensor filled with 1, in everything else as `empty_like` gives it.

>>> torch.ones_like(torch.zeros(2))
tensor([1., 1.])
)"},
      {"full_like(Tensor self, Scalar fill_value, *, LikeOptions options) -> Tensor", function, fresh,
       runs<full_like>, R"(A tensor filled with a number, in everything else as `empty_like` gives it.

>>> torch.full_like(torch.zeros(2), 5)
tensor([5., 5.])
)"},
      {"new_empty(Tensor self, int... size, *, TensorOptions options) -> Tensor", method, fresh,
       [](Call& c) -> Value { return empty(c.dims(0), new_options(c, 1)); },
       R"(A tensor of the given sizes of this one's type and device, elements not initialised.

>>> torch.arange(2).new_empty(3).dtype
torch.int64
)"},
      {"new_empty_strided(Tensor self, int[] size, int[] stride, *, TensorOptions options) -> Tensor", method,
       fresh, [](Call& c) -> Value { return empty_strided(c.dims(0), c.dims(1), new_options(c, 2)); },
       R"(A tensor of the given sizes and strides of this one's type and device, elements not initialised.

>>> torch.arange(2).new_empty_strided((2, 3), (1, 2)).stride()
(1, 2)
)"},
      {"new_zeros(Tensor self, int... size, *, TensorOptions options) -> Tensor", method, fresh,
       [](Call& c) -> Value { return zeros(c.dims(0), new_options(c, 1)); },
       R"(A tensor of the given sizes of this one's type and device, filled with 0.

>>> torch.arange(2).new_zeros(3)
tensor([0, 0, 0])
)"},
      {"new_ones(Tensor self, int... size, *, TensorOptions options) -> Tensor", method, fresh,
       [](Call& c) -> Value { return ones(c.dims(0), new_options(c, 1)); },
       R"(A tensor of the given sizes of this one's type and device, filled with 1.

>>> torch.arange(2).new_ones(3)
tensor([1, 1, 1])
)"},
      {"new_tensor(Tensor self, Any data, *, TensorOptions options) -> Tensor", method, fresh, new_tensor_of,
       R"(A tensor of the data, as `tensor` makes it, but of this one's type and device unless they are given.

>>> torch.arange(2).new_tensor([1.5, 2.5])
tensor([1, 2])
)"},
      {"new_full(Tensor self, int[] size, Scalar fill_value, *, TensorOptions options) -> Tensor", method,
       fresh, [](Call& c) -> Value { return full(c.dims(0), c.number(1), new_options(c, 2)); },
       R"(A tensor of the given sizes of this one's type and device, filled with a number.

>>> torch.arange(2).new_full((2,), 9)
tensor([9, 9])
)"},
  };
}

}  // namespace tenstride::detail
