# SPDX-License-Identifier: Apache-2.0
"""The C++ reference: a page for each folder of src/layers.json with public headers, by rungs.

On it stands each header with its introduction and declarations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import doxygen
from several_signatures import SEPARATOR

ABOUT = """# C++ reference

Every public header, by the folders of the source: what stands first needs nothing of what stands below it.
`#include <tenstride/tenstride.hpp>` takes in all of them, `<tenstride/core.hpp>` and the like those of a part.
Everything is in the namespace `tenstride`.

One thing is left out of the signatures: operations that copy have a last parameter `Caller caller = Caller::current()`,
the line that the [ledger](../../docs/ledger.md) shows for them.

"""


def write(root: Path, xml: Path, out: Path) -> dict[str, str]:
    """Writes the pages into a folder; gives the page and anchor of each header.

    Example: `{"tenstride/copy/copy.hpp": "copy.md#hpp-copy", …}`."""
    out.mkdir(parents=True, exist_ok=True)
    by_header: dict[str, list[doxygen.Declaration]] = {}
    for declaration in doxygen.read(xml):
        by_header.setdefault(declaration.file, []).append(declaration)
    pages, overview = {}, [ABOUT]
    names = []
    for name, headers in groups(root).items():
        names.append(name)
        page = [f"# {name}\n"]
        overview.append(f"## [{name}]({name}.md)\n\n| header | about |\n|---|---|")
        for header in headers:
            introduction = introduction_of(root / "include" / header)
            declarations = by_header.pop(header, [])
            if not introduction and not declarations:
                continue  # for other headers, not for users
            anchor = re.sub(r"\W", "-", header.removeprefix("tenstride/").removesuffix(".hpp"))
            pages[header] = f"{name}.md#hpp-{anchor}"
            page.append(f"(hpp-{anchor})=\n\n## `<{header}>`\n\n{introduction}\n")
            page.append(body_of(root, declarations))
            overview.append(f"| [`<{header}>`]({pages[header]}) | {about(introduction, declarations)} |")
        overview.append("")
        (out / f"{name}.md").write_text("\n".join(page), encoding="utf-8")
    if by_header:
        raise SystemExit(f"docs: src/layers.json has no folder for {', '.join(sorted(by_header))}")
    overview.append("```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```")
    (out / "index.md").write_text("\n".join(overview) + "\n", encoding="utf-8")
    return pages


def groups(root: Path) -> dict[str, list[str]]:
    """The headers of each folder that has some: {"ledger": ["tenstride/ledger/ledger.hpp"]}."""
    folders = json.loads((root / "src/layers.json").read_text(encoding="utf-8"))["folders"]
    found = {}
    for name in folders:
        headers = sorted((root / "include/tenstride" / name).rglob("*.hpp"))
        if headers:
            found[name] = [header.relative_to(root / "include").as_posix() for header in headers]
    return found


def introduction_of(header: Path) -> str:
    """The comment before the header's namespace, which is Markdown; empty where there is none.

    Not from Doxygen: all these comments are of one namespace, and it runs them together."""
    match = re.search(r"((?:^///.*\n)+)namespace tenstride", header.read_text(encoding="utf-8"), re.MULTILINE)
    return doxygen.with_links(re.sub(r"^/// ?", "", match.group(1), flags=re.MULTILINE).strip()) if match else ""


def about(introduction: str, declarations: list[doxygen.Declaration]) -> str:
    """A cell of the overview: the first sentence of the introduction, else the names that the header declares first."""
    if introduction:
        return re.split(r"(?<=[.:])\s", " ".join(introduction.split()))[0].rstrip(":").replace("|", "\\|")
    names: list[str] = []
    for declaration in declarations:
        name = name_in(declaration)
        if name not in names and "operator" not in name:
            names.append(name)
    return ", ".join(f"`{name}`" for name in names[:5]) + (", …" if len(names) > 5 else "")


def name_in(declaration: doxygen.Declaration) -> str:
    """The name that is declared: `view` for `constexpr Layout view(const Layout &layout)`."""
    text = declaration.signatures[0]
    while text.startswith("template<"):
        text = text[closing(text, text.index("<")) + 1 :].strip()
    if declaration.directive == "cpp:function":
        text = text.partition("(")[0]
    elif declaration.directive in ("cpp:member", "cpp:type"):
        text = re.split(r" = | \{|\[", text)[0]
    else:
        text = text.split(" : ")[0]
    return text.split()[-1].lstrip("*&")


def closing(text: str, opening: int) -> int:
    """Where the angle bracket that opens there is closed."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError(text)


def body_of(root: Path, declarations: list[doxygen.Declaration]) -> str:
    """The directives of a header, each namespace introduced once."""
    lines, scope = [], ""
    for declaration in together(root, declarations):
        if declaration.scope != scope:
            scope = declaration.scope
            lines.append(f"```{{cpp:namespace}} {scope}\n```\n")
        lines.append(directive(declaration) + "\n")
    return "\n".join(lines)


def together(root: Path, declarations: list[doxygen.Declaration]) -> list[doxygen.Declaration]:
    """Declarations without a comment join the one right above them, whose comment is theirs too."""
    joined: list[doxygen.Declaration] = []
    for declaration in declarations:
        declaration.members = together(root, declaration.members)
        last = joined[-1] if joined else None
        if (
            last
            and not declaration.text
            and not declaration.members
            and not last.members
            and (last.directive, last.scope) == (declaration.directive, declaration.scope)
            and declaration.directive in ("cpp:function", "cpp:member", "cpp:type")
            and adjacent(root / "include" / declaration.file, last.line, declaration.line)
        ):
            last.signatures += declaration.signatures
            last.line = declaration.line
        else:
            joined.append(declaration)
    return joined


_lines: dict[Path, list[str]] = {}


def adjacent(file: Path, first: int, second: int) -> bool:
    """Whether no empty line stands between two lines of a header."""
    if file not in _lines:
        _lines[file] = file.read_text(encoding="utf-8").splitlines()
    return all(line.strip() for line in _lines[file][first - 1 : second])


def directive(declaration: doxygen.Declaration) -> str:
    """A declaration in MyST's fences, its members inside."""
    members = [directive(member) for member in declaration.members]
    inside = "\n\n".join(part for part in (declaration.text, *members) if part)
    fence = "`" * max(4, 1 + max((len(run) for run in re.findall(r"^`{3,}", inside, re.MULTILINE)), default=3))
    signatures = SEPARATOR.join(signature.strip() for signature in declaration.signatures)
    return f"{fence}{{{declaration.directive}}} {signatures}\n\n{inside}\n{fence}"
