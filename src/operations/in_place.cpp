// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/call.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/permute_in_place.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations that write to a tensor's elements or change what it sees. The value they are called on is
/// shared by all names bound to it, as in Python.
namespace tenstride::detail {
namespace {

/// The tensor itself, as the value it was called on, so that names keep sharing it.
Value itself(Call& call) {
  return call.self_value();
}

/// A format that is given counts where the sizes stay, too.
Value resized(Call& call, const Dims& size, std::optional<MemoryFormat> format) {
  Tensor& self = call.mutable_self();
  if (format && size == self.shape()) {
    self.as_strided_(size, format_strides(size, *format, "resize_"));
  } else {
    self.resize_(size, format.value_or(MemoryFormat::contiguous));
  }
  return itself(call);
}

/// `preserve` is the format that the template seems to be in.
Value resized_as(Call& call) {
  const Tensor& model = call.tensor(0);
  std::optional<MemoryFormat> format = call.format(1);
  if (format == MemoryFormat::preserve) format = model.suggest_memory_format();
  return resized(call, model.shape(), format);
}

/// The storage that `set_` is given, as elements of the tensor's own type.
Tensor source_of(const Call& call) {
  const Value::Variant& given = call.value(0).variant();
  const DType type = call.self().dtype();
  if (const auto* bytes = std::get_if<StorageBytes>(&given)) {
    const auto count = static_cast<Index>(bytes->bytes.storage().nbytes() / item_size(type));
    return with_layout(bytes->bytes, {{count}, {1}, 0}, type);
  }
  const auto* storage = std::get_if<StorageElements>(&given);
  const Tensor& source = storage != nullptr ? storage->elements : call.tensor(0);
  // A tensor that is given with sizes lends its bytes alone.
  const bool lends_bytes = storage == nullptr && call.has(2);
  if (source.dtype() != type && !lends_bytes) {
    throw RuntimeError(message("set_: the source's dtype ", name(source.dtype()), " must be ", name(type),
                               ", the tensor's; use .untyped_storage()"));
  }
  return source;
}

Value set(Call& call) {
  Tensor& self = call.mutable_self();
  if (!call.has(0)) {
    self.set_(Storage(), 0, {0});
    return itself(call);
  }
  const Tensor source = source_of(call);
  if (source.device() != self.device()) {
    throw RuntimeError(message("set_: the source's device ", name(source.device()), " must be ",
                               name(self.device()), ", the tensor's"));
  }
  if (call.has(2)) {
    self.set_(source.storage(), call.index(1, 0), call.dims(2), call.has(3) ? call.dims(3) : Dims{});
  } else {
    self.set_(source);
  }
  return itself(call);
}

/// A number as a tensor of its widest kind: `copy_` converts it as it does elements, and refuses none.
Tensor widest(const Scalar& number) {
  DType type = number.dtype();
  if (number.is_floating_point()) type = DType::float64;
  if (number.is_complex()) type = DType::complex128;
  return full({}, number, {.dtype = type});
}

Value copy_into(Call& call) {
  const bool is_number = call.value(0).number() != nullptr;
  const Blocking blocking = call.flag(1, false) ? Blocking::non_blocking : Blocking::blocking;
  call.mutable_self().copy_(is_number ? widest(call.number(0)) : call.tensor(0), blocking);
  return itself(call);
}

InPlaceOptions in_place_options(const Call& call, std::string_view operation) {
  InPlaceOptions options;
  if (const std::optional<Index> extra = call.maybe_index(1)) {
    if (*extra < 0) throw ValueError(message(operation, ": extra_bytes ", *extra, " must not be negative"));
    options.extra_bytes = static_cast<std::size_t>(*extra);
  }
  return options;
}

/// No name of PyTorch's: the axes permuted in the tensor's own memory.
Value permuted(Call& call) {
  permute_(call.mutable_self(), call.dims(0), in_place_options(call, "permute_"));
  return itself(call);
}

/// No name of PyTorch's: the same shape with the strides of a format, in the tensor's own memory.
Value reformatted(Call& call) {
  const MemoryFormat format = call.format(0).value_or(MemoryFormat::preserve);
  to_memory_format_(call.mutable_self(), format, in_place_options(call, "to_memory_format_"));
  return itself(call);
}

/// A tensor of rank 0 is copied, and converted as elements are; a number must fit the type.
Value fill(Call& call) {
  Tensor& self = call.mutable_self();
  if (!call.is_tensor(0)) {
    self.fill_(call.number(0));
    return itself(call);
  }
  const Tensor& value = call.tensor(0);
  if (value.dim() != 0) {
    throw RuntimeError(message("fill_: a value of shape ", value.shape(), " must have rank 0"));
  }
  self.copy_(apart_from(self, value));
  return itself(call);
}

}  // namespace

std::vector<Operation> in_place_operations() {
  return {
      {"copy_", method, in_place, "src non_blocking?", copy_into},
      {"fill_", method, in_place, "value", fill},
      {"zero_", method, in_place, "",
       [](Call& c) {
         c.mutable_self().zero_();
         return itself(c);
       }},
      {"set_", method, in_place, "source? storage_offset? size? stride?", set},
      {"resize_", method, in_place, "sizes... | memory_format?",
       [](Call& c) { return resized(c, c.dims(0), c.format(1)); }},
      {"resize_as_", method, in_place, "the_template | memory_format?", resized_as},
      {"permute_", method, in_place, "dims... | extra_bytes?", permuted},
      {"to_memory_format_", method, in_place, "memory_format | extra_bytes?", reformatted},
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
      {"squeeze_", method, in_place, "dim...?",
       [](Call& c) {
         if (c.has(0)) {
           c.mutable_self().set_(c.self().squeeze(c.dims_or_index(0)));
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
