# SPDX-License-Identifier: Apache-2.0
"""The explorer as a person uses it: a browser, an address, and the few things that one does there."""

from __future__ import annotations

import functools
import http.server
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Files(http.server.SimpleHTTPRequestHandler):
    def guess_type(self, path: object) -> str:
        known = {".mjs": "text/javascript", ".wasm": "application/wasm"}
        return known.get(Path(str(path)).suffix) or super().guess_type(path)

    def log_message(self, *arguments: object) -> None:
        """Says nothing of requests."""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of the folder on this machine, and what ends that."""
    handler = functools.partial(Files, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        is_on = [True]

        def end() -> None:
            if is_on[0]:
                is_on[0] = False
                server.shutdown()
                server.server_close()

        yield f"http://127.0.0.1:{server.server_port}/", end
        end()


def wait(is_done: Callable[[], Any], seconds: float = 120) -> Any:
    """What comes true, or fails."""
    end = time.monotonic() + seconds
    while True:
        found = is_done()
        if found:
            return found
        assert time.monotonic() < end, f"did not come true within {seconds} s"
        time.sleep(0.03)


class Page:
    """The page in a browser. What is asked of it waits until all that is typed has been answered."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser, self.address = browser, address

    def open(self, code: str | None = None, file: str = "index.html", **state: str) -> None:
        fields = {"code": code, **state} if code is not None else state
        self.browser.open("about:blank")
        self.browser.open(f"{self.address}{file}#{urllib.parse.urlencode(fields)}" if fields else self.address + file)
        self.settle()

    def settle(self) -> None:
        """Until the page says that what is in the editors is told."""
        wait(lambda: self.browser.script("return document.documentElement.dataset.settled === 'true'"))

    def script(self, code: str, *arguments: object) -> Any:
        return self.browser.script(code, *arguments)

    def text_of(self, selector: str) -> str:
        found = self.script("return document.querySelector(arguments[0])?.innerText ?? null", selector)
        assert found is not None, selector
        return found

    def count(self, selector: str) -> int:
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def code(self, pane: int = 0) -> str:
        return self.script("return document.querySelectorAll('.field textarea')[arguments[0]].value", pane)

    def write(self, text: str) -> None:
        """Clears the editor, then types."""
        self.browser.click(".field textarea")
        self.script("document.querySelector('.field textarea').select()")
        self.browser.keys("\ue017" + text)
        self.settle()

    def click(self, selector: str) -> None:
        self.browser.click(selector)
        self.settle()

    def point(self, selector: str) -> None:
        """Moves the mouse to the middle of an element."""
        x, y = self.script(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center', inline: 'center'});"
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]",
            selector,
        )
        self.browser.hover(x, y)

    def steps(self) -> list[list[str]]:
        """The table: step, call, kind with its sign, layout and what is said of it, bytes."""
        return self.script(
            "return [...document.querySelectorAll('.steps tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.innerText))"
        )

    def told_after(self, text: str) -> tuple[str, float]:
        """Puts a text into the editor: what the page says of it then, and the milliseconds until it did."""
        status, milliseconds = self.script(
            "const field = document.querySelector('.field textarea'), root = document.documentElement;"
            "field.value = arguments[0]; const begin = performance.now(); field.dispatchEvent(new Event('input'));"
            "return new Promise(done => { const look = () => root.dataset.settled !== 'true' ? setTimeout(look, 1)"
            " : done([document.querySelector('.status').textContent, performance.now() - begin]); look(); })",
            text,
        )
        return status, milliseconds
