# SPDX-License-Identifier: Apache-2.0
"""Plans of copies that are made again and again."""

import pytest
import tenstride as torch


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of the user's that is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tenstride" / "plans"


def transposed(rows, columns):
    x = torch.arange(rows * columns, dtype=torch.float32).view(rows, columns)
    return torch.empty(columns, rows), x.T


def test_a_plan_runs_as_often_as_wanted():
    y, x = transposed(300, 200)
    plan = torch.plan(y, x)
    for number in range(3):
        x.fill_(number)
        plan.run()
        assert torch.equal(y, x)
    assert plan.ways == []
    assert plan.way in str(plan)
    assert plan.cost > 0
    assert plan.threads >= 1
    assert repr(plan) == f"<tenstride.Plan {plan.way}, 60000 elements>"


def test_a_plan_is_listed_by_a_ledger():
    y, x = transposed(30, 20)
    plan = torch.plan(y, x)
    with torch.CopyLedger() as ledger:
        plan.run()
    (entry,) = ledger.entries
    assert (entry["operation"], entry["kernel"], entry["bytes_written"]) == ("run_plan", plan.way, 2400)
    assert entry["file"].endswith("test_plans.py")


def test_the_fastest_way_is_measured_once(cache):
    y, x = transposed(600, 500)
    plan = torch.plan(y, x, effort="measured")
    assert torch.equal(y, x)
    assert [way["seconds"] for way in plan.ways] == sorted(way["seconds"] for way in plan.ways)
    assert set(plan.ways[0]) == {"way", "variation", "cost", "seconds"}
    assert plan.way in [way["way"] for way in plan.ways]
    assert "\n  measured  foretold\n" in str(plan)
    text = cache.read_text(encoding="ascii")
    again = torch.plan(y, x, effort="measured")
    assert (again.way, again.ways) == (plan.way, [])
    assert cache.read_text(encoding="ascii") == text
    y.zero_()
    again.run()
    assert torch.equal(y, x)


def test_a_damaged_cache_is_measured_anew(cache):
    cache.parent.mkdir()
    cache.write_bytes(b"tenstride plans 1\n\0\xff\t\t\t")
    y, x = transposed(60, 50)
    assert torch.plan(y, x, effort="measured").ways
    assert torch.equal(y, x)


def test_what_has_no_plan_is_refused():
    x = torch.zeros(4, 4)
    with pytest.raises(RuntimeError, match="the source and the destination share memory"):
        torch.plan(x, x.T)
    with pytest.raises(ValueError, match="plan: effort quick must be 'estimated' or 'measured'"):
        torch.plan(x, torch.zeros(4, 4), effort="quick")
    with pytest.raises(torch.ShapeError):
        torch.plan(x, torch.zeros(3))
