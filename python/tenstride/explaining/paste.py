# SPDX-License-Identifier: Apache-2.0
"""Pasted text as Python: fences, prompts, outputs, indentation and Python 2's print are taken away."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

_FENCE = re.compile(r"\s*(```|~~~)")
_PROMPT = re.compile(r"\s*(>>>|In \[[\d ]*\]:)(?: |$)")
_GOES_ON = re.compile(r"\s*(\.\.\.:?)(?: |$)")
_MAGIC = re.compile(r"\s*[%!]")
_PRINT = re.compile(r"(\s*)print(?!\s*\()\s+(?P<what>\S.*?),?\s*$|(\s*)print\s*$")
_MAX_LEFT_OUT = 50


class Paste(NamedTuple):
    """The text as Python, with the line numbers of what was pasted, and what was left out of it."""

    text: str
    left_out: list[tuple[int, str]]


def clean(text: str) -> Paste:
    """The Python of a pasted text. Lines that are none become empty, so that line numbers stay.

    >>> clean(">>> x = 1\\n>>> x\\n1\\n").text
    'x = 1\\nx\\n\\n'
    """
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").split("\n")
    if any(_PROMPT.match(line) for line in lines):
        lines = _without_prompts(lines)
    for step in (_as_they_are, _dedented, _without_fences, _without_magics, _with_print_calls):
        lines = step(lines)
        if _problem(lines) is None:
            return Paste("\n".join(lines), [])
    return _without_what_is_none(lines)


def _problem(lines: list[str]) -> SyntaxError | None:
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        return error
    except ValueError as error:  # null bytes
        return SyntaxError(str(error), ("", 1, 1, lines[0]))
    return None


def _as_they_are(lines: list[str]) -> list[str]:
    return lines


def _dedented(lines: list[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    common = min(indents, default=0)
    return [line[common:] for line in lines]


def _without_fences(lines: list[str]) -> list[str]:
    """What stands between fences; all, where there are none."""
    if not any(_FENCE.match(line) for line in lines):
        return lines
    kept, inside = [], False
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
            kept.append("")
        else:
            kept.append(line if inside else "")
    return _dedented(kept)


def _without_prompts(lines: list[str]) -> list[str]:
    """What was typed behind prompts; outputs become empty lines."""
    kept, typed, lead = [], False, 0
    for line in lines:
        prompt = _PROMPT.match(line)
        goes_on = _GOES_ON.match(line) if typed else None
        if prompt:
            typed, lead = True, prompt.end()
            kept.append(line[prompt.end() :])
        elif goes_on:
            kept.append(line[goes_on.end() :])
        elif typed and line[:lead].isspace() and line.strip() and "In [" in "".join(lines):
            kept.append(line[lead:])
        else:
            typed = False
            kept.append("")
    return kept


def _without_magics(lines: list[str]) -> list[str]:
    return ["" if _MAGIC.match(line) else line for line in lines]


def _with_print_calls(lines: list[str]) -> list[str]:
    """Python 2's `print x, y` as a call."""

    def call(found: re.Match[str]) -> str:
        return f"{found[1] or found[3] or ''}print({found['what'] or ''})"

    return [_PRINT.sub(call, line) for line in lines]


def _without_what_is_none(lines: list[str]) -> Paste:
    """Lines that are no Python are left out one after another; the SyntaxError where that does not help."""
    first = _problem(lines)
    assert first is not None
    kept, left_out, total = list(lines), [], sum(1 for line in lines if line.strip())
    problem: SyntaxError | None = first
    while problem is not None:
        number = min(max(problem.lineno or 1, 1), len(kept))
        while number > 1 and not kept[number - 1].strip():
            number -= 1
        if not kept[number - 1].strip() or len(left_out) >= min(_MAX_LEFT_OUT, total / 2 - 1):
            raise first
        left_out.append((number, kept[number - 1].strip()))
        kept[number - 1] = ""
        problem = _problem(kept)
    return Paste("\n".join(kept), sorted(left_out))
