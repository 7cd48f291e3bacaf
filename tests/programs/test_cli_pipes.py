#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride` in pipes: - as input and output, and what ends early. Needs nothing but Python."""

import json
import os
import pathlib
import pty
import re
import subprocess
import threading

from cli_case import HANGS, Case, is_sanitized, main, npy, png, read_npy


class PipeCase(Case):
    def pipe(self, data, *arguments, code=0, **extra):
        """The call with `data` in a pipe as standard input; (standard output, standard error), both bytes."""
        done = subprocess.run(
            [self.tool, *arguments], input=data, capture_output=True, timeout=HANGS, cwd=self.folder, **extra
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr.decode()

    def refused(self, code, text, data, *arguments):
        out, err = self.pipe(data, *arguments, code=code)
        self.assertEqual((out, err), (b"", f"tenstride: {text}\n"))
        self.assertEqual([name for name in self.names() if not name.startswith("in.")], [])


class Input(PipeCase):
    def test_a_piped_file_is_what_the_file_is(self):
        array = npy((2, 3), range(6))
        swapped = npy((2, 3), range(6)).replace(b"<f4", b">f4")
        for data in (array, swapped, npy((2, 3), range(6), fortran=True), png(3, 2, range(18))):
            self.write("in.file", data)
            self.run_tool("convert", "in.file", "x.transpose(0,1)", "-o", "wanted.npy", "--force")
            for name in ("-", "/dev/stdin"):
                self.pipe(data, "convert", name, "x.transpose(0,1)", "-o", "found.npy", "--force", "--verify")
                self.assertEqual(*(pathlib.Path(self.path(n)).read_bytes() for n in ("wanted.npy", "found.npy")))
            wanted = json.loads(self.run_tool("info", "in.file", "--checksum", "--json").stdout)
            found = json.loads(self.pipe(data, "info", "-", "--checksum", "--json")[0])
            self.assertEqual({**wanted, "path": "-"}, found)
        bill = json.loads(self.pipe(array, "convert", "-", "x", "-o", "b.npy", "--json")[0])
        self.assertEqual(bill["input"]["path"], "-")

    def test_a_redirected_file_is_mapped_where_it_lies(self):
        path = self.write("in.npy", npy((2, 3), range(6)))
        with open(path, "rb") as file:
            # A limit of one byte would refuse a copy.
            done = self.run_tool("convert", "-", "x.T", "-o", "out.npy", "--max-spool", "1", stdin=file)
        self.assertIn("wrote out.npy", done.stdout)
        self.assertEqual(read_npy(self.path("out.npy"), "f")[1], [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
        with open(path, "rb") as file:
            done = self.run_tool("convert", "-", "x", "-o", "in.npy", "--force", stdin=file, code=2)
            self.assertEqual(done.stderr, 'tenstride: convert: the output "in.npy" must not be the input\n')
        # From where it stands on, as every program reads.
        both = self.write("in.both", b"header" + npy((2,), [7, 8]))
        with open(both, "rb") as file:
            os.lseek(file.fileno(), 6, os.SEEK_SET)
            done = self.run_tool("info", "-", "--json", stdin=file)
        self.assertEqual(json.loads(done.stdout)["shape"], [2])

    def test_a_fifo_is_read(self):
        os.mkfifo(self.path("in.fifo"))
        data = npy((300, 400), range(120000))
        writer = threading.Thread(target=lambda: pathlib.Path(self.path("in.fifo")).write_bytes(data))
        writer.start()
        done = self.run_tool("convert", "in.fifo", "x.T", "-o", "out.npy", "--verify")
        writer.join()
        self.assertIn("verified: all 120000 elements", done.stdout)

    def test_other_commands_take_pipes(self):
        data = npy((2, 3), range(6))
        self.write("in.npy", data)
        call = ["explain", "x.T.contiguous()", "--plan", "--max-mem", "256M", "--input"]
        # What a plan may hold is the limit without what the program holds, and that differs from run to run.
        plans = self.pipe(data, *call, "-")[0].decode(), self.run_tool(*call, "in.npy").stdout
        self.assertEqual(*(re.sub(r"[\d.]+ MiB of memory", "memory", plan) for plan in plans))
        shown = self.pipe(data, "show", "-")[0].decode()
        self.assertEqual(shown, self.run_tool("show", "in.npy").stdout.replace("in.npy", "standard input"))
        self.assertEqual(
            self.pipe(b"torch.arange(6).view(2,3).T", "show", "-")[0].decode(),
            self.run_tool("show", "torch.arange(6).view(2,3).T").stdout,
        )
        self.refused(
            2,
            "explain: standard input must be the expression or a file, not both",
            data,
            "explain",
            "-",
            "--input",
            "-",
        )
        self.refused(
            2, "repl: --input must be a file, standard input has the statements", data, "repl", "--input", "x=-"
        )

    def test_what_a_pipe_holds_is_checked(self):
        data, picture = npy((2, 3), range(6)), png(3, 2, range(18))
        kinds = " must have a file of a known kind, it is empty"
        reads = self.run_tool("--version").stdout.splitlines()[1].split()[1:]
        known = ", ".join(kind for kind in reads if kind != "raw")
        self.refused(1, "convert: standard input" + kinds, b"", "convert", "-", "x", "-o", "out.npy")
        self.refused(1, "info: standard input" + kinds, b"", "info", "-")
        cases = {
            "npy: standard input holds 23 bytes of elements and must hold 24 (shape (2,3), float32): "
            "1 are missing": data[:-1],
            f"convert: standard input must be a file of a known kind ({known}), it begins with "
            "the bytes 42 4d 42 4d 42 4d (a BMP image)": b"BM" * 3000000,
            "convert: standard input must be a PNG image that can be read: the file ends early": picture[:-20],
        }
        for said, held in cases.items():
            self.refused(1, said, held, "convert", "-", "x", "-o", "out.npy")

    def test_the_spool_has_a_limit(self):
        data = npy((1000,), range(1000))
        text = (
            "convert: standard input must have at most 4096 B, the limit of what is kept in {}; "
            "--max-spool raises it, and a file that is named has none"
        )
        call = ["convert", "-", "x", "-o", "out.npy", "--max-spool"]
        for folder, kept_in in ((str(self.folder), str(self.folder)), ("/nowhere", "memory")):
            out, err = self.pipe(data, *call, "4K", code=1, env={**os.environ, "TMPDIR": folder})
            self.assertEqual((out, err), (b"", f"tenstride: {text.format(kept_in)}\n"))
            self.assertEqual(self.names(), [])
            self.pipe(data, *call, "5K", "--force", env={**os.environ, "TMPDIR": folder})
            os.remove(self.path("out.npy"))
        _, err = self.pipe(data, *call, "4Q", code=2)
        self.assertIn('--max-spool: "4Q" must be a number of bytes', err)

    def test_a_closed_or_strange_standard_input(self):
        def closed():
            os.close(0)

        done = self.run_tool("info", "-", code=1, preexec_fn=closed)
        text = "tenstride: info: standard input must be open for reading (Bad file descriptor)\n"
        self.assertEqual(done.stderr, text)
        # The file that is opened first must not become standard input or output.
        self.write("in.npy", npy((2, 3), range(6)))
        done = self.run_tool("convert", "in.npy", "x", "-o", "out.npy", preexec_fn=closed)
        self.assertEqual(read_npy(self.path("out.npy"), "f")[1], [float(i) for i in range(6)])
        done = self.run_tool("convert", "in.npy", "x", "-o", "-", code=1, preexec_fn=lambda: os.close(1))
        self.assertEqual(
            done.stderr,
            "tenstride: convert: standard output must take all of the result (Bad file descriptor)\n",
        )
        with open("/dev/null", "rb") as nothing:
            done = self.run_tool("info", "-", code=1, stdin=nothing)
        self.assertIn("it is empty", done.stderr)
        master, terminal = pty.openpty()
        with os.fdopen(master, "rb"), os.fdopen(terminal, "rb") as end:
            done = self.run_tool("info", "-", code=2, stdin=end)
        self.assertEqual(
            done.stderr,
            "tenstride: info: standard input must be a pipe or a file, not a terminal (tenstride info - < x.npy)\n",
        )

    def test_a_large_pipe_is_converted_within_a_limit(self):
        head = npy((10000, 4096), [], code="B", descr="|u1")
        data = head + os.urandom(10000 * 4096)
        self.write("in.npy", data)
        self.run_tool("convert", "in.npy", "x.T", "-o", "wanted.npy", "--max-mem", "1G")
        limit = "48M"
        if is_sanitized():  # the sanitizers need memory of their own
            said = self.run_tool("convert", "in.npy", "x.T", "-o", "out.npy", "--max-mem", "1M", code=2).stderr
            limit = f"{int(re.search(r'must be at least ([0-9]+)M', said)[1]) + 16}M"
        on_disk = {**os.environ, "TMPDIR": str(self.folder)}
        out, _ = self.pipe(
            data, "convert", "-", "x.T", "-o", "out.npy", "--max-mem", limit, "--verify", "--quiet", env=on_disk
        )
        self.assertIn(b"verified: what was read back from the disk has this checksum\n", out)
        same = [pathlib.Path(self.path(name)).read_bytes() for name in ("out.npy", "wanted.npy")]
        self.assertTrue(same[0] == same[1])
        self.assertEqual(self.names(), ["in.npy", "out.npy", "wanted.npy"])
        text = "tenstride: convert: --resume must go with an input that can be read again, not with a pipe\n"
        self.assertEqual(self.pipe(head, "convert", "-", "x.T", "-o", "b.npy", "--resume", code=2)[1], text)


class Output(PipeCase):
    def test_the_result_alone_goes_to_standard_output(self):
        self.write("in.npy", npy((2, 3, 4), range(24)))
        cases = [
            ["x.permute(2,0,1)"],
            ["x.permute(2,0,1).reshape(4,-1).to(float16)"],
            ["x[0,0,0]"],
            ["x[:, :0]"],
            ["x.flip(0)", "--order", "F", "--dtype", "float64"],
            ["x", "--scale", "1,10,100", "--shift", "-1", "--axis", "1", "--order", "F"],
            ["x", "--scale", "2,3", "--axis", "0"],
            ["x", "--dtype", "complex64"],
        ]
        for case in cases:
            with self.subTest(case):
                bill = self.run_tool("convert", "in.npy", *case, "-o", "out.npy", "--force").stdout
                out, err = self.pipe(b"", "convert", "in.npy", *case, "-o", "-")
                self.assertEqual(out, pathlib.Path(self.path("out.npy")).read_bytes())
                self.assertIn("wrote standard output: ", err)
                self.assertEqual(*(text[text.index("checksum ") :] for text in (bill, err)))
                self.assertEqual(self.pipe(b"", "convert", "in.npy", *case, "-o", "-", "--quiet"), (out, ""))

    def test_more_than_one_slab(self):
        """Slabs are of 16 MiB."""
        header = npy((3000, 2000), [])
        self.write("in.npy", header + os.urandom(4 * 3000 * 2000))
        for case in (["x.T"], ["x.T", "--order", "F"], ["x.T", "--dtype", "float64", "--scale", "2"]):
            bill = self.run_tool("convert", "in.npy", *case, "-o", "out.npy", "--force").stdout
            out, err = self.pipe(b"", "convert", "in.npy", *case, "-o", "/dev/stdout")
            self.assertTrue(out == pathlib.Path(self.path("out.npy")).read_bytes())
            self.assertEqual(*(text[text.index("checksum ") :] for text in (bill, err)))

    def test_images_and_formats(self):
        self.write("in.png", png(3, 2, range(18)))
        for spec in ("x", "x > 7"):
            self.run_tool("convert", "in.png", spec, "-o", "out.png", "--force")
            out, err = self.pipe(b"", "convert", "in.png", spec, "-o", "-", "--format", "png")
            self.assertEqual(out, pathlib.Path(self.path("out.png")).read_bytes())
            checksum = json.loads(self.run_tool("info", "out.png", "--checksum", "--json").stdout)["checksum"]
            self.assertIn(f"\nchecksum {checksum}\n", err)
        self.run_tool("convert", "in.png", "x", "-o", "out.data", "--format", "npy")
        self.assertEqual(json.loads(self.run_tool("info", "out.data", "--json").stdout)["format"], "npy 1.0")
        chain = self.pipe(out, "convert", "-", "x.permute(2,0,1)", "-o", "-", "--quiet")[0]
        self.assertEqual(json.loads(self.pipe(chain, "info", "-", "--json")[0])["shape"], [3, 2, 3])

    def test_json_goes_where_the_bill_goes(self):
        self.write("in.npy", npy((2, 3), range(6)))
        out, err = self.pipe(b"", "convert", "in.npy", "x", "-o", "-", "--json")
        bill = json.loads(err)
        self.assertEqual((bill["output"]["path"], len(out)), ("-", 128 + 24))
        self.assertEqual([bill["totals"][key] for key in ("flush_seconds", "gb_per_second")], [None, None])
        for output in (["-o", "-"], ["-o-"], ["--output", "-"], ["--output=-"]):
            out, err = self.pipe(b"", "convert", "in.npy", "y", *output, "--json", code=2)
            self.assertEqual(out, b"")
            self.assertEqual(json.loads(err)["exit_code"], 2)
        out, err = self.pipe(b"", "convert", "in.npy", "x", "-o", "-", "--dry-run", "--json")
        self.assertEqual((out, json.loads(err)["dry_run"]), (b"", True))

    def test_a_reader_that_ends_is_an_error(self):
        self.write("in.npy", npy((1000, 1000), range(1000000)))
        for kind in ("npy", "png"):
            spec = "x.to(uint8)" if kind == "png" else "x"
            read, write = os.pipe()
            os.close(read)
            with os.fdopen(write, "wb") as end:
                done = subprocess.run(
                    [self.tool, "convert", "in.npy", spec, "-o", "-", "--format", kind],
                    cwd=self.folder,
                    stdout=end,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            self.assertEqual(
                (done.returncode, done.stderr),
                (1, "tenstride: convert: standard output must take all of the result (Broken pipe)\n"),
            )

    def test_what_standard_output_cannot_be(self):
        self.write("in.npy", npy((2, 3), range(6)))
        call = ["convert", "in.npy", "x", "-o", "-"]
        for option in (["--verify"], ["--verify-only"], ["--resume"], ["--max-mem", "1G"]):
            text = f"convert: {option[0]} must go with an output that is a file, not with standard output"
            self.refused(2, text, b"", *call, *option)
        master, terminal = pty.openpty()
        with os.fdopen(master, "rb"), os.fdopen(terminal, "wb") as end:
            done = subprocess.run([self.tool, *call], cwd=self.folder, stdout=end, stderr=subprocess.PIPE, text=True)
        self.assertEqual(
            (done.returncode, done.stderr),
            (
                2,
                "tenstride: convert: the output - must be a pipe or a file, not a terminal, which would show its "
                "bytes (| program, > x.npy, or -o x.npy)\n",
            ),
        )
        self.refused(1, 'convert: "none" must be a file that can be opened (No such file or directory)', b"",
                     "convert", "none", "x", "-o", "-")  # fmt: skip


if __name__ == "__main__":
    main()
