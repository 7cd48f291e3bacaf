# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's module has and tenstride does not, each with what to use."""

from __future__ import annotations

_AUTOGRAD = "tenstride has no autograd; compute gradients in PyTorch and hand tensors over by from_dlpack"
_NO_GRAD = "tenstride has no autograd, so there is nothing to switch off; leave it away"
_COMPILING = "tenstride compiles no programs; use PyTorch's, or tenstride.explain to see what each line moves"
_SPARSE = "tenstride has strided tensors alone; keep indices and values as two tensors, or use PyTorch's"
_LEARNING = "tenstride has no layers and no optimizers; use PyTorch's and hand tensors over by from_dlpack"

SENTENCES = {
    **dict.fromkeys(("autograd", "enable_grad", "func", "set_grad_enabled"), _AUTOGRAD),
    **dict.fromkeys(("inference_mode", "is_grad_enabled", "no_grad"), _NO_GRAD),
    **dict.fromkeys(("compile", "export", "fx", "jit"), _COMPILING),
    **dict.fromkeys(
        (
            "sparse",
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_compressed_tensor",
            "sparse_coo_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        ),
        _SPARSE,
    ),
    **dict.fromkeys(("nn", "optim"), _LEARNING),
}
