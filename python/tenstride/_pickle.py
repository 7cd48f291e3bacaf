# SPDX-License-Identifier: Apache-2.0
"""What unpickling a Tensor calls: the bytes that it reached, and its layout in them."""

from __future__ import annotations

from . import _tenstride
from ._tenstride import Tensor, dtype


def rebuild(
    data: bytes | None, kind: dtype, nbytes: int, size: tuple[int, ...], stride: tuple[int, ...], offset: int
) -> Tensor:
    """The tensor with a storage of its own; on meta where there is no data."""
    return _tenstride._rebuild(data, kind, nbytes, size, stride, offset)
