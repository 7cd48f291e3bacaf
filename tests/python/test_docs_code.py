# SPDX-License-Identifier: Apache-2.0
"""The Python code of the documents runs and gives what they say, each document in one namespace.

A fence that is marked as Python holds prompts with their outputs (`>>>`), or statements. The comment of a statement may
say its value, `# = (1, 1, 64)`, or that it is refused, `# RuntimeError: …`.
"""

from __future__ import annotations

import ast
import doctest
import re
import sys
from pathlib import Path

import pytest
import tenstride

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS.remove(ROOT / "docs/audit.md")  # needs PyTorch: test_audit_docs.py
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLAIM = re.compile(r"# (?:= (?P<value>.+)|(?P<error>\w*Error)\b.*)$", re.MULTILINE)
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Checker(doctest.OutputChecker):
    """Takes outputs for equal that differ in blanks, at their begin too."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want.strip() + "\n", got.strip() + "\n", optionflags)


def run_statement(source: str, names: dict) -> None:
    """Runs a statement; asserts what its comment says."""
    claim = CLAIM.search(source)
    if claim is None:
        exec(source, names)
    elif claim["error"]:
        with pytest.raises(Exception) as raised:
            exec(source, names)
        assert claim["error"] in [kind.__name__ for kind in raised.type.__mro__], source
    else:
        assert repr(eval(source, names)).split() == claim["value"].split(), source


def run_code(text: str, name: str) -> int:
    """Runs the code of a document; gives how many statements it has."""
    names, count = {"torch": tenstride}, 0
    for fence in FENCE.finditer(text):
        code = fence[1]
        if ">>>" in code:
            line = text[: fence.start()].count("\n") + 1
            session = doctest.DocTestParser().get_doctest(code, names, name, None, line)
            count += len(session.examples)
            doctest.DebugRunner(Checker(), optionflags=LIKE).run(session, clear_globs=False)
            names.update(session.globs)
            continue
        lines = code.splitlines()
        for node in ast.parse(code).body:
            run_statement("\n".join(lines[node.lineno - 1 : node.end_lineno]), names)
            count += 1
    return count


@pytest.fixture(autouse=True)
def in_place_of_torch(monkeypatch, tmp_path):
    for name in ("torch", "einops"):
        monkeypatch.setitem(sys.modules, name, tenstride)
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "...")  # the docstrings' is another: conftest.py
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_code_of_a_document_runs_and_gives_what_it_says(path):
    text = path.read_text(encoding="utf-8")
    assert run_code(text, path.name) >= text.count("```python\n")


@pytest.mark.parametrize(
    "code",
    [
        "torch.zeros(2).numel()  # = 3",
        "torch.zeros(2).view(3)  # ValueError",
        "torch.zeros(2).numel()  # RuntimeError: no",
        "torch.zeros(2).view(3)",
        ">>> torch.zeros(2).numel()\n3",
    ],
)
def test_code_that_does_not_give_what_it_says_is_found(code):
    with pytest.raises((AssertionError, RuntimeError, doctest.DocTestFailure, pytest.fail.Exception)):
        run_code(f"```python\n{code}\n```\n", "text")
