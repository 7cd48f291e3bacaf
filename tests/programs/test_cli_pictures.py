#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures in `tenstride`: 16 bits and EXIF orientation. Needs nothing but Python."""

import itertools
import json
import struct
import zlib

from cli_case import Case, main, npy, png, read_npy

WORDS = {
    2: "mirrored left to right",
    3: "rotated by 180 degrees",
    4: "mirrored top to bottom",
    5: "transposed",
    6: "rotated by 90 degrees counterclockwise",
    7: "transposed along the other diagonal",
    8: "rotated by 90 degrees clockwise",
}


def upright(rows, orientation):
    """The picture as it was taken, of its stored rows: by which sides the first row and the first column are."""
    if orientation >= 5:
        rows = [list(column) for column in zip(*rows)]
    if orientation in (2, 3, 6, 7):
        rows = [row[::-1] for row in rows]
    if orientation in (3, 4, 7, 8):
        rows = rows[::-1]
    return rows


def tiff(rows, orientation, deflated):
    """A TIFF file of RGB pixels with an orientation, in one strip."""
    data = bytes(value for row in rows for pixel in row for value in pixel)
    data = zlib.compress(data) if deflated else data
    tags = [(256, 3, len(rows[0])), (257, 3, len(rows)), (258, 3, 8), (259, 3, 8 if deflated else 1), (262, 3, 2)]
    tags += [(273, 4, 8), (274, 3, orientation), (277, 3, 3), (278, 3, len(rows)), (279, 4, len(data))]
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    head = struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data
    return head + struct.pack("<H", len(tags)) + entries + bytes(4)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def animation(width, height, frames):
    """A PNG file of gray frames, each as large as the picture."""
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    data += chunk(b"acTL", struct.pack(">II", len(frames), 0))
    sequence = itertools.count()
    for number, pixels in enumerate(frames):
        control = struct.pack(">IIIIIHHBB", next(sequence), width, height, 0, 0, 1, 10, 0, 0)
        rows = b"".join(b"\0" + bytes(pixels[begin : begin + width]) for begin in range(0, len(pixels), width))
        packed = zlib.compress(rows)
        data += chunk(b"fcTL", control)
        data += chunk(b"IDAT", packed) if number == 0 else chunk(b"fdAT", struct.pack(">I", next(sequence)) + packed)
    return data + chunk(b"IEND", b"")


class Pictures(Case):
    def test_the_frames_of_an_animation_are_tensors(self):
        frames = [[(i * step) % 256 for i in range(12)] for step in (1, 7, 50)]
        self.write("a.png", animation(4, 3, frames))
        listed = json.loads(self.run_tool("info", "a.png", "--json").stdout)["tensors"]
        self.assertEqual([(one["name"], one["shape"]) for one in listed], [(str(i), [3, 4, 1]) for i in range(3)])
        self.run_tool("convert", "a.png::*", "x", "-o", "all.npz")
        for number, frame in enumerate(frames):
            out = self.run_tool("convert", f"a.png::{number}", "x", "-o", "x.npy", "--force").stdout
            self.assertEqual(read_npy(self.path("x.npy"), "B")[1], frame)
            self.assertNotIn("note", out)
            self.run_tool("convert", f"all.npz::{number}", "x", "-o", "y.npy", "--force")
            self.assertEqual(read_npy(self.path("y.npy"), "B")[1], frame)

    def test_of_the_tensors_of_a_picture_the_first_is_meant_and_that_is_told(self):
        self.write("a.png", animation(4, 3, [[5] * 12, [6] * 12]))
        note = '"a.png" holds further tensors, and "a.png::0" is meant; "a.png::*" means all'
        out = self.run_tool("convert", "a.png", "x", "-o", "x.npy").stdout
        self.assertIn(f"note: {note}\n", out)
        told = json.loads(self.run_tool("convert", "a.png", "x", "-o", "y.npy", "--json").stdout)
        self.assertEqual(told["notes"], [note])
        self.assertEqual(read_npy(self.path("x.npy"), "B")[1], [5] * 12)

    def test_sixteen_bits_are_exact_and_native(self):
        pixels = [(4001 * i) % 65536 for i in range(4 * 5 * 3)]
        self.write("a.png", png(5, 4, pixels, bits=16))
        info = json.loads(self.run_tool("info", "a.png", "--json").stdout)
        self.assertEqual((info["dtype"], info["shape"], info["nbytes"]), ("uint16", [4, 5, 3], 120))
        self.run_tool("convert", "a.png", "x", "-o", "a.npy", "--verify")
        self.assertEqual(read_npy(self.path("a.npy"), "H")[1], pixels)
        self.run_tool("convert", "a.png", "x", "-o", "f.npy", "--dtype", "float64", "--scale", "1/65535", "--verify")
        self.assertEqual(read_npy(self.path("f.npy"), "d")[1], [i * (1 / 65535) for i in pixels])
        # And back, exactly.
        self.run_tool("convert", "a.npy", "x", "-o", "b.png", "--verify")
        self.run_tool("convert", "b.png", "x", "-o", "b.npy")
        self.assertEqual(read_npy(self.path("b.npy"), "H")[1], pixels)
        self.run_tool("convert", "a.png", "x", "-o", "c.png", "--dtype", "uint8", "--scale", "1/257", "--shift", "0.5")
        self.assertEqual(json.loads(self.run_tool("info", "c.png", "--json").stdout)["dtype"], "uint8")

    def test_orientation_is_told_and_applied(self):
        rows = [[(20 * y + 3 * x, y, x) for x in range(3)] for y in range(2)]
        pixels = [value for row in rows for pixel in row for value in pixel]
        for orientation, words in WORDS.items():
            with self.subTest(orientation):
                self.write("a.png", png(3, 2, pixels, exif=orientation))
                note = f"EXIF orientation {orientation}: the picture is stored {words}; "
                done = self.run_tool("convert", "a.png", "x", "-o", "a.npy", "--force")
                self.assertIn(note + "--upright turns it\n", done.stdout)
                self.assertEqual(read_npy(self.path("a.npy"), "B")[1], pixels)
                told = self.run_tool("info", "a.png").stdout
                self.assertIn(f"{orientation} by EXIF: stored {words}; convert --upright turns it\n", told)
                self.assertEqual(
                    json.loads(self.run_tool("info", "a.png", "--json").stdout)["orientation"], orientation
                )
                call = ["convert", "a.png", "x", "-o", "b.npy", "--force", "--upright", "--verify"]
                self.assertIn(note + "x is seen upright\n", self.run_tool(*call).stdout)
                header, values = read_npy(self.path("b.npy"), "B")
                wanted = upright(rows, orientation)
                self.assertEqual(header["shape"], (len(wanted), len(wanted[0]), 3))
                self.assertEqual(values, [value for row in wanted for pixel in row for value in pixel])
                bill = json.loads(self.run_tool(*call, "--json").stdout)
                self.assertEqual((bill["input"]["orientation"], bill["input"]["upright"]), (orientation, True))
                self.assertEqual(bill["totals"]["copies"], 1)
                # SPEC sees the picture upright, in the same single pass.
                spec = ["h w c -> c h w", "-o", "c.npy", "--upright", "--force", "--dtype", "float32", "--scale", "2"]
                bill = json.loads(self.run_tool("convert", "a.png", *spec, "--verify", "--json").stdout)
                self.assertEqual(bill["totals"]["copies"], 1)
                self.assertEqual(
                    read_npy(self.path("c.npy"), "f")[1],
                    [2.0 * pixel[c] for c in range(3) for row in wanted for pixel in row],
                )
                self.run_tool("convert", "a.png", "x", "-o", "d.png", "--upright", "--force", "--verify")

    def test_orientation_of_tiff_is_told_and_applied(self):
        rows = [[(20 * y + 3 * x, y, x) for x in range(3)] for y in range(2)]
        for (orientation, words), deflated in itertools.product(WORDS.items(), (False, True)):
            with self.subTest(orientation, deflated=deflated):
                self.write("a.tif", tiff(rows, orientation, deflated))
                told = self.run_tool("info", "a.tif").stdout
                self.assertIn(f"{orientation}: stored {words}; convert --upright turns it\n", told)
                self.assertEqual(
                    json.loads(self.run_tool("info", "a.tif", "--json").stdout)["orientation"], orientation
                )
                wanted = upright(rows, orientation)
                for spec, output in (("x", [value for row in wanted for pixel in row for value in pixel]),):
                    self.run_tool("convert", "a.tif", spec, "-o", "b.npy", "--force", "--upright", "--verify")
                    self.assertEqual(read_npy(self.path("b.npy"), "B")[1], output)
                planes = [pixel[c] for c in range(3) for row in wanted for pixel in row]
                for spec in ("h w c -> c h w", "x.permute(2, 0, 1)", "y = x.permute(2, 0, 1); y + 0 * x[0, 0, 0]"):
                    done = self.run_tool("convert", "a.tif", spec, "-o", "c.npy", "--force", "--upright")
                    self.assertEqual(read_npy(self.path("c.npy"), "B")[1], planes)
                note = f"orientation {orientation}: the picture is stored {words}; "
                self.assertIn("\n" + note + "x is seen upright\n", done.stdout)
                self.run_tool("convert", "a.tif", "x", "-o", "d.tif", "--force", "--upright")
                self.assertEqual(json.loads(self.run_tool("info", "d.tif", "--json").stdout)["orientation"], 1)

    def test_without_orientation_nothing_is_said(self):
        self.write("a.png", png(3, 2, range(18)))
        for extra in ([], ["--upright"]):
            done = self.run_tool("convert", "a.png", "x", "-o", "a.npy", "--force", *extra)
            self.assertNotIn("EXIF", done.stdout)
        self.assertNotIn("orientation", self.run_tool("info", "a.png").stdout)
        self.assertEqual(json.loads(self.run_tool("info", "a.png", "--json").stdout)["orientation"], 1)
        self.write("b.npy", npy((2, 3), range(6)))
        self.assertIsNone(json.loads(self.run_tool("info", "b.npy", "--json").stdout)["orientation"])
        self.fails(
            2,
            "convert: --upright must go with a picture or a TIFF file, others have no orientation",
            "convert",
            "b.npy",
            "x",
            "-o",
            "c.npy",
            "--upright",
        )


if __name__ == "__main__":
    main()
