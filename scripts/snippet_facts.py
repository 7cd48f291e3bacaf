# SPDX-License-Identifier: Apache-2.0
"""Checks the claims that the comments of a text make about its statements.

`# works …` and `# RuntimeError …`; `# = 5`, `# it is True`, `# outputs: (3, 1)`; `# shape (2, 3)` or `2x3`;
`# contiguous`; `# has 8 elements`; `# works - view`, `# won't trigger copying`, `# silent copy`; and above a statement
`# Instead of: CODE`, which must give the same as the code.
"""

from __future__ import annotations

import ast
import re

SAYS = re.compile(r"^(?:=|it is|outputs?:)\s*(?P<value>.+?)\s*$", re.MULTILINE)
SHAPE = re.compile(r"shape\s*\((?P<tuple>[\d,\s]+)\)|(?:shape|to)\s(?P<product>\d+(?:x\d+)+)")
SHARES = re.compile(r"works - view|no copy|won't (?:trigger )?copy")
COPIES = re.compile(r"^triggers copying|(?:explicit|silent) copy", re.MULTILINE)
REFUSED = re.compile(r"\bRuntimeError(?:\(\"(?P<message>[^\"]*)\"\))?")


def plain(text: str) -> str:
    """The text without blanks, `tensor` and parentheses, which claims omit."""
    return re.sub(r"\s|tensor|[()]", "", text)


def root(source: str, names: dict) -> object:
    """The tensor that a chain of calls begins with, or None."""
    node = ast.parse(source).body[0]
    node = getattr(node, "value", None)
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    value = names.get(node.id) if isinstance(node, ast.Name) else None
    return value if hasattr(value, "storage") else None


def expectations(step, names: dict) -> dict:
    """What must be computed before the step runs: the tensor that it begins with, and the result of other code."""
    if step.form != "statement":
        return {}
    instead = re.match(r"Instead of:\s*(.+)", step.above)
    return {"root": root(step.source, names), "instead": eval(instead[1], names) if instead else None}


def shares(one, other) -> bool:
    """Whether two tensors share a storage."""
    return one.storage().data_ptr() == other.storage().data_ptr()


def complaints(step, expected: dict, outcome, value: object, names: dict) -> tuple[int, list[str]]:
    """The number of claims in the comments, and those that are wrong."""
    claims: list[tuple[bool, str]] = []
    node = ast.parse(step.source).body[0]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        value = names.get(node.targets[0].id)
    refused = REFUSED.search(step.comment)
    if refused:
        message = refused["message"] or ""
        raised = "RuntimeError" in outcome.errors and message in outcome.message
        claims.append((raised or (bool(message) and message in outcome.output), "the text says RuntimeError"))
    if outcome.errors:
        if not refused:
            claims.append((False, "the text says nothing of an error"))
        return len(claims), [text for holds, text in claims if not holds]
    said = SAYS.search(step.comment)
    if said:
        wanted = said["value"].rsplit("=", 1)[-1].strip()
        found = outcome.output.strip() or repr(value)
        claims.append((plain(found) == plain(wanted), f"gives {found}, the text says {wanted}"))
    if hasattr(value, "storage"):
        shape = SHAPE.search(step.comment) or SHAPE.search(step.above)
        if shape:
            sizes = [int(size) for size in re.findall(r"\d+", shape["tuple"] or shape["product"])]
            claims.append((list(value.shape) == sizes, f"has the shape {tuple(value.shape)}, the text says {sizes}"))
        if step.comment == "contiguous":
            claims.append((value.is_contiguous(), "is not contiguous"))
        if expected["root"] is not None:
            if SHARES.search(step.comment):
                claims.append((shares(value, expected["root"]), "copies, the text says that it does not"))
            elif COPIES.search(step.comment):
                claims.append((not shares(value, expected["root"]), "is a view, the text says that it copies"))
        if expected["instead"] is not None:
            claims.append((value.tolist() == expected["instead"].tolist(), "is not what the code above gives"))
    count = re.search(r"has (\d+) elements", step.comment)
    if count and hasattr(value, "__len__"):
        claims.append((len(value) == int(count[1]), f"has {len(value)} elements"))
    return len(claims), [text for holds, text in claims if not holds]


def figure_complaint(step, names: dict) -> list[str]:
    """Whether the value that a figure shows is that of the tensor assigned last (its name, or a property of it)."""
    tensors = [value for value in names.values() if hasattr(value, "storage") and not isinstance(value, type(ast))]
    x = names[step.source] if step.source in names else tensors[-1] if tensors else None
    if x is None:
        return ["there is no tensor that the figure shows"]
    properties = {
        "storage": lambda: list(x.storage().tolist()),
        "shape": lambda: tuple(x.shape),
        "strides": lambda: tuple(x.stride()),
    }
    found = properties.get(step.source.lower(), x.tolist)()
    return [] if found == ast.literal_eval(step.wanted) else [f"is {found}, the text shows {step.wanted}"]
