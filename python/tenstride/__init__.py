# SPDX-License-Identifier: Apache-2.0
"""The strided tensor: PyTorch's shapes, strides and views exactly, every copy visible.

>>> import tenstride as torch
>>> x = torch.arange(6).view(2, 3)
>>> x.T.is_contiguous()
False
"""

from __future__ import annotations

from . import _tenstride
from ._tenstride import __version__

from ._explain import explain, show, why_not_contiguous, why_not_view

globals().update({name: getattr(_tenstride, name) for name in dir(_tenstride) if not name.startswith("_")})

# These take the arrays of other libraries, too.
from .foreign import (
    astype,
    cat,
    concat,
    concatenate,
    contiguous,
    pack,
    parse_shape,
    permute_copy,
    rearrange,
    reduce,
    repeat,
    stack,
    unpack,
)


def is_tensor(obj: object) -> bool:
    """Whether the object is a Tensor.

    >>> torch.is_tensor(torch.zeros(2))
    True
    """
    return isinstance(obj, _tenstride.Tensor)


bool = _tenstride.bool
__all__ = sorted(name for name in globals() if not name.startswith("_") and name != "annotations")
