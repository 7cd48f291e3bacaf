# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests, by just enough of the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

MISSING = "no Chromium here: the page is not opened (Debian: chromium, chromium-driver)"


def programs() -> tuple[str, str] | None:
    """The driver and the browser, or None where one is missing."""
    driver, browser = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("chromium-browser")
    return (driver, browser) if driver and browser else None


class Chromium:
    """A browser with one window of 1200 × 1000 pixels; `with Chromium(*programs()) as chromium`."""

    def __init__(self, driver: str, browser: str) -> None:
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        port = None
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = found.group(1)
                break
        self.base = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        wanted = {
            "goog:chromeOptions": {"binary": browser, "args": [*arguments, "--window-size=1200,1000"]},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self.send("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + made["sessionId"]

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def send(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=900) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        """Loads a page; comes back once it and its pictures are loaded."""
        self.send("POST", "/url", {"url": address})

    def script(self, code: str, *arguments: object) -> Any:
        return self.send("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def hover(self, x: float, y: float) -> None:
        move = {"type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": "viewport"}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self.send("POST", "/actions", {"actions": [mouse]})

    def press(self, key: str) -> None:
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def keys(self, text: str) -> None:
        """Types into what has the focus."""
        element = self.send("GET", "/element/active")
        self.send("POST", f"/element/{next(iter(element.values()))}/value", {"text": text})

    def click(self, selector: str) -> None:
        element = self.send("POST", "/element", {"using": "css selector", "value": selector})
        self.send("POST", f"/element/{next(iter(element.values()))}/click", {})

    def screen(self, width: int, height: int, dark: bool = False) -> None:
        """As on a screen of this size, in pixels; a window cannot be as narrow as a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        return self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self) -> list[str]:
        """What the console has got since it was last asked, of warnings and errors."""
        entries = self.send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("GET", "/screenshot")))

    def close(self) -> None:
        try:
            self.send("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(900)
            if self.process.stdout:
                self.process.stdout.close()
