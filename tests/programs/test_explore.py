#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenstride explore from outside: a browser's requests, and those that no page of the explorer makes."""

import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import unittest

from cli_case import HANGS, Case, main

PAGE = {
    "index.html": b"<!doctype html>\n",
    "app.mjs": b"export {};\n",
    "style.css": b"body {}\n",
    "tenstride.wasm": b"\0asm\x01\0\0\0",
    "offline.html": b"<!doctype html>\n<p>all in one\n",
}
TYPES = {".html": "text/html", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}


class Explore(Case):
    def setUp(self):
        super().setUp()
        if "built without cpp-httplib" in self.run_tool("explore", "--folder", "/none", code=1).stderr:
            self.skipTest("the program was built without cpp-httplib")
        self.page = self.folder / "page"
        self.page.mkdir()
        for name, content in PAGE.items():
            (self.page / name).write_bytes(content)
        self.write("secret.txt", b"outside of the page")

    def start(self, *words, **extra):
        """The program with its address printed, and its port."""
        command = [self.tool, "explore", "--folder", str(self.page), *words]
        program = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, **extra)
        self.addCleanup(program.wait, HANGS)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.kill)
        self.address = program.stdout.readline().rstrip("\n")
        self.assertEqual(program.stdout.readline(), "Ctrl-C ends the server of this page.\n")
        self.port = int(self.address.partition("http://127.0.0.1:")[2].partition("/")[0])
        return program

    def answer(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def test_serves_the_files_of_the_page_and_ends_by_ctrl_c(self):
        program = self.start("--no-browser", "--port", "0", "y = x[0] + 1; y.T~*é")
        self.assertEqual(self.address, f"http://127.0.0.1:{self.port}/#code=y+%3D+x%5B0%5D+%2B+1%3B+y.T%7E*%C3%A9")
        for name, content in PAGE.items():
            status, headers, body = self.answer(f"/{name}?embed")
            self.assertEqual((status, body), (200, content), name)
            self.assertEqual(headers.get_content_type(), TYPES[pathlib.Path(name).suffix], name)
            self.assertEqual(headers["Cache-Control"], "no-cache")
        self.assertEqual(self.answer("/")[2], PAGE["index.html"])
        self.assertEqual(self.answer("/none.html")[0], 404)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(HANGS), 0)

    def test_nothing_outside_of_the_folder_is_reached(self):
        self.start("--no-browser")
        (self.page / "inner").mkdir()
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt",
                     "/inner/../../secret.txt", "/inner/%2e%2e/%2e%2e/secret.txt", "/..%5csecret.txt",
                     "//../secret.txt", f"/{self.folder}/secret.txt", "/%252e%252e/secret.txt",
                     "/..%00/secret.txt", "/inner", "/inner/"):  # fmt: skip
            status, _, body = self.answer(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"outside", body)

    def test_only_this_machine_and_only_get(self):
        self.start("--no-browser")
        own = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        for host in (
            *own,
            "evil.example",
            f"evil.example:{self.port}",
            "127.0.0.1",
            "localhost:1",
            f"{own[0]}.evil.example",
        ):
            self.assertEqual(self.answer("/", Host=host)[0], 200 if host in own else 403, host)
            self.assertEqual(self.answer("/none", Host=host)[0], 404 if host in own else 403, host)
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.answer("/index.html", method)[0], 405, method)
        with socket.socket() as other:
            self.assertNotEqual(other.connect_ex(("127.0.0.2", self.port)), 0)

    def test_a_port_is_of_one_program(self):
        self.start("--no-browser")
        text = f"explore: the port ({self.port}) must be one that is free on 127.0.0.1; without --port one is found"
        self.fails(1, text, "explore", "--no-browser", "--folder", str(self.page), "--port", str(self.port))
        self.run_tool("explore", "--port", "65536", code=2)

    def test_a_browser_is_opened_where_there_is_a_display(self):
        opened = self.folder / "opened"
        os.mkfifo(opened)
        (self.folder / "xdg-open").write_text(f'#!/bin/sh\necho "$1" > {opened}\n', encoding="utf-8")
        (self.folder / "xdg-open").chmod(0o755)
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        program = self.start("x", env={**os.environ, "PATH": path, "DISPLAY": ":0"})
        self.assertEqual(opened.read_text(encoding="utf-8"), f"{self.address}\n")
        self.assertEqual(self.answer("/")[0], 200)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(HANGS), 0)

    def test_a_folder_without_the_page_is_an_error(self):
        text = (
            "explore: the folder of the explorer's page ({}) must hold index.html; make explorer builds it in the "
            "sources of tenstride as build/explorer/page, and --folder takes that"
        )
        self.fails(1, text.format("/none"), "explore", "--folder", "/none")
        # Where it is installed, and where it is built.
        prefix = self.folder / "build" / "dev"
        (prefix / "bin").mkdir(parents=True)
        self.tool = shutil.copy(self.tool, prefix / "bin")
        self.fails(1, text.format(f"{prefix}/share/tenstride/explorer"), "explore")
        self.write("build/dev/CMakeCache.txt", b"")
        both = f"{prefix}/share/tenstride/explorer or {self.folder}/build/explorer/page"
        self.fails(1, text.format(both), "explore")
        self.page = shutil.copytree(self.page, self.folder / "build" / "explorer" / "page")
        program = subprocess.Popen([self.tool, "explore", "--no-browser"], text=True, stdout=subprocess.PIPE)
        with program:
            self.assertRegex(program.stdout.readline(), r"^http://127\.0\.0\.1:\d+/\n$")
            program.send_signal(signal.SIGINT)


class WithoutServer(Case):
    def test_a_program_without_the_server_says_what_to_install(self):
        done = subprocess.run(
            [self.tool, "explore", "--folder", "/none"], text=True, capture_output=True, timeout=HANGS
        )
        if "must hold index.html" in done.stderr:
            raise unittest.SkipTest("the program was built with cpp-httplib")
        self.assertEqual(
            done.stderr,
            "tenstride: explore: this program was built without cpp-httplib; install libcpp-httplib-dev and build it "
            "again, or run python -m tenstride explore\n",
        )


if __name__ == "__main__":
    main()
