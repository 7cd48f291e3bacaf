# SPDX-License-Identifier: Apache-2.0
"""The ranks of a communicator."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from .._tenstride import Tensor, _distributed, dtype, float32
from .mpi_calls import Calls


class Ranks:
    """The ranks of an mpi4py communicator, which is duplicated. Those of one machine read each other's memory;
    `machine` is a communicator of those that may, by default all of the machine.

    All ranks make it, and all call `empty`, `close` and what is given it, in one order. Leave it by `close`, or by
    `with`: Python's garbage collector frees nothing of MPI's. An error that leaves the `with` leaves it open, as other
    ranks may not have come there.

    >>> from mpi4py import MPI
    >>> with Ranks(MPI.COMM_SELF) as ranks:
    ...     x = ranks.empty((2, 3))
    ...     ranks.size, x.shape
    (1, torch.Size([2, 3]))
    """

    def __init__(self, comm: Any, machine: Any = None) -> None:
        self._calls = Calls(comm, machine)
        self._transport = _distributed.Transport(self._calls)
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()
        self._is_closed = False

    @property
    def rank(self) -> int:
        """This rank."""
        return self._calls.rank

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._calls.size

    @property
    def near(self) -> list[bool]:
        """By rank, whether it is on this rank's machine."""
        return list(self._calls.near)

    def empty(self, shape: int | Sequence[int], dtype: dtype = float32) -> Tensor:
        """A row-major tensor in memory that the ranks of this machine share: they read it directly, and nothing of it
        need be sent. Shapes may differ. Its memory is given back once no rank has a view of it, by the next such call
        or `close`.
        """
        return self._open().empty_shared(shape, dtype)

    def close(self) -> None:
        """Gives back what MPI gave. Tensors of `empty` that a rank still uses stay valid, and their memory is given
        back when the process ends. Closing once more does nothing.
        """
        if self._is_closed:
            return
        for user in list(self._users):
            user.close()
        self._is_closed = True
        self._transport.close()
        self._calls.close()

    def _open(self, user: Any = None) -> _distributed.Transport:
        """What the extension calls; `user.close()` is called before the ranks are closed."""
        if self._is_closed:
            raise RuntimeError("Ranks: the ranks were closed and must be open; make new ones of the communicator")
        if user is not None:
            self._users.add(user)
        return self._transport

    def _agree(self, refusal: str) -> None:
        """Raises on all ranks what the first says that does not say an empty text."""
        for rank, of_rank in enumerate(self._calls.comm.allgather(refusal)):
            if of_rank:
                raise RuntimeError(f"rank {rank}: {of_rank}")

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if kind is None:
            self.close()
