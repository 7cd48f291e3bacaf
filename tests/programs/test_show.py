#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenstride show: the SVG is XML and says of every element where it lies, the page follows one through all steps in a
real browser, the terminal's form is as it was, and the pictures of the documents are what the program draws."""

import argparse
import itertools
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

import chromium  # noqa: E402
from terminal import read_terminal  # noqa: E402

TOOL = ""
SVG = "{http://www.w3.org/2000/svg}"


def show(*arguments, expect=0, env=None, stdin=None):
    run = subprocess.run(
        [TOOL, "show", *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        env={**os.environ, "COLUMNS": "80", **(env or {})},
    )
    assert run.returncode == expect, (arguments, run.returncode, run.stdout, run.stderr)
    return run.stderr if expect == 2 or (expect and not run.stdout) else run.stdout


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenstride-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return str(self.folder / name)

    def svg(self, expression, *options, expect=0):
        show(expression, *options, "-o", self.path("x.svg"), "--force", expect=expect)
        text = pathlib.Path(self.path("x.svg")).read_text()
        return xml.etree.ElementTree.fromstring(text), text


def steps_of(expression):
    run = subprocess.run([TOOL, "explain", expression, "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)["steps"]


def folded(steps):
    """The steps that have a row: an arange that is viewed at once is one tensor."""
    return [
        s
        for i, s in enumerate(steps)
        if not (
            s["op"] == "arange"
            and i + 1 < len(steps)
            and steps[i + 1]["op"] == "view"
            and steps[i + 1]["shape"] != s["shape"]
        )
    ]


def elements(svg, step, kind="e"):
    return [g for g in svg.iter(SVG + "g") if g.get("class") == kind and g.get("data-step") == str(step)]


def place(group):
    rect = group.find(SVG + "rect")
    return int(rect.get("x")), int(rect.get("y")), int(rect.get("width")), int(rect.get("height"))


SMALL = [
    "x = torch.arange(12).view(3,4); y = x.permute(1,0); z = y.contiguous()",
    "torch.arange(24).view(2,3,4)[:, ::2, 1:3]",
    "x = torch.arange(48).view(2,2,3,4); y = x.transpose(1,2)",
    "torch.tensor(7)",
    "torch.arange(5)[::-1]",
    "torch.arange(3).expand(4,3)",
    "torch.arange(6).unfold(0,3,1)",
    "torch.tensor([1.5, 2.5]).view(torch.int16)",
    "torch.zeros(1,1,1,1,1,2,2)",
    "torch.arange(12).view(3,4).flip(1)",
]


class Elements(Case):
    def test_lie_where_the_layout_says(self):
        for expression in SMALL:
            svg, _ = self.svg(expression)
            for number, step in enumerate(folded(steps_of(expression))):
                drawn = {g.get("data-index"): int(g.get("data-position")) for g in elements(svg, number)}
                wanted = {}
                for index in itertools.product(*(range(n) for n in step["shape"])):
                    position = step["offset"] + sum(i * s for i, s in zip(index, step["strides"]))
                    wanted[",".join(map(str, index))] = position
                self.assertEqual(drawn, wanted, (expression, number))

    def test_stand_in_order(self):
        """Along the last axis to the right, along the one before downwards; the storage to the right, in the order of positions."""
        for expression in SMALL:
            svg, _ = self.svg(expression)
            for number, _ in enumerate(folded(steps_of(expression))):
                at = {
                    tuple(map(int, filter(None, g.get("data-index").split(",")))): place(g)
                    for g in elements(svg, number)
                }
                for index, (x, y, _, _) in at.items():
                    right = (*index[:-1], index[-1] + 1) if index else None
                    if right in at:
                        self.assertGreater(at[right][0], x)
                        self.assertEqual(at[right][1], y)
                    below = (*index[:-2], index[-2] + 1, index[-1]) if len(index) > 1 else None
                    if below in at:
                        self.assertGreater(at[below][1], y)
                        self.assertEqual(at[below][0], x)
                strip = [(int(g.get("data-position")), place(g)) for g in elements(svg, number, "p")]
                self.assertTrue(strip)
                for (p, (x, y, width, _)), (q, (next_x, next_y, _, _)) in itertools.pairwise(strip):
                    self.assertLess(p, q)
                    self.assertGreaterEqual(next_x, x + width)
                    self.assertEqual(y, next_y)

    def test_do_not_overlap(self):
        for expression in [*SMALL, "torch.zeros(1000,1000).T", "torch.randn(2,3,2).permute(0,2,1)"]:
            svg, _ = self.svg(expression)
            width, height = int(svg.get("width")), int(svg.get("height"))
            boxes = [place(g) for kind in "ep" for n in range(12) for g in elements(svg, n, kind)]
            for x, y, w, h in boxes:
                self.assertTrue(x >= 0 and x + w <= width and y >= 0 and y + h <= height)
            for (ax, ay, aw, ah), (bx, by, bw, bh) in itertools.combinations(boxes, 2):
                self.assertFalse(ax < bx + bw and bx < ax + aw and ay < by + bh and by < ay + ah, expression)

    def test_keep_colour_and_root_through_views_and_copies(self):
        for expression in [
            "x = torch.arange(12).view(3,4); y = x.T; z = y.contiguous(); w = z.to(torch.float32)",
            "x = torch.arange(12).view(3,4); y = x.flip(1); z = y[1]",
            "x = torch.arange(12).view(3,4); y = rearrange(x, 'a b -> (b a)')",
        ]:
            svg, _ = self.svg(expression)
            known = {}
            for g in [g for n in range(4) for g in elements(svg, n) + elements(svg, n, "p")]:
                text = g.find(SVG + "text").text
                known.setdefault(text, set()).add((g.get("data-root"), g.find(SVG + "rect").get("fill")))
            self.assertEqual(len(known), 12)
            for value, looks in known.items():
                self.assertEqual(len({root for root, _ in looks}), 1, (expression, value))
                self.assertEqual(len({fill for _, fill in looks if fill}), 1, (expression, value))

    def test_ranks_keep_their_colour(self):
        svg, text = self.svg(
            "torch.arange(24).view(4,6).t().contiguous()", "--mesh", "2,2", "--placements", "S(0),S(1)"
        )
        self.assertIn("by rank: (4,6) on (2,2): Shard(0), Shard(1)", text)
        fills = {}
        for step in range(3):
            for g in elements(svg, step):
                fills.setdefault(g.find(SVG + "text").text, set()).add(g.find(SVG + "rect").get("fill"))
        self.assertEqual(sorted(fills), ["0", "1", "2", "3"])
        self.assertEqual({len(of_rank) for of_rank in fills.values()}, {1})
        self.assertEqual(len(set.union(*fills.values())), 4)
        self.assertIn("1 placements must be 2", show("torch.zeros(4)", "--mesh", "2,2", "--placements", "R", expect=1))
        self.assertIn("--mesh requires --placements", show("torch.zeros(4)", "--mesh", "2", expect=2))
        self.assertIn("must be sizes", show("torch.zeros(4)", "--mesh", "a", "--placements", "R", expect=2))

    def test_bytes(self):
        svg, _ = self.svg("x = torch.tensor([1.0, 2.0]); y = x.view(torch.int16); z = y[1::2]")
        self.assertEqual([int(g.get("data-byte")) for g in elements(svg, 0)], [0, 4])
        self.assertEqual([int(g.get("data-byte")) for g in elements(svg, 1)], [0, 2, 4, 6])
        self.assertEqual([int(g.get("data-byte")) for g in elements(svg, 2)], [2, 6])
        wide, narrow = place(elements(svg, 0, "p")[1]), place(elements(svg, 1, "p")[2])
        self.assertEqual(wide[0], narrow[0])  # byte 4 stands in one place

    def test_gaps_and_repeats(self):
        svg, _ = self.svg("torch.arange(6)[::2].expand(3,3)")
        fills = [g.find(SVG + "rect").get("class") for g in elements(svg, 2, "p")]
        self.assertEqual(fills, ["c", "gap", "c", "gap", "c", "gap"])
        self.assertEqual([t.text for t in svg.iter(SVG + "text") if t.get("class") == "x"], ["×3", "×3", "×3"])


class Hostile(Case):
    CASES = (
        "torch.zeros(10**9,10**9)",
        "torch.zeros(1)[0:0]",
        "torch.zeros(0,3)",
        "torch.tensor(1)",
        "torch.zeros([1]*64)",
        "torch.zeros(2,2,2,2,2,2,2,2)",
        "torch.zeros(1).expand(10**18)",
        "torch.zeros(100000).unfold(0,50000,1)",
        "torch.zeros(64,1,1,64).permute(3,2,1,0)[:, :, :, ::-1]",
        "torch.arange(100)[::-7]",
        "torch.tensor(5).expand(2,3,4,5)",
        "torch.zeros(30,30,device='meta').T",
        "torch.zeros(5000).as_strided((50,60),(3,5),7)",
        "torch.zeros(2,3).to(torch.complex64).T",
        "torch.tensor([1e300, -1e-300, 0.1], dtype=torch.float64)",
        "torch.zeros(50,50,50,50).permute(3,1,0,2)",
        "x = torch.zeros(2); x.split(1)",
        "torch.zeros(3).bool()",
        "; ".join(f"x{i} = torch.zeros(2,2)" for i in range(60)),
    )

    def test_gives_a_small_picture(self):
        for expression in self.CASES:
            for options in ([], ["--color", "position"], ["--axis", "7"]):
                _, text = self.svg(expression, *options)
                self.assertLess(len(text), 400_000, expression)
            page = show(expression, "--html")
            self.assertLess(len(page), 400_000, expression)
            text = show(expression)
            self.assertLess(len(text), 30_000, expression)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, expression)

    def test_names_that_are_no_xml(self):
        svg, text = self.svg("x = 'a<b>&\"\x01'; torch.arange(3)  # <script>")
        self.assertNotIn("<script", text)
        page = show("repeat(torch.arange(2), 'a -> a 2') # </script><b>", "--html")
        self.assertEqual(page.count("</script>"), 2)
        self.assertIsNotNone(svg)

    def test_is_the_same_each_time(self):
        for expression in SMALL:
            self.assertEqual(self.svg(expression)[1], self.svg(expression)[1])

    def test_refused(self):
        told = show("torch.zeros(2,3", "-o", self.path("x.svg"), expect=2)
        self.assertIn("SyntaxError", told)
        self.assertFalse(os.path.exists(self.path("x.svg")))
        self.assertEqual(show("3", expect=1), "tenstride: picture: the expression must make a tensor to be drawn\n")
        self.assertEqual(
            show("torch.zeros(2)", "--what", "walk", expect=1),
            "tenstride: picture: the expression must copy by a plan to be drawn as a walk\n",
        )
        self.assertEqual(
            show("torch.zeros(2)", "--what", "atoms", expect=1),
            "tenstride: picture: the expression must end with layout operations to be drawn as a chain\n",
        )
        self.assertEqual(
            show("torch.zeros(2)", "-o", "x.gif", expect=2),
            "tenstride: show: the output (x.gif) must end in .svg, .png or .html\n",
        )
        show("torch.zeros(2)", "-o", self.path("x.svg"))
        self.assertIn("exists", show("torch.zeros(2)", "-o", self.path("x.svg"), expect=1))

    def test_refused_view_is_drawn(self):
        svg, _text = self.svg("torch.arange(12).view(2,3,2).permute(0,2,1).view(-1)", expect=1)
        words = [t.text for t in svg.iter(SVG + "text")]
        self.assertIn("refused: axes 1 and 2 would merge, but a step along axis 1 moves 1, not 6", words)
        steps = [t for t in words if t and t[0] in "+−" and t[1:].isdigit()]
        self.assertEqual(steps, ["+2", "+2", "−3", "+2", "+2", "+1", "+2", "+2", "−3", "+2", "+2"])


class Walk(Case):
    def test_visits_each_element_once_on_both_sides(self):
        svg, _ = self.svg("torch.arange(24).view(4,6).t().contiguous()", "--what", "walk")
        visits = [g for g in svg.iter(SVG + "g") if g.get("class") == "visit"]
        source, destination = visits[:24], visits[24:]
        self.assertEqual(sorted(int(g.get("data-position")) for g in source), list(range(24)))
        self.assertEqual(sorted(int(g.get("data-position")) for g in destination), list(range(24)))
        for read, written in zip(source, destination):
            self.assertEqual(read.get("data-visit"), written.get("data-visit"))
            position = int(written.get("data-position"))
            self.assertEqual(int(read.get("data-position")), position % 4 * 6 + position // 4)


class Terminal(Case):
    def test_is_as_it_was(self):
        kept = (ROOT / "tests/data/pictures.txt").read_text()
        drawn = ""
        for block in kept.split("$ ")[1:]:
            command = block.splitlines()[0]
            expression, *options = re.findall(r"'([^']*)'|(\S+)", command)
            words = [a or b for a, b in [expression, *options]]
            run = subprocess.run([TOOL, "show", *words], capture_output=True, text=True)
            drawn += f"$ {command}\n{run.stdout}"
        self.assertEqual(drawn, kept)

    def test_colour_is_for_terminals(self):
        self.assertNotIn("\033", show("torch.arange(3)"))
        for variables, is_coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            leader, follower = pty.openpty()
            subprocess.run(
                [TOOL, "show", "torch.arange(3)"],
                stdout=follower,
                check=True,
                env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **variables},
            )
            os.close(follower)
            text = read_terminal(leader).decode()
            self.assertEqual("\033[48;5;" in text, is_coloured)

    def test_respects_the_width(self):
        for width in (40, 60, 132):
            for expression in [
                "torch.randn(8,12)",
                "torch.arange(60).view(3,4,5).permute(2,0,1)",
                "torch.zeros(3,3,4,6)",
            ]:
                lines = show(expression, "--width", str(width)).splitlines()
                self.assertLessEqual(max(map(len, lines)), width, (expression, width))

    def test_explain_draws_too(self):
        run = subprocess.run(
            [TOOL, "explain", "torch.arange(6).view(2,3).T", "--picture"], capture_output=True, text=True
        )
        self.assertEqual(run.returncode, 0)
        plain = subprocess.run([TOOL, "explain", "torch.arange(6).view(2,3).T"], capture_output=True, text=True).stdout
        self.assertEqual(run.stdout, plain + "\n" + show("torch.arange(6).view(2,3).T"))

    def test_file(self):
        data = bytes(range(6))
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        path = pathlib.Path(self.path("six.npy"))
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)
        self.assertIn("six.npy", show(str(path)))
        self.assertIn("(3,2):(1,3)+0", show("x.T", "--input", str(path)))


class Png(Case):
    def test_is_written_or_its_lack_explained(self):
        # What fontconfig keeps until the end is no leak of ours.
        env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        run = subprocess.run(
            [TOOL, "show", "torch.arange(6).view(2,3)", "-o", self.path("x.png")],
            capture_output=True,
            text=True,
            env=env,
        )
        if run.returncode != 0:
            self.assertEqual(
                run.stderr,
                "tenstride: show: PNG is written by librsvg, which is not installed (apt-get install librsvg2-2); "
                "write an .svg, which needs nothing and every browser shows\n",
            )
            return
        raw = pathlib.Path(self.path("x.png")).read_bytes()
        svg, _ = self.svg("torch.arange(6).view(2,3)")
        self.assertEqual(raw[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(raw[16:20], "big"), 2 * int(svg.get("width")))
        self.assertEqual(int.from_bytes(raw[20:24], "big"), 2 * int(svg.get("height")))


class Page(Case):
    def test_follows_an_element(self):
        programs = chromium.programs()
        if not programs:
            self.skipTest(chromium.MISSING)
        page = self.folder / "steps.html"
        show("x = torch.arange(12).view(3,4); y = x.permute(1,0); z = y.contiguous()", "--html", "-o", str(page))
        self.assertNotRegex(page.read_text().replace("http://www.w3.org/2000/svg", ""), "https?://|@import|src=")
        with chromium.Chromium(*programs) as browser:
            browser.open(page.as_uri())
            x, y = (
                browser.script("""const b = document.querySelector('.e[data-step="1"][data-index="2,1"]').getBoundingClientRect();
                                      return [Math.round(b.x + b.width / 2), Math.round(b.y + b.height / 2)];""")
            )
            browser.hover(x, y)
            tip = "return document.querySelector('#tip').textContent"
            self.assertEqual(browser.script(tip), "index (2,1)\nposition 6\nbyte 48 of storage A")
            rows = browser.script(
                "return [...document.querySelectorAll('#panel tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
            )
            self.assertEqual(
                rows,
                [
                    ["x = torch.arange(12).view(3,4)", "(1,2)", "6", "48 of A"],
                    ["y = x.permute(1,0)", "(2,1)", "6", "48 of A"],
                    ["z = y.contiguous()", "(2,1)", "7", "56 of B"],
                ],
            )
            marked = "return [...document.querySelectorAll('.same,.chosen')].map(c => [c.classList[0], c.dataset.step, c.dataset.position])"
            self.assertEqual(
                sorted(browser.script(marked), key=lambda m: m[1]),
                [["e", "0", "6"], ["p", "0", "6"], ["e", "1", "6"], ["p", "1", "6"], ["e", "2", "7"], ["p", "2", "7"]],
            )
            if os.environ.get("TENSTRIDE_SCREENSHOT"):
                browser.screenshot(pathlib.Path(os.environ["TENSTRIDE_SCREENSHOT"]))
            browser.press("\ue012")  # left
            self.assertEqual(browser.script(tip), "index (2,0)\nposition 2\nbyte 16 of storage A")
            browser.press("\ue015")  # down
            self.assertEqual(browser.script(tip), "index (3,0)\nposition 3\nbyte 24 of storage A")
            browser.press("\ue00c")  # escape
            self.assertEqual(browser.script(marked), [])
            self.point_at_each_kind(browser)

    def point_at_each_kind(self, browser):
        """One element of each name and class that is no part of a cell: at most one cell is marked, nothing is thrown."""
        kinds = browser.script("""const kinds = new Map();
            for (const e of document.querySelectorAll("figure svg *")) {
              const box = e.getBoundingClientRect(), key = e.tagName + "." + e.getAttribute("class");
              if (e.closest("g.e,g.p") === null && box.width && box.height && !kinds.has(key)) kinds.set(key, e);
            }
            return [...kinds].map(([key, e]) => {
              const b = e.getBoundingClientRect();
              return [key, Math.round(b.x + b.width / 2), Math.round(b.y + b.height / 2)];
            });""")
        self.assertIn("text.p", [key for key, _, _ in kinds])  # the positions under the storage
        for key, x, y in kinds:
            browser.hover(x, y)
            chosen = browser.script("return document.querySelectorAll('.chosen').length")
            self.assertLessEqual(chosen, 1, key)
        self.assertEqual(browser.complaints(), [])


class Documents(Case):
    def test_pictures_are_what_the_program_draws(self):
        subprocess.run([str(ROOT / "scripts/pictures.sh"), TOOL, str(self.folder)], check=True, capture_output=True)
        drawn = sorted(self.folder.iterdir())
        self.assertTrue(drawn)
        for picture in drawn:
            text = picture.read_text()
            xml.etree.ElementTree.fromstring(text)
            self.assertLess(len(text), 100_000, picture.name)
            kept = ROOT / "docs/images" / picture.name
            self.assertTrue(
                kept.exists() and kept.read_text() == text, f"{picture.name}: run make pictures and look at it"
            )

    def test_memory_model_says_what_the_program_says(self):
        document = ROOT / "docs/memory-model.md"
        text = document.read_text()
        self.assertGreater(len(re.findall(r"```\n\$ tenstride ", text)), 6)
        run = subprocess.run(
            [sys.executable, "-B", str(ROOT / "scripts/outputs.py"), "--check", TOOL, str(document)],
            capture_output=True,
            text=True,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        for image in re.findall(r"\((images/[^)]+)\)", text):
            self.assertTrue((ROOT / "docs" / image).exists(), image)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    TOOL = str(arguments.bin / "tenstride")
    unittest.main(argv=[sys.argv[0], *rest])
