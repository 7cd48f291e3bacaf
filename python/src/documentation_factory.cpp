// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Tensors out of nothing, random ones too.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText factory_texts[] = {
    {"Size", R"(A tuple of sizes, one for each axis.

>>> torch.Size([2, 3]).numel()
6
)"},
    {"arange",
     R"(The numbers from `start` (0) to before `end`, `step` (1) apart: int64 for ints, the default type where
one is a float. Raises RuntimeError where `step` is 0 or leads away from the end.

>>> torch.arange(1, 8, 3)
tensor([1, 4, 7])
)"},
    {"device",
     R"(Where bytes live: `cpu`, or `meta`, which has sizes and no memory, or `cuda`, `mps` and `xpu`, which
are foretold. Raises RuntimeError for any other.

>>> torch.device("meta").type, torch.device("cuda", 1)
('meta', device(type='cuda', index=1))
)"},
    {"empty",
     R"(A tensor of the given sizes whose elements are whatever the memory held; of the default type unless
`dtype` says otherwise.

Raises RuntimeError where a size is negative or the memory cannot be had. `device="meta"` takes no
memory.

>>> torch.empty(2, 3).shape
torch.Size([2, 3])
)"},
    {"empty_like",
     R"(A tensor of the same sizes, type and device, elements not initialised; without gaps in the given one
it keeps the strides. `dtype`, `device` and `memory_format` say otherwise.

>>> torch.empty_like(torch.zeros(2, 3).T).stride()
(1, 3)
)"},
    {"empty_strided",
     R"(A tensor of the given sizes and strides whose elements are whatever the memory held. Raises
RuntimeError where the counts differ or a stride is negative.

>>> torch.empty_strided((2, 3), (1, 2)).stride()
(1, 2)
)"},
    {"eye",
     R"(A matrix of `n` rows and `m` columns (`n` too unless given) with ones along the diagonal. Raises
RuntimeError where one is negative.

>>> torch.eye(2)
tensor([[1., 0.],
        [0., 1.]])
)"},
    {"full", R"(A tensor of the given sizes filled with a number, of the number's type unless `dtype` says
otherwise: bool, int64, or the default type, real or complex. Raises RuntimeError where a size is negative.

>>> torch.full((2,), 7)
tensor([7, 7])
)"},
    {"full_like", R"(A tensor filled with a number, in everything else as `empty_like` gives it.

>>> torch.full_like(torch.zeros(2), 5)
tensor([5., 5.])
)"},
    {"linspace",
     R"(`steps` numbers in equal distances from `start` to `end`, both included; of the default type. Raises
RuntimeError where `steps` is negative.

>>> torch.linspace(0, 1, 3)
tensor([0.0000, 0.5000, 1.0000])
)"},
    {"new_empty", R"(A tensor of the given sizes of this one's type and device, elements not initialised.

>>> torch.arange(2).new_empty(3).dtype
torch.int64
)"},
    {"new_empty_strided",
     R"(A tensor of the given sizes and strides of this one's type and device, elements not initialised.

>>> torch.arange(2).new_empty_strided((2, 3), (1, 2)).stride()
(1, 2)
)"},
    {"new_full", R"(A tensor of the given sizes of this one's type and device, filled with a number.

>>> torch.arange(2).new_full((2,), 9)
tensor([9, 9])
)"},
    {"new_ones", R"(A tensor of the given sizes of this one's type and device, filled with 1.

>>> torch.arange(2).new_ones(3)
tensor([1, 1, 1])
)"},
    {"new_tensor",
     R"(A tensor of the data, as `tensor` makes it, but of this one's type and device unless they are given.

>>> torch.arange(2).new_tensor([1.5, 2.5])
tensor([1, 2])
)"},
    {"new_zeros", R"(A tensor of the given sizes of this one's type and device, filled with 0.

>>> torch.arange(2).new_zeros(3)
tensor([0, 0, 0])
)"},
    {"ones",
     R"(A tensor of the given sizes filled with 1; of the default type unless `dtype` says otherwise. Raises
RuntimeError where a size is negative.

>>> torch.ones(3, dtype=torch.int64)
tensor([1, 1, 1])
)"},
    {"ones_like", R"(A tensor filled with 1, in everything else as `empty_like` gives it.

>>> torch.ones_like(torch.zeros(2))
tensor([1., 1.])
)"},
    {"rand", R"(Random numbers of [0, 1), all equally likely; with one seed the same numbers as PyTorch's.

>>> torch.rand(2, 3).shape
torch.Size([2, 3])
)"},
    {"rand_like", R"(Random numbers of [0, 1) in a tensor as `empty_like` gives it.

>>> torch.rand_like(torch.zeros(2, 3)).shape
torch.Size([2, 3])
)"},
    {"randint",
     R"(Random int64 numbers from `low` (0) to before `high`, all equally likely: `randint(high, size)` or
`randint(low, high, size)`. Raises RuntimeError where no number lies between.

>>> torch.randint(5, 6, (2,))
tensor([5, 5])
)"},
    {"randn",
     R"(Random numbers of the normal distribution around 0 of variance 1; with one seed the same numbers as
PyTorch's.

>>> torch.randn(2, 3).dtype
torch.float32
)"},
    {"randn_like", R"(Random numbers of the normal distribution in a tensor as `empty_like` gives it.

>>> torch.randn_like(torch.zeros(2, 3)).shape
torch.Size([2, 3])
)"},
    {"randperm", R"(The numbers 0 to n-1 in random order, as int64. Raises RuntimeError where `n` is negative.

>>> torch.randperm(4).sum()
tensor(6)
)"},
    {"scalar_tensor", R"(A number as a tensor of rank 0; of the default type unless `dtype` says otherwise.

>>> torch.scalar_tensor(2)
tensor(2.)
)"},
    {"tensor",
     R"(A tensor of its own memory from a number, from lists or other sequences of numbers (deque,
array.array, bytearray, memoryview), or from a tensor or an array, whose elements are copied. Its type is that of the numbers (bool, int64, or the default type, real or complex), or `dtype`.

Raises ValueError where lists of one level differ in length, TypeError for what is no number.

>>> torch.tensor([[1, 2], [3, 4]]).shape
torch.Size([2, 2])
)"},
    {"tril_indices",
     R"(Rows and columns of a matrix's elements on and below a diagonal, in row-major order: int64, or int32 by `dtype`.
Raises RuntimeError for negative sizes.

>>> torch.tril_indices(2, 2)
tensor([[0, 1, 1],
        [0, 0, 1]])
)"},
    {"triu_indices",
     R"(Rows and columns of a matrix's elements on and above a diagonal, in row-major order: int64, or int32 by `dtype`.
Raises RuntimeError for negative sizes.

>>> torch.triu_indices(2, 2, 1)
tensor([[0],
        [1]])
)"},
    {"zeros",
     R"(A tensor of the given sizes filled with 0; of the default type unless `dtype` says otherwise. Raises
RuntimeError where a size is negative.

>>> torch.zeros(2, 2)
tensor([[0., 0.],
        [0., 0.]])
)"},
    {"zeros_like", R"(A tensor filled with 0, in everything else as `empty_like` gives it.

>>> torch.zeros_like(torch.arange(2))
tensor([0, 0])
)"},
};
static_assert(is_sorted(factory_texts));

}  // namespace

std::span<const OperationText> texts_of_factories() {
  return factory_texts;
}

}  // namespace tenstride::python
