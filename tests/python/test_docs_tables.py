# SPDX-License-Identifier: Apache-2.0
"""The tables "you write / it does / copies" of the documents are true: each row is run.

The Python code fenced above a table gives the names, anew for each row. In "it does", a layout such as
`(3,2):(1,3)`, or its shape alone, is that of the result (of each part, where there are several); a literal such as
`True` is the result; "the very same" means that object; "refused: `ViewError`" that error. "copies" says how many
bytes copies write (`24 B`), or `no` where the result lies in memory that was there before; `no, fresh` where it is
computed into memory of its own.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import tenstride

numpy = pytest.importorskip("numpy", reason="NumPy is not installed for this interpreter")

DOCS = Path(__file__).resolve().parents[2] / "docs"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\| you write \| it does \| copies \|\n\|[-| ]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
LAYOUT = re.compile(r"(\([\d,]*\))(?::(\([-\d,]*\)))?(?:\+(\d+))?")


@dataclass
class Row:
    """A row of a table with the code that stands above it."""

    setup: str
    code: str
    does: str
    copies: str


def rows():
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for table in TABLE.finditer(text):
            setup = "".join(match[1] for match in FENCE.finditer(text, 0, table.start()))
            for line in table[1].splitlines():
                code, does, copies = (cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|")))
                code = code.strip("`").replace("\\|", "|")
                yield pytest.param(Row(setup, code, does, copies), id=f"{path.stem}: {code}")


def is_array(value) -> bool:
    return isinstance(value, (tenstride.Tensor, numpy.ndarray))


def parts_of(value) -> list:
    """The arrays that came back."""
    if is_array(value):
        return [value]
    return [part for part in value if is_array(part)] if isinstance(value, (tuple, list)) else []


def layout(array) -> tuple:
    if isinstance(array, tenstride.Tensor):
        return tuple(array.shape), array.stride(), array.storage_offset()
    return array.shape, tuple(step // array.itemsize for step in array.strides), 0


def memory(array) -> tuple[int, int]:
    """The first address of what the array lies in and the one behind it."""
    if isinstance(array, tenstride.Tensor):
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    bounds = getattr(numpy, "byte_bounds", None) or numpy.lib.array_utils.byte_bounds  # until NumPy 2, and since
    low, high = bounds(array)
    return low, high


def share_memory(one, other) -> bool:
    (low, high), (other_low, other_high) = memory(one), memory(other)
    return low < other_high and other_low < high


def evaluated(row: Row):
    """The namespace before the row, what came of it, and what its copies wrote."""
    names: dict = {"torch": tenstride, "tenstride": tenstride, "numpy": numpy}
    exec(row.setup, names)
    before = {name: value for name, value in names.items() if is_array(value)}
    *statements, last = ast.parse(row.code).body
    with tenstride.CopyLedger() as ledger:
        exec(compile(ast.Module(statements, []), "<row>", "exec"), names)
        if isinstance(last, ast.Expr):
            result = eval(compile(ast.Expression(last.value), "<row>", "eval"), names)
        else:
            exec(compile(ast.Module([last], []), "<row>", "exec"), names)
            result = None
    written = sum(entry["bytes_written"] for entry in ledger.entries if entry["kind"] == "copy")
    return before, result, written


ROWS = list(rows())


def test_there_are_tables():
    pages = {param.id.partition(":")[0] for param in ROWS}
    assert {"for-pytorch-users", "for-numpy-users", "notation"} <= pages


@pytest.mark.parametrize("row", ROWS)
def test_row_is_true(row):
    refusal = re.match(r"refused: `(\w+)`", row.does)
    if refusal:
        import builtins

        error = getattr(tenstride, refusal[1], None) or getattr(builtins, refusal[1])
        with pytest.raises(error):
            evaluated(row)
        assert row.copies == "no"
        return
    before, result, written = evaluated(row)
    check_result(row, before, result)
    check_copies(row, before, result, written)


def check_result(row, before, result):
    stated = [LAYOUT.fullmatch(text) for text in re.findall(r"`([^`]*)`", row.does)]
    layouts = [match for match in stated if match]
    parts = parts_of(result)
    for match, part in zip(layouts, parts):
        shape, strides, offset = layout(part)
        assert ast.literal_eval(match[1].replace(")", ",)") if match[1] != "()" else "()") == shape
        if match[2]:
            assert ast.literal_eval(match[2].replace(")", ",)") if match[2] != "()" else "()") == strides
        if match[3]:
            assert int(match[3]) == offset
    if parts:
        assert "the very same" in row.does or len(layouts) == len(parts), "state each part's layout"
    if "the very same" in row.does:
        assert any(result is value for value in before.values())
    elif result is not None and not parts:
        literal = re.search(r"`([^`]*)`", row.does)
        assert literal and repr(result) == literal[1], repr(result)


def check_copies(row, before, result, written):
    parts = parts_of(result)
    kinds = {type(part) for part in parts}
    shared = [any(share_memory(part, value) for value in before.values()) for part in parts]
    if row.copies == "no":
        assert written == 0
        assert all(shared), "lies in memory of its own"
    elif row.copies == "no, fresh":
        assert written == 0
        assert parts and not any(shared)
    else:
        assert f"{written} B" == row.copies
        assert written > 0
        assert not any(shared) or "in place" in row.does, f"{kinds} share memory"
