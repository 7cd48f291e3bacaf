# SPDX-License-Identifier: Apache-2.0
"""Complex tensors, the negative bit, complex32 and how types meet, against what PyTorch 2.6 answered
(tests/record/record_complex.py says how it was asked).
"""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest
import tenstride as torch

DATA = Path(__file__).parents[1] / "data"
# What the recording asks for and tenstride does not have.
UNKNOWN = {"isclose", "take", "masked_select", "argmax", "cumsum", "masked_fill", "masked_fill_", "sqrt", "gather"}
UNKNOWN |= {"index_select", "square"}


def rows(name):
    with gzip.open(DATA / f"complex-{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def shown(value):
    """As the recording tells it."""
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return [shown(item) for item in value]
    if not isinstance(value, torch.Tensor):
        return repr(value)
    bits = ("conj " if value.is_conj() else "") + ("neg" if value.is_neg() else "")
    elements = "meta" if value.is_meta else repr(value.tolist())
    layout = [list(value.shape), list(value.stride()), value.storage_offset()]
    return [elements, str(value.dtype), layout, bits.strip()]


def is_unknown(error):
    return isinstance(error, AttributeError) and any(f"attribute '{name}'" in str(error) for name in UNKNOWN)


def numbers(shown):
    """Elements as numbers where they can be: a zero's sign is PyTorch's choice of loop."""
    try:
        return [eval(shown[0], {"nan": "nan", "inf": math.inf}), *shown[1:]]
    except (NameError, SyntaxError, TypeError):
        return shown


def is_equal(found, wanted):
    if isinstance(found, list) and isinstance(wanted, list) and found and isinstance(found[0], list):
        return len(found) == len(wanted) and all(map(is_equal, found, wanted))
    is_tensor = isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted) == 4
    return found == wanted or (is_tensor and numbers(found) == numbers(wanted))


def run(code):
    names = {"torch": torch}
    try:
        exec(code, names)
        return {"shown": shown(names["r"])}
    except Exception as error:
        if is_unknown(error):
            return None
        return {"error": type(error).__mro__}


def disagreements(chosen):
    """The rows of which tenstride says something else."""
    found = []
    for row in chosen:
        answer = run(row["code"])
        if answer is None:
            continue
        if row.get("error") == "complex32":
            continue
        if "error" in row and "error" in answer:
            kinds = [kind.__name__ for kind in answer["error"]]
            kind = {"NotImplementedError": "RuntimeError"}.get(row["error"], row["error"])
            if kind in kinds:
                continue
        elif "shown" in row and "shown" in answer and is_equal(answer["shown"], row["shown"]):
            continue
        found.append((row, answer))
    return found


def report(found):
    return "\n".join(f"{row}\n    {answer}" for row, answer in found[:40]) + f"\n{len(found)}"


@pytest.mark.parametrize("part", ["as_strided", "x.real =", "_neg_view", "complex32", ""])
def test_statements_as_recorded(part):
    found = disagreements([row for row in rows("statements") if part in row["code"]])
    assert not found, report(found)


def test_types_meet_as_recorded():
    def operand(text):
        if ":" not in text:
            return getattr(torch, text) if hasattr(torch, text) else eval(text)
        dtype, rank = text.split(":")
        return torch.empty([1] * int(rank), dtype=getattr(torch, dtype))

    wrong = []
    for row in rows("types"):
        try:
            value = getattr(torch, row["op"])(*map(operand, row["args"]))
        except Exception as error:
            value = f"error: {type(error).__name__}"
        text = value if isinstance(value, (bool, str)) else str(value).removeprefix("torch.")
        if text != row["result"]:
            wrong.append((row, text))
    assert not wrong


def values_of(text, dtype):
    element = getattr(torch, dtype)
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8).view(element)


def same(a, b):
    """Equal bits, any NaN being as good as another."""
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return a == b and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))


def test_complex32_converts_as_recorded():
    for row in rows("conversions"):
        given = values_of(row["in"], row["from"])
        found = given.to(getattr(torch, row["to"])).tolist()
        wanted = values_of(row["out"], row["to"]).tolist()
        wrong = [(a, b, c) for a, b, c in zip(given.tolist(), found, wanted) if not same(b, c)]
        assert not wrong, (row["from"], row["to"], wrong[:5])


def test_the_negative_bit_is_refused_where_others_read_memory():
    """PyTorch 2.6 refuses numpy(); its DLPack hands the elements out without their signs, which is refused here."""
    numpy = pytest.importorskip("numpy")
    n = torch.tensor([1 + 2j]).conj().imag
    with pytest.raises(RuntimeError, match=r"use \.resolve_neg\(\)\.numpy\(\)"):
        n.numpy()
    assert n.numpy(force=True).tolist() == [-2.0]
    assert numpy.asarray(n.resolve_neg()).tolist() == [-2.0]
    with pytest.raises(BufferError, match="negative"):
        n.__dlpack__()
    with pytest.raises(BufferError, match="negative"):
        memoryview(n)
    with pytest.raises(AttributeError, match="negative"):
        n.__array_interface__  # noqa: B018


def test_numpy_has_no_complex32():
    x = torch.ones(2, dtype=torch.complex32)
    with pytest.raises(TypeError, match=r"use \.to\(torch\.complex64\)\.numpy\(\)"):
        x.numpy()
    assert torch.view_as_real(x).numpy().tolist() == [[1, 0], [1, 0]]


def test_parts_take_numbers_and_tensors_alone():
    x = torch.zeros(2, dtype=torch.complex64)
    for value in ([1, 2], None, "a"):
        with pytest.raises(TypeError, match="real: what is assigned must be a number or a Tensor"):
            x.real = value
    with pytest.raises(AttributeError):
        del x.imag


def test_pickle_keeps_what_the_elements_are():
    import pickle

    n = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert pickle.loads(pickle.dumps(n)).tolist() == [-2.0, 4.0]
    c = torch.tensor([1 + 2j]).chalf()
    assert pickle.loads(pickle.dumps(c)).dtype == torch.complex32
