# SPDX-License-Identifier: Apache-2.0
"""scripts/snippets.py finds the code of a text in each form, and finds where it does not give what the text says."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import tenstride

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import snippets  # noqa: E402
from snippet_forms import mend, session, take  # noqa: E402

SESSIONS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("tests/data/sessions/*.txt"))}
PROSE = (
    "Shape and stride",
    "A tensor points to data. Its dimensions are given by its shape, as (2, 3), and by 3 more: see below.",
    "January 19, 2024",
    "Views",
    "dim = 2 or more, x and y, Strides: 3",
)


def entries(recorded: str):
    """The statements of a session, each with its output."""
    for part in re.split(r"^(?=>>> )", recorded, flags=re.MULTILINE)[1:]:
        source = re.match(r"(?:(?:>>>|\.\.\.)[^\n]*\n)+", part)[0]
        yield source, part[len(source) :]


def at_prompts(recorded: str) -> str:
    """A text with the session in it, a sentence behind every third statement."""
    parts = []
    for i, (source, output) in enumerate(entries(recorded)):
        parts.append(source + output + (f"\n{PROSE[i % len(PROSE)]}\n\n" if i % 3 == 0 else ""))
    return "A text.\n\n" + "".join(parts) + "\nIts end."


def in_fences(recorded: str) -> str:
    """The same, in fences that name no language."""
    return "\n".join(f"{PROSE[0]}:\n\n```\n{source}{output}```\n" for source, output in entries(recorded))


def as_cells(recorded: str) -> str:
    """The same as a notebook's page: neither prompts nor fences, the output below the code."""
    parts = []
    for i, (source, output) in enumerate(entries(recorded)):
        parts.append(
            re.sub(r"^(>>> |\.\.\. )", "", source, flags=re.MULTILINE) + output + f"\n{PROSE[i % len(PROSE)]}\n\n"
        )
    return "".join(parts)


@pytest.mark.parametrize("form", [at_prompts, in_fences, as_cells])
@pytest.mark.parametrize("name", SESSIONS)
def test_takes_a_session_out_of_a_text(name, form):
    assert session(take(form(SESSIONS[name]))) == SESSIONS[name]


@pytest.mark.parametrize("name", SESSIONS)
def test_takes_nothing_where_only_python_is_asked_for(name):
    assert (
        take(at_prompts(SESSIONS[name]) + in_fences(SESSIONS[name]) + as_cells(SESSIONS[name]), takes_all=False) == []
    )


def test_takes_no_code_out_of_sentences():
    assert take("\n\n".join(PROSE)) == []


@pytest.mark.parametrize(
    "code",
    [
        textwrap.dedent(source.replace(">>> ", "").replace("... ", ""))
        for recorded in SESSIONS.values()
        for source, _ in entries(recorded)
        if source.startswith(">>> def") and "for x, y" not in source  # whose loop's end cannot be known
    ]
    + [
        "def twice(x):\n    y = x + x\n    return y\n",
        "def f(x):\n    if x:\n        return 1\n    else:\n        return 2\n",
    ],
)
def test_mends_functions_that_lost_their_indentation(code):
    following = "sizes = (3, 4)\n# a comment\nprint(sizes)"
    lost = "\n".join(line.strip() for line in code.splitlines())
    assert mend(f"import math\n{lost}\n{following}") == f"import math\n{code}{following}"
    assert mend(f"{lost}\n{lost}\n{following}") == f"{code}{code}{following}"


TEXT = """
# Of every form something

For `x = torch.arange(6).reshape(2, 3)`, in sentences as `permute(1, 0)` or `x.T`:

```
Strides: (3, 1)
```

```
# Instead of: x.permute(1, 0).contiguous().view(6)
y = x.T.reshape(-1)    # silent copy
x.T.view(-1)           # RuntimeError - strides do not allow it
y[2]                   # = x[0, 1] + 0 = 1
z = x.view(3, 2)       # works - view, shape (3, 2)
print(z.shape)         # outputs: torch.Size([3, 2])
```

At the prompt:

>>> x.T.view(-1)
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
>>> x
tensor([[0, 1, 2],
        [3, 4, 5]])

And in a cell:

r = torch.rand(2, 3)
r.stride(), r.shape
((3, 1), torch.Size([2, 3]))

r[0]
tensor([0.1234, 0.5678, 0.9012])
"""  # noqa: E501


def words(text: str, prelude: str = "", before=()) -> list[str]:
    """What becomes of the steps of the text."""
    steps = take(text)
    runs = [snippets.run_steps(steps, tenstride, prelude, list(before), seed) for seed in (1, 2)]
    return [snippets.verdict(*step, None)[0] for step in zip(steps, *runs)]


def test_holds_each_form_against_the_text():
    assert words(TEXT) == [
        *("ran", "no code", "ran", "as said"),
        *("as said", "as said", "as said", "as said", "as said"),
        *("equal", "equal", "equal", "alike"),
    ]


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        ("Strides: (3, 1)", "Strides: (1, 2)"),
        ("contiguous().view(6)", "contiguous().view(6).flip(0)"),
        ("# silent copy", "# works - view"),
        ("x.T.view(-1)           #", "x.view(-1)             #"),
        ("+ 0 = 1", "+ 0 = 2"),
        ("shape (3, 2)", "shape (2, 3)"),
        ("works - view,", "explicit copy,"),
        ("outputs: torch.Size([3, 2])", "outputs: torch.Size([2, 3])"),
        ("RuntimeError: view size", "RuntimeError: the size"),
        ("RuntimeError: view size", "ValueError: view size"),
        ("        [3, 4, 5]])", "        [3, 4, 6]])"),
        ("((3, 1), ", "((1, 3), "),
        ("0.5678, ", ""),
    ],
)
def test_finds_what_differs(given, instead):
    assert given in TEXT
    assert words(TEXT.replace(given, instead, 1)).count("differs") == 1


def test_supplies_what_a_text_takes_for_granted():
    text = ">>> y = x.view(6)\n>>> y[0]\ntensor(7)\n"
    assert words(text) == ["differs", "differs"]
    assert words(text, prelude="x = torch.arange(6).view(2, 3)", before=[(2, "y[0] = 7")]) == ["equal", "equal"]


def test_finds_what_differs_from_pytorch_where_the_text_says_nothing():
    step = take("x = torch.ones(2)\nx.stride()\n\n")[0]
    ours, other = snippets.Outcome("(1,)\n"), snippets.Outcome("(2,)\n")
    refused = snippets.Outcome(errors=["IndexError", "Exception"], message="no")
    assert snippets.verdict(step, ours, ours, ours)[0] == "ran"
    assert snippets.verdict(step, ours, ours, other) == ("differs", "gives (1,); PyTorch (2,)")
    assert snippets.verdict(step, ours, ours, refused)[0] == "differs"
    assert snippets.verdict(step, refused, refused, refused)[0] == "as PyTorch"
    assert snippets.verdict(step, refused, refused, ours)[0] == "differs"


def test_program_says_what_became_of_each_statement(tmp_path):
    text = tmp_path / "text.md"
    text.write_text("```python\nx = torch.arange(6)\nx.view(4)  # works\n```\n", encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-B", str(ROOT / "scripts/snippets.py"), "--list", str(text)], capture_output=True, text=True
    )
    error = "ShapeError: view: sizes (4) make 4 elements and must make the tensor's 6 (shape (6))"
    assert found.returncode == 1
    assert found.stdout.splitlines() == [
        "text.md:2: ran: x = torch.arange(6)",
        "text.md:3: differs: x.view(4)  # works",
        f"    gives {error}; the text says nothing of an error",
        "text.md: 2 statements: 1 ran, 1 differs",
    ]
