#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program tenstride from outside: exit codes, whole messages, JSON. Needs nothing but Python."""

import json
import os
import pathlib
import pty
import shutil
import subprocess

from cli_case import HANGS, Case, main, npy
from terminal import read_terminal

FAMOUS = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead."
)


class Calls(Case):
    def test_help_and_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^tenstride \d+\.\d+\.\d+\nreads npy .*\nwrites npy .*\n$")
        self.assertIn("tenstride convert photo.jpg", self.run_tool("--help").stdout)
        for command in ("convert", "explain", "explore", "info", "bench", "completion"):
            self.assertIn("Examples:", self.run_tool(command, "--help").stdout)

    def test_wrong_calls_exit_with_2(self):
        self.fails(2, "A subcommand is required\nSee tenstride --help.")
        self.run_tool("unheard-of", code=2)
        self.run_tool("convert", "a.npy", "x", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--order", "K", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--threads", "0", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--dry-run", "--verify", code=2)
        self.fails(2, 'completion: "tcsh" must be bash, zsh or fish', "completion", "tcsh")

    def test_a_disk_is_measured_and_kept(self):
        done = self.run_tool("bench", "--disk", self.folder)
        self.assertRegex(
            done.stdout,
            r"^reading  +\d+\.\d\d GB/s \(half of it in runs of \d+\.\d kB, \.80 in runs of \d+\.\d kB\)\n"
            r"writing  +\d+\.\d\d GB/s \(half of it in runs of \d+\.\d kB, \.80 in runs of \d+\.\d kB\)\n"
            r"a request  +\d+\.\d us\n"
            r"contention  +[0-3]\.\d\d \(1: reads and writes share the speed; 0: neither slows the other; above 1: together they lose some\)\n"
            r"(past|through) the page cache.*\n"
            r"kept in .*/tenstride/disks\n$",
        )
        rates = json.loads(self.run_tool("bench", "--disk", self.folder, "--json").stdout)
        self.assertEqual(
            sorted(rates),
            ["contention", "page", "read_bytes_per_second", "seconds_per_request", "write_bytes_per_second"],
        )
        self.fails(2, "--threads excludes --disk\nSee tenstride --help.", "bench", "--threads", "1", "--disk", ".")
        none = 'bench: "/none" must be a folder that can be written to (No such file or directory)'
        self.fails(1, none, "bench", "--disk", "/none")

    def test_the_machine_is_calibrated_kept_and_planned_for(self):
        lines = self.run_tool("bench", "--calibrate").stdout
        self.assertRegex(
            lines,
            r"^L1, L2, L3 cache  +\d+ [KM]iB, \d+ [KM]iB, \d+ [KM]iB\n"
            r"instructions  +(portable|avx2|avx512), bytes permuted at once: (16|64)\n"
            r"stores in order  +(ordinary|streaming)\n"
            r"streams of memory  +(several|one)\n"
            r"stores of packed blocks  +(interleaved|burst)\n"
            r"kept in .*/tenstride/machine\n$",
        )
        kept = pathlib.Path(lines.split("kept in ")[1].rstrip("\n"))
        text = kept.read_text(encoding="utf-8")
        figures = json.loads(self.run_tool("bench", "--calibrate", "--json").stdout)
        self.assertIn(f"\nl2_bytes {figures['l2_bytes']}\n", text)
        # Sequential rows are written by streaming stores where the machine prefers them.
        copy = ["explain", "torch.zeros(4096,4096)[:, 1:].contiguous()", "--plan", "--machine"]
        self.assertIn("streaming stores", self.run_tool(*copy, "zen5").stdout)
        self.assertIn("ordinary stores", self.run_tool(*copy, "cascade_lake").stdout)
        kept.write_text(text.replace(f"stores {figures['stores']}", "stores ordinary"), encoding="utf-8")
        self.assertIn("ordinary stores", self.run_tool(*copy, str(kept)).stdout)
        if "TENSTRIDE_MACHINE" not in os.environ:
            self.assertIn("ordinary stores", self.run_tool(*copy[:-1]).stdout)
        kept.write_text(text[:-1], encoding="utf-8")
        known = "; known are here, cascade_lake, emerald_rapids, zen3, zen5, and files that tenstride bench --calibrate wrote"
        self.fails(2, f"explain --machine: {kept} is no file of a machine{known}", *copy, str(kept))
        self.fails(2, f"explain --machine: zen is no machine and no file{known}", *copy, "zen")
        self.fails(2, "--threads excludes --calibrate\nSee tenstride --help.", "bench", "--calibrate", "--threads", "1")

    def test_completion_scripts_are_accepted_by_their_shells(self):
        script = self.run_tool("completion", "bash").stdout
        check = script + 'COMP_WORDS=(tenstride convert --d); COMP_CWORD=2; _tenstride; echo "${COMPREPLY[@]}"\n'
        found = subprocess.run(["bash"], input=check, text=True, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(found.split(), ["--dtype", "--dry-run"])
        for shell in ("bash", "zsh", "fish"):
            text = self.run_tool("completion", shell).stdout
            for option in ("max-mem", "resume", "quiet", "no-browser"):
                self.assertIn(option, text)
            self.assertIn("tenstride", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [self.tool, "explain", "1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        self.assertEqual((done.returncode, done.stderr), (1, "tenstride: standard output cannot be written\n"))


class Explain(Case):
    def test_a_refused_view_exits_with_1_and_is_explained(self):
        done = self.run_tool("explain", "torch.randn(2,3,2).permute(0,2,1).view(-1)", code=1)
        self.assertIn("\nRuntimeError: " + FAMOUS + "\n", done.stdout)
        self.assertIn("\n         .view(12) before .permute(0,2,1)  no copy, another element order\n", done.stdout)

    def test_json_has_its_documented_shape(self):
        answer = json.loads(self.run_tool("explain", "torch.arange(4).view(2,2).T.contiguous()", "--json").stdout)
        self.assertEqual(
            list(answer),
            ["expr", "steps", "printed", "value", "value_text", "note", "error", "totals", "chain"],
        )
        for step in answer["steps"]:
            self.assertEqual(
                list(step),
                [
                    "op",
                    "kind",
                    "dtype",
                    "shape",
                    "strides",
                    "offset",
                    "contiguous",
                    "shares_storage",
                    "bytes_moved",
                    "bytes_allocated",
                    "transfer",
                    "reason",
                    "cause",
                    "not_contiguous",
                    "scramble",
                    "layout",
                    "call",
                    "range",
                ],
            )
        self.assertEqual([step["kind"] for step in answer["steps"]], ["new", "view", "view", "copy"])
        self.assertEqual(answer["value"], [[0, 2], [1, 3]])
        self.assertEqual(
            answer["totals"],
            {
                "copies": 1,
                "bytes_moved": 64,
                "transfers": 0,
                "bytes_transferred": 0,
                "peak_bytes": 64,
                "peak_device_bytes": 0,
            },
        )
        refused = json.loads(self.run_tool("explain", "torch.zeros(2,3).T.view(6)", "--json", code=1).stdout)
        self.assertEqual(
            list(refused["error"]),
            ["type", "message", "range", "call", "notation", "step", "obstacle", "cause", "scramble"],
        )
        self.assertTrue(refused["error"]["message"].startswith(FAMOUS))
        self.assertEqual(refused["error"]["obstacle"]["groups"], [[0], [1]])

    def test_plan_tells_how_each_copy_goes(self):
        expression = "torch.zeros(2,3).T.contiguous()"
        text = self.run_tool("explain", expression, "--plan").stdout
        plan = text[text.index("plan of step 3, .contiguous():\n") :].split("\n\n")[0].split("\n")
        self.assertEqual(plan[1], "  copy 6 elements float32 -> float32, 24 B -> 24 B")
        self.assertTrue(plan[2].startswith("    way      "))
        self.assertNotIn("plan of", self.run_tool("explain", expression).stdout)
        steps = json.loads(self.run_tool("explain", expression, "--plan", "--json").stdout)["steps"]
        self.assertEqual([step["plan_count"] for step in steps], [0, 0, 1])
        made = steps[2]["plans"][0]
        self.assertEqual(made["text"] + "\n  run      " + made["run"], "\n".join(line[2:] for line in plan[1:]))

    def test_a_chain_is_compared_with_its_steps(self):
        self.write("x.npy", npy((2, 3, 4), range(24)))
        back = "y = x.permute(0,2,1).reshape(2,12).unflatten(1,(4,3)).permute(0,2,1)"
        self.assertEqual(
            self.run_tool("explain", back, "--input", "x.npy").stdout,
            """\
1  .permute(0,2,1)      (2,4,3):(12,1,4)+0  float32  not contiguous  view  axes out of order
2  .reshape(2,12)       (2,12):(12,1)+0     float32  contiguous      copy  192 B moved: no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12 (since step 1)
3  .unflatten(1,(4,3))  (2,4,3):(12,3,1)+0  float32  contiguous      view
4  .permute(0,2,1)      (2,3,4):(12,1,3)+0  float32  not contiguous  view  axes out of order

1 copy, 192 B moved, at most 96 B held

one by one, as an eager library does it:
  .permute(0,2,1)      (2,4,3):(12,1,4)+0  view
  .reshape(2,12)       (2,12):(12,1)+0     copy  96 B read, 96 B written
  .unflatten(1,(4,3))  (2,4,3):(12,3,1)+0  view
  .permute(0,2,1)      (2,3,4):(12,1,3)+0  view
  1 copy, 96 B read, 96 B written
as one chain from (2,3,4):(12,4,1)+0:
  view    (2,3,4):(12,4,1)+0
  no copy; 192 B saved
""",
        )
        chain = json.loads(self.run_tool("explain", back, "--input", "x.npy", "--json").stdout)["chain"]
        self.assertEqual(list(chain), ["source", "shape", "strides", "offset", "dtype", "eager", "lazy", "bytes_saved"])
        self.assertEqual([step["kind"] for step in chain["eager"].pop("steps")], ["view", "copy", "view", "view"])
        self.assertEqual(
            chain,
            {
                "source": None,
                "shape": [2, 3, 4],
                "strides": [12, 4, 1],
                "offset": 0,
                "dtype": "float32",
                "eager": {"copies": 1, "bytes_read": 96, "bytes_written": 96},
                "lazy": {
                    "copies": 0,
                    "bytes_read": 0,
                    "bytes_written": 0,
                    "peak_bytes": 0,
                    "plan": [],
                    "result": "(2,3,4):(12,4,1)+0",
                },
                "bytes_saved": 192,
            },
        )

    def test_wrong_notation_exits_with_2(self):
        done = self.run_tool("explain", "torch.zeros(2", code=2)
        self.assertEqual(done.stdout, "SyntaxError: expression: '(' is never closed\n  torch.zeros(2\n             ^\n")
        self.run_tool("explain", "torch.zeross(2)", code=2)

    def test_reads_standard_input_and_binds_files(self):
        self.write("a.npy", npy((2, 3), range(6)))
        done = self.run_tool("explain", "-", "--input", "a.npy", input="x.T\n")
        self.assertIn(".T  (3,2):(1,3)+0  float32  not contiguous  view", done.stdout)
        done = self.run_tool("explain", "a.shape == b.shape", "--input", "a=a.npy", "--input", "b=a.npy")
        self.assertEqual(done.stdout, "True\n")
        self.fails(
            1,
            'explain: "none.npy" must be a file that can be opened (No such file or directory)',
            "explain",
            "x",
            "--input",
            "none.npy",
        )

    def test_colour_only_on_a_terminal_that_wants_it(self):
        def on_terminal(**environment):
            parent, child = pty.openpty()
            variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            variables.update(TERM="xterm", **environment)
            with subprocess.Popen([self.tool, "explain", "torch.zeros(2)"], stdout=child, env=variables) as process:
                process.wait(timeout=HANGS)
            os.close(child)
            return read_terminal(parent)

        self.assertIn(b"\033[", on_terminal())
        self.assertNotIn(b"\033[", on_terminal(NO_COLOR="1"))
        self.assertNotIn("\033[", self.run_tool("explain", "torch.zeros(2)").stdout)


class Info(Case):
    def test_shows_the_header(self):
        self.write("a.npy", npy((2, 3), range(6), fortran=True))
        answer = json.loads(self.run_tool("info", "a.npy", "--json").stdout)
        self.assertEqual(
            answer,
            {
                "path": "a.npy",
                "name": None,
                "format": "npy 1.0",
                "dtype": "float32",
                "shape": [2, 3],
                "strides": [1, 2],
                "order": "F",
                "elements": 6,
                "nbytes": 24,
                "file_nbytes": 152,
                "data_begin": 128,
                "mapped": True,
                "byte_swapped": False,
                "orientation": None,
                "axes": [],
                "chunk": None,
                "shard": None,
                "codec": None,
                "scale": 1.0,
                "shift": 0.0,
                "attributes": {},
            },
        )
        self.assertEqual(
            self.run_tool("info", "a.npy").stdout,
            "file      a.npy\nformat    npy 1.0\ndtype     float32\nshape     (2,3)\nstrides   (1,2)\n"
            "order     F (column-major: the first axis is the fastest)\nelements  6, 24 B\n"
            "size      152 B\nmapped    yes: nothing is read before it is used\n",
        )

    def test_shows_the_checksum_of_the_elements_in_row_major_order(self):
        digits = "4908bee0692dedb29fd873803cd55182"  # of arange(6), by the NumPy function in docs/convert.md
        self.write("c.npy", npy((2, 3), range(6)))
        self.write("f.npy", npy((2, 3), (0, 3, 1, 4, 2, 5), fortran=True))
        for path in ("c.npy", "f.npy"):
            self.assertEqual(json.loads(self.run_tool("info", path, "--checksum", "--json").stdout)["checksum"], digits)
            self.assertTrue(self.run_tool("info", path, "--checksum").stdout.endswith(f"\nchecksum  {digits}\n"))

    def test_refuses_what_is_no_tensor(self):
        self.write("a.npy", npy((2, 3), range(5)))
        self.run_tool("info", "a.npy", code=1)
        self.write("b.txt", b"hello")
        self.run_tool("info", "b.txt", code=1)


if __name__ == "__main__":
    main()
