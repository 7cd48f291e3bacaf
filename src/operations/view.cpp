// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tenstride/ops/ops.hpp"

/// Operations that give a view of one tensor, always or where one is possible.
namespace tenstride::detail {
namespace {

constexpr auto maybe_self = OpClass::view_or_self;
constexpr auto maybe_copy = OpClass::view_or_copy;

Tensor view_in_sizes(const Tensor& x, const Dims& size) {
  return x.view(size);
}
Tensor view_as_type(const Tensor& x, DType dtype) {
  return x.view(dtype);
}
Value view_as_shape_or_type(Call& call) {
  if (call.has(0)) {
    return call.is_dtype(0) ? view_as_type(call.self(), *call.dtype(0))
                            : view_in_sizes(call.self(), call.dims(0));
  }
  if (call.has(1)) return call.self().view(*call.dtype(1));
  throw TypeError("view: sizes or a dtype must be given");
}

/// For rank 0, where there is nothing to transpose, PyTorch gives the very same object.
bool is_scalar(const Tensor& x) {
  return x.dim() == 0;
}
bool is_real_scalar(const Tensor& x) {
  return x.dim() == 0 && !x.is_complex();
}
bool is_real(const Tensor& x) {
  return !x.is_complex();
}

/// `narrow` whose start is a tensor.
Value narrow_from(Call& call) {
  if (call.is_tensor(1) && !call.is_index(1)) {
    throw RuntimeError(message(call.operation().name,
                               ": start must be an int, or a tensor of one of rank 0 (",
                               name(call.tensor(1).dtype()), ", shape ", call.tensor(1).shape(), ")"));
  }
  return call.self().narrow(call.index(0), call.index(1), call.index(2));
}

/// `flatten` of one axis alone is the tensor itself, but of rank 0.
bool is_one_axis(const Tensor& x, Index start_dim, Index end_dim) {
  const auto wrap = [&](Index axis) { return axis < 0 ? axis + x.dim() : axis; };
  const Index axis = wrap(start_dim);
  return axis == wrap(end_dim) && axis >= 0 && axis < x.dim();
}

}  // namespace

bool is_part(std::string_view name) {
  return name == "real" || name == "imag";
}

Tensor part_of(const Tensor& x, std::string_view name) {
  return name == "real" ? x.real() : x.imag();
}

Tensor write_part(const Tensor& x, std::string_view name, const Value& value) {
  Tensor part = part_of(x, name);
  if (value.tensor() != nullptr) return part.copy_(*value.tensor());
  if (value.number() != nullptr) {
    return part.copy_(full({}, *value.number(), {.dtype = part.dtype(), .device = part.device()}));
  }
  throw TypeError(message(name, ": what is assigned must be a number or a Tensor, not ", value.type_name()));
}

std::vector<Operation> view_operations() {
  using T = const Tensor&;
  using D = const Dims&;
  constexpr unsigned function_or_attribute = Form::function | Form::attribute;
  return {
      {"alias(Tensor self) -> Tensor", both, view, runs<&Tensor::alias>,
       R"(Another tensor object on the same storage with the same layout. Refuses nothing.

>>> x = torch.arange(3)
>>> x.alias().data_ptr() == x.data_ptr()
True
)"},
      {"detach(Tensor self) -> Tensor", both, view, runs<&Tensor::detach>,
       R"(A view of all of it; there is no gradient that it could be cut off from, so it is `alias`.

>>> x = torch.arange(3)
>>> x.detach().fill_(7) is x, x
(False, tensor([7, 7, 7]))
)"},
      {"data(Tensor self) -> Tensor", attribute, view, runs<&Tensor::detach>,
       R"(A view of all of it, as `detach` gives.

>>> torch.arange(3).data
tensor([0, 1, 2])
)"},
      {"view(Tensor self, int|ScalarType... size=None, ScalarType? dtype=None) -> Tensor", method, view,
       runs_or<view_as_shape_or_type, view_in_sizes, view_as_type>,
       R"(A view with other sizes, of which one may be -1; or, given a dtype, of the same bytes as other
elements.

Raises ViewError where the strides allow no view of the sizes (`reshape` copies then), ShapeError
where the sizes hold another number of elements, RuntimeError where the last axis cannot be cut into
elements of the dtype.

>>> x = torch.arange(6)
>>> x.view(2, -1).stride()
(3, 1)
>>> x.view(torch.uint8).shape
torch.Size([48])
)"},
      {"view_as(Tensor self, Tensor other) -> Tensor", method, view, runs<&Tensor::view_as>,
       R"(A view with the sizes of `other`; raises as `view` does.

>>> torch.arange(6).view_as(torch.zeros(3, 2)).shape
torch.Size([3, 2])
)"},
      {"permute(Tensor self, int... dims) -> Tensor", both, view, runs<&Tensor::permute>,
       R"(A view with the axes in another order: axis i is the old axis dims[i].

Raises RuntimeError where not each axis is listed once, IndexError where there is no such axis.

>>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape
torch.Size([4, 2, 3])
)"},
      {"transpose(Tensor self, int dim0, int dim1) -> Tensor", both, view, runs<&Tensor::transpose>,
       R"(A view with two axes exchanged; the strides go along. Raises IndexError where there is no such axis.

>>> torch.zeros(2, 3, 4).transpose(0, 2).stride()
(1, 4, 12)
)"},
      {"swapaxes(Tensor self, int axis0, int axis1) -> Tensor", both, view, runs<&Tensor::transpose>,
       R"(A view with two axes exchanged: NumPy's name of `transpose`. Raises IndexError where there is no
such axis.

>>> torch.zeros(2, 3, 4).swapaxes(0, 1).shape
torch.Size([3, 2, 4])
)"},
      {"movedim(Tensor self, int|int[] source, int|int[] destination) -> Tensor", both, view,
       runs<[](T x, Index from, Index to) { return x.movedim(from, to); },
            [](T x, D from, D to) { return x.movedim(from, to); }>,
       R"(A view with one axis, or several, at other places; the rest keeps its order.

Raises RuntimeError where an axis is named twice or the counts differ, IndexError where there is no
such axis.

>>> torch.zeros(2, 3, 4).movedim(0, -1).shape
torch.Size([3, 4, 2])
)"},
      {"moveaxis(Tensor self, int|int[] source, int|int[] destination) -> Tensor", both, view,
       runs<[](T x, Index from, Index to) { return x.moveaxis(from, to); },
            [](T x, D from, D to) { return x.moveaxis(from, to); }>,
       R"(A view with axes at other places: NumPy's name of `movedim`, with the same refusals.

>>> torch.zeros(2, 3, 4).moveaxis((0, 1), (1, 0)).shape
torch.Size([3, 2, 4])
)"},
      {"t(Tensor self) -> Tensor", both, view, runs<&Tensor::t>,
       R"(A view of a matrix with its two axes exchanged; of rank 0 or 1, a view as it is. Raises RuntimeError
above rank 2.

>>> torch.zeros(2, 3).t().shape
torch.Size([3, 2])
)"},
      {"T(Tensor self) -> Tensor", attribute, view, runs<&Tensor::T>,
       R"(A view with all axes in reverse order, whatever the rank.

>>> torch.zeros(2, 3, 4).T.shape
torch.Size([4, 3, 2])
)"},
      {"mT(Tensor self) -> Tensor", attribute, view, runs_unless<is_scalar, &Tensor::mT>,
       R"(A view with the last two axes exchanged: each matrix of a batch transposed. Raises RuntimeError for
rank 1.

>>> torch.zeros(5, 2, 3).mT.shape
torch.Size([5, 3, 2])
)"},
      {"H(Tensor self) -> Tensor", attribute, view, runs_unless<is_real_scalar, &Tensor::H>,
       R"(A matrix transposed and conjugated, as a view: complex elements get the conjugate bit. Raises
RuntimeError where the rank is neither 0 nor 2.

>>> torch.tensor([[1j, 2 + 0j]]).H.tolist()
[[-1j], [(2-0j)]]
)"},
      {"mH(Tensor self) -> Tensor", attribute, view, runs_unless<is_real_scalar, &Tensor::mH>,
       R"(Each matrix of a batch transposed and conjugated, as a view. Raises RuntimeError for rank 1.

>>> torch.zeros(5, 2, 3, dtype=torch.complex64).mH.is_conj()
True
)"},
      {"adjoint(Tensor self) -> Tensor", both, view, runs_unless<is_real_scalar, &Tensor::adjoint>,
       R"(Each matrix of a batch transposed and conjugated, as a view: the function form of `mH`. Raises
RuntimeError for rank 1.

>>> torch.zeros(5, 2, 3).adjoint().shape
torch.Size([5, 3, 2])
)"},
      {"conj(Tensor self) -> Tensor", both, maybe_self, runs_unless<is_real, &Tensor::conj>,
       R"(A view whose elements read as their conjugates (the conjugate bit); the very same tensor where the
type is real.

>>> x = torch.tensor([1 + 2j])
>>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
(True, True)
)"},
      {"_neg_view(Tensor self) -> Tensor", both, view, runs<&Tensor::neg_view>,
       R"(A view whose elements read as their negatives (the negative bit). Raises RuntimeError for bool.

>>> torch._neg_view(torch.tensor([1.0, -2.0])).is_neg()
True
)"},
      {"squeeze(Tensor self, int... dim=None) -> Tensor", both, view,
       runs<[](T x) { return x.squeeze(); }, [](T x, Index dim) { return x.squeeze(dim); },
            [](T x, D dim) { return x.squeeze(dim); }>,
       R"(A view without the axes of size 1: all of them, or those named. An axis of another size stays.
Raises IndexError where there is no such axis.

>>> torch.zeros(1, 2, 1).squeeze().shape, torch.zeros(1, 2, 1).squeeze(0).shape
(torch.Size([2]), torch.Size([2, 1]))
)"},
      {"unsqueeze(Tensor self, int dim) -> Tensor", both, view, runs<&Tensor::unsqueeze>,
       R"(A view with a new axis of size 1 at place `dim`, from -rank-1 to rank. Raises IndexError outside.

>>> torch.zeros(2, 3).unsqueeze(1).shape
torch.Size([2, 1, 3])
)"},
      {"unflatten(Tensor self, int dim, int[] sizes) -> Tensor", both, view, runs<&Tensor::unflatten>,
       R"(A view with axis `dim` cut into `sizes`, of which one may be -1. Raises RuntimeError where their
product is not the axis' size.

>>> torch.zeros(2, 6).unflatten(1, (3, -1)).shape
torch.Size([2, 3, 2])
)"},
      {"expand(Tensor self, int... size) -> Tensor", method, view, runs<&Tensor::expand>,
       R"(A view in which axes of size 1 are repeated without memory (stride 0); -1 keeps a size, further axes
may come in front.

Raises RuntimeError where an axis of another size would have to change.

>>> torch.zeros(3, 1).expand(2, -1, 4).stride()
(0, 1, 0)
)"},
      {"expand_as(Tensor self, Tensor other) -> Tensor", method, view, runs<&Tensor::expand_as>,
       R"(A view expanded to the sizes of `other`; raises as `expand` does.

>>> torch.zeros(3, 1).expand_as(torch.zeros(3, 4)).stride()
(1, 0)
)"},
      {"broadcast_to(Tensor self, int... size) -> Tensor", both, view, runs<&Tensor::broadcast_to>,
       R"(A view expanded to the sizes: NumPy's name of `expand`, with the same refusals.

>>> torch.arange(3).broadcast_to((2, 3)).tolist()
[[0, 1, 2], [0, 1, 2]]
)"},
      {"as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", both, view,
       runs<&Tensor::as_strided>,
       R"(A view of the whole storage with any sizes, strides and offset (in elements; the tensor's own unless
given).

Raises RuntimeError where the counts differ, where a stride or the offset is negative, or where the
layout reaches past the storage.

>>> torch.arange(6).as_strided((2, 2), (3, 1), 1)
tensor([[1, 2],
        [4, 5]])
)"},
      {"select(Tensor self, int dim, int index) -> Tensor", both, view, runs<&Tensor::select>,
       R"(A view of one index along `dim`, which disappears. Raises IndexError where there is no such axis or
index.

>>> torch.arange(6).view(2, 3).select(1, -1)
tensor([2, 5])
)"},
      {"narrow(Tensor self, int dim, int start, int length) -> Tensor", both, view,
       runs_or<narrow_from, &Tensor::narrow>,
       R"(A view of `length` indices along `dim` from `start` on. Raises IndexError where `start` lies
outside, RuntimeError where the part reaches past the end or `length` is negative.

>>> torch.arange(6).narrow(0, 2, 3)
tensor([2, 3, 4])
)"},
      {"slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", both, view,
       runs<&Tensor::slice>,
       R"(A view of every `step`-th index along `dim` from `start` to before `end`, as Python's slices cut:
bounds outside are moved to the border. Raises RuntimeError where `step` is not positive.

>>> torch.arange(6).slice(0, 1, None, 2)
tensor([1, 3, 5])
)"},
      {"diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", both, view,
       runs<&Tensor::diagonal>,
       R"(A view of the elements where the indices along `dim1` and `dim2` differ by `offset`; their axis
comes last.

Raises RuntimeError where the two axes are one, IndexError where there is no such axis.

>>> x = torch.arange(9).view(3, 3)
>>> x.diagonal(), x.diagonal().stride()
(tensor([0, 4, 8]), (4,))
)"},
      {"linalg.diagonal(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", function, view,
       runs<&Tensor::diagonal>,
       R"(A view of the diagonal of each matrix of a batch: `torch.diagonal` along the last two axes.

Raises RuntimeError where the two axes are one, IndexError where there is no such axis.

>>> torch.linalg.diagonal(torch.zeros(5, 3, 3)).shape
torch.Size([5, 3])
)"},
      {"unfold(Tensor self, int dimension, int size, int step) -> Tensor", method, view,
       runs<&Tensor::unfold>,
       R"(A view of windows of `size` elements along `dimension`, one every `step`; the elements of a window
are the new last axis.

Raises RuntimeError where `size` is larger than the axis or `step` is not positive.

>>> torch.arange(5).unfold(0, 3, 2).tolist()
[[0, 1, 2], [2, 3, 4]]
)"},
      {"view_as_real(Tensor self) -> Tensor", function, view, runs<[](T x) { return view_as_real(x); }>,
       R"(A view of complex elements as pairs of reals: a last axis of size 2. Raises RuntimeError for a real
type, and for a conjugate that is not resolved yet.

>>> torch.view_as_real(torch.tensor([1 + 2j])).tolist()
[[1.0, 2.0]]
)"},
      {"view_as_complex(Tensor self) -> Tensor", function, view, runs<[](T x) { return view_as_complex(x); }>,
       R"(A view of pairs of reals as complex elements. Raises RuntimeError unless the last axis has size 2
and stride 1 and the other strides and the offset are even.

>>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
tensor([1.+2.j])
)"},
      {"real(Tensor self) -> Tensor", function_or_attribute, maybe_self, runs_unless<is_real, &Tensor::real>,
       R"(A view of the real parts; the very same tensor where the type is real. What is assigned to it is
written there.

>>> x = torch.tensor([1 + 2j, 3 + 4j])
>>> x.real
tensor([1., 3.])
>>> x.real = torch.tensor([5, 6])
>>> x
tensor([5.+2.j, 6.+4.j])
)"},
      {"imag(Tensor self) -> Tensor", function_or_attribute, view, runs<&Tensor::imag>,
       R"(A view of the imaginary parts; of a conjugate with the negative bit. What is assigned to it is
written there. Raises RuntimeError where the type is real.

>>> x = torch.tensor([1 + 2j, 3 + 4j])
>>> x.imag, x.conj().imag.is_neg()
(tensor([2., 4.]), True)
>>> x.imag = 0
>>> x
tensor([1.+0.j, 3.+0.j])
)"},
      {"reshape(Tensor self, int... shape, *, bool? copy=None) -> Tensor", both, maybe_copy,
       runs<&Tensor::reshape>,
       R"(Other sizes, of which one may be -1: a view where the strides allow one, else a contiguous copy.
`copy=True` always copies, `copy=False` never: then ViewError where no view exists.

Raises ShapeError where the sizes hold another number of elements.

>>> x = torch.arange(6).view(2, 3)
>>> x.reshape(-1).data_ptr() == x.data_ptr(), x.T.reshape(6)
(True, tensor([0, 3, 1, 4, 2, 5]))
)"},
      {"reshape_as(Tensor self, Tensor other) -> Tensor", method, maybe_copy,
       runs<[](T x, T other, Caller caller) { return x.reshape_as(other, CopyRule::if_needed, caller); }>,
       R"(The sizes of `other`, as `reshape` gives them.

>>> torch.arange(6).reshape_as(torch.zeros(3, 2)).shape
torch.Size([3, 2])
)"},
      {"flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", both, maybe_copy,
       runs_unless<is_one_axis,
                   [](T x, Index from, Index to, Caller caller) {
                     return x.flatten(from, to, CopyRule::if_needed, caller);
                   }>,
       R"(The axes from `start_dim` to `end_dim` as one: a view where the strides allow it, else a contiguous
copy; the very same tensor where that is one axis already.

Raises IndexError where there is no such axis, RuntimeError where they stand in the wrong order.

>>> torch.zeros(2, 3, 4).flatten(1).shape
torch.Size([2, 12])
)"},
      {"ravel(Tensor self) -> Tensor", both, maybe_copy,
       runs<[](T x, Caller caller) { return x.ravel(CopyRule::if_needed, caller); }>,
       R"(All elements along one axis: a view where the strides allow it, else a contiguous copy.

>>> torch.arange(4).view(2, 2).T.ravel()
tensor([0, 2, 1, 3])
)"},
  };
}

}  // namespace tenstride::detail
