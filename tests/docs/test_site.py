#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built documentation site as a reader sees it, in a headless Chromium: `test_site.py --site build/docs/site`.

`--screenshots FOLDER` writes what was seen as pictures. The checks are tried first on pages made wrong on purpose."""

from __future__ import annotations

import argparse
import functools
import http.server
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "scripts/docs")]

import chromium  # noqa: E402
import links  # noqa: E402

SITE = ROOT / "build/docs/site"
SCREENSHOTS: Path | None = None
SCREENS = ((1280, 1000), (390, 844))
# One page of each kind.
PAGES = (
    "index.html",
    "learn.html",
    "docs/memory-model.html",
    "docs/explorer.html",
    "docs/performance.html",
    "reference/cpp/index.html",
    "reference/cpp/ledger.html",
    "reference/python/tensor.html",
    "reference/program.html",
)


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Says nothing of requests."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which this machine serves the folder."""
    handler = functools.partial(Files, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def complaints_of(browser: chromium.Chromium, address: str, width: int, height: int, dark: bool = False) -> list[str]:
    """What is wrong with a page on a screen: pictures that did not load, a page too wide, words in the console."""
    browser.complaints()
    browser.screen(width, height, dark)
    browser.open(address)
    # A picture far below is only loaded when it is looked at.
    browser.script("for (const image of document.images) image.loading = 'eager'")
    unloaded = "return [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.getAttribute('src'))"
    wait(lambda: not browser.script("return [...document.images].some(image => !image.complete)"))
    found = [f"{width} px: the picture {source} was not loaded" for source in browser.script(unloaded)]
    wide = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        found.append(f"{width} px: the page is {wide} px wider than the screen")
    return found + [f"{width} px: console: {message}" for message in browser.complaints()]


def wait(is_done) -> bool:
    """Whether it came true within 15 minutes."""
    end = time.monotonic() + 900
    while not is_done():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Case(unittest.TestCase):
    def setUp(self) -> None:
        programs = chromium.programs()
        self.assertIsNotNone(programs, f"{chromium.MISSING}; scripts/docs_setup.sh installs it")
        self.browser = self.enterContext(chromium.Chromium(*programs))

    def seen(self, name: str) -> None:
        if SCREENSHOTS:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(SCREENSHOTS / f"{name}.png")


class Site(Case):
    def setUp(self) -> None:
        super().setUp()
        self.address = self.enterContext(served(SITE))

    def test_pages_fit_and_load_all_they_show(self) -> None:
        for page in PAGES:
            for width, height in SCREENS:
                for dark in (False, True):
                    with self.subTest(page=page, width=width, dark=dark):
                        found = complaints_of(self.browser, self.address + page, width, height, dark)
                        self.assertEqual(found, [])
                        scheme = "-dark" if dark else ""
                        self.seen(f"{page.replace('/', '-').removesuffix('.html')}-{width}{scheme}")

    def test_first_page_shows_what_it_is(self) -> None:
        self.browser.open(self.address)
        self.assertEqual(self.browser.script("return document.querySelector('h1').firstChild.textContent"), "tenstride")
        picture = self.browser.script(
            "const i = document.querySelector('article img');"
            "return [i.getAttribute('src'), i.naturalWidth, i.clientHeight]"
        )
        self.assertIn("layout", picture[0])
        self.assertGreater(picture[1], 300)
        self.assertGreater(picture[2], 100)
        cards = self.browser.script("return [...document.querySelectorAll('.cards li')].map(c => c.innerText)")
        self.assertGreaterEqual(len(cards), 7)
        groups = self.browser.script("return document.querySelectorAll('.sidebar-tree .toctree-l1').length")
        self.assertTrue(3 <= groups <= 8, f"{groups} groups in the navigation")

    def test_reference_has_the_class_with_its_comment(self) -> None:
        self.browser.open(self.address + "reference/cpp/ledger.html")
        words = self.browser.script("return document.querySelector('article').innerText")
        self.assertIn("class CopyLedger", words)
        self.assertIn("std::size_t left_out() const noexcept", words)
        self.browser.open(self.address + "reference/python/classes.html#tenstride.CopyLedger")
        words = self.browser.script("return document.getElementById('tenstride.CopyLedger').parentElement.innerText")
        self.assertIn(">>> with tenstride.CopyLedger() as ledger:", words)

    def test_search_finds_a_class(self) -> None:
        self.browser.open(self.address)
        field = "document.querySelector('.sidebar-search')"
        self.browser.script(f"{field}.value = 'CopyLedger'; {field}.form.submit()")
        results = "return [...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))"
        wanted = {"reference/cpp/ledger.html", "reference/python/classes.html", "docs/ledger.html"}

        def found() -> set[str]:
            return {link.partition("#")[0].partition("?")[0] for link in self.browser.script(results)}

        self.assertTrue(wait(lambda: wanted <= found()), f"the search found {sorted(found())}")
        self.seen("search-1200")
        self.assertEqual(self.browser.complaints(), [])


class Finds(Case):
    """The checks find what is wrong."""

    def test_pages_made_wrong(self) -> None:
        with tempfile.TemporaryDirectory(prefix="tenstride-") as name:
            folder = Path(name)
            head = "<!doctype html><link rel='icon' href='data:,'>"
            (folder / "good.html").write_text(f"{head}<p>words")
            (folder / "wide.html").write_text(f"{head}<div style='width: 600px'>words</div>")
            (folder / "picture.html").write_text(f"{head}<img src='data:image/png;base64,AAAA'>")
            (folder / "console.html").write_text(f"{head}<script>console.error('gone')</script>")
            with served(folder) as address:

                def found(page: str) -> list[str]:
                    return complaints_of(self.browser, f"{address}{page}.html", 390, 844)

                self.assertEqual(found("good"), [])
                self.assertRegex(found("wide")[0], "wider than the screen")
                self.assertRegex(found("picture")[0], "was not loaded")
                self.assertRegex(found("console")[0], "console: .*gone")


class Links(unittest.TestCase):
    def test_broken_links_are_found(self) -> None:
        pages = {
            "index.html": "<a href='a/b.html#here'>b</a> <a href='https://example.org/x'>x</a> <a href='#'>top</a>",
            "a/b.html": "<p id='here'><a href='../index.html'>back</a>",
        }
        self.assertEqual(self.checked(pages), [])
        wrong = (
            ("<a href='../gone.html'>", "leads to no file"),
            ("<a href='../index.html#gone'>", "leads to no element of index.html"),
            ("<img src='gone.svg'>", "leads to no file"),
            ("<img src='https://example.org/a.png'>", "is loaded from another site"),
            ("<a href='https:///x'>", "has no host"),
        )
        for text, complaint in wrong:
            found = self.checked({**pages, "a/b.html": f"<p id='here'>{text}"})
            self.assertEqual(len(found), 1, found)
            self.assertIn(complaint, found[0])
        self.assertIn("c.html: no link leads here", self.checked({**pages, "c.html": "<p>"})[0])

    def checked(self, pages: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory(prefix="tenstride-") as name:
            for path, text in pages.items():
                (Path(name) / path).parent.mkdir(exist_ok=True)
                (Path(name) / path).write_text(text)
            return links.check(Path(name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=SITE)
    parser.add_argument("--screenshots", type=Path)
    arguments, rest = parser.parse_known_args()
    SITE, SCREENSHOTS = arguments.site, arguments.screenshots
    unittest.main(argv=[sys.argv[0], *rest])
