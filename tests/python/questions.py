# SPDX-License-Identifier: Apache-2.0
"""The questions of tests/data/questions: their code, and the outcomes that their headers expect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "data" / "questions"
EXPECT = re.compile(r"# expect: (refused|copy|view|scramble) line (\d+)$", re.MULTILINE)
ALLOW = re.compile(r"# allow: (scramble) line (\d+)$", re.MULTILINE)  # seen by some rules and not by others
ALL_LISTED = ("refused", "copy", "scramble")  # of these a header lists every line


class Question(NamedTuple):
    name: str
    code: str
    link: str
    expected: dict[str, set[int]]
    allowed: set[tuple[str, int]]


def questions() -> list[Question]:
    """All questions, in the order of their numbers."""
    return [_read(path) for path in sorted(FOLDER.iterdir())]


def _read(path: Path) -> Question:
    code = path.read_text(encoding="utf-8")
    expected: dict[str, set[int]] = {}
    for kind, line in EXPECT.findall(code):
        expected.setdefault(kind, set()).add(int(line))
    allowed = {(kind, int(line)) for kind, line in ALLOW.findall(code)}
    link = re.search(r"https?://\S+", code)
    return Question(path.stem, code, link[0] if link else "", expected, allowed)


def outcomes(explanation) -> dict[str, set[int]]:
    """The lines of an explanation's steps by kind; a scramble is a kind beside the step's own."""
    lines: dict[str, set[int]] = {}
    for step in explanation.steps:
        lines.setdefault(step.kind, set()).add(step.line)
        if step.scramble is not None:
            lines.setdefault("scramble", set()).add(step.line)
    return lines


def unmet(question: Question, explanation) -> list[str]:
    """What a header expects and an explanation does not show, or shows and the header does not list."""
    seen = outcomes(explanation)
    found = []
    for kind, lines in question.expected.items():
        found += [f"{kind} line {line} is expected" for line in sorted(lines - seen.get(kind, set()))]
    for kind in ALL_LISTED:
        more = seen.get(kind, set()) - question.expected.get(kind, set())
        found += [
            f"{kind} line {line} is not expected" for line in sorted(more) if (kind, line) not in question.allowed
        ]
    return found
