#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The explorer as a person uses it, in headless Chromium and Firefox: `test_page.py --page build/explorer/page`.

`--browser chromium|firefox` takes one of them, `--screenshots FOLDER` writes what was seen as pictures.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import unittest
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(Path(__file__).parent)]

import axe_core_python  # noqa: E402
import chromium  # noqa: E402
import firefox  # noqa: E402
import texts  # noqa: E402
from pages import Page, served, wait  # noqa: E402

FOLDER = ROOT / "build/explorer/page"
SCREENSHOTS: Path | None = None
SCREENS = ((1440, 900), (768, 1024), (360, 800))
REFUSED = "x = torch.arange(24).view(2, 3, 4)\ny = x.permute(2, 0, 1)\ny.view(8, 3)"
COPIED = "x = torch.arange(24).view(2, 3, 4)\ny = x.permute(2, 0, 1)\nz = y.contiguous()"
EXPLODING = (
    "x = [1] * 10**9",
    "'a' * 10**12",
    "10**10**9",
    "x = torch.zeros(3000000).tolist()",
    "torch.zeros(2000000).unbind()",
)
AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
}


class Browsing:
    """What holds in every browser; `browser` is one that is open."""

    browser = None

    def setUp(self):
        context = served(FOLDER)
        address, self.end_server = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.page = Page(self.browser, address)
        self.browser.screen(1440, 900)

    def press(self, *names):
        for name in names:
            self.browser.press(KEYS.get(name, name))

    def test_tells_what_is_typed(self):
        self.page.open("1")
        self.page.write("x = torch.arange(6).view(2, 3); x.T.contiguous()")
        steps = self.page.steps()
        self.assertEqual([step[1] for step in steps], ["torch.arange(6)", ".view(2, 3)", ".T", ".contiguous()"])
        self.assertEqual([step[2] for step in steps], ["+ new", "◇ view", "◇ view", "■ copy"])
        self.assertIn("(3,2):(1,3)+0", steps[2][3])
        self.assertIn("not contiguous: axes out of order", steps[2][3])
        self.assertIn("strides (1,3) are not the row-major (2,1) (since step 3)", steps[3][3])
        self.assertEqual(steps[3][4], "96 B moved")
        self.assertEqual(self.page.text_of(".status"), "1 copy, 96 B moved, at most 96 B held")
        self.assertIn("tensor([[0, 3],", self.page.text_of(".result"))
        self.assertEqual(self.page.count("g.row"), 3)

    def test_a_refusal_is_marked_told_and_mended(self):
        self.page.open(REFUSED)
        marked = self.page.script(
            "return [...document.querySelectorAll('.mirror .error')].map(e => e.textContent).join('')"
        )
        self.assertEqual(marked, ".view(8, 3)")
        self.assertIn("RuntimeError: view size is not compatible", self.page.text_of(".beside"))
        told = self.page.text_of(".problem")
        for words in (
            "walk",
            "the elements lie at 0 12",
            "free",
            "since",
            "copies 192 B, silently",
            "no copy, another element order",
        ):
            self.assertIn(words, told)
        fixes = self.page.script("return [...document.querySelectorAll('.fixes button')].map(b => b.innerText)")
        self.assertEqual(fixes, [".reshape(8,3)", ".contiguous().view(8,3)", ".view(8,3) before .permute(2, 0, 1)"])
        for number, end in enumerate(("y.reshape(8,3)", "y.contiguous().view(8,3)", "x.view(8,3)"), 1):
            self.page.open(REFUSED)
            self.page.click(f".fixes li:nth-child({number}) button")
            self.assertEqual(self.page.code().splitlines()[-1], end)
            self.assertEqual(self.page.count(".problem"), 0)

    def test_an_element_is_followed_through_all_steps(self):
        self.page.open(COPIED)
        self.page.point("g.e[data-index='1,2,3']")
        lines = wait(lambda: self.page.text_of(".element")).splitlines()
        self.assertEqual(lines[0], "x = torch.arange(24).view(2, 3, 4) [1,2,3] → 1·12 + 2·4 + 3·1 = 23")
        self.assertEqual(lines[2], "z = y.contiguous() [3,1,2] → 3·6 + 1·3 + 2·1 = 23")
        self.assertEqual(self.page.count(".chosen"), 1)
        self.assertEqual(self.page.count(".same"), 5)
        self.page.point("g.p[data-position='0']")
        wait(lambda: "[0,0,0] → 0·12 + 0·4 + 0·1 = 0" in self.page.text_of(".element"))

    def test_the_keyboard_reaches_everything(self):
        self.page.open(COPIED)
        self.page.script("document.querySelector('figure').focus()")
        self.press("Right", "Right", "Down")
        self.assertIn("[0,1,1] → 0·12 + 1·4 + 1·1 = 5", self.page.text_of(".element"))
        self.press("Escape")
        self.assertEqual(self.page.count(".chosen"), 0)
        self.page.script("document.querySelector('.steps tbody tr').focus()")
        self.press("Down", "Down")
        here = self.page.script(
            "return [...document.querySelectorAll('.mirror .here')].map(e => e.textContent).join('')"
        )
        self.assertEqual(here, ".permute(2, 0, 1)")
        self.assertEqual(
            self.page.script("return document.querySelector('.row.pointed text.t').textContent"),
            "y = x.permute(2, 0, 1)",
        )
        self.page.script("document.querySelector('[role=tab][aria-selected=true]').focus()")
        self.press("Right")
        self.page.settle()
        self.assertEqual(self.page.text_of("[role=tab][aria-selected=true]"), "Walk of the copies")
        reached = set()
        self.page.script("document.activeElement.blur()")
        for _ in range(60):
            self.browser.press(KEYS["Tab"])
            reached.add(
                self.page.script(
                    "const e = document.activeElement; return e.id || e.className || e.tagName + (e.innerText ?? '')"
                )
            )
        for name in ("stories", "compare", "BUTTONCopy link"):
            self.assertIn(name, reached)

    def test_completes(self):
        self.page.open("x = torch.arange(6)")
        self.page.write("x = torch.arange(6)\nx.perm")
        wait(lambda: self.page.count(".names li:not([hidden])") == 2)
        self.assertEqual(self.page.count(".problem"), 0)  # an unfinished name is no error
        self.press("Tab")
        self.page.settle()
        self.assertEqual(self.page.code(), "x = torch.arange(6)\nx.permute")
        self.browser.keys("(0")
        self.page.settle()
        self.assertIn("SyntaxError", self.page.text_of(".problem"))

    def test_a_number_has_a_slider(self):
        self.page.open("torch.zeros(3, 4)")
        self.page.script(
            "const f = document.querySelector('.field textarea'); f.focus(); f.setSelectionRange(12, 12); f.click()"
        )
        wait(lambda: self.page.count("div.number:not([hidden])") == 1)
        self.page.script(
            "const r = document.querySelector('div.number [type=range]');"
            "r.value = 7; r.dispatchEvent(new Event('input'))"
        )
        self.page.settle()
        self.assertEqual(self.page.code(), "torch.zeros(7, 4)")
        self.assertIn("(7,4):(4,1)+0", self.page.steps()[0][3])

    def test_a_copy_is_walked(self):
        self.page.open(COPIED, view="walk")
        self.assertEqual(self.page.text_of(".walk output"), "visit 24 of 24: 23 → 23")
        self.page.script(
            "const r = document.querySelector('.walk [type=range]'); r.value = 1; r.dispatchEvent(new Event('input'))"
        )
        self.assertEqual(self.page.text_of(".walk output"), "visit 2 of 24: 4 → 1")
        self.assertEqual(self.page.count(".visit.now"), 2)
        self.assertEqual(self.page.count(".visit.later"), 44)
        self.page.open("torch.zeros(2).T", view="walk")
        self.assertEqual(self.page.count(".walk:not([hidden])"), 0)

    def test_steps_become_one_another(self):
        self.page.open(COPIED)
        self.browser.click(".morph")
        wait(lambda: self.page.count("g.gliding") > 0)
        wait(
            lambda: (
                self.page.count("g.gliding") == 0
                and self.page.script("return !document.querySelector('.morph').disabled")
            )
        )
        self.assertEqual(self.page.count("g.hidden"), 0)

    def test_a_link_holds_everything(self):
        self.page.open("n = 2\nx = torch.zeros(n, 3).t()", beside="torch.ones(2)", view="atoms", cost="n=64;zen5")
        wait(lambda: "768 B" in self.page.text_of(".cost"))
        wait(lambda: "zen5" in self.page.script("return location.href"))
        address = self.page.script("return location.href")
        self.browser.open("about:blank")
        self.browser.open(address)
        self.page.settle()
        self.assertEqual((self.page.code(), self.page.code(1)), ("n = 2\nx = torch.zeros(n, 3).t()", "torch.ones(2)"))
        self.assertEqual(self.page.text_of("[role=tab][aria-selected=true]"), "Chain")
        self.assertEqual(self.page.script("return document.querySelector('.cost input').value"), "64")
        self.assertEqual(self.page.script("return location.href"), address)
        self.page.script("location.hash = '#code=torch.ones(5)'")
        wait(lambda: self.page.code() == "torch.ones(5)")
        self.page.settle()
        self.assertEqual(self.page.count(".pane"), 1)

    def test_costs_at_other_sizes(self):
        self.page.open("n = 2\nx = torch.zeros(n, 3).t().contiguous()")
        self.page.click(".cost summary")
        self.page.script(
            "const f = document.querySelector('.cost input'); f.value = 1000000; f.dispatchEvent(new Event('input'))"
        )
        wait(lambda: "22.9 MiB" in self.page.text_of(".cost"))
        self.assertIn("moved\n22.9 MiB", self.page.text_of(".cost"))
        self.page.script(
            "const f = document.querySelector('.cost select'); f.value = 'zen5'; f.dispatchEvent(new Event('change'))"
        )
        wait(lambda: "step 3, .contiguous():" in self.page.text_of(".cost pre"))
        self.assertIn("n = 2\n", self.page.code())

    def test_two_side_by_side(self):
        self.page.open("x = torch.arange(6).view(2, 3)\nx.reshape(3, 2)")
        self.page.click("#compare")
        self.assertEqual(self.page.count(".pane"), 2)
        self.assertEqual(self.page.code(1), self.page.code(0))
        self.page.click("#compare")
        self.assertEqual(self.page.count(".pane"), 1)

    def test_stories_are_told(self):
        self.page.open("1")
        for number in range(1, self.page.count("#stories option")):
            self.page.script(
                "const s = document.querySelector('#stories');"
                "s.selectedIndex = arguments[0]; s.dispatchEvent(new Event('change'))",
                number,
            )
            self.page.settle()
            with self.subTest(code=self.page.code()):
                self.assertGreater(self.page.count(".steps tbody tr"), 0)
                self.assertEqual(self.page.count(".mirror .left"), 0)

    def test_pasted_python(self):
        self.page.open(
            "import numpy as np\nclass Net:\n    def forward(self, x):\n        return x\n"
            "x = torch.zeros(2, 3).t()\ny = Net()(x)\nx.reshape(-1)"
        )
        left = self.page.script(
            "return [...document.querySelectorAll('.mirror .left')].map(e => e.textContent).join('')"
        )
        self.assertIn("import numpy as np", left)
        self.assertIn("y = Net", left)
        self.assertNotIn("reshape", left)
        self.assertIn("needs Python: python -m tenstride explain", self.page.text_of(".beside"))
        self.assertEqual([step[1] for step in self.page.steps()], ["torch.zeros(2, 3)", ".t()", ".reshape(-1)"])
        self.page.open("x = torch.zeros(2)\nx.flat()\nx.sum()")  # a mistake, no Python
        self.assertEqual(self.page.count(".mirror .left"), 0)
        self.assertIn("flat", self.page.text_of(".problem"))

    def test_what_is_too_large_is_foretold(self):
        self.page.open("x = torch.zeros(10**12)\nx.view(10, -1).t()")
        self.assertIn("it needs 3.6 TiB of memory", self.page.text_of(".note"))
        self.assertIn("(100000000000,10):(1,100000000000)+0", self.page.steps()[2][3])
        self.page.open("torch.zeros(963839062, 1, 1881311395)")  # strides that JavaScript's numbers do not hold
        self.assertIn("(963839062,1,1881311395):(1881311395,1881311395,1)+0", self.page.steps()[0][3])

    def test_what_explodes_is_stopped(self):
        for code in EXPLODING:
            self.page.open(code)
            self.page.write("torch.ones(2)")
            self.assertEqual(len(self.page.steps()), 1, code)

    def test_what_takes_long_is_stopped(self):
        self.page.open("1")
        self.page.script(
            "const field = document.querySelector('.field textarea'); field.value = arguments[0];"
            "field.dispatchEvent(new Event('input'))",
            "x = torch.zeros(1000, 1000)\n" + "x = x.t().contiguous()\n" * 1500,
        )
        wait(lambda: self.page.count(".stop:not([hidden])") == 1)
        self.assertEqual(self.page.text_of(".status"), "running …")
        self.page.click(".stop")
        self.assertIn("it was stopped", self.page.text_of(".status"))
        self.assertEqual(self.page.count(".stop:not([hidden])"), 0)
        self.page.write("torch.ones(2)")
        self.assertEqual(len(self.page.steps()), 1)

    def test_works_without_a_network(self):
        self.page.open("torch.zeros(2)")
        self.end_server()
        self.page.write("torch.zeros(2, 3).T.view(-1)")
        self.assertEqual(self.page.text_of(".status"), "refused: RuntimeError")
        asked = self.page.script("return performance.getEntriesByType('resource').map(e => e.name)")
        self.assertTrue(asked)
        self.assertEqual([name for name in asked if not name.startswith((self.page.address, "data:", "blob:"))], [])

    def test_works_from_a_file(self):
        code = urllib.parse.urlencode({"code": "torch.zeros(2, 3).T.view(-1)"})
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
            self.browser.open(f"{Path(folder).as_uri()}/index.html#{code}")
            wait(lambda: self.page.script("return location.pathname.endsWith('offline.html')"))
            self.page.settle()
            self.assertEqual(self.page.text_of(".status"), "refused: RuntimeError")
            self.page.click(".fixes button")
            self.assertEqual(self.page.code(), "torch.zeros(2, 3).T.reshape(6)")

    def test_is_embedded(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FOLDER, Path(folder, "explorer"))
            frame = "<iframe src='explorer/index.html?embed#code=torch.zeros(2,3).T' width=700 height=400></iframe>"
            Path(folder, "other.html").write_text(
                f"<!DOCTYPE html><title>another page</title><link rel='icon' href='data:,'>{frame}", encoding="utf-8"
            )
            with served(Path(folder)) as (address, _):
                self.browser.open(address + "other.html")
                inside = "document.querySelector('iframe').contentDocument"
                wait(lambda: self.page.script(f"return {inside}?.querySelectorAll('.steps tbody tr').length === 2"))
                self.assertTrue(self.page.script(f"return {inside}.querySelector('nav').offsetParent === null"))
                self.assertFalse(self.page.script(f"return {inside}.querySelector('#open').hidden"))

    def test_fits_every_screen(self):
        for width, height in SCREENS:
            self.browser.screen(width, height)
            for code in (REFUSED, COPIED):
                self.page.open(code)
                wide = self.page.script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                self.assertLessEqual(wide, 0, (width, code))

    def test_is_accessible(self):
        for state in (
            {"code": REFUSED},
            {"code": COPIED, "view": "walk", "cost": ";zen5"},
            {"code": COPIED, "beside": COPIED},
        ):
            self.page.open(**state)
            self.page.script(AXE.read_text(encoding="utf-8"))
            found = self.page.script(
                "return axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
            )
            told = [
                (each["id"], each["help"], [node["html"][:150] for node in each["nodes"][:3]])
                for each in found["violations"]
            ]
            self.assertEqual(told, [], state)
            self.assertGreater(len(found["passes"]), 20)


class Chromium(Browsing, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Chromium(*chromium.programs())
        cls.addClassCleanup(cls.browser.close)

    def tearDown(self):
        self.assertEqual([each for each in self.browser.complaints() if "ERR_CONNECTION_REFUSED" not in each], [])

    def test_light_and_dark(self):
        for width, height in SCREENS:
            papers = set()
            for is_dark in (False, True):
                self.browser.screen(width, height, is_dark)
                for name, state in (
                    ("refused", {"code": REFUSED}),
                    ("copied", {"code": COPIED}),
                    ("beside", {"code": COPIED, "beside": REFUSED}),
                ):
                    self.page.open(**state)
                    self.page.script(AXE.read_text(encoding="utf-8"))
                    found = self.page.script("return axe.run({runOnly: ['color-contrast']})")
                    self.assertEqual(
                        [node["html"] for each in found["violations"] for node in each["nodes"]], [], (width, is_dark)
                    )
                    if SCREENSHOTS:
                        self.browser.screenshot(SCREENSHOTS / f"{name}-{width}-{'dark' if is_dark else 'light'}.png")
                papers.add(self.page.script("return getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(len(papers), 2)

    def test_reduced_motion(self):
        self.browser.devtools(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
        )
        self.page.open(COPIED)
        self.browser.click(".morph")
        wait(lambda: self.page.count(".row.pointed") == 1)
        self.assertEqual(self.page.count("g.gliding"), 0)
        wait(lambda: self.page.script("return !document.querySelector('.morph').disabled"))

    def test_takes_away(self):
        self.page.open(REFUSED)
        self.page.script(
            "const clipboard = {writeText: async text => { window.copied = text; }};"
            "Object.defineProperty(navigator, 'clipboard', {value: clipboard})"
        )
        for what, begin in (
            ("text", "1  torch.arange(24)"),
            ("markdown", "```python\nx = torch"),
            ("embed", '<iframe src="http'),
            ("link", "http"),
        ):
            self.page.script(
                "window.copied = null; document.querySelector(arguments[0]).click()", f"[data-take={what}]"
            )
            copied = wait(lambda: self.page.script("return window.copied"))
            self.assertTrue(copied.startswith(begin), copied)
        sizes = self.page.script(
            "const module = await import('./save.mjs'); const svg = document.querySelector('figure svg');"
            "const png = await module.pngOf(svg), text = await module.svgFile(svg).text();"
            "const drawn = new DOMParser().parseFromString(text, 'image/svg+xml');"
            "return [png.type, png.size, drawn.querySelectorAll('g.e').length]"
        )
        self.assertEqual((sizes[0], sizes[2]), ("image/png", 48))
        self.assertGreater(sizes[1], 10_000)

    def test_is_fast(self):
        """The times are told, not held: a busy machine is no defect."""
        first = []
        for _ in range(5):
            self.page.open(REFUSED)
            first.append(
                self.page.script(
                    "return performance.getEntriesByName('told')[0].startTime"
                    " - performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
                )
            )
        ten = "x = torch.arange(24).view(2, 3, 4).permute(2, 0, 1).contiguous().flip(0).transpose(0, 1)"
        ten += ".reshape(4, 6).T[1:].clone()"
        self.page.open(ten)
        each = [self.page.told_after(f"{ten} # {i}")[1] for i in range(31)]
        print(
            f"first answer {sorted(first)[2]:.0f} ms after the page has loaded; {len(self.page.steps())} steps told"
            f" {sorted(each)[15]:.1f} ms after the last key, 30 ms of them a pause"
        )
        self.assertEqual(len(self.page.steps()), 10)

    def test_a_thousand_mutated_texts(self):
        chance = random.Random(7)
        known = [text for text in texts.known_texts() if len(text) < 400]
        self.page.open("1")
        begin, broken = time.monotonic(), []
        for _ in range(1000):
            text = texts.mutated(chance.choice(known), chance)
            told = self.page.told_after(text)[0]
            if told.startswith("No answer"):
                broken.append((text, told))
        # Memory and time may run out, each with its message.
        self.assertEqual([each for each in broken if "128 MiB" not in each[1] and "did not end" not in each[1]], [])
        self.page.write("torch.ones(2)")
        self.assertEqual(len(self.page.steps()), 1)
        print(f"1000 mutated texts in {time.monotonic() - begin:.0f} s; {len(broken)} without an answer: {broken}")


class Firefox(Browsing, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = firefox.Firefox(firefox.program())
        cls.addClassCleanup(cls.browser.close)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path, default=FOLDER)
    parser.add_argument("--browser", choices=("chromium", "firefox"))
    parser.add_argument("--screenshots", type=Path)
    arguments, rest = parser.parse_known_args()
    FOLDER, SCREENSHOTS = arguments.page.resolve(), arguments.screenshots
    if SCREENSHOTS:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    missing = [
        told
        for told, there in ((chromium.MISSING, chromium.programs()), (firefox.MISSING, firefox.program()))
        if not there
    ]
    if missing and not arguments.browser:
        raise SystemExit("; ".join(missing))
    for name in {"chromium": ["Firefox"], "firefox": ["Chromium"]}.get(arguments.browser, []):
        del globals()[name]
    unittest.main(argv=[sys.argv[0], *rest])
