#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python reference, from the docstrings of the built package and the signatures of its stubs:

    PYTHONPATH=build/dev/python scripts/docs/python_reference.py FOLDER

Not by Sphinx's autodoc: it takes docstrings for reStructuredText, and ours are Markdown; and it cannot tell the types
of a function that is written in C++, which the stubs can."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import tenstride
from doxygen import with_links
from python_signatures import Member, Module
from several_signatures import SEPARATOR

PACKAGE = Path(tenstride.__file__).parent
STUB = Module(PACKAGE / "_tenstride/__init__.pyi")
_modules: dict[Path, Module] = {}

ABOUT = """# Python reference

```python
import tenstride as torch    # PyTorch's names, arguments and refusals
```

Types are the stubs' own, which `mypy` and editors read. These names stand for several types:

| name | stands for |
|---|---|
{aliases}

```{{toctree}}
:maxdepth: 1

{pages}
```
"""


def write(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    pages = {"tensor": tensor_page(), **package_pages()}
    for name, module in sorted(submodules().items()):
        pages[name] = module_page(module)
    for name, text in pages.items():
        (out / f"{name}.md").write_text(text, encoding="utf-8")
    aliases = "\n".join(f"| `{name}` | `{cell(meaning)}` |" for name, meaning in STUB.aliases.items())
    (out / "index.md").write_text(ABOUT.format(aliases=aliases, pages="\n".join(pages)), encoding="utf-8")


def submodules() -> dict[str, ModuleType]:
    """The modules that offer what the package itself does not."""
    found = {
        name: value for name, value in vars(tenstride).items() if name in tenstride.__all__ and inspect.ismodule(value)
    }
    for name in (module.name for module in pkgutil.iter_modules(tenstride.__path__)):
        if not name.startswith("_"):
            module = importlib.import_module(f"tenstride.{name}")
            names = getattr(module, "__all__", [])
            if any(getattr(tenstride, each, None) is not getattr(module, each) for each in names):
                found[name] = module
    return found


def package_pages() -> dict[str, str]:
    """`functions`, `classes`, `errors` and `constants` of the package."""
    functions, classes, errors, constants = [], [], [], []
    for name in tenstride.__all__:
        value = getattr(tenstride, name)
        if inspect.ismodule(value) or name == "Tensor":
            continue
        if inspect.isclass(value) and issubclass(value, BaseException):
            errors.append(class_of(name, value))
        elif inspect.isclass(value):
            classes.append(class_of(name, value))
        elif callable(value):
            functions.append(function_of(name, value))
        else:
            constants.append(f"| `{name}` | `{cell(type(value).__name__)}` | `{cell(repr(value))}` |")
    head = "```{py:currentmodule} tenstride\n```\n"
    table = "| name | type | value |\n|---|---|---|\n" + "\n".join(constants)
    return {
        "functions": "\n\n".join(["# Functions\n", "```{py:module} tenstride\n```\n", *functions]) + "\n",
        "classes": "\n\n".join(["# Classes\n", head, *classes]) + "\n",
        "errors": "\n\n".join(["# Errors\n", head, *errors]) + "\n",
        "constants": f"# Element types and constants\n\n{table}\n",
    }


def tensor_page() -> str:
    head = "# Tensor\n\n```{py:currentmodule} tenstride\n```\n\n"
    return head + class_of("Tensor", tenstride.Tensor) + "\n"


def module_page(module: ModuleType) -> str:
    """A module with its introduction and all that it offers."""
    name = module.__name__.replace("_tenstride.", "")
    parts = [f"# {name}\n", f"```{{py:module}} {name}\n```\n", markdown(inspect.getdoc(module) or "")]
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    constants = []
    for each in names:
        value = getattr(module, each)
        if inspect.isclass(value):
            parts.append(class_of(each, value))
        elif callable(value):
            parts.append(function_of(each, value))
        elif not each.startswith("__"):
            constants.append(f"| `{each}` | `{cell(repr(value))}` |")
    if constants:
        parts.append("## Constants\n\n| name | value |\n|---|---|\n" + "\n".join(constants))
    return "\n\n".join(part for part in parts if part) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def function_of(name: str, value: Any) -> str:
    """A function with its overloads."""
    member = signatures_of(value).functions.get(getattr(value, "__name__", name))
    signatures = member.signatures if member else ["(...)"]
    return fenced("py:function", [name + signature for signature in signatures], markdown(docstring(value)))


def signatures_of(value: Any) -> Module:
    """The file that spells the signature: a Python function's own, or the stub of the extension."""
    distributed = tenstride._tenstride._distributed
    if getattr(distributed, getattr(value, "__name__", ""), None) is value:
        path = PACKAGE / "_tenstride/_distributed.pyi"
    else:
        try:
            path = Path(inspect.getsourcefile(inspect.unwrap(value)) or "")
        except TypeError:
            if "linalg" in str(getattr(value, "__module__", "")):
                path = PACKAGE / "_tenstride/linalg.pyi"
            else:
                return STUB
    if path not in _modules:
        _modules[path] = Module(path)
    return _modules[path]


def class_of(name: str, value: type) -> str:
    """A class with its constructor and public members, those of its bases in the package first."""
    members: dict[str, tuple[Member, Any]] = {}
    for base in reversed(value.__mro__):
        if base is not value and not base.__module__.startswith("tenstride"):
            continue
        known = signatures_of(base).classes.get(base.__name__) or STUB.classes.get(base.__name__, {})
        for key, member in known.items():
            members[key] = member, vars(base).get(key)
    init = members.get("__init__") or members.get("__new__")
    text = markdown(docstring(value))
    if issubclass(value, BaseException):
        signatures = [name]
    else:
        given = init[0].signatures if init else [""]
        signatures = [name + re.sub(r" -> .*$", "", signature) for signature in given[:1]]
    inside = [text]
    # What Python calls by itself stands behind what a reader calls.
    for key, (member, attribute) in sorted(members.items(), key=lambda item: item[0].startswith("__")):
        if shown := member_of(key, member, attribute):
            inside.append(shown)
    bases = ", ".join(
        f"`{base.__name__}`" for base in value.__bases__ if base is not object and issubclass(value, Exception)
    )
    if bases:
        inside.append(f"Derives from {bases}.")
    directive = "py:exception" if issubclass(value, BaseException) else "py:class"
    return fenced(directive, signatures, "\n\n".join(part for part in inside if part))


def member_of(name: str, member: Member, attribute: Any) -> str:
    """A method, property or field; nothing for what is private or has only the docstring of Python itself."""
    if member.kind == "field":
        return (
            ""
            if name.startswith("_")
            else fenced("py:attribute", [name], member.text, f":type: {member.signatures[0]}\n")
        )
    text = docstring(attribute)
    if name.startswith("_") and (not name.startswith("__") or not text or name in ("__init__", "__new__")):
        return ""
    if name.startswith("__") and text in SLOT_TEXTS:
        return ""
    if member.kind == "property":
        options = f":type: {member.signatures[0]}\n" if member.signatures[0] else ""
        return fenced("py:property", [name], markdown(text), options)
    options = ":staticmethod:\n" if member.static else ""
    return fenced("py:method", [name + signature for signature in member.signatures], markdown(text), options)


# The docstrings that Python itself gives `__add__` and the like.
SLOT_TEXTS = {
    inspect.cleandoc(attribute.__doc__)
    for kind in (object, int, float, tuple, str, dict, list, type)
    for attribute in vars(kind).values()
    if getattr(attribute, "__doc__", None)
}


def docstring(value: Any) -> str:
    """The docstring, without the signatures that nanobind writes into its first lines."""
    value = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
    lines = inspect.cleandoc(getattr(value, "__doc__", None) or "").splitlines()
    while lines and re.match(r"^\w*\(.*\)( -> .*)?$", lines[0]):
        del lines[0]
    text = "\n".join(lines).strip()
    return "" if re.match(r"^(Overloaded function\.|Alias for field number)", text) else text


def markdown(text: str) -> str:
    """A docstring as MyST: its sessions of the interpreter in fences, the other lines as they are."""
    lines, is_session = [], False
    for line in text.splitlines():
        if line.startswith(">>>") and not is_session:
            lines += ["", "```pycon"]
            is_session = True
        elif is_session and not line.strip():
            lines.append("```")
            is_session = False
        lines.append(line)
    return with_links("\n".join([*lines, "```"] if is_session else lines).strip())


def fenced(directive: str, signatures: list[str], body: str, options: str = "") -> str:
    """A directive of MyST, its fence longer than those inside."""
    fence = "`" * max(4, 1 + max((len(run) for run in re.findall(r"^`{3,}", body, re.MULTILINE)), default=3))
    return f"{fence}{{{directive}}} {SEPARATOR.join(signatures)}\n{options}\n{body}\n{fence}"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
