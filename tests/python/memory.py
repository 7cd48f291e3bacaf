# SPDX-License-Identifier: Apache-2.0
"""How much memory this process holds."""

from __future__ import annotations

import gc
import os


def resident_bytes() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows_by(work, times: int) -> int:
    """By how many bytes the process grows while `work()` runs so often, once it has run some times before."""
    for _ in range(times // 10 + 1):
        work()
    gc.collect()
    before = resident_bytes()
    for _ in range(times):
        work()
    gc.collect()
    return resident_bytes() - before
