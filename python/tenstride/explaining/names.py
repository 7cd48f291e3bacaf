# SPDX-License-Identifier: Apache-2.0
"""Which names a statement needs, binds, or leaves to be defined elsewhere: read from its compiled code."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from types import CodeType

from ..audit.torch_names import words

_AT_ONCE = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_GIVEN_BY_PYTHON = frozenset(dir(builtins)) | words(
    "__annotations__ __builtins__ __file__ __module__ __name__ __qualname__"
)


def needed(code: CodeType) -> list[str]:
    """The names without which the statement cannot run; what stands in the bodies of functions is not asked for.

    >>> needed(compile("y = x.view(n)", "", "exec"))
    ['x', 'n']
    """
    names = (name for part in _run_at_once(code) for name in _loaded(part))
    return list(dict.fromkeys(name for name in names if not name.startswith("__")))


def bound(code: CodeType) -> list[str]:
    """The names that a statement of the top level binds.

    >>> bound(compile("a, b = x", "", "exec"))
    ['a', 'b']
    """
    names = (step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_NAME", "STORE_GLOBAL"))
    return list(dict.fromkeys(names))


def undefined(codes: list[CodeType]) -> list[str]:
    """The names that a whole text uses and nowhere binds."""
    known = _GIVEN_BY_PYTHON.union(*(_bound_anywhere(code) for code in codes))
    names = [name for code in codes for part in _parts(code) for name in _loaded(part)]
    return [name for name in dict.fromkeys(names) if name not in known]


def _bound_anywhere(code: CodeType) -> set[str]:
    """The names of the top level, and those that functions declare global."""
    inner = {
        step.argval for part in _parts(code) for step in dis.get_instructions(part) if step.opname == "STORE_GLOBAL"
    }
    return inner | set(bound(code))


def _loaded(code: CodeType) -> Iterator[str]:
    """Global names that are read; in the body of a class, not those it has bound itself."""
    own: set[str] = set()
    for step in dis.get_instructions(code):
        if step.opname == "STORE_NAME":
            own.add(step.argval)
        elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL", "DELETE_NAME") and step.argval not in own:
            yield step.argval


def _parts(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _run_at_once(code: CodeType) -> Iterator[CodeType]:
    """The code and what it runs itself: comprehensions, lambdas, and bodies of classes, which load their own name."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and (constant.co_name in _AT_ONCE or "__module__" in constant.co_names):
            yield from _run_at_once(constant)
