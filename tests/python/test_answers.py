# SPDX-License-Identifier: Apache-2.0
"""Lines of Python whose answers a real PyTorch 2.6 has given: shapes, strides, elements, identity and refusals.

The lines stand in tests/data/answers/*.txt, the answers beside them; tests/record/record_answers.py wrote them. A
refused call changes nothing and warns of nothing here; PyTorch may have resized its `out` by then, or written a part.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import tenstride
from answering import answer

ANSWERS = Path(__file__).resolve().parents[1] / "data" / "answers"


def recorded():
    for path in sorted(ANSWERS.glob("*.jsonl.gz")):
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        yield pytest.param(rows, id=path.name.removesuffix(".jsonl.gz"))


@pytest.mark.parametrize("rows", list(recorded()))
def test_is_what_pytorch_gives(rows):
    wrong = []
    for row in rows:
        code = row.pop("code")
        if row["kind"] == "error":
            row |= {"warns": False, "after": {}}
        given = answer(code, tenstride)
        if given != row:
            wrong.append(f"{code}\n  PyTorch:   {row}\n  tenstride: {given}")
    assert not wrong, f"{len(wrong)} of {len(rows)}:\n" + "\n".join(wrong)
