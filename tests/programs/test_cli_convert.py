#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert` from outside: files, whole messages, signals. Needs nothing but Python."""

import contextlib
import json
import os
import pathlib
import signal
import struct
import subprocess

from cli_case import CACHE, HANGS, Case, main, npy, png, read_npy
from faults import fault, wait_until_stopped


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
        found = json.loads(self.run_tool("info", "b.npy", "--checksum", "--json").stdout)
        self.assertIn(f"\nchecksum {found['checksum']}\n", done.stdout)
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

    def test_only_what_takes_time_has_a_speed(self):
        self.write("small.npy", npy((2, 3), range(6)))
        self.write("large.npy", npy((1024, 512), [1] * (1024 * 512)))  # 2 MiB read and 2 MiB written
        self.write("below.npy", npy((1024, 511), [1] * (1024 * 511)))
        for name, has_speed in (("small.npy", False), ("below.npy", False), ("large.npy", True)):
            text = self.run_tool("convert", name, "x", "-o", "out.npy", "--force").stdout
            self.assertEqual("GB/s (memcpy: " in text, has_speed)
            self.assertIn(", flushed in ", text)
            totals = json.loads(self.run_tool("convert", name, "x", "-o", "out.npy", "--force", "--json").stdout)[
                "totals"
            ]
            self.assertEqual(totals["gb_per_second"] is not None, has_speed)
            self.assertEqual(totals["memcpy_gb_per_second"] is not None, has_speed)
            self.assertGreater(totals["seconds"], 0)
        text = self.run_tool("convert", "large.npy", "x.to(uint8)", "-o", "out.png").stdout
        self.assertNotIn("GB/s", text)

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
                found = json.loads(self.run_tool("info", "b.npy", "--checksum", "--json").stdout)
                self.assertEqual(bill["checksum"], found["checksum"])

    def test_an_arrow_within_a_string_is_of_the_notation(self):
        self.write("a.npy", npy((4, 6, 3), range(72)))
        self.run_tool("convert", "a.npy", "h w c -> c h w", "-o", "wanted.npy")
        wanted = read_npy(self.path("wanted.npy"), "f")
        for spec in (
            "rearrange(x, 'h w c -> c h w')",
            'rearrange ( x , "h w c->c h w" )',
            "y = x; rearrange(y, 'h w c -> c h w')",
            "x.permute(2, 0, 1)  # h w c -> c h w",
            "reduce(repeat(x, 'h w c -> h w c 2'), 'h w c two -> c h w', 'max')",
            "einops.rearrange(x, 'h w c -> h (w c)').reshape(4, 6, 3).permute(2, 0, 1)",
            "h w c -> c h w",
            "(h) w c->c h w",
        ):
            with self.subTest(spec):
                self.run_tool("convert", "a.npy", spec, "-o", "b.npy", "--force", "--verify")
                self.assertEqual(read_npy(self.path("b.npy"), "f"), wanted)
        for command in ("explain", "show"):
            done = self.run_tool(command, "rearrange(x, 'h w c -> c h w')", "--input", "a.npy")
            self.assertIn("(3,4,6)", done.stdout)

    def test_a_pattern_alone_is_no_expression(self):
        self.write("a.npy", npy((4, 6, 3), range(72)))
        for pattern, call in (
            ("h w c -> c h w", "rearrange(x, 'h w c -> c h w')"),
            ("h w c -> c", "reduce(x, 'h w c -> c', 'max')"),
            ("h w c -> h w c 3", "repeat(x, 'h w c -> h w c 3')"),
        ):
            for command in ("explain", "show"):
                done = self.run_tool(command, pattern, "--input", "a.npy", code=2)
                self.assertTrue(
                    (done.stdout + done.stderr)
                    .strip()
                    .endswith(f'"{pattern}" is a pattern and must be given to a function, e.g. {call}'),
                    done.stdout + done.stderr,
                )

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
        for key in ("cached", "memory", "fresh", "transposed_share", "transposed_cached_share", "call_seconds"):
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
        self.fails(
            2,
            f'convert: the output "b.txt" must end in {self.written_suffixes()}, or go with --format',
            "convert",
            "a.npy",
            "x",
            "-o",
            "b.txt",
        )
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
        missing = self.run_tool("convert", "none.npy", "x", "-o", "d.npy", code=1)
        self.assertIn('convert: "none.npy" must be a file that can be opened', missing.stderr)
        self.run_tool("convert", "a.npy", "x", "-o", "none/d.npy", code=1)
        self.run_tool("convert", "a.npy", "x.to(bfloat16)", "-o", "d.npy", code=1)
        self.fails(
            1,
            "convert: elements of float32 must be uint8, uint16 or bool (shape (2,3)); "
            "scale them to 0..255 by --scale, with --dtype uint8",
            "convert",
            "a.npy",
            "x",
            "-o",
            "d.png",
        )
        self.assertEqual(pathlib.Path(old).read_bytes(), b"old")
        self.assertEqual(self.names(), ["a.npy", "b.npy", "c.npy"])

    def test_a_scramble_is_noted(self):
        self.write("a.npy", npy((2, 3), range(6)))
        done = self.run_tool("convert", "a.npy", "x.reshape(3,2)", "-o", "b.npy")
        self.assertIn("note: .reshape(3,2): the sizes (2,3) are reordered to (3,2) but no axis is moved", done.stdout)

    def write_holes(self):
        """A file that is all hole."""
        text = "{'descr': '|u1', 'fortran_order': False, 'shape': (4096, 4096), }"
        text += " " * (63 - (10 + len(text)) % 64) + "\n"
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
            file.truncate(10 + len(text) + (1 << 24))

    @contextlib.contextmanager
    def stopped(self):
        """In memory, whatever there is of it; stopped where the result is begun and its elements are still to be read."""
        with subprocess.Popen(
            [self.tool, "convert", "a.npy", "x.T", "-o", "b.npy", "--threads", "1", "--max-mem", "100G"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **fault(self, "write", ".tmp", 1, FAULT_STOPS="1")},
        ) as process:
            wait_until_stopped(process)
            try:
                yield process
            finally:
                process.send_signal(signal.SIGCONT)

    def test_a_signal_leaves_no_half_written_file(self):
        self.write_holes()
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.stopped() as process:
                self.assertEqual(len(self.names()), 2)
                process.send_signal(number)
                process.send_signal(signal.SIGCONT)
                self.assertEqual(process.wait(timeout=HANGS), code)
            self.assertEqual(self.names(), ["a.npy"])

    def test_a_mapped_file_that_is_made_shorter_is_an_error(self):
        self.write_holes()
        with self.stopped() as process:
            os.truncate(self.path("a.npy"), 4096)
            process.send_signal(signal.SIGCONT)
            self.assertEqual(process.wait(timeout=HANGS), 1)
            self.assertEqual(
                process.stderr.read(),
                "tenstride: a mapped file ended while it was read: another process made it shorter, or its disk failed\n",
            )
        self.assertEqual(self.names(), ["a.npy"])


if __name__ == "__main__":
    main()
