# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride explore`, which answers as the program does (tests/programs/test_explore.py)."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tenstride import _explorer

FILES = {
    "index.html": ("text/html", b"<!doctype html>\n"),
    "app.mjs": ("text/javascript", b"export {};\n"),
    "style.css": ("text/css", b"body {}\n"),
    "tenstride.wasm": ("application/wasm", b"\0asm\x01\0\0\0"),
}


@pytest.fixture
def page(tmp_path):
    """A folder of the page's files, beside a file that is none of them."""
    folder = tmp_path / "page"
    (folder / "inner").mkdir(parents=True)
    for name, (_, content) in FILES.items():
        (folder / name).write_bytes(content)
    (tmp_path / "secret.txt").write_bytes(b"outside of the page")
    return folder


@contextlib.contextmanager
def served(page, *words, **environment):
    """The address that a process prints, which must end well by Ctrl-C behind the block."""
    # A shell that runs the tests in the background ignores SIGINT for them, and processes inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [sys.executable, "-m", "tenstride", "explore", "--folder", page, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, **environment},
    ) as process:
        signal.signal(signal.SIGINT, before)
        try:
            address = process.stdout.readline().rstrip("\n")
            assert process.stdout.readline() == "Ctrl-C ends the server of this page.\n"
            yield address
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def port_of(address):
    return int(address.partition("http://127.0.0.1:")[2].partition("/")[0])


def answer(address, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port_of(address))
    with contextlib.closing(connection):
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()


def test_the_files_of_the_page_and_nothing_else(page):
    with served(page, "--no-browser", "--port", "0", "y = x[0] + 1; y.T~*é") as address:
        assert address.endswith("/#code=y+%3D+x%5B0%5D+%2B+1%3B+y.T%7E*%C3%A9")
        assert _explorer.address_of(80, "\udce9") == "http://127.0.0.1/#code=%E9"  # a byte that is no UTF-8
        for name, (kind, content) in FILES.items():
            status, headers, body = answer(address, f"/{name}?embed")
            assert (status, headers.get_content_type(), body) == (200, kind, content)
            assert headers["Cache-Control"] == "no-cache"
        assert answer(address, "/")[2] == FILES["index.html"][1]
        for path in (
            "/none.html",
            "/inner",
            "/inner/",
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/inner/../../secret.txt",
            "/inner/%2e%2e/%2e%2e/secret.txt",
            "//../secret.txt",
            f"/{page.parent}/secret.txt",
            "/%252e%252e/secret.txt",
            "/..%00/secret.txt",
        ):
            assert answer(address, path)[0] == 404, path


def test_only_this_machine_and_only_get(page):
    with served(page, "--no-browser") as address:
        own = (f"127.0.0.1:{port_of(address)}", f"localhost:{port_of(address)}")
        for host in (*own, "evil.example", f"evil.example:{port_of(address)}", "127.0.0.1", "localhost:1"):
            assert answer(address, "/", Host=host)[0] == (200 if host in own else 403), host
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            assert answer(address, "/index.html", method)[0] == 405
        # A client that goes before the answer leaves no trace.
        with socket.create_connection(("127.0.0.1", port_of(address))) as left:
            left.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert answer(address, "/")[0] == 200
        # A port is of one program.
        taken = [sys.executable, "-m", "tenstride", "explore", "--folder", page, "--port", str(port_of(address))]
        done = subprocess.run(taken, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stderr) == (
            1,
            f"tenstride: explore: the port ({port_of(address)}) must be one that is free on 127.0.0.1; without --port "
            "one is found\n",
        )


def test_a_browser_is_opened_where_there_is_a_display(page, tmp_path):
    opened = tmp_path / "opened"
    os.mkfifo(opened)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n', encoding="utf-8")
    browser.chmod(0o755)
    with served(page, "x", DISPLAY=":0", BROWSER=f"{browser} %s") as address:
        assert opened.read_text(encoding="utf-8") == f"{address}\n"


def test_a_folder_without_the_page_is_an_error(capsys, monkeypatch, tmp_path):
    text = (
        "tenstride: explore: the folder of the explorer's page ({}) must hold index.html; make explorer builds it in "
        "the sources of tenstride as build/explorer/page, and --folder takes that\n"
    )
    assert _explorer.main(["--folder", str(tmp_path)]) == 1
    assert capsys.readouterr().err == text.format(tmp_path)
    assert Path(_explorer.__file__).parent / "explorer" == _explorer.INSTALLED
    monkeypatch.setattr(_explorer, "INSTALLED", tmp_path / "none")
    assert _explorer.main([]) == 1
    assert capsys.readouterr().err == text.format(tmp_path / "none")
    with pytest.raises(SystemExit, match="2"):
        _explorer.main(["--port", "65536"])
