#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python code of texts with tenstride in PyTorch's place, and compares the outputs with the texts.

    scripts/snippets.py [--all] [--list] docs/*.md
    scripts/snippets.py --all --list --beside /usr/bin/python3 --prelude "x = torch.arange(6)" TEXT
    scripts/snippets.py --all --session TEXT

Runs fenced code that is marked as Python; with --all also unmarked fences, prompts (`>>>`) and cells in the text
itself, and expressions within sentences (scripts/snippet_forms.py). Each text has one namespace, where `import torch`
and `import einops` give tenstride. An output must equal the text's. Of a random output, which a second run with another
seed detects, only the form must: everything but the digits. The claims of comments are checked, too
(scripts/snippet_facts.py).

--prelude gives code that a text assumes, --before LINE CODE code that it lacks, such as the values of its random
numbers. --beside names a Python with PyTorch that runs everything as well: a statement that PyTorch refuses must be
refused with the same kind of error, and if the text shows no output both outputs must be equal. Exits with 1 if
anything differs, except where PyTorch differs from the text in the same way.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import io
import json
import re
import subprocess
import sys
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from snippet_facts import complaints, expectations, figure_complaint
from snippet_forms import Step, session, take

SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NUMBER = re.compile(r"[-+]?\d+(\.\d*)?(e[-+]?\d+)?")


@dataclass
class Outcome:
    """The outcome of running a step."""

    output: str = ""  # printed, and the value of the last expression as the prompt shows it
    errors: list[str] = field(default_factory=list)  # the kind of the exception and the kinds it derives from
    message: str = ""
    facts: int = 0  # the number of claims in the comments
    complaints: list[str] = field(default_factory=list)  # the claims that are wrong
    unknown: bool = False  # within a sentence, and with names that do not exist


def evaluate(source: str, names: dict) -> object:
    """Runs the statements; gives the value of the last one if it is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<text>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<text>", "eval"), names) if last else None


def run_step(step: Step, names: dict) -> Outcome:
    """Runs one step in the namespace `names`."""
    outcome = Outcome()
    if step.form == "figure":
        outcome.facts, outcome.complaints = 1, figure_complaint(step, names)
        return outcome
    if step.form == "inline" and not all(
        node.id in names for node in ast.walk(ast.parse(step.source)) if is_read(node)
    ):
        outcome.unknown = True
        return outcome
    printed = io.StringIO()
    value = None
    expected = expectations(step, names)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's deprecation warnings
            value = evaluate(step.source, names)
    except Exception as error:
        outcome.errors = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, Exception)]
        outcome.message = str(error)
    echo = "" if value is None or step.form == "statement" else f"{value!r}\n"
    outcome.output = printed.getvalue() + echo
    if step.form == "statement":
        outcome.facts, outcome.complaints = complaints(step, expected, outcome, value, names)
    return outcome


def is_read(node: ast.AST) -> bool:
    """Whether the node reads a name."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def run_steps(
    steps: list[Step], module: object, prelude: str, before: list[tuple[int, str]], seed: int
) -> list[Outcome]:
    """All steps of a text, in one namespace."""
    names: dict = {"torch": module, module.__name__: module, "__name__": "__main__"}
    module.manual_seed(seed)
    exec(compile(prelude, "<prelude>", "exec"), names)
    waiting = sorted(before)
    outcomes = []
    for step in steps:
        while waiting and waiting[0][0] <= step.line:
            exec(compile(waiting.pop(0)[1], "<before>", "exec"), names)
        outcomes.append(run_step(step, names))
    return outcomes


def refusal(wanted: str | None) -> tuple[str, str] | None:
    """The kind and message of the error that the output is; None where it is none."""
    text = re.sub(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*", "", wanted or "")
    match = re.match(r"(?:[A-Za-z]\w*\.)*(\w+Error)(?:: (.*))?\Z", text.strip(), re.DOTALL)
    return (match[1], match[2] or "") if match else None


def same(found: str, wanted: str) -> bool:
    """Whether the outputs are equal; any run of blanks counts as one."""
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", found.strip() + "\n", SAME)


def alike(found: str, wanted: str) -> bool:
    """Whether the outputs have the same form, whatever the numbers are."""
    return NUMBER.sub("0", "".join(found.split())) == NUMBER.sub("0", "".join(wanted.split()))


def shown(outcome: Outcome) -> str:
    """The outcome in a line: of an exception its kind and the first line of its message."""
    if outcome.errors:
        return f"{outcome.errors[0]}: {outcome.message}".partition("\n")[0]
    return outcome.output.strip()


def verdict(step: Step, outcome: Outcome, again: Outcome, peer: Outcome | None) -> tuple[str, str]:
    """The outcome of the step in a word, and what differs, if anything."""
    if outcome.unknown:
        return "no code", ""
    if peer is not None and peer.errors[:1] == ["ModuleNotFoundError"]:
        peer = None
    found = shown(outcome)
    as_peer = peer is not None and (peer.errors[:1] or [""])[0] in (*outcome.errors, "")
    as_peer = as_peer and bool(peer.errors) == bool(outcome.errors)
    is_random = outcome.output != again.output
    if as_peer and not outcome.errors:
        as_peer = same(outcome.output, peer.output) or (is_random and alike(outcome.output, peer.output))
    refused = refusal(step.wanted)
    if refused:
        kind, message = refused
        given = outcome.message if "\n" in message else outcome.message.partition("\n")[0]
        if kind in outcome.errors and (not message or same(given, message)):
            return "equal", ""
    elif step.wanted is not None and step.form != "figure" and not outcome.errors:
        if same(outcome.output, step.wanted):
            return "equal", ""
        if is_random and alike(outcome.output, step.wanted):
            return "alike", "random numbers"
    elif outcome.facts and not outcome.complaints:
        return "as said", ""
    elif not outcome.errors and not outcome.complaints:
        if peer is None or peer.unknown or as_peer:
            return "ran", "" if peer is None else "as in PyTorch"
        return "differs", f"gives {found}; PyTorch {shown(peer)}"
    says = "; ".join(outcome.complaints) or (
        "" if step.wanted is None else f"the text says {step.wanted.strip() or 'nothing'}"
    )
    if as_peer and (peer.complaints == outcome.complaints or outcome.errors):
        return "as PyTorch", f"{found}; {says}"
    return "differs", "; ".join(part for part in (f"gives {found}" if found else "", says) if part)


def beside(python: str, options: argparse.Namespace) -> list[list[Outcome]]:
    """The outcomes of the texts with the PyTorch of `python`."""
    command = [python, "-B", __file__, "--as", "torch", "--outcomes", "--prelude", options.prelude]
    command += ["--all"] if options.all else []
    for line, code in options.before:
        command += ["--before", line, code]
    found = subprocess.run([*command, *map(str, options.texts)], capture_output=True, text=True, check=True)
    return [[Outcome(**outcome) for outcome in text] for text in json.loads(found.stdout)]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+", type=Path, help="Markdown or plain texts")
    parser.add_argument("--all", action="store_true", help="also code that no fence calls Python")
    parser.add_argument("--list", action="store_true", help="print the outcome of each statement")
    parser.add_argument("--session", action="store_true", help="print what is taken as a session; run nothing")
    parser.add_argument("--prelude", default="", metavar="CODE", help="run before each text")
    parser.add_argument("--before", nargs=2, action="append", default=[], metavar=("LINE", "CODE"))
    parser.add_argument("--beside", metavar="PYTHON", help="a Python with PyTorch, to compare with")
    parser.add_argument("--as", dest="module", default="tenstride", help=argparse.SUPPRESS)
    parser.add_argument("--outcomes", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Runs the texts named on the command line."""
    options = arguments()
    taken = [take(path.read_text(encoding="utf-8"), options.all) for path in options.texts]
    if options.session:
        print("".join(map(session, taken)), end="")
        return 0
    module = __import__(options.module)
    if options.module != "torch":
        sys.modules["torch"] = sys.modules["einops"] = module
    before = [(int(line), code) for line, code in options.before]
    runs = [[run_steps(steps, module, options.prelude, before, seed) for seed in (1, 2)] for steps in taken]
    if options.outcomes:
        print(json.dumps([[asdict(outcome) for outcome in run[0]] for run in runs]))
        return 0
    peers = beside(options.beside, options) if options.beside else [[None] * len(steps) for steps in taken]
    differences = 0
    for path, steps, run, peer in zip(options.texts, taken, runs, peers):
        verdicts = [verdict(*step) for step in zip(steps, *run, peer)]
        words = [word for word, _ in verdicts if word != "no code"]
        for step, (word, detail) in zip(steps, verdicts):
            if word == "differs" or (options.list and word != "no code"):
                source = step.source.splitlines()[0] + (" …" if "\n" in step.source else "")
                print(f"{path.name}:{step.line}: {word}: {source}" + (f"\n    {detail}" if detail else ""))
        differences += words.count("differs")
        counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        print(f"{path.name}: {len(words)} statements: {counts or 'none'}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
