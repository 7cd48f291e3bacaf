# SPDX-License-Identifier: Apache-2.0
"""Lines of Python whose answers a real PyTorch 2.6 has given: shapes, strides, elements, identity and refusals.

The lines stand in tests/data/answers/*.txt, the answers beside them; tests/tools/record_answers.py wrote them. A
refused call changes nothing and warns of nothing here; PyTorch may have resized its `out` by then, or written a part.
"""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path

import pytest
import tenstride

ANSWERS = Path(__file__).resolve().parents[1] / "data" / "answers"


def recorded():
    for path in sorted(ANSWERS.glob("*.jsonl.gz")):
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        yield pytest.param(rows, id=path.name.removesuffix(".jsonl.gz"))


def describe(value, names) -> dict:
    if isinstance(value, tenstride.Tensor):
        tensors = {name: held for name, held in names.items() if isinstance(held, tenstride.Tensor)}
        storage = value.untyped_storage().data_ptr()
        return {
            "kind": "tensor",
            "shape": list(value.shape),
            "stride": list(value.stride()),
            "offset": value.storage_offset(),
            "dtype": str(value.dtype),
            "values": repr(value.tolist()),
            "is": sorted(name for name, held in tensors.items() if held is value),
            "shares": sorted(
                name for name, held in tensors.items() if held.numel() and held.untyped_storage().data_ptr() == storage
            ),
        }
    if isinstance(value, (tuple, list)) and all(isinstance(part, tenstride.Tensor) for part in value):
        return {"kind": "tuple", "parts": [describe(part, names) for part in value]}
    return {"kind": "value", "repr": repr(value)}


def answer(code: str) -> dict:
    """What the line gives here, in the form of the records."""
    *setup, last = code.split("; ")
    names = {"torch": tenstride}
    exec("\n".join(setup), names)
    before = {name: repr(held.tolist()) for name, held in names.items() if isinstance(held, tenstride.Tensor)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = describe(eval(last, names), names)
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            known = ("IndexError", "ValueError", "TypeError", "RuntimeError")
            given = {"kind": "error", "type": next((name for name in known if name in kinds), kinds[0])}
    given["warns"] = any("was resized" in str(warning.message) for warning in caught)
    after = {name: repr(names[name].tolist()) for name in before}
    given["after"] = {name: values for name, values in after.items() if values != before[name]}
    return given


@pytest.mark.parametrize("rows", list(recorded()))
def test_is_what_pytorch_gives(rows):
    wrong = []
    for row in rows:
        code = row.pop("code")
        if row["kind"] == "error":
            row |= {"warns": False, "after": {}}
        given = answer(code)
        if given != row:
            wrong.append(f"{code}\n  PyTorch:   {row}\n  tenstride: {given}")
    assert not wrong, f"{len(wrong)} of {len(rows)}:\n" + "\n".join(wrong)
