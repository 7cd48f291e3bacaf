# SPDX-License-Identifier: Apache-2.0
"""See what a PyTorch or NumPy program copies: ``with tenstride.audit() as report: ...``.

The module can be called, so that ``tenstride.audit`` is the scope however it was imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from typing import Any

from .findings import allow
from .layouts import Layout
from .places import HAS_POSITIONS, Place, Skipper
from .record import Copy, ScrambleFound
from .report import Report

__all__ = ["Copy", "Layout", "Place", "Report", "ScrambleFound", "allow", "audit"]

_SKIPPED = ("torch", "numpy", "einops", "opt_einsum", "functorch", "torchgen")


class audit:
    """A scope that lists the copies PyTorch and watched NumPy arrays make in it, on the calling thread.

    ``with tenstride.audit() as report:`` gives a Report, which fills while the scope is open and stays
    afterwards.

    - `skip`: further packages whose lines are not the user's; PyTorch, NumPy, einops and the standard library
      are never.
    - `limit`: copies that are listed, the rest is counted.
    - `devices`: ``"foretell"`` runs a program that says ``.cuda()`` or ``device="cuda"`` in the CPU's memory (or on
      meta) and lists what it would send, on a machine without any such device. The program's own questions
      (``x.device``, ``torch.cuda.is_available()``) are answered as it expects.
    - `names`: ``"stack"`` reads from the Python stack what was called, and changes nothing about the program;
      ``"functions"`` asks PyTorch's function mode, the way where the bytecode does not tell (Python before
      3.11). Under it, modules take no fused fast path.

    Raises ImportError where neither PyTorch nor NumPy is installed, or no PyTorch where devices are foretold;
    ValueError for an unknown `names` or `devices`.

    >>> import numpy
    >>> with audit() as report:
    ...     rows = report.watch(numpy.zeros((2, 3))).T.copy()
    >>> len(report.copies), report.total_bytes
    (1, 96)
    """

    allow = staticmethod(allow)

    def __init__(
        self,
        *,
        skip: Sequence[str] = (),
        limit: int = 65536,
        names: str | None = None,
        devices: str | None = None,
    ) -> None:
        if names not in (None, "stack", "functions"):
            raise ValueError(f"audit: names {names!r} must be 'stack', 'functions' or None")
        if devices not in (None, "foretell"):
            raise ValueError(f"audit: devices {devices!r} must be 'foretell' or None")
        self._foretells = devices is not None
        self._names = names or ("stack" if HAS_POSITIONS else "functions")
        self._torch = _framework()
        if self._foretells and not self._torch:
            raise ImportError("audit: devices='foretell' looks at PyTorch programs; import torch before the scope")
        folders = [
            os.path.dirname(file)
            for file in (getattr(sys.modules.get(name), "__file__", None) for name in ("torch", "numpy"))
            if file
        ]
        self.report = Report(limit, Skipper(folders, (*_SKIPPED, *skip)))
        self._modes: list[Any] = []
        self._entered = self._patched = False

    def __enter__(self) -> Report:
        if self._entered:
            raise RuntimeError("audit: a scope must be entered once; make another with audit()")
        self._entered = True
        if self._torch:
            from .torch_functions import ContiguousCalls, FunctionNames
            from .torch_mode import CopyMode

            functions = FunctionNames() if self._names == "functions" else None
            mode = CopyMode(self.report, functions, self._foretells)
            scopes: list[Any] = [ContiguousCalls(mode.kept_contiguous)]
            if mode.places is not None:
                from .torch_devices import DeviceMode, pretended_cuda

                scopes += [pretended_cuda(), DeviceMode(mode.places)]
            # The names are asked first, so that they are those that the program called.
            for scope in (*scopes, functions, mode):
                if scope is not None:
                    scope.__enter__()
                    self._modes.append(scope)
        if "numpy" in sys.modules:
            from .numpy_functions import install

            install()
            self._patched = True
        self.report.open = True
        return self.report

    def __exit__(self, *error: Any) -> None:
        self.report.open = False
        if self._patched:
            from .numpy_functions import uninstall

            uninstall()
        while self._modes:
            self._modes.pop().__exit__(*error)


def _framework() -> bool:
    """Whether PyTorch is to be looked at; imports it, or NumPy, where neither is imported yet."""
    if "torch" in sys.modules:
        _check_version(sys.modules["torch"])
        return True
    if "numpy" in sys.modules:
        return False
    for name in ("torch", "numpy"):
        if importlib.util.find_spec(name) is not None:
            module = importlib.import_module(name)
            if name == "torch":
                _check_version(module)
            return name == "torch"
    raise ImportError(
        "audit: looks at PyTorch (1.13 or newer) and NumPy programs, and neither is installed for "
        f"{sys.executable}; install one of them (pip install torch, pip install numpy)"
    )


def _check_version(torch: Any) -> None:
    version = str(getattr(torch, "__version__", "0"))
    numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split("+")[0].split(".")[:2])
    if numbers < (1, 13):
        raise ImportError(f"audit: PyTorch {version} must be 1.13 or newer, which has dispatch modes for every thread")


class _Callable(types.ModuleType):
    """``tenstride.audit`` is this module once it is imported; a call of it opens the scope."""

    def __call__(self, **options: Any) -> audit:
        return audit(**options)


sys.modules[__name__].__class__ = _Callable
