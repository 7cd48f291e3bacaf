#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python code of texts with tenstride in PyTorch's place.

    scripts/snippets.py [--all] docs/*.md

Takes the fenced code of each text (```python; with --all also ``` alone where it is no formula), and runs it from top
to bottom in one namespace, where `import torch` and `import einops` give tenstride. Code that prompts (`>>>`) is a
doctest: its output must be as it says. A comment `# works …` or `# RuntimeError …` behind a call says whether it must
go well; `# = 5`, `# it is True` and `# outputs: (3, 1)` say what the line gives or prints. Ends with 1 where anything
differs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import io
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import tenstride

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
SAYS = re.compile(r"#\s*(?:=|it is|outputs?:)\s*(?P<value>.+?)\s*$")


@dataclass
class Result:
    """What became of a text's code."""

    snippets: int = 0
    statements: int = 0
    checked: int = 0
    differences: list[str] = field(default_factory=list)


def is_python(language: str, code: str, takes_all: bool) -> bool:
    """Whether the code is meant to be run: named as Python, or, unnamed, parsed as more than a formula."""
    if language.strip() not in ("python", "py", "pycon", "" if takes_all else "python"):
        return False
    if ">>>" in code:
        return True
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return language.strip() in ("python", "py")
    return any(
        isinstance(node, (ast.Call, ast.Import, ast.ImportFrom, ast.FunctionDef)) for node in ast.walk(tree)
    ) or (any(isinstance(node, ast.Subscript) for node in ast.walk(tree)) and "#" in code)


def run_doctest(code: str, names: dict, where: str, result: Result) -> None:
    """Code at a prompt: the output must be as the text says."""
    test = doctest.DocTestParser().get_doctest(code, names, where, where, 0)
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    )
    output: list[str] = []
    runner.run(test, out=output.append, clear_globs=False)
    result.statements += len(test.examples)
    result.checked += sum(bool(example.want) for example in test.examples)
    if runner.failures:
        result.differences.append("".join(output))
    names.update(test.globs)


def said(source: str) -> str | None:
    """What the comment at the end of the statement says about its value."""
    match = SAYS.search(source)
    if not match:
        return None
    return match["value"].rsplit("=", 1)[-1].strip()


def same(found: str, wanted: str) -> bool:
    """Whether the two are equal as Python's values; blanks play no part."""

    def plain(text: str) -> str:
        return re.sub(r"\s|tensor|[()]", "", text)

    return plain(found) == plain(wanted)


def run_code(code: str, names: dict, where: str, result: Result) -> None:
    """Statement by statement, each held against its comment."""
    code = textwrap.dedent(code)
    lines = code.splitlines()
    for node in ast.parse(code).body:
        source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        result.statements += 1
        refusal = re.search(r"#.*\bRuntimeError", source)
        wanted = None if isinstance(node, ast.FunctionDef) else said(source)
        printed = io.StringIO()
        value = None
        try:
            with contextlib.redirect_stdout(printed):
                if isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), where, "eval"), names)
                else:
                    exec(compile(ast.Module([node], []), where, "exec"), names)
        except RuntimeError as error:
            if not refusal:
                result.differences.append(f"{where}: {source}\n    RuntimeError: {str(error).splitlines()[0]}")
            result.checked += 1
            continue
        except Exception as error:
            result.differences.append(f"{where}: {source}\n    {type(error).__name__}: {error}")
            continue
        if refusal:
            result.differences.append(f"{where}: {source}\n    went well, but the text says RuntimeError")
        if wanted is not None:
            found = printed.getvalue().strip() or repr(value)
            result.checked += 1
            if not same(found, wanted):
                result.differences.append(f"{where}: {source}\n    gives {found}, the text says {wanted}")


def run_text(text: str, name: str, takes_all: bool) -> Result:
    """All code of one text, in one namespace."""
    result = Result()
    names: dict = {"torch": tenstride, "tenstride": tenstride, "__name__": "__main__"}
    for match in FENCE.finditer(text):
        language, code = match[1], match[2]
        if not is_python(language, code, takes_all):
            continue
        result.snippets += 1
        where = f"{name}:{text[: match.start()].count(chr(10)) + 2}"
        if ">>>" in code:
            run_doctest(code, names, where, result)
        else:
            run_code(code, names, where, result)
    return result


def main() -> int:
    """Runs the texts named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+", type=Path, help="Markdown or plain texts with fenced code")
    parser.add_argument("--all", action="store_true", help="also code whose fence names no language")
    options = parser.parse_args()
    sys.modules["torch"] = sys.modules["einops"] = tenstride
    differences = 0
    for path in options.texts:
        result = run_text(path.read_text(encoding="utf-8"), path.name, options.all)
        for difference in result.differences:
            print(difference)
        differences += len(result.differences)
        print(
            f"{path.name}: {result.snippets} snippets, {result.statements} statements, "
            f"{result.checked} held against the text, {len(result.differences)} differ"
        )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
