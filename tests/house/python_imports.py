#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No import of Python goes round in a circle: neither at the top of a file nor inside a function. What stands under
`if TYPE_CHECKING:` is not carried out and does not count. A package's `__init__.py` is a module like any other: a file
of the package that imports the package, or a name that `__init__.py` defines, imports `__init__.py`.
"""

import ast
import pathlib

import house

FOLDERS = ("python", "scripts", "bench", "tests")
# Where a module is looked for by its name, after the folder of a script that imports it.
ROOTS = ("python", "scripts", "bench", "tests/house", "tests/programs", "tests/python")
EXTENSION = "_tenstride"


class Imports(ast.NodeVisitor):
    """The import statements of a file that are carried out, at its top or in a function."""

    def __init__(self):
        self.statements = []

    def visit_Import(self, node):
        self.statements.append(node)

    visit_ImportFrom = visit_Import

    def visit_If(self, node):
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)


def module(root, path):
    """The file of the module or package at a path without suffix, None where the tree has none."""
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if (root / file).is_file():
            return file
    return None


def named(root, folders, names):
    """The file that a dotted name means, sought in the folders one after another."""
    for folder in folders:
        found = module(root, folder.joinpath(*names))
        if found is not None:
            return found
    return None


def targets(root, path, statement):
    """The files of this tree that a statement imports by name. The packages around them are carried out too, but have
    begun when one of their own files asks: they are no step of a circle."""
    folders = [pathlib.Path(name) for name in ROOTS]
    if not (root / path.parent / "__init__.py").is_file():
        folders.insert(0, path.parent)
    if isinstance(statement, ast.Import):
        return [file for alias in statement.names if (file := named(root, folders, alias.name.split(".")))]
    if statement.level:
        folders = [path.parents[statement.level - 1]]
    source = named(root, folders, statement.module.split(".") if statement.module else [])
    if source is None or not source.name.startswith("__init__."):
        return [] if source is None else [source]
    # A name of a package is one of its modules, the extension, which is no file here, or what its __init__.py defines.
    names = [alias.name for alias in statement.names if alias.name != EXTENSION]
    return [module(root, source.parent / name) or source for name in names]


def check(root):
    graph = {}
    for path in house.files(root, FOLDERS, {".py"}):
        if path.parts[:2] == ("tests", "data"):
            continue
        visitor = Imports()
        visitor.visit(ast.parse((root / path).read_text(encoding="utf-8"), str(path)))
        graph[path] = [
            (statement.lineno, file) for statement in visitor.statements for file in targets(root, path, statement)
        ]
    return circles(graph)


def circles(graph):
    """One complaint for each import that closes a circle."""
    complaints, done, trail = [], set(), []

    def visit(path):
        trail.append(path)
        for line, target in graph.get(path, []):
            if target in trail:
                circle = [*trail[trail.index(target) :], target]
                complaints.append(
                    f"{path}:{line}: closes the circle {' -> '.join(map(str, circle))}; "
                    "move what both need into a file below them"
                )
            elif target not in done:
                visit(target)
        done.add(trail.pop())

    for path in graph:
        if path not in done:
            visit(path)
    return complaints


def self_test():
    with house.Tree(
        {
            "python/p/__init__.py": "import json\nfrom . import _tenstride\nfrom .a import f\n",
            "python/p/a.py": "from . import b, _tenstride\nfrom typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from . import c\n    import p\n",
            "python/p/b.py": "from ._tenstride import Tensor\n",
            "python/p/json.py": "from . import version\n",
            "python/p/c.py": "from .a import f\nimport p.b\n",
            "scripts/one.py": "import two\nimport p\n",
            "scripts/two.py": "",
            "tests/data/broken.py": "import (\n",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "python/p/__init__.py": "from .a import f\nversion = 1\n",
            "python/p/a.py": "\ndef f():\n    from .b import g\n",
            "python/p/b.py": "from .a import f\n",
        }
    ) as root:
        house.expect(check(root), "python/p/b.py:1: closes the circle python/p/a.py -> python/p/b.py -> python/p/a.py")
    for own in ("import p", "from p import version", "from . import version"):
        with house.Tree({"python/p/__init__.py": "from .a import f\n", "python/p/a.py": f"\n{own}\n"}) as root:
            house.expect(check(root), "python/p/a.py:2: closes the circle python/p/__init__.py -> python/p/a.py")
    with house.Tree({"bench/one.py": "import two\n", "bench/two.py": "if True:\n    from one import x\n"}) as root:
        house.expect(check(root), "bench/two.py:2: closes the circle bench/one.py -> bench/two.py -> bench/one.py")


if __name__ == "__main__":
    house.main(check, self_test)
