# SPDX-License-Identifier: Apache-2.0
"""Devices foretold: the transfers of a PyTorch program that runs in the CPU's memory, with line and fix.

What crosses and what is copied beside it is what PyTorch 2.6's aten/src/ATen/native/cuda/Copy.cu does.
"""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from auditing import NAMES, line  # noqa: E402
from tenstride.audit import audit  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a device: nothing has to be foretold")


def foretold(names=None):
    return audit(devices="foretell", names=names)


def only_transfer(report):
    assert len(report.transfers) == 1, [str(copy) for copy in report.transfers]
    return report.transfers[0]


@pytest.mark.parametrize("names", NAMES)
def test_a_transfer_is_listed_with_line_link_and_bytes(names):
    x = torch.randn(4, 6)
    with foretold(names) as report:
        y, here = x.to("cuda"), line()
    copy = only_transfer(report)
    assert (copy.kind, copy.operation, copy.line) == ("transfer", "to", here)
    link = copy.link
    assert (link.source, link.target, link.memory, link.blocking) == ("cpu", "cuda:0", "pageable", True)
    assert (link.dtype, link.bytes, link.extra) == ("float32", 96, [])
    assert report.bytes_transferred == 96
    assert copy.why == "cpu to cuda:0, pageable, blocking: 96 B of float32 cross the link"
    assert copy.fix == "make it on cuda:0 (device=...), or move it once"
    assert y.device == torch.device("cpu"), "outside of the scope it is where it is"


@pytest.mark.parametrize("names", NAMES)
def test_the_operation_is_what_the_program_called(names):
    with foretold(names) as report:
        y = torch.zeros(3).cuda()
        y.cpu()
    assert [copy.operation for copy in report.transfers] == ["cuda", "cpu"]


def test_the_program_hears_what_it_expects():
    with foretold():
        assert torch.cuda.is_available() and torch.cuda.device_count() == 1
        torch.cuda.synchronize()
        x = torch.randn(3, 4).cuda(1)
        assert x.device == torch.device("cuda", 1) and x.is_cuda and not x.is_cpu and x.get_device() == 1
        assert (x + 1).is_cuda and x.t().is_cuda and torch.zeros_like(x).is_cuda and x.sum().is_cuda
        assert x.new_zeros(2).is_cuda and torch.empty(2, device="cuda").device == torch.device("cuda:0")
        assert x.to("cuda:1") is x and x.cuda(1) is x
        back = x.cpu()
        assert back.device == torch.device("cpu") and not back.is_cuda and back.cpu() is back
        assert torch.equal(back, x.to("cpu")), "the elements are there"
        assert torch.zeros_like(x, device="cpu").device == torch.device("cpu")
        with pytest.raises(RuntimeError, match="Invalid device, must be cuda device"):
            x.cuda("cpu")
    assert not torch.cuda.is_available()


def test_what_is_sent_shares_no_memory_and_autograd_goes_through():
    w = torch.ones(3, requires_grad=True)
    with foretold():
        y = w.to("cuda")
        y.detach().zero_()
        assert w.sum() == 3
        (y * 2).sum().backward()
    assert torch.equal(w.grad, torch.full((3,), 2.0))


def test_a_module_is_sent_parameter_by_parameter_without_a_fuss():
    net = torch.nn.Linear(4, 3)
    with foretold() as report:
        net = net.to("cuda")
        out = net(torch.zeros(2, 4, device="cuda"))
        out.sum().backward()
        assert out.is_cuda and net.weight.grad.is_cuda
    assert [copy.link.bytes for copy in report.transfers] == [48, 12]
    assert {copy.fix for copy in report.transfers} == {"once for each parameter, which stays there"}
    assert not any("refuses" in sentence for sentence in report.missed)


def test_float32_of_bytes_crosses_with_four_times_the_bytes():
    images = torch.zeros(2, 5, 5, 3, dtype=torch.uint8)
    with foretold() as report:
        (images.permute(0, 3, 1, 2).float() / 255).to("cuda")
    copy = only_transfer(report)
    assert copy.link.bytes == 600
    assert copy.fix == "float32 crosses the link, 4 x the bytes: send uint8 and convert there"


def test_a_blocking_transfer_converts_before_and_another_one_after():
    x = torch.zeros(8, dtype=torch.uint8)
    with foretold() as report:
        x.to("cuda", torch.float32)
        x.to("cuda", torch.float32, non_blocking=True)
    first, second = (copy.link for copy in report.transfers)
    assert (first.bytes, first.dtype) == (32, "float32")
    assert first.extra == ["uint8 to float32 on cpu, before the transfer"]
    assert (second.bytes, second.dtype) == (8, "uint8")
    assert second.extra == ["uint8 to float32 on cuda:0, after the transfer"]
    assert report.transfers[0].fix.startswith(
        "float32 crosses the link, 4 x the bytes: send uint8 and convert there: .to('cuda:0').to(torch.float32)"
    )


def test_wide_elements_that_were_never_narrow_are_no_mistake():
    x = torch.zeros(6, dtype=torch.uint8)
    with foretold() as report:
        (x * torch.randn(6)).to("cuda")
    assert "crosses the link, 4 x" not in only_transfer(report).fix


def test_a_non_contiguous_upload_is_copied_once_more():
    x = torch.randn(4, 8)
    with foretold() as report:
        y = x[:, ::2].to("cuda")
        assert y.stride() == (4, 1)
    copy = only_transfer(report)
    assert copy.link.extra == ["made contiguous on cpu before the transfer"]
    assert copy.fix.startswith("non-contiguous upload: send the whole and slice on cuda:0")


def test_a_transposed_upload_goes_as_it_lies():
    with foretold() as report:
        y = torch.randn(4, 8).t().to("cuda")
        assert y.stride() == (1, 8)
    assert only_transfer(report).link.extra == []


def test_a_transfer_in_a_loop_is_told_once_with_its_count():
    parts = [torch.randn(10) for _ in range(5)]
    with foretold() as report:
        for part in parts:
            part.to("cuda")
    assert len(report.groups()) == 1
    assert report.transfers[0].fix == (
        "a transfer in a loop (5 times): each costs its call, whatever its size; put the parts together first and send "
        "them once"
    )
    assert "5 x  200 B over the link" in str(report)


def test_a_number_that_is_read_waits_for_the_device():
    with foretold() as report:
        losses = torch.zeros(3, device="cuda")
        sum(loss.item() for loss in losses)
        torch.zeros(3)[0].item()
    assert [copy.operation for copy in report.transfers] == ["item"] * 3
    assert report.transfers[0].fix == (
        "a transfer in a loop (3 times): each waits for the device; keep the numbers there and read them once, behind "
        "the loop"
    )


def test_pinning_for_one_transfer_is_slower_than_none():
    x = torch.randn(100)
    with foretold() as report:
        pinned = x.pin_memory()
        assert pinned.is_pinned() and not x.is_pinned() and pinned.pin_memory() is pinned
        pinned.to("cuda", non_blocking=True)
    copy = only_transfer(report)
    assert (copy.link.memory, copy.link.blocking) == ("pinned", False)
    assert copy.fix.startswith("pin_memory() then .to() is slower than .to(): one copy more")
    assert [one.operation for one in report.copies] == ["pin_memory", "to"]
    with foretold() as report:
        pinned = x.pin_memory()
        for _ in range(3):
            pinned.to("cuda", non_blocking=True)
    assert all("slower" not in copy.fix for copy in report.transfers), "a buffer that is sent again is worth it"


def test_pinned_memory_is_lost_where_a_copy_is_sent():
    with foretold() as report:
        torch.randn(4, 8).pin_memory()[:, ::2].to("cuda")
    copy = only_transfer(report)
    assert copy.link.memory == "pageable"
    assert "the pinned memory is not used" in copy.fix


def test_non_blocking_says_what_it_wants():
    x = torch.randn(4)
    with foretold() as report:
        y = x.to("cuda", non_blocking=True)
        z = y.to("cpu", non_blocking=True)
        assert z.is_pinned()
    up, down = report.transfers
    assert up.fix.startswith("non_blocking gains nothing from pageable memory")
    assert down.link.memory == "pinned"
    assert down.fix.startswith("the elements are there only after torch.cuda.synchronize()")


def test_assignments_and_state_dicts_are_transfers():
    with foretold() as report:
        there = torch.zeros(2, 3, device="cuda")
        there[0] = torch.ones(3)
        there.copy_(torch.ones(2, 3))
        torch.nn.Linear(2, 2, device="cuda").load_state_dict(torch.nn.Linear(2, 2).state_dict())
    assert [copy.link.bytes for copy in report.transfers] == [12, 24, 16, 8]


def test_made_there_and_made_here():
    with foretold() as report:
        for made in (torch.ones(3, device="cuda"), torch.arange(3, device="cuda"), torch.rand(3, device="cuda")):
            assert made.is_cuda
        assert report.transfers == []
        made = torch.tensor([1.0, 2.0], device="cuda")
        assert made.is_cuda
    copy = only_transfer(report)
    assert copy.link.bytes == 8
    assert copy.fix == "tensor makes it on the cpu and sends it; full, arange and the like are made on cuda:0"


def test_on_meta_it_is_a_forecast():
    with foretold() as report:
        x = torch.empty(1000, 1000, 1000, device="meta")
        y = x.to("cuda")
        assert y.is_cuda and not y.is_meta
        assert y.cpu().device == torch.device("cpu")
    assert [copy.link.bytes for copy in report.transfers] == [4_000_000_000] * 2
    assert y.is_meta


def test_operands_on_two_devices_are_told():
    with foretold() as report:
        there = torch.zeros(3, device="cuda")
        there + torch.zeros(3)
        there * torch.tensor(2.0)
    assert len(report.missed) == 1
    assert "takes tensors on cuda:0 and on cpu, which PyTorch refuses where the devices are real" in report.missed[0]


def test_the_report_has_it_as_data(monkeypatch):
    monkeypatch.setenv("TENSTRIDE_LINK", "10:50")
    with foretold() as report:
        torch.zeros(1_000_000).to("cuda")
    data = json.loads(report.to_json())
    assert data["totals"]["transfer"] == 1 and data["totals"]["bytes_transferred"] == 4_000_000
    link = data["copies"][0]["link"]
    assert link["from"] == "cpu" and link["to"] == "cuda:0" and link["memory"] == "pageable"
    assert link["forecast_seconds"] == pytest.approx(1e-5 + 4e6 / 10e9)
    assert "4.00 MB over the link, about 0.41 ms" in str(report)
    assert 'class="transfer"' in report.to_html()


def test_without_the_option_nothing_pretends():
    with audit() as report, pytest.raises((RuntimeError, AssertionError)):
        torch.zeros(3).to("cuda")
    assert report.transfers == []
    with pytest.raises(ValueError, match="devices 'guess' must be 'foretell' or None"):
        audit(devices="guess")
