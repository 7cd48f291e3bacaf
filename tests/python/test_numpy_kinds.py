# SPDX-License-Identifier: Apache-2.0
"""`tenstride.numpy` with arguments that nobody should give: what NumPy itself gives, or its kind of exception."""

from __future__ import annotations

import types
import warnings

import numpy
import pytest
import tenstride as torch
import tenstride.numpy as tnp

KINDS = (tnp.AxisError, IndexError, ValueError, TypeError, OverflowError)

# What stands for V: an axis, a size, a number of repeats, a shift, an index, a value.
VALUES = """
2**31 2**62 2**63-1 2**63 -2**63 -2**63-1 2**64 2**100 -2**100 -1 -5 True False None object() [True] (True,) () []
(None,) (2**64,) (-2**100,) (0,0) (5,) (0,)*65 (None,)*65 range(2) np.int64(1) np.uint8(1) np.array(1)
"""
CALLS = """
reshape(x, V); reshape(x, (V, -1)); reshape(x, (2, V)); reshape(x, V, 'F'); broadcast_to(x, V); broadcast_to(x, (V, 3))
transpose(x, V); transpose(x, (V, 0)); swapaxes(x, V, 0); swapaxes(x, 0, V); moveaxis(x, V, 0); moveaxis(x, 0, V)
moveaxis(x, (0, 1), V); rollaxis(x, V); rollaxis(x, 0, V); expand_dims(x, V); expand_dims(x, (V, 0)); squeeze(o, V)
squeeze(o, (V, 0)); diagonal(x, V); diagonal(x, 0, V, 1); diagonal(x, 0, 0, V); flip(x, V); flip(x, (V, 0)); rot90(x, V)
rot90(x, 1, (V, 0)); sliding_window_view(x, V); sliding_window_view(x, V, 0)
sliding_window_view(x, 1, V); sliding_window_view(x, (1, V)); index(x, V); index(x, (V,)); index(x, (0, V))
index(x, (None, V)); index(x, slice(V)); index(x, slice(V, None)); index(x, slice(None, None, V))
concatenate([x, x], V); stack([x, x], V); tile(x, V); tile(x, (V, 1)); repeat(x, V); repeat(x, V, 0); repeat(x, 2, V)
roll(x, V); roll(x, V, 0); roll(x, 1, V); roll(x, (V, 1), (0, 1)); roll(x, (1, 1), (V, 1)); roll(e, V)
copyto(x, V); copyto(f, V); copyto(i, V); copyto(b, V); copyto(r, V); copyto(V, x)
""".replace("\n", ";")
NUMPY = types.SimpleNamespace(
    **{name: getattr(numpy, name) for name in tnp.__all__ if hasattr(numpy, name)},
    index=lambda a, key: a[key],
    sliding_window_view=numpy.lib.stride_tricks.sliding_window_view,
)


def outcome(call, functions, wrap):
    """What a call gives and leaves, or the kinds of its exception."""
    names = {
        "np": numpy,
        "x": wrap(numpy.arange(6).reshape(2, 3)),
        "o": wrap(numpy.zeros((1, 1, 3))),
        "e": wrap(numpy.zeros((0, 3))),
        **{name: wrap(numpy.zeros((2, 3), dtype)) for name, dtype in (("f", "f4"), ("i", "i1"), ("b", "?"))},
        "r": functions.broadcast_to(wrap(numpy.zeros(3)), (2, 3)),
    }
    try:
        result = eval(f"functions.{call}", {**names, "functions": functions})
    except MemoryError:
        return "memory"
    except (*KINDS, RuntimeError) as error:
        if "memory that can be had" in str(error):
            return "memory"
        kinds = tuple(kind for kind in KINDS if isinstance(error, kind))
        return "AxisError" if isinstance(error, numpy.exceptions.AxisError) else kinds
    left = {name: numpy.asarray(names[name]).tolist() for name in "xfib"}
    return (None if result is None else numpy.asarray(result).tolist(), left)


def agrees(call, theirs, ours):
    if theirs == "AxisError":
        return tnp.AxisError in ours
    if isinstance(theirs, tuple) and theirs and isinstance(theirs[0], type):
        # NumPy's axes are ints of C: one beyond them is an overflow there, and no axis here.
        is_axis = theirs == (OverflowError,) and (tnp.AxisError in ours or call.startswith("diagonal"))
        return is_axis or all(kind in ours for kind in theirs)
    return theirs == ours


def is_left_out(call, value):
    """Sequences among sequences, what the documentation says is different, and what is NumPy's own mistake."""
    function = call.partition("(")[0]
    is_sequence = value[0] in "[(" or value == "range(2)"
    is_entry = ("V," in call and "(V," in call) or ", V)," in call or ", V))" in call
    if is_sequence and (
        is_entry or function in ("repeat", "copyto") or ("65" in value and function in ("roll", "tile"))
    ):
        return True
    if value == "(None,)*65":
        return function in ("broadcast_to", "tile")  # refused by the entries, or by their number
    if function == "index":  # views alone; NumPy has an OverflowError for 2**63 alone
        return is_sequence or value in ("True", "False", "2**63")
    if function == "sliding_window_view":  # too few sizes, or not ints
        return value in ("True", "False") or is_sequence
    if function in ("squeeze", "expand_dims") and value in ("[]", "range(2)"):
        return True  # NumPy wants a tuple
    return (function, value) in {
        ("rot90", "True"),
        ("rot90", "False"),
        ("transpose", "2**63-1"),  # NumPy takes it for -1
        ("repeat", "-2**63"),  # and this for 0
        ("reshape", "None"),  # deprecated
        ("copyto", "2**63"),  # an OverflowError even where no int can go
    }


@pytest.mark.parametrize("value", VALUES.split())
@pytest.mark.filterwarnings("ignore")
def test_is_what_numpy_gives(value):
    wrong = []
    for call in filter(None, map(str.strip, CALLS.split(";"))):
        if is_left_out(call, value):
            continue
        written = call.replace("V", value)
        theirs = outcome(written, NUMPY, lambda array: array)
        ours = outcome(written, tnp, torch.from_numpy)
        if not agrees(call, theirs, ours):
            wrong.append(f"{written}\n  NumPy:     {theirs}\n  tenstride: {ours}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex128"])
def test_dtypes_are_taken_as_numpy_takes_them(name):
    array = numpy.arange(6, dtype="int32").reshape(2, 3)
    x = torch.from_numpy(array)
    for dtype in (
        numpy.dtype(name),
        numpy.dtype(name).type,
        name,
        numpy.dtype(name).newbyteorder(),
        getattr(torch, name),
    ):
        for function in (tnp.astype, tnp.asarray, tnp.ascontiguousarray, tnp.empty_like):
            assert function(x, dtype).dtype == getattr(torch, name), (function, dtype)
        numpy.testing.assert_array_equal(numpy.asarray(tnp.astype(x, dtype)), array.astype(name))
        assert torch.astype(array, dtype).dtype == name
        assert torch.convert(array, "a b -> b a", dtype=dtype).dtype == name
    number = {"bool": bool, "int64": int, "float64": float, "complex128": complex}.get(name)
    if number is not None:
        assert tnp.astype(x, number).dtype == getattr(torch, name)


def test_no_dtype_is_float64_as_in_numpy():
    x = torch.arange(3)
    assert tnp.astype(x, None).dtype == torch.float64
    assert tnp.view(x, None).dtype == torch.float64
    assert tnp.asarray(x, None) is x


@pytest.mark.parametrize(
    "dtype", ["U5", "datetime64[s]", numpy.dtype("O"), numpy.dtype("i4,f8"), "nonsense", 5, [], object()]
)
def test_other_dtypes_are_a_type_error(dtype):
    with pytest.raises(TypeError, match="dtype must be one of tenstride's types"):
        tnp.astype(torch.arange(3), dtype)


def test_one_axis_more_than_64_is_an_index_error():
    x = torch.arange(3)
    assert tnp.index(x, (None,) * 63).dim() == 64
    with pytest.raises(IndexError) as refused:
        tnp.index(x, (None,) * 64)
    assert str(refused.value) == "index: the result must have at most 64 axes, not 65 (shape (3))"


def test_shifts_of_any_size_roll():
    array = numpy.arange(12).reshape(3, 4)
    x = torch.from_numpy(array)
    for shift in (2**100, -(2**100), 2**63, -(2**63), 12345678901234567890123):
        numpy.testing.assert_array_equal(numpy.asarray(tnp.roll(x, shift)), numpy.roll(array, shift))
        for axis in (0, 1, (0, 1), (1, 1)):
            numpy.testing.assert_array_equal(numpy.asarray(tnp.roll(x, shift, axis)), numpy.roll(array, shift, axis))
        numpy.testing.assert_array_equal(numpy.asarray(tnp.rot90(x, shift)), numpy.rot90(array, shift))


def test_a_destination_that_must_not_be_written_is_a_value_error():
    with pytest.raises(ValueError) as refused:
        tnp.copyto(tnp.broadcast_to(torch.zeros(3), (2, 3)), 1)
    assert str(refused.value) == "copyto: the destination must not be read-only (shape (2,3))"


@pytest.mark.parametrize(
    "value", [1, -1, 127, 128, 255, 256, 2**31, 2**63, 2**64, 2**100, 1.5, 1e300, float("nan"), 2j, True]
)
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64"]
)
def test_a_number_is_assigned_as_numpy_assigns_it(dtype, value):
    array = numpy.zeros(2, dtype)
    x = torch.from_numpy(numpy.zeros(2, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow of a cast
        try:
            numpy.copyto(array, value)
        except (TypeError, OverflowError) as error:
            # No int goes into a bool; NumPy meets those beyond 64 bits first.
            kinds = (TypeError, OverflowError) if dtype == "bool" else type(error)
            with pytest.raises(kinds):
                tnp.copyto(x, value)
            return
    tnp.copyto(x, value)
    numpy.testing.assert_array_equal(numpy.asarray(x), array)
