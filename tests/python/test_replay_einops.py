# SPDX-License-Identifier: Apache-2.0
"""einops' recorded answers (on PyTorch), through `tenstride.rearrange`, `reduce` and `repeat`.

A line is one pattern: {"id", "op", "pattern", "axes", "in": {"shape", "strides"}, "ok": true, "out": META} or
{…, "ok": false, "err": {"type"}}. The input is int32, its storage counts from 0. "sum" is a reduction.
"""

from __future__ import annotations

import tenstride as torch
from replaying import checksum, differing, lines

# einops' own error is a RuntimeError; where "->" is not there once, Python's unpacking fails before it.
ERRORS = {"EinopsError": RuntimeError, "ValueError": ValueError}


def start(given):
    shape, strides = given["shape"], given["strides"]
    reach = sum((size - 1) * step for size, step in zip(shape, strides)) + 1 if 0 not in shape else 0
    return torch.arange(reach, dtype=torch.int32).as_strided(shape, strides)


def carry_out(line, x):
    if line["op"] == "rearrange":
        return torch.rearrange(x, line["pattern"], **line["axes"])
    if line["op"] == "repeat":
        return torch.repeat(x, line["pattern"], **line["axes"])
    return torch.reduce(x, line["pattern"], line["op"], **line["axes"])


def is_given_back(line, result, x):
    """The one deviation: where nothing changes the input comes back; einops may make another view like it."""
    return result is x and line["ok"] and line["out"]["alias"] and not line["out"].get("self", False)


def faults(line):
    """What came otherwise, (fact, wanted, came), and whether the one deviation was met."""
    x = start(line["in"])
    wanted = "a result" if line["ok"] else ERRORS[line["err"]["type"]]
    try:
        result = carry_out(line, x)
    except Exception as error:
        came = ValueError if isinstance(error, ValueError) else RuntimeError
        is_known = isinstance(error, (ValueError, RuntimeError))
        return ([] if is_known and came is wanted else [("result", wanted, repr(error))]), False
    if not line["ok"]:
        return [("result", wanted, result)], False
    meta, storage = line["out"], result.untyped_storage()
    facts = differing(
        meta,
        {
            "shape": list(result.shape),
            "strides": list(result.stride()),
            "offset": result.storage_offset(),
            "dtype": str(result.dtype)[6:],
            "alias": storage == x.untyped_storage(),
            "self": result is x and not is_given_back(line, result, x),
            "nbytes": storage.nbytes(),
        },
    )
    if not facts and checksum(result) != meta["crc"]:
        facts.append(("crc", meta["crc"], checksum(result)))
    return facts, is_given_back(line, result, x)


def test_einops_answers_agree():
    agreed, given_back, disagreed = 0, 0, []
    for line in lines("einops.jsonl.gz"):
        facts, deviates = faults(line)
        given_back += deviates
        agreed += not facts
        if facts:
            disagreed.append((line["id"], line["op"], line["pattern"], line["axes"], line["in"], facts))
    assert not disagreed, "\n".join(map(str, [len(disagreed), *disagreed[:20]]))
    assert (agreed, given_back) == (5000, 135)


def test_falsified_answers_are_found():
    found = [line["id"] for line in lines("doctored-einops.jsonl") if faults(line)[0]]
    assert found == [line["id"] for line in lines("doctored-einops.jsonl")]
    assert len(found) > 10
