// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "operations/call.hpp"
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

/// The dtype at `at`, the device at `at + 1`, the memory format at `at + 2`.
LikeOptions like_options(const Call& call, std::size_t at) {
  return {call.dtype(at), call.device_for_fresh(at + 1, call.self().device()),
          call.format(at + 2).value_or(MemoryFormat::preserve)};
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
    chosen.memory_format = call.format(3).value_or(MemoryFormat::contiguous);
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

constexpr std::string_view sized = "! size... | dtype? device? requires_grad? layout? out?";
constexpr std::string_view triangle = "! row col offset? | dtype? device? requires_grad? layout?";
constexpr std::string_view like = "| dtype? device? memory_format? requires_grad? layout?";

void add_likes(std::vector<Operation>& table) {
  const std::vector<Operation> likes{
      {"empty_like", function, fresh, like,
       [](Call& c) -> Value { return empty_like(c.self(), like_options(c, 0)); }},
      {"zeros_like", function, fresh, like,
       [](Call& c) -> Value { return zeros_like(c.self(), like_options(c, 0)); }},
      {"ones_like", function, fresh, like,
       [](Call& c) -> Value { return ones_like(c.self(), like_options(c, 0)); }},
      {"full_like", function, fresh, "fill_value | dtype? device? memory_format? requires_grad? layout?",
       [](Call& c) -> Value { return full_like(c.self(), c.number(0), like_options(c, 1)); }},
      {"new_empty", method, fresh, "size... | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return empty(c.dims(0), new_options(c, 1)); }},
      {"new_empty_strided", method, fresh, "size stride | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return empty_strided(c.dims(0), c.dims(1), new_options(c, 2)); }},
      {"new_zeros", method, fresh, "size... | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return zeros(c.dims(0), new_options(c, 1)); }},
      {"new_ones", method, fresh, "size... | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return ones(c.dims(0), new_options(c, 1)); }},
      {"new_tensor", method, fresh, "data | dtype? device? requires_grad? layout?", new_tensor_of},
      {"new_full", method, fresh, "size fill_value | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return full(c.dims(0), c.number(1), new_options(c, 2)); }},
  };
  table.insert(table.end(), likes.begin(), likes.end());
}

}  // namespace

std::vector<Operation> factory_operations() {
  std::vector<Operation> table{
      {"empty", function, fresh, "! size... | dtype? device? memory_format? requires_grad? layout? out?",
       empty_of},
      {"zeros", function, fresh, sized, zeros_of},
      {"ones", function, fresh, sized, ones_of},
      {"full", function, fresh, "! size fill_value | dtype? device? requires_grad? layout? out?", full_of},
      {"empty_strided", function, fresh, "! size stride | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return empty_strided(c.dims(0), c.dims(1), c.fresh_options(2)); }},
      {"arange", function, fresh, "! start? end? step? | dtype? device? requires_grad? layout? out?",
       arange_of},
      {"linspace", function, fresh, "! start end steps | dtype? device? requires_grad? layout? out?",
       linspace_of},
      {"eye", function, fresh, "! n m? | dtype? device? requires_grad? layout? out?", eye_of},
      {"tril_indices", function, fresh, triangle,
       [](Call& c) -> Value {
         return tril_indices(c.index(0), c.index(1), c.index(2, 0), c.fresh_options(3));
       }},
      {"triu_indices", function, fresh, triangle,
       [](Call& c) -> Value {
         return triu_indices(c.index(0), c.index(1), c.index(2, 0), c.fresh_options(3));
       }},
      {"tensor", function, fresh, "! data | dtype? device? requires_grad? layout?", tensor_of},
      {"scalar_tensor", function, fresh, "! s | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value {
         TensorOptions chosen = c.fresh_options(1);
         chosen.dtype = chosen.dtype.value_or(default_dtype());
         return full({}, c.number(0), chosen);
       }},
      {"Size", function, OpClass::query, "! sizes", size_value},
      {"device", function, OpClass::query, "! type index?", device_value},
  };
  add_likes(table);
  return table;
}

}  // namespace tenstride::detail
