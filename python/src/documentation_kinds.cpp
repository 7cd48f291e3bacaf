// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// What kind of tensor one is, and elements drawn in place.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText kinds_texts[] = {
    {"get_device", R"(The index of the device: -1 on the cpu and on meta.

>>> torch.zeros(2).get_device(), torch.zeros(2, device="meta").cuda(1).get_device()
(-1, 1)
)"},
    {"grad", R"(The gradient: None, there is no autograd.

>>> torch.zeros(2).grad is None
True
)"},
    {"grad_fn", R"(The operation that autograd would go back through: None.

>>> torch.zeros(2).grad_fn is None
True
)"},
    {"is_cpu", R"(Whether the elements are in the memory of the cpu.

>>> torch.zeros(2).is_cpu, torch.zeros(2, device="meta").is_cpu
(True, False)
)"},
    {"is_cuda", R"(Whether the tensor is on a CUDA device, which can only be foretold.

>>> torch.zeros(2).is_cuda, torch.zeros(2, device="meta").cuda().is_cuda
(False, True)
)"},
    {"is_inference", R"(Whether the tensor was made in inference mode, which is autograd's: False.

>>> torch.zeros(2).is_inference()
False
)"},
    {"is_ipu", R"(Whether the elements are on an IPU: False.

>>> torch.zeros(2).is_ipu
False
)"},
    {"is_leaf", R"(Whether no operation of autograd made the tensor: True.

>>> torch.zeros(2).is_leaf
True
)"},
    {"is_maia", R"(Whether the elements are on a Maia device: False.

>>> torch.zeros(2).is_maia
False
)"},
    {"is_mkldnn", R"(Whether the elements are in a layout of oneDNN's: False.

>>> torch.zeros(2).is_mkldnn
False
)"},
    {"is_mps", R"(Whether the tensor is on an MPS device, which can only be foretold.

>>> torch.zeros(2).is_mps, torch.zeros(2, device="meta").to("mps").is_mps
(False, True)
)"},
    {"is_mtia", R"(Whether the elements are on an MTIA device: False.

>>> torch.zeros(2).is_mtia
False
)"},
    {"is_nested", R"(Whether the tensor is a list of tensors of different sizes: False.

>>> torch.zeros(2).is_nested
False
)"},
    {"is_nonzero", R"(Whether the only element is not zero. Raises RuntimeError where there are more, or none.

>>> torch.tensor([0.5]).is_nonzero()
True
)"},
    {"is_quantized", R"(Whether the elements are quantized: False.

>>> torch.zeros(2).is_quantized
False
)"},
    {"is_same_size", R"(Whether both tensors have the same sizes.

>>> torch.zeros(2).is_same_size(torch.zeros(2)), torch.zeros(2).is_same_size(torch.zeros(3))
(True, False)
)"},
    {"is_shared", R"(Whether the memory is shared between processes: False.

>>> torch.zeros(2).is_shared()
False
)"},
    {"is_signed", R"(Whether the type of the elements has negative values.

>>> torch.zeros(2).is_signed(), torch.zeros(2, dtype=torch.uint8).is_signed()
(True, False)
)"},
    {"is_sparse", R"(Whether the layout is sparse_coo: False.

>>> torch.zeros(2).is_sparse
False
)"},
    {"is_sparse_csr", R"(Whether the layout is sparse_csr: False.

>>> torch.zeros(2).is_sparse_csr
False
)"},
    {"is_vulkan", R"(Whether the elements are on a Vulkan device: False.

>>> torch.zeros(2).is_vulkan
False
)"},
    {"is_xla", R"(Whether the elements are on an XLA device: False.

>>> torch.zeros(2).is_xla
False
)"},
    {"is_xpu", R"(Whether the tensor is on an XPU device, which can only be foretold.

>>> torch.zeros(2).is_xpu, torch.zeros(2, device="meta").xpu().is_xpu
(False, True)
)"},
    {"name", R"(A name that autograd would show: None.

>>> torch.zeros(2).name is None
True
)"},
    {"normal_",
     R"(Draws each element from the normal distribution of `mean` and `std`, in the order in which they lie in
memory, with PyTorch's numbers for the seed; gives the tensor itself. Raises RuntimeError for integers.

>>> torch.manual_seed(0)
>>> torch.zeros(2).normal_(mean=1, std=2)
tensor([4.0820, 0.4131])
)"},
    {"output_nr", R"(Which result of autograd's operation the tensor is: 0.

>>> torch.zeros(2).output_nr
0
)"},
    {"random_",
     R"(Draws each element from the whole numbers of [from, to), in the order in which they lie in memory, with
PyTorch's numbers for the seed; gives the tensor itself. Without bounds from 0 to the type's largest.
`from` comes by position, or as `**{"from": 2}`.

>>> torch.manual_seed(0)
>>> torch.zeros(3).random_(10)
tensor([4., 9., 3.])
)"},
    {"retains_grad", R"(Whether the gradient of a result is kept; there is no autograd: False.

>>> torch.zeros(2).retains_grad
False
)"},
    {"uniform_",
     R"(Draws each element from [from, to), in the order in which they lie in memory, with PyTorch's numbers for
the seed; gives the tensor itself. `from` comes by position, or as `**{"from": 2}`. Raises RuntimeError
for integers.

>>> torch.manual_seed(0)
>>> torch.zeros(2).uniform_(2, 5)
tensor([3.4888, 4.3047])
)"},
};
static_assert(is_sorted(kinds_texts));

}  // namespace

std::span<const OperationText> texts_of_kinds() {
  return kinds_texts;
}

}  // namespace tenstride::python
