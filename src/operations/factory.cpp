// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "operations/call.hpp"
#include "tenstride/factory.hpp"

/// Operations that make a tensor of nothing but numbers, and the like of another tensor.
namespace tenstride::detail {
namespace {

/// The dtype at parameter `at`, the device at `at + 1`.
TensorOptions options(const Call& call, std::size_t at) {
  return {call.dtype(at), call.device_for_fresh(at + 1, call.session().device)};
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
  TensorOptions chosen = options(call, 1);
  chosen.memory_format = call.format(3).value_or(MemoryFormat::contiguous);
  return empty(call.dims(0), chosen);
}

/// `arange(end)`, `arange(start, end)`, `arange(start, end, step)`.
Value arange_of(Call& call) {
  if (!call.has(1)) {
    if (!call.has(0)) throw TypeError("arange: the end must be given");
    return arange(call.number(0), options(call, 3));
  }
  return arange(call.has(0) ? call.number(0) : Scalar(0), call.number(1),
                call.has(2) ? call.number(2) : Scalar(1), options(call, 3));
}

bool holds_none(const Value& value) {
  if (value.sequence() == nullptr) return value.is_none();
  const std::vector<Value>& items = value.sequence()->items;
  return std::any_of(items.begin(), items.end(), holds_none);
}

Value tensor_of(Call& call) {
  if (call.is_tensor(0)) {
    const Tensor& source = call.tensor(0);
    return source.to(ToOptions{.dtype = call.dtype(1),
                               .device = call.device(2),
                               .copy = CopyRule::always,
                               .absent = call.session().absent});
  }
  if (!call.has(1) && holds_none(call.value(0))) {
    throw RuntimeError("tensor: None must be a number, or the dtype be given (it tells no dtype)");
  }
  TensorOptions chosen = options(call, 1);
  if (chosen.device.is_host()) return tensor(call.nested(0), chosen);
  // As PyTorch does it: made on the cpu, and then sent.
  const Device target = std::exchange(chosen.device, Device::meta);
  return tensor(call.nested(0), chosen).to(target);
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

constexpr std::string_view sized = "! size... | dtype? device? requires_grad? layout?";
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
      {"new_full", method, fresh, "size fill_value | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return full(c.dims(0), c.number(1), new_options(c, 2)); }},
  };
  table.insert(table.end(), likes.begin(), likes.end());
}

}  // namespace

std::vector<Operation> factory_operations() {
  std::vector<Operation> table{
      {"empty", function, fresh, "! size... | dtype? device? memory_format? requires_grad? layout?",
       empty_of},
      {"zeros", function, fresh, sized, [](Call& c) -> Value { return zeros(c.dims(0), options(c, 1)); }},
      {"ones", function, fresh, sized, [](Call& c) -> Value { return ones(c.dims(0), options(c, 1)); }},
      {"full", function, fresh, "! size fill_value | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return full(c.dims(0), c.number(1), options(c, 2)); }},
      {"empty_strided", function, fresh, "! size stride | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return empty_strided(c.dims(0), c.dims(1), options(c, 2)); }},
      {"arange", function, fresh, "! start? end? step? | dtype? device? requires_grad? layout?", arange_of},
      {"linspace", function, fresh, "! start end steps | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return linspace(c.number(0), c.number(1), c.index(2), options(c, 3)); }},
      {"eye", function, fresh, "! n m? | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return eye(c.index(0), c.maybe_index(1), options(c, 2)); }},
      {"tensor", function, fresh, "! data | dtype? device? requires_grad? layout?", tensor_of},
      {"scalar_tensor", function, fresh, "! s | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value {
         return full({}, c.number(0),
                     TensorOptions{c.dtype(1).value_or(DType::float32), options(c, 1).device});
       }},
      {"Size", function, OpClass::query, "! sizes", size_value},
      {"device", function, OpClass::query, "! type index?", device_value},
  };
  add_likes(table);
  return table;
}

}  // namespace tenstride::detail
