# SPDX-License-Identifier: Apache-2.0
"""Ledgers and bans from Python: what they list, which line they name, on which thread."""

from __future__ import annotations

import inspect
import json
import threading

import pytest
import tenstride as torch


def line() -> int:
    return inspect.currentframe().f_back.f_lineno


def test_lists_copies_with_their_lines():
    x = torch.arange(6).view(2, 3)
    with torch.CopyLedger() as ledger:
        y = x.T.contiguous()
        expected = line() - 1
        x.T.view(3, 2)
        z = x.T.reshape(-1)
    assert (ledger.copies, ledger.bytes_read, len(ledger)) == (2, 96, 2)
    first, second = ledger.entries
    assert first["operation"] == "contiguous" and first["line"] == expected and first["file"] == "test_ledger.py"
    assert first["function"] == "test_lists_copies_with_their_lines"
    assert second["operation"] == "reshape" and second["reason"].startswith("no view: axes 0 and 1 would merge")
    assert second["src"]["layout"] == "(3,2):(1,3)+0"
    assert json.loads(ledger.to_json())["totals"] == ledger.totals
    assert all(event["ph"] == "X" for event in json.loads(ledger.to_trace()))
    assert f"test_ledger.py:{expected}" in str(ledger)
    assert y.tolist() == [[0, 3], [1, 4], [2, 5]] and z.tolist() == [0, 3, 1, 4, 2, 5]


def test_sees_operators_indexing_and_functions():
    x = torch.zeros(4, 5)
    with torch.CopyLedger() as ledger:
        x[[0, 1]]
        x[:, 0] = 1
        torch.cat([x, x])
        x.clone()
        torch.rearrange(x, "a b -> (b a)")
    assert [entry["line"] for entry in ledger.entries if entry["kind"] == "copy"]
    assert {entry["operation"] for entry in ledger.entries} >= {"index", "cat", "clone", "rearrange"}
    assert all(entry["file"] == "test_ledger.py" for entry in ledger.entries)


def test_ledgers_nest_and_stay_readable():
    x = torch.zeros(2, 3)
    with torch.CopyLedger() as outer:
        x.clone()
        with torch.CopyLedger(most=1) as inner:
            x.clone()
            x.clone()
    assert (outer.copies, inner.copies, len(inner)) == (3, 2, 1)
    with inner:
        x.clone()
    assert inner.copies == 1
    with pytest.raises(RuntimeError, match="has not begun"):
        torch.CopyLedger().copies  # noqa: B018
    with torch.CopyLedger() as ledger, pytest.raises(RuntimeError, match="open already"):
        ledger.__enter__()


def test_no_copy_refuses_before_anything_is_written():
    x = torch.arange(6).view(2, 3)
    y = torch.zeros(3, 2, dtype=torch.int64)
    with torch.NoCopy():
        x.T.view(3, 2)
        torch.zeros(5)
        with pytest.raises(torch.NoCopyError, match="must not be copied inside NoCopy") as refusal:
            y.copy_(x.T)
        with torch.NoCopy.Allow("here"):
            x.T.contiguous()
        with pytest.raises(RuntimeError):
            x.T.contiguous()
    assert f"test_ledger.py:{refusal.traceback[0].lineno + 1}" in str(refusal.value)
    assert y.tolist() == [[0, 0]] * 3
    x.T.contiguous()


def test_scrambles():
    x = torch.zeros(2, 3)
    with torch.CopyLedger() as ledger:
        x.reshape(3, 2)
        x.view(6)
    assert [entry["kind"] for entry in ledger.entries] == ["scramble"]
    with torch.NoScramble():
        with pytest.raises(torch.ScrambleError, match=r"\.transpose\(0, ?1\)|\.permute\(1, ?0\)|\.T"):
            x.view(3, 2)
        with torch.NoScramble.Allow():
            x.view(3, 2)
    x.view(3, 2)


def test_an_exception_inside_ends_the_scope():
    x = torch.zeros(2, 3)
    with pytest.raises(ZeroDivisionError), torch.NoCopy():
        raise ZeroDivisionError
    x.T.contiguous()


def test_scopes_belong_to_their_thread():
    x = torch.zeros(200, 300)
    failures = []

    def copy():
        try:
            x.T.contiguous()
        except RuntimeError as error:
            failures.append(error)

    with torch.NoCopy(), torch.CopyLedger() as ledger:
        thread = threading.Thread(target=copy)
        thread.start()
        thread.join()
    assert not failures and ledger.copies == 0

    with torch.CopyLedger() as ledger:
        errors = []

        def leave():
            try:
                ledger.__exit__(None, None, None)
            except RuntimeError as error:
                errors.append(str(error))

        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert errors == ["with: a scope must end on the thread that it began on"]
