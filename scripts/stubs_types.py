# SPDX-License-Identifier: Apache-2.0
"""The types of the stubs: what the words of the table of operations mean, and what no rule tells.

Aliases (`_Int`, `_Sizes`, …) stand at the head of the stub; builtins are written out, because the package has dtypes
called `int`, `float` and `bool`.
"""

from __future__ import annotations

HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.py.
import builtins
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_Layout: TypeAlias = layout
_Path: TypeAlias = builtins.str | os.PathLike[builtins.str] | builtins.bytes
_Entry: TypeAlias = (
    SupportsIndex | builtins.slice | EllipsisType | Tensor | Sequence[Any] | NDArray[Any] | None
)
_Entries: TypeAlias = _Entry | tuple[_Entry, ...]
"""

DISTRIBUTED_HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.py.
import builtins
from collections.abc import Sequence

from typing_extensions import TypeAlias, disjoint_base

from tenstride._size import Size
from tenstride._tenstride import Tensor, _DType, _Int, _Sizes

_Placement: TypeAlias = Placement | builtins.str
"""

# The words of the table's schemas, which are PyTorch's.
TYPES = {
    "Any": "Any",
    "Device": "_Device",
    "Layout": "_Layout",
    "MemoryFormat": "_Format",
    "MemoryFormat[]": "list[_Format]",
    "Scalar": "_Number",
    "ScalarType": "_DType",
    "Tensor": "Tensor",
    "Tensor[]": "Sequence[Tensor]",
    "TypedStorage": "TypedStorage",
    "UntypedStorage": "UntypedStorage",
    "bool": "builtins.bool",
    "float": "builtins.float",
    "int": "_Int",
    "int[]": "_Sizes",
    "str": "builtins.str",
}
TENSORS = "tuple[Tensor, ...]"
RESULTS = {
    "Any": "Any",
    "Device": "_TensorDevice",
    "None": "None",
    "Scalar": "Any",
    "ScalarType": "_TensorDType",
    "Size": "Size",
    "Tensor": "Tensor",
    "Tensor[]": TENSORS,
    "TypedStorage": "TypedStorage",
    "UntypedStorage": "UntypedStorage",
    "bool": "builtins.bool",
    "int": "builtins.int",
    "int[]": "tuple[builtins.int, ...]",
}

_MADE = (
    "*, dtype: _DType | None = None, device: _Device | None = None, requires_grad: builtins.bool | None = None, "
    "layout: _Layout | None = None"
)
_MADE_OUT = f"{_MADE}, out: Tensor | None = None"
_CONVERTED = "non_blocking: builtins.bool | None = None, copy: builtins.bool | None = None"
_FORMAT = "memory_format: _Format | None = None"

# Overloads that no rule makes: parameters behind the tensor, and result. A key "method NAME" is for that form only.
OVERLOADS = {
    "method nonzero": [
        ("*, as_tuple: Literal[False] | None = None", "Tensor"),
        ("*, as_tuple: Literal[True]", TENSORS),
    ],
    "function nonzero": [
        ("*, as_tuple: Literal[False] | None = None, out: Tensor | None = None", "Tensor"),
        ("*, as_tuple: Literal[True]", TENSORS),
    ],
    "function where": [
        ("condition: Tensor, input: None = None, other: None = None", TENSORS),
        ("condition: Tensor, input: _Operand, other: _Operand, *, out: Tensor | None = None", "Tensor"),
    ],
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
        (f"end: _Number, {_MADE_OUT}", "Tensor"),
        (f"start: _Number, end: _Number, step: _Number = 1, {_MADE_OUT}", "Tensor"),
    ],
    "randint": [
        (f"high: _Int, size: _Sizes, {_MADE_OUT}", "Tensor"),
        (f"low: _Int, high: _Int, size: _Sizes, {_MADE_OUT}", "Tensor"),
    ],
    **{
        f"{form} {name}": [
            (f"other: Tensor, /{one}", "Tensor"),
            (f"dim: None = None, keepdim: None = None{one}", "Tensor"),
            (f"dim: builtins.int, keepdim: builtins.bool | None = None{two}", f"_return_types.{name}"),
            (f"*, other: Tensor{one.removeprefix(', *')}", "Tensor"),
        ]
        for form, one, two in (
            ("method", "", ""),
            ("function", ", *, out: Tensor | None = None", ", *, out: tuple[Tensor, Tensor] | None = None"),
        )
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

# The arguments of convert for files and of plan_convert.
_CONVERT = (
    "source: _Path, chain: builtins.str, destination: _Path, *, sizes: Mapping[builtins.str, _Int] | None = None, "
    "max_memory: _Int | builtins.str | None = None, dtype: _DType | None = None, "
    'order: Literal["C", "F"] = "C", scale: builtins.float | Sequence[builtins.float] | None = None, '
    "shift: builtins.float | Sequence[builtins.float] | None = None, axis: builtins.int = 0, "
    'overwrite: builtins.bool = False, resume: builtins.bool | Literal["if_there"] = False, '
    "verify: builtins.bool = False, chunks: _Sizes | None = None, shards: _Sizes | None = None, "
    "codec: builtins.str | None = None, zarr_format: builtins.int | None = None, "
    "metadata_only: builtins.bool = False, rescale: builtins.bool = False, task: Sequence[builtins.int] | None = None"
)

# Signatures of nanobind's functions whose types are not visible in C++.
SIGNATURES = {
    "_convert_file": f"({_CONVERT}, progress: Callable[[ConvertProgress], object] | None = None) -> ConvertResult",
    "plan_convert": f"({_CONVERT}) -> ConvertPlan",
    "ConvertPlan.dtype": "(self) -> _TensorDType",
    "ConvertPlan.shape": "(self) -> Size",
    "checksum": "(x: Tensor | NDArray[Any]) -> builtins.str",
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
    "to_dlpack": "(tensor: Tensor) -> CapsuleType",
    "from_numpy": "(ndarray: NDArray[Any]) -> Tensor",
    "FileInfo.attributes": "(self) -> builtins.dict[builtins.str, Any]",
    "FileInfo.codec": "(self) -> builtins.str | None",
    "FileInfo.dtype": "(self) -> _TensorDType | None",
    "FileInfo.name": "(self) -> builtins.str | None",
    "FileInfo.obstacle": "(self) -> builtins.str | None",
    "FileInfo.shape": "(self) -> Size",
    "FileInfo.strides": "(self) -> Size",
    "file_info": "(path: _Path) -> list[FileInfo]",
    # A Tensor, or a dict of them, by what the file holds.
    "load": (
        "(path: _Path, *, shape: _Int | _Sizes | None = None, dtype: dtype | None = None, "
        'order: Literal["C", "F"] = "C", offset: builtins.int = 0, byteswap: builtins.bool = False) -> Any'
    ),
    "plan": ('(dst: Tensor, src: Tensor, *, effort: Literal["estimated", "measured"] = "estimated") -> Plan'),
    "Plan.ways": "(self) -> list[dict[builtins.str, Any]]",
    "memmap": (
        '(path: _Path, mode: Literal["r", "r+", "c"] = "r", *, dtype: dtype | None = None, '
        'shape: _Int | _Sizes | None = None, offset: builtins.int = 0, order: Literal["C", "F"] = "C") -> Any'
    ),
    "save": (
        "(path: _Path, tensor: Tensor | Mapping[builtins.str, Tensor], *, overwrite: builtins.bool = False, "
        "fortran_order: builtins.bool = False, compressed: builtins.bool = False, "
        'tied: Literal["write", "once"] = "write", attributes: Mapping[builtins.str, Any] | None = None, '
        "axes: Sequence[builtins.str] | None = None, chunks: _Sizes | None = None, shards: _Sizes | None = None, "
        "codec: builtins.str | None = None, zarr_format: builtins.int = 3) -> None"
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
        "(self, stream: builtins.int | None = None, *, max_version: tuple[builtins.int, builtins.int] | None = None, "
        "dl_device: tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) "
        "-> CapsuleType"
    ),
    "Tensor.layout": "(self) -> _Layout",
    "Tensor.__init__": "(self, *args: Any) -> None",
    "Tensor.__format__": "(self, arg: builtins.str, /) -> builtins.str",
    "Tensor.__reduce__": "(self) -> tuple[Any, ...]",
    "Tensor.numpy": "(self, *, force: builtins.bool = False) -> NDArray[Any]",
    "Tensor.to_device": "(self, device: _Device, *, stream: None = None) -> Tensor",
    "ViewExplanation.axes": "(self) -> tuple[builtins.int, ...]",
    **{
        f"_distributed.Distribution.{name}": f"(self, *args: _Int | _Sizes) -> {result}"
        for name, result in (
            ("expand", "Distribution"),
            ("permute", "Distribution"),
            ("view", "Distribution"),
            ("why_not_local", "builtins.str | None"),
        )
    },
    "_distributed.Distribution.held_by": (
        "(self, rank: builtins.int) -> list[list[tuple[builtins.int, builtins.int]]]"
    ),
    "_distributed.Distribution.local_shape": "(self, rank: builtins.int) -> Size",
    "_distributed.Distribution.mesh": "(self) -> tuple[builtins.int, ...]",
    "_distributed.Distribution.placements": "(self) -> tuple[Placement, ...]",
    "_distributed.Distribution.shape": "(self) -> Size",
    "_distributed.RedistributionPlan.exchanges": "(self) -> list[tuple[builtins.int, builtins.int, builtins.int]]",
    "_distributed.RedistributionPlan.order": "(self) -> tuple[builtins.int, ...]",
    "_distributed.RedistributionPlan.rounds": (
        "(self, max_bytes: builtins.int) -> list[list[tuple[builtins.int, builtins.int, builtins.int, builtins.int]]]"
    ),
    "_distributed.Transport.empty_shared": "(self, shape: _Int | _Sizes, dtype: _DType | None = None) -> Tensor",
    "_distributed.distribute": (
        "(shape: _Int | _Sizes, mesh: _Int | _Sizes, placements: _Placement | Sequence[_Placement]) -> Distribution"
    ),
    "_distributed.plan_redistribution": (
        "(source: Distribution, destination: Distribution, order: _Sizes | None = None, "
        "dtype: _DType | None = None) -> RedistributionPlan"
    ),
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
