# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride explore`: the explorer's page from the package's files, by a server for this machine alone. The
program `tenstride explore` does the same (tools/tenstride/explore.cpp)."""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import os
import sys
import threading
import urllib.parse
import webbrowser
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
INSTALLED = Path(__file__).parent / "explorer"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Answers with the page's files, and only to requests for this machine by one of its own names."""

    extensions_map: dict[str, str] = {  # noqa: RUF012 - as the base class has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html",
        ".css": "text/css",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        # A page of another site whose name leads here (DNS rebinding) has that name as the request's Host.
        port = port_in_address(self.connection.getsockname()[1])
        if self.headers.get("Host") not in (f"{LOOPBACK}{port}", f"localhost{port}"):
            self.send_error(403)
        elif self.command != "GET":
            self.send_error(405)
        elif not self.is_for_a_file():
            self.send_error(404)
        else:
            return True
        return False

    def is_for_a_file(self) -> bool:
        path = self.translate_path(self.path)
        return os.path.isfile(f"{path}index.html" if path.endswith("/") else path)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # browsers leave without a word
            super().handle()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def port_in_address(port: int) -> str:
    """Browsers leave out the port of the scheme."""
    return "" if port == 80 else f":{port}"


def address_of(port: int, expression: str) -> str:
    """Of the page with an expression: `http://127.0.0.1:8000/#code=x%5B0%5D`, as URLSearchParams writes it."""
    field = urllib.parse.quote_plus(expression, safe="*", errors="surrogateescape").replace("~", "%7E")
    return f"http://{LOOPBACK}{port_in_address(port)}/" + (f"#code={field}" if expression else "")


def main(words: list[str]) -> int:
    """Serves the page until Ctrl-C; the exit code."""
    parser = argparse.ArgumentParser(
        prog="tenstride explore", description="Open the explorer, a page that runs expressions in the browser"
    )
    parser.add_argument("expression", metavar="EXPR", nargs="?", default="", help="What the page begins with")
    parser.add_argument(
        "--port", type=int, choices=range(65536), metavar="PORT", default=0,
        help="Of the page's address on 127.0.0.1; 0: one that is free (default)",
    )  # fmt: skip
    parser.add_argument("--no-browser", action="store_true", help="Print the address, open nothing")
    parser.add_argument("--folder", type=Path, default=INSTALLED, help="The page's files (those of this package)")
    given = parser.parse_args(words)
    if not (given.folder / "index.html").is_file():
        return fail(
            f"the folder of the explorer's page ({given.folder}) must hold index.html; make explorer builds it in the "
            "sources of tenstride as build/explorer/page, and --folder takes that"
        )
    try:
        server = http.server.ThreadingHTTPServer(
            (LOOPBACK, given.port), functools.partial(Handler, directory=str(given.folder))
        )
    except OSError:
        return fail(f"the port ({given.port}) must be one that is free on {LOOPBACK}; without --port one is found")
    address = address_of(server.server_address[1], given.expression)
    try:
        print(f"{address}\nCtrl-C ends the server of this page.", flush=True)
        if not given.no_browser and ("DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ):
            # Some browsers are waited for, which need the page meanwhile.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


def fail(text: str) -> int:
    print(f"tenstride: explore: {text}", file=sys.stderr)
    return 1
