// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/permute_in_place.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations that write to a tensor's elements or change what it sees. The value they are called on is
/// shared by all names bound to it, as in Python.
namespace tenstride::detail {
namespace {

/// A format that is given counts where the sizes stay, too.
Value resized(Call& call, const Dims& size, std::optional<MemoryFormat> format) {
  Tensor& self = call.mutable_self();
  if (format && size == self.shape()) {
    self.as_strided_(size, format_strides(size, *format, "resize_"));
  } else {
    self.resize_(size, format.value_or(MemoryFormat::contiguous));
  }
  return call.self_value();
}

/// `preserve` is the format that the template seems to be in.
Value resized_as(Call& call) {
  const Tensor& model = call.tensor(0);
  std::optional<MemoryFormat> format = call.maybe_format(1);
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
    return call.self_value();
  }
  const Tensor source = source_of(call);
  if (source.device() != self.device()) {
    throw RuntimeError(message("set_: the source's device ", name(source.device()), " must be ",
                               name(self.device()), ", the tensor's"));
  }
  if (call.has(2)) {
    self.set_(source.storage(), call.index(1), call.dims(2), call.has(3) ? call.dims(3) : Dims{});
  } else {
    self.set_(source);
  }
  return call.self_value();
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
  const Blocking blocking = call.flag(1) ? Blocking::non_blocking : Blocking::blocking;
  call.mutable_self().copy_(is_number ? widest(call.number(0)) : call.tensor(0), blocking);
  return call.self_value();
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
  return call.self_value();
}

/// No name of PyTorch's: the same shape with the strides of a format, in the tensor's own memory.
Value reformatted(Call& call) {
  const MemoryFormat format = call.format(0);
  to_memory_format_(call.mutable_self(), format, in_place_options(call, "to_memory_format_"));
  return call.self_value();
}

/// A tensor of rank 0 is copied, and converted as elements are; a number must fit the type.
Value fill(Call& call) {
  Tensor& self = call.mutable_self();
  if (!call.is_tensor(0)) {
    self.fill_(call.number(0));
    return call.self_value();
  }
  const Tensor& value = call.tensor(0);
  if (value.dim() != 0) {
    throw RuntimeError(message("fill_: a value of shape ", value.shape(), " must have rank 0"));
  }
  self.copy_(apart_from(self, value));
  return call.self_value();
}

Tensor& squeezed(Tensor& x, const Ints& dim) {
  return x.set_(std::as_const(x).squeeze(dim));
}

}  // namespace

std::vector<Operation> in_place_operations() {
  return {
      {"copy_(Tensor self, Tensor|Scalar src, bool non_blocking=False) -> Tensor", method, in_place,
       copy_into,
       R"(Writes the elements of `src`, expanded and converted, into this tensor; gives the tensor itself. A
number is converted as elements are: 300 becomes 44 in uint8.

Raises RuntimeError where the sizes do not expand, the tensor has several elements in one place, or `src`
shares a part of its memory: clone() it first, or use `tenstride.numpy.copyto`.

>>> torch.zeros(2).copy_(torch.arange(2))
tensor([0., 1.])
)"},
      {"fill_(Tensor self, Tensor|Scalar value) -> Tensor", method, in_place, fill,
       R"(Writes a number, or the one element of a tensor of rank 0, into each element; gives the tensor
itself. Raises RuntimeError where this type does not hold the number.

>>> torch.zeros(2).fill_(3)
tensor([3., 3.])
)"},
      {"zero_(Tensor self) -> Tensor", method, in_place, runs<&Tensor::zero_>,
       R"(Writes 0 into each element; gives the tensor itself.

>>> torch.ones(2).zero_()
tensor([0., 0.])
)"},
      {"set_(Tensor self, Tensor|TypedStorage|UntypedStorage? source=None, int storage_offset=0, int[]? "
       "size=None, int[]? "
       "stride=None) -> Tensor",
       method, in_place, set,
       R"(Lets this tensor look at another one's storage, or at a storage with offset, sizes and strides;
gives the tensor itself, no element moves. Raises RuntimeError where the layout reaches past the
storage.

>>> x = torch.zeros(2)
>>> x.set_(torch.arange(3.0))
tensor([0., 1., 2.])
)"},
      {"resize_(Tensor self, int... sizes, *, MemoryFormat? memory_format=None) -> Tensor", method, in_place,
       [](Call& c) { return resized(c, c.dims(0), c.maybe_format(1)); },
       R"(Gives this tensor other sizes in row-major order, on a larger storage where its own is too short:
the elements stay in their order of memory, new ones are not initialised. Gives the tensor itself.

>>> torch.arange(6).resize_(2, 2)
tensor([[0, 1],
        [2, 3]])
)"},
      {"resize_as_(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor", method,
       in_place, resized_as,
       R"(Gives this tensor the sizes of another, as `resize_` does; gives the tensor itself.

Row-major, or in `memory_format`; `torch.preserve_format` is the one that the other tensor is in.

>>> torch.arange(6).resize_as_(torch.zeros(2)).shape
torch.Size([2])
)"},
      {"permute_(Tensor self, int... dims, *, int? extra_bytes=None) -> Tensor", method, in_place, permuted,
       R"(Moves the elements within their own memory, so that afterwards this tensor is what `permute(dims)`
shows, contiguous from the same offset on; gives the tensor itself. Takes at most `extra_bytes` of
memory besides: by default a hundredth of the tensor's, and at least 1 MiB. Other tensors on the
storage keep their strides and see other elements. PyTorch has no such method. Raises RuntimeError
where the tensor is not dense, ValueError where `extra_bytes` is too small.

>>> torch.arange(6).view(2, 3).permute_(1, 0)
tensor([[0, 3],
        [1, 4],
        [2, 5]])
)"},
      {"to_memory_format_(Tensor self, MemoryFormat memory_format, *, int? extra_bytes=None) -> Tensor",
       method, in_place, reformatted,
       R"(Moves the elements within their own memory, so that afterwards this tensor has the strides of the
format; shape and elements stay. Gives the tensor itself. Takes at most `extra_bytes` of memory besides:
by default a hundredth of the tensor's, and at least 1 MiB. Other tensors on the storage keep their
strides and see other elements. PyTorch has no such method. Raises RuntimeError where the tensor is not
dense, ShapeError where the format is of another rank, ValueError where `extra_bytes` is too small and
for `preserve_format`.

>>> torch.zeros(2, 3, 4, 5).to_memory_format_(torch.channels_last).stride()
(60, 1, 15, 3)
)"},
      {"transpose_(Tensor self, int dim0, int dim1) -> Tensor", method, in_place, runs<&Tensor::transpose_>,
       R"(Exchanges two axes of this tensor; gives the tensor itself, no element moves. Raises IndexError
where there is no such axis.

>>> torch.zeros(2, 3).transpose_(0, 1).shape
torch.Size([3, 2])
)"},
      {"swapaxes_(Tensor self, int axis0, int axis1) -> Tensor", method, in_place, runs<&Tensor::transpose_>,
       R"(Exchanges two axes of this tensor: another name of `transpose_`.

>>> torch.zeros(2, 3).swapaxes_(0, 1).shape
torch.Size([3, 2])
)"},
      {"t_(Tensor self) -> Tensor", method, in_place, runs<&Tensor::t_>,
       R"(Exchanges the two axes of this matrix; gives the tensor itself. Raises RuntimeError above rank 2.

>>> torch.zeros(2, 3).t_().shape
torch.Size([3, 2])
)"},
      {"squeeze_(Tensor self, int... dim=None) -> Tensor", method, in_place,
       runs<[](Tensor& x) -> Tensor& { return x.squeeze_(); }, squeezed>,
       R"(Takes the axes of size 1 out of this tensor: all, or the one named; gives the tensor itself.

>>> torch.zeros(1, 2).squeeze_().shape
torch.Size([2])
)"},
      {"unsqueeze_(Tensor self, int dim) -> Tensor", method, in_place, runs<&Tensor::unsqueeze_>,
       R"(Puts an axis of size 1 into this tensor at place `dim`; gives the tensor itself. Raises IndexError
outside -rank-1 to rank.

>>> torch.zeros(2).unsqueeze_(0).shape
torch.Size([1, 2])
)"},
      {"as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", method,
       in_place, runs<&Tensor::as_strided_>,
       R"(Gives this tensor any sizes, strides and offset on its storage, as `as_strided`; gives the tensor
itself.

>>> torch.arange(6).as_strided_((2,), (3,))
tensor([0, 3])
)"},
  };
}

}  // namespace tenstride::detail
