# SPDX-License-Identifier: Apache-2.0
"""Redistributions carried out, for tensors and the arrays of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _tenstride
from .._kinds import as_array, kind_of
from .._tenstride import Tensor, _distributed
from .ranks import Ranks


def _shared(given: Any) -> tuple[Any, Tensor]:
    """The kind of an array, and a tensor on its own memory."""
    array = as_array(given)
    kind = kind_of([array], "redistribute")
    return kind, kind.share(array)


def _text_of(error: Exception) -> str:
    return str(error) or type(error).__name__


class Redistributor:
    """Carries a plan out, as often as wanted: all ranks make one of the same plan, and call `run` at once.

    `max_bytes` bounds what this rank packs and receives at a time. With `uses_shared_memory=False` all is sent, within
    a machine, too.

    >>> import numpy
    >>> from mpi4py import MPI
    >>> held, wanted = distribute((2, 3), 1, "S(0)"), distribute((3, 2), 1, "S(0)")
    >>> with Ranks(MPI.COMM_SELF) as ranks:
    ...     transposed = Redistributor(ranks, plan_redistribution(held, wanted, order=(1, 0)))
    ...     result = numpy.empty((3, 2), numpy.float32)
    ...     transposed.run(numpy.arange(6, dtype=numpy.float32).reshape(2, 3), result)
    >>> result.tolist()
    [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    """

    def __init__(
        self,
        ranks: Ranks,
        plan: _distributed.RedistributionPlan,
        max_bytes: int = 32 << 20,
        uses_shared_memory: bool = True,
    ) -> None:
        self._plan = plan
        transport = ranks._open(self)
        self._work: Any = _distributed.Redistributor(transport, plan, max_bytes, uses_shared_memory)

    @property
    def plan(self) -> _distributed.RedistributionPlan:
        """What is carried out."""
        return self._plan

    @property
    def buffer_bytes(self) -> int:
        """Memory that this rank has allocated for what is packed."""
        return self._open().buffer_bytes

    def run(self, source: Any, destination: Any) -> None:
        """Moves what this rank holds to `destination`: tensors, NumPy's arrays, PyTorch's tensors on the CPU, on their
        own memory, in any layout. An error that one rank finds is raised by all as a RuntimeError, and nothing is
        moved; what goes wrong later ends all ranks.
        """
        work = self._open()
        try:
            tensors = _shared(source)[1], _shared(destination)[1]
        except Exception as error:
            work.refuse(_text_of(error))
            raise
        work.run(*tensors)

    def close(self) -> None:
        """Gives the memory for what is packed back. Not needed: closing the ranks does it."""
        self._work = None

    def _open(self) -> Any:
        if self._work is None:
            raise RuntimeError("Redistributor: it was closed, perhaps with its ranks, and must be open; make a new one")
        return self._work


def redistribute(
    ranks: Any,
    source: Any,
    held: _distributed.Distribution,
    wanted: _distributed.Distribution,
    order: Sequence[int] | None = None,
) -> Any:
    """What this rank is to hold, as an array of the source's kind. `ranks` is a `Ranks`, or a communicator, of which
    one is made for this call. All ranks call it; an error that one finds is raised by all as a RuntimeError.

    >>> import numpy
    >>> from mpi4py import MPI
    >>> held, wanted = distribute((2, 3), 1, "S(0)"), distribute((3, 2), 1, "S(0)")
    >>> redistribute(MPI.COMM_SELF, numpy.arange(6).reshape(2, 3), held, wanted, order=(1, 0)).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    if not isinstance(ranks, Ranks):
        with Ranks(ranks) as own:
            return redistribute(own, source, held, wanted, order)
    refusal = ""
    try:
        kind, tensor = _shared(source)
        plan = _distributed.plan_redistribution(held, wanted, order, tensor.dtype)
        result = _tenstride.empty(wanted.local_shape(ranks.rank), dtype=tensor.dtype, device="cpu")
        given = kind.give(result)
    except Exception as error:
        refusal = _text_of(error)
    ranks._agree(refusal)
    Redistributor(ranks, plan).run(tensor, result)
    return given
