# SPDX-License-Identifier: Apache-2.0
"""Finds the Python code in a text, in any of these forms, with the output that the text shows.

- Fences: code between ``` and ```, statement by statement; a comment says what a statement gives.
- Prompts: `>>>` and `...`, in a fence or in the text itself; the output follows, up to an empty line.
- Cells: lines of the text itself that are Python, as in a notebook whose boxes are lost; the output of the whole cell
  follows, up to an empty line.
- Inline: `code` and <code>code</code> within a sentence.
- Figures: a fence that shows a value, as `Strides: (3, 1)`, of the name that the sentence above it assigns.

The body of a function that lost its indentation is indented again (`mend`).
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
import warnings
from dataclasses import dataclass

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`|<code>([^<\n]+)</code>")
FIGURE = re.compile(r"\s*(?P<what>[A-Za-z_]\w*)\s*[:=]\s*(?P<value>[\[(].*)", re.DOTALL)
WARNING = re.compile(r"\S*:\d+: \w*Warning:")
BLOCK = re.compile(r"\s*(def|class|if|for|while|with|try|elif|else|except|finally)\b.*:\s*(#.*)?$")
GOES_ON = {"elif": ("if", "elif"), "else": ("if", "elif", "for", "while", "try", "except"), "except": ("try", "except")}
GOES_ON["finally"] = ("try", "except", "else")
PYTHON = ("python", "py", "pycon")


@dataclass
class Step:
    """Code that is run as one step, with its line in the text and the output that the text shows."""

    line: int
    form: str  # "statement" (of a fence), "prompt", "cell", "inline", "figure"
    source: str
    wanted: str | None = None  # the output; None if the text shows none
    comment: str = ""  # the comments within and after a statement
    above: str = ""  # the comment on the line above


def parsed(code: str) -> ast.Module | None:
    """The code's syntax tree; None if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<text>", "exec")
            return ast.parse(code)
    except (SyntaxError, ValueError):
        return None


def reindented(lines: list[str]) -> str:
    """The lines, indented again. Each belongs to the innermost block, which a line such as `return` ends."""
    open_blocks: list[str] = []
    result = []
    is_ended = False
    for line in lines:
        keyword = re.match(r"\s*(\w*)", line)[1]
        if keyword in GOES_ON:
            while open_blocks and open_blocks[-1] not in GOES_ON[keyword]:
                open_blocks.pop()
            if open_blocks:
                open_blocks.pop()
        elif is_ended and len(open_blocks) > 1:
            open_blocks.pop()
        result.append("    " * len(open_blocks) + line.strip())
        block = BLOCK.match(line)
        if block:
            open_blocks.append(block[1])
        is_ended = keyword in ("return", "raise", "break", "continue")
    return "\n".join(result)


def mend(code: str) -> str:
    """The code, in which functions whose bodies lost their indentation have it again.

    A body is as short as lets the function and what follows be compiled, and ends before the next `def`. Where an inner
    block ended otherwise than by `return`, `else` and their like cannot be known:

    >>> print(mend("def twice(x):\\ny = x + x\\nreturn y\\nprint(twice(2))"))
    def twice(x):
        y = x + x
        return y
    print(twice(2))
    """
    if parsed(code) is not None:
        return code
    lines = code.splitlines()
    first = next((i for i, line in enumerate(lines) if re.match(r"def\b", line)), None)
    if first is None:
        return code
    following = next((i for i in range(first + 1, len(lines)) if re.match(r"def\b", lines[i])), len(lines))
    for end in range(first + 2, following + 1):
        body = reindented(lines[first:end])
        rest = mend("\n".join(lines[end:]))
        if parsed(body) is not None and parsed(rest) is not None:
            return "\n".join([*lines[:first], body, rest])
    return code


def is_code(tree: ast.Module, behind: str = "") -> bool:
    """Whether the tree does something: words of a sentence are names, and outputs are literals.

    A name alone is code where the line behind it shows its value.
    """
    return bool(tree.body) and all(does_something(node, behind) for node in tree.body)


def does_something(node: ast.stmt, behind: str) -> bool:
    """Whether the statement is more than words or an output."""
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Name):
            return re.match(r"tensor\(|[-\d(\[]", behind) is not None
        parts = [part for part in ast.walk(node.value) if isinstance(part, (ast.Call, ast.Attribute, ast.Subscript))]
        return bool(parts) and not is_output(node.value)
    return not isinstance(node, ast.AnnAssign)


def is_output(value: ast.expr) -> bool:
    """Whether the expression is how a value is printed: a literal, or a call with literals as `torch.Size([2, 3])`."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("torch.Size", "tensor", "array"):
        parts = [*value.args, *(keyword.value for keyword in value.keywords)]
        return all(is_output(part) or isinstance(part, ast.Attribute) for part in parts)
    if re.fullmatch(r"torch\.\w+", ast.unparse(value)):
        return True
    if isinstance(value, (ast.Tuple, ast.List)):
        return all(map(is_output, value.elts))
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError):
        return False
    return True


def is_open(text: str) -> bool:
    """Whether brackets are still open, so that an empty line belongs to the value printed."""
    return text.count("[") + text.count("(") > text.count("]") + text.count(")")


def output_from(lines: list[str], start: int) -> tuple[str, int]:
    """The output that begins at the line, and the line behind it."""
    end = start
    while end < len(lines) and (lines[end].strip() or is_open("\n".join(lines[start:end]))):
        if lines[end].startswith(">>>") or WARNING.match(lines[end]):
            break
        end += 1
    return "\n".join(line.rstrip() for line in lines[start:end]), end


def prompt_steps(lines: list[str], start: int) -> tuple[list[Step], int]:
    """The session that begins at the line, and the line behind it."""
    steps, at = [], start
    while at < len(lines) and lines[at].startswith(">>>"):
        line, source = at, [lines[at][4:]]
        at += 1
        while at < len(lines) and lines[at].startswith("..."):
            source.append(lines[at][4:])
            at += 1
        wanted, at = output_from(lines, at)
        steps.append(Step(line + 1, "prompt", "\n".join(source), wanted))
        while at + 1 < len(lines) and not lines[at].strip() and lines[at + 1].startswith(">>>"):
            at += 1
    return steps, at


def statement_at(lines: list[str], start: int) -> int:
    """The line behind the statement that begins here; `start` where no code does."""
    if not lines[start].strip() or lines[start][0].isspace():
        return start
    end = start + 1
    limit = min(len(lines), start + 60)
    while end <= limit and parsed("\n".join(lines[start:end])) is None:
        if end < limit and not lines[end].strip():
            return start
        end += 1
    while end < limit and (lines[end][:1].isspace() and lines[end].strip()):
        end += 1
    tree = parsed("\n".join(lines[start:end])) if end <= limit else None
    behind = lines[end] if end < len(lines) else ""
    return end if tree is not None and is_code(tree, behind) else start


def cell_step(lines: list[str], start: int) -> tuple[Step | None, int]:
    """The cell that begins at the line, and the line behind its output; None where none does."""
    end = start
    while end < len(lines) and (behind := statement_at(lines, end)) > end:
        end = behind
    if end == start:
        return None, start
    wanted, behind = output_from(lines, end)
    if re.fullmatch(r"[=-]{3,}", wanted):
        return None, start  # a heading, underlined
    return Step(start + 1, "cell", "\n".join(lines[start:end]), wanted or None), behind


def comments(source: str) -> str:
    """The comments in the statement, one a line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join(token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT)


def fenced_steps(code: str, line: int) -> list[Step]:
    """The statements of a fence; with each its comment, or the one above it."""
    if ">>>" in code:
        lines = textwrap.dedent(code).splitlines()
        return [
            Step(step.line + line - 1, step.form, step.source, step.wanted)
            for at in range(len(lines))
            if lines[at].startswith(">>>") and (at == 0 or not is_within_session(lines, at))
            for step in prompt_steps(lines, at)[0]
        ]
    code = mend(textwrap.dedent(code))
    lines = code.splitlines()
    steps = []
    for node in ast.parse(code).body:
        source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        comment = "" if isinstance(node, ast.FunctionDef) else comments(source)
        above = lines[node.lineno - 2].strip() if node.lineno > 1 else ""
        above = above[1:].strip() if above.startswith("#") else ""
        steps.append(Step(line + node.lineno - 1, "statement", source, None, comment, above))
    return steps


def is_within_session(lines: list[str], at: int) -> bool:
    """Whether a session that began above has this prompt."""
    starts = [i for i in range(at) if lines[i].startswith(">>>")]
    return bool(starts) and prompt_steps(lines, starts[0])[1] > at


def is_python(language: str, code: str, takes_all: bool) -> bool:
    """Whether the fence is code to run: marked as Python, or unmarked and more than a formula."""
    if language.strip() not in (*PYTHON, "" if takes_all else "python"):
        return False
    if ">>>" in code:
        return True
    tree = parsed(mend(textwrap.dedent(code)))
    if tree is None:
        return language.strip() in PYTHON
    return any(
        isinstance(node, (ast.Call, ast.Import, ast.ImportFrom, ast.FunctionDef)) for node in ast.walk(tree)
    ) or (any(isinstance(node, ast.Subscript) for node in ast.walk(tree)) and "#" in code)


def inline_steps(line: str, number: int) -> list[Step]:
    """Expressions and assignments within a sentence."""
    steps = []
    for match in INLINE.finditer(line):
        source = (match[1] or match[2]).strip()
        if re.fullmatch(r"(torch|einops)(\.\w+)+", source):
            continue  # a thing's name
        tree = parsed(source)
        if tree is not None and len(tree.body) == 1 and is_code(tree) and not is_figure(tree.body[0]):
            steps.append(Step(number, "inline", source))
    return steps


def is_figure(node: ast.stmt) -> bool:
    """Whether the statement assigns a literal to a name, which within a sentence is an explanation, not code to run."""
    return isinstance(node, ast.Assign) and not any(isinstance(part, ast.Call) for part in ast.walk(node.value))


def figure_step(code: str, line: int) -> Step | None:
    """A fence that shows a value: `Strides: (3, 1)`."""
    match = FIGURE.fullmatch(code.rstrip())
    if not match or parsed("_ = " + match["value"]) is None:
        return None
    return Step(line, "figure", match["what"], match["value"])


def take(text: str, takes_all: bool = True) -> list[Step]:
    """All code of the text in order; without `takes_all` only fences that are marked as Python."""
    fences = {text[: match.start()].count("\n"): match for match in FENCE.finditer(text)}
    lines = text.splitlines()
    steps: list[Step] = []
    at = 0
    while at < len(lines):
        if at in fences:
            language, code = fences[at][1], fences[at][2]
            if is_python(language, code, takes_all):
                steps += fenced_steps(code, at + 2)
            elif takes_all and not language.strip():
                figure = figure_step(code, at + 2)
                steps += [figure] if figure else []
            at += fences[at][0].count("\n") + (not fences[at][0].endswith("\n"))
            continue
        if takes_all and lines[at].startswith(">>>"):
            session, at = prompt_steps(lines, at)
            steps += session
            continue
        cell, behind = cell_step(lines, at) if takes_all else (None, at)
        if cell:
            steps.append(cell)
            at = behind
            continue
        if takes_all:
            steps += inline_steps(lines[at], at + 1)
        at += 1
    return steps


def session(steps: list[Step]) -> str:
    """The steps as a recorded session: each statement at a prompt, below it the output that the text says."""
    lines = []
    for step in steps:
        tree = parsed(step.source)
        if tree is None or step.form == "figure":
            continue
        firsts = {node.lineno for node in tree.body}
        lines += [(">>> " if i in firsts else "... ") + row for i, row in enumerate(step.source.splitlines(), 1)]
        if step.wanted:
            lines.append(step.wanted)
    return "".join(line + "\n" for line in lines)
