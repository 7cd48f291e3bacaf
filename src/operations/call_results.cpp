// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "memory/watch.hpp"
#include "operations/call.hpp"
#include "ops/out.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/copy.hpp"

/// Where the result of a call goes: the tensor given as `out`, the device of what a factory makes.
namespace tenstride::detail {

std::optional<std::size_t> Call::out_parameter() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == "out" && has(i)) return i;
  }
  return std::nullopt;
}

/// The tensors that the call reads: all that it was given but `out`.
std::vector<Tensor> Call::read_tensors(std::size_t out) const {
  std::vector<Tensor> read;
  if (has_self()) read.push_back(self());
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    if (i != out && is_tensor(i)) read.push_back(tensor(i));
  }
  return read;
}

void Call::write_out(Tensor& out, const Tensor& made, OutRule rule, std::size_t parameter) const {
  if (rule == OutRule::copied || rule == OutRule::apart) {
    const std::vector<Tensor> read = rule == OutRule::apart ? read_tensors(parameter) : std::vector<Tensor>{};
    prepare_out(operation_.name, out, made.layout(), made.dtype(), made.device(), OutType::same, read);
    return copy_elements(out, made);
  }
  require_distinct_elements(operation_.name, out);
  if (rule != OutRule::reduced) {
    for (const Tensor& x : read_tensors(parameter)) {
      require_no_partial_overlap(operation_.name, out, x);
      if (!x.is_same(out) || out.shape() == made.shape()) continue;
      throw ShapeError(message(operation_.name, ": out of shape ", out.shape(),
                               " must have the result's shape, ", made.shape(), ", as it is also read"),
                       out.shape(), made.shape());
    }
  }
  prepare_out(operation_.name, out, made.layout(), made.dtype(), made.device(),
              rule == OutRule::castable ? OutType::castable : OutType::same, {});
  copy_elements(out, made);
}

Value Call::run() {
  const std::optional<std::size_t> at = operation_.out == OutRule::none ? std::nullopt : out_parameter();
  if (!at) return operation_.run.call(*this);
  const Value result = operation_.run.call(*this);
  if (result.tensor() != nullptr) {
    write_out(mutable_tensor(*at), *result.tensor(), operation_.out, *at);
    return value(*at);
  }
  const std::vector<Value>& parts = result.sequence()->items;
  const Value::Sequence* outs = value(*at).sequence();
  if (outs == nullptr || outs->items.size() != parts.size() || tensors(*at).size() != parts.size()) {
    fail_type(*at, "a tuple of tensors, one for each part");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Value out = outs->items[i];
    write_out(*out.tensor(), *parts[i].tensor(), OutRule::reduced, *at);
  }
  return value(*at);
}

Value numbers_into_out(Call& call, Tensor numbers) {
  const std::optional<std::size_t> at = call.out_parameter();
  if (!at) return numbers;
  Tensor& out = call.mutable_tensor(*at);
  static_cast<void>(out.mutable_storage_data());  // refuses a read-only tensor
  if (out.numel() != numbers.numel()) out.resize_(numbers.shape());
  require_distinct_elements(call.operation().name, out);
  copy_elements(out, numbers.view(out.shape()));
  return call.value(*at);
}

std::optional<Device> Call::device(std::size_t parameter) const {
  if (!has(parameter)) return std::nullopt;
  const Value::Variant& given = value(parameter).variant();
  if (const auto* device = std::get_if<Device>(&given)) return *device;
  const auto* text = std::get_if<std::string>(&given);
  if (text != nullptr) {
    if (const std::optional<Device> named = Device::parse(*text)) return named;
    throw RuntimeError(message(operation_.name, ": device '", *text,
                               "' must be cpu, meta, cuda, mps or xpu, with an index or without ('cuda:1')"));
  }
  const std::optional<Index> number = is_index(parameter) ? std::optional(index(parameter)) : std::nullopt;
  if (!number || *number < 0 || *number > 127) fail_type(parameter, "a device, e.g. 'cpu' or 'cuda:1'");
  return Device(DeviceKind::cuda, static_cast<int>(*number));
}

Device Call::device_for_fresh(std::size_t parameter, Device otherwise) const {
  const std::optional<Device> given = device(parameter);
  return given ? place(*given, otherwise) : otherwise;
}

Device Call::place(Device given, Device otherwise) const {
  const Device placed = given.placed();
  if (placed == Device::cpu && session_.device == Device::meta) return Device::meta;
  if (session_.absent == AbsentDevice::refuse && watch == nullptr && placed != otherwise) {
    require_present(placed, operation_.name);
  }
  return placed;
}

std::optional<Device> Call::fresh_device(std::size_t parameter) const {
  const std::optional<Device> given = device(parameter);
  return given ? given : default_device_;
}

LikeOptions Call::like_options(std::size_t parameter) const {
  return {dtype(parameter), device_for_fresh(parameter + 1, self().device()), format(parameter + 2)};
}

TensorOptions Call::fresh_options(std::size_t parameter) const {
  const std::optional<DType> type = dtype(parameter);
  const std::optional<std::size_t> at = out_parameter();
  if (!at) {
    const std::optional<Device> device = fresh_device(parameter + 1);
    return {type, device ? place(*device, session_.device) : session_.device};
  }
  const Tensor& out = tensor(*at);
  if (type && *type != out.dtype()) {
    throw RuntimeError(
        message(operation_.name, ": dtype ", name(*type), " must be out's, ", name(out.dtype())));
  }
  const std::optional<Device> told = fresh_device(parameter + 1);
  if (told && told->placed() != out.device()) {
    throw RuntimeError(
        message(operation_.name, ": device ", name(*told), " must be out's, ", name(out.device())));
  }
  return {out.dtype(), out.device()};
}

}  // namespace tenstride::detail
