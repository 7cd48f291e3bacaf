# SPDX-License-Identifier: Apache-2.0
"""The audit of NumPy's arrays. What copied is found out a second way: by numpy.shares_memory."""

from __future__ import annotations

import copy as copies
import inspect
import random
import threading

import pytest

np = pytest.importorskip("numpy", reason="NumPy is not installed for this Python")

from tenstride.audit import audit  # noqa: E402


def line():
    """The number of the caller's line."""
    return inspect.currentframe().f_back.f_lineno


def operations(report):
    return [copy.operation for copy in report.copies]


STEPS = {
    "transpose": lambda x, rng: x.transpose(rng.sample(range(x.ndim), x.ndim)),
    "slice": lambda x, rng: x[..., :: rng.choice((-1, 1, 2))],
    "T": lambda x, rng: x.T,
    "swapaxes": lambda x, rng: x.swapaxes(0, -1),
    "squeeze": lambda x, rng: x[None].squeeze(0),
    "reshape": lambda x, rng: x.reshape(sorted(x.shape)),
    "ravel": lambda x, rng: x.ravel(),
    "flatten": lambda x, rng: x.flatten(),
    "copy": lambda x, rng: x.copy(),
    "astype": lambda x, rng: x.astype(rng.choice((np.float32, np.float64)), copy=False),
    "index": lambda x, rng: x[[0]],
    "take": lambda x, rng: np.take(x, [0], axis=0),
    "repeat": lambda x, rng: np.repeat(x, 2, axis=0),
    "ascontiguousarray": lambda x, rng: np.ascontiguousarray(x),
    "asfortranarray": lambda x, rng: np.asfortranarray(x),
    "array": lambda x, rng: np.array(x),
    "concatenate": lambda x, rng: np.concatenate([x, x]),
    "stack": lambda x, rng: np.stack([x, x]),
}
EXPLICIT = ("copy", "array")


def test_random_chains_list_what_moved():
    """Each step of 400 chains: listed once under its own name if and only if no memory is shared."""
    rng = random.Random(5)
    copied = 0
    for _ in range(400):
        plain = np.random.default_rng(1).random([rng.choice((1, 2, 3)) for _ in range(rng.randrange(1, 4))])
        x = plain
        for _ in range(6):
            name = rng.choice(list(STEPS))
            if x.size > 2000 or x.ndim > 5:
                continue
            with audit() as report:
                y = STEPS[name](report.watch(x), rng)
            moved = not np.shares_memory(x, y)
            assert operations(report) == [name] * moved, (name, x.shape, x.strides)
            if moved:
                (copy,) = report.copies
                assert copy.bytes_written == y.nbytes
                assert copy.bytes_read == y.size * x.itemsize
                assert copy.dst.shape == y.shape
                kind = "conversion" if x.dtype != y.dtype else "silent"
                assert copy.kind == ("explicit" if name in EXPLICIT else kind)
            copied += moved
            x = np.asarray(y)
    assert copied > 500


def test_line_why_since_and_fix():
    with audit() as report:
        x = report.watch(np.zeros((2, 3, 4)))
        y = x.transpose(0, 2, 1) + 1
        moved = line() - 1
        y.reshape(-1)
        expected = line() - 1
    (copy,) = report.copies
    assert (copy.line, copy.file) == (expected, __file__)
    assert str(copy.src) == "(2,4,3):(12,1,4)+0"
    assert copy.why == "no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12"
    assert (copy.since.operation, copy.since.place.line) == ("transpose", moved)
    assert copy.fix == "stays, unless axes 1 and 2 are kept apart and what follows runs over both (einsum does)"


def test_values_are_numpys_and_results_stay_arrays():
    plain = np.arange(24.0).reshape(2, 3, 4)
    with audit() as report:
        x = report.watch(plain)
        found = [
            x.T.reshape(-1),
            np.concatenate([x, x]),
            x[:, [1]],
            (x * 2).sum(0),
            np.roll(x, 1, 0),
            np.dot(x[0], x[1].T),
        ]
        assert float(x.sum()) == plain.sum() and isinstance(x[0, 0, 0], np.float64)
    expected = [
        plain.T.reshape(-1),
        np.concatenate([plain, plain]),
        plain[:, [1]],
        (plain * 2).sum(0),
        np.roll(plain, 1, 0),
        np.dot(plain[0], plain[1].T),
    ]
    for one, other in zip(found, expected):
        assert isinstance(one, np.ndarray)
        np.testing.assert_array_equal(one, other)


def test_flatten_and_astype_say_what_costs_less():
    with audit() as report:
        x = report.watch(np.zeros((2, 3)))
        x.flatten()
        x.T.flatten()
        x.astype(np.float64)
        x[:, [0, 2]]
    fixes = [copy.fix for copy in report.copies]
    assert fixes == [
        "ravel() is a view here",
        "ravel() copies here too",
        "astype(float64, copy=False)",
        "the indices are evenly spaced: x[:, 0:3:2] has the same elements as a view",
    ]


def test_assignments_are_explicit_and_fills_are_none():
    with audit() as report:
        x = report.watch(np.zeros((2, 3)))
        x[0] = x[1]
        x[0] = 1.0
        x[:, 0] = np.ones(2)
        np.copyto(x, np.ones((2, 3)))
    assert operations(report) == ["setitem", "setitem", "copyto"]
    assert {copy.kind for copy in report.copies} == {"explicit"}
    assert [copy.bytes_written for copy in report.copies] == [24, 16, 48]


def test_functions_name_what_they_do_inside():
    with audit() as report:
        x = report.watch(np.zeros((2, 3, 4)))
        np.roll(x, 1, 0)
        np.tile(x, 2)
        copies.deepcopy(x)
    found = operations(report)
    assert set(found) == {"roll", "tile", "deepcopy"}
    assert all(copy.inside is not None for copy in report.copies if copy.operation == "roll")


def test_scrambles():
    with audit() as report:
        x = report.watch(np.zeros((2, 3)))
        x.reshape(3, 2)
        expected = line() - 1
        x.reshape(6)
        x.reshape(2, 1, 3)
    (scramble,) = report.scrambles
    assert (scramble.fix, scramble.line) == (".transpose(0, 1)", expected)


def test_after_the_scope_nothing_is_listed_and_numpy_is_as_it_was():
    originals = {name: getattr(np, name) for name in ("array", "asarray", "ascontiguousarray", "require")}
    with audit() as report:
        x = report.watch(np.zeros((2, 3)))
        with audit():
            assert np.array is not originals["array"]
        assert np.array is not originals["array"]
    x.T.copy()
    assert report.copies == []
    assert {name: getattr(np, name) for name in originals} == originals


def test_an_exception_brings_numpy_back():
    original = np.array
    with pytest.raises(ZeroDivisionError), audit():
        raise ZeroDivisionError
    assert np.array is original


def test_threads_share_a_report():
    with audit() as report:
        x = report.watch(np.zeros((20, 30)))
        threads = [threading.Thread(target=lambda: [x.T.copy() for _ in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(report.copies) == 200
    assert len({copy.thread for copy in report.copies}) == 4


def test_strides_that_are_no_multiples_are_told_in_bytes():
    records = np.zeros(4, dtype=[("a", "i1"), ("b", "<i4")])
    with audit() as report:
        report.watch(records["b"]).copy()
    assert str(report.copies[0].src) == "(4,4):(5,1)+1"


def test_only_arrays_are_watched():
    with audit() as report:
        with pytest.raises(TypeError, match=r"^watch: list must be a plain numpy.ndarray"):
            report.watch([1, 2])
        with pytest.raises(TypeError, match=r"^watch: MaskedArray must be a plain numpy.ndarray"):
            report.watch(np.ma.masked_equal([1, 2], 1))
        assert report.watch(report.watch(np.zeros(2))).base is not None


def test_mapped_files_are_watched(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 3)))
    with audit() as report:
        report.watch(np.load(tmp_path / "x.npy", mmap_mode="r")).T.ravel()
    assert operations(report) == ["ravel"]
