// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Questions that give no tensor, and what changes a tensor without arithmetic.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText query_texts[] = {
    {"allclose",
     R"(Whether all elements differ by at most `atol + rtol * abs(other)`. Raises RuntimeError where the
types differ or the sizes do not broadcast.

>>> torch.ones(2).allclose(torch.ones(2) + 1e-7)
True
)"},
    {"as_strided_",
     R"(Gives this tensor any sizes, strides and offset on its storage, as `as_strided`; gives the tensor
itself.

>>> torch.arange(6).as_strided_((2,), (3,))
tensor([0, 3])
)"},
    {"broadcast_shapes",
     R"(The sizes that tensors of these sizes have together. Raises RuntimeError where an axis has two sizes
of which none is 1.

>>> torch.broadcast_shapes((3, 1), (4,))
torch.Size([3, 4])
)"},
    {"can_cast",
     R"(Whether an operation in place may write results of the first type into a tensor of the second: not
where an imaginary part, a fraction, or all but whether it is 0 would be lost.

>>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.float32, torch.int32)
(True, False)
)"},
    {"copy_",
     R"(Writes the elements of `src`, expanded and converted, into this tensor; gives the tensor itself. A
number is converted as elements are: 300 becomes 44 in uint8.

Raises RuntimeError where the sizes do not expand, the tensor has several elements in one place, or `src`
shares a part of its memory: clone() it first, or use `tenstride.numpy.copyto`.

>>> torch.zeros(2).copy_(torch.arange(2))
tensor([0., 1.])
)"},
    {"data_ptr", R"(The address of the first element in memory, as an int; 0 where there is none, as on meta.

>>> x = torch.zeros(4)
>>> x[1:].data_ptr() - x.data_ptr()
4
)"},
    {"dim", R"(The number of axes.

>>> torch.zeros(2, 3).dim()
2
)"},
    {"dim_order",
     R"(The axes from the slowest to the fastest in memory. `ambiguity_check` True, or a list of memory formats, refuses
(RuntimeError) a tensor whose order sizes of 1 or equal strides leave open, unless exactly one of the formats fits.

>>> torch.zeros(2, 3, 4).permute(2, 0, 1).dim_order()
(1, 2, 0)
)"},
    {"dtype", R"(The type of the elements.

>>> torch.zeros(2).dtype
torch.float32
)"},
    {"element_size", R"(Bytes of one element.

>>> torch.zeros(2, dtype=torch.float64).element_size()
8
)"},
    {"equal",
     R"(Whether both tensors have the same sizes and equal elements; of two types, as `eq` compares them.

>>> torch.equal(torch.arange(2), torch.arange(2))
True
)"},
    {"fill_",
     R"(Writes a number, or the one element of a tensor of rank 0, into each element; gives the tensor
itself. Raises RuntimeError where this type does not hold the number.

>>> torch.zeros(2).fill_(3)
tensor([3., 3.])
)"},
    {"index_put_",
     R"(Writes `values` where the index tensors say, as `x[indices] = values`; gives the tensor itself. With
`accumulate=True` each value is added, as often as its element is indexed.

Raises IndexError where an index is not there, RuntimeError where `values` does not expand to the indexed
sizes, is of another dtype or shares this tensor's memory.

>>> x = torch.zeros(3, dtype=torch.int64)
>>> x.index_put_((torch.tensor([0, 0, 2]),), torch.tensor([1, 2, 3]), accumulate=True)
tensor([3, 0, 3])
)"},
    {"is_complex", R"(Whether the elements are of a complex type.

>>> torch.zeros(2).is_complex()
False
)"},
    {"is_conj", R"(Whether the elements read as the conjugates of what the memory holds.

>>> torch.zeros(2, dtype=torch.complex64).conj().is_conj()
True
)"},
    {"is_contiguous",
     R"(Whether the elements lie one after another in row-major order, or in that of `memory_format`.

>>> torch.zeros(2, 3).is_contiguous(), torch.zeros(2, 3).T.is_contiguous()
(True, False)
)"},
    {"is_floating_point", R"(Whether the elements are of a real floating type.

>>> torch.zeros(2).is_floating_point()
True
)"},
    {"is_meta", R"(Whether the tensor has sizes and no memory.

>>> torch.empty(2, device="meta").is_meta
True
)"},
    {"is_neg", R"(Whether the elements read as the negatives of what the memory holds.

>>> torch.zeros(2, dtype=torch.complex64).conj().imag.is_neg()
True
)"},
    {"is_non_overlapping_and_dense",
     R"(Whether the elements fill a piece of the storage without gaps, each place once, in whatever order of
axes.

>>> torch.zeros(2, 3).T.is_non_overlapping_and_dense()
True
)"},
    {"is_pinned", R"(Whether the memory is page-locked: after `pin_memory`.

>>> torch.zeros(2).is_pinned()
False
)"},
    {"is_set_to", R"(Whether both tensors are the same view of the same storage.

>>> x = torch.zeros(2)
>>> x.is_set_to(x.view(2)), x.is_set_to(x.clone())
(True, False)
)"},
    {"item", R"(The only element as a number of Python. Raises RuntimeError where there are more, or none.

>>> torch.tensor([2.5]).item()
2.5
)"},
    {"itemsize", R"(Bytes of one element.

>>> torch.zeros(2).itemsize
4
)"},
    {"nbytes", R"(Bytes of the elements, each counted once for each index: what a contiguous copy would take.

>>> torch.zeros(2).expand(3, 2).nbytes
24
)"},
    {"ndim", R"(The number of axes.

>>> torch.zeros(2, 3).ndim
2
)"},
    {"ndimension", R"(The number of axes: another name of `dim`.

>>> torch.zeros(2, 3).ndimension()
2
)"},
    {"nelement", R"(The number of elements: another name of `numel`.

>>> torch.zeros(2, 3).nelement()
6
)"},
    {"numel", R"(The number of elements: the product of the sizes.

>>> torch.zeros(2, 3).numel()
6
)"},
    {"permute_",
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
    {"promote_types",
     R"(The smallest type that holds the numbers of both. Raises RuntimeError where there is none.

>>> torch.promote_types(torch.int64, torch.float32)
torch.float32
)"},
    {"requires_grad", R"(False: there are no gradients.

>>> torch.zeros(2).requires_grad
False
)"},
    {"resize_",
     R"(Gives this tensor other sizes in row-major order, on a larger storage where its own is too short:
the elements stay in their order of memory, new ones are not initialised. Gives the tensor itself.

>>> torch.arange(6).resize_(2, 2)
tensor([[0, 1],
        [2, 3]])
)"},
    {"resize_as_", R"(Gives this tensor the sizes of another, as `resize_` does; gives the tensor itself.

Row-major, or in `memory_format`; `torch.preserve_format` is the one that the other tensor is in.

>>> torch.arange(6).resize_as_(torch.zeros(2)).shape
torch.Size([2])
)"},
    {"result_type",
     R"(The type in which two tensors or numbers meet. A tensor of rank 0 and a number count only where they
are of a higher kind. Raises RuntimeError where there is none.

>>> torch.result_type(torch.zeros(2, dtype=torch.float16), 1j)
torch.complex32
)"},
    {"set_",
     R"(Lets this tensor look at another one's storage, or at a storage with offset, sizes and strides;
gives the tensor itself, no element moves. Raises RuntimeError where the layout reaches past the
storage.

>>> x = torch.zeros(2)
>>> x.set_(torch.arange(3.0))
tensor([0., 1., 2.])
)"},
    {"shape", R"(The sizes, one for each axis.

>>> torch.zeros(2, 3).shape
torch.Size([2, 3])
)"},
    {"size", R"(All sizes, or that of one axis. Raises IndexError where there is no such axis.

>>> torch.zeros(2, 3).size(), torch.zeros(2, 3).size(-1)
(torch.Size([2, 3]), 3)
)"},
    {"squeeze_",
     R"(Takes the axes of size 1 out of this tensor: all, or the one named; gives the tensor itself.

>>> torch.zeros(1, 2).squeeze_().shape
torch.Size([2])
)"},
    {"storage", R"(The storage as elements of the tensor's type, as they lie in memory.

>>> torch.arange(4).view(2, 2).T.storage().tolist()
[0, 1, 2, 3]
)"},
    {"storage_offset", R"(Where in the storage the first element stands, in elements.

>>> torch.arange(6)[2:].storage_offset()
2
)"},
    {"stride",
     R"(All strides, or that of one axis: how many elements of the storage lie between neighbours. Raises
IndexError where there is no such axis.

>>> torch.zeros(2, 3).stride(), torch.zeros(2, 3).stride(0)
((3, 1), 3)
)"},
    {"swapaxes_", R"(Exchanges two axes of this tensor: another name of `transpose_`.

>>> torch.zeros(2, 3).swapaxes_(0, 1).shape
torch.Size([3, 2])
)"},
    {"swapdims_", R"(Exchanges two axes of this tensor: another name of `transpose_`.

>>> torch.zeros(2, 3).swapdims_(0, 1).shape
torch.Size([3, 2])
)"},
    {"t_",
     R"(Exchanges the two axes of this matrix; gives the tensor itself. Raises RuntimeError above rank 2.

>>> torch.zeros(2, 3).t_().shape
torch.Size([3, 2])
)"},
    {"tolist", R"(The elements as Python's numbers in lists; a number for rank 0.

>>> torch.arange(4).view(2, 2).tolist()
[[0, 1], [2, 3]]
)"},
    {"transpose_",
     R"(Exchanges two axes of this tensor; gives the tensor itself, no element moves. Raises IndexError
where there is no such axis.

>>> torch.zeros(2, 3).transpose_(0, 1).shape
torch.Size([3, 2])
)"},
    {"unsqueeze_",
     R"(Puts an axis of size 1 into this tensor at place `dim`; gives the tensor itself. Raises IndexError
outside -rank-1 to rank.

>>> torch.zeros(2).unsqueeze_(0).shape
torch.Size([1, 2])
)"},
    {"untyped_storage", R"(The storage as bytes.

>>> torch.arange(4).untyped_storage().nbytes()
32
)"},
    {"zero_", R"(Writes 0 into each element; gives the tensor itself.

>>> torch.ones(2).zero_()
tensor([0., 0.])
)"},
};
static_assert(is_sorted(query_texts));

}  // namespace

std::span<const OperationText> texts_of_queries() {
  return query_texts;
}

}  // namespace tenstride::python
