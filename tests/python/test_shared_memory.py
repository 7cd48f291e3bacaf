# SPDX-License-Identifier: Apache-2.0
"""Two tensors made of one NumPy array behave as two views of one tensor do: the address of the memory decides.

The right value is what NumPy's assignment gives: as if what is read had been copied before. Where PyTorch sees the
overlap of two views of one tensor and refuses it, so does tenstride, for two tensors as for two views.
"""

from __future__ import annotations

import array
import itertools

import numpy
import pytest
import tenstride
import tenstride as torch
import tenstride.numpy as tnp

SIZE = 6

#: Views of six elements, as size, stride and offset: rows, steps, columns, windows, repeated elements.
VIEWS = [
    ((count,), (step,), first)
    for count in (1, 2, 3)
    for step in ((0, 1) if count == 1 else (0, 1, 2, 3))
    for first in range(SIZE)
    if first + step * (count - 1) < SIZE
] + [
    ((2, 2), strides, first)
    for strides in ((2, 1), (1, 2), (3, 1), (1, 3), (1, 1), (2, 2), (0, 1))
    for first in range(SIZE)
    if first + sum(strides) < SIZE
]


def seen(x, view):
    return x.as_strided(*view)


def mask(x):
    """True for the first element and the last."""
    flags = torch.zeros(x.numel(), dtype=torch.bool)
    flags[0] = flags[-1] = True
    return flags.view(x.shape)


def backwards(x):
    """Positions of the first axis, the last first."""
    return torch.arange(x.shape[0] - 1, -1, -1)


def along(x):
    """The same for each element."""
    return backwards(x).view(-1, *(1 for _ in x.shape[1:])).expand(x.shape)


def places(x):
    return torch.arange(x.numel() - 1, -1, -1).view(x.shape)


#: What writes to x while it reads y, which has its shape.
WRITERS = {
    "copy_": lambda x, y: x.copy_(y),
    "x[...] = y": lambda x, y: x.__setitem__(..., y),
    "x[:] = y": lambda x, y: x.__setitem__(slice(None), y),
    "x[0] = y[0]": lambda x, y: x.__setitem__(0, y[0]),
    "x[list] = y": lambda x, y: x.__setitem__(backwards(x), y),
    "x[mask] = y": lambda x, y: x.__setitem__(mask(x), y.reshape(-1)[:2] if y.numel() > 1 else y.reshape(-1)),
    "x[list] += y": lambda x, y: x.index_put_((backwards(x),), y, accumulate=True),
    "index_copy_": lambda x, y: x.index_copy_(0, backwards(x), y),
    "index_add_": lambda x, y: x.index_add_(0, backwards(x), y),
    "index_add_ alpha": lambda x, y: x.index_add_(0, backwards(x), y, alpha=3),
    "scatter_": lambda x, y: x.scatter_(0, along(x), y),
    "scatter_add_": lambda x, y: x.scatter_add_(0, along(x), y),
    "scatter_reduce_": lambda x, y: x.scatter_reduce_(0, along(x), y, "amax", include_self=False),
    "put_": lambda x, y: x.put_(places(x), y),
    "put_ accumulate": lambda x, y: x.put_(places(x), y, accumulate=True),
    "masked_scatter_": lambda x, y: x.masked_scatter_(mask(x), y),
    "masked_fill_": lambda x, y: x.masked_fill_(mask(x), y.reshape(-1)[0]),
    "fill_": lambda x, y: x.fill_(y.reshape(-1)[-1]),
    "add_": lambda x, y: x.add_(y),
    "+=": lambda x, y: x.__iadd__(y),
    "sub_ alpha": lambda x, y: x.sub_(y, alpha=2),
    "mul_": lambda x, y: x.mul_(y),
    "clamp_": lambda x, y: x.clamp_(min=y),
    "bitwise_xor_": lambda x, y: x.bitwise_xor_(y),
    "logical_and_": lambda x, y: x.logical_and_(y),
    "floor_divide_": lambda x, y: x.floor_divide_(y),
    "cat out": lambda x, y: torch.cat([y[-1:], y[:-1]], out=x),
    "stack out": lambda x, y: torch.stack([*y[1:], y[0]], out=x),
    "where out": lambda x, y: torch.where(mask(x), y, y.flip(0), out=x),
    "gather out": lambda x, y: torch.gather(y, 0, along(y), out=x),
    "take out": lambda x, y: torch.take(y, places(y), out=x),
    "index_select out": lambda x, y: torch.index_select(y, 0, backwards(y), out=x),
    "unbind_copy out": lambda x, y: torch.unbind_copy(y, out=list(x)[::-1]),
    "split_copy out": lambda x, y: torch.split_copy(y, 1, out=[x[i : i + 1] for i in range(len(x))][::-1]),
    "transpose_copy out": lambda x, y: torch.transpose_copy(y, 0, -1, out=x),
    "copyto": lambda x, y: tnp.copyto(x, y),
    "convert out": lambda x, y: torch.convert(y, "... -> ...", out=x),
}

#: What NumPy does instead, with a source that was copied.
NUMPY = {
    "copy_": lambda x, y: x.__setitem__(..., y),
    "x[list] = y": lambda x, y: x.__setitem__(slice(None, None, -1), y),
    "index_copy_": lambda x, y: x.__setitem__(slice(None, None, -1), y),
    "scatter_": lambda x, y: x.__setitem__(slice(None, None, -1), y),
    "add_": lambda x, y: numpy.add(x, y, out=x),
    "mul_": lambda x, y: numpy.multiply(x, y, out=x),
    "index_add_": lambda x, y: numpy.add(x[::-1], y, out=x[::-1]),
    "copyto": lambda x, y: numpy.copyto(x, y),
    "cat out": lambda x, y: x.__setitem__(..., numpy.concatenate([y[-1:], y[:-1]])),
}


def outcome(write, x, y):
    """What is refused, with its message; None where nothing is."""
    try:
        write(x, y)
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return None


def has_repeats(view):
    places = [sum(i * step for i, step in zip(index, view[1])) for index in itertools.product(*map(range, view[0]))]
    return len(set(places)) < len(places)


@pytest.mark.parametrize("name", WRITERS)
def test_two_tensors_over_one_array_are_as_two_views_of_one_tensor(name):
    """All pairs of small views: the same refusals, word for word, or the values that a copied source gives."""
    write = WRITERS[name]
    written = 0
    for to, source in itertools.product(VIEWS, VIEWS):
        if to[0] != source[0]:
            continue
        one, two, right = (numpy.arange(3, 3 + SIZE) for _ in range(3))
        whole = torch.from_numpy(one)
        refused = outcome(write, seen(whole, to), seen(whole, source))
        twins = torch.from_numpy(two), torch.from_numpy(two)
        assert outcome(write, seen(twins[0], to), seen(twins[1], source)) == refused, (to, source)
        assert two.tolist() == one.tolist(), (to, source)
        if refused:
            assert one.tolist() == right.tolist(), (to, source)
            continue
        if has_repeats(to):
            continue  # several elements in one place: their order is the operation's own
        plain = torch.from_numpy(right)
        assert outcome(write, seen(plain, to), seen(plain, source).clone()) is None
        assert two.tolist() == right.tolist(), (to, source)
        written += 1
        if name in NUMPY:
            expected = numpy.arange(3, 3 + SIZE)
            to_numpy = [
                numpy.lib.stride_tricks.as_strided(expected[v[2] :], v[0], [8 * s for s in v[1]]) for v in (to, source)
            ]
            NUMPY[name](to_numpy[0], to_numpy[1].copy())
            assert two.tolist() == expected.tolist(), (to, source)
    assert written > 50


@pytest.mark.parametrize("name", ["index_copy_", "index_fill_", "scatter_", "scatter_reduce_", "put_", "index_put_"])
def test_an_index_in_the_written_memory_is_refused_or_read_before(name):
    write = {
        "index_copy_": lambda x, i: x.index_copy_(0, i, torch.tensor([7, 8])),
        "index_fill_": lambda x, i: x.index_fill_(0, i, 7),
        "scatter_": lambda x, i: x.scatter_(0, i, torch.tensor([7, 8])),
        "scatter_reduce_": lambda x, i: x.scatter_reduce_(0, i, torch.tensor([7, 8]), "mean", include_self=False),
        "put_": lambda x, i: x.put_(i, torch.tensor([7, 8])),
        "index_put_": lambda x, i: x.index_put_((i,), torch.tensor([7, 8])),
    }[name]
    views = [view for view in VIEWS if view[0] in ((2,), (3,)) and not has_repeats(view)]
    for to, positions in itertools.product(views, views):
        if positions[0] != (2,):
            continue
        start = [1, 0, 1, 0, 1, 0]
        one, two, right = (numpy.array(start) for _ in range(3))
        whole = torch.from_numpy(one)
        refused = outcome(write, seen(whole, to), seen(whole, positions))
        twins = torch.from_numpy(two), torch.from_numpy(two)
        assert outcome(write, seen(twins[0], to), seen(twins[1], positions)) == refused, (to, positions)
        if refused is None:
            plain = torch.from_numpy(right)
            write(seen(plain, to), seen(plain, positions).clone())
            assert one.tolist() == two.tolist() == right.tolist(), (to, positions)


@pytest.mark.parametrize("name", ["masked_fill_", "masked_scatter_", "x[mask] = 0", "x[mask] = y"])
def test_a_mask_in_the_written_memory_is_refused_or_read_before(name):
    write = {
        "masked_fill_": lambda x, m: x.masked_fill_(m, 0),
        "masked_scatter_": lambda x, m: x.masked_scatter_(m, torch.tensor([False, True, False])),
        "x[mask] = 0": lambda x, m: x.__setitem__(m, 0),
        "x[mask] = y": lambda x, m: x.__setitem__(m, torch.zeros(int(m.sum()), dtype=torch.bool)),
    }[name]
    views = [view for view in VIEWS if not has_repeats(view)]
    for to, where in itertools.product(views, views):
        if to[0] != where[0]:
            continue
        for start in ([1, 0, 1, 1, 0, 1], [1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0]):
            one, two, right = (numpy.array(start, dtype=bool) for _ in range(3))
            whole = torch.from_numpy(one)
            refused = outcome(write, seen(whole, to), seen(whole, where))
            twins = torch.from_numpy(two), torch.from_numpy(two)
            assert outcome(write, seen(twins[0], to), seen(twins[1], where)) == refused, (to, where)
            if refused is None:
                plain = torch.from_numpy(right)
                write(seen(plain, to), seen(plain, where).clone())
                assert one.tolist() == two.tolist() == right.tolist(), (to, where, start)


def lent(x):
    class Lent:
        __array_interface__ = x.__array_interface__
        owner = x

    return torch.asarray(Lent())


@pytest.mark.parametrize(
    "again",
    [
        torch.from_numpy,
        torch.asarray,
        torch.as_tensor,
        lambda a: torch.asarray(memoryview(a)),
        lambda a: torch.frombuffer(a, dtype=torch.int64),
        torch.from_dlpack,
        lambda a: torch.from_dlpack(torch.from_numpy(a).__dlpack__()),
        lent,
    ],
    ids=["from_numpy", "asarray", "as_tensor", "memoryview", "frombuffer", "from_dlpack", "capsule", "interface"],
)
def test_however_the_second_tensor_was_made(again):
    a = numpy.arange(3)
    torch.from_numpy(a)[torch.tensor([2, 0])] = again(a)[:2].flip(0)
    assert a.tolist() == [0, 1, 1]
    with pytest.raises(RuntimeError, match="single memory location"):
        again(a)[1:].add_(torch.from_numpy(a)[:-1])
    assert a.tolist() == [0, 1, 1]


def test_numpy_arrays_are_written_by_copyto_as_numpy_does():
    for to, source in itertools.product((slice(1, None), slice(None, -1), slice(4, None, -1)), repeat=2):
        a, b = numpy.arange(6), numpy.arange(6)
        if len(a[to]) == len(a[source]):
            tnp.copyto(a[to], a[source])
            numpy.copyto(b[to], b[source])
            assert a.tolist() == b.tolist()


def test_elements_of_other_sizes_over_the_same_bytes():
    """Bytes are read before they are written, where the elements are of different sizes."""
    for first, count in itertools.product(range(13), (1, 2, 3)):
        a = array.array("B", range(16))
        expected = bytes(a)[first : first + count]
        words = torch.frombuffer(a, dtype=torch.int32)[:count]
        parts = torch.frombuffer(a, dtype=torch.uint8)[first : first + count]
        try:
            words.copy_(parts)
        except RuntimeError as error:
            assert "single memory location" in str(error) and first < 4 * count
            continue
        assert words.tolist() == list(expected)


def test_parts_of_one_array_that_do_not_meet_are_not_copied():
    a = numpy.arange(8.0)
    left, right = torch.from_numpy(a[:4]), torch.from_numpy(a[4:])
    even, odd = torch.from_numpy(a[::2]), torch.from_numpy(a[1::2])
    with tenstride.CopyLedger() as ledger:
        left.add_(right)
        even.mul_(odd)
        left.copy_(right)
        even.copy_(odd)
    assert len(ledger) == 2  # those of copy_ itself
