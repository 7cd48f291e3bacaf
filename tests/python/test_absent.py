# SPDX-License-Identifier: Apache-2.0
"""What tenstride does not do says so in one sentence with what to use: autograd, sparse layouts, compiling."""

from __future__ import annotations

import pytest
import tenstride as torch

AUTOGRAD = "tenstride has no autograd; compute gradients in PyTorch and hand tensors over by from_dlpack"
SPARSE = "tenstride has strided tensors alone; keep indices and values as two tensors, or use PyTorch's"


@pytest.mark.parametrize("name", ["backward", "register_hook", "retain_grad"])
def test_autograd_of_a_tensor(name):
    with pytest.raises(NotImplementedError) as refusal:
        getattr(torch.zeros(2), name)(1, 2, keyword=3)
    assert str(refusal.value) == f"{name}: {AUTOGRAD}"


@pytest.mark.parametrize("name", ["to_sparse", "to_sparse_csr", "coalesce", "sparse_mask", "to_mkldnn"])
def test_sparse_tensors(name):
    with pytest.raises(NotImplementedError) as refusal:
        getattr(torch.zeros(2), name)()
    assert str(refusal.value) == f"{name}: {SPARSE}"


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.zeros(2, requires_grad=True),
        lambda: torch.tensor([1.0], requires_grad=True),
        lambda: torch.zeros_like(torch.zeros(2), requires_grad=True),
        lambda: torch.zeros(2).new_ones(2, requires_grad=True),
        lambda: torch.rand(2, requires_grad=True),
        lambda: torch.zeros(2).requires_grad_(),
        lambda: setattr(torch.zeros(2), "requires_grad", True),
        lambda: setattr(torch.zeros(2), "grad", torch.zeros(2)),
    ],
)
def test_gradients_are_refused(call):
    with pytest.raises(NotImplementedError, match=r"autograd.*compute gradients in PyTorch"):
        call()


def test_what_asks_for_nothing_is_taken():
    x = torch.zeros(2, requires_grad=False)
    x.requires_grad = False
    x.grad = None
    assert x.requires_grad_(False) is x
    assert (x.requires_grad, x.grad) == (False, None)


@pytest.mark.parametrize("call", [torch.zeros, torch.empty, torch.zeros(2).new_zeros])
def test_other_layouts_are_refused(call):
    with pytest.raises(NotImplementedError, match=r"layout must be torch\.strided \(torch\.sparse_coo\)"):
        call(2, layout=torch.sparse_coo)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("autograd", AUTOGRAD),
        ("jit", "compiles no programs"),
        ("no_grad", "nothing to switch off"),
        ("sparse_coo_tensor", SPARSE),
        ("nn", "no layers"),
    ],
)
def test_parts_of_the_module(name, text):
    assert not hasattr(torch, name)
    with pytest.raises(AttributeError) as refusal:
        getattr(torch, name)
    assert str(refusal.value).startswith(f"{name}: ")
    assert text in str(refusal.value)
