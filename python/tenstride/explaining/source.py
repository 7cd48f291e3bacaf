# SPDX-License-Identifier: Apache-2.0
"""The text under study: its statements, and which expression an instruction belongs to.

Each node of the syntax tree gets its own number as its line, so that the line that Python tells of a frame names the
node under way, in every version of Python.
"""

from __future__ import annotations
import __future__

import ast
import re
from types import CodeType, FrameType

FILE = "<explained>"

_AS_MEANT = re.compile(r"#\s*as meant\b")
_MAX_TEXT = 64


class Place:
    """Where a call stands: its line, its text, the name it is assigned to; whether `# as meant` stands behind it."""

    __slots__ = ("as_meant", "code", "line", "name")

    def __init__(self, line: int, code: str, name: str | None, as_meant: bool) -> None:
        self.line, self.code, self.name, self.as_meant = line, code, name, as_meant


class Statement:
    """One statement of the top level: its code, its line, and whether it is an expression whose value is shown."""

    __slots__ = ("code", "is_expression", "line", "node")

    def __init__(self, node: ast.stmt, line: int) -> None:
        self.node, self.line = node, line
        self.is_expression = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Expr):
            self.code = _compiled(ast.Expression(node.value), "eval")
        else:
            self.code = _compiled(ast.Module([node], []), "exec")


class Source:
    """The parsed text. SyntaxError where it is no Python."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._encoded = [line.encode() for line in self.lines]
        self._places: list[Place] = []
        tree = ast.parse(text)
        lines = [node.lineno for node in tree.body]
        self._number(tree, None)
        self.statements = [Statement(node, line) for node, line in zip(tree.body, lines)]

    def place(self, frame: FrameType) -> Place:
        """The place of what a frame of this text is doing."""
        number = min(max(frame.f_lineno or 1, 1), len(self._places))
        return self._places[number - 1]

    def line_of(self, number: int) -> int:
        """The line of the text that a line number of a frame or a traceback stands for."""
        return self._places[min(max(number, 1), len(self._places)) - 1].line

    def _number(self, tree: ast.AST, name: str | None, called: int = 0) -> None:
        """Gives each node its number, outer nodes first, whose places are read before they are overwritten.

        The name of a method has the number of its call, as some versions of Python tell the line of the name.
        """
        for node in ast.iter_child_nodes(tree):
            inner = _assigned(node) if isinstance(node, ast.stmt) else name
            if not hasattr(node, "lineno"):
                self._number(node, inner)
                continue
            number = called if called and node is getattr(tree, "func", None) else 0
            if not number:
                self._places.append(self._place(node, inner))
                number = len(self._places)
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            self._number(node, inner, number if is_method else 0)
            node.lineno = node.end_lineno = number
            node.col_offset = node.end_col_offset = 0

    def _place(self, node: ast.AST, name: str | None) -> Place:
        last = getattr(node, "end_lineno", None) or node.lineno
        as_meant = _AS_MEANT.search(self.lines[min(last, len(self.lines)) - 1]) is not None
        return Place(_line_of(node), self._code(node), name, as_meant)

    def _code(self, node: ast.AST) -> str:
        if isinstance(node, (ast.For, ast.AsyncFor)):
            node = node.target
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            node = node.generators[0].target  # what a step of the comprehension gives
        elif isinstance(node, ast.stmt):
            ends_here = node.end_lineno == node.lineno
            last = node.end_col_offset if ends_here else len(self._encoded[node.lineno - 1])
            return _short(self._between((node.lineno, node.col_offset), (node.lineno, last)))
        inner = _receiver(node)
        if inner is None or _is_name(inner):
            return _short(self._between((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))
        rest = self._between((inner.end_lineno, inner.end_col_offset), (node.end_lineno, node.end_col_offset))
        return _short(rest.lstrip(") \t"))

    def _between(self, first: tuple[int, int], last: tuple[int, int]) -> str:
        """The text between two positions, in one line and without its comments."""
        rows = self._encoded[first[0] - 1 : last[0]]
        if not rows:  # Python before 3.12 does not tell where the parts of f-strings stand
            return ""
        rows[-1] = rows[-1][: last[1]]
        rows[0] = rows[0][first[1] :]
        parts = [row.decode(errors="replace").strip() for row in rows]
        if len(parts) > 1:
            parts = [re.sub(r"\s*(\\|#.*)$", "", part) for part in parts]
        return re.sub(r"([\[(]) | (?=[\])])", r"\1", " ".join(part for part in parts if part))


def _compiled(tree: ast.AST, mode: str) -> CodeType:
    """The code, with annotations left as texts: names that stand only there need not exist."""
    return compile(tree, FILE, mode, __future__.annotations.compiler_flag, True)


def _assigned(node: ast.stmt) -> str | None:
    """The one name that a statement assigns to."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _line_of(node: ast.AST) -> int:
    """The line a reader looks at: of a call of a method, that of its name."""
    inner = _receiver(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno
    return inner.end_lineno or node.lineno if inner is not None else node.lineno


def _receiver(node: ast.AST) -> ast.expr | None:
    """Whose method, attribute or item it is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    return node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None


def _is_name(node: ast.expr) -> bool:
    """`x`, `self.weight`, `torch.nn`."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_name(node.value))


def _short(text: str) -> str:
    if len(text) <= _MAX_TEXT:
        return text
    return f"{text[: _MAX_TEXT - 16]}…{text[-15:]}"
