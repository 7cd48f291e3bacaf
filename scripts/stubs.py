#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the type stubs of the Python package from the built extension; the build does.

    PYTHONPATH=build/dev/python scripts/stubs.py build/dev/python/tenstride

The operations come from the extension's table, the functions and classes of nanobind from the signatures they carry
(`__nb_signature__`); scripts/stubs_types.py says the types that neither tells. Not by nanobind.stubgen: its stubs
say `int` where the package has a dtype of that name, and know nothing of the table.
"""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import tenstride
from stubs_types import DISTRIBUTED_HEAD, HEAD, OVERLOADS, RESULTS, SIGNATURES, SLOTS, TYPES
from tenstride import _tenstride

# Modules of the package that `tenstride.NAME` loads.
LOADED_LATER = ("array_api", "audit", "distributed", "numpy")
# Modules of the extension that have a stub of their own.
WITH_STUBS = ("_distributed", "linalg")
BUILTINS = re.compile(r"(?<![\w.])(bool|int|float|complex|str|bytes|object|tuple|list|dict)\b(?!\s*:)")


def with_builtins(signature: str) -> str:
    """The signature with `builtins.` before the names that the package gives to dtypes."""
    return BUILTINS.sub(r"builtins.\1", signature)


def one_or_overloads(name: str, signatures: list[str], decorator: str = "") -> str:
    """`def name(…) -> …: ...`, with @overload where there are several."""
    lines = []
    for signature in signatures:
        if len(signatures) > 1:
            lines.append("@overload")
        if decorator:
            lines.append(decorator)
        body = signature if ": ..." in signature else f"{signature}: ..."
        lines.append(f"def {name}{body}")
    return "\n".join(lines)


def type_of(words: str) -> str:
    """A type of the table, `int|int[]?`, as a stub has it."""
    is_optional = words.endswith("?")
    kinds = [TYPES[word] for word in words.rstrip("?").split("|")]
    text = " | ".join(kinds) if set(kinds) != {"Tensor", "_Number"} else "_Operand"
    return f"{text} | None" if is_optional else text


class Parameter:
    """A parameter of the table."""

    def __init__(self, name: str, type: str, otherwise: str, is_spread: bool, by_name: bool, is_any: bool) -> None:
        self.name, self.is_spread, self.by_name, self.is_any = name, is_spread, by_name, is_any
        self.type, self.otherwise = type, otherwise

    def __str__(self) -> str:
        kind = type_of(f"{self.type}[]" if self.is_spread else self.type)
        if not self.otherwise:
            return f"{self.name}: {kind}"
        is_none = self.otherwise == "None" or self.otherwise.endswith("_format")
        otherwise = "None" if is_none else "..." if self.otherwise.startswith("[") else self.otherwise
        return f"{self.name}: {kind}{' | None' * (is_none and not kind.endswith('None'))} = {otherwise}"


def joined(first: str, parameters: list[Parameter], spread_out: bool) -> str:
    """A list of parameters as Python writes it."""
    words = [first] if first else []
    by_name = False
    for parameter in parameters:
        if parameter.is_any:
            words.append(f"**{parameter.name}: builtins.int")
            continue
        if parameter.is_spread and spread_out:
            words.append(f"*{parameter.name}: {type_of(parameter.type)}")
            by_name = True
            continue
        if parameter.by_name and not by_name:
            words.append("*")
            by_name = True
        words.append(str(parameter))
    return ", ".join(words)


def operation_signatures(name: str, form: str, receiver: str, rows: list[Any], result: str) -> list[str]:
    """The signatures of an operation of the table."""
    short = name.rpartition(".")[2]
    first = "self" if form == "method" else f"input: {type_of(receiver)}" if receiver else ""
    found = OVERLOADS.get(f"{form} {short}")
    if found is None and (form == "method" or short not in ("size", "stride", "type")):
        found = OVERLOADS.get(short)
    if found is not None:
        return [f"({', '.join(part for part in (first, words) if part)}) -> {kind}" for words, kind in found]
    parameters = [Parameter(*row) for row in rows]
    has_spread = bool(parameters) and parameters[0].is_spread
    ways = [False] if not has_spread or (form == "function" and receiver) else [True, False]
    if has_spread and "[]" in parameters[0].type:  # of shapes: each is several ints
        ways = [True]
    return [f"({joined(first, parameters, spread_out)}) -> {RESULTS[result]}" for spread_out in ways]


def replace_generic(match: re.Match[str]) -> str:
    """A generic type without arguments, with those for anything: `tuple` becomes `tuple[Any, ...]`."""
    arguments = {"dict": "Any, Any", "list": "Any", "tuple": "Any, ..."}[match[1]]
    return f"builtins.{match[1]}[{arguments}]"


def of_nanobind(path: str, function: Any) -> list[str]:
    """The signatures that a function of nanobind carries, with the package's own names for types."""
    if path in SIGNATURES:
        return [SIGNATURES[path]]
    result = []
    for text, _, defaults in function.__nb_signature__:
        signature = text[text.index("(") :]
        signature = re.sub(r"\btenstride\.(?:_tenstride\.|distributed\.)?", "", signature)
        signature = with_builtins(signature).replace("-> builtins.object", "-> Any")
        signature = re.sub(r"(\*\w+)(?=[,)])", r"\1: Any", signature)
        signature = re.sub(r"builtins\.(dict|list|tuple)(?!\[)", replace_generic, signature)
        for number, value in reversed(list(enumerate(defaults or ()))):
            signature = signature.replace(f"\\{number}", repr(value))
        result.append(signature)
    return result


def members(path: str, cls: type) -> list[str]:
    """The stubs of a class' members, in order of their names."""
    found: dict[str, str] = {}
    for name, value in vars(cls).items():
        where = f"{path}.{name}"
        if name in ("__doc__", "__module__", "__new__", "__firstlineno__", "__static_attributes__"):
            continue
        if isinstance(value, type):
            found[name] = class_stub(name, where, value)
        elif hasattr(value, "__nb_signature__"):
            found[name] = one_or_overloads(name, of_nanobind(where, value))
            if name == "__eq__":
                found[name] = "def __eq__(self, arg: builtins.object, /) -> builtins.bool: ..."
        elif isinstance(value, property):
            found[name] = one_or_overloads(name, of_nanobind(where, value.fget), "@property")
        elif isinstance(value, int):
            found[name] = f"{name}: builtins.int"
    if cls is _tenstride.Tensor:
        for name, form, receiver, parameters, result in _tenstride._operations():
            if form == "attribute":
                found[name] = one_or_overloads(name, [f"(self) -> {RESULTS[result]}"], "@property")
                if name in ("imag", "real"):
                    found[name] += f"\n@{name}.setter\ndef {name}(self, value: _Operand) -> None: ..."
            elif form == "method":
                found[name] = one_or_overloads(name, operation_signatures(name, form, receiver, parameters, result))
        for name, signature in SLOTS.items():
            if name not in vars(cls):
                raise SystemExit(f"stubs: {name} is no slot of Tensor")
            found[name] = one_or_overloads(name, [signature])
    return [found[name] for name in sorted(found)]


def class_stub(name: str, path: str, cls: type) -> str:
    """`class name: …`; nanobind's classes can be subclassed, hence no @final."""
    base = "" if cls.__bases__ == (object,) else f"({cls.__bases__[0].__name__})"
    if issubclass(cls, Exception):
        base = "(" + ", ".join(f"builtins.{kind.__name__}" for kind in cls.__bases__) + ")"
    body = members(path, cls)
    if not body:
        return f"class {name}{base}: ..."
    return f"@disjoint_base\nclass {name}{base}:\n" + textwrap.indent("\n".join(body), "    ")


def function_stubs(is_linalg: bool) -> dict[str, str]:
    """The functions of the table, those of `linalg` or all others."""
    found = {}
    for name, form, receiver, parameters, result in _tenstride._operations():
        short = name.rpartition(".")[2]
        is_class = isinstance(getattr(_tenstride, short, None), type)
        if form == "function" and name.startswith("linalg.") == is_linalg and not is_class:
            found[short] = one_or_overloads(short, operation_signatures(name, form, receiver, parameters, result))
    return found


def extension_stub() -> str:
    """The whole of `tenstride._tenstride`."""
    classes: list[str] = []
    others = function_stubs(is_linalg=False)
    for name in sorted(vars(_tenstride)):
        value = getattr(_tenstride, name)
        if name.startswith("__") and name != "__version__":
            continue
        if isinstance(value, type):
            if name != "Size":
                classes.append(class_stub(name, name, value))
        elif hasattr(value, "__nb_signature__"):
            others[name] = one_or_overloads(name, of_nanobind(name, value))
        elif isinstance(value, (_tenstride.dtype, _tenstride.layout, _tenstride.memory_format)):
            others[name] = f"{name}: Final[{type(value).__name__}]"
        elif isinstance(value, (str, float)):
            others[name] = f"{name}: Final[builtins.{type(value).__name__}]"
        elif isinstance(value, ModuleType):
            others[name] = f"from . import {name} as {name}" if name in WITH_STUBS else f"{name}: Any"
    imports = [line for line in others.values() if line.startswith("from ")]
    rest = [others[name] for name in sorted(others) if others[name] not in imports]
    head = HEAD.replace("\n\n_Int", "\n".join(["", *imports, "", "_Int"]), 1)
    return "\n".join([head, *classes, "", *rest, ""])


def linalg_stub() -> str:
    """`tenstride.linalg`."""
    head = "# SPDX-License-Identifier: Apache-2.0\n# Written by scripts/stubs.py.\n"
    head += "from tenstride._tenstride import Tensor, _Int\n"
    return "\n".join([head, *function_stubs(is_linalg=True).values(), ""])


def distributed_stub() -> str:
    """`tenstride._tenstride._distributed`, of which `tenstride.distributed` is made."""
    stubs = [DISTRIBUTED_HEAD]
    for name, value in sorted(vars(_tenstride._distributed).items()):
        path = f"_distributed.{name}"
        if isinstance(value, type):
            stubs.append(class_stub(name, path, value))
        elif hasattr(value, "__nb_signature__"):
            stubs.append(one_or_overloads(name, of_nanobind(path, value)))
    return "\n".join([*stubs, ""])


def home_of(name: str, value: Any) -> str | None:
    """The module of the package that a public name is imported from; None for one made in `__init__.py`."""
    if getattr(_tenstride, name, None) is value and not isinstance(value, ModuleType):
        return "._tenstride"
    home = getattr(value, "__module__", None)
    if home == "tenstride" or home is None:
        return None
    return home.replace("tenstride", "", 1)


def package_stub() -> str:
    """`tenstride` itself: where each name comes from."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by scripts/stubs.py.",
        "import builtins",
        "from typing import TypeGuard",
        "",
    ]
    own = []
    names = sorted([*tenstride.__all__, *LOADED_LATER])
    by_home: dict[str, list[str]] = {"._tenstride": ["__version__"]}
    for name in names:
        value = getattr(tenstride, name)
        home = home_of(name, value)
        if isinstance(value, ModuleType) and callable(value):
            by_home.setdefault(f".{name}", []).append(name)
        elif isinstance(value, ModuleType):
            is_ours = value.__name__.startswith("tenstride._tenstride.")
            by_home.setdefault("._tenstride" if is_ours else ".", []).append(name)
        elif home is not None:
            by_home.setdefault(home, []).append(name)
        else:
            own.append(name)
    for home in sorted(by_home):
        names_of_home = "".join(f"    {name} as {name},\n" for name in sorted(by_home[home]))
        lines.append(f"from {home} import (\n{names_of_home})")
    lines.append("")
    for name in own:
        signature = str(inspect.signature(getattr(tenstride, name))).replace("'", "")
        if name == "is_tensor":
            signature = "(obj: object) -> TypeGuard[Tensor]"
        lines.append(f"def {name}{with_builtins(signature)}: ...")
    return "\n".join([*lines, ""])


def main() -> None:
    """Writes every stub file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="the folder of the package that they are written into")
    package = parser.parse_args().package
    extension = package / "_tenstride"
    extension.mkdir(exist_ok=True)
    for path, text in (
        (package / "__init__.pyi", package_stub()),
        (extension / "__init__.pyi", extension_stub()),
        (extension / "_distributed.pyi", distributed_stub()),
        (extension / "linalg.pyi", linalg_stub()),
    ):
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
