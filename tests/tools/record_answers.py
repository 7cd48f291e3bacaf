#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real PyTorch 2.6 gives for the lines of a file, for tests/python/test_answers.py.

Run by hand where PyTorch is installed:
    tests/tools/record_answers.py tests/data/answers/scatter.txt | gzip -9n > tests/data/answers/scatter.jsonl.gz

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
import warnings

import torch

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


def describe(value, names):
    if isinstance(value, torch.Tensor):
        tensors = {name: held for name, held in names.items() if isinstance(held, torch.Tensor)}
        return {
            "kind": "tensor",
            "shape": list(value.shape),
            "stride": list(value.stride()),
            "offset": value.storage_offset(),
            "dtype": str(value.dtype),
            "values": repr(value.tolist()),
            "is": sorted(name for name, held in tensors.items() if held is value),
            "shares": sorted(
                name
                for name, held in tensors.items()
                if held.numel() and held.untyped_storage().data_ptr() == value.untyped_storage().data_ptr()
            ),
        }
    if isinstance(value, (tuple, list)) and all(isinstance(part, torch.Tensor) for part in value):
        return {"kind": "tuple", "parts": [describe(part, names) for part in value]}
    return {"kind": "value", "repr": repr(value)}


def main(path):
    for code in lines(path):
        *setup, last = code.split("; ")
        names = {"torch": torch}
        exec("\n".join(setup), names)
        before = {name: repr(held.tolist()) for name, held in names.items() if isinstance(held, torch.Tensor)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                answer = describe(eval(last, names), names)
            except Exception as error:
                answer = {"kind": "error", "type": type(error).__name__}
        if answer["kind"] != "error":
            answer["warns"] = any("was resized" in str(warning.message) for warning in caught)
            after = {name: repr(names[name].tolist()) for name in before}
            answer["after"] = {name: values for name, values in after.items() if values != before[name]}
        print(json.dumps({"code": code, **answer}))


if __name__ == "__main__":
    main(sys.argv[1])
