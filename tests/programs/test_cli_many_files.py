#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders and patterns of files by the program from outside: their table, and one tensor of them."""

import json

from cli_case import Case, main, npy, png, read_npy


class ManyFiles(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "frames").mkdir()
        for number in range(12):
            values = [100 * number + i for i in range(6)]
            self.write(f"frames/t{number}.npy", npy((2, 3), values, "h", "<i2"))
        self.pattern = "frames/t*.npy"

    def info(self, *arguments, **extra):
        return self.run_tool("info", *arguments, **extra)

    def test_a_table_of_the_files_of_a_pattern(self):
        run = self.info("frames/t?.npy")
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["frames/t0.npy", "int16", "(2,3)", "12", "B", "npy", "1.0"])
        self.assertEqual([line.split()[0] for line in lines[:10]], [f"frames/t{i}.npy" for i in range(10)])
        self.assertEqual(
            lines[10:], ["10 files, 120 B; convert 'frames/t?.npy' makes one tensor of them, (10,2,3) int16"]
        )

    def test_numbers_in_names_count_as_numbers(self):
        names = [
            entry["path"].rsplit("/")[-1] for entry in json.loads(self.info(self.pattern, "--json").stdout)["files"]
        ]
        self.assertEqual(names, [f"t{i}.npy" for i in range(12)])

    def test_a_folder_tells_what_is_no_array_by_its_number(self):
        self.write("frames/notes.txt", b"text")
        self.write("frames/photo.png", png(2, 1, [1, 2, 3, 4, 5, 6]))
        run = self.info("frames")
        self.assertIn("13 files, 150 B, and 1 of no known kind\n", run.stdout)
        self.assertIn("(1,2,3)", run.stdout)

    def test_a_damaged_file_has_its_line(self):
        self.write("frames/broken.npy", npy((2, 3), [1, 2], "h", "<i2"))
        run = self.info("frames", code=1)
        self.assertIn("must hold 12 (shape (2,3), int16): 8 are missing", run.stdout)
        files = json.loads(self.info("frames", "--json", code=1).stdout)["files"]
        self.assertEqual([("error" in entry) for entry in files].count(True), 1)

    def test_several_files_by_their_names(self):
        run = self.info("frames/t3.npy", "frames/t4.npy", "--checksum")
        self.assertEqual(len(run.stdout.splitlines()), 3)
        self.assertRegex(run.stdout.splitlines()[0], "[0-9a-f]{32}$")

    def test_a_folder_without_arrays(self):
        (self.folder / "empty").mkdir()
        run = self.info("empty", code=1)
        self.assertIn("must be a folder with files of a known kind (npy, PNG, ", run.stderr)

    def test_convert_stacks_the_files_of_a_pattern(self):
        for limit in ([], ["--max-mem", "512M"]):
            self.run_tool("convert", self.pattern, "x.permute(1, 2, 0)", "-o", "out.npy", "--verify", "--force", *limit)
            header, values = read_npy(self.folder / "out.npy", "h")
            self.assertEqual(header["shape"], (2, 3, 12))
            expected = [100 * number + 3 * i + j for i in range(2) for j in range(3) for number in range(12)]
            self.assertEqual(values, expected)

    def test_a_pattern_that_the_shell_has_replaced(self):
        for names in (["frames/t0.npy", "frames/t1.npy"], ["frames/t0.npy", "frames/t1.npy", "frames/t2.npy"]):
            self.fails(
                2,
                'SPEC: "frames/t1.npy" is a file, which must be an expression; several files are one input where their '
                "pattern stands in quotes ('frames/*.tif')",
                *("convert", *names, "-o", "out.npy"),
            )

    def test_a_pattern_is_shown_and_explained(self):
        self.assertIn("(12,2,3)", self.run_tool("show", self.pattern).stdout)
        run = self.run_tool("explain", "x.permute(1,2,0)", "--input", self.pattern)
        self.assertIn("(2,3,12):(3,1,6)+0", run.stdout)
        self.run_tool("show", "torch.arange(6).view(2,3)[0] * 2")

    def test_one_of_the_files_is_not_replaced(self):
        run = self.run_tool("convert", self.pattern, "x", "-o", "frames/t3.npy", "--force", code=2)
        self.assertIn("must not be the input", run.stderr)
        self.assertEqual(read_npy(self.folder / "frames/t3.npy", "h")[1], [300 + i for i in range(6)])


if __name__ == "__main__":
    main()
