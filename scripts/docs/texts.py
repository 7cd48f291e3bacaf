# SPDX-License-Identifier: Apache-2.0
"""The texts of the repository as Sphinx reads them: at the same relative paths, so that links lead where they did.

Links to a header lead to its part of the C++ reference, those to another file of the repository to a page with its
text."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import try_it

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
LANGUAGES = {".py": "python", ".cpp": "c++", ".hpp": "c++", ".cmake": "cmake", ".sh": "bash", ".txt": "text"}


class Texts:
    """Copies texts of `root` below `out`; `headers` has the page of each public header, `has_explorer` tells whether
    expressions may lead to the explorer."""

    def __init__(self, root: Path, out: Path, headers: dict[str, str], has_explorer: bool) -> None:
        self.root, self.out, self.headers, self.has_explorer = root, out, headers, has_explorer
        self.navigation = json.loads((root / "docs/site/navigation.json").read_text(encoding="utf-8"))["groups"]
        self.shown: set[str] = set()

    def write(self) -> None:
        shutil.copytree(self.root / "docs/images", self.out / "docs/images")
        for path in self.pages():
            if (self.root / path).exists():
                self.put(path, self.relinked((self.root / path).read_text(encoding="utf-8"), path))
        groups = [group["name"] for group in self.navigation]
        for group in self.navigation:
            self.put(f"{group['name']}.md", self.group_page(group))
        self.put("index.md", self.first_page(groups))

    def pages(self) -> list[str]:
        """Every page of the navigation; docs/*.md that are not among them are an error."""
        found = [page for group in self.navigation for pattern in group["pages"] for page in self.matching(pattern)]
        forgotten = {f"docs/{path.name}" for path in (self.root / "docs").glob("*.md")} - set(found)
        if forgotten:
            raise SystemExit(f"docs: docs/site/navigation.json has no group for {', '.join(sorted(forgotten))}")
        return found

    def matching(self, pattern: str) -> list[str]:
        """The paths that a pattern takes in; pages of the reference are not in the repository."""
        if "*" not in pattern:
            if not pattern.startswith("reference/") and not (self.root / pattern).exists():
                raise SystemExit(f"docs: docs/site/navigation.json names {pattern}, which is not there")
            return [pattern]
        return sorted(str(path.relative_to(self.root)) for path in self.root.glob(pattern))

    def put(self, path: str, text: str) -> None:
        (self.out / path).parent.mkdir(parents=True, exist_ok=True)
        (self.out / path).write_text(text, encoding="utf-8")

    def first_page(self, groups: list[str]) -> str:
        """The README, with the cards of docs/site/first_page.md before its first section."""
        text = self.relinked((self.root / "README.md").read_text(encoding="utf-8"), "README.md")
        introduction, heading, rest = text.partition("\n## ")
        cards = (self.root / "docs/site/first_page.md").read_text(encoding="utf-8")
        return f"{introduction}\n{cards}\n{heading.strip()} {rest}\n{toctree(groups)}"

    def group_page(self, group: dict) -> str:
        """A group's page: its texts, each with its first sentence."""
        lines = [f"# {group['title']}", "", group["about"], ""]
        entries = []
        for pattern in group["pages"]:
            pages = self.matching(pattern)
            if "*" in pattern:
                name = f"{group['name']}-notes"
                self.put(
                    f"{name}.md", self.group_page({"title": "Notes", "about": NOTES, "pages": pages, "name": name})
                )
                pages = [f"{name}.md"]
            for page in pages:
                title, sentence = heading_of((self.out / page).read_text(encoding="utf-8"))
                lines.append(f"- [{title}]({page})" + (f": {sentence}" if sentence else ""))
                entries.append(page.removesuffix(".md"))
        return "\n".join([*lines, "", toctree(entries)])

    def relinked(self, text: str, path: str) -> str:
        """A text whose links to headers and other files of the repository lead to pages of the site."""

        def target(match: re.Match[str]) -> str:
            opening, link, closing = match.groups()
            if re.match(r"[a-z]+:|#", link):
                return match.group(0)
            file = os.path.normpath(os.path.join(os.path.dirname(path), link.partition("#")[0]))
            if not (self.root / file).is_file():
                raise SystemExit(f"docs: {path} links to {link}, which is not there")
            if file.endswith(".md") or file.startswith("docs/images/"):
                return match.group(0)
            header = file.removeprefix("include/")
            page = f"reference/cpp/{self.headers[header]}" if header in self.headers else self.source_page(file)
            return f"{opening}{os.path.relpath(page, os.path.dirname(path) or '.')}{closing}"

        text = outside_code(text, lambda part: LINK.sub(target, part))
        return try_it.with_links(text, path) if self.has_explorer else text

    def source_page(self, file: str) -> str:
        """A page that shows a file of the repository."""
        page = f"source/{file}.md"
        if file not in self.shown:
            self.shown.add(file)
            language = LANGUAGES.get(Path(file).suffix, "text")
            content = (self.root / file).read_text(encoding="utf-8")
            self.put(page, f"---\norphan: true\n---\n\n# {file}\n\n``````{language}\n{content}``````\n")
        return page


NOTES = "What single cases measured and what was tried, for who works on the engine."


def toctree(pages: list[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def outside_code(text: str, change) -> str:
    """The text changed where it is not in a fence or a code span."""
    parts = re.split(r"(^(`{3,})[^\n]*\n.*?^\2`*\s*?$|`[^`\n]+`)", text, flags=re.MULTILINE | re.DOTALL)
    # Split by two groups: text, code, the fence within the code, text, …
    return "".join(change(part) if at % 3 == 0 else part if at % 3 == 1 else "" for at, part in enumerate(parts))


def heading_of(text: str) -> tuple[str, str]:
    """The title of a page, and its first sentence where the page begins with one."""
    title, _, rest = text[text.index("# ") + 2 :].partition("\n")
    first = re.split(r"\n\s*\n", rest.strip())[0]
    if re.match(r"[`!|:(-]", first):
        return title, ""
    sentence = re.split(r"(?<=[.:])\s", " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first).split()))[0]
    return title, sentence.removeprefix("This page is ").rstrip(":")
