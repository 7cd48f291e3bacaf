# SPDX-License-Identifier: Apache-2.0
"""The short ways of the calls made most, held against the long way on random calls.

Only plain ints and floats go a short way: the same numbers of a derived type go by the table of operations. What both
give must agree: the view, the elements, the very words of the refusal.
"""

from __future__ import annotations

import gc
import operator
import random
import weakref

import pytest
import tenstride as torch

ROUNDS = 300


class LongInt(int):
    """Goes the long way."""


class LongFloat(float):
    """Goes the long way."""


def long_way(value):
    """The same argument, of types that no short way takes."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(long_way, value))
    if isinstance(value, slice):
        return slice(long_way(value.start), long_way(value.stop), long_way(value.step))
    if type(value) is int:
        return LongInt(value)
    return LongFloat(value) if type(value) is float else value


def outcome(function, *arguments, **keywords):
    """What the call gives, in a form that can be compared: of a tensor everything, of an error its words."""
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        return type(error), str(error)
    if isinstance(result, tuple) and any(isinstance(part, torch.Tensor) for part in result):
        return tuple(map(facts, result))
    if not isinstance(result, torch.Tensor):
        return type(result), result
    values = None if result.is_meta else repr(result.tolist())
    return (
        result.shape,
        result.stride(),
        result.storage_offset(),
        result.dtype,
        result.is_conj(),
        result.is_read_only,
        values,
    )


def facts(tensor):
    """The outcome of a tensor itself."""
    return outcome(lambda: tensor)


def is_view(tensor, function, *arguments):
    """Whether the call gives a view of the tensor; None where it gives none."""
    try:
        return function(*arguments).storage().data_ptr() == tensor.storage().data_ptr()
    except Exception:
        return None


def random_tensor(draw: random.Random) -> torch.Tensor:
    """Of rank 0 to 5 with sizes 0 to 4, often permuted, sliced or expanded."""
    sizes = [draw.choice((0, 1, 1, 2, 2, 3, 4)) for _ in range(draw.choice((0, 1, 2, 2, 3, 3, 4, 5)))]
    x = torch.arange(int(torch.Size(sizes).numel()) + 3)[3:].view(sizes)
    x = x.to(draw.choice((torch.int64, torch.float32, torch.float64, torch.complex64, torch.int32, torch.uint8)))
    if draw.random() < 0.5:
        order = list(range(len(sizes)))
        draw.shuffle(order)
        x = x.permute(order)
    if sizes and draw.random() < 0.3:
        x = x[tuple(slice(draw.randint(0, 1), None, draw.choice((1, 1, 2, -1))) for _ in sizes)]
    if draw.random() < 0.2:
        x = x.unsqueeze(0).expand(3, *x.shape)
    return x


def axis(draw):
    return draw.randint(-6, 6) if draw.random() < 0.2 else draw.randint(-3, 3)


def axes(draw, count):
    return [axis(draw) for _ in range(draw.choice(count))]


def sizes(draw, x):
    """Often such as hold the tensor's elements."""
    if draw.random() < 0.3:
        return axes(draw, (0, 1, 2, 3))
    chosen = list(x.shape)
    draw.shuffle(chosen)
    while len(chosen) > 1 and draw.random() < 0.4:
        chosen[-2:] = [chosen[-2] * chosen[-1]]
    if chosen and draw.random() < 0.3:
        chosen[draw.randrange(len(chosen))] = -1
    if draw.random() < 0.2:
        chosen.append(1)
    return chosen


def order(draw, x):
    chosen = list(range(x.dim()))
    draw.shuffle(chosen)
    chosen = [one - x.dim() if draw.random() < 0.3 else one for one in chosen]
    return chosen if draw.random() < 0.8 else axes(draw, (x.dim(), x.dim() + 1, 0))


def wider(draw, x):
    given = [draw.choice((size, -1, 3, size)) if size == 1 else draw.choice((size, -1, size)) for size in x.shape]
    front = [draw.choice((1, 2, 0, -1)) for _ in range(draw.choice((0, 0, 1, 2)))]
    return front + given if draw.random() < 0.8 else axes(draw, (1, 2, 3))


def several(draw, x):
    """Axes in brackets, or not."""
    count = draw.choice((0, 1, 1, 2))
    return draw.choice((tuple(axes(draw, (count,))), axis(draw)))


def sources_and_targets(draw, x):
    chosen = order(draw, x)[: draw.choice((0, 1, 2))]
    return draw.choice((axes(draw, (2, 2, 2, 1)), [chosen, order(draw, x)[: len(chosen)]]))


def strided(draw, x):
    count = draw.choice((0, 1, 2, 3))
    given = [[draw.randint(0, 3) for _ in range(count)], tuple(draw.randint(-1, 3) for _ in range(count))]
    return given + [draw.randint(-1, 5) for _ in range(draw.choice((0, 0, 1)))]


#: By method: what a call may be given.
METHODS = {
    "view": sizes,
    "reshape": sizes,
    "permute": order,
    "expand": wider,
    "broadcast_to": wider,
    "transpose": lambda draw, x: axes(draw, (2, 2, 2, 1)),
    "swapaxes": lambda draw, x: axes(draw, (2, 2, 2, 1)),
    "swapdims": lambda draw, x: axes(draw, (2, 2, 2, 1)),
    "movedim": sources_and_targets,
    "moveaxis": sources_and_targets,
    "unsqueeze": lambda draw, x: axes(draw, (1, 1, 1, 0)),
    "squeeze": lambda draw, x: [several(draw, x) for _ in range(draw.choice((0, 1, 1, 1, 2)))],
    "select": lambda draw, x: axes(draw, (2, 2, 2, 3)),
    "narrow": lambda draw, x: [axis(draw), draw.randint(-4, 4), draw.randint(-1, 3)],
    "diagonal": lambda draw, x: axes(draw, (0, 1, 2, 3, 3)),
    "unfold": lambda draw, x: [axis(draw), draw.randint(-1, 4), draw.randint(-1, 3)],
    "flatten": lambda draw, x: axes(draw, (0, 1, 2)),
    "unflatten": lambda draw, x: [axis(draw), sizes(draw, x)],
    "as_strided": strided,
    "unbind": lambda draw, x: axes(draw, (0, 1, 1)),
    "split": lambda draw, x: axes(draw, (0, 1, 2, 2)),
    "chunk": lambda draw, x: axes(draw, (0, 1, 2, 2)),
    "size": lambda draw, x: axes(draw, (0, 1)),
    "stride": lambda draw, x: axes(draw, (0, 1)),
}
IN_BRACKETS = ("view", "reshape", "permute", "expand", "broadcast_to")
FUNCTIONS = [name for name in METHODS if hasattr(torch, name)]


def agree(x, function, *given):
    """Whether the call with these arguments, of which `x` may be one, gives the same on both ways."""
    long = [long_way(value) for value in given]
    assert outcome(function, *given) == outcome(function, *long), (function, given, facts(x))
    assert is_view(x, function, *given) == is_view(x, function, *long), (function, given, facts(x))


@pytest.mark.parametrize("name", METHODS)
def test_methods_agree(name):
    draw = random.Random(name)
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        given = METHODS[name](draw, x)
        if name in IN_BRACKETS and draw.random() < 0.4:
            given = [draw.choice((tuple, list, torch.Size))(given)]
        agree(x, getattr(x, name), *given)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_agree(name):
    draw = random.Random(name + " as a function")
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        given = METHODS[name](draw, x)
        if name in IN_BRACKETS:
            given = [draw.choice((tuple, list))(given)]
        agree(x, getattr(torch, name), x, *given)


def entry(draw):
    kind = draw.random()
    if kind < 0.35:
        return axis(draw)
    if kind < 0.8:
        bounds = [None if draw.random() < 0.4 else draw.randint(-5, 5) for _ in range(2)]
        return slice(*bounds, draw.choice((None, None, 1, 2, 3, -1, 0)))
    return draw.choice((None, ...))


def test_keys_agree():
    draw = random.Random("keys")
    for _ in range(20 * ROUNDS):
        x = random_tensor(draw)
        key = tuple(entry(draw) for _ in range(draw.choice((0, 1, 2, 2, 3, 4))))
        if len(key) == 1 and draw.random() < 0.5:
            key = key[0]
        if type(key) is int:  # is `select`, also in what it refuses
            assert outcome(operator.getitem, x, key) == outcome(x.select, 0, key)
        else:
            agree(x, operator.getitem, x, key)


def test_a_key_of_more_entries_or_axes_than_the_short_way_has_room_for():
    x = torch.arange(2**9).view([2] * 9)
    assert x[1:].shape == (1,) + (2,) * 8 and x[..., 0].stride() == x.stride()[:-1]
    y = torch.arange(2**7).view([2] * 7)
    assert y[None, None, 1].shape == (1, 1) + (2,) * 6 and y[None, None].shape == (1, 1) + (2,) * 7
    assert y[(None,) * 9].dim() == 16 and y[(0,) * 7].item() == 0
    assert x.view([2] * 8 + [1, 2]).dim() == 10 and x.permute(*range(9)).shape == x.shape


@pytest.mark.parametrize("key", [2**63, -(2**63) - 1, (0, 2**200), 1.5, "a", (0, "a"), (0, True, None)])
def test_keys_that_no_short_way_takes(key):
    x = torch.arange(6).view(2, 3)
    if key == (0, True, None):
        assert x[key].shape == (1, 1, 3)
        return
    with pytest.raises((IndexError, TypeError, RuntimeError)):
        x[key]
    with pytest.raises((IndexError, TypeError, RuntimeError)):
        x.select(0, 2**63)


@pytest.mark.parametrize("large", [2**31, 2**62, 2**63 - 1, -(2**63)])
def test_large_ints_agree(large):
    x = torch.arange(6).view(2, 3)
    for name, given in [("view", (large, 2)), ("permute", (0, large)), ("select", (0, large)), ("expand", (large, 3))]:
        agree(x, getattr(x, name), *given)
    for key in ((large,), slice(large), slice(large, None), slice(None, None, large), (slice(None), large)):
        agree(x, operator.getitem, x, key)
    agree(x, operator.add, x, large)
    agree(x, operator.mul, x.int(), large)


OPERATORS = [getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge")]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


def number(draw):
    large = (2**24 + 1, 2**31, 2**53 + 1, 1e300)
    return draw.choice((0, 1, -1, 2, 7, 255, 256, -300, 2.5, -0.0, 0.1, float("nan"), *large))


@pytest.mark.parametrize("operate", OPERATORS)
def test_arithmetic_with_a_number_agrees(operate):
    draw = random.Random(operate.__name__)
    for _ in range(ROUNDS):
        x, n = random_tensor(draw), number(draw)
        assert outcome(operate, x, n) == outcome(operate, x, long_way(n)), (n, facts(x))
        assert outcome(operate, n, x) == outcome(operate, long_way(n), x), (n, facts(x))


@pytest.mark.parametrize("operate", OPERATORS)
def test_arithmetic_of_two_tensors_agrees(operate):
    draw = random.Random(operate.__name__ + " two")
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        other = random_tensor(draw) if draw.random() < 0.3 else (x.flip(0) if x.dim() > 0 else x)
        short = outcome(operate, x, other)
        with torch.CopyLedger():
            assert short == outcome(operate, x, other), (facts(x), facts(other))


BY_NAME = ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "add_", "sub_", "mul_", "div_")


@pytest.mark.parametrize("name", BY_NAME)
def test_arithmetic_by_its_names_agrees(name):
    draw = random.Random(name)
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        other = draw.choice((number(draw), random_tensor(draw), x.clone(), x))
        short, long = x.clone(), x.clone()
        given = outcome(getattr(short, name), other)
        function = None if name.endswith("_") else outcome(getattr(torch, name), short, other)
        with torch.CopyLedger():
            assert given == outcome(getattr(long, name), long_way(other)), (facts(x), other)
        assert function in (None, given) and facts(short) == facts(long)


def test_methods_that_take_a_tensor_a_dtype_or_nothing_agree():
    draw = random.Random("tensors")
    for _ in range(ROUNDS):
        x, other = random_tensor(draw), random_tensor(draw)
        if draw.random() < 0.6 and x.numel() > 0:
            other = torch.empty(x.numel()).view(draw.choice(([-1], [1, -1], x.shape, x.shape[::-1])))
        calls = [("view_as", other), ("reshape_as", other), ("expand_as", other), ("ravel",), ("view", torch.int32)]
        calls += [("conj",), ("adjoint",), ("alias",), ("clone",), ("contiguous",), ("flatten",)]
        for name, *given in calls:
            short = outcome(getattr(x, name), *given)
            with torch.CopyLedger():
                assert short == outcome(getattr(x, name), *given), (name, facts(x), facts(other))
        assert facts(x.real) == facts(torch.real(x)) and outcome(getattr, x, "imag") == outcome(torch.imag, x)
        assert (x.real is x) == (x.conj() is x) == (not x.is_complex())
        assert (x.itemsize, x.nbytes, x.device) == (x.element_size(), x.numel() * x.dtype.itemsize, torch.device("cpu"))


@pytest.mark.parametrize("operate", IN_PLACE)
def test_arithmetic_in_place_agrees(operate):
    draw = random.Random(operate.__name__)
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        other = number(draw) if draw.random() < 0.5 else random_tensor(draw)
        short, long = x.clone(), x.clone()
        with_itself = draw.random() < 0.2
        given = outcome(operate, short, short if with_itself else other)
        with torch.CopyLedger():
            assert given == outcome(operate, long, long if with_itself else long_way(other)), (facts(x), other)
        assert facts(short) == facts(long)


def test_arithmetic_in_place_of_parts_that_overlap_or_may_not_be_written():
    x = torch.arange(10)
    y = x[1:]
    with pytest.raises(RuntimeError, match="must not share memory"):
        y += x[:-1]
    assert x.tolist() == list(range(10))
    frozen = torch.frombuffer(b"abcd", dtype=torch.uint8)
    with pytest.raises(torch.StorageError):
        frozen += 1
    x = torch.zeros(3)
    same = x
    x += 1
    assert x is same and same.tolist() == [1, 1, 1]


@pytest.mark.parametrize("count", [1, 63, 64, 255, 256, 257, 1000, 16383, 16384, 16385])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8])
def test_a_number_meets_every_element_of_rows_of_any_length(count, dtype):
    x = (torch.arange(count) % 100).to(dtype)
    assert (x + 7).tolist() == [value + 7 for value in x.tolist()]
    assert (7 - x.int()).tolist() == [7 - value for value in x.tolist()]
    assert (x < 50).tolist() == [value < 50 for value in x.tolist()]


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_factories_agree(name):
    factory = getattr(torch, name)
    draw = random.Random(name)
    assert torch.zeros(3, 2, dtype=torch.int16).dtype is torch.int16
    for _ in range(ROUNDS):
        given = axes(draw, (0, 1, 2, 3)) if draw.random() < 0.3 else [draw.randint(0, 5) for _ in range(3)]
        if draw.random() < 0.5:
            given = [draw.choice((tuple, list, torch.Size))(given)]
        keywords = {"dtype": draw.choice((torch.int8, torch.complex128, torch.bfloat16, float, None))}
        keywords = draw.choice(({}, {}, keywords, {"device": "meta"}, {"requires_grad": False}))

        short = outcome(factory, *given, **keywords)
        long = outcome(factory, *map(long_way, given), **keywords)
        if name == "empty" and len(short) == len(long) > 2:  # but for the elements
            short, long = short[:-1], long[:-1]
        assert short == long, (given, keywords)
    for value in (0, 3, -(2**40), 1.5, -0.0, float("inf")):
        for size in ((2, 3), [], (0,), (3,)):
            assert outcome(torch.full, size, value) == outcome(torch.full, size, long_way(value))
    assert torch.zeros(100, 100).sum() == 0 and torch.ones(10, 10).sum() == 100


def test_attributes_and_methods_without_arguments():
    draw = random.Random("attributes")
    for _ in range(ROUNDS):
        x = random_tensor(draw)
        backwards = list(range(x.dim()))[::-1]
        assert facts(x.T) == facts(x.permute(backwards))
        assert facts(x.detach()) == facts(x.data) == facts(x)
        assert x.contiguous().tolist() == x.clone().tolist() == x.tolist()
        with torch.CopyLedger():
            long = facts(x.contiguous()), facts(x.clone())
        assert (facts(x.contiguous()), facts(x.clone())) == long
        if x.dim() >= 2:
            assert facts(x.mT) == facts(x.transpose(-1, -2)) and facts(x.mH) == facts(x.mT.conj())
    scalar = torch.tensor(1.0)
    assert scalar.mT is scalar and scalar.H is scalar and scalar.T is not scalar
    x = torch.zeros(2, 3)
    assert x.contiguous() is x and x.T.contiguous() is not x.T and x.view(2, 3) is not x


def test_a_ledger_is_told_the_line_of_every_short_way():
    x = torch.arange(6).view(2, 3)
    with torch.CopyLedger() as ledger:
        x.T.contiguous()
        x + 1
        x.T.reshape(6)
        torch.zeros(2, 3)
    places = {entry["operation"]: entry["file"] for entry in ledger.entries}
    assert {"contiguous", "add", "reshape", "zeros"} <= set(places)
    assert all(place.endswith("test_quick.py") for place in places.values()), places
    with torch.NoCopy(), pytest.raises(torch.NoCopyError):
        x.T.contiguous()
    with torch.NoScramble(), pytest.raises(torch.ScrambleError):
        x.T.contiguous().view(2, 3).view(3, 2).view(2, 3)


# The objects in which tensors live.


def test_objects_that_live_again_are_as_new():
    gone = []
    x = torch.arange(6)
    y = x.view(2, 3)
    address = id(y)
    weak = weakref.ref(y, lambda _: gone.append(1))
    assert weak() is y
    del y
    assert weak() is None and gone == [1]
    z = x.view(3, 2)
    assert id(z) == address and weak() is None and weakref.getweakrefs(z) == []
    assert hash(z) == hash(z) and z.shape == (3, 2)


def test_more_tensors_than_are_kept():
    x = torch.arange(1000)
    for _ in range(3):
        many = [x[i] for i in range(1000)]
        assert [int(one) for one in many] == list(range(1000))
        del many[::2]
        many += [x[i:] for i in range(500)]
        assert [int(one[0]) for one in many[-500:]] == list(range(500))
    del many
    assert x.sum() == 499500


def test_refused_views_leave_nothing_behind():
    x = torch.arange(6)
    for _ in range(1000):
        with pytest.raises(RuntimeError):
            x.view(4)
    views = [x.view(2, 3) for _ in range(600)]
    assert all(view.shape == (2, 3) for view in views) and len({id(view) for view in views}) == 600


class Named(torch.Tensor):
    """One with attributes of its own, that the garbage collector sees."""


def test_derived_tensors_have_objects_of_their_own():
    one = Named([1.0, 2.0])
    one.label = "a"
    one.itself = one
    weak = weakref.ref(one)
    assert (one + 1).tolist() == [2, 3] and one[0].item() == 1 and one.view(2, 1).shape == (2, 1)
    del one
    gc.collect()
    assert weak() is None
    two = Named([3.0])
    assert not hasattr(two, "label") and two.tolist() == [3]


def test_the_last_of_a_foreign_array_may_make_and_free_tensors():
    made = []

    class Owner(bytearray):
        def __del__(self):
            made.extend(torch.arange(3)[i] for i in range(3))
            torch.zeros(2, 2)

    for _ in range(50):
        x = torch.frombuffer(Owner(b"abcd"), dtype=torch.uint8)
        view = x.view(2, 2)
        del x, view
    assert len(made) == 150 and [int(one) for one in made[:3]] == [0, 1, 2]


def test_shapes_known_already_are_right_after_changes_in_place():
    x = torch.arange(6)
    seen = []
    for sizes in [(6,), (2, 3), (3, 2), (1, 6), (6, 1)] * 40:
        x.resize_(sizes)
        seen.append(x.shape == sizes and type(x.shape) is torch.Size and type(x.stride()) is tuple)
    assert all(seen)
    for size in range(3000):
        y = torch.empty(0).as_strided((0, size), (size, 1))
        assert y.shape == (0, size) and y.stride() == (size, 1)
