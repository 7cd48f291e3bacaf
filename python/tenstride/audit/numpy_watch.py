# SPDX-License-Identifier: Apache-2.0
"""The audit of NumPy: an ndarray subclass whose methods say what they copied."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable

import numpy as np

from .findings import Findings, current_label
from .layouts import Layout, can_view, find_scramble, is_contiguous
from .origins import Origin
from .places import CallSite, call_site
from .record import Copy, ScrambleFound
from .slices import arithmetic, slice_text
from .torch_names import words

_EXPLICIT = frozenset({"copy", "setitem", "copyto", "array", "deepcopy", "put", "place", "putmask"})
_MOVERS = frozenset({"concatenate", "copy", "copyto"})  # functions in C, which call no method of their arguments
_under_way = threading.local()


def _root(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def layout_of(array: np.ndarray) -> Layout:
    """The layout in elements, counted from the array that owns the memory.

    One whose strides are no multiples of the element is told in bytes, with a last axis of the bytes of an
    element.
    """
    item = max(array.itemsize, 1)
    offset = _address(array) - _address(_root(array))
    if all(stride % item == 0 for stride in array.strides) and offset % item == 0:
        return Layout(array.shape, tuple(stride // item for stride in array.strides), offset // item)
    return Layout((*array.shape, item), (*array.strides, 1), offset)


def _shares(one: np.ndarray, other: np.ndarray) -> bool:
    return _root(one) is _root(other)


def watched(array: Any, report: Findings) -> Watched:
    """The array on the same memory, seen by the report. TypeError for what is no ndarray."""
    if type(array) not in (np.ndarray, np.memmap, Watched):
        raise TypeError(
            f"watch: {type(array).__name__} must be a plain numpy.ndarray (PyTorch's tensors need no watching)"
        )
    result: Watched = array.view(Watched)
    result._report = report
    return result


class Watched(np.ndarray):
    """An ndarray that tells its report of copies. Results of operations on it are watched too."""

    _report: Findings | None = None
    _origin: Origin | None = None

    def __array_finalize__(self, source: Any) -> None:
        self._report = getattr(source, "_report", None)

    @property
    def T(self) -> Any:
        return _observed(self, "T", lambda: np.ndarray.transpose(self))

    @property
    def flat(self) -> Any:
        return np.ndarray.view(self, np.ndarray).flat

    def __getitem__(self, index: Any) -> Any:
        return _observed(self, "index", lambda: np.ndarray.__getitem__(self, index), index=index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _written(self, "setitem", value, lambda: np.ndarray.__setitem__(self, index, value), index)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = func.__name__
        if name not in _MOVERS:
            with _Named(name):
                return _watched_again(self, super().__array_function__(func, types, args, kwargs))
        call = lambda: super(Watched, self).__array_function__(func, types, args, kwargs)  # noqa: E731
        if name == "copyto":
            return _written(args[0], name, args[1], call, None)
        sources = args[0] if name == "concatenate" else args[:1]
        sources = [one for one in sources if isinstance(one, np.ndarray)]
        return _observed(self, name, call, sources=sources)

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, out: tuple[Any, ...] = (), **options: Any) -> Any:
        plain = [_plain(one) for one in inputs]
        if out:
            options["out"] = tuple(_plain(one) for one in out)
        result = getattr(ufunc, method)(*plain, **options)
        if out:
            return out[0] if len(out) == 1 else out
        if isinstance(result, tuple):
            return tuple(_kept(self, ufunc.__name__, one, inputs) for one in result)
        return _kept(self, ufunc.__name__, result, inputs)


def _method(name: str, called: str) -> Any:
    """A method of arrays that may copy, always does, or never; as the report calls it."""
    plain = getattr(np.ndarray, name)

    def method(self: Watched, *args: Any, **options: Any) -> Any:
        order = options.get("order", args[0] if name == "ravel" and args else None)
        return _observed(self, called, lambda: plain(self, *args, **options), order)

    return method


for _name in words("reshape ravel flatten copy astype take compress repeat transpose swapaxes squeeze diagonal"):
    setattr(Watched, _name, _method(_name, _name))
for _name in ("copy", "deepcopy"):
    setattr(Watched, f"__{_name}__", _method(f"__{_name}__", _name))


class _Named:
    """The outermost function of NumPy's under way on this thread gives its parts their name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> str:
        stack: list[str] = _under_way.__dict__.setdefault("names", [])
        stack.append(self._name)
        return stack[0]

    def __exit__(self, *_: Any) -> None:
        _under_way.names.pop()


def _plain(value: Any) -> Any:
    return np.ndarray.view(value, np.ndarray) if isinstance(value, Watched) else value


def _watched_again(like: Watched, result: Any) -> Any:
    """A plain array among the results is watched too."""
    if isinstance(result, np.ndarray) and type(result) is np.ndarray and like._report is not None:
        return watched(result, like._report)
    if type(result) in (list, tuple):
        return type(result)(_watched_again(like, one) for one in result)
    return result


def _site(report: Findings, operation: str, call: str) -> CallSite:
    """The user's line; the line inside NumPy only where a function does something else than its name says."""
    site = call_site(sys._getframe(1), report._skipper)
    if operation == call or (site.inside is not None and site.inside.file.startswith("<")):
        return CallSite(site.place, site.call, None, None, site.through)
    return site


def _kept(self: Watched, name: str, result: Any, inputs: Any) -> Any:
    """An element-wise result keeps the strides of its operands, and their history."""
    result = _watched_again(self, result)
    if not isinstance(result, Watched) or not (self._report and self._report.open):
        return result
    layout = layout_of(result)
    if not is_contiguous(layout):
        for one in inputs:
            if isinstance(one, Watched) and one._origin is not None and one.strides == result.strides:
                result._origin = Origin(name, _site(self._report, name, name), layout, layout_of(one), one._origin)
                break
    return result


def _observed(
    self: Watched,
    call: str,
    run: Callable[[], Any],
    order: str | None = None,
    index: Any = None,
    sources: list[Any] | None = None,
) -> Any:
    """Runs it, and tells the report where the result is not a view."""
    report = self._report
    if report is None or not report.open:
        return run()
    with _Named(call) as operation:
        start = time.perf_counter()
        result = run()
        seconds = time.perf_counter() - start
    if not isinstance(result, np.ndarray) or result is self:
        return result
    result = _watched_again(self, result)
    src, dst = layout_of(self), layout_of(result)
    site = _site(report, operation, call)
    if call == "reshape" and site.inside is None:
        reordering = find_scramble(self.shape, result.shape)
        if reordering is not None:
            found = ScrambleFound(call, reordering, str(self.dtype), site.place, current_label())
            report.add_scramble(found)
    if _shares(self, result):
        name = "slice" if call == "index" else call
        result._origin = Origin(name, site, dst, src, self._origin) if dst != src else self._origin
        return result
    if result.nbytes == 0:
        return result
    note, remedy = _advice(self, call, operation, result, src, order, index)
    sources = sources or [self]
    first = sources[0]
    _add(
        report,
        site,
        operation,
        call,
        (layout_of(first), str(first.dtype), getattr(first, "_origin", None)),
        (dst, str(result.dtype)),
        sum(one.nbytes for one in sources) if len(sources) > 1 else result.size * self.itemsize,
        result.nbytes,
        (start, seconds),
        target=result.shape if call in ("reshape", "ravel", "flatten") and not note else None,
        note=note,
        remedy=remedy,
        sources=len(sources),
    )
    return result


def _written(target: Any, call: str, value: Any, run: Callable[[], Any], index: Any) -> Any:
    """An assignment: explicit where the user wrote it."""
    report = getattr(target, "_report", None) or getattr(value, "_report", None)
    if report is None or not report.open:
        return run()
    with _Named(call) as operation:
        start = time.perf_counter()
        result = run()
        seconds = time.perf_counter() - start
    if not isinstance(value, np.ndarray) or value.size < 2:
        return result  # a fill
    part = np.ndarray.__getitem__(target, index) if index is not None and not _is_advanced(index) else target
    size = part.size if part is not target or index is None else value.size
    _add(
        report,
        _site(report, operation, call),
        operation,
        call,
        (layout_of(value), str(value.dtype), getattr(value, "_origin", None)),
        (layout_of(part), str(target.dtype)),
        size * value.itemsize,
        size * target.itemsize,
        (start, seconds),
    )
    return result


def _is_advanced(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return not all(part is None or part is Ellipsis or isinstance(part, (int, np.integer, slice)) for part in parts)


def _advice(
    self: Watched, call: str, operation: str, result: Any, src: Layout, order: str | None, index: Any
) -> tuple[str | None, str | None]:
    """A note and a remedy that are true of NumPy alone."""
    if call in ("reshape", "ravel") and order in ("F", "A", "K"):
        return f"order={order!r} reads the elements in another order than they are to lie", None
    if call == "flatten":
        view = can_view(src, result.shape)
        return (
            "NumPy's flatten always copies",
            "ravel() is a view here" if view else "ravel() copies here too",
        )
    if call == "astype" and self.dtype == result.dtype:
        return "astype copies even where the dtype stays", f"astype({result.dtype}, copy=False)"
    if call == "index" and operation == "index":
        return "indexing with arrays, lists or masks always copies", _slice_for(index)
    return None, None


def _slice_for(index: Any) -> str | None:
    parts = index if isinstance(index, tuple) else (index,)
    picked = [part for part in parts if isinstance(part, (list, np.ndarray))]
    if len(picked) != 1 or not all(isinstance(part, (slice, list, np.ndarray)) for part in parts):
        return None
    values = np.asarray(picked[0])
    if values.ndim != 1 or values.dtype.kind != "i" or not 0 < values.size <= 65536:
        return None
    found = arithmetic(values.tolist())
    if found is None:
        return None
    axis = [one is picked[0] for one in parts].index(True)
    return f"the indices are evenly spaced: {slice_text(axis, found)} has the same elements as a view"


def _add(
    report: Findings,
    site: CallSite,
    operation: str,
    call: str,
    source: tuple[Layout, str, Origin | None],
    result: tuple[Layout, str],
    read: int,
    written: int,
    times: tuple[float, float],
    **more: Any,
) -> None:
    src, src_dtype, origin = source
    dst, dst_dtype = result
    kind = "explicit" if operation in _EXPLICIT else "conversion" if src_dtype != dst_dtype else "silent"
    report.add(
        Copy(
            kind=kind,
            operation=operation,
            call=call,
            src=src,
            src_dtype=src_dtype,
            src_device="cpu",
            dst=dst,
            dst_dtype=dst_dtype,
            dst_device="cpu",
            bytes_read=read,
            bytes_written=written,
            place=site.place,
            inside=site.inside,
            phase="forward",
            allowed=current_label(),
            start=times[0] - report.began,
            seconds=times[1],
            thread=threading.current_thread().name,
            origin=origin,
            **more,
        )
    )
