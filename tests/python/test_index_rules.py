# SPDX-License-Identifier: Apache-2.0
"""Indexing and assignment by PyTorch 2.6's rules: what each docstring says, PyTorch 2.6.0 gives."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tenstride as torch
import tenstride.numpy as tnp


def square(dtype=torch.int64):
    return torch.arange(9, dtype=dtype).view(3, 3)


def put(x, key, value):
    x[key] = value
    return x


class Pair:
    """A sequence that is neither a list nor a tuple."""

    def __len__(self):
        return 2

    def __getitem__(self, at):
        return [[0, 1], [1, 2]][at]


@pytest.mark.parametrize(
    ("key", "twin"),
    [
        ([[0, 1], [1, 2]], ([0, 1], [1, 2])),
        ([slice(None), 1], (slice(None), 1)),
        ([None, 1], (None, 1)),
        ([..., 1], (..., 1)),
        ([torch.tensor([0, 1]), 1], (torch.tensor([0, 1]), 1)),
        ([torch.tensor(1), torch.tensor(2)], (1, 2)),
        ([(0, 1), 1], ([0, 1], 1)),
        ([range(2), 1], ([0, 1], 1)),
        ([numpy.array([0, 1]), 1], ([0, 1], 1)),
        ([0, [1]], (0, [1])),
        ([[0, 1]], ([0, 1],)),
        ([[True, False, True]], ([True, False, True],)),
        ([True, None], (True, None)),
        (Pair(), ([0, 1], [1, 2])),
        ([[[0, 1], [1, 2]]], (torch.tensor([[0, 1], [1, 2]]),)),
        ([None] * 20, (None,) * 20),
    ],
)
def test_a_list_with_a_list_or_the_like_in_it_is_a_tuple_of_indices(key, twin):
    """PyTorch 2.6's treatSequenceAsTuple, in reading and writing."""
    assert torch.equal(square()[key], square()[twin])
    assert torch.equal(put(square(), key, -1), put(square(), twin, -1))


@pytest.mark.parametrize(
    ("key", "positions"),
    [
        ([0, 1], [0, 1]),
        (range(2), [0, 1]),
        ([[0, 1]] * 32, [[0, 1]] * 32),
        (([[0, 1], [1, 2]],), [[0, 1], [1, 2]]),
        ([numpy.int64(1), 2], [1, 2]),
        ([1.5, 0.5], [1, 0]),
        ([], []),
    ],
)
def test_other_lists_are_one_index_tensor(key, positions):
    """Numbers alone, 32 items or more, or a list inside a tuple; fractions are dropped."""
    assert torch.equal(square()[key], square()[torch.tensor(positions, dtype=torch.int64)])


def test_the_list_of_the_issue():
    assert square()[[[0, 1], [1, 2]]].tolist() == [1, 5]
    assert square()[[slice(None), 1]].tolist() == [1, 4, 7]


def test_none_in_a_long_list_tells_no_type():
    with pytest.raises(RuntimeError, match="None must be a number"):
        square()[[None] * 40]


def test_a_uint8_tensor_is_a_mask_and_says_that_this_is_old():
    rows = torch.tensor([0, 2, 255], dtype=torch.uint8)
    for key in (rows, (rows,), torch.eye(3, dtype=torch.uint8)):
        with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
            given = square()[key]
        mask = (key[0] if isinstance(key, tuple) else key) != 0
        assert torch.equal(given, square()[mask])
    with pytest.warns(UserWarning):
        assert put(square(), rows, torch.tensor([7, 8, 9]))[1].tolist() == [7, 8, 9]
    with pytest.warns(UserWarning, match="uint8"):
        assert square().index_put((rows,), torch.tensor([7, 8, 9]))[2].tolist() == [7, 8, 9]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            square()[rows]
        # Of rank 0 it is a bool, and nothing is said.
        assert square()[torch.tensor(1, dtype=torch.uint8)].shape == (1, 3, 3)
        assert square()[torch.tensor(0, dtype=torch.uint8)].shape == (0, 3, 3)


def test_one_number_needs_a_mask_of_bools():
    mask = torch.tensor([0, 1, 1], dtype=torch.uint8)
    for value in (9, torch.tensor(9), torch.tensor([9])):
        with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="only supports boolean masks"):
            square()[mask] = value


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "uint16", "uint32", "uint64", "float16", "float32", "complex64", "float64"]
)
def test_lists_of_positions_are_int64_or_int32(dtype):
    index = torch.tensor([0, 1]).to(getattr(torch, dtype))
    for use in (lambda: square()[index], lambda: put(square(), index, 1), lambda: square()[index[:0]]):
        with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
            use()
    if "int" in dtype:
        assert square()[index[1]].tolist() == [3, 4, 5]
        assert square()[numpy.array([0, 1], dtype=dtype)].shape == (2, 3)  # PyTorch converts NumPy's
    else:
        with pytest.raises(IndexError):
            square()[index[1]]


def test_a_mask_beside_an_int_is_numpys():
    """PyTorch gives [0, 2, 10] here (pytorch#70347, #161970); see docs/conformance.md."""
    x = torch.arange(18).view(2, 3, 3)
    mask = torch.tensor([[True, False, True], [False, True, False]])
    array = numpy.arange(18).reshape(2, 3, 3)
    bools = numpy.array(mask.tolist())
    for at in (0, 1, 2, -1):
        assert x[mask, at].tolist() == array[bools, at].tolist()
        assert x[mask, torch.tensor(at)].tolist() == array[bools, at].tolist()
    assert put(x.clone(), (mask, 0), -1).tolist() == put(array.copy(), (bools, 0), -1).tolist()


@pytest.mark.parametrize("value", [[1, 2, 3], (1, 2, 3), range(3), [1.0], None, "a", object(), {}])
def test_what_is_assigned_is_a_tensor_or_a_number(value):
    for key in (0, [0, 1], slice(None), True):
        with pytest.raises(TypeError):
            square()[key] = value


def test_numpys_arrays_can_be_assigned():
    assert put(square(), 0, numpy.array([7, 8, 9]))[0].tolist() == [7, 8, 9]


def test_a_bool_alone_assigns_all_or_nothing():
    ones = torch.ones(3, 3, dtype=torch.int64)
    assert torch.equal(put(square(), True, ones), ones)
    assert torch.equal(put(square(), True, ones[None]), ones)
    assert torch.equal(put(square(), True, torch.ones(3, 3)), ones)  # converted
    assert torch.equal(put(square(), True, 1), ones)
    for value in (ones, 1, torch.ones(5)):
        assert torch.equal(put(square(), False, value), square())
    with pytest.raises(RuntimeError):
        square()[True] = torch.ones(5)


def expanded():
    return torch.zeros(1).expand(3)


def test_filling_an_expanded_tensor():
    """fill_ and zero_ of a number take it; assignment and all else refuse it."""
    assert expanded().fill_(2).tolist() == [2, 2, 2]
    assert expanded().zero_().tolist() == [0, 0, 0]
    x = torch.zeros(2, 1, 2)
    assert x.expand(2, 3, 2).fill_(4).tolist() == [[[4, 4]] * 3] * 2
    assert x.tolist() == [[[4, 4]]] * 2
    for call in (
        lambda: expanded().fill_(torch.tensor(2)),
        lambda: put(expanded(), ..., 1),
        lambda: put(expanded(), slice(None), torch.tensor(1)),
        lambda: put(expanded(), True, 1),
        lambda: expanded().copy_(1),
        lambda: expanded().copy_(torch.zeros(3)),
        lambda: expanded().add_(1),
        lambda: expanded().neg_(),
        lambda: expanded().clamp_(1),
    ):
        with pytest.raises(RuntimeError, match="several elements in one place"):
            call()
    assert put(expanded(), 0, 1).tolist() == [1, 1, 1]
    assert torch.zeros(1).expand(1).add_(1).tolist() == [1]
    assert torch.zeros(1, 0).expand(3, 0).add_(1).shape == (3, 0)


def written(make, count=5, dtype=torch.float32):
    base = torch.arange(count).to(dtype)
    make(base)
    return base.tolist()


def test_arithmetic_in_place_where_elements_share_memory():
    """Each visit reads what the one before wrote; only a stride of 0 is refused."""
    window = lambda y: y.as_strided((3, 2), (1, 1))  # noqa: E731
    assert written(lambda y: window(y).add_(1), 4) == [1, 3, 4, 4]
    assert written(lambda y: window(y).mul_(2), 4) == [0, 4, 8, 6]
    assert written(lambda y: window(y).neg_(), 4) == [0, 1, 2, -3]
    assert written(lambda y: window(y).add_(window(y)), 4) == [0, 4, 8, 6]
    assert written(lambda y: y.as_strided((3, 3), (2, 1)).add_(1), 9) == [1, 2, 4, 4, 6, 6, 7, 7, 8]
    assert written(lambda y: y.unfold(0, 3, 1).add_(10)) == [10, 21, 32, 23, 14]
    assert written(lambda y: y.unfold(0, 3, 1).sub_(torch.arange(9).view(3, 3))) == [0, -3, -10, -9, -4]
    assert written(lambda y: y.unfold(0, 3, 1).pow_(2)) == [0, 1, 256, 81, 16]
    assert written(lambda y: window(y).logical_not_(), 4) == [1, 1, 1, 0]
    long = written(lambda y: y.unfold(0, 20, 1).add_(1), 40)
    assert long == [2 * i + 1 if i < 20 else 40 for i in range(40)]
    # Where the operands meet in another type, all is read before anything is written.
    ones = torch.ones(3, 3, dtype=torch.int64)
    assert written(lambda y: y.unfold(0, 3, 1).add_(ones), 5, torch.int32) == [1, 2, 3, 4, 5]


SEEN = [
    lambda y: put(y.view(-1), slice(1, None), y.view(-1)[:-1]),
    lambda y: y.view(-1)[1:].copy_(y.view(-1)[:-1]),
    lambda y: put(y, slice(1, None), y[:-1]),
    lambda y: y.copy_(y.T),
    lambda y: put(y, slice(None), y.T),
    lambda y: put(y, True, y.T),
    lambda y: y.T.copy_(y),
    lambda y: y.copy_(y[0]),
    lambda y: y.copy_(y[1, 1]),
    lambda y: y[None].copy_(y),
    lambda y: y.view(torch.uint8).view(-1)[:9].copy_(y.view(-1)),
    lambda y: put(y.view(-1), [0, 1, 2], y.view(-1)[1:4]),
    lambda y: put(y.view(-1), [0, 1, 2], y[1, 0]),
    lambda y: put(y.view(-1), y.view(-1), 5),
    lambda y: y.add_(y.T),
    lambda y: y.add_(y[0]),
    lambda y: y.mul_(y[1, 1]),
    lambda y: y.view(1, 9).add_(y.view(9)),
]


@pytest.mark.parametrize("call", SEEN)
def test_an_overlap_that_pytorch_sees_is_refused(call):
    x = square()
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        call(x)
    assert torch.equal(x, square())


PASSED = [
    (lambda y: y.copy_(y), square().tolist()),
    (lambda y: y.copy_(y.view(3, 3)), square().tolist()),
    (lambda y: put(y, 0, y[0]), square().tolist()),
    (lambda y: put(y, 0, y[0, 0]), [[0, 0, 0], [3, 4, 5], [6, 7, 8]]),
    (lambda y: put(y, ..., y[0]), [[0, 1, 2]] * 3),
    (lambda y: put(y, 0, y[:, 0]), [[0, 3, 6], [3, 4, 5], [6, 7, 8]]),
    (lambda y: put(y, (slice(None), 0), y[0]), [[0, 1, 2], [1, 4, 5], [2, 7, 8]]),
    (lambda y: y[:1].copy_(y[1:2]), [[3, 4, 5], [3, 4, 5], [6, 7, 8]]),
    (lambda y: put(y, None, y), square().tolist()),
    (lambda y: put(y, torch.eye(3, dtype=torch.bool), y[2, 2]), [[8, 1, 2], [3, 8, 5], [6, 7, 8]]),
]


@pytest.mark.parametrize(("call", "answer"), PASSED)
def test_other_sharing_is_let_pass(call, answer):
    x = square()
    call(x)
    assert x.tolist() == answer


def test_an_overlap_that_is_not_seen_reads_before_it_writes():
    """Columns are not dense, so nobody looks. PyTorch's answer depends on its loops; see docs/conformance.md."""
    x = square()
    x[:, 1:] = x[:, :-1]
    assert x.tolist() == [[0, 0, 1], [3, 3, 4], [6, 6, 7]]
    x = square()
    x.add_(x[:, :1])
    assert x.tolist() == [[0, 1, 2], [6, 7, 8], [12, 13, 14]]


def test_copyto_is_right_for_overlaps():
    shared = square()
    tnp.copyto(shared[1:], shared[:-1])
    assert shared.tolist() == [[0, 1, 2], [0, 1, 2], [3, 4, 5]]
    matrix = square()
    tnp.copyto(matrix, matrix.T)
    assert torch.equal(matrix, square().T)
    for value in (7, 1.5, torch.arange(3), numpy.arange(3)):
        array = numpy.zeros((2, 3), dtype=numpy.float32)
        numpy.copyto(array, value if not hasattr(value, "numpy") else numpy.arange(3))
        x = torch.zeros(2, 3)
        tnp.copyto(x, value)
        assert x.tolist() == array.tolist()
    with pytest.raises(TypeError, match="same_kind"):
        tnp.copyto(square(), 1.5)
    with pytest.raises(ValueError, match="broadcast"):
        tnp.copyto(square(), torch.zeros(4, dtype=torch.int64))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "complex64"]
)
def test_index_put_accumulates_each_value_as_often_as_it_is_indexed(dtype):
    kind = getattr(torch, dtype)
    x = torch.ones(3).to(kind)
    given = x.index_put((torch.tensor([0, 0, 1]),), torch.ones(3).to(kind), accumulate=True)
    wanted = [True] * 3 if dtype == "bool" else [3, 2, 1]
    assert given.tolist() == wanted
    assert x.tolist() == torch.ones(3).to(kind).tolist()
    assert x.index_put_((torch.tensor([0, 0, 1]),), torch.ones(3).to(kind), True) is x
    assert x.tolist() == wanted


def test_index_put():
    rows = torch.tensor([0, 1])
    assert torch.zeros(3, 3).index_put((rows,), torch.tensor(5.0)).tolist() == [[5] * 3, [5] * 3, [0] * 3]
    assert torch.index_put(torch.zeros(3), [rows], torch.ones(2)).tolist() == [1, 1, 0]
    x = torch.zeros(3)
    assert torch.index_put_(x, (rows,), torch.ones(2)) is x
    assert x.tolist() == [1, 1, 0]
    pairs = (torch.tensor([0, 0, 1]), torch.tensor([1, 1, 2]))
    assert torch.zeros(3, 3).index_put(pairs, torch.tensor(2.0), accumulate=True).tolist() == [
        [0, 4, 0],
        [0, 0, 2],
        [0, 0, 0],
    ]
    mask = torch.eye(3) > 0
    for accumulate in (False, True):
        given = torch.zeros(3, 3).index_put((mask,), torch.tensor([1.0, 2.0, 3.0]), accumulate=accumulate)
        assert torch.diagonal(given).tolist() == [1, 2, 3]
    # Sums are rounded one by one, and wrap.
    half = torch.full((1,), 2048.0, dtype=torch.float16)
    assert half.index_put((torch.tensor([0] * 3),), torch.ones(3).half(), accumulate=True).tolist() == [2048]
    full = torch.full((2,), 200, dtype=torch.uint8)
    hundred = torch.full((2,), 100, dtype=torch.uint8)
    assert full.index_put((torch.tensor([0, 0]),), hundred, accumulate=True).tolist() == [144, 200]
    assert torch.empty(3, 2).t().index_put((torch.tensor([0]),), torch.tensor(1.0)).stride() == (1, 2)
    assert torch.zeros(1).expand(3, 3).index_put((torch.tensor([0]),), torch.tensor(1.0)).stride() == (3, 1)


@pytest.mark.parametrize(
    ("indices", "values", "kind"),
    [
        ((torch.tensor([0]),), 5.0, TypeError),
        ((None, torch.tensor([0])), torch.tensor(5.0), TypeError),
        ((0,), torch.tensor(5.0), TypeError),
        (([0, 1],), torch.tensor(5.0), TypeError),
        ((slice(None),), torch.tensor(5.0), TypeError),
        (torch.tensor([0]), torch.tensor(5.0), TypeError),
        ((), torch.tensor(5.0), RuntimeError),
        ((torch.tensor([0]),) * 3, torch.tensor(5.0), IndexError),
        ((torch.tensor([5]),), torch.tensor(5.0), IndexError),
        ((torch.tensor([0], dtype=torch.int16),), torch.tensor(5.0), IndexError),
        ((torch.tensor([0]),), torch.tensor(5), RuntimeError),
        ((torch.tensor([0]),), torch.ones(4), RuntimeError),
        ((torch.tensor([0, 1]),), torch.ones(1, 2, 3), RuntimeError),
    ],
)
def test_what_index_put_refuses(indices, values, kind):
    for call in (torch.zeros(3, 3).index_put, torch.zeros(3, 3).index_put_):
        with pytest.raises(kind):
            call(indices, values)
    with pytest.raises(TypeError):
        torch.zeros(3).index_put((torch.tensor([0]),), torch.tensor(1.0), 1)
    x = torch.zeros(3, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.index_put_((torch.tensor([0]),), x[0])


def test_none_tells_no_type():
    for data in ([None], None, [1, None], [[1], None], [[None]]):
        with pytest.raises(RuntimeError, match="None must be a number"):
            torch.tensor(data)
    with pytest.raises(TypeError):
        torch.tensor([None], dtype=torch.float32)


def test_bounds_of_slices_beyond_64_bits_are_those_of_the_axis():
    x = torch.arange(6).view(2, 3)
    assert x[: 2**200].equal(x) and x[-(2**200) :, 1:].equal(x[:, 1:]) and x[2**200 :].shape == (0, 3)
