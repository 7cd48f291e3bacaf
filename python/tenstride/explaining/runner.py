# SPDX-License-Identifier: Apache-2.0
"""Runs a text statement by statement; what fails is told, and the rest goes on."""

from __future__ import annotations

import ast
import builtins
import io
import traceback
from collections.abc import Mapping
from contextlib import ExitStack, redirect_stdout
from types import CodeType
from typing import Any

from . import declared, names
from .array_reasons import describe as describe_array
from .modules import NAMES, PARTS, Modules
from .paste import clean
from .recorder import MAX_STEPS, Recorder, StepLimit
from .source import FILE, Source, Statement
from .steps import Origin
from .traced import Traced, recording

_MAX_LINES = 12  # of a value that is shown


class Run:
    """One text, run once. `events` is what it did; `value` that of the last expression."""

    def __init__(
        self, code: str, let: Mapping[str, Any], inputs: Mapping[str, Any], real: bool, most_steps: int
    ) -> None:
        paste = clean(code)
        self.source = Source(paste.text)
        self.recorder = Recorder(self.source, declared.Declared({}), most_steps or MAX_STEPS)
        self.value: Any = None
        self.ended: str | None = None
        self._left_out = paste.left_out
        self._let, self._inputs, self._real = let, inputs, real
        self._modules = Modules(real)
        self._missing: dict[str, str] = {}
        self._namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": self._builtins()}

    def run(self) -> None:
        """Runs all statements. Ctrl-C and the limit of steps end the run, not the explanation."""
        with ExitStack() as scopes:
            scopes.enter_context(recording(self.recorder))
            if self._real:
                from .real import watched_torch

                scopes.enter_context(watched_torch(self.recorder))
            printing = _Printing(self.recorder)
            scopes.enter_context(redirect_stdout(printing))
            scopes.callback(printing.close)
            for line, text in self._left_out:
                self.recorder.remark(f"left out, as it is no Python: {text}", line)
            self._define()
            for statement in self.source.statements:
                if not self._one(statement):
                    return
            for name in self.recorder.declared.unused:
                self.recorder.remark(f"--let {name}: not needed, the code says what it is", 0)

    def _define(self) -> None:
        """Binds what `--let` declares, and asks for what the text uses and nowhere defines."""
        codes = [statement.code for statement in self.source.statements]
        missing = names.undefined(codes)
        self._declare(codes, missing)
        missing = [name for name in missing if name not in self._namespace]
        known = [name for name in missing if name in NAMES or name in PARTS]
        for name in known:
            self._import(name)
        asked = [name for name in missing if name not in known]
        self._missing.update({name: f"needs {name}, which is not defined" for name in asked})
        if asked:
            said = " and ".join(filter(None, [", ".join(asked[:-1]), asked[-1]]))
            example = " ".join(f"--let {name}=2x3x4" for name in asked)
            which = "is not defined: say its sizes" if len(asked) == 1 else "are not defined: say their sizes"
            self.recorder.failed(0, f"{said} {which}, {example} (a number: --let n=5)")

    def _declare(self, codes: list[CodeType], missing: list[str]) -> None:
        """Binds the tensors that the caller declares or gives; names that the text assigns wait until that fails."""
        used = {name for code in codes for name in code.co_names}
        numpy = bool(used & {"np", "numpy"}) and not used & {"torch", "nn", "F"}
        with self.recorder.muted():
            self.recorder.declared = declared.make(self._let, numpy, self._real)
            given = {name: declared.watched(value) for name, value in self._inputs.items()}
        bound = {name for code in codes for name in names.bound(code)}
        for name in self.recorder.declared:
            if name not in bound:
                self._bind(name, self.recorder.declared[name])
                if name not in missing:
                    self.recorder.remark(f"--let {name}: the code has no such name", 0)
        for name, value in given.items():
            self._bind(name, value)

    def _import(self, name: str) -> None:
        """Binds a name that people use without saying where it comes from."""
        module = NAMES.get(name) or PARTS[name]
        try:
            self._namespace[name] = self._modules.given(name)
        except ImportError as error:
            self.recorder.failed(0, str(error))
            self._missing[name] = f"needs {name}"
            return
        taken = "taken as imported" if name == module else f"taken {'for' if name in NAMES else 'from'} {module}"
        self.recorder.remark(f"{name} is not imported: {taken}", 0)

    def _bind(self, name: str, value: Any) -> None:
        """A name that the caller gives, as a step without a line."""
        self._namespace[name] = value
        if not isinstance(value, Traced):
            return
        library = "numpy" if hasattr(value.held, "flags") else "torch"
        step = self.recorder.step(library, "new")
        step.code = name
        if library == "numpy":
            layout = describe_array(step, value.held)
        else:
            from .calls import describe, layout_of

            layout = layout_of(value.held)
            describe(step, layout, value.held)
        value.origin = Origin(step, layout)

    def _one(self, statement: Statement) -> bool:
        """Runs a statement; False where the run ends with it."""
        lacking = [
            name for name in names.needed(statement.code) if name in self._missing and name not in self._namespace
        ]
        if lacking:
            return self._skipped(statement, self._missing[lacking[0]])
        try:
            self._show(statement, eval(statement.code, self._namespace))
        except StepLimit:
            self.ended = f"stopped after {self.recorder.most_steps} steps, which is the limit"
        except KeyboardInterrupt:
            self.ended = "stopped by Ctrl-C"
        except SystemExit as error:
            self.ended = f"the code ended itself (SystemExit: {error})"
        except BaseException as error:
            return self._failed(statement, error)
        return self.ended is None

    def _show(self, statement: Statement, value: Any) -> None:
        self.value = value
        if value is None or not statement.is_expression:
            return
        if isinstance(value, Traced) and not isinstance(statement.node.value, ast.Name):  # its step says what it is
            return
        lines = repr(value).split("\n")
        more = [f"… {len(lines) - _MAX_LINES} lines more"] if len(lines) > _MAX_LINES else []
        self.recorder.printed(statement.line, "\n".join(lines[:_MAX_LINES] + more), is_value=True)

    def _skipped(self, statement: Statement, why: str) -> bool:
        """A statement that cannot run; what `--let` declares takes the place of what it binds."""
        bound = names.bound(statement.code)
        if bound and all(name in self.recorder.declared for name in bound):
            for name in bound:
                self._bind(name, self.recorder.declared[name])
            return True
        self.recorder.failed(statement.line, f"skipped: {why}", is_skip=True)
        self._lose(bound, statement.line, why)
        return True

    def _failed(self, statement: Statement, error: BaseException) -> bool:
        line = self._line(error, statement)
        bound = names.bound(statement.code)
        lacking = getattr(error, "name", None) if isinstance(error, NameError) else None
        if isinstance(error, NameError) and lacking is None:  # Python before 3.10 has it in the text alone
            lacking = str(error).partition("'")[2].partition("'")[0]
        if lacking in self._missing:
            return self._skipped(statement, self._missing[str(lacking)])
        if bound and all(name in self.recorder.declared for name in bound):
            for name in bound:
                self._bind(name, self.recorder.declared[name])
            return True
        if id(error) not in self.recorder.refusals:
            name = "ModuleNotFoundError" if isinstance(error, ModuleNotFoundError) else type(error).__name__
            self.recorder.failed(line, f"{name}: {error}")
        self._lose(bound, statement.line, f"needs {{name}} of line {statement.line}")
        return True

    def _lose(self, bound: list[str], line: int, why: str) -> None:
        """Names that a failed statement would have bound; those bound before keep what they had."""
        for name in bound:
            if name not in self._namespace:
                self._missing[name] = why.replace("{name}", name)

    def _line(self, error: BaseException, statement: Statement) -> int:
        """The innermost line of the text that the error went through."""
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == FILE]
        return self.source.line_of(lines[-1]) if lines and lines[-1] else statement.line

    def _builtins(self) -> dict[str, Any]:
        return {**vars(builtins), "__import__": self._modules.imported, "input": _no_input}


def _no_input(prompt: str = "") -> str:
    raise RuntimeError("input() is not answered in an explanation; put a value in its place")


class _Printing(io.TextIOBase):
    """Printed text as events, a line or more each."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._waiting = recorder, ""

    def write(self, text: str) -> int:
        self._waiting += text
        if self._waiting.endswith("\n"):
            self._recorder.printed(self._recorder.place().line, self._waiting[:-1])
            self._waiting = ""
        return len(text)

    def close(self) -> None:
        if self._waiting:
            self._recorder.printed(0, self._waiting)
            self._waiting = ""
