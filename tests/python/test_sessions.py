# SPDX-License-Identifier: Apache-2.0
"""The recorded sessions, typed into Python instead of `tenstride repl`: every output is the same."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest
import tenstride

SESSIONS = sorted((Path(__file__).parents[1] / "data" / "sessions").glob("*.txt"))


def typed(source: str, names: dict) -> str:
    """What Python's prompt shows; of an error its type and the first line of its message."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<session>", "single"), names)
    except Exception as error:
        message = str(error).splitlines()[0] if str(error) else ""
        return output.getvalue() + f"{type(error).__name__}: {message}\n"
    return output.getvalue()


def without_explanation(text: str) -> str:
    """The text; of a refused view PyTorch's line alone, which is what the prompt of the notation shows."""
    return re.sub(r"(view size is not compatible[^\n]*\n)(  [^\n]*\n)+", r"\1", text)


def same(found: str, wanted: str) -> bool:
    """Equal; errors by Python's name of the kind, which the package's own exceptions derive from."""
    refused = re.match(r"(\w+Error): (.*)", wanted)
    if not refused:
        return without_explanation(found) == wanted
    kind = getattr(tenstride, found.partition(":")[0], None)
    is_kind = found.startswith(refused[1]) or (kind is not None and refused[1] in {c.__name__ for c in kind.__mro__})
    return is_kind and found.partition(": ")[2].rstrip("\n") == refused[2]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_gives_what_the_session_says(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", tenstride)
    monkeypatch.setitem(__import__("sys").modules, "einops", tenstride)
    names = {"torch": tenstride}
    # Doctest ends an output at a blank line, which PyTorch prints inside of tensors.
    text = path.read_text(encoding="utf-8").replace("\n\n ", "\n<BLANK>\n ")
    examples = doctest.DocTestParser().get_examples(text)
    assert len(examples) > 5
    for example in examples:
        found = typed(example.source, names)
        wanted = example.want.replace("<BLANK>\n", "\n")
        assert same(found, wanted), f"{path.name}:{example.lineno + 1}: {example.source}"
