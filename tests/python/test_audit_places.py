# SPDX-License-Identifier: Apache-2.0
"""Which call of a line is under way: read from the bytecode, held against what was in fact called."""

from __future__ import annotations

import sys

import pytest
from tenstride.audit.places import Place, Skipper, call_name

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="bytecode has no positions before Python 3.11")


class Spy:
    """Each method notes what the bytecode of its caller says is being called."""

    def __init__(self):
        self.seen = []

    def _note(self, *_, **__):
        self.seen.append(call_name(sys._getframe(1)))
        return self

    first = second = __setitem__ = __matmul__ = __imatmul__ = __add__ = __getitem__ = _note
    T = property(_note)


def free(spy):
    return spy._note()


def test_calls_of_one_line_are_told_apart():
    x = Spy()
    x.first(1).second(x.first(), key=x.second()).first()
    assert x.seen == ["first", "first", "second", "second", "first"]


def test_calls_over_lines():
    x = Spy()
    (
        x.first()
        .second(
            x.first(),
        )
        .first()
    )
    assert x.seen == ["first", "first", "second", "first"]


def test_operators_attributes_and_assignments():
    x = Spy()
    x[1:2] = 3
    x[0] = 3
    _ = x @ x
    _ = x.T
    x @= x
    assert x.seen == ["setitem", "setitem", "matmul", "T", "matmul"]


def test_what_has_no_name_of_its_own_gives_none():
    x = Spy()
    _ = x[0]
    _ = x + x
    assert x.seen == [None, None]


def test_other_ways_to_call():
    x = Spy()
    alias = x.first
    alias()
    x.first(*[1], **{"key": 2})
    [x.first() for _ in range(1)]
    (lambda: x.second())()
    {"key": x}["key"].first()
    assert x.seen == ["alias", "first", "first", "second", "first"]


def test_a_python_function_of_a_library_is_named_while_it_runs():
    seen = []

    def library():
        seen.append(call_name(sys._getframe(1)))

    library()
    assert seen == ["library"]


def test_without_source():
    x = Spy()
    exec(compile("x.first().second()", "<nowhere>", "exec"), {"x": x})
    assert x.seen == ["first", "second"]


def test_skipper_knows_libraries_from_programs():
    import json

    skipper = Skipper(["/opt/venv/lib/python3/site-packages/torch"], ["einops"])
    assert skipper.skips("/opt/venv/lib/python3/site-packages/torch/nn/functional.py")
    assert skipper.skips("/other/site-packages/einops/einops.py") and skipper.skips("/other/site-packages/einops.py")
    assert skipper.skips(json.__file__) and skipper.skips("<frozen importlib._bootstrap>")
    assert not skipper.skips("/other/site-packages/torchvision/models.py")
    assert not skipper.skips("/opt/venv/lib/python3/site-packages/torchaudio/x.py")
    assert not skipper.skips("/home/me/torch_model.py") and not skipper.skips("<stdin>")
    assert not skipper.skips(__file__)


def test_places_are_short_and_show_their_line():
    place = Place(__file__, 1, "test")
    assert place.code == "# SPDX-License-Identifier: Apache-2.0"
    assert place.short.endswith("test_audit_places.py:1")
    assert Place("/x/site-packages/torch/nn/a.py", 3, "f").short == "torch/nn/a.py:3"
