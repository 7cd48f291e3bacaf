# SPDX-License-Identifier: Apache-2.0
"""A headless Firefox for tests, by Mozilla's marionette_driver, with the methods of chromium.Chromium."""

from __future__ import annotations

import gc
import shutil
import tempfile
from typing import Any

from marionette_driver.by import By
from marionette_driver.marionette import ActionSequence, Marionette

MISSING = "no Firefox here: the page is not opened (Debian: firefox-esr)"


def program() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A browser with one window; `with Firefox(program()) as firefox`."""

    def __init__(self, binary: str) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="tenstride-firefox-")
        preferences = {"remote.prefs.recommended": True, "ui.prefersReducedMotion": 0}
        self.browser = Marionette(
            bin=binary,
            headless=True,
            prefs=preferences,
            workspace=self.profile.name,
            gecko_log=f"{self.profile.name}/log",
            startup_timeout=300,
        )
        self.browser.start_session()
        self.browser.timeout.script = 900

    def __enter__(self) -> Firefox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def open(self, address: str) -> None:
        self.browser.navigate(address)

    def script(self, code: str, *arguments: object) -> Any:
        return self.browser.execute_script(code, script_args=arguments, sandbox=None)

    def keys(self, text: str) -> None:
        self.browser.get_active_element().send_keys(text)

    def press(self, key: str) -> None:
        self.keys(key)

    def hover(self, x: float, y: float) -> None:
        actions = ActionSequence(self.browser, "pointer", "mouse", {"pointerType": "mouse"})
        actions.pointer_move(int(x), int(y)).perform()

    def click(self, selector: str) -> None:
        self.browser.find_element(By.CSS_SELECTOR, selector).click()

    def screen(self, width: int, height: int, dark: bool = False) -> None:
        self.browser.set_window_rect(width=width, height=height)

    def close(self) -> None:
        self.browser.quit()
        self.browser.cleanup()  # while Python has its modules: marionette_driver would do so at the very end
        del self.browser
        gc.collect()
        self.profile.cleanup()
