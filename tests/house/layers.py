#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No include points up the rungs of src/layers.json or to a part that its own does not need, and none goes round in a
circle, of files or of folders. The header of a part includes all of its headers."""

import json
import pathlib
import re

import house

LAYERS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "src/layers.json").read_text(encoding="utf-8"))
FOLDERS = LAYERS["folders"]
NEEDS = {part["name"]: part["needs"] for part in LAYERS["parts"]}
APART = {"tenstride/distributed/mpi.hpp"}  # needs MPI
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def folder(path):
    """The FOLDER of include/tenstride/FOLDER/... or src/FOLDER/..., None where the table does not know it."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts[2:]
    return parts[0] if len(parts) > 1 and parts[0] in FOLDERS else None


def part_of_umbrella(path):
    """The part whose headers include/tenstride/PART.hpp includes, "" for all parts; None for any other file."""
    if path.parent != pathlib.Path("include/tenstride"):
        return None
    return "" if path.name == "tenstride.hpp" else path.stem if path.stem in NEEDS else None


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
        if part_of_umbrella(path) is not None:
            complaints += lacking(root, path)
            continue
        if own is None:
            complaints.append(
                f"{path}:1: no folder; a source stands in a folder of src/ or include/tenstride/ that "
                "src/layers.json knows"
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
            if part_of_umbrella(target) is not None:
                complaints.append(f"{path}:{line}: {name} is for users; include what is used")
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
    return complaints + circles(graph) + circles(between_folders(graph)) + circles(within_folders(graph))


def lacking(root, path):
    """Complaints about what the header of a part leaves out or includes too much."""
    included = set(re.findall(r'^#include "(.+)"$', (root / path).read_text(encoding="utf-8"), re.MULTILINE))
    part = part_of_umbrella(path)
    wanted = {f"tenstride/{need}.hpp" for need in (NEEDS[part] if part else NEEDS)}
    for name, entry in FOLDERS.items():
        if entry["part"] == part:
            found = (root / "include/tenstride" / name).rglob("*.hpp")
            wanted |= {header.relative_to(root / "include").as_posix() for header in found}
    wanted -= APART
    complaints = [f"{path}:1: lacks {name}" for name in sorted(wanted - included)]
    return complaints + [f"{path}:1: {name} is not of it" for name in sorted(included - wanted)]


def within_folders(graph):
    """The same graph with the folders inside those of src/ for nodes: src/io/plan, src/io/ends, …"""
    folders = {}
    for path, targets in graph.items():
        own = inner_folder(path)
        if own is None:
            continue
        others = {inner_folder(target) for target in targets if folder(target) == folder(path)} - {own, None}
        folders.setdefault(own, set()).update(others)
    return {own: sorted(others) for own, others in sorted(folders.items())}


def inner_folder(path):
    """src/FOLDER/INNER of a file in it; None for one that is in no folder within the folder."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts[2:]
    return pathlib.Path("src", parts[0], parts[1]) if len(parts) > 2 else None


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
            "include/tenstride/layout/layout.hpp": "#include <vector>\n// #include <tenstride/tensor/tensor.hpp>\n",
            "include/tenstride/tensor/tensor.hpp": "#include <tenstride/layout/layout.hpp>\n",
            "include/tenstride/io/npy.hpp": "#include <tenstride/tensor/tensor.hpp>\n",
            "src/layout/more.cpp": "#include <tenstride/layout/layout.hpp>\n",
            "src/io/npy/npy.cpp": '#include "io/npy/parts.hpp"\n#include <tenstride/io/npy.hpp>\n',
            "src/io/npy/parts.hpp": "",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "include/tenstride/layout/layout.hpp": "\n#include <tenstride/tensor/tensor.hpp>\n",
            "include/tenstride/tensor/tensor.hpp": "",
            "src/layout/views.cpp": '#include "copy/run.hpp"\n',
            "src/copy/run.hpp": "",
        }
    ) as root:
        house.expect(
            check(root),
            "layout.hpp:2: rung 1 includes tenstride/tensor/tensor.hpp of rung 4",
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
            "include/tenstride/strange/stranger.hpp": "",
            "src/loose.cpp": "",
            "src/strange/views.cpp": "",
            "src/layout/layout.cpp": "#include <tenstride/gone.hpp>\n",
        }
    ) as root:
        house.expect(
            check(root),
            "strange/stranger.hpp:1: no folder",
            "tenstride/stranger.hpp:1: no folder",
            "src/layout/layout.cpp:1: tenstride/gone.hpp does not exist",
            "src/loose.cpp:1: no folder",
            "src/strange/views.cpp:1: no folder",
        )
    with house.Tree(
        {
            "include/tenstride/layout/layout.hpp": "#include <tenstride/layout/views.hpp>\n",
            "include/tenstride/layout/views.hpp": "#include <tenstride/layout/layout.hpp>\n",
        }
    ) as root:
        house.expect(
            check(root), "layout.hpp -> include/tenstride/layout/views.hpp -> include/tenstride/layout/layout.hpp"
        )
    with house.Tree(
        {
            "include/tenstride/numeric.hpp": '#include "tenstride/copy/copy.hpp"\n#include "tenstride/core.hpp"\n',
            "include/tenstride/reduce/reduce.hpp": "#include <tenstride/core.hpp>\n",
            "include/tenstride/core.hpp": '#include "tenstride/copy/copy.hpp"\n',
            "include/tenstride/copy/copy.hpp": "",
        }
    ) as root:
        house.expect(
            check(root),
            "include/tenstride/numeric.hpp:1: lacks tenstride/reduce/reduce.hpp",
            "include/tenstride/numeric.hpp:1: tenstride/copy/copy.hpp is not of it",
            "reduce.hpp:1: tenstride/core.hpp is for users",
        )
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
