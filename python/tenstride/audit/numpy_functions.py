# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions that ask no array for its opinion: while a scope is open, wrappers stand in the module ``numpy``.

``np.ascontiguousarray`` and its kin hand nothing to ``__array_function__``; they are seen when they are
called as ``np.NAME``. Arrays that no report watches go through untouched. The originals come back when the
last scope ends.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from .numpy_watch import Watched, _observed

_NAMES = ("ascontiguousarray", "asfortranarray", "array", "asarray", "asanyarray", "require")
_lock = threading.Lock()
_originals: dict[str, Any] = {}
_open = 0


def _wrapper(name: str, original: Any) -> Any:
    @functools.wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        given = args[0] if args else options.get("a", options.get("object"))
        if not isinstance(given, Watched):
            return original(*args, **options)
        return _observed(given, name, lambda: original(*args, **options))

    return call


def install() -> None:
    """Puts the wrappers in place, once however many scopes are open."""
    global _open
    with _lock:
        _open += 1
        if _open == 1:
            for name in _NAMES:
                _originals[name] = getattr(np, name)
                setattr(np, name, _wrapper(name, _originals[name]))


def uninstall() -> None:
    """Brings the originals back with the last scope."""
    global _open
    with _lock:
        if _open == 0:
            return
        _open -= 1
        if _open == 0:
            for name, original in _originals.items():
                setattr(np, name, original)
            _originals.clear()
