# SPDX-License-Identifier: Apache-2.0
"""Element types by the names that other libraries have for them."""

from __future__ import annotations

import reprlib
from typing import Any

from . import _tenstride


def dtype_of(dtype: Any, operation: str, *, of_numpy: bool = False) -> Any:
    """tenstride's dtype of a dtype of another library, or of a name. Where the array is NumPy's, names are, too:
    "float" is float64, "<f4" float32; and so is None.
    """
    # `in` would ask NumPy's dtypes, to which float equals float64.
    if isinstance(dtype, _tenstride.dtype) or any(dtype is own for own in (bool, int, float, complex)):
        return dtype
    if of_numpy and dtype is None:
        return _tenstride.float64
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = reprlib.repr(dtype)  # torch.float32
    if of_numpy and isinstance(dtype, (str, type)):
        name = _numpy_name(dtype)
    elif isinstance(dtype, type):
        name = dtype.__name__.rstrip("_")  # numpy.float32, numpy.bool_
    found = getattr(_tenstride, name.rpartition(".")[2], None)
    if isinstance(found, _tenstride.dtype):
        return found
    raise TypeError(f"{operation}: dtype must be one of tenstride's types ({reprlib.repr(dtype)})")


def _numpy_name(dtype: str | type) -> str:
    import numpy

    try:
        return numpy.dtype(dtype).name
    except TypeError:
        return dtype if isinstance(dtype, str) else dtype.__name__
