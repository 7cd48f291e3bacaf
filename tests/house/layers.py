#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No include points up the rungs of layers.json, and none goes round in a circle."""

import json
import pathlib
import re

import house

TABLE = json.loads(pathlib.Path(__file__).with_name("layers.json").read_text(encoding="utf-8"))
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def rung(path):
    """The rung of include/tenstride/... or src/..., None where the table does not know it."""
    parts = path.parts[2:] if path.parts[0] == "include" else path.parts[1:]
    if len(parts) > 1:
        return TABLE["folders"].get(parts[0])
    stem = pathlib.Path(parts[0]).stem
    if path.parts[0] == "include":
        return TABLE["headers"].get(stem)
    if stem in TABLE["sources"]:
        return TABLE["sources"][stem]
    while stem:
        if stem in TABLE["headers"]:
            return TABLE["headers"][stem]
        stem = stem.rpartition("_")[0]
    return None


def resolve(root, path, quoted, name):
    """The file of this tree that an include names; None for one from outside."""
    places = [pathlib.Path("include") / name, pathlib.Path("src") / name]
    if quoted:
        places.insert(0, path.parent / name)
    for place in places:
        if (root / place).is_file():
            return (root / place).resolve().relative_to(root.resolve())
    return None


def check(root):
    complaints = []
    graph = {}
    for path in house.files(root, ("include", "src"), {".hpp", ".h", ".cpp", ".inc"}):
        own = rung(path)
        if own is None:
            complaints.append(f"{path}:1: no rung; add it to tests/house/layers.json or name it after its header")
            continue
        text = house.without_comments((root / path).read_text(encoding="utf-8"))
        graph[path] = []
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            name = match.group(2)
            target = resolve(root, path, match.group(1) == '"', name)
            if target is None:
                if name.startswith("tenstride/"):
                    complaints.append(f"{path}:{line}: {name} does not exist; correct the include")
                continue
            graph[path].append(target)
            other = rung(target)
            if other is not None and other > own:
                complaints.append(
                    f"{path}:{line}: rung {own} includes {name} of rung {other}; "
                    "an include points to the same rung or a lower one: move the code up or the need down"
                )
    return complaints + circles(graph)


def circles(graph):
    """One complaint for each include that closes a circle."""
    complaints, done, trail = [], set(), []

    def visit(path):
        if path in trail:
            circle = [*trail[trail.index(path) :], path]
            complaints.append(f"{path}:1: includes itself by way of {' -> '.join(map(str, circle))}; break the circle")
            return
        if path in done:
            return
        trail.append(path)
        for target in graph.get(path, []):
            visit(target)
        trail.pop()
        done.add(path)

    for path in graph:
        visit(path)
    return complaints


def self_test():
    with house.Tree(
        {
            "include/tenstride/layout.hpp": "#include <vector>\n// #include <tenstride/tensor.hpp>\n",
            "include/tenstride/tensor.hpp": "#include <tenstride/layout.hpp>\n",
            "src/layout_more.cpp": "#include <tenstride/layout.hpp>\n",
            "src/io/npy.cpp": '#include "parts.hpp"\n#include <tenstride/tensor.hpp>\n',
            "src/io/parts.hpp": "",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "include/tenstride/layout.hpp": "\n#include <tenstride/tensor.hpp>\n",
            "include/tenstride/tensor.hpp": "",
            "src/views.cpp": '#include "copy/run.hpp"\n',
            "src/copy/run.hpp": "",
        }
    ) as root:
        house.expect(
            check(root),
            "layout.hpp:2: rung 1 includes tenstride/tensor.hpp of rung 4",
            "src/views.cpp:1: rung 1 includes copy/run.hpp of rung 5",
        )
    with house.Tree(
        {"include/tenstride/stranger.hpp": "", "src/layout.cpp": "#include <tenstride/gone.hpp>\n"}
    ) as root:
        house.expect(check(root), "stranger.hpp:1: no rung", "src/layout.cpp:1: tenstride/gone.hpp does not exist")
    with house.Tree(
        {
            "include/tenstride/layout.hpp": "#include <tenstride/views.hpp>\n",
            "include/tenstride/views.hpp": "#include <tenstride/layout.hpp>\n",
        }
    ) as root:
        house.expect(check(root), "layout.hpp -> include/tenstride/views.hpp -> include/tenstride/layout.hpp")


if __name__ == "__main__":
    house.main(check, self_test)
