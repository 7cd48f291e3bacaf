// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Operations that give a view, always or where one is possible.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText view_texts[] = {
    {"H", R"(A matrix transposed and conjugated, as a view: complex elements get the conjugate bit. Raises
RuntimeError where the rank is neither 0 nor 2.

>>> torch.tensor([[1j, 2 + 0j]]).H.tolist()
[[-1j], [(2-0j)]]
)"},
    {"T", R"(A view with all axes in reverse order, whatever the rank.

>>> torch.zeros(2, 3, 4).T.shape
torch.Size([4, 3, 2])
)"},
    {"_neg_view",
     R"(A view whose elements read as their negatives (the negative bit). Raises RuntimeError for bool.

>>> torch._neg_view(torch.tensor([1.0, -2.0])).is_neg()
True
)"},
    {"adjoint",
     R"(Each matrix of a batch transposed and conjugated, as a view: the function form of `mH`. Raises
RuntimeError for rank 1.

>>> torch.zeros(5, 2, 3).adjoint().shape
torch.Size([5, 3, 2])
)"},
    {"alias", R"(Another tensor object on the same storage with the same layout. Refuses nothing.

>>> x = torch.arange(3)
>>> x.alias().data_ptr() == x.data_ptr()
True
)"},
    {"as_strided",
     R"(A view of the whole storage with any sizes, strides and offset (in elements; the tensor's own unless
given).

Raises RuntimeError where the counts differ, where a stride or the offset is negative, or where the
layout reaches past the storage.

>>> torch.arange(6).as_strided((2, 2), (3, 1), 1)
tensor([[1, 2],
        [4, 5]])
)"},
    {"broadcast_to", R"(A view expanded to the sizes: NumPy's name of `expand`, with the same refusals.

>>> torch.arange(3).broadcast_to((2, 3)).tolist()
[[0, 1, 2], [0, 1, 2]]
)"},
    {"conj",
     R"(A view whose elements read as their conjugates (the conjugate bit); the very same tensor where the
type is real.

>>> x = torch.tensor([1 + 2j])
>>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
(True, True)
)"},
    {"data", R"(A view of all of it, as `detach` gives.

>>> torch.arange(3).data
tensor([0, 1, 2])
)"},
    {"detach", R"(A view of all of it; there is no gradient that it could be cut off from, so it is `alias`.

>>> x = torch.arange(3)
>>> x.detach().fill_(7) is x, x
(False, tensor([7, 7, 7]))
)"},
    {"diagonal",
     R"(A view of the elements where the indices along `dim1` and `dim2` differ by `offset`; their axis
comes last.

Raises RuntimeError where the two axes are one, IndexError where there is no such axis.

>>> x = torch.arange(9).view(3, 3)
>>> x.diagonal(), x.diagonal().stride()
(tensor([0, 4, 8]), (4,))
)"},
    {"expand",
     R"(A view in which axes of size 1 are repeated without memory (stride 0); -1 keeps a size, further axes
may come in front.

Raises RuntimeError where an axis of another size would have to change.

>>> torch.zeros(3, 1).expand(2, -1, 4).stride()
(0, 1, 0)
)"},
    {"expand_as", R"(A view expanded to the sizes of `other`; raises as `expand` does.

>>> torch.zeros(3, 1).expand_as(torch.zeros(3, 4)).stride()
(1, 0)
)"},
    {"flatten",
     R"(The axes from `start_dim` to `end_dim` as one: a view where the strides allow it, else a contiguous
copy; the very same tensor where that is one axis already.

Raises IndexError where there is no such axis, RuntimeError where they stand in the wrong order.

>>> torch.zeros(2, 3, 4).flatten(1).shape
torch.Size([2, 12])
)"},
    {"imag", R"(A view of the imaginary parts; of a conjugate with the negative bit. What is assigned to it is
written there. Raises RuntimeError where the type is real.

>>> x = torch.tensor([1 + 2j, 3 + 4j])
>>> x.imag, x.conj().imag.is_neg()
(tensor([2., 4.]), True)
>>> x.imag = 0
>>> x
tensor([1.+0.j, 3.+0.j])
)"},
    {"linalg.diagonal",
     R"(A view of the diagonal of each matrix of a batch: `torch.diagonal` along the last two axes.

Raises RuntimeError where the two axes are one, IndexError where there is no such axis.

>>> torch.linalg.diagonal(torch.zeros(5, 3, 3)).shape
torch.Size([5, 3])
)"},
    {"mH", R"(Each matrix of a batch transposed and conjugated, as a view. Raises RuntimeError for rank 1.

>>> torch.zeros(5, 2, 3, dtype=torch.complex64).mH.is_conj()
True
)"},
    {"mT",
     R"(A view with the last two axes exchanged: each matrix of a batch transposed. Raises RuntimeError for
rank 1.

>>> torch.zeros(5, 2, 3).mT.shape
torch.Size([5, 3, 2])
)"},
    {"moveaxis", R"(A view with axes at other places: NumPy's name of `movedim`, with the same refusals.

>>> torch.zeros(2, 3, 4).moveaxis((0, 1), (1, 0)).shape
torch.Size([3, 2, 4])
)"},
    {"movedim", R"(A view with one axis, or several, at other places; the rest keeps its order.

Raises RuntimeError where an axis is named twice or the counts differ, IndexError where there is no
such axis.

>>> torch.zeros(2, 3, 4).movedim(0, -1).shape
torch.Size([3, 4, 2])
)"},
    {"narrow", R"(A view of `length` indices along `dim` from `start` on. Raises IndexError where `start` lies
outside, RuntimeError where the part reaches past the end or `length` is negative.

>>> torch.arange(6).narrow(0, 2, 3)
tensor([2, 3, 4])
)"},
    {"permute", R"(A view with the axes in another order: axis i is the old axis dims[i].

Raises RuntimeError where not each axis is listed once, IndexError where there is no such axis.

>>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape
torch.Size([4, 2, 3])
)"},
    {"ravel", R"(All elements along one axis: a view where the strides allow it, else a contiguous copy.

>>> torch.arange(4).view(2, 2).T.ravel()
tensor([0, 2, 1, 3])
)"},
    {"real",
     R"(A view of the real parts; the very same tensor where the type is real. What is assigned to it is
written there.

>>> x = torch.tensor([1 + 2j, 3 + 4j])
>>> x.real
tensor([1., 3.])
>>> x.real = torch.tensor([5, 6])
>>> x
tensor([5.+2.j, 6.+4.j])
)"},
    {"rearrange",
     R"(The elements in another order of axes, by einops' notation; a view where one exists, else a copy.
Sizes that the pattern does not tell are given by name.

Raises RuntimeError where the pattern does not fit the shape.

>>> torch.rearrange(torch.zeros(2, 12), "b (h w) -> b w h", h=3).shape
torch.Size([2, 4, 3])
)"},
    {"reduce",
     R"(Rearranges by einops' notation, and reduces the axes that the right side leaves out: 'sum', 'mean',
'min', 'max', 'prod', 'any' or 'all'. A fresh tensor.

Raises RuntimeError where the pattern does not fit the shape.

>>> torch.reduce(torch.arange(6).view(2, 3), "h w -> h", "sum")
tensor([ 3, 12])
)"},
    {"repeat",
     R"(As a method, a contiguous copy with each axis repeated so many times (more numbers than axes put new
ones in front); RuntimeError where there are fewer. As a function, einops' `repeat`: new axes by a
pattern, a view where one exists.

>>> torch.arange(2).repeat(2, 2)
tensor([[0, 1, 0, 1],
        [0, 1, 0, 1]])
)"},
    {"reshape",
     R"(Other sizes, of which one may be -1: a view where the strides allow one, else a contiguous copy.
`copy=True` always copies, `copy=False` never: then ViewError where no view exists.

Raises ShapeError where the sizes hold another number of elements.

>>> x = torch.arange(6).view(2, 3)
>>> x.reshape(-1).data_ptr() == x.data_ptr(), x.T.reshape(6)
(True, tensor([0, 3, 1, 4, 2, 5]))
)"},
    {"reshape_as", R"(The sizes of `other`, as `reshape` gives them.

>>> torch.arange(6).reshape_as(torch.zeros(3, 2)).shape
torch.Size([3, 2])
)"},
    {"select",
     R"(A view of one index along `dim`, which disappears. Raises IndexError where there is no such axis or
index.

>>> torch.arange(6).view(2, 3).select(1, -1)
tensor([2, 5])
)"},
    {"slice",
     R"(A view of every `step`-th index along `dim` from `start` to before `end`, as Python's slices cut:
bounds outside are moved to the border. Raises RuntimeError where `step` is not positive.

>>> torch.arange(6).slice(0, 1, None, 2)
tensor([1, 3, 5])
)"},
    {"squeeze",
     R"(A view without the axes of size 1: all of them, or those named. An axis of another size stays.
Raises IndexError where there is no such axis.

>>> torch.zeros(1, 2, 1).squeeze().shape, torch.zeros(1, 2, 1).squeeze(0).shape
(torch.Size([2]), torch.Size([2, 1]))
)"},
    {"swapaxes",
     R"(A view with two axes exchanged: NumPy's name of `transpose`. Raises IndexError where there is no
such axis.

>>> torch.zeros(2, 3, 4).swapaxes(0, 1).shape
torch.Size([3, 2, 4])
)"},
    {"swapdims",
     R"(A view with two axes exchanged: another name of `transpose`. Raises IndexError where there is no
such axis.

>>> torch.zeros(2, 3, 4).swapdims(-1, -2).shape
torch.Size([2, 4, 3])
)"},
    {"t",
     R"(A view of a matrix with its two axes exchanged; of rank 0 or 1, a view as it is. Raises RuntimeError
above rank 2.

>>> torch.zeros(2, 3).t().shape
torch.Size([3, 2])
)"},
    {"transpose",
     R"(A view with two axes exchanged; the strides go along. Raises IndexError where there is no such axis.

>>> torch.zeros(2, 3, 4).transpose(0, 2).stride()
(1, 4, 12)
)"},
    {"unflatten",
     R"(A view with axis `dim` cut into `sizes`, of which one may be -1. Raises RuntimeError where their
product is not the axis' size.

>>> torch.zeros(2, 6).unflatten(1, (3, -1)).shape
torch.Size([2, 3, 2])
)"},
    {"unfold",
     R"(A view of windows of `size` elements along `dimension`, one every `step`; the elements of a window
are the new last axis.

Raises RuntimeError where `size` is larger than the axis or `step` is not positive.

>>> torch.arange(5).unfold(0, 3, 2).tolist()
[[0, 1, 2], [2, 3, 4]]
)"},
    {"unsqueeze",
     R"(A view with a new axis of size 1 at place `dim`, from -rank-1 to rank. Raises IndexError outside.

>>> torch.zeros(2, 3).unsqueeze(1).shape
torch.Size([2, 1, 3])
)"},
    {"view", R"(A view with other sizes, of which one may be -1; or, given a dtype, of the same bytes as other
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
    {"view_as", R"(A view with the sizes of `other`; raises as `view` does.

>>> torch.arange(6).view_as(torch.zeros(3, 2)).shape
torch.Size([3, 2])
)"},
    {"view_as_complex",
     R"(A view of pairs of reals as complex elements. Raises RuntimeError unless the last axis has size 2
and stride 1 and the other strides and the offset are even.

>>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
tensor([1.+2.j])
)"},
    {"view_as_real",
     R"(A view of complex elements as pairs of reals: a last axis of size 2. Raises RuntimeError for a real
type, and for a conjugate that is not resolved yet.

>>> torch.view_as_real(torch.tensor([1 + 2j])).tolist()
[[1.0, 2.0]]
)"},
};
static_assert(is_sorted(view_texts));

}  // namespace

std::span<const OperationText> texts_of_views() {
  return view_texts;
}

}  // namespace tenstride::python
