# SPDX-License-Identifier: Apache-2.0
"""How much memory this process holds."""

from __future__ import annotations

import ctypes
import gc

_SET_HUGE_PAGES_OFF = 41  # PR_SET_THP_DISABLE


def held_bytes() -> int:
    """Bytes that this process holds and no file has, exactly: wherever they are, which other programs decide."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as lines:
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Anonymous:", "Swap:")))


def grows_by(work, times: int) -> int:
    """By how many bytes the process grows while `work()` runs so often, once it has run some times before."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_SET_HUGE_PAGES_OFF, 1, 0, 0, 0)  # the kernel may make one of a few small pages at any time
    try:
        for _ in range(times // 10 + 1):
            work()
        gc.collect()
        before = held_bytes()
        for _ in range(times):
            work()
        gc.collect()
        return held_bytes() - before
    finally:
        prctl(_SET_HUGE_PAGES_OFF, 0, 0, 0, 0)
