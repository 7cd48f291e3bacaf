# SPDX-License-Identifier: Apache-2.0
"""An explanation as text: a table of steps, with what was printed and what failed between its rows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .steps import Event, Failure, Printed, Remark, Step

_ASCII = {"…": "...", "—": "-", "·": "*", "×": "x"}
_MIN_WIDTH = 60
_MAX_ALIKE = 3  # steps of a loop that are shown; further ones that do the same are counted


def head(real: bool) -> str:
    """The first line: that the code is run, and by what."""
    if real:
        return "explain runs this code (torch is PyTorch itself, watched; numpy is NumPy, watched)"
    return "explain runs this code (torch and einops stand for tenstride's tracing modules; numpy is NumPy, watched)"


def to_text(events: Sequence[Event], totals: str, real: bool, width: int | None, ascii_only: bool = False) -> str:
    """All events in their order, folded at the width; None folds nothing."""
    events, hidden = without_repeats(events)
    rows = {id(event): _row(event) for event in events if isinstance(event, Step)}
    columns = [max((len(row[i]) for row in rows.values()), default=0) for i in range(7)]
    is_narrow = width is not None and sum(columns) + 2 * 6 > width
    lines = [head(real), ""]
    for event in events:
        if isinstance(event, Step):
            lines += _step(event, rows[id(event)], columns, width, is_narrow)
        elif isinstance(event, Printed):
            mark = "=>" if event.is_value else "|"
            lines += [f"{_place(event.line)}{mark} {line}" for line in event.text.split("\n")]
        elif isinstance(event, Remark):
            lines += _folded(f"{_place(event.line)}note: {event.text}", width, 6)
        else:
            lines += _failure(event, width)
    if hidden:
        lines.append(f"   {hidden} further steps repeat what their lines did before")
    text = "\n".join(line.rstrip() for line in [*lines, "", totals])
    if ascii_only:
        for mark, plain in _ASCII.items():
            text = text.replace(mark, plain)
        text = text.encode("ascii", "backslashreplace").decode()
    return text


def without_repeats(events: Sequence[Event]) -> tuple[list[Event], int]:
    """The events, without steps that a loop repeats, and how many these are. Refused ones stay."""
    seen: dict[tuple[object, ...], int] = {}
    kept: list[Event] = []
    for event in events:
        if isinstance(event, Step) and event.error is None and event.scramble is None:
            key = (event.line, event.code, event.kind, event.layout, event.dtype, *event.notes)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > _MAX_ALIKE:
                continue
        kept.append(event)
    return kept, sum(max(count - _MAX_ALIKE, 0) for count in seen.values())


def _row(step: Step) -> list[str]:
    layout = "refused" if step.layout is None else str(step.layout)
    kind = "" if step.kind == "refused" else step.kind
    line = f"line {step.line}" if step.line else "--let"
    return [str(step.number), line, step.code, layout, step.dtype, step.contiguous, kind]


def _remarks(step: Step) -> str:
    parts = []
    if step.bytes_moved:
        verb = "moved" if step.bytes_moved > step.bytes_written else "written"  # a fill reads nothing
        parts.append(f"{step.bytes_moved} B {verb}" + (f": {step.reason}" if step.reason else ""))
        if step.cause is not None:
            parts[-1] += f" (since step {step.cause})"
    elif step.kind == "new" and step.bytes_allocated:
        parts.append(f"{step.bytes_allocated} B")
    if step.kind != "copy" and step.why_not_contiguous:
        parts.append(step.why_not_contiguous)
    if step.strides_in_bytes is not None:
        parts.append(f"strides ({', '.join(map(str, step.strides_in_bytes))}) bytes")
    return "; ".join([*parts, *step.notes])


def _step(step: Step, row: list[str], columns: list[int], width: int | None, is_narrow: bool) -> list[str]:
    cells = "  ".join(cell.ljust(size) for cell, size in zip(row, columns))
    note = _remarks(step)
    lines = [f"{cells}  {note}".rstrip()]
    if width is not None and is_narrow:
        lines = _narrow(row, note, width)
    elif width is not None and len(lines[0]) > width:
        lines = [cells.rstrip(), *_indented(note, width)]
    for block, mark in ((step.scramble, "note: "), (step.error, "")):
        if block:
            lines += _block(mark + block, width)
    return lines


def _narrow(row: list[str], note: str, width: int) -> list[str]:
    """A row that the terminal does not hold: its code in one line, the rest in the next."""
    number, line, code, *rest = row
    return [
        *_folded(f"{number}  {line}  {code}", width, 6),
        *_indented("  ".join(part for part in rest if part), width),
        *(_indented(note, width) if note else []),
    ]


def _indented(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, _MIN_WIDTH), initial_indent=" " * 6, subsequent_indent=" " * 6)


def _folded(text: str, width: int | None, indent: int) -> list[str]:
    if width is None or len(text) <= width:
        return [text]
    return textwrap.wrap(
        text, max(width, _MIN_WIDTH), subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def _block(text: str, width: int | None) -> list[str]:
    """Lines below a step: the first is folded, tables stay as they are where they fit."""
    first, *rest = text.split("\n")
    lines = _folded(f"   {first}", width, 3)
    for line in rest:
        lines += _folded(f"   {line}", width, 10)
    return lines


def _failure(event: Failure, width: int | None) -> list[str]:
    first, *rest = event.text.split("\n")
    return [*_folded(f"{_place(event.line)}{first}", width, 6), *(f"   {line}" for line in rest)]


def _place(line: int) -> str:
    return f"   line {line}: " if line else ""
