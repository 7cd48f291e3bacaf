# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride explain FILE.py`: the command line of the explanation of Python code."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence

from . import CodeExplanation, declared, explain_code

_HELP = """\
Explains Python code by running it: what each call of PyTorch, NumPy or einops does with memory, with its line.

`torch` and `einops` stand for tenstride's tracing modules, `numpy` is NumPy itself, watched. What only computes
(layers, softmax, products) has a shape and no elements. Code is run as it stands, statement by statement: its files,
network and processes are NOT kept from it, so explain no code that you would not run. What fails is told and the
rest goes on.
"""
_MORE = """\
FILE is a file of Python, a paste of a notebook or a prompt, or - for standard input. An expression in PyTorch's
notation that is no file goes to the program: tenstride explain --help.

examples:
  python -m tenstride explain question.py
  python -m tenstride explain question.py --let x=2x21x4x4 --let n=5 --let labels=32:int64
  python -m tenstride explain - < paste.txt
"""
_OF_THE_PROGRAM = ("--input", "--plan", "--machine", "--max-mem", "--picture")


def is_for_python(arguments: Sequence[str]) -> bool:
    """Whether the arguments of `tenstride explain …` are for this explanation, and not for the program's."""
    if any(argument.partition("=")[0] in _OF_THE_PROGRAM for argument in arguments):
        return False
    if any(argument.partition("=")[0] in ("-h", "--help", "--let", "--real", "--steps") for argument in arguments):
        return True
    texts = [argument for argument in arguments if not argument.startswith("-") or argument == "-"]
    return len(texts) == 1 and (texts[0] == "-" or texts[0].endswith(".py") or _is_file(texts[0]))


def main(arguments: Sequence[str]) -> int:
    """Explains a file or a text, and returns the exit code: 1 where something failed, 2 where the call is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tenstride explain",
        description=_HELP,
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a file, - for standard input, or the code itself")
    parser.add_argument(
        "--let",
        action="append",
        default=[],
        metavar="NAME=SIZES",
        help="what a name is that the code does not define: x=2x3x4, x=2x3:int64, n=5 (a number); may be repeated",
    )
    parser.add_argument("--real", action="store_true", help="run the code with the PyTorch that is installed")
    parser.add_argument("--json", action="store_true", help="steps, errors and totals as JSON")
    parser.add_argument("--strict", action="store_true", help="a reshape that only reorders the sizes is a failure")
    parser.add_argument("--steps", type=int, default=10_000, metavar="N", help="stop after N steps (10000)")
    given = parser.parse_args(arguments)
    try:
        let = dict(declared.parse(text) for text in given.let)
        explanation = explain_code(
            _read(given.file), let=let, real=given.real, strict=given.strict, most_steps=given.steps
        )
    except SyntaxError as error:
        print(
            f"tenstride: line {error.lineno} is no Python: {error.msg}: {(error.text or '').strip()}", file=sys.stderr
        )
        return 2
    except (OSError, ValueError, ImportError) as error:
        print(f"tenstride: {error}", file=sys.stderr)
        return 2
    try:
        _print(explanation, given.json)
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if explanation.errors else 0


def _print(explanation: CodeExplanation, as_json: bool) -> None:
    if as_json:
        print(explanation.to_json(), flush=True)
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None
        plain = not (sys.stdout.encoding or "ascii").lower().replace("-", "").startswith("utf")
        print(explanation.to_text(width, ascii_only=plain), flush=True)


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    if _is_file(file) or file.endswith(".py"):
        with open(file, "rb") as stream:
            return stream.read().decode("utf-8", "replace")
    return file


def _is_file(text: str) -> bool:
    try:
        return os.path.isfile(text)
    except ValueError:  # a null byte
        return False
