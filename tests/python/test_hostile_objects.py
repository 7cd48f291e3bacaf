# SPDX-License-Identifier: Apache-2.0
"""No Python object, whatever it says or does, ends the process of the one who gives it to a call.

Each call is made in a child process, which says before it which one it is. One that does not come back, or that takes
too long, is made again in a process of its own, and named. Of the table of operations each call is made with a seventh
of the objects. `TENSTRIDE_HOSTILE=all` makes all calls with all objects, each in a process of its own from the start:
some 200,000, which takes minutes.
"""

from __future__ import annotations

import itertools
import os
import resource
import select
import signal
import struct
import sys
import time
import warnings

import numpy
import pytest
import tenstride as torch
from hostile_calls import CALLS, of_numpys_names, of_syntax, of_the_package, of_the_table
from hostile_objects import OBJECTS, deep

#: Seconds that one call may take.
LIMIT = 20
#: Bytes that a child may have: what asks for more is refused, as without a limit on most machines.
MEMORY = 8 << 30
NUMBER = struct.Struct("i")


def call(case):
    made, used = case
    try:
        hostile = OBJECTS[used]()
        CALLS[made](hostile)
    except BaseException:
        pass


def work(cases, start, report, folder):
    """In the child: the cases from `start` on, each reported before it is begun."""
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for at in range(start, len(cases)):
        os.write(report, NUMBER.pack(at))
        call(cases[at])
    os.write(report, NUMBER.pack(len(cases)))


def ended(status):
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"ended with {os.WEXITSTATUS(status)}"


def follow(cases, start, folder):
    """The case that a child did not come back from, and how it ended; the number of cases and "" where all did."""
    reading, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            work(cases, start, report, folder)
        finally:
            os._exit(0)
    os.close(report)
    at, is_late = start, False
    while True:
        if not select.select([reading], [], [], LIMIT)[0]:
            is_late = True
            os.kill(child, signal.SIGKILL)
        said = os.read(reading, NUMBER.size)
        if len(said) < NUMBER.size:
            break
        at = NUMBER.unpack(said)[0]
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    if at == len(cases) and status == 0:
        return at, ""
    return at, f"took more than {LIMIT} s" if is_late else ended(status)


def findings(cases, folder):
    """The cases that end a process of their own, or that one process in which others were made before."""
    found, start = [], 0
    while start < len(cases):
        at, end = follow(cases, start, folder)
        if at < len(cases):
            made, used = cases[at]
            alone = follow([cases[at]], 0, folder)[1]
            found.append(f"{made} with {used}: {alone or end + ', after others'}")
        elif end:
            found.append(f"the end of a process after {cases[-1]}: {end}")
        start = at + 1
    return found


@pytest.mark.parametrize("calls", [of_syntax, of_the_package, of_numpys_names, of_the_table])
def test_no_call_with_a_hostile_object_ends_the_process(calls, tmp_path):
    cases = list(itertools.product((text for text, _ in calls()), OBJECTS))
    if os.environ.get("TENSTRIDE_HOSTILE") == "all":
        assert not [line for case in cases for line in findings([case], tmp_path)]
    else:
        if calls is of_the_table:
            cases = [case for at, case in enumerate(cases) if (at + at // len(OBJECTS)) % 7 == 0]
        assert not findings(cases, tmp_path)


def test_a_call_that_ends_the_process_is_found(tmp_path, monkeypatch):
    """The check itself: death by a signal, by an exit, and no end at all."""
    monkeypatch.setitem(CALLS, "kill", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    monkeypatch.setitem(CALLS, "exit", lambda _: os._exit(3))
    monkeypatch.setitem(CALLS, "sleep", lambda _: time.sleep(60))
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 1)
    cases = [(name, "2**63") for name in ("repr", "kill", "repr", "exit", "sleep", "repr")]
    assert findings(cases, tmp_path) == [
        "kill with 2**63: ended by SIGKILL",
        "exit with 2**63: ended with 3",
        "sleep with 2**63: took more than 1 s",
    ]


SIZES = ["zeros", "view", "reshape", "expand", "permute", "tensor_split", "block_diag", "broadcast_shapes"]


@pytest.mark.parametrize("name", ["tensor", "as_tensor", "asarray", "FloatTensor", *SIZES])
@pytest.mark.parametrize("levels", [129, 100_000])
def test_lists_are_at_most_128_deep_whatever_the_recursion_limit(name, levels):
    function = getattr(torch, name, None) or getattr(torch.arange(3), name)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        with pytest.raises(ValueError) as raised:
            function(deep(levels)) if name != "tensor_split" else function(torch.arange(3), deep(levels))
    finally:
        sys.setrecursionlimit(limit)
    assert str(raised.value) == ("too many dimensions 'list': lists must be at most 128 deep, and not in themselves")


@pytest.mark.parametrize("name", ["tensor", "as_tensor", "asarray"])
def test_lists_deeper_than_the_largest_rank_are_counted(name):
    assert getattr(torch, name)(deep(64)).dim() == 64
    with pytest.raises(RuntimeError) as raised:
        getattr(torch, name)(deep(128))
    assert str(raised.value) == "tensor: the lists are 128 levels deep and must be at most 64 (the largest rank)"


def test_a_tensor_lives_as_long_as_the_call_that_a_list_was_given_to():
    """The list loses it while its next entry is read."""
    given = []

    class Emptying:
        @property
        def __array_interface__(self):
            given.clear()
            return numpy.full(4, 9.0).__array_interface__

    for _ in range(100):
        given[:] = [torch.full((4,), 5.0), Emptying(), torch.full((4,), 7.0)]
        torch._tenstride.cat(given).tolist()
