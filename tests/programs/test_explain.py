#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenstride explain and repl from outside: strict mode, piped lines, a terminal; and the outputs in the documents are
what the program prints."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from cli_case import HANGS
from terminal import at_terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ""


def run(*arguments, text="", code=0):
    done = subprocess.run([TOOL, *arguments], input=text, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


class Strict(unittest.TestCase):
    maxDiff = None

    def test_a_scramble_is_a_failure_with_the_whole_text(self):
        expression = "torch.arange(6).view(2,3).reshape(3,2)"
        self.assertIn("note: the sizes (2,3) are reordered to (3,2)", run("explain", expression))
        text = run("explain", expression, "--strict", code=1)
        self.assertTrue(
            text.endswith("""
RuntimeError: reshape: the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; probably meant: .transpose(0, 1)
  at      reshaped to (3,2)   .transpose(0, 1)
  [0,1]   1  from [0,1]       3  from [1,0]
  [1,0]   2  from [0,2]       1  from [0,1]
  [1,1]   3  from [1,0]       4  from [1,1]
  4 of 6 places hold another element; if that is meant, a comment `# as meant` in the line says so
  torch.arange(6).view(2,3).reshape(3,2)
                           ^~~~~~~~~~~~~
"""),
            text,
        )
        run("explain", expression + "  # as meant", "--strict")

    def test_json_has_the_facts(self):
        error = json.loads(run("explain", "torch.arange(6).view(2,3).reshape(3,2)", "--strict", "--json", code=1))[
            "error"
        ]
        self.assertEqual(error["scramble"]["meant"], ".transpose(0, 1)")
        self.assertEqual(
            error["scramble"]["places"][0],
            {"index": [0, 1], "reshaped_from": [0, 1], "meant_from": [1, 0], "found": "1", "meant": "3"},
        )
        steps = json.loads(run("explain", "torch.arange(60).view(3,4,5).view(4,15)", "--json"))["steps"]
        scramble = steps[-1]["scramble"]
        self.assertEqual(list(scramble), ["from", "to", "split", "order", "certainty", "meant", "places", "differing"])
        self.assertEqual((scramble["split"], scramble["order"]), ([3, 4, 5], [1, 0, 2]))
        self.assertEqual((scramble["certainty"], scramble["differing"]), ("likely", 50))


class Measured(unittest.TestCase):
    """What was measured beside what was foretold."""

    def test_the_ways_of_a_copy_are_run(self):
        expression = "torch.zeros(300, 50, 70).permute(2, 1, 0).contiguous()"
        text = run("explain", expression, "--plan", "--measure")
        self.assertRegex(
            text, "\n    measured  foretold  times a plain copy, which takes .*\n +[0-9.]+ +[0-9.]+  [a-z]+"
        )
        step = json.loads(run("explain", expression, "--plan", "--measure", "--json"))["steps"][2]
        ways = step["plans"][0]["measured"]
        self.assertEqual(set(ways[0]), {"way", "variation", "foretold", "measured", "seconds"})
        self.assertEqual(ways, sorted(ways, key=lambda way: way["seconds"]))
        self.assertIn(step["plans"][0]["kernel"], " ".join(way["way"] for way in ways))

    def test_what_is_too_large_is_not_run(self):
        expression = "torch.zeros(50000, 20000).t().contiguous()"
        self.assertIn(
            "\n    not measured: both sides need 7.5 GiB of memory, more than 4.0 GiB\n",
            run("explain", expression, "--plan", "--measure"),
        )
        step = json.loads(run("explain", expression, "--plan", "--measure", "--json"))["steps"][2]
        self.assertIsNone(step["plans"][0]["measured"])

    def test_it_goes_with_plans_of_this_machine(self):
        def said(*arguments):
            command = [TOOL, "explain", "torch.zeros(3)", "--measure", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            return done.stderr

        self.assertEqual(said(), "tenstride: explain: --measure must go with --plan\n")
        self.assertIn("--machine excludes --measure", said("--plan", "--machine", "zen5"))


class Files(unittest.TestCase):
    """The plan of a chain on a .npy file from file to file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name) / "x.npy")
        text = "{'descr': '|u1', 'fortran_order': False, 'shape': (300, 500), }"
        header = text + " " * (117 - len(text)) + "\n"
        pathlib.Path(self.path).write_bytes(
            b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(150000)
        )

    def test_it_stands_behind_the_plans_of_copies(self):
        arguments = ("explain", "x.T.contiguous()", "--input", self.path, "--plan")
        text = run(*arguments, "--max-mem", "256M")
        self.assertLess(text.index("plan of step 2"), text.index("plan from file to file"))
        self.assertIn(
            "\nplan from file to file within 256.0 MiB:\n"
            "axes    source (500,300):(1,500)+0, 1 B each; destination (500,300):(300,1)+0, 1 B each\npass 1  ",
            text,
        )
        self.assertRegex(
            run(*arguments),
            "\nplan from file to file within .* \\(half of the free memory; --max-mem sets it\\):\naxes",
        )
        plan = json.loads(run(*arguments, "--max-mem", "256M", "--json"))["file_plan"]
        self.assertEqual((plan["limit"], len(plan["stages"])), (256 << 20, 1))

    def test_it_is_left_out_where_there_is_none(self):
        for expression in ("x.abs()", "x.T + 1", "x.T.shape"):
            self.assertNotIn("file to file", run("explain", expression, "--input", self.path, "--plan"), expression)
        self.assertNotIn("file to file", run("explain", "x.T.contiguous()", "--input", self.path))
        self.assertNotIn("file to file", run("explain", "y.T.contiguous()", "--input", "y=" + self.path, "--plan"))

    def test_the_limit_is_checked(self):
        def said(*arguments):
            command = [TOOL, "explain", "x.T", "--input", self.path, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            return done.stderr

        self.assertEqual(said("--max-mem", "1G"), "tenstride: explain: --max-mem must go with --plan\n")
        self.assertIn('explain: --max-mem: "much" must be a number of bytes', said("--max-mem", "much", "--plan"))
        self.assertRegex(
            said("--max-mem", "1M", "--plan"),
            "^tenstride: explain: --max-mem 1048576 must leave at least [0-9]+ bytes for buffers\n$",
        )


class Opened(unittest.TestCase):
    """Files that the notation opens."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = str(self.folder / "x.npy")
        text = "{'descr': '|u1', 'fortran_order': False, 'shape': (300, 500), }"
        header = text + " " * (117 - len(text)) + "\n"
        pathlib.Path(self.path).write_bytes(
            b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(149999) + b"\x05"
        )

    def test_the_layout_of_a_file_begins_a_chain(self):
        text = run("explain", f'open("{self.path}").T.contiguous()')
        self.assertIn("  (300,500):(500,1)+0  uint8  contiguous      file  146.5 KiB: mapped\n", text)
        self.assertIn("the value is left out: of a file that is opened the layout alone is read\n", text)
        step = json.loads(run("explain", f'open("{self.path}")', "--json"))["steps"][0]
        self.assertEqual((step["op"], step["kind"], step["reason"]), ("open", "file", "mapped"))

    def test_one_of_several_is_named(self):
        zarr = str(self.folder / "x.zarr")
        subprocess.run(
            [TOOL, "convert", self.path, "x", "-o", zarr + "::a/b", "--chunks", "100,500", "--codec", "none"],
            check=True,
            capture_output=True,
        )
        for text in (f'open("{zarr}")["a/b"].T', f'open("{zarr}::a/b").T', f'open("{zarr}").T'):
            self.assertIn("file  146.5 KiB: in chunks of (100,500)\n", run("explain", text))
        self.assertIn('did you mean "a/b"?', run("explain", f'open("{zarr}")["a/c"]', code=1))

    def test_elements_are_read_where_they_are_needed(self):
        self.assertIn("\n5\n", run("explain", f'open("{self.path}").max().item()'))
        self.assertIn("\n5\n", run("repl", text=f'x = open("{self.path}")\nx[-1, -1].item()\n'))

    def test_a_picture_shows_the_file(self):
        self.assertIn("file: storage A, 146.5 KiB", run("show", f'open("{self.path}")'))

    def test_what_cannot_be_opened_is_told_at_its_place(self):
        text = run("explain", 'open("none.npy").T', code=1)
        self.assertIn('open: "none.npy" must ', text)
        self.assertTrue(text.endswith('\n  open("none.npy").T\n  ^~~~~~~~~~~~~~~~\n'), text)


class Repl(unittest.TestCase):
    maxDiff = None

    def test_lines_of_a_pipe_are_carried_out_without_prompts(self):
        self.assertEqual(
            run("repl", text="x = torch.arange(6).view(2,3)\n\n# a comment\nx.T.shape\n"),
            """\
1  torch.arange(6)  (6):(1)+0      int64  contiguous  new   48 B
2  .view(2,3)       (2,3):(3,1)+0  int64  contiguous  view
3  .T  (3,2):(1,3)+0  int64  not contiguous  view  axes out of order

torch.Size([3, 2])
""",
        )

    def test_a_failing_line_gives_exit_code_1_and_the_next_is_carried_out(self):
        text = run("repl", text="x = torch.zeros(2).vieww\ny = 3\ny\n", code=1)
        self.assertIn("did you mean 'view'?", text)
        self.assertTrue(text.endswith("\n3\n"), text)
        run("repl", text=":nonsense\n", code=1)

    def test_open_brackets_go_on_in_the_next_line(self):
        self.assertEqual(run("repl", text="(1 +\n2)\n"), "3\n")
        run("repl", text="(1 +\n", code=1)

    def test_a_block_is_refused_line_by_line(self):
        text = run("repl", text="for i in [1]:\n    y = 2\n1 + 1\n", code=1)
        self.assertIn("'for' of Python is not part of the notation", text)
        self.assertTrue(text.endswith("\n2\n"), text)
        self.assertEqual(run("repl", text=">>> x = (3 +\n... 1)\n>>> x\n"), "4\n")

    def test_commands(self):
        text = run(
            "repl",
            text="x = torch.zeros(2,3).T; n = 4\n:names\n:help\n:plan on\nx.contiguous().shape\n:quit\nnot reached\n",
        )
        self.assertIn("n  int\nx  (3,2):(1,3)+0  float32  not contiguous\n", text)
        self.assertIn(":picture on | off", text)
        self.assertIn("plan of step 3, .contiguous():", text)

    def test_a_picture_is_drawn_where_it_is_asked_for(self):
        plain = run("repl", text="x = torch.arange(6).view(2,3)\n")
        drawn = run("repl", "--picture", text="x = torch.arange(6).view(2,3)\n")
        self.assertTrue(drawn.startswith(plain))
        self.assertIn("(2,3):(3,1)+0", drawn[len(plain) :])

    def test_strict(self):
        run("repl", "--strict", text="torch.zeros(2,3).view(3,2)\n", code=1)
        run("repl", "--strict", text="torch.zeros(2,3).view(3,2) # as meant\n")

    def test_a_terminal_has_history_and_completion(self):
        if not has_editor():
            return  # the test below reads plain lines
        with tempfile.TemporaryDirectory() as state:
            keys = ["x = torch.arange(6)\r", "x.is_contig\t()\r", "\x1b[A\r", "x.vie\x03", "1 + 1\r", ":quit\r"]
            output, code = at_terminal(TOOL, "repl", keys=keys, XDG_STATE_HOME=state)
            self.assertEqual(code, 0, output)
            self.assertIn("x.is_contiguous()", output)
            self.assertGreaterEqual(output.count("True"), 2, output)  # the second one from the history
            self.assertIn("2\n", output)
            kept = pathlib.Path(state, "tenstride", "history").read_text()
            self.assertIn("torch.arange(6)", kept.replace("\\040", " "))

    def test_a_terminal_has_prompts_and_forgives(self):
        output, code = at_terminal(TOOL, "repl", keys=["x = torch.arange(6)\r", "x.vieww\r", "x.shape\r", ":quit\r"])
        self.assertEqual(code, 0, "a failing line is no failure where somebody sits: " + output)
        self.assertGreaterEqual(output.count(">>> "), 4)
        self.assertIn("torch.Size([6])", output)


def has_editor():
    return "libedit" in subprocess.run(["ldd", TOOL], capture_output=True, text=True).stdout


def blocks(document):
    """Each `$ tenstride explain …` or `$ tenstride repl` with what stands below it up to the next prompt or fence."""
    command, output, inside = None, [], False
    for line in [*(ROOT / document).read_text().splitlines(), "```"]:
        if line.startswith("```") or (inside and line.startswith("$ ")):
            if command is not None:
                yield command, "\n".join(output).rstrip() + "\n"
            command, output = None, []
            if line.startswith("```"):
                inside = not inside
                continue
        if inside and line.startswith(("$ tenstride explain", "$ tenstride repl")):
            command = line[2:]
        elif command is not None:
            output.append(line)


class Documents(unittest.TestCase):
    maxDiff = None

    def test_print_what_the_program_prints(self):
        """A line `…` stands for lines that are left out."""
        found = 0
        for document in [
            "README.md",
            "docs/explain.md",
            "docs/chains.md",
            "docs/cli.md",
        ]:
            for command, expected in blocks(document):
                found += 1
                words = shlex.split(command)[1:]
                typed = ""
                if words[0] == "repl":
                    prompts = (">>> ", "... ")
                    lines = [line for line in expected.splitlines() if line != "..."]
                    typed = "".join(line[4:] + "\n" for line in lines if line.startswith(prompts))
                    expected = "".join(line + "\n" for line in lines if not line.startswith(prompts))
                done = subprocess.run([TOOL, *words], input=typed, capture_output=True, text=True, timeout=HANGS)
                actual = done.stdout.rstrip() + "\n"
                if words[0] == "repl":  # where a line ends is not told in the output
                    actual, expected = actual.replace("\n\n", "\n"), expected.replace("\n\n", "\n")
                with self.subTest(document=document, command=command):
                    at = 0
                    for part in expected.split("…\n"):
                        part = part.strip("\n")
                        self.assertIn(part, actual[at:], actual)
                        at = actual.index(part, at) + len(part)
                    if "…\n" not in expected:
                        self.assertEqual(actual, expected)
        self.assertGreater(found, 8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    options, rest = parser.parse_known_args()
    TOOL = str(pathlib.Path(options.bin).absolute() / "tenstride")
    unittest.main(argv=[sys.argv[0], *rest])
