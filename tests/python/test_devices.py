# SPDX-License-Identifier: Apache-2.0
"""Devices as PyTorch 2.6 names them, and transfers that are foretold."""

from __future__ import annotations

import copy
import pickle

import pytest
import tenstride as torch

# What PyTorch 2.6 gives for repr(torch.device(*arguments)).
DEVICES = [
    (("cuda",), "device(type='cuda')", None),
    (("cuda", 1), "device(type='cuda', index=1)", 1),
    (("cuda:1",), "device(type='cuda', index=1)", 1),
    (("cpu:0",), "device(type='cpu', index=0)", 0),
    (("cpu", 1), "device(type='cpu', index=1)", 1),
    (("mps",), "device(type='mps')", None),
    (("mps:1",), "device(type='mps', index=1)", 1),
    (("xpu:3",), "device(type='xpu', index=3)", 3),
    (("meta:0",), "device(type='meta', index=0)", 0),
]


@pytest.mark.parametrize(("arguments", "shown", "index"), DEVICES)
def test_a_device_is_what_pytorch_makes_of_it(arguments, shown, index):
    device = torch.device(*arguments)
    assert repr(device) == shown
    assert device.index == index
    assert device.type == arguments[0].partition(":")[0]
    assert str(device) == device.type + ("" if index is None else f":{index}")
    assert device == torch.device(device) == torch.device(type=device.type, index=index)
    assert hash(device) == hash(torch.device(str(device)))
    assert pickle.loads(pickle.dumps(device)) == device


def test_devices_are_equal_by_type_and_index():
    assert torch.device("cuda:0") != torch.device("cuda")
    assert torch.device("cuda:1") != "cuda:1"


@pytest.mark.parametrize("text", ["foo", "cuda:-1", "cuda:x", "cuda:01", "", "CUDA", "cuda:"])
def test_what_names_no_device_is_refused(text):
    with pytest.raises(RuntimeError, match=r"must be cpu, meta, cuda, mps or xpu, with an index or without"):
        torch.device(text)


def test_an_index_is_given_once_and_not_below_0():
    with pytest.raises(RuntimeError, match="must not have an index of its own where index 1 is given"):
        torch.device("cuda:1", 1)
    with pytest.raises(RuntimeError, match=r"index -1 must be in 0\.\.127"):
        torch.device("cuda", -1)


def test_a_tensor_is_placed_as_in_pytorch():
    assert torch.zeros(2, device="cpu:0").device == torch.device("cpu")
    x = torch.zeros(2, 3, device="meta")
    assert repr(x.to("cuda").device) == "device(type='cuda', index=0)"
    assert x.to("mps").device == torch.device("mps:0")
    assert x.to(torch.device("xpu", 1)).device == torch.device("xpu", 1)
    assert x.cuda(1).device == x.to(1).device == torch.device("cuda:1")
    assert repr(x.cuda()) == "tensor(..., device='cuda:0', size=(2, 3))"
    assert x.cuda().to("cuda:0").is_meta is False
    y = x.cuda()
    assert y.cuda() is y and y.to("cuda") is y and y.to("cuda:0") is y
    assert y.to(x).is_meta and x.to(y).device == y.device
    assert y.to("cuda", torch.float64).dtype == torch.float64
    assert copy.deepcopy(y).device == pickle.loads(pickle.dumps(y)).device == y.device


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.to("cuda"),
        lambda x: x.to("cuda:1", torch.float16),
        lambda x: x.to(device="mps"),
        lambda x: x.cuda(),
        lambda x: x.cuda(1),
        lambda x: x.xpu(),
        lambda x: x.to(x.to("meta").cuda()),
        lambda x: x.to_device("cuda"),
        lambda x: torch.zeros(2, device="cuda"),
        lambda x: torch.zeros_like(x, device="cuda"),
        lambda x: x.new_ones(2, device="cuda"),
        lambda x: torch.tensor([1, 2], device="cuda"),
        lambda x: torch.asarray([1, 2], device="cuda"),
        lambda x: torch.as_tensor(x, device="cuda"),
        lambda x: torch.rand(2, device="cuda"),
        lambda x: torch.randperm(2, device="xpu"),
    ],
)
def test_a_tensor_with_elements_is_refused_with_what_to_use(call):
    with pytest.raises(RuntimeError) as refused:
        call(torch.zeros(2, 3))
    text = str(refused.value)
    assert "must have memory here, and tenstride holds memory on the cpu only" in text
    assert "hand the tensor over by DLPack" in text and "tenstride explain" in text and 'x.to("meta")' in text


def test_what_is_no_place_for_the_call_is_refused():
    x = torch.zeros(2, device="meta")
    with pytest.raises(RuntimeError, match="cuda: device 'cpu' must be of kind cuda"):
        x.cuda("cpu")
    with pytest.raises(RuntimeError, match="pin_memory: there must be a device that reads pinned memory"):
        torch.zeros(2).pin_memory()
    with pytest.raises(RuntimeError, match=r"pin_memory: a tensor on cuda:0 must be on the cpu"):
        x.cuda().pin_memory()
    with pytest.raises(RuntimeError, match="item: a tensor foretold on cuda:0 has no elements to be read"):
        x.cuda()[0].item()
    with pytest.raises(TypeError, match="numpy: a tensor on cuda:0 has no memory and must be on the cpu"):
        x.cuda().numpy()


def test_operands_meet_on_one_device_but_for_numbers_of_the_cpu():
    x = torch.zeros(2, device="meta").cuda()
    assert (x + 1).device == (x * torch.tensor(2.0)).device == (torch.tensor(2.0) - x).device == x.device
    # PyTorch takes a number of the cpu on meta, too.
    assert (torch.zeros(2, device="meta") + torch.zeros(())).is_meta
    for call in (lambda: x + torch.zeros(2), lambda: torch.cat([x, torch.zeros(2)]), lambda: x + x.to("cuda:1")):
        with pytest.raises(RuntimeError, match="all tensors must be on one device"):
            call()


def test_pinned_is_what_was_pinned():
    assert torch.zeros(2).is_pinned() is False
    x = torch.zeros(2, 3, device="meta")
    pinned = x.pin_memory()
    assert pinned.is_pinned() and pinned[0].is_pinned() and not x.is_pinned()
    assert pinned.pin_memory() is pinned


def test_a_ledger_lists_the_transfers():
    x = torch.zeros(4, 8, dtype=torch.uint8, device="meta")
    with torch.CopyLedger() as ledger:
        x.cuda()
        x.float().pin_memory().to("cuda", non_blocking=True)
        x[:, ::2].cuda()
        torch.ones(3, device="cuda").cpu()
    assert ledger.transfers == ledger.totals["transfers"] == 4
    assert ledger.bytes_transferred == 32 + 128 + 16 + 12
    assert [entry["link"] for entry in ledger.entries if entry["kind"] == "transfer"] == [
        {"from": "cpu", "to": "cuda:0", "memory": "pageable", "blocking": True},
        {"from": "cpu", "to": "cuda:0", "memory": "pinned", "blocking": False},
        {"from": "cpu", "to": "cuda:0", "memory": "pageable", "blocking": True},
        {"from": "cuda:0", "to": "cpu", "memory": "pageable", "blocking": True},
    ]
    assert "made contiguous on cpu before the transfer: strides (8,2)" in str(ledger)
    assert "4 transfers, 188 B over the link\n" in str(ledger)


def test_a_list_is_made_on_the_cpu_and_sent():
    with torch.CopyLedger() as ledger:
        made = torch.tensor([1.0, 2.0], device="cuda")
    assert made.device == torch.device("cuda:0")
    assert (ledger.transfers, ledger.bytes_transferred) == (1, 8)


def test_explain_foretells_a_program():
    steps = torch.explain("x = torch.zeros(8, 3, dtype=torch.uint8)\ny = x.float().to('cuda')\nz = y.sum(0).cpu()")
    assert steps.error is None
    assert (steps.transfers, steps.bytes_transferred) == (2, 96 + 12)
    text = str(steps)
    assert "transfer  96 B over the link: cpu to cuda:0, pageable, blocking" in text
    assert "note: float32 crosses the link, 4 x the bytes of the uint8 it was made of in step 2" in text
    assert torch.explain("torch.device('cuda:1').index").value == 1
    inputs = torch.explain("x.cuda().device", x=torch.zeros(2))
    assert repr(inputs.value) == "device(type='cuda', index=0)"
