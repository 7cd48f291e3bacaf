#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of several tensors, and without a header, by the program from outside. Needs nothing but Python."""

import io
import json
import os
import pathlib
import struct
import subprocess
import zipfile

from cli_case import HANGS, Case, main, npy, read_npy

LIMIT = "512M"  # of memory: any goes from file to file, a sanitized program needs 210M
CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "U8": "B"}


def safetensors(tensors, metadata=None):
    """The bytes of a safetensors file, by its definition; `tensors` is {name: (type, shape, values)}."""
    header, body = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (kind, shape, values) in tensors.items():
        data = struct.pack(f"<{len(values)}{CODES[kind]}", *values)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def read_safetensors(path):
    """({name: (type, shape, values)}, metadata)"""
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + length])
    metadata = header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        first, last = (8 + length + offset for offset in entry["data_offsets"])
        code = CODES[entry["dtype"]]
        values = list(struct.unpack(f"<{(last - first) // struct.calcsize(code)}{code}", raw[first:last]))
        tensors[name] = (entry["dtype"], entry["shape"], values)
    return tensors, metadata


def npz(members, method=zipfile.ZIP_STORED):
    """An archive of .npy files; `members` is {name: bytes}."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name + ".npy", data)
    return buffer.getvalue()


A = ("F32", [2, 3], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
B = ("F32", [3], [6.0, 7.0, 8.0])
STEP = ("I64", [], [9])
TRANSPOSED = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.write("m.safetensors", safetensors({"a.w": A, "b.w": B, "step": STEP}, {"format": "pt"}))

    def convert(self, *arguments, **extra):
        return self.run_tool("convert", *arguments, **extra)

    def info(self, *arguments):
        return json.loads(self.run_tool("info", *arguments, "--json").stdout)


class Listing(Formats):
    def test_all_tensors_are_listed(self):
        self.assertEqual(
            self.run_tool("info", "m.safetensors").stdout,
            "a.w   float32  (2,3)  24 B\n"
            "b.w   float32  (3)    12 B\n"
            "step  int64    ()     8 B\n"
            "3 tensors, 44 B, safetensors\n",
        )
        found = self.info("m.safetensors")
        self.assertEqual(found["path"], "m.safetensors")
        self.assertEqual([tensor["name"] for tensor in found["tensors"]], ["a.w", "b.w", "step"])
        self.assertEqual(
            {key: found["tensors"][0][key] for key in ("path", "dtype", "shape", "strides", "nbytes", "attributes")},
            {
                "path": "m.safetensors",
                "dtype": "float32",
                "shape": [2, 3],
                "strides": [3, 1],
                "nbytes": 24,
                "attributes": {"format": "pt"},
            },
        )

    def test_names_and_patterns(self):
        one = self.info("m.safetensors::step")
        self.assertEqual((one["path"], one["name"], one["shape"]), ("m.safetensors::step", "step", []))
        several = self.info("m.safetensors::*.w")
        self.assertEqual([tensor["name"] for tensor in several["tensors"]], ["a.w", "b.w"])
        self.assertEqual(self.info("m.safetensors::?.w")["tensors"], several["tensors"])
        self.assertIn("\ntensor      a.w\n", self.run_tool("info", "m.safetensors::a*").stdout)

    def test_members_of_an_archive(self):
        members = {"x": npy((2, 3), range(6)), "y": npy((2,), range(2), fortran=True)}
        self.write("s.npz", npz(members))
        self.write("d.npz", npz(members, zipfile.ZIP_DEFLATED))
        self.assertTrue(self.run_tool("info", "s.npz").stdout.endswith("2 tensors, 32 B, npz, stored\n"))
        self.assertTrue(self.run_tool("info", "d.npz").stdout.endswith("2 tensors, 32 B, npz, deflated\n"))
        deflated = self.info("d.npz::x", "--checksum")
        self.assertEqual((deflated["codec"], deflated["mapped"]), ("deflate", False))
        self.assertEqual(deflated["checksum"], self.info("s.npz::x", "--checksum")["checksum"])
        self.assertIn("no: read into memory, compressed by deflate\n", self.run_tool("info", "d.npz::x").stdout)

    def test_numbers_that_json_does_not_have(self):
        array = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "fill_value": None, "order": "C"}
        os.mkdir(self.path("n.zarr"))
        self.write("n.zarr/.zarray", json.dumps({**array, "filters": None, "compressor": None}).encode())
        self.write("n.zarr/.zattrs", b'{"_FillValue": NaN, "valid_range": [-Infinity, 1.5], "units": "K"}')
        done = self.run_tool("info", "n.zarr", "--json").stdout
        self.assertEqual(
            json.loads(done, parse_constant=self.fail)["attributes"],
            {"_FillValue": "NaN", "valid_range": ["-Infinity", 1.5], "units": "K"},
        )

    def test_a_type_that_cannot_be_read(self):
        header = b'{"q":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}'
        self.write("q.safetensors", struct.pack("<Q", len(header)) + header + b"\0\0")
        rule = "have elements of a type that tenstride has, not F4"
        self.assertEqual(self.info("q.safetensors")["obstacle"], rule)
        self.assertIn(f"no: it must {rule}\n", self.run_tool("info", "q.safetensors").stdout)
        done = self.convert("q.safetensors", "x", "-o", "y.npy", code=1)
        self.assertIn(f'"q.safetensors::q" must {rule}', done.stderr)

    def test_refusals(self):
        self.fails(
            1,
            'info: "m.safetensors" must have a tensor "a.v" (it has 3: a.w, b.w, step; did you mean "a.w"?)',
            "info",
            "m.safetensors::a.v",
        )
        self.write("x.npy", npy((2, 3), range(6)))
        self.fails(
            1,
            'info: "x.npy" holds one tensor, which must be meant without a name, not by "a"',
            "info",
            "x.npy::a",
        )
        self.write("bad.safetensors", safetensors({"a": A}) + b"more")
        self.fails(
            1,
            'safetensors: "bad.safetensors" has 28 bytes behind its header, which must all belong to tensors; 4 do not',
            "info",
            "bad.safetensors",
        )

    def test_expressions_take_a_tensor_of_a_file(self):
        done = self.run_tool("explain", "x.t()", "--input", "m.safetensors::a.w")
        self.assertIn("(3,2):(1,3)+0  float32", done.stdout)
        done = self.run_tool("show", "x.t()", "--input", "m.safetensors::a.w")
        self.assertIn("x.t()  view: storage A again, nothing moves\n", done.stdout)

    def test_version_names_the_formats(self):
        lines = self.run_tool("--version").stdout.splitlines()
        reads, writes = lines[1].split(), lines[2].split()
        self.assertEqual((reads[0], writes[0]), ("reads", "writes"))
        for name in ("npy", "npz", "safetensors", "NIfTI", "raw"):
            self.assertIn(name, reads)
            self.assertIn(name, writes)
        self.assertIn("JPEG", reads)
        self.assertNotIn("JPEG", writes)


class Converting(Formats):
    def test_one_tensor_to_each_kind(self):
        for suffix in ("npy", "npz", "safetensors", "nii", "raw", "bin"):
            with self.subTest(suffix):
                output = f"y.{suffix}"
                named = output + "::w" if suffix in ("npz", "safetensors") else output
                self.convert("m.safetensors::a.w", "x.t()", "-o", named, "--verify")
                data = pathlib.Path(self.path(output)).read_bytes()
                if suffix == "npy":
                    header, values = read_npy(self.path(output), "f")
                    self.assertEqual((header["shape"], values), ((3, 2), TRANSPOSED))
                elif suffix == "npz":
                    with zipfile.ZipFile(self.path(output)) as archive:
                        self.assertIsNone(archive.testzip())
                        self.assertEqual(archive.namelist(), ["w.npy"])
                        self.write("member.npy", archive.read("w.npy"))
                    self.assertEqual(read_npy(self.path("member.npy"), "f")[1], TRANSPOSED)
                elif suffix == "safetensors":
                    self.assertEqual(read_safetensors(self.path(output))[0], {"w": ("F32", [3, 2], TRANSPOSED)})
                elif suffix == "nii":  # the first axis is the fastest
                    self.assertEqual(struct.unpack("<6f", data[-24:]), tuple(A[2]))
                    self.assertEqual(struct.unpack("<3h", data[40:46]), (2, 3, 2))
                else:
                    self.assertEqual(list(struct.unpack("<6f", data)), TRANSPOSED)

    def test_a_name_for_the_output(self):
        self.convert("m.safetensors::a.w", "x", "-o", "y.safetensors::weight")
        self.assertEqual(read_safetensors(self.path("y.safetensors"))[0], {"weight": A})
        self.assertEqual(self.names(), ["m.safetensors", "y.safetensors"])

    def test_several_tensors_and_those_that_go_along(self):
        self.convert("m.safetensors::*.w", "x.flip(0)", "-o", "y.safetensors", "--verify")
        flipped = {"a.w": ("F32", [2, 3], [3.0, 4.0, 5.0, 0.0, 1.0, 2.0]), "b.w": ("F32", [3], [8.0, 7.0, 6.0])}
        self.assertEqual(read_safetensors(self.path("y.safetensors"))[0], flipped)
        done = self.convert("m.safetensors::*.w", "x.flip(0)", "-o", "z.safetensors", "--keep-others")
        self.assertIn("wrote z.safetensors: 3 tensors, 44 B\n", done.stdout)
        self.assertEqual(read_safetensors(self.path("z.safetensors")), ({**flipped, "step": STEP}, {"format": "pt"}))
        done = self.convert("m.safetensors::a.w", "x.t()", "-o", "k.safetensors", "--keep-others")
        self.assertEqual(
            read_safetensors(self.path("k.safetensors"))[0],
            {"step": STEP, "a.w": ("F32", [3, 2], TRANSPOSED), "b.w": B},
        )

    def test_a_checkpoint_of_several_files(self):
        self.convert("m.safetensors", "x", "-o", "y.safetensors", "--max-file-size", "32")
        first, second = "y-00001-of-00002.safetensors", "y-00002-of-00002.safetensors"
        self.assertEqual(self.names(), ["m.safetensors", first, second, "y.safetensors.index.json"])
        index = json.loads(pathlib.Path(self.path("y.safetensors.index.json")).read_text())
        self.assertEqual(
            index, {"metadata": {"total_size": 44}, "weight_map": {"a.w": first, "b.w": second, "step": second}}
        )
        self.assertEqual(read_safetensors(self.path(first))[0], {"a.w": A})
        self.assertEqual(read_safetensors(self.path(second))[0], {"b.w": B, "step": STEP})
        self.assertTrue(
            self.run_tool("info", "y.safetensors.index.json").stdout.endswith("3 tensors, 44 B, safetensors\n")
        )
        self.convert("y.safetensors.index.json", "x", "-o", "z.safetensors")
        self.assertEqual(read_safetensors(self.path("z.safetensors"))[0], {"a.w": A, "b.w": B, "step": STEP})

    def test_a_checkpoint_is_not_begun_where_its_index_exists(self):
        self.write("y.safetensors.index.json", b"kept")
        self.fails(
            1,
            'convert: "y.safetensors.index.json" exists already and must not be replaced (--force replaces it)',
            "convert",
            "m.safetensors",
            "x",
            "-o",
            "y.safetensors",
            "--max-file-size",
            "32",
        )
        self.assertEqual(self.names(), ["m.safetensors", "y.safetensors.index.json"])
        self.convert("m.safetensors", "x", "-o", "y.safetensors", "--max-file-size", "32", "--force")
        self.assertEqual(
            len(json.loads(pathlib.Path(self.path("y.safetensors.index.json")).read_text())["weight_map"]), 3
        )

    def test_compressed_archives(self):
        self.write("x.npy", npy((100, 100), [7.0] * 10000))
        self.convert("x.npy", "x", "-o", "small.npz", "--compress")
        self.convert("x.npy", "x", "-o", "large.npz")
        self.assertLess((self.folder / "small.npz").stat().st_size, 2000)
        self.assertGreater((self.folder / "large.npz").stat().st_size, 40000)
        for name in ("small.npz", "large.npz"):
            with zipfile.ZipFile(self.path(name)) as archive:
                self.assertIsNone(archive.testzip())
        self.convert("m.safetensors", "x", "-o", "m.npz", "--compress")
        with zipfile.ZipFile(self.path("m.npz")) as archive:
            self.assertEqual(archive.namelist(), ["a.w.npy", "b.w.npy", "step.npy"])
            self.assertEqual({entry.compress_type for entry in archive.infolist()}, {zipfile.ZIP_DEFLATED})
        self.convert("small.npz", "x.t()", "-o", "back.npy", "--max-mem", LIMIT)
        self.assertEqual(read_npy(self.path("back.npy"), "f")[1], [7.0] * 10000)

    def test_compression_is_refused_where_there_is_none(self):
        self.write("x.npy", npy((2, 2), [7.0] * 4))
        self.convert("x.npy", "x", "-o", "small.tif", "--compress")
        for name, kind in (("y.npy", "npy"), ("y.raw", "raw"), ("y.zarr", "zarr"), ("y.safetensors", "safetensors")):
            done = self.run_tool("convert", "x.npy", "x", "-o", name, "--compress", code=2)
            self.assertIn(
                f"convert: --compress must go with .npz, .tif or .tiff, not with {kind} (codec compresses .zarr",
                done.stderr,
            )

    def test_the_time_of_compressed_chunks_is_unknown(self):
        self.write("x.npy", npy((100, 100), [7.0] * 10000))
        self.convert("x.npy", "x", "-o", "x.zarr", "--chunks", "10,100")
        self.convert("x.npy", "x", "-o", "plain.zarr", "--chunks", "10,100", "--codec", "none")
        call = ("x.t()", "-o", "y.npy", "--max-mem", LIMIT, "--dry-run")
        self.assertIn("of temporary space, in unknown time: ", self.convert("x.zarr", *call).stdout)
        self.assertIsNone(json.loads(self.convert("x.zarr", *call, "--json").stdout)["forecast"]["seconds"])
        self.assertGreater(json.loads(self.convert("plain.zarr", *call, "--json").stdout)["forecast"]["seconds"], 0)

    def test_refusals(self):
        self.fails(
            2,
            'convert: 3 tensors must go to a file that holds several, as .safetensors and .npz do, not to "y.npy"',
            "convert",
            "m.safetensors",
            "x",
            "-o",
            "y.npy",
        )
        for option, arguments in (
            ("--verify-only", ("-o", "y.safetensors", "--verify-only")),
            ("the output -", ("-o", "-")),
            ("a name of the output", ("-o", "y.safetensors::a")),
        ):
            self.fails(
                2,
                f"convert: {option} must go with one tensor, the input names several",
                "convert",
                "m.safetensors",
                "x",
                *arguments,
            )
        for arguments in (("--max-mem", "1G"), ("--resume",)):
            self.fails(
                2,
                "convert: --max-mem and --resume must go with files whose elements can be written one by one",
                "convert",
                "m.safetensors",
                "x",
                "-o",
                "y.npz",
                *arguments,
            )
        self.fails(
            2,
            "convert: --max-file-size must go with .safetensors files",
            "convert",
            "m.safetensors",
            "x",
            "-o",
            "y.npz",
            "--max-file-size",
            "32",
        )
        self.assertEqual(self.names(), ["m.safetensors"])


class WithoutHeader(Formats):
    def test_from_a_file(self):
        self.write("r.bin", b"head" + struct.pack(">6h", *range(6)))
        raw = ("--shape", "2,3", "--input-dtype", "int16", "--offset", "4", "--byteswap")
        found = self.info("r.bin", *raw)
        self.assertEqual((found["dtype"], found["shape"], found["byte_swapped"]), ("int16", [2, 3], True))
        self.convert("r.bin", "x", "-o", "y.npy", *raw)
        self.assertEqual(read_npy(self.path("y.npy"), "h")[1], [0, 1, 2, 3, 4, 5])
        self.convert("r.bin", "x", "-o", "f.npy", *raw, "--input-order", "F")
        self.assertEqual(read_npy(self.path("f.npy"), "h")[1], [0, 2, 4, 1, 3, 5])
        self.convert("r.bin", "x.t()", "-o", "large.npy", *raw, "--max-mem", LIMIT)
        self.assertEqual(read_npy(self.path("large.npy"), "h")[1], [0, 3, 1, 4, 2, 5])

    def test_from_a_pipe(self):
        done = subprocess.run(
            [
                self.tool,
                "convert",
                "-",
                "x.t()",
                "-o",
                "y.npy",
                "--shape",
                "2,3",
                "--input-dtype",
                "int16",
                "--byteswap",
            ],
            input=struct.pack(">6h", *range(6)),
            capture_output=True,
            timeout=HANGS,
            cwd=self.folder,
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(read_npy(self.path("y.npy"), "h")[1], [0, 3, 1, 4, 2, 5])

    def test_refusals(self):
        self.write("r.bin", bytes(12))
        with_shape = (
            "--input-dtype, --input-order, --offset and --byteswap must go with --shape, for a file without a header"
        )
        for option in (("--input-dtype", "int16"), ("--input-order", "F"), ("--offset", "3"), ("--byteswap",)):
            self.fails(2, f"info: {with_shape}", "info", "r.bin", *option)
        self.fails(2, '--shape "2,a" must be sizes, e.g. 480,640', "info", "r.bin", "--shape", "2,a")
        self.fails(2, '--shape "-1" must be sizes, e.g. 480,640', "info", "r.bin", "--shape=-1")
        self.fails(
            2,
            'info: the dtype "real" of the input must be one, e.g. float32',
            "info",
            "r.bin",
            "--shape",
            "2",
            "--input-dtype",
            "real",
        )
        self.fails(
            1,
            'info: "r.bin" has 12 bytes and must have 12 from byte 4 on (shape (2,3), int16)',
            "info",
            "r.bin",
            "--shape",
            "2,3",
            "--input-dtype",
            "int16",
            "--offset",
            "4",
        )


class Nifti(Formats):
    def source(self):
        """A file of (2,3,4) int16 whose affine transform has a number of its own in each place."""
        header = bytearray(352)
        struct.pack_into("<i", header, 0, 348)
        struct.pack_into("<8h", header, 40, 3, 2, 3, 4, 1, 1, 1, 1)
        struct.pack_into("<hh", header, 70, 4, 16)
        struct.pack_into("<8f", header, 76, 1, 1.5, 2.5, 3.5, 1, 1, 1, 1)
        struct.pack_into("<f", header, 108, 352)
        struct.pack_into("<h", header, 254, 1)
        struct.pack_into("<12f", header, 280, 11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34)
        header[344:348] = b"n+1\0"
        return bytes(header) + struct.pack("<24h", *range(24))

    def test_a_permutation_keeps_the_affine_transform(self):
        self.write("x.nii", self.source())
        for arguments in ((), ("--max-mem", LIMIT)):
            self.convert("x.nii", "x.permute(2,0,1)", "-o", "y.nii", "--force", *arguments)
            data = pathlib.Path(self.path("y.nii")).read_bytes()
            self.assertEqual(struct.unpack_from("<4h", data, 40), (3, 4, 2, 3))
            self.assertEqual(struct.unpack_from("<3f", data, 80), (3.5, 1.5, 2.5))
            self.assertEqual(struct.unpack_from("<12f", data, 280), (13, 11, 12, 14, 23, 21, 22, 24, 33, 31, 32, 34))
            # The element (i,j,k) of the source is number i + 2j + 6k.
            wanted = [i + 2 * j + 6 * k for j in range(3) for i in range(2) for k in range(4)]
            self.assertEqual(list(struct.unpack("<24h", data[-48:])), wanted)

    def test_positions_are_those_of_the_result(self):
        self.write("x.nii", self.source())
        for chain, sizes, rows in (
            ("x.flip(0)", (1.5, 2.5, 3.5), (-11, 12, 13, 25, -21, 22, 23, 45, -31, 32, 33, 65)),
            ("x[:, 1:]", (1.5, 2.5, 3.5), (11, 12, 13, 26, 21, 22, 23, 46, 31, 32, 33, 66)),
            ("x[:, :, ::2]", (1.5, 2.5, 7), (11, 12, 26, 14, 21, 22, 46, 24, 31, 32, 66, 34)),
        ):
            for arguments in ((), ("--max-mem", LIMIT)):
                call = ("x.nii", chain, "-o", "y.nii", "--force", *arguments)
                self.assertNotIn("dropped", self.convert(*call, "--dry-run").stdout)
                self.assertEqual(json.loads(self.convert(*call, "--json").stdout)["dropped"], [])
                data = pathlib.Path(self.path("y.nii")).read_bytes()
                self.assertEqual(struct.unpack_from("<hh", data, 252), (0, 1))
                self.assertEqual(struct.unpack_from("<3f", data, 80), sizes)
                self.assertEqual(struct.unpack_from("<12f", data, 280), rows)

    def test_what_is_not_true_of_the_result_is_dropped_and_told(self):
        self.write("x.nii", self.source())
        reason = "axis z is axis 3 of the result"
        for arguments in ((), ("--max-mem", LIMIT)):
            call = ("x.nii", "x.unsqueeze(0)", "-o", "y.nii", "--force", *arguments)
            self.assertIn(f"dropped  pixdim, sform: {reason}\n", self.convert(*call, "--dry-run").stdout)
            self.assertIn(f"dropped  pixdim, sform: {reason}\n", self.convert(*call).stdout)
            bill = json.loads(self.convert(*call, "--json").stdout)
            self.assertEqual(bill["dropped"], [{"fact": fact, "reason": reason} for fact in ("pixdim", "sform")])
            data = pathlib.Path(self.path("y.nii")).read_bytes()
            self.assertEqual(struct.unpack_from("<hh", data, 252), (0, 0))
            self.assertEqual(struct.unpack_from("<12f", data, 280), (0,) * 12)
        self.assertNotIn("dropped", self.convert("x.nii", "x.unsqueeze(0)", "-o", "y.npy").stdout)
        self.assertEqual(json.loads(self.convert("x.nii", "x", "-o", "z.nii", "--json").stdout)["dropped"], [])

    def test_elements_become_what_they_mean(self):
        source = bytearray(self.source())
        struct.pack_into("<ff", source, 112, 0.5, 10)
        self.write("x.nii", bytes(source))
        self.assertIn("0.5 * x + 10; convert --rescale applies it", self.run_tool("info", "x.nii").stdout)
        wanted = [0.5 * n + 10 for n in range(24)]
        for arguments in ((), ("--max-mem", LIMIT)):
            self.convert("x.nii", "x", "-o", "y.raw", "--order", "F", "--rescale", "--verify", "--force", *arguments)
            self.assertEqual(list(struct.unpack("<24f", pathlib.Path(self.path("y.raw")).read_bytes())), wanted)
            for options in (("--rescale",), ("--dtype", "float32", "--scale", "0.5", "--shift", "10")):
                self.convert("x.nii", "x", "-o", "y.nii", "--verify", "--force", *options, *arguments)
                info = self.info("y.nii")
                self.assertEqual((info["dtype"], info["scale"], info["shift"]), ("float32", 1.0, 0.0))
                self.assertNotIn("scl_slope", info["attributes"])
                data = pathlib.Path(self.path("y.nii")).read_bytes()
                self.assertEqual(list(struct.unpack("<24f", data[-96:])), wanted)
        self.convert("x.nii", "x", "-o", "y.npz", "--compress", "--rescale", "--verify")
        call = ("convert", "x.nii", "x", "-o", "z.npy", "--rescale")
        self.fails(
            2,
            "convert: --rescale takes scale and shift from the input and must not go with --scale (leave one of them out)",
            *call,
            "--scale",
            "2",
        )
        call = ("convert", "x.nii", "x.sum(0)", "-o", "z.npy", "--rescale")
        self.fails(2, "convert: SPEC must only move elements to go with --rescale: it reduces axes", *call)


if __name__ == "__main__":
    main()
