// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/copy.hpp"
#include "base/message.hpp"
#include "operations/runs.hpp"
#include "ops/out.hpp"
#include "tenstride/ops/ops.hpp"

/// Operations that always give a copy: other orders of elements, repeats, and what is joined.
namespace tenstride::detail {
namespace {

/// The positions of the repeats: `repeat_interleave(tensor([1, 2]))` is [0, 1, 1].
Tensor repeated_positions(const Tensor& repeats) {
  if (repeats.dim() != 1) {
    throw RuntimeError(
        message("repeat_interleave: repeats alone must have 1 axis (shape ", repeats.shape(), ")"));
  }
  return arange(repeats.numel(), {.dtype = repeats.dtype(), .device = repeats.device()})
      .repeat_interleave(repeats, 0);
}

/// The result on meta: without the numbers, `output_size` alone says how many elements there will be.
Tensor repeated_on_meta(const Call& call, bool is_alone) {
  const Tensor& self = call.self();
  const bool has_axis = !is_alone && call.has(1);
  Dims shape = has_axis ? self.shape() : Dims{0};
  const std::size_t d = has_axis ? wrap_axis("repeat_interleave", call.index(1), shape) : 0;
  shape[d] = call.index(2);
  return empty(shape, {.dtype = self.dtype(), .device = self.device()});
}

/// Parameter 2 is `output_size`, which must be the size that the axis then has.
Value repeat_interleave(Call& call) {
  const Tensor& self = call.self();
  const bool is_alone = !call.has(0);
  if (is_alone && (call.was_given(0) || call.has(1))) call.fail_type(0, "an int or a Tensor");
  if (const Tensor* repeats = is_alone ? &self : call.value(0).tensor();
      repeats != nullptr && !repeats->has_memory() && call.has(2)) {
    return repeated_on_meta(call, is_alone);
  }
  const Tensor result = is_alone ? repeated_positions(self)
                        : call.is_tensor(0) && !call.is_index(0)
                            ? self.repeat_interleave(call.tensor(0), call.maybe_index(1))
                            : self.repeat_interleave(call.index(0), call.maybe_index(1));
  const Index size = result.size(is_alone ? 0 : call.index(1, 0));
  if (call.has(2) && call.index(2) != size) {
    throw RuntimeError(message("repeat_interleave: output_size ", call.index(2), " must be ", size,
                               ", the size that the repeats make (shape ", self.shape(), ")"));
  }
  return result;
}

template <Tensor (*Op)(TensorList, Caller), Tensor& (*Into)(Tensor&, TensorList, Caller)>
Value joined(Call& call) {
  if (!call.has(1)) return Op(call.tensors(0), {});
  Into(call.mutable_tensor(1), call.tensors(0), {});
  return call.value(1);
}
template <Tensor (*Op)(TensorList, Index, Caller), Tensor& (*Into)(Tensor&, TensorList, Index, Caller)>
Value joined_along(Call& call) {
  if (!call.has(2)) return Op(call.tensors(0), call.index(1), {});
  Into(call.mutable_tensor(2), call.tensors(0), call.index(1), {});
  return call.value(2);
}

}  // namespace

std::vector<Operation> copy_operations() {
  return {
      {"clone(Tensor self, *, MemoryFormat memory_format=preserve_format) -> Tensor", both, copy,
       runs<&Tensor::clone>,
       R"(A copy. A tensor without gaps keeps its strides, any other is laid out by the order of its strides;
another `memory_format` says otherwise.

>>> torch.zeros(2, 3).T.clone().stride()
(1, 3)
)"},
      {"flip(Tensor self, int... dims) -> Tensor", both, copy, runs<&Tensor::flip>,
       R"(A copy with the elements in reverse order along the given axes. Raises RuntimeError where an axis is
named twice, IndexError where there is none such. (`x[::-1]` gives a view.)

>>> torch.arange(4).view(2, 2).flip(0, 1)
tensor([[3, 2],
        [1, 0]])
)"},
      {"fliplr(Tensor self) -> Tensor", both, copy, runs<&Tensor::fliplr>,
       R"(A copy in reverse order along axis 1. Raises RuntimeError below rank 2.

>>> torch.arange(4).view(2, 2).fliplr().tolist()
[[1, 0], [3, 2]]
)"},
      {"flipud(Tensor self) -> Tensor", both, copy, runs<&Tensor::flipud>,
       R"(A copy in reverse order along axis 0. Raises RuntimeError for rank 0.

>>> torch.arange(3).flipud()
tensor([2, 1, 0])
)"},
      {"rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", both, copy,
       [](Call& c) -> Value {
         return c.self().rot90(c.index(0), c.has(1) ? c.dims(1) : Dims{0, 1});
       },
       R"(A copy rotated by 90 degrees `k` times, from the first of the two axes `dims` toward the second.
Raises RuntimeError where the axes are not two different ones.

>>> torch.arange(4).view(2, 2).rot90().tolist()
[[1, 3], [0, 2]]
)"},
      {"roll(Tensor self, int|int[] shifts, int|int[] dims=[]) -> Tensor", both, copy,
       runs<[](const Tensor& x, const Ints& shifts, const Ints& dims, Caller caller) {
         return x.roll(shifts, dims, caller);
       }>,
       R"(A copy with the elements moved by `shifts` along `dims`, those that leave at one end coming in at
the other; without axes along the flattened tensor. Raises RuntimeError where the counts differ.

>>> torch.arange(4).roll(1)
tensor([3, 0, 1, 2])
)"},
      {"repeat(Tensor self, int... repeats) -> Tensor", method, copy, runs<&Tensor::repeat>,
       R"(As a method, a contiguous copy with each axis repeated so many times (more numbers than axes put new
ones in front); RuntimeError where there are fewer. As a function, einops' `repeat`: new axes by a
pattern, a view where one exists.

>>> torch.arange(2).repeat(2, 2)
tensor([[0, 1, 0, 1],
        [0, 1, 0, 1]])
)"},
      {"tile(Tensor self, int... dims) -> Tensor", both, copy, runs<&Tensor::tile>,
       R"(A contiguous copy with each axis repeated so many times; fewer numbers than axes count for the last
ones.

>>> torch.arange(2).tile(2)
tensor([0, 1, 0, 1])
)"},
      {"repeat_interleave(Tensor self, int|Tensor repeats, int? dim=None, *, int? output_size=None) -> "
       "Tensor",
       method, copy, repeat_interleave,
       R"(A copy in which each element along `dim` comes so many times in a row: one number, or one for each;
without an axis along the flattened tensor. As a function of the numbers alone, their positions repeated.

Raises RuntimeError where a number is negative, their count does not fit or `output_size` is not the size
that they make.

>>> torch.arange(3).repeat_interleave(2)
tensor([0, 0, 1, 1, 2, 2])
>>> torch.repeat_interleave(torch.tensor([1, 2, 3]))
tensor([0, 1, 1, 2, 2, 2])
)"},
      {"repeat_interleave(Tensor self, int|Tensor? repeats=None, int? dim=None, *, int? output_size=None) -> "
       "Tensor",
       function, copy, repeat_interleave, ""},
      {"tril(Tensor self, int diagonal=0) -> Tensor", both, copy, runs<&Tensor::tril>, OutRule::copied,
       R"(A copy of each matrix with zeros above the diagonal (or the one `diagonal` above it). Raises
RuntimeError below rank 2.

>>> torch.ones(2, 2).tril()
tensor([[1., 0.],
        [1., 1.]])
)"},
      {"triu(Tensor self, int diagonal=0) -> Tensor", both, copy, runs<&Tensor::triu>, OutRule::copied,
       R"(A copy of each matrix with zeros below the diagonal (or the one `diagonal` above it). Raises
RuntimeError below rank 2.

>>> torch.ones(2, 2).triu(1).tolist()
[[0.0, 1.0], [0.0, 0.0]]
)"},
      {"cat(Tensor[] tensors, int dim=0, *, Tensor? out=None) -> Tensor", function, copy,
       joined_along<cat, cat_out>,
       R"(The tensors one after another along an axis that they have, as a copy; an empty vector counts as
nothing.

Raises RuntimeError where there is none, where one has rank 0, or where other sizes differ.

>>> torch.cat([torch.zeros(2, 3), torch.ones(1, 3)]).shape
torch.Size([3, 3])
)"},
      {"concat(Tensor[] tensors, int dim=0, *, Tensor? out=None) -> Tensor", function, copy,
       joined_along<concat, cat_out>, R"(Another name of `cat`.

>>> torch.concat([torch.arange(2), torch.arange(3)])
tensor([0, 1, 0, 1, 2])
)"},
      {"concatenate(Tensor[] tensors, int dim=0, *, Tensor? out=None) -> Tensor", function, copy,
       joined_along<concatenate, cat_out>, R"(Another name of `cat`.

>>> torch.concatenate([torch.zeros(2, 1), torch.ones(2, 2)], dim=1).shape
torch.Size([2, 3])
)"},
      {"stack(Tensor[] tensors, int dim=0, *, Tensor? out=None) -> Tensor", function, copy,
       joined_along<stack, stack_out>,
       R"(Tensors of one shape one after another along a new axis, as a copy. Raises RuntimeError where the
shapes differ or there is no tensor.

>>> torch.stack([torch.arange(2), torch.arange(2)], dim=1)
tensor([[0, 0],
        [1, 1]])
)"},
      {"hstack(Tensor[] tensors, *, Tensor? out=None) -> Tensor", function, copy, joined<hstack, hstack_out>,
       R"(The tensors joined along axis 1 (axis 0 for vectors), as a copy. Raises RuntimeError where other
sizes differ.

>>> torch.hstack([torch.zeros(2, 1), torch.zeros(2, 3)]).shape
torch.Size([2, 4])
)"},
      {"vstack(Tensor[] tensors, *, Tensor? out=None) -> Tensor", function, copy, joined<vstack, vstack_out>,
       R"(The tensors joined along axis 0, vectors as rows, as a copy. Raises RuntimeError where other sizes
differ.

>>> torch.vstack([torch.arange(2), torch.arange(2)]).shape
torch.Size([2, 2])
)"},
      {"row_stack(Tensor[] tensors, *, Tensor? out=None) -> Tensor", function, copy,
       joined<row_stack, vstack_out>, R"(Another name of `vstack`.

>>> torch.row_stack([torch.zeros(3), torch.zeros(2, 3)]).shape
torch.Size([3, 3])
)"},
      {"dstack(Tensor[] tensors, *, Tensor? out=None) -> Tensor", function, copy, joined<dstack, dstack_out>,
       R"(The tensors joined along axis 2, those of a lower rank as `atleast_3d` gives them, as a copy. Raises
RuntimeError where other sizes differ.

>>> torch.dstack([torch.zeros(2, 3), torch.zeros(2, 3)]).shape
torch.Size([2, 3, 2])
)"},
      {"column_stack(Tensor[] tensors, *, Tensor? out=None) -> Tensor", function, copy,
       joined<column_stack, column_stack_out>,
       R"(The tensors joined along axis 1, vectors as columns, as a copy. Raises RuntimeError where other
sizes differ.

>>> torch.column_stack([torch.arange(2), torch.zeros(2, 2)]).shape
torch.Size([2, 3])
)"},
      {"block_diag(Tensor... tensors) -> Tensor", function, copy, makes<block_diag>,
       R"(One matrix with the given ones along its diagonal and zeros elsewhere, as a copy. Raises
RuntimeError above rank 2.

>>> torch.block_diag(torch.ones(1, 2), torch.ones(1, 1)).tolist()
[[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
)"},
  };
}

}  // namespace tenstride::detail
