// SPDX-License-Identifier: Apache-2.0
#include "operations/runs.hpp"

/// What a tensor says of itself without being called.
namespace tenstride::detail {
namespace {

constexpr auto query = OpClass::query;

template <DeviceKind Kind>
bool is_on(const Tensor& x) {
  return x.device().kind() == Kind;
}
/// What no tensor of ours is: on a device that is not known, of another layout, quantized, or part of a
/// graph.
constexpr Run never = runs<[](const Tensor&) { return false; }>;
constexpr Run none([](Call&) { return Value(); });

}  // namespace

std::vector<Operation> attribute_operations() {
  using T = const Tensor&;
  return {
      {"shape(Tensor self) -> Size", attribute, query, runs<&Tensor::shape>, R"(The sizes, one for each axis.

>>> torch.zeros(2, 3).shape
torch.Size([2, 3])
)"},
      {"dtype(Tensor self) -> ScalarType", attribute, query, runs<&Tensor::dtype>,
       R"(The type of the elements.

>>> torch.zeros(2).dtype
torch.float32
)"},
      {"device(Tensor self) -> Device", attribute, query, runs<&Tensor::device>,
       R"(Where bytes live: `cpu`, or `meta`, which has sizes and no memory, or `cuda`, `mps` and `xpu`, which
are foretold. Raises RuntimeError for any other.

>>> torch.device("meta").type, torch.device("cuda", 1)
('meta', device(type='cuda', index=1))
)"},
      {"ndim(Tensor self) -> int", attribute, query, runs<&Tensor::dim>, R"(The number of axes.

>>> torch.zeros(2, 3).ndim
2
)"},
      {"itemsize(Tensor self) -> int", attribute, query, runs<&Tensor::itemsize>, R"(Bytes of one element.

>>> torch.zeros(2).itemsize
4
)"},
      {"nbytes(Tensor self) -> int", attribute, query, runs<&Tensor::nbytes>,
       R"(Bytes of the elements, each counted once for each index: what a contiguous copy would take.

>>> torch.zeros(2).expand(3, 2).nbytes
24
)"},
      {"is_meta(Tensor self) -> bool", attribute, query, runs<&Tensor::is_meta>,
       R"(Whether the tensor has sizes and no memory.

>>> torch.empty(2, device="meta").is_meta
True
)"},
      {"is_cpu(Tensor self) -> bool", attribute, query, runs<is_on<DeviceKind::cpu>>,
       R"(Whether the elements are in the memory of the cpu.

>>> torch.zeros(2).is_cpu, torch.zeros(2, device="meta").is_cpu
(True, False)
)"},
      {"is_cuda(Tensor self) -> bool", attribute, query, runs<is_on<DeviceKind::cuda>>,
       R"(Whether the tensor is on a CUDA device, which can only be foretold.

>>> torch.zeros(2).is_cuda, torch.zeros(2, device="meta").cuda().is_cuda
(False, True)
)"},
      {"is_mps(Tensor self) -> bool", attribute, query, runs<is_on<DeviceKind::mps>>,
       R"(Whether the tensor is on an MPS device, which can only be foretold.

>>> torch.zeros(2).is_mps, torch.zeros(2, device="meta").to("mps").is_mps
(False, True)
)"},
      {"is_xpu(Tensor self) -> bool", attribute, query, runs<is_on<DeviceKind::xpu>>,
       R"(Whether the tensor is on an XPU device, which can only be foretold.

>>> torch.zeros(2).is_xpu, torch.zeros(2, device="meta").xpu().is_xpu
(False, True)
)"},
      {"is_leaf(Tensor self) -> bool", attribute, query, runs<[](T) { return true; }>,
       R"(Whether no operation of autograd made the tensor: True.

>>> torch.zeros(2).is_leaf
True
)"},
      {"output_nr(Tensor self) -> int", attribute, query, runs<[](T) { return Index{0}; }>,
       R"(Which result of autograd's operation the tensor is: 0.

>>> torch.zeros(2).output_nr
0
)"},
      {"is_ipu(Tensor self) -> bool", attribute, query, never, R"(Whether the elements are on an IPU: False.

>>> torch.zeros(2).is_ipu
False
)"},
      {"is_maia(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are on a Maia device: False.

>>> torch.zeros(2).is_maia
False
)"},
      {"is_mkldnn(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are in a layout of oneDNN's: False.

>>> torch.zeros(2).is_mkldnn
False
)"},
      {"is_mtia(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are on an MTIA device: False.

>>> torch.zeros(2).is_mtia
False
)"},
      {"is_nested(Tensor self) -> bool", attribute, query, never,
       R"(Whether the tensor is a list of tensors of different sizes: False.

>>> torch.zeros(2).is_nested
False
)"},
      {"is_quantized(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are quantized: False.

>>> torch.zeros(2).is_quantized
False
)"},
      {"is_sparse(Tensor self) -> bool", attribute, query, never, R"(Whether the layout is sparse_coo: False.

>>> torch.zeros(2).is_sparse
False
)"},
      {"is_sparse_csr(Tensor self) -> bool", attribute, query, never,
       R"(Whether the layout is sparse_csr: False.

>>> torch.zeros(2).is_sparse_csr
False
)"},
      {"is_vulkan(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are on a Vulkan device: False.

>>> torch.zeros(2).is_vulkan
False
)"},
      {"is_xla(Tensor self) -> bool", attribute, query, never,
       R"(Whether the elements are on an XLA device: False.

>>> torch.zeros(2).is_xla
False
)"},
      {"requires_grad(Tensor self) -> bool", attribute, query, never, R"(False: there are no gradients.

>>> torch.zeros(2).requires_grad
False
)"},
      {"retains_grad(Tensor self) -> bool", attribute, query, never,
       R"(Whether the gradient of a result is kept; there is no autograd: False.

>>> torch.zeros(2).retains_grad
False
)"},
      {"grad(Tensor self) -> None", attribute, query, none, R"(The gradient: None, there is no autograd.

>>> torch.zeros(2).grad is None
True
)"},
      {"grad_fn(Tensor self) -> None", attribute, query, none,
       R"(The operation that autograd would go back through: None.

>>> torch.zeros(2).grad_fn is None
True
)"},
      {"name(Tensor self) -> None", attribute, query, none, R"(A name that autograd would show: None.

>>> torch.zeros(2).name is None
True
)"},
  };
}

}  // namespace tenstride::detail
