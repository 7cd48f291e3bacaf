# SPDX-License-Identifier: Apache-2.0
"""Recorded chains of operations, carried out step by step and compared: what the tests of replay share.

A recording is a line of JSON: {"id", "init", "init_meta": META, "steps": [{"op", "args", "ok": true,
"outs": META | [META…], "pick"?} | {"op", "args", "ok": false, "err": {"type"}}]}. A refused step leaves the
tensor as it was; where a step gives a list, the chain goes on with outs[pick].
"""

from __future__ import annotations

import collections
import gzip
import json
import pathlib
import zlib

import tenstride as torch

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "data" / "conformance"

DTYPES = {str(value).rpartition(".")[2]: value for value in vars(torch).values() if isinstance(value, torch.dtype)}
# Types that Python's buffers have no name for are looked at as integers of their size.
AS_INTEGERS = {torch.bfloat16: torch.int16}


def lines(name):
    """The lines of a recording, one after another."""
    path = RECORDINGS / name
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def checksum(x):
    """The CRC-32 of the elements in row-major order; Python's own memoryview walks the strides."""
    if x.dtype in AS_INTEGERS:
        x = x.view(AS_INTEGERS[x.dtype])
    return zlib.crc32(memoryview(x).tobytes())


def counting(count, dtype, period=1, cache={}):  # noqa: B006
    """Element n is n % 113 (bool: n % 2); of a complex type the imaginary part is n % period."""
    key = count, dtype, period
    if key not in cache:
        numbers = [n % (2 if dtype is torch.bool else 113) for n in range(count)]
        if dtype.is_complex:
            numbers = [complex(number, n % period) for n, number in enumerate(numbers)]
        cache[key] = torch.tensor(numbers, dtype=dtype)
    return cache[key].clone()


def differing(meta, came):
    """The recorded facts that came otherwise; what is not recorded is False."""
    return [(fact, meta.get(fact, False), value) for fact, value in came.items() if meta.get(fact, False) != value]


class Report:
    """What agreed, by operation; what did not, in words; and deviations that are documented."""

    def __init__(self):
        self.agreed = collections.Counter()
        self.deviations = collections.Counter()
        self.disagreed = []
        self.not_reached = 0

    def disagree(self, where, facts):
        self.disagreed.append((where[0], where, facts))

    def assert_clean(self, steps):
        """All steps agreed, and they are as many as there are."""
        shown = "\n".join(
            f"{where}: " + "; ".join(f"{fact}: wanted {wanted}, came {came}" for fact, wanted, came in facts)
            for _, where, facts in self.disagreed[:20]
        )
        assert not self.disagreed, f"{len(self.disagreed)} disagree, {self.not_reached} not reached\n{shown}"
        assert sum(self.agreed.values()) == steps
        assert self.not_reached == 0


class Deviation(Exception):
    """Raised by an operation that does otherwise on purpose, in place of a refusal of one of these kinds."""

    def __init__(self, what, recorded_as):
        super().__init__(what)
        self.recorded_as = recorded_as


class Replay:
    """One kind of recording. To add one, give the operations and the four methods."""

    operations: dict

    def start(self, init):
        """The first tensor of a chain."""
        raise NotImplementedError

    def compare(self, meta, x, source, first, op):
        """The facts that differ: (fact, wanted, came)."""
        raise NotImplementedError

    def error_name(self, error):
        """What the recording calls the exception."""
        return next(
            kind.__name__
            for kind in type(error).__mro__
            if kind in (IndexError, ValueError, RuntimeError, TypeError, Exception)
        )

    def deviates(self, meta, x):
        """The name of a documented deviation that a step which agreed went through; None for most."""
        return None

    def run(self, name):
        """Carries out all chains of a recording."""
        report = Report()
        for line in lines(name):
            self.run_chain(line, report)
        return report

    def run_chain(self, line, report):
        x = first = self.start(line["init"])
        facts = self.compare(line["init_meta"], x, None, first, "start")
        if facts:
            report.disagree((line["id"], "start", "start"), facts)
            report.not_reached += len(line["steps"])
            return
        report.agreed["start"] += 1
        number = line["id"] if isinstance(line["id"], int) else 0
        for at, step in enumerate(line["steps"]):
            place = (line["id"], at, step["op"], step["args"], tuple(x.shape), x.stride())
            try:
                came = self.operations[step["op"]](x, step["args"], number + at)
            except Deviation as deviation:
                if step["ok"] or step["err"]["type"] not in deviation.recorded_as:
                    report.disagree(place, [("result", "another", str(deviation))])
                report.deviations[str(deviation)] += 1
                report.agreed[step["op"]] += 1
                continue
            except Exception as error:
                wanted = "a result" if step["ok"] else step["err"]["type"]
                if step["ok"] or self.error_name(error) != wanted:
                    report.disagree(place, [("result", wanted, repr(error))])
                    report.not_reached += len(line["steps"]) - at - 1
                    return
                report.agreed[step["op"]] += 1
                continue
            x = self.check(step, place, came, x, first, report)
            if x is None:
                report.not_reached += len(line["steps"]) - at - 1
                return

    def check(self, step, place, came, x, first, report):
        """The tensor that the chain goes on with; None where it cannot."""
        if not step["ok"]:
            report.disagree(place, [("result", step["err"]["type"], "a result")])
            return None
        outs = step["outs"]
        is_list = isinstance(outs, list)
        if is_list != isinstance(came, (list, tuple)) or (is_list and len(came) != len(outs)):
            report.disagree(place, [("number of results", len(outs) if is_list else 1, came)])
            return None
        for meta, result in zip(outs, came) if is_list else [(outs, came)]:
            facts = self.compare(meta, result, x, first, step["op"])
            if facts:
                report.disagree(place, facts)
                return None
            deviation = self.deviates(meta, result)
            if deviation:
                report.deviations[deviation] += 1
        report.agreed[step["op"]] += 1
        if not is_list:
            return came
        return came[step["pick"]] if "pick" in step else x


# Lines whose fault is not one of the facts compared, and what is found instead.
FOUND_AS = {
    "error-kind": "result",
    "allowed-though-recorded-as-refused": "result",
    "refused-though-recorded-as-allowed": "result",
    "number-of-results": "number of results",
    "one-of-the-results": "offset",
    "start": "crc",
    "abs": "strides",
    "add-scalar": "dtype",
    "add-permuted": "strides",
    "add-rowvec": "crc",
    "unknown-operation": "result",
    "unknown-argument": "result",
    "missing-argument": "result",
}


def assert_all_found(replay, name):
    """Each line of the recording has one falsified answer, and is named for it."""
    count = 0
    for line in lines(name):
        report = Report()
        replay.run_chain(line, report)
        assert len(report.disagreed) == 1, line["id"]
        facts = [fact[0] for fact in report.disagreed[0][2]]
        assert FOUND_AS.get(line["id"], line["id"]) in facts, (line["id"], facts)
        count += 1
    assert count > 10
