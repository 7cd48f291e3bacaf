# SPDX-License-Identifier: Apache-2.0
"""The audit's scope around PyTorch: exceptions, threads, nesting, memory, and what is not the program's own."""

from __future__ import annotations

import contextlib
import gc
import json
import threading
import weakref

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from auditing import NAMES, operations  # noqa: E402
from tenstride.audit import allow, audit  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402


def test_an_exception_closes_the_scope():
    x = torch.randn(2, 3)
    with pytest.raises(ZeroDivisionError), audit() as report:
        x.t().contiguous()
        raise ZeroDivisionError
    x.t().contiguous()
    assert operations(report) == ["contiguous"]


def test_a_failing_operation_is_not_listed_and_the_scope_goes_on():
    x = torch.randn(2, 3)
    with audit() as report:
        with pytest.raises(RuntimeError):
            x.t().view(6)
        with pytest.raises(RuntimeError):
            torch.cat([x, torch.randn(2, 2, 2)])
        x.clone()
    assert operations(report) == ["clone"]


def test_scopes_nest_and_both_list():
    x = torch.randn(2, 3)
    with audit() as outer:
        x.clone()
        with audit() as inner:
            x.t().contiguous()
        x.clone()
    assert operations(outer) == ["clone", "contiguous", "clone"]
    assert operations(inner) == ["contiguous"]
    assert outer.copies[1].line == inner.copies[0].line


def test_a_scope_is_of_its_thread():
    x = torch.randn(2, 3)
    with audit() as report:
        other = threading.Thread(target=lambda: x.t().contiguous())
        other.start()
        other.join()
    assert report.copies == []


def test_threads_audit_apart():
    found = {}

    def work(name, count):
        with audit() as report:
            for _ in range(count):
                torch.randn(2, 3).t().contiguous()
        found[name] = [copy.thread for copy in report.copies]

    threads = [threading.Thread(target=work, args=(i, i + 1), name=f"worker {i}") for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [f"worker {i}"] * (i + 1) for i in range(4)}


def test_a_scope_is_entered_once():
    scope = audit()
    with scope:
        pass
    with pytest.raises(RuntimeError, match="must be entered once"):
        scope.__enter__()


def test_no_memory_is_kept_alive():
    with audit() as report:
        x = torch.randn(1000, 3)
        y = x.t().relu()
        y.reshape(-1)
        keepers = [weakref.ref(x), weakref.ref(y)]
        del x, y
        gc.collect()
        assert [keeper() for keeper in keepers] == [None, None]
    assert len(report.copies) == 1


def test_memory_of_a_dead_tensor_does_not_lend_its_history():
    """New tensors often get the address of old ones; what was remembered of the old is not told of them."""
    base = torch.randn(64, 64)
    with audit() as report:
        for _ in range(20):
            a = torch.randn(8, 4).t()
            a.contiguous()
            del a
            torch.empty(4, 8).as_strided((4, 8), (1, 4)).contiguous()
        base.as_strided((4, 8), (1, 4)).contiguous()
    steps = [copy.since.operation for copy in report.copies]
    assert steps == ["t", "as_strided"] * 20 + ["as_strided"]


def test_allow_marks_and_lets_pass():
    x = torch.randn(2, 3)
    with audit() as report:
        with allow("batching"), report.allow("inner"):
            x.clone()
        with allow("batching"):
            x.clone()
    assert [copy.allowed for copy in report.copies] == ["inner", "batching"]
    report.assert_no_copies()


def test_printing_is_not_the_programs_copy():
    with audit() as report:
        assert "tensor" in str(torch.randn(40, 3).t())
    assert report.copies == []


def test_deepcopy_and_load_state_dict_are_explicit():
    import copy

    layer = torch.nn.Linear(3, 2)
    with audit() as report:
        other = copy.deepcopy(layer)
        other.load_state_dict(layer.state_dict())
    assert {one.kind for one in report.copies} == {"explicit"}
    assert {one.operation for one in report.copies} == {"deepcopy", "load_state_dict"}


def test_bytes_on_meta_are_a_forecast():
    with audit() as report:
        torch.empty(1000, 3, device="meta").t().contiguous()
    assert report.total_bytes == 2 * 1000 * 3 * 4
    assert report.copies[0].sides()[0] == "(3,1000):(1,3)+0 float32 meta"


def test_sparse_tensors_do_no_harm():
    with audit() as report:
        x = torch.eye(3).to_sparse()
        x.clone()
        x.to_dense()
    assert all(copy.bytes_moved >= 0 for copy in report.copies)
    json.loads(report.to_json())


def test_a_list_that_is_full_counts_on():
    x = torch.randn(2, 3)
    with audit(limit=2) as report:
        for _ in range(5):
            x.clone()
    assert (len(report.copies), report.left_out) == (2, 3)
    with pytest.raises(AssertionError, match="3 more not listed"):
        report.assert_no_copies()


@pytest.mark.parametrize("names", NAMES)
def test_what_a_module_clones_of_itself_is_not_said_by_the_users_line(names):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    with audit(names=names) as report:
        torch.nn.TransformerEncoder(layer, 2)
    assert report.copies and {copy.kind for copy in report.copies} == {"silent"}


def test_a_tensor_that_cannot_be_read_does_not_stop_the_program(monkeypatch):
    from tenstride.audit.torch_track import Storages

    def fails(*_):
        raise KeyError("rules of its own")

    x = torch.randn(2, 3)
    with audit() as report:
        monkeypatch.setattr(Storages, "layout", fails)
        y = x.t().contiguous()
        monkeypatch.undo()
        x.clone()
    assert torch.equal(y, x.t())
    assert operations(report) == ["clone"]
    assert "aten::clone could not be looked at: KeyError: 'rules of its own'" in report.missed


class Passing(TorchDispatchMode):
    """Another mode, which passes each operation on as it is."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Helping(TorchDispatchMode):
    """One that leaves the call to a method of its own."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.passed(func, args, kwargs or {})

    def passed(self, func, args, kwargs):
        return func(*args, **kwargs)


def passes_of(*scopes):
    """The phase, operation and line of each copy of a forward and a backward pass inside the scopes."""
    with contextlib.ExitStack() as stack:
        report = [stack.enter_context(scope()) for scope in scopes][scopes.index(audit)]
        x = torch.randn(4, 6, requires_grad=True)
        (x.t().reshape(-1) * 2).sum().backward()
        y = torch.randn(2, 3, 4, 5, requires_grad=True)
        y.permute(0, 2, 3, 1).contiguous().sum().backward()
    return [(copy.phase, copy.operation, copy.line) for copy in report.copies]


@pytest.mark.parametrize("other", [Passing, Helping])
def test_another_mode_around_it_or_inside_it_changes_nothing(other):
    alone = passes_of(audit)
    assert [phase for phase, _, _ in alone if phase == "backward"]
    assert passes_of(other, audit) == alone
    assert passes_of(audit, other) == alone
