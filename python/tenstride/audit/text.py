# SPDX-License-Identifier: Apache-2.0
"""A report for people, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .findings import Findings
    from .record import Copy


def bytes_text(count: float) -> str:
    """Exact below 10 kB, else three digits.

    >>> bytes_text(9600), bytes_text(1234567)
    ('9600 B', '1.23 MB')
    """
    if count < 10_000:
        return f"{int(count)} B"
    for unit in ("kB", "MB", "GB", "TB"):
        count /= 1000
        if count < 999.5 or unit == "TB":
            break
    return f"{count:.{2 if count < 9.995 else 1 if count < 99.95 else 0}f} {unit}"


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def summary(report: Findings) -> str:
    """One line: how many copies of which kind, and what they moved."""
    if not report.copies:
        text = "no copies"
    else:
        kinds = [(kind, len(report.of_kind(kind))) for kind in ("silent", "explicit", "conversion", "transfer")]
        parts = [f"{count} {kind}" for kind, count in kinds if count]
        text = f"{_plural(len(report.copies), 'copy', 'copies')} ({', '.join(parts)}), "
        text += f"{bytes_text(report.bytes_read)} read, {bytes_text(report.bytes_written)} written"
    if report.saves:
        text += f"; the fixes save {bytes_text(report.saves)} of it"
    if report.transfers:
        seconds = sum(copy.link.seconds for copy in report.transfers if copy.link is not None)
        text += f"; {bytes_text(report.bytes_transferred)} over the link, about {seconds * 1e3:.2g} ms"
    if report.scrambles:
        text += f"; {_plural(len(report.scrambles), 'scramble', 'scrambles')}"
    if report.left_out:
        text += f"; {_plural(report.left_out, 'copy', 'copies')} more not listed"
    return text


def group_lines(number: int, group: Sequence[Copy]) -> list[str]:
    """A group of copies alike, as lines."""
    copy = group[0]
    src, dst = copy.sides()
    times = f"{len(group)} x  " if len(group) > 1 else ""
    moved = bytes_text(sum(one.bytes_moved for one in group))
    if copy.link is not None:
        moved = bytes_text(sum(one.link.bytes for one in group if one.link is not None)) + " over the link"
    phase = ", backward" if copy.phase == "backward" else ""
    where = copy.place.short if copy.place else "?"
    lines = [f"{number}  {copy.operation}  {copy.kind}{phase}  {times}{moved}  {where}"]
    detail = [("from", src), ("to", dst)]
    if copy.code:
        detail.insert(0, ("code", copy.code))
    if copy.inside:
        detail.append(("in", f"{copy.inside.short}  {copy.inside.code}".rstrip()))
    detail.append(("why", copy.why))
    step = copy.since
    if step is not None:
        detail.append(("since", f"{step}" + (f"  {step.place.code}" if step.place and step.place.code else "")))
    detail.append(("allowed", copy.allowed) if copy.allowed else ("fix", copy.fix))
    indent = " " * (len(str(number)) + 2)
    return lines + [f"{indent}{name:<5}  {text}" for name, text in detail]


def report_text(report: Findings) -> str:
    """The report as a table sorted by bytes, each row with its why and its fix."""
    lines = [summary(report)]
    for number, group in enumerate(report.groups(), 1):
        lines += ["", *group_lines(number, group)]
    for scramble in report.scrambles:
        where = scramble.place.short if scramble.place else "?"
        lines += ["", f"scramble  {where}  {scramble.code}".rstrip(), f"   {scramble}"]
    lines += ["", *[f"not seen: {sentence}" for sentence in report.missed]] if report.missed else []
    return "\n".join(lines)


def complaint(report: Findings, left: Sequence[Copy]) -> str:
    """The message of a failed ``assert_no_copies``."""
    moved = bytes_text(sum(copy.bytes_moved for copy in left))
    lines = [
        f"assert_no_copies: {_plural(len(left), 'copy', 'copies')}, {moved} moved"
        + (f" ({report.left_out} more not listed)" if report.left_out else "")
    ]
    found: dict[tuple[Any, ...], list[Copy]] = {}
    for copy in left:
        found.setdefault(copy.group(), []).append(copy)
    for number, group in enumerate(found.values(), 1):
        lines += group_lines(number, group)
    return "\n".join(lines)
