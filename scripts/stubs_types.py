# SPDX-License-Identifier: Apache-2.0
"""The types that the table of operations does not tell: of parameters by their names, of results by the operation.

Aliases (`_Int`, `_Sizes`, …) stand at the head of the stub; builtins are written out, because the package has dtypes
called `int`, `float` and `bool`.
"""

from __future__ import annotations

HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.py; a test holds it against the extension.
import builtins
import os
from collections.abc import Iterator, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Final, Literal, SupportsIndex, overload

from numpy.typing import NDArray
from typing_extensions import CapsuleType, Self, TypeAlias, disjoint_base

from tenstride import _return_types
from tenstride._size import Size as Size

_Int: TypeAlias = SupportsIndex
_Sizes: TypeAlias = Sequence[SupportsIndex]
_Number: TypeAlias = builtins.int | builtins.float | builtins.complex
_Operand: TypeAlias = Tensor | _Number
_DType: TypeAlias = (
    dtype | type[builtins.bool] | type[builtins.int] | type[builtins.float] | type[builtins.complex]
)
_TensorDType: TypeAlias = dtype
_Device: TypeAlias = device | builtins.str
_TensorDevice: TypeAlias = device
_Format: TypeAlias = memory_format
_Path: TypeAlias = builtins.str | os.PathLike[builtins.str] | builtins.bytes
_Entry: TypeAlias = (
    SupportsIndex | builtins.slice | EllipsisType | Tensor | Sequence[Any] | NDArray[Any] | None
)
_Entries: TypeAlias = _Entry | tuple[_Entry, ...]
"""

# By the parameter's name; what is not here is an error of the generator.
PARAMETERS = {
    "alpha": "_Number",
    "atol": "builtins.float",
    "axis0": "_Int",
    "axis1": "_Int",
    "chunks": "_Int",
    "condition": "Tensor",
    "copy": "builtins.bool | None",
    "data": "Any",
    "destination": "_Int | _Sizes",
    "device": "_Device",
    "diagonal": "_Int",
    "dim": "_Int",
    "dim0": "_Int",
    "dim1": "_Int",
    "dim2": "_Int",
    "dimension": "_Int",
    "dims": "_Sizes",
    "dtype": "_DType",
    "end": "_Number",
    "end_dim": "_Int",
    "exponent": "_Operand",
    "fill_value": "_Number",
    "high": "_Int",
    "index": "_Int",
    "indexing": 'Literal["ij", "xy"]',
    "indices_or_sections": "_Int | _Sizes",
    "input": "_Operand",
    "k": "_Int",
    "keepdim": "builtins.bool",
    "length": "_Int",
    "low": "_Int",
    "m": "_Int",
    "max": "_Operand",
    "memory_format": "_Format",
    "min": "_Operand",
    "n": "_Int",
    "non_blocking": "builtins.bool",
    "offset": "_Int",
    "other": "_Operand",
    "pattern": "builtins.str",
    "reduction": "builtins.str",
    "repeats": "_Sizes",
    "requires_grad": "builtins.bool",
    "rounding_mode": 'Literal["trunc", "floor"]',
    "rtol": "builtins.float",
    "s": "_Number",
    "shape": "_Sizes",
    "shapes": "_Sizes",
    "shifts": "_Int | _Sizes",
    "size": "_Sizes",
    "sizes": "_Sizes",
    "source": "_Int | _Sizes",
    "split_size": "_Int | _Sizes",
    "split_sizes": "_Sizes",
    "src": "Tensor",
    "start": "_Number",
    "start_dim": "_Int",
    "step": "_Number",
    "steps": "_Int",
    "storage_offset": "_Int",
    "stride": "_Sizes",
    "tensor": "Tensor",
    "tensors": "Sequence[Tensor]",
    "the_template": "Tensor",
    "type1": "_DType",
    "type2": "_DType",
    "value": "_Number",
}

# Where an operation means something else by the name.
OF_OPERATION = {
    **{(name, "dim"): "_Int | _Sizes" for name in ("sum", "mean", "amax", "amin", "squeeze", "squeeze_copy")},
    **{(name, "dims"): "_Int | _Sizes" for name in ("roll",)},
    **{(name, "size"): "_Int" for name in ("unfold", "unfold_copy")},
    **{(name, "step"): "_Int" for name in ("unfold", "unfold_copy", "slice", "slice_copy")},
    **{(name, "start"): "_Int" for name in ("narrow", "narrow_copy", "slice", "slice_copy")},
    **{(name, "end"): "_Int" for name in ("slice", "slice_copy")},
    **{(name, "other"): "Tensor" for name in ("view_as", "reshape_as", "expand_as", "equal", "allclose", "max", "min")},
    ("repeat_interleave", "repeats"): "_Int | Tensor",
    **{(name, "device"): "_Device | _Int" for name in ("cuda", "xpu")},
    ("split_copy", "split_size"): "_Int",
    ("set_", "source"): "Tensor | TypedStorage | UntypedStorage",
}

TENSORS = "tuple[Tensor, ...]"
_SEVERAL = (
    "broadcast_tensors chunk dsplit hsplit meshgrid split split_copy split_with_sizes split_with_sizes_copy "
    "tensor_split unbind unbind_copy vsplit"
)
_INTS = "data_ptr dim element_size itemsize nbytes ndim ndimension nelement numel storage_offset"
_ANSWERS = (
    "allclose equal is_complex is_conj is_contiguous is_floating_point is_meta is_non_overlapping_and_dense "
    "is_pinned is_set_to requires_grad"
)
RESULTS = {
    **dict.fromkeys(_SEVERAL.split(), TENSORS),
    **dict.fromkeys(_INTS.split(), "builtins.int"),
    **dict.fromkeys(_ANSWERS.split(), "builtins.bool"),
    "broadcast_shapes": "Size",
    "device": "_TensorDevice",
    "dtype": "_TensorDType",
    "item": "Any",
    "promote_types": "dtype",
    "shape": "Size",
    "storage": "TypedStorage",
    "tolist": "Any",
    "untyped_storage": "UntypedStorage",
}

_MADE = "*, dtype: _DType | None = None, device: _Device | None = None, requires_grad: builtins.bool | None = None"
_CONVERTED = "non_blocking: builtins.bool | None = None, copy: builtins.bool | None = None"
_FORMAT = "memory_format: _Format | None = None"

# Overloads that no rule makes: parameters without the tensor, and what comes back.
OVERLOADS = {
    "view": [
        ("dtype: _DType, /", "Tensor"),
        ("*size: _Int", "Tensor"),
        ("size: _Sizes", "Tensor"),
        ("*, dtype: _DType", "Tensor"),
    ],
    "view_copy": [("size: _Sizes", "Tensor"), ("size: _DType", "Tensor"), ("*, dtype: _DType", "Tensor")],
    "size": [("dim: None = None", "Size"), ("dim: _Int", "builtins.int")],
    "stride": [("dim: None = None", "tuple[builtins.int, ...]"), ("dim: _Int", "builtins.int")],
    "type": [("dtype: None = None", "builtins.str"), ("dtype: _DType", "Tensor")],
    "to": [
        (f"dtype: _DType, {_CONVERTED}, *, {_FORMAT}", "Tensor"),
        (f"device: _Device, dtype: _DType | None = None, {_CONVERTED}, *, {_FORMAT}", "Tensor"),
        (f"other: Tensor, {_CONVERTED}, *, {_FORMAT}", "Tensor"),
        (
            f"*, dtype: _DType | None = None, device: _Device | None = None, {_CONVERTED}, {_FORMAT}",
            "Tensor",
        ),
    ],
    "arange": [
        (f"end: _Number, {_MADE}", "Tensor"),
        (f"start: _Number, end: _Number, step: _Number = 1, {_MADE}", "Tensor"),
    ],
    "randint": [
        (f"high: _Int, size: _Sizes, {_MADE}", "Tensor"),
        (f"low: _Int, high: _Int, size: _Sizes, {_MADE}", "Tensor"),
    ],
    **{
        name: [
            ("other: Tensor, /", "Tensor"),
            ("dim: None = None, keepdim: None = None", "Tensor"),
            ("dim: builtins.int, keepdim: builtins.bool | None = None", f"_return_types.{name}"),
            ("*, other: Tensor", "Tensor"),
        ]
        for name in ("max", "min")
    },
    **{
        name: [
            ("tensor: Tensor, /", "Tensor"),
            ("tensors: Sequence[Tensor], /", TENSORS),
            ("*tensors: Tensor", TENSORS),
        ]
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
    },
}

_ARITHMETIC = "add sub mul truediv floordiv mod pow and or xor"
SLOTS = {
    **{f"__{name}__": "(self, value: _Operand, /) -> Tensor" for name in _ARITHMETIC.split()},
    **{f"__r{name}__": "(self, value: _Operand, /) -> Tensor" for name in _ARITHMETIC.split()},
    **{f"__i{name}__": "(self, value: _Operand, /) -> Self" for name in _ARITHMETIC.split()},
    "__pow__": "(self, value: _Operand, mod: None = None, /) -> Tensor",
    "__rpow__": "(self, value: _Operand, mod: None = None, /) -> Tensor",
    **{f"__{name}__": "(self) -> Tensor" for name in ("neg", "abs", "invert")},
    "__pos__": "(self) -> Self",
    **{f"__{name}__": "(self, value: _Operand, /) -> Tensor" for name in ("lt", "le", "gt", "ge")},
    **{f"__{name}__": "(self, value: Any, /) -> Tensor: ...  # type: ignore[override]" for name in ("eq", "ne")},
    "__ipow__": "(self, value: _Operand, /) -> Self: ...  # type: ignore[misc]",
    "__hash__": "(self) -> builtins.int",
    "__len__": "(self) -> builtins.int",
    "__bool__": "(self) -> builtins.bool",
    "__int__": "(self) -> builtins.int",
    "__float__": "(self) -> builtins.float",
    "__index__": "(self) -> builtins.int",
    "__iter__": "(self) -> Iterator[Tensor]",
    "__contains__": "(self, key: _Operand, /) -> builtins.bool",
    "__getitem__": "(self, key: _Entries, /) -> Tensor",
    "__setitem__": "(self, key: _Entries, value: Any, /) -> None",
}

# Signatures of nanobind's functions whose types C++ does not tell.
SIGNATURES = {
    "as_tensor": "(data: Any, dtype: dtype | None = None, device: _Device | None = None) -> Tensor",
    "asarray": (
        "(obj: Any, *, dtype: dtype | None = None, device: _Device | None = None, "
        "copy: builtins.bool | None = None, requires_grad: builtins.bool = False) -> Tensor"
    ),
    "from_dlpack": ("(ext_tensor: Any, *, device: _Device | None = None, copy: builtins.bool | None = None) -> Tensor"),
    "frombuffer": (
        "(buffer: Any, *, dtype: dtype, count: builtins.int = -1, offset: builtins.int = 0, "
        "requires_grad: builtins.bool = False) -> Tensor"
    ),
    "from_numpy": "(ndarray: NDArray[Any]) -> Tensor",
    "load": "(path: _Path) -> Tensor",
    "memmap": (
        '(path: _Path, mode: Literal["r", "r+", "c"] = "r", *, dtype: dtype | None = None, '
        "shape: _Int | _Sizes | None = None, offset: builtins.int = 0) -> Tensor"
    ),
    "save": (
        "(path: _Path, tensor: Tensor, *, overwrite: builtins.bool = False, "
        "fortran_order: builtins.bool = False) -> None"
    ),
    "CopyLedger.__enter__": "(self) -> Self",
    "CopyLedger.entries": "(self) -> list[dict[builtins.str, Any]]",
    "CopyLedger.totals": "(self) -> dict[builtins.str, Any]",
    **{f"{name}.__enter__": "(self) -> Self" for name in ("NoCopy", "NoCopy.Allow", "NoScramble", "NoScramble.Allow")},
    **{
        f"Lazy.{name}": "(self, *args: _Int | _Sizes) -> Lazy"
        for name in ("expand", "flip", "permute", "reshape", "view")
    },
    "Explanation.value": "(self) -> Any",
    "Tensor.__array__": ("(self, dtype: Any = None, copy: builtins.bool | None = None) -> NDArray[Any]"),
    "Tensor.__array_interface__": "(self) -> dict[builtins.str, Any]",
    "Tensor.__array_namespace__": "(self, api_version: builtins.str | None = None) -> ModuleType",
    "Tensor.__complex__": "(self) -> builtins.complex",
    "Tensor.__deepcopy__": "(self, memo: dict[Any, Any]) -> Tensor",
    "Tensor.__dlpack__": (
        "(self, *, stream: None = None, max_version: tuple[builtins.int, builtins.int] | None = None, "
        "dl_device: tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) "
        "-> CapsuleType"
    ),
    "Tensor.__init__": "(self, *args: Any) -> None",
    "Tensor.__format__": "(self, arg: builtins.str, /) -> builtins.str",
    "Tensor.__reduce__": "(self) -> tuple[Any, ...]",
    "Tensor.numpy": "(self, *, force: builtins.bool = False) -> NDArray[Any]",
    "Tensor.to_device": "(self, device: _Device, *, stream: None = None) -> Tensor",
    "ViewExplanation.axes": "(self) -> tuple[builtins.int, ...]",
    "device.__reduce__": "(self) -> tuple[Any, ...]",
    "device.index": "(self) -> None",
    **{
        f"{name}.{member}": signature
        for name, element in (("TypedStorage", "Any"), ("UntypedStorage", "builtins.int"))
        for member, signature in (
            ("__getitem__", "(self, arg: _Int | builtins.slice, /) -> Any"),
            ("__setitem__", "(self, arg0: _Int, arg1: _Number, /) -> None"),
            ("device", "(self) -> _TensorDevice"),
            ("dtype", "(self) -> _TensorDType"),
            ("tolist", f"(self) -> list[{element}]"),
        )
    },
}
