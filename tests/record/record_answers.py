#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real PyTorch 2.6 gives for the lines of a file, for tests/python/test_answers.py.

Run by hand where PyTorch is installed:
    tests/record/record_answers.py tests/data/answers/scatter.txt | gzip -9n > tests/data/answers/scatter.jsonl.gz

A line of the file is Python: statements that set up, then an expression, apart by `; `. Lines that begin with `@` name
statements for the lines below them; `#` begins a comment, and an empty line ends such a name. A word in braces,
`{int64|int32}`, stands for one line with each of the words.

One JSON object a line: {"code", "kind"} and, by kind, "tensor": "shape", "stride", "offset", "dtype" and "values" (as
`repr` of nested lists), "is": the names bound to the very same object, "shares":
those that share the storage; "tuple": "parts"; "value": "repr"; "error": "type". Without an error, "warns": whether
PyTorch warned of a resized `out`, and "after": the values of the tensors bound to names, where the code changes them.
"""

import itertools
import json
import re
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from answering import answer

CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")


def lines(path):
    """Every line with its setup, alternatives spelled out."""
    setup = ""
    with open(path, encoding="utf-8") as file:
        for raw in file:
            line = raw.strip()
            if line.startswith("#"):
                continue
            if line.startswith("@"):
                setup = line[1:].strip()
                continue
            if not line:
                setup = ""
                continue
            code = f"{setup}; {line}" if setup else line
            choices = [match.split("|") for match in CHOICE.findall(code)]
            for words in itertools.product(*choices):
                chosen = iter(words)
                yield CHOICE.sub(lambda _: next(chosen), code)  # noqa: B023


def main(path):
    for code in lines(path):
        given = answer(code, torch)
        if given["kind"] == "error":  # what PyTorch has resized or written by then is not recorded
            del given["warns"], given["after"]
        print(json.dumps({"code": code, **given}))


if __name__ == "__main__":
    main(sys.argv[1])
