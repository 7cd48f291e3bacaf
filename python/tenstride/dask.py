# SPDX-License-Identifier: Apache-2.0
"""Large files converted by the workers of Dask, each a part at a time."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from . import _tenstride


@dataclasses.dataclass(frozen=True)
class Converted:
    """What all calls of a conversion did together.

    `checksum` is that of the destination, `is_checked` says whether it was read back. Where the conversion was
    finished before, both are None and False, and no bytes were read.
    """

    checksum: str | None
    bytes_read: int
    bytes_written: int
    is_checked: bool


def convert(
    source: str | os.PathLike[str],
    statement: str,
    destination: str | os.PathLike[str],
    *,
    tasks: int,
    max_mem: int | str,
    client: Any = None,
    **options: Any,
) -> Any:
    """A file as another one, as `tenstride.convert` makes it, by `tasks` calls that Dask's workers run in any order.

    All workers must see both files under these paths. Each call uses at most `max_mem` of buffers ("512M"), so that a
    worker with four threads needs four times as much. Without `client` Dask's scheduler of the moment runs the calls,
    with one (of `dask.distributed`) its workers do. `options` are those of `tenstride.convert` for files: overwrite,
    verify, dtype, chunks. ImportError where Dask is not installed, and what `tenstride.convert` raises.

    Calls that Dask repeats, because a worker was lost, do what is left of their part. Where the conversion as a whole
    was ended, the same call goes on; resume="if_there" lets it have another number of tasks.
    """
    delayed = _delayed()
    if isinstance(tasks, bool) or not isinstance(tasks, int) or tasks < 1:
        raise ValueError(f"dask.convert: tasks {tasks!r} must be a whole number of at least 1")
    paths = (os.path.abspath(os.fspath(source)), os.path.abspath(os.fspath(destination)))
    # What is wrong is said here, not by every worker.
    _tenstride.plan_convert(paths[0], statement, paths[1], max_memory=max_mem, task=(1, tasks), **options)
    part = delayed(_convert_part, pure=False)
    calls = [part(paths, statement, (number, tasks), max_mem, options) for number in range(1, tasks + 1)]
    together = delayed(_together, pure=False)(calls)
    return together.compute() if client is None else client.compute(together).result()


def _delayed() -> Any:
    try:
        from dask import delayed
    except ImportError as error:
        raise ImportError(
            "dask.convert: Dask must be installed (pip install dask; tenstride.convert needs none)"
        ) from error
    return delayed


def _convert_part(
    paths: tuple[str, str], statement: str, task: tuple[int, int], max_mem: int | str, options: dict[str, Any]
) -> Converted:
    """One part, by whatever process calls it; of its result what can be sent to another one."""
    result = _tenstride._convert_file(paths[0], statement, paths[1], max_memory=max_mem, task=task, **options)
    is_last = result.tasks_left == 0 and not result.is_of_other_task
    return Converted(result.checksum if is_last else None, result.bytes_read, result.bytes_written, result.is_checked)


def _together(parts: list[Converted]) -> Converted:
    return Converted(
        next((part.checksum for part in parts if part.checksum is not None), None),
        sum(part.bytes_read for part in parts),
        sum(part.bytes_written for part in parts),
        any(part.is_checked for part in parts),
    )
