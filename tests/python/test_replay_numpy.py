# SPDX-License-Identifier: Apache-2.0
"""NumPy's recorded answers, through `tenstride.numpy`: every chain, arguments by position and by name."""

from __future__ import annotations

import tenstride as torch
import tenstride.numpy as tnp
from replaying import DTYPES, Replay, assert_all_found, checksum, counting, differing
from test_replay_torch import key_of

CUT_SHORT = "a byte stride that is no multiple of the element, on an axis that moves nothing, is cut short"


def value_of(name, value):
    if name == "dtype":
        return DTYPES[value]
    return tuple(value) if isinstance(value, list) else value


def function(name, *parameters):
    """The arguments by position as far as they go without a gap, else by name."""
    callee = getattr(tnp, name)

    def run(x, args, number):
        for given in args:
            assert given in parameters or given == "copy", f"the argument {given} is not known here"
        positional, named = [], {}
        for at, parameter in enumerate(parameters):
            if parameter not in args:
                continue
            value = value_of(parameter, args[parameter])
            # The first one has NumPy's name; every second call says the others by theirs.
            if at > len(positional) or (number % 2 and at > 0):
                named[parameter] = value
            else:
                positional.append(value)
        if "copy" in args:
            named["copy"] = args["copy"]
        return callee(x, *positional, **named)

    return run


def joined(name):
    callee = getattr(tnp, name)
    return lambda x, args, number: callee([x] * args["n"], axis=args["axis"])


def dense(shape, axes, dtype):
    """Not initialised, with the last of the axes the fastest."""
    return torch.empty([shape[axis] for axis in axes], dtype=dtype).permute(
        [axes.index(axis) for axis in range(len(axes))]
    )


def axes_as_iterated(x):
    """From the slowest to the fastest as NumPy's iterator visits one array: it inserts axis by axis, from the
    fastest in row-major order, and stops at the first that steps less; what steps by 0 says nothing."""
    steps = [0 if size == 1 else abs(step) for size, step in zip(x.shape, x.stride())]
    fastest_first = []
    for axis in reversed(range(x.dim())):
        place = len(fastest_first)
        for at in reversed(range(len(fastest_first))):
            left = steps[fastest_first[at]]
            if left and steps[axis]:
                if left <= steps[axis]:
                    break
                place = at
        fastest_first.insert(place, axis)
    return fastest_first[::-1]


def add1(x, args, number):
    """x + 1, as NumPy lays it: arithmetic here lays its results as PyTorch does. NumPy takes a shortcut where
    the array is contiguous and keeps its type."""
    is_cast = x.dtype == torch.bool
    is_short = not is_cast and (x.dim() <= 1 or tnp.is_c_contiguous(x) or tnp.is_f_contiguous(x))
    if is_short:
        result = tnp.empty_like(x)
    elif x.numel() == 0:
        result = tnp.reshape(torch.empty(0, dtype=torch.int64 if is_cast else x.dtype), x.shape)
    else:
        result = dense(x.shape, axes_as_iterated(x), torch.int64 if is_cast else x.dtype)
    result.copy_(x.to(result.dtype) + 1)
    return result


OPERATIONS = {
    "T": lambda x, args, number: tnp.transpose(x),
    "mT": function("matrix_transpose"),
    "add1": add1,
    "index": lambda x, args, number: tnp.index(x, key_of(args["idx"])),
    "view_dtype": function("view", "dtype"),
    "asarray": lambda x, args, number: tnp.asarray(x, **args),
    "empty_like": lambda x, args, number: tnp.empty_like(x, **args),
    "concatenate": joined("concatenate"),
    "stack": joined("stack"),
}
for name, parameters in {
    "as_strided": ("shape", "strides"),
    "ascontiguousarray": (),
    "asfortranarray": (),
    "astype": ("dtype", "order"),
    "atleast_3d": (),
    "broadcast_to": ("shape",),
    "copy": ("order",),
    "diagonal": ("offset", "axis1", "axis2"),
    "expand_dims": ("axis",),
    "flatten": ("order",),
    "flip": ("axis",),
    "imag": (),
    "matrix_transpose": (),
    "moveaxis": ("source", "destination"),
    "ravel": ("order",),
    "real": (),
    "repeat": ("repeats", "axis"),
    "reshape": ("shape", "order"),
    "roll": ("shift", "axis"),
    "rollaxis": ("axis", "start"),
    "rot90": ("k", "axes"),
    "sliding_window_view": ("window_shape", "axis"),
    "squeeze": ("axis",),
    "swapaxes": ("axis1", "axis2"),
    "tile": ("reps",),
    "transpose": ("axes",),
}.items():
    OPERATIONS[name] = function(name, *parameters)


class NumpyReplay(Replay):
    operations = OPERATIONS

    def start(self, init):
        count = 1
        for size in init["shape"]:
            count *= size
        # A copy: NumPy's fresh arrays without elements have strides 0.
        counted = tnp.copy(counting(count, DTYPES[init["dtype"]]))
        return tnp.reshape(counted, tuple(init["shape"]), init["order"])

    def compare(self, meta, x, source, first, op):
        storage = x.untyped_storage()
        is_rooted = storage == first.untyped_storage() and x.numel() != 0
        facts = differing(
            {**meta, "strides": self.strides(meta, x)},
            {
                "shape": list(x.shape),
                "strides": list(tnp.strides(x)),
                "dtype": str(x.dtype)[6:],
                "c": tnp.is_c_contiguous(x),
                "f": tnp.is_f_contiguous(x),
                "writeable": not x.is_read_only,
                "alias": source is not None and storage == source.untyped_storage(),
                "self": x is source,
                "off": x.storage_offset() * x.element_size() if is_rooted else None,
            },
        )
        if not facts and meta["crc"] is not None and checksum(x) != meta["crc"]:
            facts.append(("crc", meta["crc"], checksum(x)))
        return facts

    @staticmethod
    def strides(meta, x):
        """NumPy counts strides in bytes, a layout in elements."""
        width = x.element_size()
        moves = [x.numel() != 0 and size != 1 for size in meta["shape"]]
        return [
            step if moving or step % width == 0 else int(step / width) * width
            for step, moving in zip(meta["strides"], moves)
        ]

    def deviates(self, meta, x):
        return CUT_SHORT if self.strides(meta, x) != meta["strides"] else None

    def error_name(self, error):
        return "AxisError" if isinstance(error, tnp.AxisError) else super().error_name(error)


def test_numpys_answers_agree():
    report = NumpyReplay().run("numpy.jsonl.gz")
    report.assert_clean(26190)
    assert report.deviations == {CUT_SHORT: 9}


def test_falsified_answers_are_found():
    assert_all_found(NumpyReplay(), "doctored-numpy.jsonl")
