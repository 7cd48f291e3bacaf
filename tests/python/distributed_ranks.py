# SPDX-License-Identifier: Apache-2.0
"""What test_distributed_mpi.py runs on some ranks by mpirun, each time all of it; prints "rank N: done"."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import random
import sys

import numpy
import tenstride
from distributed_parts import part_of, random_problem
from mpi4py import MPI
from tenstride import distributed
from tenstride.distributed import Ranks, Redistributor, distribute, plan_redistribution, redistribute

try:
    import torch
except ImportError:
    torch = None

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()
DTYPES = (numpy.float32, numpy.float64, numpy.int16, numpy.uint8, numpy.complex64, numpy.bool_)


@contextlib.contextmanager
def raised(kind: type[Exception], text: str):
    """All ranks get this error."""
    said = ""
    try:
        yield
    except kind as error:
        said = str(error)
    for rank, of_rank in enumerate(COMM.allgather(said)):
        assert text in of_rank, f"rank {rank}: {of_rank!r} instead of {text!r}"


def shared(ranks: Ranks, part: numpy.ndarray) -> tenstride.Tensor:
    x = ranks.empty(part.shape, tenstride.from_numpy(part[:0].ravel()).dtype)
    x.copy_(tenstride.from_numpy(part))
    return x


def spread_out(part: numpy.ndarray) -> numpy.ndarray:
    """The same elements with others between them, the last axis first in memory."""
    wide = numpy.zeros((*(2 * size for size in part.shape),), part.dtype).T
    view = wide.T[tuple(slice(None, None, 2) for _ in part.shape)]
    view[...] = part
    return view


def read_only(part: numpy.ndarray) -> numpy.ndarray:
    fixed = part.copy()
    fixed.flags.writeable = False
    return fixed


def forms_of(ranks: Ranks):
    """The ways to give what a rank holds. Each rank draws the same."""
    forms = [
        numpy.ascontiguousarray,
        numpy.asfortranarray,
        spread_out,
        lambda part: tenstride.from_numpy(part.copy()),
        lambda part: shared(ranks, part),
        lambda part: shared(ranks, part).numpy(),
    ]
    if torch is not None:
        forms.append(lambda part: torch.from_numpy(part.copy()))
    return forms


def check_random_ones(ranks: Ranks, draw: random.Random, count: int) -> None:
    for _ in range(count):
        held, order, wanted = random_problem(draw, SIZE)
        dtype = numpy.dtype(draw.choice(DTYPES))
        elements = numpy.arange(numpy.prod(held.shape)).reshape(held.shape)
        whole = elements % 2 == 1 if dtype.kind == "b" else elements.astype(dtype)
        expected = part_of(whole.transpose(order).reshape(wanted.shape), wanted, RANK)
        part = part_of(whole, held, RANK)
        source = draw.choice([read_only, *forms_of(ranks)])(part)
        destination = draw.choice(forms_of(ranks))(numpy.zeros_like(expected))
        plan = plan_redistribution(held, wanted, order, dtype=tenstride.from_numpy(whole).dtype)
        mover = Redistributor(
            ranks,
            plan,
            max_bytes=draw.choice([4 * dtype.itemsize, 256, 32 << 20]),
            uses_shared_memory=draw.random() < 0.7,
        )
        for _ in range(2):
            mover.run(source, destination)
            numpy.testing.assert_array_equal(numpy.asarray(destination), expected, err_msg=str(plan))
        result = redistribute(ranks, source, held, wanted, order)
        assert isinstance(result, type(source))
        numpy.testing.assert_array_equal(numpy.asarray(result), expected, err_msg=str(plan))


def check_shared_sources_need_no_buffers(ranks: Ranks) -> None:
    held, wanted = distribute((8, 6), SIZE, "S(0)"), distribute((6, 8), SIZE, "S(0)")
    whole = numpy.arange(48, dtype=numpy.float32).reshape(8, 6)
    mover = Redistributor(ranks, plan_redistribution(held, wanted, order=(1, 0)))
    result = numpy.zeros(wanted.local_shape(RANK), numpy.float32)
    mover.run(shared(ranks, part_of(whole, held, RANK)), result)
    assert mover.buffer_bytes == 0
    mover.run(part_of(whole, held, RANK), result)
    assert (mover.buffer_bytes > 0) == (SIZE > 1)
    numpy.testing.assert_array_equal(result, part_of(whole.T, wanted, RANK))


def check_refusals(ranks: Ranks) -> None:
    held, wanted = distribute((8, 6), SIZE, "S(0)"), distribute((6, 8), SIZE, "S(0)")
    whole = numpy.arange(48, dtype=numpy.float32).reshape(8, 6)
    part, result = part_of(whole, held, RANK), numpy.zeros(wanted.local_shape(RANK), numpy.float32)
    mover = Redistributor(ranks, plan_redistribution(held, wanted, order=(1, 0)))
    last = SIZE - 1
    is_last = last == RANK
    with raised(RuntimeError, f"rank {last}: redistribute: the source of rank {last} of shape (1)"):
        mover.run(numpy.zeros(1, numpy.float32) if is_last else part, result)
    with raised(RuntimeError, f"rank {last}: redistribute: a tensor, or an array that speaks DLPack"):
        mover.run([1.0] if is_last else part, result)
    with raised(RuntimeError, f"rank {last}: redistribute: a tensor, or an array that speaks DLPack"):
        redistribute(ranks, [1.0] if is_last else part, held, wanted, (1, 0))
    fixed = read_only(result)
    with raised(RuntimeError, f"rank {last}: redistribute: the destination must not be read-only; use .clone() first"):
        mover.run(part, fixed if is_last else result)
    assert not fixed.any() and not result.any()
    if SIZE > 1:
        order = (0, 1) if is_last else (1, 0)
        with raised(ValueError, f"redistribute: rank {last} has another plan or other options than rank 0"):
            flat = distribute((48,), SIZE, "S(0)")
            Redistributor(ranks, plan_redistribution(held, flat, order))
    with raised(ValueError, f"redistribute: mesh ({SIZE + 1}) must have as many ranks as there are, {SIZE}"):
        many = distribute((8,), SIZE + 1, "S(0)")
        Redistributor(ranks, plan_redistribution(many, many))
    with raised(TypeError, "Ranks: an mpi4py communicator must be given (int)"):
        Ranks(3)
    mover.run(part, result)
    numpy.testing.assert_array_equal(result, part_of(whole.T, wanted, RANK))


def check_closing() -> None:
    held = distribute((8,), SIZE, "S(0)")
    with Ranks(COMM) as ranks:
        assert (ranks.rank, ranks.size, ranks.near) == (RANK, SIZE, [True] * SIZE)
        kept, dropped = ranks.empty((2, 3)), ranks.empty(4)
        kept.fill_(7)
        del dropped
        mover = Redistributor(ranks, plan_redistribution(held, held))
    assert kept.tolist() == [[7.0] * 3] * 2
    ranks.close()
    with raised(RuntimeError, "Ranks: the ranks were closed and must be open; make new ones of the communicator"):
        ranks.empty(2)
    with raised(RuntimeError, "Redistributor: it was closed, perhaps with its ranks, and must be open"):
        mover.run(numpy.zeros(1), numpy.zeros(1))
    # Nothing of MPI's is freed by the garbage collector, at different times on different ranks.
    abandoned = Ranks(COMM)
    abandoned.empty(5)
    if RANK == 0:
        del abandoned
    COMM.Barrier()


def check_examples() -> None:
    for name in ("Ranks", "Redistributor", "redistribute"):
        text = inspect.getdoc(getattr(distributed, name))
        names = {"torch": tenstride, **vars(distributed)}
        found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, names, name, None, 0))
        assert found.attempted > 0 and found.failed == 0, name


def main() -> None:
    if sys.argv[1:] == ["fails"]:
        with Ranks(COMM) as ranks:
            if RANK == SIZE - 1:
                ranks._calls.fail("no memory")
            COMM.Barrier()
    draw = random.Random(SIZE)
    with Ranks(COMM) as ranks:
        check_random_ones(ranks, draw, 60)
        check_shared_sources_need_no_buffers(ranks)
        check_refusals(ranks)
    for machine in (COMM.Split(RANK // 2), COMM.Split(RANK)):
        with Ranks(COMM, machine) as ranks:
            assert ranks.near.count(True) == machine.Get_size()
            check_random_ones(ranks, draw, 30)
            check_refusals(ranks)
    check_closing()
    if SIZE == 1:
        check_examples()
    print(f"rank {RANK}: done", flush=True)


main()
