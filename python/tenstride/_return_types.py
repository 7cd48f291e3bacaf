# SPDX-License-Identifier: Apache-2.0
"""What operations with two results give: tuples whose parts have names, as PyTorch's `torch.return_types`."""

from __future__ import annotations

from typing import NamedTuple

from ._tenstride import Tensor


class max(NamedTuple):
    """The largest elements along an axis, and where they stand.

    >>> torch.tensor([[1, 5], [7, 2]]).max(1).indices
    tensor([1, 0])
    """

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return _shown("max", self)


class min(NamedTuple):
    """The smallest elements along an axis, and where they stand.

    >>> torch.tensor([[1, 5], [7, 2]]).min(1).values
    tensor([1, 2])
    """

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return _shown("min", self)


def _shown(name: str, pair: tuple[Tensor, Tensor]) -> str:
    values, indices = pair
    return f"torch.return_types.{name}(\nvalues={values!r},\nindices={indices!r})"
