# SPDX-License-Identifier: Apache-2.0
"""What a line of Python gives, in the form of tests/data/answers: by PyTorch in record_answers.py, by tenstride in
test_answers.py."""

from __future__ import annotations

import warnings


def describe(value, names, torch) -> dict:
    """The value in the form of the records; `names` are the tensors that the line has bound."""
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
        return {"kind": "tuple", "parts": [describe(part, names, torch) for part in value]}
    return {"kind": "value", "repr": repr(value)}


def answer(code: str, torch) -> dict:
    """What the line gives with `torch` as the module of that name."""
    *setup, last = code.split("; ")
    names = {"torch": torch}
    exec("\n".join(setup), names)
    before = {name: repr(held.tolist()) for name, held in names.items() if isinstance(held, torch.Tensor)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = describe(eval(last, names), names, torch)
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            known = ("IndexError", "ValueError", "TypeError", "RuntimeError")
            given = {"kind": "error", "type": next((name for name in known if name in kinds), kinds[0])}
    given["warns"] = any("was resized" in str(warning.message) for warning in caught)
    after = {name: repr(names[name].tolist()) for name in before}
    given["after"] = {name: values for name, values in after.items() if values != before[name]}
    return given
