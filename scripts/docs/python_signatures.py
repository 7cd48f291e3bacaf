# SPDX-License-Identifier: Apache-2.0
"""The signatures of the Python package as its type stubs and its source spell them, by `ast`; nothing is imported."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Member:
    """A function, property or field: the text behind its name, once for each overload."""

    kind: str  # "function", "property" or "field"
    signatures: list[str] = field(default_factory=list)
    static: bool = False
    text: str = ""  # of a field: the string below it


class Module:
    """What one file defines: `functions`, and of each class `members` and the names of its bases."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.functions = members_of(tree.body)
        self.classes = {node.name: members_of(node.body) for node in tree.body if isinstance(node, ast.ClassDef)}
        self.aliases = {
            node.target.id.lstrip("_"): readable(ast.unparse(node.value))
            for node in tree.body
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
            and ast.unparse(node.annotation) == "TypeAlias"
        }


def members_of(body: list[ast.stmt]) -> dict[str, Member]:
    """The functions, properties and fields of a module or class; of a function with overloads, only these."""
    found: dict[str, Member] = {}
    overloaded = set()
    for index, node in enumerate(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(decorator.endswith(".setter") for decorator in decorators):
                continue
            is_overload = "overload" in decorators
            if node.name in overloaded and not is_overload:
                continue
            if is_overload:
                overloaded.add(node.name)
            is_property = any(decorator.split(".")[-1].endswith("property") for decorator in decorators)
            member = found.setdefault(node.name, Member("property" if is_property else "function"))
            member.static = "staticmethod" in decorators or "classmethod" in decorators
            member.signatures.append(readable(result(node)) if is_property else signature(node))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            after = body[index + 1] if index + 1 < len(body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            found[node.target.id] = Member("field", [readable(ast.unparse(node.annotation))], text=str(text))
    return found


def result(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.unparse(node.returns) if node.returns else ""


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """`(dim0: Int, dim1: Int) -> Tensor`, without `self`."""
    arguments = node.args
    for plain in (arguments.posonlyargs, arguments.args):
        if plain and plain[0].arg in ("self", "cls"):
            del plain[0]
            break
    returns = result(node)
    return readable(f"({ast.unparse(arguments)})") + (f" -> {readable(returns)}" if returns else "")


def readable(text: str) -> str:
    """The stubs' private names without what keeps them private: `builtins.int` is `int`, `_Sizes` is `Sizes`."""
    text = re.sub(r"\b(builtins|tenstride|_tenstride|typing)\.", "", text)
    text = re.sub(r"\b_(?=[A-Z])", "", text)
    return re.sub(r"\(/(, |\))", r"(\1", text).replace("(, ", "(").replace("\n", " ")
