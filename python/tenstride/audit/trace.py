# SPDX-License-Identifier: Apache-2.0
"""A report as Chrome trace events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .findings import Findings


def trace(report: Findings) -> str:
    """One complete event per copy, one thread per row; times in microseconds since the scope began."""
    threads = []
    for copy in report.copies:
        if copy.thread not in threads:
            threads.append(copy.thread)
    events = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": number, "args": {"name": name}}
        for number, name in enumerate(threads, 1)
    ]
    for copy in report.copies:
        events.append(
            {
                "name": copy.operation,
                "cat": copy.kind,
                "ph": "X",
                "ts": copy.start * 1e6,
                "dur": copy.seconds * 1e6,
                "pid": 1,
                "tid": threads.index(copy.thread) + 1,
                "args": copy.to_dict(),
            }
        )
    return json.dumps(events)
