// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Operations that give a copy, always or where the tensor itself will not do.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText copy_texts[] = {
    {"alias_copy", R"(A contiguous copy of all of it.

>>> torch.alias_copy(torch.zeros(2, 3).T).stride()
(2, 1)
)"},
    {"as_strided_copy", R"(What `as_strided` shows, as a contiguous copy; with the same refusals.

>>> torch.as_strided_copy(torch.arange(6), (2, 2), (1, 2)).tolist()
[[0, 2], [1, 3]]
)"},
    {"bfloat16", R"(The elements as bfloat16; the very same tensor where they are already.

>>> torch.ones(2).bfloat16().element_size()
2
)"},
    {"block_diag", R"(One matrix with the given ones along its diagonal and zeros elsewhere, as a copy. Raises
RuntimeError above rank 2.

>>> torch.block_diag(torch.ones(1, 2), torch.ones(1, 1)).tolist()
[[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
)"},
    {"bool", R"(The elements as bool (not zero); the very same tensor where they are already.

>>> torch.tensor([0, 2]).bool()
tensor([False,  True])
)"},
    {"byte", R"(The elements as uint8; the very same tensor where they are already. Numbers outside become the
nearest.

>>> torch.tensor([1, 2]).byte()
tensor([1, 2], dtype=torch.uint8)
)"},
    {"cat",
     R"(The tensors one after another along an axis that they have, as a copy; an empty vector counts as
nothing.

Raises RuntimeError where there is none, where one has rank 0, or where other sizes differ.

>>> torch.cat([torch.zeros(2, 3), torch.ones(1, 3)]).shape
torch.Size([3, 3])
)"},
    {"cdouble", R"(The elements as complex128; the very same tensor where they are already.

>>> torch.ones(1).cdouble().dtype
torch.complex128
)"},
    {"cfloat", R"(The elements as complex64; the very same tensor where they are already.

>>> torch.ones(1).cfloat()
tensor([1.+0.j])
)"},
    {"chalf", R"(The elements as complex32, of two float16; the very same tensor where they are already.

>>> torch.ones(1).chalf()
tensor([1.+0.j], dtype=torch.complex32)
)"},
    {"char", R"(The elements as int8; the very same tensor where they are already.

>>> torch.tensor([1, 2]).char().dtype
torch.int8
)"},
    {"clone",
     R"(A copy. A tensor without gaps keeps its strides, any other is laid out by the order of its strides;
another `memory_format` says otherwise.

>>> torch.zeros(2, 3).T.clone().stride()
(1, 3)
)"},
    {"column_stack",
     R"(The tensors joined along axis 1, vectors as columns, as a copy. Raises RuntimeError where other
sizes differ.

>>> torch.column_stack([torch.arange(2), torch.zeros(2, 2)]).shape
torch.Size([2, 3])
)"},
    {"concat", R"(Another name of `cat`.

>>> torch.concat([torch.arange(2), torch.arange(3)])
tensor([0, 1, 0, 1, 2])
)"},
    {"concatenate", R"(Another name of `cat`.

>>> torch.concatenate([torch.zeros(2, 1), torch.ones(2, 2)], dim=1).shape
torch.Size([2, 3])
)"},
    {"contiguous",
     R"(The very same tensor where its elements lie in row-major order (or that of `memory_format`) already,
else a copy that does. Raises RuntimeError where the format does not fit the rank.

>>> x = torch.arange(6).view(2, 3)
>>> x.contiguous() is x, x.T.contiguous().stride()
(True, (2, 1))
)"},
    {"cpu",
     R"(The tensor with memory on the cpu: the very same one where it is there already. Raises RuntimeError
for one on meta, which has no elements. From another device it is a transfer, which is foretold: the
result lies on meta, which stands for the cpu without memory.

>>> x = torch.ones(1)
>>> x.cpu() is x
True
>>> x.to("meta").cuda().cpu().device
device(type='meta')
)"},
    {"cuda",
     R"(The tensor on a GPU: a transfer, which is foretold of a tensor without memory (docs/devices.md).
Raises RuntimeError for one with elements: tenstride holds memory on the cpu only.

>>> with torch.CopyLedger() as ledger:
...     y = torch.zeros(2, 3, device="meta").cuda(1)
>>> y.device, ledger.transfers, ledger.bytes_transferred
(device(type='cuda', index=1), 1, 24)
)"},
    {"detach_copy", R"(A contiguous copy of all of it.

>>> torch.detach_copy(torch.arange(3))
tensor([0, 1, 2])
)"},
    {"diagonal_copy", R"(What `diagonal` shows, as a contiguous copy; with the same refusals.

>>> torch.diagonal_copy(torch.arange(4).view(2, 2)).stride()
(1,)
)"},
    {"double", R"(The elements as float64; the very same tensor where they are already.

>>> torch.arange(2).double()
tensor([0., 1.], dtype=torch.float64)
)"},
    {"dstack",
     R"(The tensors joined along axis 2, those of a lower rank as `atleast_3d` gives them, as a copy. Raises
RuntimeError where other sizes differ.

>>> torch.dstack([torch.zeros(2, 3), torch.zeros(2, 3)]).shape
torch.Size([2, 3, 2])
)"},
    {"expand_copy", R"(What `expand` shows, as a contiguous copy; with the same refusals.

>>> torch.expand_copy(torch.zeros(2, 1), (2, 3)).stride()
(3, 1)
)"},
    {"flip",
     R"(A copy with the elements in reverse order along the given axes. Raises RuntimeError where an axis is
named twice, IndexError where there is none such. (`x[::-1]` gives a view.)

>>> torch.arange(4).view(2, 2).flip(0, 1)
tensor([[3, 2],
        [1, 0]])
)"},
    {"fliplr", R"(A copy in reverse order along axis 1. Raises RuntimeError below rank 2.

>>> torch.arange(4).view(2, 2).fliplr().tolist()
[[1, 0], [3, 2]]
)"},
    {"flipud", R"(A copy in reverse order along axis 0. Raises RuntimeError for rank 0.

>>> torch.arange(3).flipud()
tensor([2, 1, 0])
)"},
    {"float", R"(The elements as float32; the very same tensor where they are already.

>>> torch.arange(2).float()
tensor([0., 1.])
)"},
    {"half", R"(The elements as float16; the very same tensor where they are already.

>>> torch.ones(2).half()
tensor([1., 1.], dtype=torch.float16)
)"},
    {"hstack",
     R"(The tensors joined along axis 1 (axis 0 for vectors), as a copy. Raises RuntimeError where other
sizes differ.

>>> torch.hstack([torch.zeros(2, 1), torch.zeros(2, 3)]).shape
torch.Size([2, 4])
)"},
    {"index_put",
     R"(A copy with `values` where the index tensors say; with `accumulate=True` each value is added, as often as
its element is indexed. See `index_put_`.

>>> torch.zeros(3).index_put((torch.tensor([0, 2]),), torch.tensor([1.0, 2.0]))
tensor([1., 0., 2.])
)"},
    {"int", R"(The elements as int32, toward zero; the very same tensor where they are already.

>>> torch.tensor([1.5, -1.5]).int()
tensor([ 1, -1], dtype=torch.int32)
)"},
    {"long", R"(The elements as int64, toward zero; the very same tensor where they are already.

>>> x = torch.arange(2)
>>> x.long() is x
True
)"},
    {"narrow_copy", R"(What `narrow` shows, as a contiguous copy; with the same refusals.

>>> torch.narrow_copy(torch.arange(5), 0, 1, 2)
tensor([1, 2])
)"},
    {"permute_copy",
     R"(What `permute` shows, as a contiguous copy; with the same refusals. Takes and gives arrays of other
libraries too.

>>> torch.permute_copy(torch.zeros(2, 3, 4), (2, 0, 1)).stride()
(6, 3, 1)
)"},
    {"pin_memory",
     R"(The tensor in page-locked memory, from which a device reads without a detour: a copy, or the very same
tensor where it is pinned already. Foretold, of a tensor without memory. Raises RuntimeError for one with
elements, as there is no device here.

>>> x = torch.zeros(2, device="meta").pin_memory()
>>> x.is_pinned(), x.pin_memory() is x
(True, True)
)"},
    {"repeat_interleave",
     R"(A copy in which each element along `dim` comes so many times in a row: one number, or one for each;
without an axis along the flattened tensor. As a function of the numbers alone, their positions repeated.

Raises RuntimeError where a number is negative, their count does not fit or `output_size` is not the size
that they make.

>>> torch.arange(3).repeat_interleave(2)
tensor([0, 0, 1, 1, 2, 2])
>>> torch.repeat_interleave(torch.tensor([1, 2, 3]))
tensor([0, 1, 1, 2, 2, 2])
)"},
    {"resolve_conj",
     R"(A copy with the conjugates written out where the tensor has the conjugate bit, else the very same
tensor.

>>> torch.tensor([1 + 2j]).conj().resolve_conj().is_conj()
False
)"},
    {"resolve_neg",
     R"(A copy with the negatives written out where the tensor has the negative bit, else the very same
tensor.

>>> torch.tensor([1 + 2j]).conj().imag.resolve_neg().is_neg()
False
)"},
    {"roll",
     R"(A copy with the elements moved by `shifts` along `dims`, those that leave at one end coming in at
the other; without axes along the flattened tensor. Raises RuntimeError where the counts differ.

>>> torch.arange(4).roll(1)
tensor([3, 0, 1, 2])
)"},
    {"rot90",
     R"(A copy rotated by 90 degrees `k` times, from the first of the two axes `dims` toward the second.
Raises RuntimeError where the axes are not two different ones.

>>> torch.arange(4).view(2, 2).rot90().tolist()
[[1, 3], [0, 2]]
)"},
    {"row_stack", R"(Another name of `vstack`.

>>> torch.row_stack([torch.zeros(3), torch.zeros(2, 3)]).shape
torch.Size([3, 3])
)"},
    {"select_copy", R"(What `select` shows, as a contiguous copy; with the same refusals.

>>> torch.select_copy(torch.arange(4).view(2, 2), 1, 0)
tensor([0, 2])
)"},
    {"short", R"(The elements as int16; the very same tensor where they are already.

>>> torch.tensor([1, 2]).short().dtype
torch.int16
)"},
    {"slice_copy", R"(What `slice` shows, as a contiguous copy; with the same refusals.

>>> torch.slice_copy(torch.arange(6), 0, 0, 6, 2)
tensor([0, 2, 4])
)"},
    {"split_copy", R"(What `split` shows, as a tuple of contiguous copies; with the same refusals.

>>> [part.tolist() for part in torch.split_copy(torch.arange(3), 2)]
[[0, 1], [2]]
)"},
    {"split_with_sizes_copy",
     R"(What `split_with_sizes` shows, as a tuple of contiguous copies; with the same refusals.

>>> [part.tolist() for part in torch.split_with_sizes_copy(torch.arange(3), (1, 2))]
[[0], [1, 2]]
)"},
    {"squeeze_copy", R"(What `squeeze` shows, as a contiguous copy; with the same refusals.

>>> torch.squeeze_copy(torch.zeros(1, 2)).shape
torch.Size([2])
)"},
    {"stack",
     R"(Tensors of one shape one after another along a new axis, as a copy. Raises RuntimeError where the
shapes differ or there is no tensor.

>>> torch.stack([torch.arange(2), torch.arange(2)], dim=1)
tensor([[0, 0],
        [1, 1]])
)"},
    {"t_copy", R"(What `t` shows, as a contiguous copy; with the same refusals.

>>> torch.t_copy(torch.zeros(2, 3)).stride()
(2, 1)
)"},
    {"tile",
     R"(A contiguous copy with each axis repeated so many times; fewer numbers than axes count for the last
ones.

>>> torch.arange(2).tile(2)
tensor([0, 1, 0, 1])
)"},
    {"to",
     R"(The elements in another dtype, on another device or in another memory format; the very same tensor
where all is so already and `copy` is not asked for. A tensor as argument stands for its dtype and
device.

To another device than the cpu and meta it is a transfer, which is foretold of a tensor without memory;
of one with elements it raises RuntimeError. So it does where the format does not fit the rank. Numbers that an integer type does not
hold become its nearest.

>>> x = torch.tensor([1.5, -2.5])
>>> x.to(torch.int32), x.to(torch.float32) is x
(tensor([ 1, -2], dtype=torch.int32), True)
)"},
    {"to_memory_format_",
     R"(Moves the elements within their own memory, so that afterwards this tensor has the strides of the
format; shape and elements stay. Gives the tensor itself. Takes at most `extra_bytes` of memory besides:
by default a hundredth of the tensor's, and at least 1 MiB. Other tensors on the storage keep their
strides and see other elements. PyTorch has no such method. Raises RuntimeError where the tensor is not
dense, ShapeError where the format is of another rank, ValueError where `extra_bytes` is too small and
for `preserve_format`.

>>> torch.zeros(2, 3, 4, 5).to_memory_format_(torch.channels_last).stride()
(60, 1, 15, 3)
)"},
    {"transpose_copy", R"(What `transpose` shows, as a contiguous copy; with the same refusals.

>>> torch.transpose_copy(torch.zeros(2, 3), 0, 1).stride()
(2, 1)
)"},
    {"tril", R"(A copy of each matrix with zeros above the diagonal (or the one `diagonal` above it). Raises
RuntimeError below rank 2.

>>> torch.ones(2, 2).tril()
tensor([[1., 0.],
        [1., 1.]])
)"},
    {"triu", R"(A copy of each matrix with zeros below the diagonal (or the one `diagonal` above it). Raises
RuntimeError below rank 2.

>>> torch.ones(2, 2).triu(1).tolist()
[[0.0, 1.0], [0.0, 0.0]]
)"},
    {"type",
     R"(Without an argument the name of the element type; with a dtype the elements converted, as `to` does.

>>> torch.ones(1).type(torch.int64)
tensor([1])
)"},
    {"type_as",
     R"(The tensor in the type, and on the device, of another; itself where it is there.

>>> torch.arange(2).type_as(torch.zeros(1))
tensor([0., 1.])
)"},
    {"unbind_copy", R"(What `unbind` shows, as a tuple of contiguous copies; with the same refusals.

>>> torch.unbind_copy(torch.arange(2))
(tensor(0), tensor(1))
)"},
    {"unfold_copy", R"(What `unfold` shows, as a contiguous copy; with the same refusals.

>>> torch.unfold_copy(torch.arange(4), 0, 2, 1).stride()
(2, 1)
)"},
    {"unsqueeze_copy", R"(What `unsqueeze` shows, as a contiguous copy; with the same refusals.

>>> torch.unsqueeze_copy(torch.zeros(2), 0).shape
torch.Size([1, 2])
)"},
    {"view_as_complex_copy", R"(What `view_as_complex` shows, as a contiguous copy; with the same refusals.

>>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0]])).tolist()
[(1+2j)]
)"},
    {"view_as_real_copy", R"(What `view_as_real` shows, as a contiguous copy; with the same refusals.

>>> torch.view_as_real_copy(torch.tensor([1 + 2j])).tolist()
[[1.0, 2.0]]
)"},
    {"view_copy", R"(What `view` shows, as a contiguous copy; with the same refusals.

>>> torch.view_copy(torch.arange(4), (2, 2)).tolist()
[[0, 1], [2, 3]]
)"},
    {"vstack",
     R"(The tensors joined along axis 0, vectors as rows, as a copy. Raises RuntimeError where other sizes
differ.

>>> torch.vstack([torch.arange(2), torch.arange(2)]).shape
torch.Size([2, 2])
)"},
    {"xpu",
     R"(The tensor on an Intel GPU: a transfer, which is foretold as that of `cuda`, with its refusals.

>>> torch.zeros(2, 3, device="meta").xpu().device
device(type='xpu', index=0)
)"},
};
static_assert(is_sorted(copy_texts));

}  // namespace

std::span<const OperationText> texts_of_copies() {
  return copy_texts;
}

}  // namespace tenstride::python
