# SPDX-License-Identifier: Apache-2.0
"""Where a call stands in the user's Python code, and what it called there."""

from __future__ import annotations

import dis
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, Callable

from .torch_names import words

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.normpath(sysconfig.get_paths()["stdlib"]) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_LOADS = words(
    "LOAD_METHOD LOAD_ATTR LOAD_SUPER_ATTR LOAD_GLOBAL LOAD_NAME LOAD_DEREF LOAD_FAST LOAD_FAST_BORROW LOAD_FAST_CHECK "
    "LOAD_FAST_AND_CLEAR"
)

HAS_POSITIONS = sys.version_info >= (3, 11)
"""Whether the bytecode tells which call of a line is under way; before that PyTorch's function mode has to."""


class Place:
    """A line of Python: file, line, the function around it, and the text of the line."""

    __slots__ = ("file", "function", "instruction", "line")

    def __init__(self, file: str, line: int, function: str, instruction: int = -1):
        self.file, self.line, self.function = file, line, function
        self.instruction = instruction  # of the function's bytecode: tells the calls of a line apart

    @property
    def code(self) -> str:
        """The source line without its indentation; empty where the source cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def short(self) -> str:
        """``file:line``, the file relative to the working directory where it lies below that."""
        file = self.file
        try:
            inside = os.getcwd().rstrip(os.sep) + os.sep
        except OSError:  # the directory is gone
            inside = os.sep * 2
        if file.startswith(inside):
            file = file[len(inside) :]
        for mark in _INSTALLED:
            file = file.rpartition(mark)[2]
        return f"{file}:{self.line}"

    def key(self) -> tuple[str, int, int]:
        """File, line and instruction: one call of the program."""
        return self.file, self.line, self.instruction

    def __repr__(self) -> str:
        return f"Place({self.short!r})"


class CallSite:
    """What the stack says about a call: the user's place and call, and the place and call inside a library."""

    __slots__ = ("call", "inside", "inside_call", "place", "through")

    def __init__(
        self,
        place: Place | None,
        call: str | None,
        inside: Place | None,
        inside_call: str | None,
        through: frozenset[str],
    ):
        self.place, self.call, self.inside, self.inside_call = place, call, inside, inside_call
        self.through = through  # functions of libraries that stand between the two

    @property
    def innermost(self) -> Place | None:
        """The line of the call itself, also inside a library."""
        return self.inside or self.place


class Skipper:
    """Which files are not the user's: the libraries named, the standard library, this package."""

    def __init__(self, folders: Sequence[str], packages: Sequence[str]):
        self._prefixes = (_HERE, *(os.path.join(folder, "") for folder in folders))
        self._packages = tuple(
            mark + package + end for mark in _INSTALLED for package in packages for end in (os.sep, ".py")
        )
        self._known: dict[str, bool] = {}

    def skips(self, file: str) -> bool:
        """Whether the file is not the user's."""
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._decide(file)
        return known

    def _decide(self, file: str) -> bool:
        # Code of no file is the user's (`python -c`, a cell), but for what the interpreter and libraries
        # make.
        if file.startswith("<"):
            return file.startswith("<frozen") or "internals>" in file
        if file.startswith(self._prefixes) or any(mark in file for mark in self._packages):
            return True
        return file.startswith(_STANDARD) and not any(mark in file for mark in _INSTALLED)


def frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _dispatcher(frame: FrameType) -> FrameType | None:
    """Of a frame that calls what it was handed: the other mode of PyTorch's that this is done for, if it is for one."""
    code = frame.f_code
    if HAS_POSITIONS and call_name(frame) not in code.co_varnames[: code.co_argcount]:
        return None
    for at in frames_from(frame):
        is_mode = at.f_code.co_name in ("__torch_dispatch__", "__torch_function__")
        if is_mode and not at.f_code.co_filename.startswith(_HERE):
            return at
    return None


def call_site(
    frame: FrameType | None, skipper: Skipper, is_machinery: Callable[[FrameType], bool] | None = None
) -> CallSite:
    """The call that led to `frame`. Inner frames that `is_machinery` knows only passed the call on."""
    inner: FrameType | None = None
    through: list[str] = []
    at = frame
    while at is not None:
        file = at.f_code.co_filename
        if file.startswith(_HERE) or (inner is None and is_machinery is not None and is_machinery(at)):
            at = at.f_back
            continue
        dispatcher = _dispatcher(at)
        if dispatcher is not None:
            # Another mode passes the operation on that the program called: the call is further out.
            inner, at = None, dispatcher.f_back
            through.clear()
            continue
        if skipper.skips(file):
            through.append(at.f_code.co_name)
            inner, at = inner or at, at.f_back
            continue
        inside = _place(inner) if inner is not None else None
        inside_call = call_name(inner) if inner is not None else None
        return CallSite(_place(at), call_name(at), inside, inside_call, frozenset(through))
    if inner is None:
        return CallSite(None, None, None, None, frozenset())
    return CallSite(_place(inner), call_name(inner), None, None, frozenset(through))


def _place(frame: FrameType) -> Place:
    code = frame.f_code
    return Place(code.co_filename, frame.f_lineno or 0, getattr(code, "co_qualname", code.co_name), frame.f_lasti)


_names: dict[tuple[int, int], tuple[object, str | None]] = {}
_instructions: dict[int, tuple[object, list[Any]]] = {}


def call_name(frame: FrameType) -> str | None:
    """The name called at the frame's present instruction: ``reshape`` in ``x.t().reshape(6)``; None if unknown.

    An operator has the name of its method (``matmul``, ``setitem``), an attribute its own (``T``). Before
    Python 3.11 the bytecode does not tell the calls of a line apart, and the answer is None.
    """
    if not HAS_POSITIONS:
        return None
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    known = _names.get(key)
    if known is None:
        if len(_names) > 16384:
            _names.clear()
            _instructions.clear()
        # The code object is kept, so that its id stays its own.
        known = _names[key] = (code, _find_name(code, frame.f_lasti))
    return known[1]


def _find_name(code: CodeType, last: int) -> str | None:
    listed = _instructions.get(id(code))
    if listed is None:
        listed = _instructions[id(code)] = (code, list(dis.get_instructions(code)))
    # During a call of a Python function `last` stands behind the call, in its inline caches.
    index = max((i for i, one in enumerate(listed[1]) if one.offset <= last), default=None)
    if index is None:
        return None
    at = listed[1][index]
    if at.opname in ("STORE_SUBSCR", "STORE_SLICE"):
        return "setitem"
    if at.opname == "BINARY_OP":
        return {"@": "matmul", "@=": "matmul"}.get(at.argrepr)
    if at.opname in ("LOAD_ATTR", "LOAD_SUPER_ATTR"):
        return _bare(at.argval)
    if not at.opname.startswith(("CALL", "PRECALL", "INSTRUMENTED_CALL")):
        return None
    return _callee(listed[1], index)


def _callee(listed: list[Any], index: int) -> str | None:
    """The name loaded last of those that begin where the call begins: the function's own."""
    call = listed[index].positions
    if call is None or call.lineno is None:
        return None
    chain: list[tuple[Any, Any]] = []
    for one in listed[:index]:
        where = one.positions
        if one.opname not in _LOADS or where is None or where.end_lineno is None:
            continue
        end = (where.end_lineno, where.end_col_offset)
        begins = (where.lineno, where.col_offset) == (call.lineno, call.col_offset)
        if begins and end < (call.end_lineno, call.end_col_offset):
            chain.append((end, one.argval))
    names = [name for _, name in sorted(chain, key=lambda pair: pair[0])]
    if names[1:2] == ["ops"] and len(names) > 3:
        return _bare(names[3])  # torch.ops.aten.transpose.int: the overload is no name that anyone calls it by
    return _bare(names[-1]) if names else None


def _bare(name: Any) -> str | None:
    return name if isinstance(name, str) else None
