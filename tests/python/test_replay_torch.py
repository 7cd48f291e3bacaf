# SPDX-License-Identifier: Apache-2.0
"""PyTorch's recorded answers, through the package: every chain, called in the ways PyTorch takes.

A call is spelled in four ways, by turns: `x.permute(0, 2, 1)`, `x.permute((0, 2, 1))`,
`x.permute(dims=[0, 2, 1])` and, where there is such a function, `torch.permute(x, (0, 2, 1))`.
"""

from __future__ import annotations

import numpy
import pytest
import tenstride as torch
from replaying import (
    AS_INTEGERS,
    DTYPES,
    Deviation,
    Replay,
    assert_all_found,
    checksum,
    counting,
    differing,
)

FORMATS = {
    "contiguous": torch.contiguous_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
    "preserve": torch.preserve_format,
}
SPELLED_OUT, TUPLES, NAMES, FUNCTION = range(4)


def value_of(name, value, sequence=tuple):
    if name == "dtype":
        return DTYPES[value]
    if name == "memory_format":
        return FORMATS[value]
    return sequence(value) if isinstance(value, list) else value


def called(callee, parameters, args, style, spread, names_only):
    """Calls with the recorded arguments in one of the ways."""
    positional, named = [], {}
    for name in args:
        assert name in parameters or name in names_only, f"the argument {name} is not known here"
    for at, name in enumerate(parameters):
        if name not in args:
            continue
        by_name = style == NAMES or at > len(positional)
        if by_name:
            named[name] = value_of(name, args[name], list)
        elif spread and style == SPELLED_OUT and args[name]:
            positional += args[name]
        else:
            positional.append(value_of(name, args[name]))
    for name in names_only:
        if name in args:
            named[name] = value_of(name, args[name])
    return callee(*positional, **named)


def method(name, *parameters, spread=False, also_function=True, names_only=()):
    function = getattr(torch, name, None) if also_function else None
    assert function or not also_function, name

    def run(x, args, number):
        style = number % 4
        if style == FUNCTION and function is not None:
            return called(lambda *a, **k: function(x, *a, **k), parameters, args, style, False, names_only)
        return called(getattr(x, name), parameters, args, style, spread, names_only)

    return run


def only_method(name, *parameters, **how):
    return method(name, *parameters, also_function=False, **how)


def function(name, *parameters, names_only=(), home=torch):
    callee = getattr(home, name)

    def run(x, args, number):
        return called(lambda *a, **k: callee(x, *a, **k), parameters, args, number % 3, False, names_only)

    return run


def attribute(name):
    return lambda x, args, number: getattr(x, name)


def resolved(operation):
    """The recording holds complex results with the conjugation carried out."""
    return lambda x, args, number: operation(x, args, number).resolve_conj()


def at_or_in(name):
    """A number splits into sections, a list at indices."""

    def run(x, args, number):
        value = args.get("v", args.get("sections", args.get("indices")))
        value = tuple(value) if isinstance(value, list) else value
        rest = {"dim": args["dim"]} if "dim" in args else {}
        if number % 2:
            return getattr(torch, name)(x, value, **rest)
        return getattr(x, name)(value, *rest.values())

    return run


def joined(name):
    return lambda x, args, number: getattr(torch, name)([x] * args["n"], dim=args["dim"])


def key_of(entries):
    """What stands in brackets."""
    kinds = {"i": lambda n: n, "s": slice, "n": lambda: None, "e": lambda: ...}
    return tuple(kinds[kind](*values) for kind, *values in entries)


def index(x, args, number):
    key = key_of(args["idx"])
    if not any(isinstance(entry, slice) and entry.step is not None and entry.step < 0 for entry in key):
        return x[key[0] if len(key) == 1 and number % 2 else key]
    # PyTorch refuses negative steps; the package gives NumPy's view.
    try:
        came = x[key]
    except IndexError as error:
        raise Deviation(WRONG_ELSEWHERE, ("IndexError", "ValueError")) from error
    same = x.view(AS_INTEGERS.get(x.dtype, x.dtype))
    wanted = numpy.asarray(same)[key]
    assert came.shape == wanted.shape
    if came.numel():
        steps = [step * came.element_size() for step in came.stride()]
        assert all(size == 1 or a == b for size, a, b in zip(came.shape, steps, wanted.strides))
    assert came.untyped_storage() == x.untyped_storage()
    assert numpy.asarray(same[key]).tobytes() == wanted.tobytes()
    raise Deviation(NEGATIVE_STEP, ("ValueError",))


def add_permuted(x, args, number):
    """x and a tensor of its shape that is contiguous once its axes stand in the recorded order."""
    dims = args["dims"]
    other = counted([x.shape[dim] for dim in dims], x.dtype)
    return x + other.permute([dims.index(axis) for axis in range(x.dim())])


def counted(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return counting(count, dtype, period=7).view(list(shape))


OPERATIONS = {
    "abs": lambda x, args, number: torch.abs(x) if number % 2 else x.abs(),
    "add_scalar": lambda x, args, number: torch.add(x, args["value"]) if number % 2 else x + args["value"],
    "add_permuted": add_permuted,
    "add_rowvec": lambda x, args, number: x + counted(x.shape[-1:], x.dtype),
    "T": attribute("T"),
    "mT": attribute("mT"),
    "H": resolved(attribute("H")),
    "mH": resolved(attribute("mH")),
    "imag": attribute("imag"),
    "real": lambda x, args, number: torch.real(x) if number % 2 else x.real,
    "adjoint": resolved(method("adjoint")),
    "index": index,
    "squeeze.dim": method("squeeze", "dim"),
    "squeeze.dims": method("squeeze", "dim"),
    "view.dtype": only_method("view", "dtype"),
    "tensor_split.sections": at_or_in("tensor_split"),
    "tensor_split.indices": at_or_in("tensor_split"),
    "hsplit": at_or_in("hsplit"),
    "vsplit": at_or_in("vsplit"),
    "dsplit": at_or_in("dsplit"),
    "cat": joined("cat"),
    "stack": joined("stack"),
    "linalg_diagonal": function("diagonal", names_only=("offset", "dim1", "dim2"), home=torch.linalg),
    "to": only_method("to", "dtype", names_only=("memory_format", "copy")),
    "clone": method("clone", names_only=("memory_format",)),
    "contiguous": only_method("contiguous", "memory_format"),
    "empty_like": function("empty_like", names_only=("memory_format",)),
    "expand": only_method("expand", "size", spread=True),
    "view": only_method("view", "size", spread=True),
    "repeat": only_method("repeat", "repeats", spread=True),
    "unfold": only_method("unfold", "dimension", "size", "step"),
}
for name, parameters in {
    "alias": (),
    "detach": (),
    "t": (),
    "fliplr": (),
    "flipud": (),
    "ravel": (),
    "squeeze": (),
    "transpose": ("dim0", "dim1"),
    "swapaxes": ("axis0", "axis1"),
    "swapdims": ("dim0", "dim1"),
    "movedim": ("source", "destination"),
    "moveaxis": ("source", "destination"),
    "unsqueeze": ("dim",),
    "as_strided": ("size", "stride", "storage_offset"),
    "broadcast_to": ("size",),
    "select": ("dim", "index"),
    "narrow": ("dim", "start", "length"),
    "slice": ("dim", "start", "end", "step"),
    "diagonal": ("offset", "dim1", "dim2"),
    "unflatten": ("dim", "sizes"),
    "flatten": ("start_dim", "end_dim"),
    "unbind": ("dim",),
    "split": ("split_size", "dim"),
    "split_with_sizes": ("split_sizes", "dim"),
    "chunk": ("chunks", "dim"),
    "rot90": ("k", "dims"),
    "roll": ("shifts", "dims"),
    "repeat_interleave": ("repeats", "dim"),
    "narrow_copy": ("dim", "start", "length"),
}.items():
    OPERATIONS[name] = method(name, *parameters)
for name, parameter in {"permute": "dims", "reshape": "shape", "flip": "dims", "tile": "dims"}.items():
    OPERATIONS[name] = method(name, parameter, spread=True)
for name, parameters in {
    "atleast_1d": (),
    "atleast_2d": (),
    "atleast_3d": (),
    "view_as_real": (),
    "view_as_complex": (),
    "alias_copy": (),
    "detach_copy": (),
    "squeeze_copy": (),
    "t_copy": (),
    "view_as_real_copy": (),
    "view_as_complex_copy": (),
    "as_strided_copy": ("size", "stride", "storage_offset"),
    "diagonal_copy": ("offset", "dim1", "dim2"),
    "expand_copy": ("size",),
    "permute_copy": ("dims",),
    "select_copy": ("dim", "index"),
    "slice_copy": ("dim", "start", "end", "step"),
    "split_copy": ("split_size", "dim"),
    "split_with_sizes_copy": ("split_sizes", "dim"),
    "transpose_copy": ("dim0", "dim1"),
    "unbind_copy": ("dim",),
    "unfold_copy": ("dimension", "size", "step"),
    "unsqueeze_copy": ("dim",),
    "view_copy": ("size",),
}.items():
    OPERATIONS[name] = function(name, *parameters)


class TorchReplay(Replay):
    operations = OPERATIONS

    def start(self, init):
        assert init["fill"] == "arange113"
        return counted(init["shape"], DTYPES[init["dtype"]])

    def compare(self, meta, x, source, first, op):
        storage = x.untyped_storage()
        came = {
            "shape": list(x.shape),
            "strides": list(x.stride()),
            "offset": x.storage_offset(),
            "dtype": str(x.dtype)[6:],
            "contig": [
                x.is_contiguous(),
                x.is_contiguous(memory_format=torch.channels_last),
                x.is_contiguous(memory_format=torch.channels_last_3d),
            ],
            "dense": torch.is_non_overlapping_and_dense(x),
            "alias": source is not None and storage == source.untyped_storage(),
            "self": x is source,
            "root": storage == first.untyped_storage(),
            "nbytes": storage.nbytes(),
        }
        facts = differing(meta, came)
        if not facts and meta["crc"] is not None and checksum(x) != meta["crc"]:
            facts.append(("crc", meta["crc"], checksum(x)))
        return facts


# PyTorch refuses a negative step; what the package gives instead is compared with NumPy's array.
NEGATIVE_STEP = "a negative step gives NumPy's view, where PyTorch refuses it"
WRONG_ELSEWHERE = "a key with a negative step that is wrong elsewhere too is an IndexError"


@pytest.mark.parametrize(
    ("name", "steps", "deviations"),
    [
        ("torch-1.jsonl.gz", 48321, {NEGATIVE_STEP: 40, WRONG_ELSEWHERE: 3}),
        ("torch-2.jsonl.gz", 48236, {NEGATIVE_STEP: 31, WRONG_ELSEWHERE: 2}),
        ("torch-elementwise.jsonl.gz", 7200, {}),
    ],
)
def test_pytorchs_answers_agree(name, steps, deviations):
    report = TorchReplay().run(name)
    report.assert_clean(steps)
    assert report.deviations == deviations


def test_falsified_answers_are_found():
    assert_all_found(TorchReplay(), "doctored.jsonl")
