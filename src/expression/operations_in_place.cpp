// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

/// Operations that write to a tensor's elements or change what it sees. The value they are called on is
/// shared by all names bound to it, as in Python.
namespace tenstride::detail {
namespace {

constexpr auto in_place = OpClass::in_place;

/// The tensor itself, as the value it was called on, so that names keep sharing it.
Value itself(Call& call) {
  return call.self_value();
}

Value set(Call& call) {
  Tensor& self = call.mutable_self();
  if (!call.has(0)) {
    self.set_(Storage(), 0, {0});
    return itself(call);
  }
  const auto& source = call.value(0).variant();
  if (const auto* storage = std::get_if<StorageElements>(&source)) {
    if (call.has(1)) {
      self.set_(storage->elements.storage(), call.index(1), call.dims(2),
                call.has(3) ? call.dims(3) : Dims{});
    } else {
      self.set_(storage->elements.storage(), 0, storage->elements.shape());
    }
  } else if (const auto* bytes = std::get_if<StorageBytes>(&source); bytes != nullptr && call.has(2)) {
    self.set_(bytes->bytes.storage(), call.index(1, 0), call.dims(2), call.has(3) ? call.dims(3) : Dims{});
  } else if (call.has(2)) {
    self.set_(call.tensor(0).storage(), call.index(1, 0), call.dims(2), call.has(3) ? call.dims(3) : Dims{});
  } else {
    self.set_(call.tensor(0));
  }
  return itself(call);
}

}  // namespace

std::vector<Operation> in_place_operations() {
  return {
      {"copy_", method, in_place, "src non_blocking?",
       [](Call& c) {
         c.mutable_self().copy_(c.tensor(0), c.flag(1, false) ? Blocking::non_blocking : Blocking::blocking);
         return itself(c);
       }},
      {"fill_", method, in_place, "value",
       [](Call& c) {
         c.mutable_self().fill_(c.number(0));
         return itself(c);
       }},
      {"zero_", method, in_place, "",
       [](Call& c) {
         c.mutable_self().zero_();
         return itself(c);
       }},
      {"set_", method, in_place, "source? storage_offset? size? stride?", set},
      {"resize_", method, in_place, "sizes... | memory_format?",
       [](Call& c) {
         c.mutable_self().resize_(c.dims(0), c.format(1).value_or(MemoryFormat::contiguous));
         return itself(c);
       }},
      {"resize_as_", method, in_place, "the_template",
       [](Call& c) {
         c.mutable_self().resize_(c.tensor(0).shape());
         return itself(c);
       }},
      {"transpose_", method, in_place, "dim0 dim1",
       [](Call& c) {
         c.mutable_self().transpose_(c.index(0), c.index(1));
         return itself(c);
       }},
      {"swapaxes_", method, in_place, "axis0 axis1",
       [](Call& c) {
         c.mutable_self().transpose_(c.index(0), c.index(1));
         return itself(c);
       }},
      {"swapdims_", method, in_place, "dim0 dim1",
       [](Call& c) {
         c.mutable_self().transpose_(c.index(0), c.index(1));
         return itself(c);
       }},
      {"t_", method, in_place, "",
       [](Call& c) {
         c.mutable_self().t_();
         return itself(c);
       }},
      {"squeeze_", method, in_place, "dim?",
       [](Call& c) {
         if (c.has(0)) {
           c.mutable_self().squeeze_(c.index(0));
         } else {
           c.mutable_self().squeeze_();
         }
         return itself(c);
       }},
      {"unsqueeze_", method, in_place, "dim",
       [](Call& c) {
         c.mutable_self().unsqueeze_(c.index(0));
         return itself(c);
       }},
      {"as_strided_", method, in_place, "size stride storage_offset?",
       [](Call& c) {
         c.mutable_self().as_strided_(c.dims(0), c.dims(1), c.maybe_index(2));
         return itself(c);
       }},
  };
}

}  // namespace tenstride::detail
