# SPDX-License-Identifier: Apache-2.0
"""Element types by the names that other libraries have for them."""

from __future__ import annotations

from typing import Any

from . import _tenstride


def dtype_of(dtype: Any, operation: str, *, of_numpy: bool = False) -> Any:
    """tenstride's dtype of a dtype of another library, or of a name. Where the array is NumPy's, names are, too:
    "float" is float64, "<f4" float32.
    """
    if isinstance(dtype, _tenstride.dtype) or dtype in (bool, int, float, complex):
        return dtype
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if name is None and isinstance(dtype, type):
        name = dtype.__name__.rstrip("_")  # numpy.float32, numpy.bool_
    if name is None:
        name = str(dtype)  # torch.float32
    if of_numpy and isinstance(dtype, str):
        name = _numpy_name(name)
    found = getattr(_tenstride, name.rpartition(".")[2], None)
    if isinstance(found, _tenstride.dtype):
        return found
    raise TypeError(f"{operation}: dtype must be one of tenstride's types ({dtype!r})")


def _numpy_name(name: str) -> str:
    import numpy

    try:
        return numpy.dtype(name).name
    except TypeError:
        return name
