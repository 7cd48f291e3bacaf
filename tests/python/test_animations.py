# SPDX-License-Identifier: Apache-2.0
"""Frames of GIF and of animated PNG: files made here, block by block; what is shown by the definition, or by Pillow."""

from __future__ import annotations

import io
import struct
import zlib

import numpy
import PIL.GifImagePlugin
import PIL.Image
import pytest
import tenstride as torch

KEEP, CLEAR, RESTORE = "keep", "clear", "restore"


class Frame:
    """Pixels at a place of a canvas; `alpha`, of the same height and width, says how far they hide what is below."""

    def __init__(self, pixels, alpha, top, left, end):
        self.pixels, self.alpha, self.end = pixels, alpha, end
        self.place = numpy.s_[top : top + pixels.shape[0], left : left + pixels.shape[1]]


def shown(frames, canvas, paint):
    """The canvas with each frame in turn, by the definition; `paint(frame, canvas)` gives what is then at its place."""
    empty = canvas.copy()
    for number, frame in enumerate(frames):
        before = canvas.copy()
        canvas[frame.place] = paint(frame, canvas[frame.place])
        yield canvas.copy()
        if frame.end == CLEAR or (frame.end == RESTORE and number == 0):
            canvas[frame.place] = empty[frame.place]
        elif frame.end == RESTORE:
            canvas = before


def loaded(path, count):
    """All frames, each by its number; the same as those that are loaded together."""
    if count == 1:
        return [torch.load(path).numpy()]
    single = [torch.load(f"{path}::{number}").numpy() for number in range(count)]
    together = torch.load(f"{path}::*")
    assert list(together) == [str(number) for number in range(count)]
    for one, (_, other) in zip(single, together.items(), strict=True):
        numpy.testing.assert_array_equal(one, other.numpy())
    numpy.testing.assert_array_equal(torch.load(path).numpy(), single[0])
    return single


# GIF

TRANSPARENT = 7


def gif(height, width, frames, background=0, palette=None):
    """`frames`: (indices, top, left, disposal, has a transparent colour, palette of its own or None, is interlaced)."""
    palette = numpy.arange(24, dtype="u1") * 9 if palette is None else palette
    data = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF2, background, 0) + palette.tobytes()
    for indices, top, left, disposal, has_transparent, own, is_interlaced in frames:
        image = PIL.Image.fromarray(indices, "P")
        image.putpalette((palette if own is None else own).tobytes())
        options = {"transparency": TRANSPARENT} if has_transparent else {}
        blocks = PIL.GifImagePlugin.getdata(
            image,
            (left, top),
            disposal=disposal,
            interlace=is_interlaced,
            include_color_table=own is not None,
            **options,
        )
        data += b"".join(blocks)
    return data + b";"


def random_gif(random, height=20, width=18):
    frames, descriptions = [], []
    palette = random.integers(0, 256, 24).astype("u1")
    background = int(random.integers(0, 8))
    may_be_transparent = random.integers(0, 2)
    for _ in range(random.integers(1, 7)):
        whole = random.integers(0, 3) == 0
        top, left = (0, 0) if whole else (int(random.integers(0, 3)), int(random.integers(0, 2)))
        rows, columns = (height, width) if whole else (random.integers(16, height - 1), random.integers(16, width))
        indices = random.integers(0, 8, (rows, columns)).astype("u1")
        # getdata writes as many colours as are used.
        indices[0, :8] = numpy.arange(8)
        disposal = int(random.integers(0, 4))
        has_transparent = bool(may_be_transparent and random.integers(0, 2))
        own = random.integers(0, 256, 24).astype("u1") if random.integers(0, 2) else None
        descriptions.append((indices, top, left, disposal, has_transparent, own, int(random.integers(0, 2))))
        colours = (palette if own is None else own).reshape(8, 3)
        alpha = (indices != TRANSPARENT) | (not has_transparent)
        end = {2: CLEAR, 3: RESTORE}.get(disposal, KEEP)
        frames.append(Frame(colours[indices], alpha, top, left, end))
    has_alpha = any(description[4] for description in descriptions)
    empty = [0, 0, 0, 0] if has_alpha else [*palette.reshape(8, 3)[background], 255]
    canvas = numpy.broadcast_to(numpy.array(empty, "u1"), (height, width, 4)).copy()

    def paint(frame, below):
        opaque = numpy.concatenate([frame.pixels, numpy.full((*frame.alpha.shape, 1), 255, "u1")], 2)
        return numpy.where(frame.alpha[..., None], opaque, below)

    wanted = [picture if has_alpha else picture[..., :3] for picture in shown(frames, canvas, paint)]
    return gif(height, width, descriptions, background, palette), wanted


@pytest.mark.parametrize("seed", range(40))
def test_frames_of_gif_are_painted_one_upon_the_other(tmp_path, seed):
    data, wanted = random_gif(numpy.random.default_rng(seed))
    path = tmp_path / "x.gif"
    path.write_bytes(data)
    infos = torch.file_info(path)
    assert [info.shape for info in infos] == [picture.shape for picture in wanted]
    assert {info.format for info in infos} == {"GIF"}
    for found, picture in zip(loaded(path, len(wanted)), wanted, strict=True):
        numpy.testing.assert_array_equal(found, picture)


def opaque_where_seen(image):
    pixels = numpy.array(image.convert("RGBA"))
    pixels[pixels[..., 3] == 0] = 0
    return pixels


@pytest.mark.parametrize("disposal", [0, 1, 2, 3])
@pytest.mark.parametrize("transparency", [None, 3])
def test_frames_of_gif_are_those_of_pillow(tmp_path, disposal, transparency):
    random = numpy.random.default_rng(disposal)
    first, *others = (
        PIL.Image.fromarray(numpy.kron(random.integers(0, 8, (6, 7)), numpy.ones((5, 5))).astype("u1"), "P")
        for _ in range(5)
    )
    for image in (first, *others):
        image.putpalette(random.integers(0, 256, 24).astype("u1").tobytes())
    options = {} if transparency is None else {"transparency": transparency}
    path = tmp_path / "x.gif"
    first.save(path, save_all=True, append_images=others, disposal=disposal, **options)
    with PIL.Image.open(path) as image:
        for number, found in enumerate(loaded(path, image.n_frames)):
            image.seek(number)
            wanted = opaque_where_seen(image)
            numpy.testing.assert_array_equal(found, wanted if found.shape[2] == 4 else wanted[..., :3])


def test_gif_without_a_table_of_colours_is_gray(tmp_path):
    indices = numpy.arange(12, dtype="u1").reshape(3, 4) % 8
    data = gif(3, 4, [(indices, 0, 0, 0, False, None, 0)])
    (tmp_path / "x.gif").write_bytes(data[:10] + b"\x02" + data[11:13] + data[37:])
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.gif").numpy(), numpy.stack([indices] * 3, 2))


@pytest.mark.parametrize("is_interlaced", [0, 1])
def test_frames_beyond_the_canvas_are_cut(tmp_path, is_interlaced):
    small, large = (numpy.arange(n * n, dtype="u1").reshape(n, n) % 8 for n in (20, 40))
    frames = [(small, 0, 0, 0, False, None, 0), (large, 3, 5, 0, False, None, is_interlaced)]
    frames.append((large, 20, 40, 0, False, None, is_interlaced))
    (tmp_path / "x.gif").write_bytes(gif(20, 20, frames))
    palette = (numpy.arange(24, dtype="u1") * 9).reshape(8, 3)
    wanted = small.copy()
    wanted[3:, 5:] = large[:17, :15]
    found = loaded(tmp_path / "x.gif", 3)
    numpy.testing.assert_array_equal(found[0], palette[small])
    for later in found[1:]:
        numpy.testing.assert_array_equal(later, palette[wanted])


def test_a_gif_that_ends_early_keeps_the_frames_before(tmp_path):
    indices = numpy.arange(400, dtype="u1").reshape(20, 20) % 8
    data = gif(20, 20, [(indices, 0, 0, 0, False, None, 0)] * 2)
    path = tmp_path / "x.gif"
    path.write_bytes(data[:-30])
    first, second = torch.file_info(path)
    assert first.obstacle is None
    assert second.obstacle == "be a GIF image that can be read: Failed to read from given file"
    assert torch.load(path).shape == (20, 20, 3)
    # The byte that says that the file ends is none that a picture needs.
    path.write_bytes(data[:-1])
    assert len(torch.file_info(path)) == 2


# Animated PNG

SOURCE, OVER = 0, 1
COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed(pixels):
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(len(pixels), -1)
    return zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))


def apng(picture, frames, has_picture_as_frame):
    """`frames`: (pixels, top, left, dispose_op, blend_op); the first one is the picture itself, or none is."""
    height, width, channels = picture.shape
    head = struct.pack(">IIBBBBB", width, height, 8 * picture.itemsize, COLOURS[channels], 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"acTL", struct.pack(">II", len(frames), 0))
    number = 0
    if not has_picture_as_frame:
        data += chunk(b"IDAT", packed(picture))
    for index, (pixels, top, left, dispose, blend) in enumerate(frames):
        rows, columns = pixels.shape[:2]
        control = struct.pack(">IIIIIHHBB", number, columns, rows, left, top, 1, 10, dispose, blend)
        data += chunk(b"fcTL", control)
        number += 1
        if index == 0 and has_picture_as_frame:
            data += chunk(b"IDAT", packed(picture))
            continue
        content = packed(pixels)
        for part in (content[:7], content[7:]):
            data += chunk(b"fdAT", struct.pack(">I", number) + part)
            number += 1
    return data + chunk(b"IEND", b"")


def over(above, below):
    """As the specification has it, in whole numbers: 13, "alpha channel processing"."""
    if above.shape[2] % 2:
        return above
    whole = int(numpy.iinfo(above.dtype).max)
    result = numpy.empty_like(above)
    for place in numpy.ndindex(above.shape[:2]):
        *colours, alpha = (int(x) for x in above[place])
        *colours_below, alpha_below = (int(x) for x in below[place])
        share, share_below = alpha * whole, (whole - alpha) * alpha_below
        total = share + share_below
        result[place][-1] = (total + whole // 2) // whole
        for c, (one, other) in enumerate(zip(colours, colours_below, strict=True)):
            result[place][c] = (one * share + other * share_below + total // 2) // total if total else other
    return result


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("has_picture_as_frame", [True, False])
def test_frames_of_png_are_painted_one_upon_the_other(tmp_path, channels, dtype, has_picture_as_frame):
    random = numpy.random.default_rng([channels, int(dtype[1]), has_picture_as_frame])
    top = numpy.iinfo(dtype).max

    def pixels(rows, columns):
        result = random.integers(0, top + 1, (rows, columns, channels)).astype(dtype)
        if channels % 2 == 0:
            result[..., -1] = random.choice([0, 1, top // 3, top], (rows, columns))
        return result

    path = tmp_path / "x.png"
    for _ in range(6):
        height, width = 7, 9
        picture = pixels(height, width)
        frames, paints = [], []
        for index in range(int(random.integers(2, 7))):
            is_whole = random.integers(0, 3) == 0
            rows, columns = (height, width) if is_whole else (int(random.integers(1, 6)), int(random.integers(1, 8)))
            y, x = (0, 0) if is_whole else (int(random.integers(0, height - rows)), int(random.integers(0, 2)))
            own, dispose, blend = pixels(rows, columns), int(random.integers(0, 3)), int(random.integers(0, 2))
            if index == 0 and has_picture_as_frame:
                own, y, x, blend = picture, 0, 0, SOURCE  # what is transparent keeps its colours
            frames.append((own, y, x, dispose, blend))
            paints.append((Frame(own, None, y, x, [KEEP, CLEAR, RESTORE][dispose]), blend))
        path.write_bytes(apng(picture, frames, has_picture_as_frame))
        blends = {id(frame): blend for frame, blend in paints}

        def paint(frame, below, blends=blends):
            return over(frame.pixels, below) if blends[id(frame)] == OVER else frame.pixels

        canvas = numpy.zeros_like(picture)
        wanted = list(shown([frame for frame, _ in paints], canvas, paint))
        if not has_picture_as_frame:
            wanted.insert(0, picture)
        found = loaded(path, len(wanted))
        for one, other in zip(found, wanted, strict=True):
            numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_opaque_frames_of_png_are_those_of_pillow(tmp_path, mode):
    random = numpy.random.default_rng(3)
    shape = (12, 15, len(mode)) if len(mode) > 1 else (12, 15)
    arrays = random.integers(0, 256, (4, *shape)).astype("u1")
    if mode.endswith("A"):
        arrays[..., -1] = 255 * (arrays[..., -1] > 100)
    first, *others = (PIL.Image.fromarray(array, mode) for array in arrays)
    path = tmp_path / "x.png"
    first.save(path, save_all=True, append_images=others, blend=0)
    for number, found in enumerate(loaded(path, 4)):
        numpy.testing.assert_array_equal(found.squeeze(), arrays[number])


def test_palettes_and_transparent_colours_count_for_all_frames(tmp_path):
    images = [PIL.Image.new("P", (6, 5), number) for number in range(3)]
    for image in images:
        image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
        image.putpixel((2, 2), (image.getpixel((0, 0)) + 1) % 3)
    path = tmp_path / "x.png"
    images[0].save(path, save_all=True, append_images=images[1:], transparency=b"\xff\x40\xff")
    found = loaded(path, 3)
    assert {picture.shape for picture in found} == {(5, 6, 4)}
    assert found[0][0, 0].tolist() == [10, 20, 30, 255]
    assert found[0][2, 2].tolist() == [40, 50, 60, 64]


def test_a_png_without_a_head_of_an_animation_is_one_picture(tmp_path):
    buffer = io.BytesIO()
    PIL.Image.new("L", (4, 3)).save(buffer, "PNG")
    data = buffer.getvalue()
    control = chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 4, 3, 0, 0, 1, 10, 0, 0))
    (tmp_path / "x.png").write_bytes(data[:33] + control + data[33:])
    (info,) = torch.file_info(tmp_path / "x.png")
    assert info.name is None and info.shape == (3, 4, 1)


def without_crc(data, name):
    at = data.index(name)
    return data[: at + 5] + bytes([data[at + 5] ^ 1]) + data[at + 6 :]


def test_a_damaged_animation_keeps_the_frames_before(tmp_path):
    picture = numpy.arange(35, dtype="u1").reshape(5, 7, 1)
    whole = apng(picture, [(picture, 0, 0, 0, 0)] * 3, True)
    outside = apng(picture, [(picture, 0, 0, 0, 0), (picture, 1, 0, 0, 0)], True)
    small = apng(picture, [(picture[:4], 0, 0, 0, 0), (picture, 0, 0, 0, 0)], True)
    ends_early = whole[: whole.rindex(b"fcTL") - 4] + chunk(b"IEND", b"")
    cannot = "be a picture that can be read (it {})"
    crc = "has a damaged chunk fdAT, whose CRC-32 must be that of its bytes"
    for data, wrong in (
        (ends_early, "have 3 frames, as its head says, and has 2"),
        (without_crc(whole, b"fdAT"), cannot.format(crc)),
        (outside, cannot.format("has a frame of 5 x 7 pixels at (1, 0), which must lie in the picture of 5 x 7")),
        (small, cannot.format("has a first frame of 4 x 7 pixels, which must be 5 x 7 as the picture")),
    ):
        path = tmp_path / "x.png"
        path.write_bytes(data)
        *before, last = torch.file_info(path)
        assert last.obstacle == wrong
        assert before and all(info.obstacle is None for info in before)
        numpy.testing.assert_array_equal(torch.load(path).numpy(), picture)
