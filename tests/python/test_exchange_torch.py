# SPDX-License-Identifier: Apache-2.0
"""Exchange with PyTorch itself, and the same calls answered by both."""

from __future__ import annotations

import array
import gc
import re
import weakref

import numpy
import pytest
import tenstride
from hypothesis import given, settings, strategies as st
from memory import grows_by

torch = pytest.importorskip("torch", reason="PyTorch is not installed (tests/python/with_torch.py finds one)")

DTYPES = [
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def facts(x):
    """What is compared of a tensor of either library; PyTorch 1.13 hands strides over as 1 where they say nothing."""
    strides = [step if size > 1 else 1 for size, step in zip(x.shape, x.stride())]
    return tuple(x.shape), tuple(strides) if x.numel() else (), str(x.dtype), x.tolist()


@st.composite
def views(draw):
    """A view of a tensor of PyTorch's: axes moved, sliced, sometimes repeated."""
    shape = draw(st.lists(st.integers(0, 5), max_size=4))
    dtype = getattr(torch, draw(st.sampled_from(DTYPES)))
    x = (torch.arange(int(numpy.prod(shape))) % 100).to(dtype).reshape(shape)
    step = st.integers(1, 3)
    bound = st.one_of(st.none(), st.integers(-6, 6))
    x = x[(..., *(slice(draw(bound), draw(bound), draw(step)) for _ in shape))]
    x = x.permute(draw(st.permutations(range(len(shape)))))
    if draw(st.booleans()):
        x = x.expand(draw(st.integers(1, 3)), *x.shape)
    return x


@settings(max_examples=300, deadline=None)
@given(views())
def test_there_and_back_is_the_same_view(x):
    y = tenstride.from_dlpack(x)
    assert facts(y) == facts(x) and (y.data_ptr() == x.data_ptr() or x.numel() == 0)
    again = torch.from_dlpack(y)
    assert facts(again) == facts(x) and (again.data_ptr() == x.data_ptr() or x.numel() == 0)
    again = torch.utils.dlpack.from_dlpack(y.__dlpack__())
    assert facts(again) == facts(x)


@settings(max_examples=100, deadline=None)
@given(views())
def test_rearranged_tensors_are_pytorchs_again(x):
    axes = "abcde"[: x.dim()]
    y = tenstride.rearrange(x, f"{' '.join(axes)} -> {' '.join(reversed(axes))}")
    assert type(y) is torch.Tensor and facts(y) == facts(x.permute(tuple(reversed(range(x.dim())))))
    assert y.data_ptr() == x.data_ptr() or x.numel() == 0
    copy = tenstride.permute_copy(x, tuple(reversed(range(x.dim()))))
    assert facts(copy) == facts(y.contiguous()) and (copy.data_ptr() != x.data_ptr() or x.numel() == 0)


def test_writes_are_seen_on_both_sides():
    x = torch.zeros(2, 3)
    y = tenstride.from_dlpack(x)
    y[0, 1] = 5
    x[1, 2] = 7
    torch.from_dlpack(y)[0, 0] = 3
    assert x.tolist() == y.tolist() == [[3, 5, 0], [0, 0, 7]]
    assert tenstride.as_tensor(x).data_ptr() == x.data_ptr()
    assert tenstride.tensor(x).data_ptr() != x.data_ptr() and tenstride.tensor(x).tolist() == x.tolist()


def test_bool_goes_as_bytes():
    x = torch.tensor([[True, False], [False, False], [True, True]])
    y = tenstride.rearrange(x, "a b -> b a")
    assert y.dtype == torch.bool and y.tolist() == x.T.tolist() and y.data_ptr() == x.data_ptr()
    assert tenstride.reduce(x, "a b -> b", "any").tolist() == [True, True]
    assert tenstride.stack([x, x]).dtype == torch.bool


def test_kinds_dtypes_and_formats_of_pytorch():
    x = torch.arange(24.0).view(2, 3, 2, 2)
    assert facts(tenstride.astype(x, torch.int16)) == facts(x.to(torch.int16))
    assert facts(tenstride.astype(x, torch.bfloat16)) == facts(x.to(torch.bfloat16))
    assert tenstride.contiguous(x) is x
    format_last = tenstride.contiguous(x, memory_format=torch.channels_last)
    assert facts(format_last) == facts(x.contiguous(memory_format=torch.channels_last))
    assert facts(tenstride.cat([x, x], 1)) == facts(torch.cat([x, x], 1))
    assert facts(tenstride.stack([x, x], -1)) == facts(torch.stack([x, x], -1))
    whole, shapes = tenstride.pack([x[:, 0], x[:, 1:]], "b *")
    assert type(whole) is torch.Tensor
    parts = tenstride.unpack(whole, shapes, "b *")
    assert facts(parts[0].contiguous()) == facts(x[:, 0].contiguous()) and type(parts[1]) is torch.Tensor
    assert tenstride.parse_shape(x, "a b _ c") == {"a": 2, "b": 3, "c": 2}


def test_what_cannot_be_handed_over_is_refused_with_the_fix():
    x = torch.zeros(2, 3)
    for given_tensor, said in [
        (torch.zeros(2, 3, device="meta"), "a tensor on meta must be on the cpu; use .cpu() first"),
        (torch.zeros(2, 3, dtype=torch.complex64).conj(), "use .resolve_conj().resolve_neg() first"),
        (torch.zeros(2, 3, dtype=torch.complex64).conj().imag, "use .resolve_conj().resolve_neg() first"),
        (x.to_sparse(), "must be dense; use .to_dense() first"),
    ]:
        with pytest.raises(RuntimeError, match=re.escape(said)):
            tenstride.rearrange(given_tensor, "a b -> b a")
    needs_grad = torch.zeros(2, 3, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=re.escape("stack: a tensor that requires grad must be detached; use .detach()")
    ):
        tenstride.stack([needs_grad, needs_grad])
    with pytest.raises(TypeError, match=re.escape("stack: arrays must be of one kind (PyTorch, NumPy)")):
        tenstride.stack([x, x.numpy()])


def test_views_of_a_tensor_that_requires_grad_stay_with_autograd():
    for leaf in (torch.arange(24.0).requires_grad_(), torch.nn.Parameter(torch.arange(24.0))):
        x = leaf[2:14].view(2, 2, 3)
        view = tenstride.rearrange(x, "a b c -> c (a b)")
        assert facts(view.detach()) == facts(x.detach().permute(2, 0, 1).reshape(3, 4))
        (view * torch.arange(12.0).view(3, 4)).sum().backward()
        expected = torch.zeros(24)
        expected[2:14] = torch.arange(12.0).view(3, 2, 2).permute(1, 2, 0).reshape(-1)
        assert torch.equal(leaf.grad, expected)
    y = torch.ones(2, 3, requires_grad=True)
    tenstride.repeat(y, "a b -> a b two", two=2).sum().backward()
    assert torch.equal(y.grad, torch.full((2, 3), 2.0))
    assert tenstride.contiguous(y) is y


def test_copies_of_a_tensor_that_requires_grad_are_refused_with_what_to_write():
    x = torch.zeros(2, 3, requires_grad=True)
    for use in (
        lambda: tenstride.rearrange(x, "a b -> (b a)"),
        lambda: tenstride.contiguous(x.T),
        lambda: tenstride.permute_copy(x, (1, 0)),
        lambda: tenstride.astype(x, "float64"),
        lambda: tenstride.reduce(x, "a b -> a", "sum"),
    ):
        with pytest.raises(
            RuntimeError, match=r"a copy of a tensor that requires grad would be lost to autograd; use .det"
        ):
            use()


def test_explanations_show_pytorchs_own_layout():
    x = torch.zeros(4, 6)[1:3, ::2].T
    assert "(3,2):(2,6)+6 float32" in str(tenstride.explain(x))
    assert "storage of 96 B" in str(tenstride.explain(x))
    assert "(3,2):(2,6)+6" in str(tenstride.why_not_view(x, (6,)))
    for strange in [x.clone().requires_grad_(), x.to("meta"), x.to(torch.complex64).conj()]:
        assert tenstride.why_not_view(strange.T, (6,)) is None or strange.T.stride() != (3, 1)
        assert str(tenstride.explain(strange)).startswith("(3,2)")
    assert tenstride.show(x).to_svg().startswith("<svg")
    assert tenstride.explain("x.T.reshape(-1)", x=torch.zeros(2, 3)).copies == 1


def test_each_side_keeps_the_memory_alive():
    class Tensor(torch.Tensor):
        pass

    x = torch.arange(1000).as_subclass(Tensor)
    gone = weakref.ref(x)
    y = tenstride.from_dlpack(x)
    z = torch.from_dlpack(y[10:])
    del x, y
    gc.collect()
    assert z.sum().item() == sum(range(10, 1000))
    del z
    gc.collect()
    assert gone() is None


def test_exchange_leaks_nothing():
    x = torch.zeros(1 << 12)
    y = tenstride.zeros(1 << 12)
    assert grows_by(lambda: tenstride.from_dlpack(x), 10000) < 1 << 20
    assert grows_by(lambda: torch.from_dlpack(y), 10000) < 1 << 20
    assert grows_by(lambda: tenstride.from_dlpack(torch.zeros(1 << 12)), 10000) < 2 << 20
    assert grows_by(lambda: torch.from_dlpack(tenstride.zeros(1 << 12)), 10000) < 2 << 20
    assert grows_by(lambda: tenstride.rearrange(x, "(a b) -> b a", a=4), 5000) < 1 << 20


def outcome(call):
    """What a call gives, or the kind of its refusal."""
    try:
        return facts(call())
    except Exception as error:
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


ARRAYS = [
    numpy.arange(6).reshape(2, 3),
    numpy.arange(6.0).reshape(2, 3).T,
    numpy.asfortranarray(numpy.arange(6, dtype="f4").reshape(2, 3)),
    numpy.zeros((0, 3)),
    numpy.array(5),
    numpy.array([True, False]),
    numpy.arange(4, dtype="c8"),
    numpy.arange(4, dtype="f2"),
    numpy.arange(12)[::3],
    numpy.broadcast_to(numpy.arange(3), (2, 3)).copy()[:1],
    numpy.zeros(3, "M8[s]"),
    numpy.zeros(3, object),
    numpy.zeros(3, "S2"),
    numpy.zeros(4, [("a", "u1"), ("b", "f4")])["b"],
    numpy.zeros(3, ">i4"),
    [1, 2],
    5,
]


@pytest.mark.parametrize("given_array", ARRAYS, ids=lambda a: str(getattr(a, "dtype", type(a).__name__)))
def test_from_numpy_answers_as_pytorchs(given_array):
    expected = outcome(lambda: torch.from_numpy(given_array))
    answer = outcome(lambda: tenstride.from_numpy(given_array))
    assert answer == expected


@pytest.mark.parametrize("make", ["tensor", "as_tensor", "asarray"])
@pytest.mark.parametrize(
    "given_array",
    [*(a for a in ARRAYS[:10] if a.dtype != "c8"), [[1, 2], [3, 4]], 2.5],
    ids=lambda a: f"{type(a).__name__}-{getattr(a, 'dtype', '')}",
)
@pytest.mark.parametrize("dtype", [None, "float32", "int64", "bool"])
def test_makes_the_tensor_that_pytorch_makes(make, given_array, dtype):
    def made(library):
        arguments = {} if dtype is None else {"dtype": getattr(library, dtype)}
        return getattr(library, make)(given_array, **arguments)

    assert outcome(lambda: made(tenstride)) == outcome(lambda: made(torch))


@pytest.mark.parametrize("number", [numpy.float32(1.5), numpy.float64(2.5), numpy.int16(3), numpy.uint8(7)])
def test_numbers_of_numpys_keep_their_type(number):
    # PyTorch 1.13's asarray makes a list of one of them, and its bool refuses to be an index.
    for make in ["tensor", "as_tensor"]:
        assert facts(getattr(tenstride, make)(number)) == facts(getattr(torch, make)(number))
        converted = getattr(tenstride, make)(number, dtype=tenstride.float16)
        assert facts(converted) == facts(getattr(torch, make)(number, dtype=torch.float16))
    assert facts(tenstride.tensor(numpy.bool_(True))) == facts(torch.tensor(True))


@pytest.mark.parametrize("size", [0, 1, 4, 7, 16])
@pytest.mark.parametrize("count", [-1, 0, 1, 4])
@pytest.mark.parametrize("offset", [-1, 0, 4, 8, 16])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_frombuffer_answers_as_pytorchs(size, count, offset, dtype):
    data = bytearray(range(size))

    def made(library):
        return library.frombuffer(data, dtype=getattr(library, dtype), count=count, offset=offset)

    expected = outcome(lambda: made(torch))
    answer = outcome(lambda: made(tenstride))
    unaligned = dtype == "float64" and offset == 4 and isinstance(expected, tuple)
    assert answer == ("ValueError" if unaligned else expected)


def test_frombuffer_takes_the_bytes_of_any_array():
    data = array.array("i", [1, 2, 3])
    assert facts(tenstride.frombuffer(data, dtype=tenstride.int16)) == facts(torch.frombuffer(data, dtype=torch.int16))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.zeros(2, dtype=m.bfloat16).numpy(),
        lambda m: m.zeros(2, dtype=m.complex64).conj().numpy(),
        lambda m: m.zeros(2, device="meta").numpy(),
        lambda m: numpy.asarray(m.zeros(2, dtype=m.bfloat16)),
        lambda m: m.zeros(2, dtype=m.complex64).conj().__dlpack__(),
    ],
)
def test_refusals_are_of_pytorchs_kind(call):
    kinds = []
    for library in (torch, tenstride):
        with pytest.raises(Exception) as refused:
            call(library)
        kinds.append(refused.type)
    # Of DLPack's refusals PyTorch says RuntimeError to 2.6, and BufferError since: the package's is both.
    assert issubclass(kinds[1], kinds[0])


@settings(max_examples=200, deadline=None)
@given(views().filter(lambda x: x.dtype != torch.bfloat16))
def test_numpy_gives_the_array_that_pytorch_gives(x):
    expected, answer = x.numpy(), tenstride.from_dlpack(x).numpy()
    count = [step for size, step in zip(x.shape, expected.strides) if size > 1]
    assert count == [step for size, step in zip(x.shape, answer.strides) if size > 1] or x.numel() == 0
    assert answer.dtype == expected.dtype
    assert numpy.array_equal(answer, expected) and numpy.shares_memory(answer, expected) == (x.numel() > 0)
