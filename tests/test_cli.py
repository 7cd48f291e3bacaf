#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program tenstride from outside: exit codes, whole messages, JSON, files. Needs nothing but Python."""

import argparse
import json
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

TOOL = ""
# What tenstride keeps from run to run: of this run of the tests alone.
CACHE = tempfile.TemporaryDirectory(prefix="tenstride-cache-")
FAMOUS = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead."
)


def npy(shape, values, code="f", descr="<f4", fortran=False):
    """The bytes of a .npy file, by its definition."""
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(text))
        + text.encode()
        + struct.pack(f"<{len(values)}{code}", *values)
    )


def read_npy(path, code):
    """(header, values)"""
    raw = pathlib.Path(path).read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack("<H", raw[8:10])[0]
    body = raw[10 + length :]
    return eval(raw[10 : 10 + length]), list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body))


def png(width, height, pixels):
    """An RGB PNG, by its definition."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(pixels[3 * width * y : 3 * width * (y + 1)]) for y in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenstride-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.path(name)

    def names(self):
        return sorted(entry.name for entry in self.folder.iterdir())

    def run_tool(self, *arguments, code=0, **extra):
        done = subprocess.run(
            [TOOL, *arguments],
            text=True,
            capture_output=True,
            timeout=120,
            cwd=self.folder,
            env={**os.environ, "XDG_CACHE_HOME": CACHE.name},
            **extra,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def fails(self, code, message, *arguments):
        done = self.run_tool(*arguments, code=code)
        self.assertEqual(done.stderr, "tenstride: " + message + "\n")
        self.assertEqual(done.stdout, "")


class Calls(Case):
    def test_help_and_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^tenstride \d+\.\d+\.\d+\n$")
        self.assertIn("tenstride convert photo.jpg", self.run_tool("--help").stdout)
        for command in ("convert", "explain", "info", "bench", "completion"):
            self.assertIn("Examples:", self.run_tool(command, "--help").stdout)

    def test_wrong_calls_exit_with_2(self):
        self.fails(2, "A subcommand is required\nSee tenstride --help.")
        self.run_tool("unheard-of", code=2)
        self.run_tool("convert", "a.npy", "x", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--order", "K", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--threads", "0", code=2)
        self.run_tool("convert", "a.npy", "x", "-o", "b.npy", "--dry-run", "--verify", code=2)
        self.fails(2, 'completion: "tcsh" must be bash, zsh or fish', "completion", "tcsh")

    def test_completion_scripts_are_accepted_by_their_shells(self):
        script = self.run_tool("completion", "bash").stdout
        check = script + 'COMP_WORDS=(tenstride convert --d); COMP_CWORD=2; _tenstride; echo "${COMPREPLY[@]}"\n'
        found = subprocess.run(["bash"], input=check, text=True, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(found.split(), ["--dtype", "--dry-run"])
        for shell in ("zsh", "fish"):
            text = self.run_tool("completion", shell).stdout
            self.assertIn("tenstride", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "explain", "1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "tenstride: standard output cannot be written\n"))


class Explain(Case):
    def test_a_refused_view_exits_with_1_and_is_explained(self):
        done = self.run_tool("explain", "torch.randn(2,3,2).permute(0,2,1).view(-1)", code=1)
        self.assertIn("\nRuntimeError: " + FAMOUS + "\n", done.stdout)
        self.assertIn("\n         .view(12) before .permute(0,2,1)  no copy, another element order\n", done.stdout)

    def test_json_has_its_documented_shape(self):
        answer = json.loads(self.run_tool("explain", "torch.arange(4).view(2,2).T.contiguous()", "--json").stdout)
        self.assertEqual(list(answer), ["expr", "steps", "value", "error", "totals", "chain"])
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
                    "reason",
                    "cause",
                    "not_contiguous",
                    "scramble",
                ],
            )
        self.assertEqual([step["kind"] for step in answer["steps"]], ["new", "view", "view", "copy"])
        self.assertEqual(answer["value"], [[0, 2], [1, 3]])
        self.assertEqual(answer["totals"], {"copies": 1, "bytes_moved": 64, "peak_bytes": 64})
        refused = json.loads(self.run_tool("explain", "torch.zeros(2,3).T.view(6)", "--json", code=1).stdout)
        self.assertEqual(list(refused["error"]), ["type", "message", "step", "obstacle", "cause", "scramble"])
        self.assertTrue(refused["error"]["message"].startswith(FAMOUS))
        self.assertEqual(refused["error"]["obstacle"]["groups"], [[0], [1]])

    def test_plan_tells_how_each_copy_goes(self):
        expression = "torch.zeros(2,3).T.contiguous()"
        text = self.run_tool("explain", expression, "--plan").stdout
        plan = text[text.index("plan of step 3, .contiguous():\n") :].split("\n\n")[0].split("\n")
        self.assertEqual(plan[1], "  copy 6 elements float32 -> float32, 24 B -> 24 B")
        self.assertTrue(plan[2].startswith("    kernel   "))
        self.assertNotIn("plan of", self.run_tool("explain", expression).stdout)
        steps = json.loads(self.run_tool("explain", expression, "--plan", "--json").stdout)["steps"]
        self.assertEqual([step["plan_count"] for step in steps], [0, 0, 1])
        self.assertEqual(steps[2]["plans"][0]["text"], "\n".join(line[2:] for line in plan[1:]))

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
            'open: "none.npy" must be a file that can be opened (No such file or directory)',
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
            with subprocess.Popen([TOOL, "explain", "torch.zeros(2)"], stdout=child, env=variables) as process:
                process.wait(timeout=60)
            os.close(child)
            text = os.read(parent, 65536)
            os.close(parent)
            return text

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
            },
        )
        self.assertEqual(
            self.run_tool("info", "a.npy").stdout,
            "file      a.npy\nformat    npy 1.0\ndtype     float32\nshape     (2,3)\nstrides   (1,2)\n"
            "order     F (column-major: the first axis is the fastest)\nelements  6, 24 B\n"
            "size      152 B\nmapped    yes: nothing is read before it is used\n",
        )

    def test_refuses_what_is_no_tensor(self):
        self.write("a.npy", npy((2, 3), range(5)))
        self.run_tool("info", "a.npy", code=1)
        self.write("b.txt", b"hello")
        self.run_tool("info", "b.txt", code=1)


class Convert(Case):
    def test_an_image_becomes_scaled_planes(self):
        pixels = [(7 * i) % 256 for i in range(4 * 5 * 3)]
        self.write("a.png", png(5, 4, pixels))
        done = self.run_tool(
            "convert",
            "a.png",
            "x.permute(2,0,1).to(float32).contiguous()",
            "-o",
            "b.npy",
            "--scale",
            "1/255",
            "--verify",
        )
        self.assertIn("verified: all 60 elements", done.stdout)
        self.assertIn("done by the write", done.stdout)
        self.assertIn("\n1 copy, 60 B read, 240 B written in ", done.stdout)
        header, values = read_npy(self.path("b.npy"), "f")
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (3, 4, 5)})

        def single(value):
            return struct.unpack("f", struct.pack("f", value))[0]

        self.assertEqual(values, [single(pixels[i * 3 + c] * single(1 / 255)) for c in range(3) for i in range(20)])
        self.run_tool(
            "convert",
            "b.npy",
            "x.permute(1,2,0)",
            "-o",
            "c.png",
            "--dtype",
            "uint8",
            "--scale",
            "255",
            "--shift",
            "0.5",
            "--verify",
        )
        self.run_tool("convert", "c.png", "x", "-o", "d.npy")
        self.assertEqual(read_npy(self.path("d.npy"), "B")[1], pixels)

    def test_order_dtype_and_numbers_per_channel(self):
        self.write("a.npy", npy((2, 3), range(6)))
        self.run_tool("convert", "a.npy", "x", "-o", "f.npy", "--order", "F", "--dtype", "float64", "--verify")
        header, values = read_npy(self.path("f.npy"), "d")
        self.assertEqual((header["fortran_order"], values), (True, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]))
        self.run_tool(
            "convert", "a.npy", "x", "-o", "s.npy", "--scale", "1,10,100", "--shift", "-1", "--axis", "-1", "--verify"
        )
        self.assertEqual(read_npy(self.path("s.npy"), "f")[1], [-1.0, 9.0, 199.0, 2.0, 39.0, 499.0])

    def test_the_last_copies_are_one_with_the_write(self):
        self.write("a.npy", npy((2, 3, 4), range(24)))
        cases = [
            ("x.permute(2,0,1).contiguous()", 1, 1),
            ("x.permute(2,0,1).reshape(4,-1).to(float16)", 2, 1),
            ("x.to(float16).to(float32)", 1, 2),
            ("x.flip(0)", 0, 2),
            ("x.T", 0, 1),
            ("x", 0, 1),
            ("y = x.mT; y.contiguous().view(-1)", 2, 1),
        ]
        for spec, fused, copies in cases:
            with self.subTest(spec):
                bill = json.loads(
                    self.run_tool("convert", "a.npy", spec, "-o", "b.npy", "--force", "--verify", "--json").stdout
                )
                self.assertEqual((bill["fused"], bill["totals"]["copies"]), (fused, copies))
                self.assertEqual(bill["verified"], 24)

    def test_patterns_are_written_out_and_copied_once(self):
        self.write("a.npy", npy((4, 6, 3), range(72)))

        def cell(h, w, c):
            return float((h * 6 + w) * 3 + c)

        cases = [
            (["h w c -> c h w"], (3, 4, 6), [cell(h, w, c) for c in range(3) for h in range(4) for w in range(6)]),
            (["h (w w1) c -> h w (w1 c)", "w1=2"], (4, 3, 6), [float(i) for i in range(72)]),
            (["h w c -> (c w) h"], (18, 4), [cell(h, w, c) for c in range(3) for w in range(6) for h in range(4)]),
            (
                ["(h 2) (w 3) c -> h w c", "--reduce", "max"],
                (2, 2, 3),
                [cell(2 * h + 1, 3 * w + 2, c) for h in range(2) for w in range(2) for c in range(3)],
            ),
            (["h w c -> n h w c", "n=2", "--repeat"], (2, 4, 6, 3), [float(i) for i in range(72)] * 2),
        ]
        for arguments, shape, expected in cases:
            with self.subTest(arguments[0]):
                done = self.run_tool("convert", "a.npy", *arguments, "-o", "b.npy", "--force", "--json")
                header, values = read_npy(self.path("b.npy"), "f")
                self.assertEqual((header["shape"], values), (shape, expected))
                if "--reduce" not in arguments:
                    self.assertEqual(json.loads(done.stdout)["totals"]["copies"], 1)
        self.fails(
            2,
            'SPEC: rearrange: "h w -> w h" describes 2 axes, the tensor has 3 (shape (4,6,3))\n  h w -> w h\n  ^',
            "convert",
            "a.npy",
            "h w -> w h",
            "-o",
            "c.npy",
        )
        self.fails(
            2,
            'convert: "w1" must be the size of an axis, e.g. h=2',
            "convert",
            "a.npy",
            "h w c -> c h w",
            "w1",
            "-o",
            "c.npy",
        )
        self.fails(
            2,
            "convert: sizes of axes, --reduce and --repeat go with a pattern, e.g. 'h w c -> c h w'",
            "convert",
            "a.npy",
            "x.T",
            "h=2",
            "-o",
            "c.npy",
        )
        self.assertEqual(self.names(), ["a.npy", "b.npy"])

    def test_a_dry_run_touches_nothing_and_bills_the_same(self):
        self.write("a.npy", npy((2, 3, 4), range(24)))
        os.utime(self.path("a.npy"), (1, 1))
        call = ["convert", "a.npy", "x.flip(0).permute(2,0,1).contiguous().to(float64)", "-o", "b.npy", "--json"]
        dry = json.loads(self.run_tool(*call, "--dry-run").stdout)
        self.assertEqual(self.names(), ["a.npy"])
        self.assertEqual(os.stat(self.path("a.npy")).st_mtime, 1)
        wet = json.loads(self.run_tool(*call).stdout)
        for key in ("steps", "fused", "output", "input"):
            self.assertEqual(dry[key], wet[key])
        for key in ("copies", "bytes_read", "bytes_written"):
            self.assertEqual(dry["totals"][key], wet["totals"][key])
        self.assertIsNone(dry["totals"]["seconds"])
        self.assertIsNone(wet["forecast"])
        for key in ("copies", "bytes_read", "bytes_written"):
            self.assertEqual(dry["forecast"][key], dry["totals"][key])
        self.assertEqual(dry["forecast"]["peak_bytes"], 96)  # the flipped copy
        self.assertGreater(dry["forecast"]["seconds"], 0)
        self.assertRegex(
            self.run_tool(*call[:-1], "--dry-run", "--force").stdout,
            r"\nforecast: 2 copies, 192 B read, 288 B written, at most 96 B of memory held beside the files, "
            r"about \S+ s at this machine's bandwidth \(see tenstride bench\)\n",
        )
        self.assertIn(
            "dry run: nothing but the header was read, nothing was written\n",
            self.run_tool(*call[:-1], "--dry-run", "--force").stdout,
        )

    def test_the_bandwidth_is_measured_once_and_kept(self):
        measured = json.loads(self.run_tool("bench", "--json", "--threads", "1").stdout)
        self.assertEqual(measured["threads"], 1)
        for key in ("cached", "memory", "fresh", "turned_share", "turned_cached_share", "call_seconds"):
            self.assertGreater(measured[key], 0)
        kept = pathlib.Path(CACHE.name) / "tenstride" / "bandwidth"
        self.assertTrue(kept.read_text(encoding="utf-8").startswith("tenstride bandwidth 1, version "))
        self.write("a.npy", npy((2, 3), range(6)))
        call = ["convert", "a.npy", "x.T", "-o", "b.npy", "--json", "--dry-run", "--threads", "1"]
        first = json.loads(self.run_tool(*call).stdout)["forecast"]
        self.assertEqual(json.loads(self.run_tool(*call).stdout)["forecast"], first)
        before = kept.read_bytes()
        kept.write_bytes(before[:-10])  # damaged: measured anew
        self.run_tool(*call)
        self.assertTrue(kept.read_bytes().endswith(b"\nend\n"))
        self.assertIn("kept in " + str(kept) + "\n", self.run_tool("bench", "--threads", "1").stdout)

    def test_elements_that_decide_the_shape_are_read(self):
        self.write("a.npy", npy((6,), range(6)))
        self.run_tool("convert", "a.npy", "x[x > 3]", "-o", "b.npy", "--verify")
        self.assertEqual(read_npy(self.path("b.npy"), "f")[1], [4.0, 5.0])

    def test_verification_finds_a_wrong_file(self):
        self.write("a.npy", npy((2, 3), range(6)))
        self.run_tool("convert", "a.npy", "x.T", "-o", "b.npy")
        self.run_tool("convert", "a.npy", "x.T", "-o", "b.npy", "--verify-only")
        raw = bytearray(pathlib.Path(self.path("b.npy")).read_bytes())
        raw[-4:] = struct.pack("<f", 7)
        self.write("b.npy", bytes(raw))
        self.fails(
            1,
            'verify: "b.npy": element (2,1) is 7.0 and must be 5.0; 1 of 6 elements differ',
            "convert",
            "a.npy",
            "x.T",
            "-o",
            "b.npy",
            "--verify-only",
        )
        self.fails(
            1,
            'verify: "b.npy" has another shape than the result',
            "convert",
            "a.npy",
            "x",
            "-o",
            "b.npy",
            "--verify-only",
        )

    def test_refusals_lose_nothing(self):
        self.write("a.npy", npy((2, 3), range(6)))
        old = self.write("b.npy", b"old")
        self.fails(
            1,
            'convert: the output "b.npy" must not exist yet (--force replaces it)',
            "convert",
            "a.npy",
            "x",
            "-o",
            "b.npy",
        )
        os.link(self.path("a.npy"), self.path("c.npy"))
        for same in ("a.npy", "c.npy"):
            self.fails(
                2, f'convert: the output "{same}" must not be the input', "convert", "a.npy", "x", "-o", same, "--force"
            )
        self.fails(2, 'convert: the output "b.txt" must end in .npy or .png', "convert", "a.npy", "x", "-o", "b.txt")
        self.fails(2, '--scale: "1/0" must not divide by 0', "convert", "a.npy", "x", "-o", "d.npy", "--scale", "1/0")
        self.fails(
            2, '--shift: "a" must be a number like 0.5 or 1/255', "convert", "a.npy", "x", "-o", "d.npy", "--shift", "a"
        )
        self.fails(
            2,
            "convert: --scale with several numbers needs --axis",
            "convert",
            "a.npy",
            "x",
            "-o",
            "d.npy",
            "--scale",
            "1,2",
        )
        self.fails(
            2,
            "convert: --scale has 2 numbers and must have 1, or 3 for axis 1 of the result (2,3)",
            "convert",
            "a.npy",
            "x",
            "-o",
            "d.npy",
            "--scale",
            "1,2",
            "--axis",
            "1",
        )
        self.fails(
            2,
            'convert: --dtype "real" must be a dtype, e.g. float32',
            "convert",
            "a.npy",
            "x",
            "-o",
            "d.npy",
            "--dtype",
            "real",
        )
        self.fails(
            2,
            "expression: '(' is never closed\n  x.permute(1,0\n           ^",
            "convert",
            "a.npy",
            "x.permute(1,0",
            "-o",
            "d.npy",
        )
        self.fails(
            2,
            "SPEC: AttributeError: Tensor has no method 'permut'; did you mean 'permute'?\n  x.permut(1,0)\n    ^~~~~~",
            "convert",
            "a.npy",
            "x.permut(1,0)",
            "-o",
            "d.npy",
        )
        self.fails(2, "SPEC: must give a Tensor, it gives torch.Size", "convert", "a.npy", "x.shape", "-o", "d.npy")
        self.run_tool("convert", "a.npy", "x.T.view(-1)", "-o", "d.npy", code=1)
        self.run_tool("convert", "none.npy", "x", "-o", "d.npy", code=1)
        self.run_tool("convert", "a.npy", "x", "-o", "none/d.npy", code=1)
        self.run_tool("convert", "a.npy", "x.to(bfloat16)", "-o", "d.npy", code=1)
        self.run_tool("convert", "a.npy", "x", "-o", "d.png", code=1)
        self.assertEqual(pathlib.Path(old).read_bytes(), b"old")
        self.assertEqual(self.names(), ["a.npy", "b.npy", "c.npy"])

    def test_a_scramble_is_noted(self):
        self.write("a.npy", npy((2, 3), range(6)))
        done = self.run_tool("convert", "a.npy", "x.reshape(3,2)", "-o", "b.npy")
        self.assertIn("note: .reshape(3,2): the sizes (2,3) are reordered to (3,2) but no axis is moved", done.stdout)

    def test_a_signal_leaves_no_half_written_file(self):
        """The elements come from a file with holes, so that the work is long and the disk is not filled."""
        text = "{'descr': '|u1', 'fortran_order': False, 'shape': (65536, 32768), }"
        text += " " * (63 - (10 + len(text)) % 64) + "\n"
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
            file.truncate(10 + len(text) + (1 << 31))
        if shutil.disk_usage(self.folder).free < 6 << 30:
            self.skipTest("there is no room for 2 GiB")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with subprocess.Popen(
                [TOOL, "convert", "a.npy", "x.T", "-o", "b.npy", "--threads", "1"],
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process:
                until = time.monotonic() + 60
                while not any(name.startswith(".tenstride-") for name in self.names()):
                    self.assertIsNone(process.poll())
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.002)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), code)
            self.assertEqual(self.names(), ["a.npy"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    TOOL = str(pathlib.Path(known.bin).resolve() / "tenstride")
    unittest.main(argv=[sys.argv[0], *rest])
