#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times mpi4py-fft's redistributions beside memcpy and MPI_Alltoallv: mpirun -n 4 python3 bench/mpi/mpi4py_fft_peer.py

It does those cases of tenstride-mpi-bench that spread a tensor along another axis, by the same rounds, and prints the
same lines of JSON. Each result is compared with the definition.
"""

import argparse
import json
import statistics

import numpy as np
from mpi4py import MPI
from mpi4py_fft.pencil import Pencil, Subcomm

COMM = MPI.COMM_WORLD
LARGEST_PRIME = 16777213  # below 2^24: float32 has all smaller integers exactly


def cases(size):
    side = round((2.0 * size * size) ** (1 / 3))
    if side > 64:
        side = 16 * round((2.0 * size * size) ** (1 / 3) / 16)
    return {"reshuffle": ((size, size), np.float64), "pencil": ((side, side, side), np.float32)}


def numbers(pencil, dtype):
    """What a rank holds: each element has its row-major number in the whole tensor."""
    axes = [
        np.arange(start, start + count) for start, count in zip(pencil.substart, pencil.subshape, strict=True)
    ]
    count = np.zeros(pencil.subshape, np.int64)
    for axis, indices in enumerate(axes):
        stride = int(np.prod(pencil.shape[axis + 1 :], dtype=np.int64))
        count += (indices * stride).reshape([-1 if other == axis else 1 for other in range(len(axes))])
    return (count % LARGEST_PRIME if dtype == np.float32 else count).astype(dtype)


class Memcpy:
    """Each rank copies its own bytes."""

    name = "memcpy"

    def __init__(self, first, last, src, dst):
        self.count = min(src.size, dst.size)
        self.src = src.reshape(-1)[: self.count]
        self.dst = dst.reshape(-1)[: self.count]

    def __call__(self):
        np.copyto(self.dst, self.src)

    def is_right(self, wanted):
        return np.array_equal(self.src, self.dst)


class Alltoallv:
    """As many bytes between each two ranks as the case sends between them."""

    name = "alltoallv"

    def __init__(self, first, last, src, dst):
        parts = COMM.allgather((first.subshape, first.substart, last.subshape, last.substart))
        mine = parts[COMM.rank]
        sent = [common(mine[:2], part[2:]) for part in parts]
        received = [common(part[:2], mine[2:]) for part in parts]
        self.sent = [src, sent]
        self.received = [dst, received]

    def __call__(self):
        COMM.Alltoallv(self.sent, self.received)

    def is_right(self, wanted):
        return not np.isnan(self.received[0]).any()


def common(one, other):
    """The number of elements that two boxes of (shape, start) share."""
    product = 1
    for count, start, other_count, other_start in zip(*one, *other, strict=True):
        product *= max(0, min(start + count, other_start + other_count) - max(start, other_start))
    return int(product)


class Mpi4pyFft:
    """Pencil.transfer, which keeps its subarray types for MPI_Alltoallw."""

    name = "mpi4py-fft"

    def __init__(self, first, last, src, dst):
        self.transfer = first.transfer(last, src.dtype)
        self.src = src
        self.dst = dst

    def __call__(self):
        self.transfer.forward(self.src, self.dst)

    def is_right(self, wanted):
        return np.array_equal(self.dst, wanted)


class PeakMemory:
    """How many more MB this process comes to use at once, as Linux counts its resident pages; None elsewhere."""

    def __init__(self):
        try:
            with open("/proc/self/clear_refs", "w") as reset:
                reset.write("5")
            self.start = self.peak()
        except OSError:
            self.start = None

    @staticmethod
    def peak():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) / 1e3 * 1.024 for line in status if line.startswith("VmHWM:"))

    def extra_mb(self):
        return None if self.start is None else COMM.allreduce(self.peak() - self.start, MPI.MAX)


def timed(work, dst):
    """The milliseconds of the slowest rank, and what `work` returns."""
    dst.fill(np.nan)
    COMM.Barrier()
    start = MPI.Wtime()
    result = work()
    own = MPI.Wtime() - start
    return 1000 * COMM.allreduce(own, MPI.MAX), result


def run_case(name, shape, dtype, repeats):
    spread_first = Pencil(Subcomm(COMM, [0] + [1] * (len(shape) - 1)), shape, axis=1)
    spread_second = spread_first.pencil(0)
    src = numbers(spread_first, dtype)
    wanted = numbers(spread_second, dtype)
    dst = np.ones(spread_second.subshape, dtype)  # zeros would leave the pages unwritten

    def first_call(kind):
        contender = kind(spread_first, spread_second, src, dst)
        contender()
        return contender

    contenders = []
    first_ms = {}
    extra_mb = {}
    repeated_ms = {}
    for kind in (Alltoallv, Memcpy, Mpi4pyFft):
        memory = PeakMemory()
        first_ms[kind.name], contender = timed(lambda kind=kind: first_call(kind), dst)
        extra_mb[kind.name] = memory.extra_mb()
        require(contender.is_right(wanted), name, contender)
        repeated_ms[kind.name] = []
        contenders.append(contender)
    for repeat in range(repeats):
        for i in range(len(contenders)):
            contender = contenders[(repeat + i) % len(contenders)]
            repeated_ms[contender.name].append(timed(contender, dst)[0])
            require(contender.is_right(wanted), name, contender)
    return first_ms, {key: statistics.median(values) for key, values in repeated_ms.items()}, extra_mb


def require(is_right, name, contender):
    if not is_right:
        print(f"mpi4py_fft_peer.py: {name} by {contender.name}, rank {COMM.rank}: wrong elements", flush=True)
        COMM.Abort(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=6144, help="rows and columns of the matrix (6144)")
    parser.add_argument("--repeats", type=int, default=7, help="rounds after the first call (7)")
    parser.add_argument("--cases", default="reshuffle,pencil", help="only these, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes that divide unevenly")
    options = parser.parse_args()
    size, repeats = (53, 2) if options.smoke else (options.size, options.repeats)
    for name, (shape, dtype) in cases(size).items():
        if name not in options.cases.split(","):
            continue
        first_ms, repeated_ms, extra_mb = run_case(name, shape, dtype, repeats)
        if COMM.rank != 0:
            continue
        for contender, value in repeated_ms.items():
            line = {
                "case": name,
                "ranks": COMM.size,
                "size": shape[0],
                "dtype": np.dtype(dtype).name,
                "contender": contender if contender == "mpi4py-fft" else f"{contender} (mpi4py)",
                "first_ms": round(first_ms[contender], 3),
                "repeated_ms": round(value, 3),
                "ratio_to_memcpy": round(value / repeated_ms["memcpy"], 3),
                "ratio_to_alltoallv": round(value / repeated_ms["alltoallv"], 3),
                "extra_mb": None if extra_mb[contender] is None else round(extra_mb[contender], 1),
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
