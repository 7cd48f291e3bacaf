# SPDX-License-Identifier: Apache-2.0
"""The audit of PyTorch. What copied is found out a second way: by addresses, or by PyTorch's profiler."""

from __future__ import annotations

import random
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from auditing import NAMES, is_copy, line, operations  # noqa: E402
from tenstride.audit import audit  # noqa: E402


def test_views_are_not_listed():
    x = torch.randn(2, 3, 4)
    with audit() as report:
        y = x.permute(2, 0, 1)[1:, :, None].expand(3, 2, 5, 3).transpose(0, 1)
        z = x.view(6, 4).reshape(2, 3, 4).flatten().contiguous().unsqueeze(0).T.narrow(0, 1, 3).detach()
        parts = [*x.split(1), *x.unbind(0), x.diagonal(), x.unfold(2, 2, 1), x[0], x[..., ::2], x.to(x.dtype)]
    assert not any(is_copy(x, one) for one in (y, z, *parts))
    assert report.copies == [] and report.total_bytes == 0


STEPS = {
    "permute": lambda x, rng: x.permute(*rng.sample(range(x.dim()), x.dim())),
    "slice": lambda x, rng: x[..., :: rng.choice((1, 2))],
    "flatten": lambda x, rng: x.flatten(rng.randrange(x.dim())),
    "reshape": lambda x, rng: x.reshape(*sorted(x.shape)),
    "ravel": lambda x, rng: x.ravel(),
    "unsqueeze": lambda x, rng: x.unsqueeze(0),
    "expand": lambda x, rng: x.expand(2, *x.shape),
    "contiguous": lambda x, rng: x.contiguous(),
    "clone": lambda x, rng: x.clone(),
    "to": lambda x, rng: x.to(rng.choice((torch.float32, torch.float64))),
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_random_chains_list_what_moved_by_address(names, mode):
    """Each step of 150 chains: listed once under its own name if and only if the address changed."""
    rng = random.Random(3)
    copied = 0
    for _ in range(150):
        x = torch.randn(*[rng.choice((1, 2, 3)) for _ in range(rng.randrange(1, 4))])
        for _ in range(6):
            name = rng.choice(list(STEPS))
            if name == "expand" and x.dim() > 5:
                continue
            with mode(), audit(names=names) as report:
                y = STEPS[name](x, rng)
            moved = is_copy(x, y)
            assert operations(report) == [name] * moved, (name, tuple(x.shape), x.stride())
            if moved:
                (copy,) = report.copies
                assert (copy.src.shape, copy.src.strides) == (tuple(x.shape), x.stride())
                assert (copy.dst.shape, copy.dst.strides) == (tuple(y.shape), y.stride())
                assert copy.bytes_read == x.numel() * x.element_size()
                assert copy.bytes_written == y.numel() * y.element_size()
                explicit = {"clone": "explicit", "to": "conversion"}
                assert copy.kind == explicit.get(name, "silent")
            copied += moved
            x = y
    assert copied > 100


def test_line_and_code_are_those_of_the_call():
    x = torch.randn(2, 3)
    with audit() as report:
        _ = 1
        y = x.t().reshape(6)
        expected = line() - 1
    (copy,) = report.copies
    assert y.shape == (6,)
    assert (copy.line, copy.file) == (expected, __file__)
    assert copy.code.startswith("y = x.t().reshape(6)")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before Python 3.11 a chain has one line")
def test_each_call_of_a_chain_over_lines_has_its_own_line():
    x = torch.randn(2, 3)
    with audit() as report:
        first = line()
        _ = (
            x.t()
            .contiguous()
            .double()
            .clone()
        )  # fmt: skip
    assert operations(report) == ["contiguous", "double", "clone"]
    assert [copy.line - first for copy in report.copies] == [3, 4, 5]


@pytest.mark.parametrize("names", NAMES)
def test_operations_have_the_users_names(names):
    x = torch.randn(4, 3, 2)
    with audit(names=names) as report:
        torch.reshape(x.mT, (-1,))
        torch.flatten(x.permute(0, 2, 1))
        x.mT.contiguous()
        torch.einsum("abc,dbc->ad", x.mT, torch.randn(4, 2, 3))
        x[:, [2, 0]]
        x[x > 9.0]
        torch.cat([x, x])
        torch.stack([x, x])
        x.repeat(2, 1, 1)
        x.roll(1, 0)
        x.flip(0)
        x.float().half()
        x[0] = x[1]
        x.copy_(x + 1)
        torch.nn.functional.pad(x, (1, 1))
        x.index_select(1, torch.tensor([1, 0]))
    found = operations(report)
    assert "einsum" in found
    assert [name for name in found if name != "einsum"] == (
        [
            "reshape",
            "flatten",
            "contiguous",
            "index",
            "cat",
            "stack",
            "repeat",
            "roll",
            "flip",
            "half",
            "setitem",
            "copy_",
            "pad",
            "index_select",
        ]
    )


def test_index_that_picks_nothing_copies_nothing():
    with audit() as report:
        torch.zeros(3)[torch.zeros(3) > 1]
    assert report.copies == []


@pytest.mark.parametrize(
    ("product", "operands"),
    [
        (lambda a, b: a @ b, lambda: (torch.randn(3, 5, 4, 2).permute(1, 0, 3, 2), torch.randn(5, 3, 4, 6))),
        (
            lambda a, b: torch.einsum("abi,cbi->ac", a, b),
            lambda: (torch.randn(3, 4, 5).permute(2, 1, 0),) * 2,
        ),
        (
            torch.tensordot,
            lambda: (torch.randn(3, 4, 5).permute(2, 1, 0), torch.randn(3, 4, 6).permute(1, 0, 2)),
        ),
    ],
)
def test_products_copy_inside_as_the_profiler_counts(product, operands):
    """aten::copy_ calls that PyTorch's own profiler records, outside of the kernels of the product itself."""
    a, b = operands()
    with audit() as report:
        product(a, b)
    with torch.profiler.profile() as profile:
        product(a, b)
    counted = sum(event.count for event in profile.key_averages() if event.key == "aten::clone")
    assert counted > 0
    assert len(report.copies) == counted
    assert {copy.kind for copy in report.copies} == {"silent"}


def test_why_names_the_axes_and_since_the_line():
    x = torch.randn(2, 3, 4)
    with audit() as report:
        y = x.permute(0, 2, 1).relu() * 2
        expected = line() - 1
        y.reshape(-1)
    (copy,) = report.copies
    assert copy.why == "no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12"
    assert copy.since.operation == "permute(0, 2, 1)"
    assert copy.since.place.line == expected
    assert "before permute" not in copy.fix  # it would give the elements in another order


def test_since_is_the_step_after_which_no_view_was_possible():
    x = torch.randn(4, 6)
    with audit() as report:
        y = x.view(4, 2, 3).unsqueeze(0)
        z = y.transpose(2, 3)
        expected = line() - 1
        z[:, 1:].flatten()
    assert report.copies[0].since.place.line == expected


def test_contiguous_says_whose_strides_they_are():
    x = torch.randn(2, 3)
    with audit() as report:
        x.t().contiguous()
    (copy,) = report.copies
    assert str(copy.src) == "(3,2):(1,3)+0" and str(copy.dst) == "(3,2):(2,1)+0"
    assert copy.why == "strides (1,3) are not the row-major (2,1)"


def test_a_needless_contiguous_is_found_and_a_needed_one_is_not():
    x = torch.randn(2, 3, 4)
    with audit() as report:
        x.transpose(0, 1).contiguous().view(3, 2, 2, 2)
        x.transpose(0, 1).contiguous().view(6, 4)
    x.transpose(0, 1).view(3, 2, 2, 2)  # the advice holds
    with pytest.raises(RuntimeError):
        x.transpose(0, 1).view(6, 4)
    needless, needed = report.copies
    assert needless.fix == "drop .contiguous(): what follows takes (3,2,4):(4,12,1)+0 as it is"
    assert needless.saves == needless.bytes_written
    assert needed.fix.startswith("stays: view (") and needed.fix.endswith(
        "is refused without it (axes 0 and 1 would merge)"
    )
    assert needed.saves == 0


@pytest.mark.parametrize(
    ("index", "slice_"),
    [([0, 2], "x[:, 0:3:2]"), ([-1], "x[:, -1:]"), ([1, 2, 3], "x[:, 1:4]"), ([-3, -2], "x[:, -3:-1]")],
)
def test_evenly_spaced_indices_are_offered_as_a_slice_that_gives_the_same(index, slice_):
    x = torch.randn(2, 4)
    with audit() as report:
        picked = x[:, index]
    assert report.copies[0].fix == f"the indices are evenly spaced: {slice_} has the same elements as a view"
    assert torch.equal(picked, eval(slice_, {"x": x}))
    assert not is_copy(x, eval(slice_, {"x": x}))


def test_repeat_of_an_axis_of_one_is_offered_as_expand():
    x = torch.randn(1, 3)
    with audit() as report:
        y = x.repeat(4, 1)
    assert report.copies[0].fix == "only axes of size 1 are repeated: expand(4, 3) is a view of the same"
    assert torch.equal(y, x.expand(4, 3))


def test_channels_last_is_told_apart():
    x = torch.randn(2, 3, 4, 5)
    with audit() as report:
        y = x.to(memory_format=torch.channels_last)
        y.contiguous()
    assert operations(report) == ["to", "contiguous"]
    assert report.copies[0].why == "strides (60,20,5,1) are not the channels_last (60,1,15,3)"
    assert report.copies[1].fix == "drop .contiguous(): nothing in the scope uses it"
    assert {copy.kind for copy in report.copies} == {"silent"}


def test_scrambles_are_listed_with_the_transpose_that_was_meant():
    x = torch.randn(2, 3, 4)
    with audit() as report:
        x.reshape(3, 2, 4)
        x.view(4, 2, 3)
        expected = line() - 1
        x.transpose(0, 1).reshape(2, 3, 4)
        x.reshape(2, 3, 4)
        x.reshape(2, 1, 3, 4)
        x.view(6, 4)
        torch.randn(3, 3).reshape(3, 3)
    assert [(s.operation, s.fix) for s in report.scrambles] == [
        ("reshape", ".transpose(0, 1)"),
        ("view", ".permute(2, 0, 1)"),
        ("reshape", ".transpose(0, 1)"),
    ]
    assert report.scrambles[1].line == expected


def test_module_lines_are_the_users_and_the_inner_line_stands_beside():
    layer = torch.nn.MultiheadAttention(8, 2)
    x = torch.randn(5, 3, 8)
    with audit() as report:
        layer(x, x, x)
        expected = line() - 1
    assert report.copies and {copy.line for copy in report.copies} == {expected}
    assert all(copy.inside.file.endswith("functional.py") for copy in report.copies)
    if sys.version_info >= (3, 11):
        assert "contiguous" in operations(report)


def test_nothing_about_results_changes():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    x = torch.randn(5, 3, 8)
    for prepare in (layer.train, layer.eval):
        prepare()
        expected = layer(x.transpose(0, 1))
        with audit():
            found = layer(x.transpose(0, 1))
        assert torch.equal(expected, found)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the function mode keeps modules from their fused path")
def test_fused_layers_stay_fused_and_are_said_not_to_be_seen():
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    with torch.no_grad(), audit() as report:
        layer(torch.randn(3, 5, 8))
    assert any("_transformer_encoder_layer_fwd" in sentence for sentence in report.missed)


def test_copies_inside_a_kernel_are_named_as_not_seen():
    """PyTorch's profiler sees the kernel of layer_norm copy; the audit says that it may."""
    x = torch.randn(4, 3, 8).transpose(0, 1)
    with audit() as report:
        torch.nn.functional.layer_norm(x, (8,))
    assert len(report.missed) == 1 and "native_layer_norm" in report.missed[0]
    with torch.profiler.profile() as profile:
        torch.nn.functional.layer_norm(x, (8,))
    assert any(event.key == "aten::copy_" for event in profile.key_averages())


def test_backward_copies_are_listed_as_such():
    w = torch.randn(3, 4, requires_grad=True)
    with audit() as report:
        loss = (w.t() * torch.randn(4, 3)).sum()
        assert report.copies == []
        loss.backward()
        expected = line() - 1
    (copy,) = report.copies
    assert (copy.phase, copy.kind, copy.line) == ("backward", "silent", expected)
    assert w.grad.stride() == (4, 1)
