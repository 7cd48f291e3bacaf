# SPDX-License-Identifier: Apache-2.0
"""The strided tensor: PyTorch's shapes, strides and views exactly, every copy visible.

>>> import tenstride as torch
>>> x = torch.arange(6).view(2, 3)
>>> x.T.is_contiguous()
False
"""

from __future__ import annotations

from . import _tenstride
from ._absent import SENTENCES as _SENTENCES
from ._convert import convert
from ._explain import explain, explore, show, why_not_contiguous, why_not_view
from ._info import finfo, iinfo
from ._tenstride import Tensor, __version__
from ._typed import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
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

    >>> torch.is_tensor(torch.zeros(2)), torch.is_tensor([0.0, 0.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


def __getattr__(name: str) -> object:
    """`tenstride.audit`, `tenstride.numpy`, `tenstride.array_api` and `tenstride.distributed` are loaded when they are
    first asked for.
    """
    if name in ("array_api", "audit", "distributed", "numpy"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    if name in _SENTENCES:
        raise AttributeError(f"{name}: {_SENTENCES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# All else that the extension offers; of names that stand above, those take the arrays of other libraries too.
globals().update(
    {
        name: value
        for name, value in vars(_tenstride).items()
        if (not name.startswith("_") or name == "_neg_view") and name not in globals()
    }
)
__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in ("annotations", "foreign"))
