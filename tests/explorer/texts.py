# SPDX-License-Identifier: Apache-2.0
"""Expressions to try the explorer with: those of the documents, the stories and the tests, and random ones."""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"tenstride (?:explain|show)(?: -\S+)* ('[^']+'|\"[^\"]+\")")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
NOTATION = re.compile(r"\btorch\.|\b(?:rearrange|reduce|repeat)\(")


def of_documents() -> list[str]:
    texts = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        texts += [found[1:-1] for found in COMMAND.findall(text)]
        for fence in FENCE.findall(text):
            said = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", fence, re.MULTILINE)
            lines = said if ">>>" in fence else fence.splitlines()
            texts.append("\n".join(lines))
            texts += [line for line in lines if NOTATION.search(line)]
    return texts


def of_tests() -> list[str]:
    texts = []
    for folder in ("explain", "expression", "picture", "operations"):
        for path in sorted((ROOT / "tests" / folder).glob("*.cpp")):
            for literal in LITERAL.findall(path.read_text(encoding="utf-8")):
                if not NOTATION.search(literal):
                    continue
                try:
                    texts.append(ast.literal_eval(literal))
                except (SyntaxError, ValueError):
                    continue
    return texts


def of_stories() -> list[str]:
    printed = subprocess.run(["node", ROOT / "tests/explorer/answers.mjs"], check=True, capture_output=True, text=True)
    return json.loads(printed.stdout)


STEPS = [
    ".permute({order})",
    ".transpose({a},{b})",
    ".T",
    ".contiguous()",
    ".view(-1)",
    ".reshape(-1)",
    ".flip({a})",
    "[1:]",
    "[...,::2]",
    ".unsqueeze({a})",
    ".squeeze()",
    ".flatten()",
    ".expand(2,*x.shape)",
    ".clone()",
    ".unfold({a},2,1)",
    ".narrow({a},0,1)",
    ".sum({a})",
    ".to(torch.float16)",
    ".view(torch.int16)",
    ".movedim({a},{b})",
    ".roll(1,{a})",
    ".select({a},0)",
    ".diagonal()",
    ".chunk(2)",
    ".view({sizes})",
    ".reshape({sizes})",
    ".t()",
    ".mT",
    ".repeat(2,2)",
]
INSERTED = ("(", ")", "[", "]", ",", ":", ".", "9", "-", "**", "é", "\n", "torch", "range(")


def random_text(chance: random.Random, largest: int) -> str:
    """A factory and up to six operations; sizes reach from 0 to `largest`."""
    shape = [chance.choice((1, 2, 3, 4, chance.randint(0, largest))) for _ in range(chance.randint(0, 4))]
    axes = max(len(shape), 1)
    text = f"x = torch.{chance.choice(('zeros', 'ones'))}({', '.join(map(str, shape)) or '()'})"
    if largest < 100 and chance.random() < 0.5:
        count = 1
        for size in shape:
            count *= size
        text = f"x = torch.arange({count}).view({', '.join(map(str, shape)) or '()'})"
    calls = ""
    for _ in range(chance.randint(1, 6)):
        order = chance.sample(range(axes), axes)
        calls += chance.choice(STEPS).format(
            order=", ".join(map(str, order)),
            a=chance.randint(-axes, axes - 1),
            b=chance.randint(-axes, axes - 1),
            sizes=", ".join(str(chance.randint(1, largest)) for _ in range(chance.randint(1, 3))),
        )
    return f"{text}\nx{calls}"


def random_texts(count: int, largest: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [random_text(chance, largest) for _ in range(count)]


def mutated(text: str, chance: random.Random) -> str:
    """The text with characters taken out, doubled, swapped or put in."""
    letters = list(text)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(letters) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            letters[at:at] = chance.choice(INSERTED)
        elif kind == 1:
            del letters[at : at + chance.randint(1, 5)]
        elif kind == 2:
            letters[at:at] = letters[at : at + chance.randint(1, 8)]
        else:
            letters[at : at + 2] = reversed(letters[at : at + 2])
    return "".join(letters)


def known_texts() -> list[str]:
    """Each once, in a fixed order."""
    return list(dict.fromkeys(of_documents() + of_stories() + of_tests()))
