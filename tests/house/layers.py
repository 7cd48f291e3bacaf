#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No include points up the rungs of src/layers.json or to a part that its own does not need, and none goes round in a
circle, of files or of folders."""

import json
import pathlib
import re

import house

LAYERS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "src/layers.json").read_text(encoding="utf-8"))
FOLDERS = LAYERS["folders"]
NEEDS = {part["name"]: part["needs"] for part in LAYERS["parts"]}
FOLDER_OF_HEADER = {header: folder for folder, entry in FOLDERS.items() for header in entry["headers"]}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def folder(path):
    """The folder of src/ that include/tenstride/... or src/... belongs to, None where the table does not know it."""
    parts = path.with_suffix("").parts
    if parts[0] == "include":
        name = "/".join(parts[2:])
        return FOLDER_OF_HEADER.get(name, parts[2] if len(parts) > 3 else None)
    return parts[1] if len(parts) > 2 and parts[1] in FOLDERS else None


def rung(path):
    own = folder(path)
    return FOLDERS[own]["rung"] if own in FOLDERS else None


def needed_by(part):
    """The part and all that it stands on."""
    return {part}.union(*(needed_by(other) for other in NEEDS[part]))


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
            complaints.append(
                f"{path}:1: no folder; a source stands in a folder of src/, and the folder of a public header "
                "is said in src/layers.json"
            )
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
            if other is None:
                continue
            mine, its = FOLDERS[folder(path)]["part"], FOLDERS[folder(target)]["part"]
            if its not in needed_by(mine):
                complaints.append(
                    f"{path}:{line}: part {mine} includes {name} of part {its}, which it does not need; "
                    "move the code to the part that needs both"
                )
            elif other > own:
                complaints.append(
                    f"{path}:{line}: rung {own} includes {name} of rung {other}; "
                    "an include points to the same rung or a lower one: move the code up or the need down"
                )
    return complaints + circles(graph) + circles(between_folders(graph))


def between_folders(graph):
    """The same graph with the folders of src/ for nodes, named as paths."""
    folders = {}
    for path, targets in graph.items():
        own = folder(path)
        others = {folder(target) for target in targets} - {own, None}
        folders.setdefault(pathlib.Path("src", own), set()).update(pathlib.Path("src", other) for other in others)
    return {own: sorted(others) for own, others in sorted(folders.items())}


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
            "include/tenstride/io/npy.hpp": "#include <tenstride/tensor.hpp>\n",
            "src/layout/more.cpp": "#include <tenstride/layout.hpp>\n",
            "src/io/npy/npy.cpp": '#include "io/npy/parts.hpp"\n#include <tenstride/io/npy.hpp>\n',
            "src/io/npy/parts.hpp": "",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "include/tenstride/layout.hpp": "\n#include <tenstride/tensor.hpp>\n",
            "include/tenstride/tensor.hpp": "",
            "src/layout/views.cpp": '#include "copy/run.hpp"\n',
            "src/copy/run.hpp": "",
        }
    ) as root:
        house.expect(
            check(root),
            "layout.hpp:2: rung 1 includes tenstride/tensor.hpp of rung 4",
            "src/layout/views.cpp:1: rung 1 includes copy/run.hpp of rung 5",
        )
    with house.Tree(
        {
            "src/explain/files.cpp": '#include "io/npy/npy.hpp"\n',
            "src/io/npy/npy.hpp": "",
        }
    ) as root:
        house.expect(check(root), "src/explain/files.cpp:1: part notation includes io/npy/npy.hpp of part io")
    with house.Tree(
        {
            "include/tenstride/stranger.hpp": "",
            "src/loose.cpp": "",
            "src/strange/views.cpp": "",
            "src/layout/layout.cpp": "#include <tenstride/gone.hpp>\n",
        }
    ) as root:
        house.expect(
            check(root),
            "stranger.hpp:1: no folder",
            "src/layout/layout.cpp:1: tenstride/gone.hpp does not exist",
            "src/loose.cpp:1: no folder",
            "src/strange/views.cpp:1: no folder",
        )
    with house.Tree(
        {
            "include/tenstride/layout.hpp": "#include <tenstride/views.hpp>\n",
            "include/tenstride/views.hpp": "#include <tenstride/layout.hpp>\n",
        }
    ) as root:
        house.expect(check(root), "layout.hpp -> include/tenstride/views.hpp -> include/tenstride/layout.hpp")
    with house.Tree(
        {
            "src/copy/one.hpp": '#include "ledger/one.hpp"\n',
            "src/copy/two.hpp": "",
            "src/ledger/one.hpp": "",
            "src/ledger/two.hpp": '#include "copy/two.hpp"\n',
        }
    ) as root:
        house.expect(check(root), "src/copy -> src/ledger -> src/copy")


if __name__ == "__main__":
    house.main(check, self_test)
