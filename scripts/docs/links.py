#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every link of a built site: `scripts/docs/links.py FOLDER` ends with 1 where one leads nowhere.

A page, picture, script or style sheet must be a file of the site, a fragment the id of an element of its page; every
page must be reached from the first. Addresses of other sites are only read: nothing is fetched. No page loads anything
from another site.
"""

from __future__ import annotations

import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# A fragment that browsers know without an element.
TOP = ("", "top")


class Page(HTMLParser):
    """The ids of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.ids.update(value for name, value in values.items() if name == "id" or (tag == "a" and name == "name"))
        if tag in ("a", "area") and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and "href" in values:
            self.loads.append(values["href"])
        elif "src" in values:
            self.loads.append(values["src"])


def check(site: Path) -> list[str]:
    """What is wrong, a line each: `page.html: the link …`."""
    pages = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    complaints, reached = [], {name: set() for name in pages}
    for name, page in sorted(pages.items()):
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    complaints.append(f"{name}: {link} is loaded from another site")
                elif parts.scheme in ("http", "https") and not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc):
                    complaints.append(f"{name}: the address {link} has no host")
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) if parts.path else name
            if target not in pages and not (site / target).is_file():
                complaints.append(f"{name}: {link} leads to no file of the site")
            elif target in pages:
                reached[name].add(target)
                is_state = "=" in parts.fragment  # of a page that is a program: the explorer's expression
                if not is_state and unquote(parts.fragment) not in (*TOP, *pages[target].ids):
                    complaints.append(f"{name}: {link} leads to no element of {target}")
    return complaints + unreached(reached)


def unreached(reached: dict[str, set[str]]) -> list[str]:
    """Pages to which no path of links leads from index.html."""
    seen, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name not in seen and name in reached:
            seen.add(name)
            waiting += reached[name]
    return [f"{name}: no link leads here from index.html" for name in sorted(set(reached) - seen)]


def main(arguments: list[str]) -> None:
    complaints = check(Path(arguments[0]))
    if complaints:
        sys.exit("\n".join(complaints) + f"\ndocs: {len(complaints)} broken links")
    print("docs: every link of the site leads somewhere")


if __name__ == "__main__":
    main(sys.argv[1:])
