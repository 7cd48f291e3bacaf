# SPDX-License-Identifier: Apache-2.0
"""What the program prints at a terminal: as wide as that is, in its characters; and what it reads there."""

import argparse
import os
import subprocess
import sys
import unittest

from terminal import at_terminal

TOOL = ""
MARK = "\ufeff"


LONG = "torch.arange(24).view(2,3,4).permute(2,0,1).reshape(-1)"


class Folding(unittest.TestCase):
    def test_long_lines_go_on_under_the_last_column(self):
        text, code = at_terminal(TOOL, "explain", LONG, COLUMNS="90", LC_ALL="C.UTF-8")
        self.assertEqual(code, 0, text)
        lines = text.splitlines()
        self.assertTrue(all(len(line) <= 90 for line in lines), text)
        row = next(i for i, line in enumerate(lines) if ".reshape(-1)" in line)
        self.assertEqual(lines[row + 1].index(lines[row + 1].strip()), lines[row].index("384 B moved"))

    def test_the_words_are_those_of_a_pipe(self):
        piped = subprocess.run(
            [TOOL, "explain", LONG], capture_output=True, text=True, env={**os.environ, "COLUMNS": "60"}
        )
        self.assertTrue(any(len(line) > 90 for line in piped.stdout.splitlines()), "a pipe is not folded")
        for width in ("40", "60", "100", "1000"):
            text, _ = at_terminal(TOOL, "explain", LONG, COLUMNS=width, LC_ALL="C.UTF-8")
            self.assertEqual(text.split(), piped.stdout.split())
        self.assertEqual(text, piped.stdout)

    def test_a_line_with_a_caret_below_stays(self):
        broken = "torch.arange(24).view(2,3,4).transpose(0,2).permute(0,1,2).wiew(3)"
        text, _ = at_terminal(TOOL, "explain", broken, COLUMNS="50", LC_ALL="C.UTF-8")
        self.assertIn(f"  {broken}\n  {' ' * broken.index('wiew')}^", text)


class Encoding(unittest.TestCase):
    def test_a_terminal_without_utf8_gets_ascii(self):
        for command in (
            ["show", "torch.arange(6).view(2,3).T"],
            ["explain", "--picture", "torch.arange(6).view(2,3).T"],
        ):
            text, code = at_terminal(TOOL, *command, LC_ALL="C")
            self.assertEqual(code, 0, text)
            self.assertTrue(text.isascii(), text)
            self.assertNotIn("?", text)
            self.assertIn("+--", text)
            told, _ = at_terminal(TOOL, *command, LC_ALL="C.UTF-8")
            self.assertIn("┌─", told)
            self.assertEqual([len(line) for line in text.splitlines()], [len(line) for line in told.splitlines()])

    def test_so_do_its_errors(self):
        text, _ = at_terminal(TOOL, "explain", "x.zeross", LC_ALL="C")
        self.assertTrue(text.isascii(), text)
        text, _ = at_terminal(TOOL, "explain", "torch.zeros", LC_ALL="C")
        self.assertIn("must be called: torch.zeros(...)", text)

    def test_a_pipe_gets_utf8(self):
        done = subprocess.run(
            [TOOL, "show", "torch.arange(6).view(2,3)"], capture_output=True, env={**os.environ, "LC_ALL": "C"}
        )
        self.assertIn("┌─", done.stdout.decode())


class Repl(unittest.TestCase):
    def test_ctrl_c_at_an_empty_prompt_gives_another(self):
        text, code = at_terminal(TOOL, "repl", keys=["\x03", "\x03", "20 + 22\r", ":quit\r"])
        self.assertEqual(code, 0, text)
        self.assertIn("42\n", text)

    def test_ctrl_c_gives_up_a_line(self):
        text, code = at_terminal(TOOL, "repl", keys=["x = 1\r", "x = 2\x03", "x + 40\r", ":quit\r"])
        self.assertEqual(code, 0, text)
        self.assertIn("41\n", text)

    def test_ctrl_c_gives_up_open_brackets(self):
        keys = ["x = 1\r", "x = (1 +\r", "  2\r", "\x03", "x + 40\r", ":quit\r"]
        text, code = at_terminal(TOOL, "repl", keys=keys)
        self.assertEqual(code, 0, text)
        self.assertIn("41\n", text)


class ByteOrderMark(unittest.TestCase):
    def test_is_skipped(self):
        for command in (["explain", "-"], ["repl"]):
            plain = subprocess.run([TOOL, *command], input=b"torch.zeros(3).sum()\n", capture_output=True)
            marked = subprocess.run(
                [TOOL, *command], input=(MARK + "torch.zeros(3).sum()\n").encode(), capture_output=True
            )
            self.assertEqual((marked.stdout, marked.returncode), (plain.stdout, 0))


class BeyondTheNotation(unittest.TestCase):
    def test_the_error_says_what_runs_python(self):
        done = subprocess.run([TOOL, "explain", "-"], input=b"import numpy as np\nnp.zeros(3)\n", capture_output=True)
        self.assertEqual(done.returncode, 2)
        last = done.stdout.decode().splitlines()[-1]
        self.assertEqual(last, "this is Python beyond the notation: python -m tenstride explain FILE runs it")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    given, others = parser.parse_known_args()
    TOOL = os.path.join(given.bin, "tenstride")
    unittest.main(argv=[sys.argv[0], *others])
