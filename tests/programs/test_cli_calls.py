#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls of the program that are wrong, or fail, and the manual of all calls. Needs nothing but Python."""

import json
import pathlib
import re

from cli_case import Case, main, png


class WrongCalls(Case):
    def told(self, code, *words):
        """What is said on standard error by a call that ends with the code, and on standard output."""
        done = self.run_tool(*words, code=code)
        return done.stderr, done.stdout

    def test_a_word_that_is_no_command_lists_those_there_are(self):
        said, printed = self.told(2, "photo.png", "x", "-o", "b.npy")
        self.assertTrue(said.startswith("tenstride: no command 'photo.png'; there are convert, explain, "), said)
        self.assertEqual(printed, "")

    def test_a_word_that_is_nearly_a_command_is_told_which(self):
        said, printed = self.told(2, "convrt", "a.png", "x", "-o", "b.npy")
        self.assertTrue(said.startswith("tenstride: no command 'convrt'; did you mean 'convert'?"), said)
        self.assertEqual(printed, "")

    def test_a_file_whose_name_begins_with_a_dash_is_told_how_to_be_named(self):
        said, _ = self.told(2, "convert", "-dash.jpg", "x", "-o", "b.npy")
        self.assertIn("'-dash.jpg' begins as an option does; a file of that name is ./-dash.jpg", said)
        self.write("-dash.png", png(1, 1, [1, 2, 3]))
        self.run_tool("convert", "./-dash.png", "x", "-o", "b.npy")

    def test_numbers_below_zero_are_no_files(self):
        said, _ = self.told(2, "convert", "a.png", "x", "-o", "b.npy", "--shift", "-1.5", "--nothing")
        self.assertNotIn("begins as an option does", said)

    def test_failures_are_json_where_that_is_asked_for(self):
        for code, words in (
            (1, ("convert", "nothing.png", "x", "-o", "b.npy")),
            (2, ("convert", "a.png", "x.nothing(", "-o", "b.npy")),
            (2, ("convert", "a.png", "x")),
            (1, ("info", "nothing.npy")),
        ):
            self.write("a.png", png(1, 1, [1, 2, 3]))
            said, printed = self.told(code, *words, "--json")
            told = json.loads(printed)
            self.assertEqual(told["exit_code"], code)
            self.assertEqual(said, f"tenstride: {told['error']}\n")

    def test_what_exists_is_replaced_by_force(self):
        self.write("a.png", png(1, 1, [1, 2, 3]))
        self.run_tool("convert", "a.png", "x", "-o", "b.npy")
        said, _ = self.told(1, "convert", "a.png", "x", "-o", "b.npy")
        self.assertIn("(--force replaces it)", said)
        self.run_tool("convert", "b.npy", "x.permute(1,0,2)", "-o", "c.npy")
        said, _ = self.told(1, "convert", "b.npy", "x.permute(1,0,2)", "-o", "c.npy", "--max-mem", "64M")
        self.assertIn("(--force replaces it)", said)
        self.run_tool("convert", "a.png", "x", "-o", "b.npy", "--force")


class Manual(Case):
    """docs/tenstride.1 beside what the program says of itself."""

    PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tenstride.1"

    def commands(self):
        listed = self.run_tool("--help").stdout.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
        return re.findall(r"^  (\w+) ", listed, re.MULTILINE)

    def test_has_every_command_and_every_option(self):
        page = self.PAGE.read_text(encoding="utf-8").replace("\\-", "-")
        parts = re.split(r"^\.S[SH] ", page, flags=re.MULTILINE)
        self.assertGreaterEqual(len(self.commands()), 7)
        for command in self.commands():
            section = [part for part in parts if re.match(rf"{command}\b", part)]
            self.assertEqual(len(section), 1, command)
            told = self.run_tool(command, "--help").stdout
            options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", told.partition("\nExamples:")[0], re.MULTILINE)
            self.assertIn("--help", options)
            for option in options:
                if option != "--help":  # of every command: said once
                    self.assertRegex(section[0], rf"{option}(?![\w-])", f"{command} {option}")

    def test_has_no_option_that_there_is_not(self):
        page = self.PAGE.read_text(encoding="utf-8").replace("\\-", "-")
        helps = [self.run_tool(*command, "--help").stdout for command in ([], *([one] for one in self.commands()))]
        known = set(re.findall(r"--[a-z][\w-]*", "\n".join(helps)))
        self.assertLessEqual(set(re.findall(r"--[a-z][\w-]*", page)), known)


if __name__ == "__main__":
    main()
