# SPDX-License-Identifier: Apache-2.0
"""Files written and read, with NumPy as the other reader."""

from __future__ import annotations

import io
import pathlib

import pytest
import tenstride as torch

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "complex128", "bool"])
def test_numpy_reads_what_is_saved(tmp_path, dtype, order):
    x = torch.arange(24).view(2, 3, 4).permute(2, 0, 1).to(getattr(torch, dtype))
    path = tmp_path / "x.npy"
    torch.save(path, x, fortran_order=order == "F")
    array = numpy.load(path)
    assert array.dtype == dtype and array.tolist() == x.tolist()
    assert array.flags[f"{order}_CONTIGUOUS"]
    assert torch.equal(torch.load(path), x) and torch.load(str(path)).stride() == torch.memmap(path).stride()


def test_a_map_reads_nothing_and_writes_where_it_is_allowed(tmp_path):
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.arange(6.0).reshape(2, 3))
    reading = torch.memmap(path)
    assert reading.is_read_only and reading.T.tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(RuntimeError, match="read-only"):
        reading[0, 0] = 1
    private = torch.memmap(path, "c")
    private[0, 0] = 7
    assert private[0, 0].item() == 7 and numpy.load(path)[0, 0] == 0
    shared = torch.memmap(path, "r+")
    shared[0, 0] = 9
    del shared
    assert numpy.load(path)[0, 0] == 9


def test_raw_elements(tmp_path):
    path = tmp_path / "raw.bin"
    path.write_bytes(b"head" + numpy.arange(6, dtype="<i4").tobytes())
    assert torch.memmap(path, dtype=torch.int32, shape=(2, 3), offset=4).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert torch.memmap(path, dtype=torch.uint8, shape=4).tolist() == list(b"head")
    with pytest.raises(torch.FileError):
        torch.memmap(path, dtype=torch.int32, shape=(7,), offset=4)
    with pytest.raises(ValueError, match="multiple of the 4 bytes"):
        torch.memmap(path, dtype=torch.int32, shape=(1,), offset=2)
    with pytest.raises(ValueError, match="mode 'w'"):
        torch.memmap(path, "w")


def test_images(tmp_path):
    path = tmp_path / "x.png"
    x = (torch.arange(2 * 5 * 3) * 8).to(torch.uint8).view(2, 5, 3)
    torch.save(path, x)
    assert torch.equal(torch.load(path), x)


def test_images_of_16_bits(tmp_path):
    path = tmp_path / "x.png"
    x = (torch.arange(2 * 5 * 3) * 2001).to(torch.uint16).view(2, 5, 3)
    torch.save(path, x)
    assert torch.load(path).dtype is torch.uint16
    assert torch.load(path).tolist() == x.tolist()
    assert numpy.array_equal(torch.load(path), x)


def test_refusals_lose_nothing(tmp_path):
    path = tmp_path / "x.npy"
    torch.save(path, torch.zeros(2))
    with pytest.raises(torch.FileError) as refusal:
        torch.save(path, torch.ones(2))
    assert refusal.value.path == str(path) and isinstance(refusal.value, RuntimeError)
    assert torch.load(path).tolist() == [0, 0]
    torch.save(path, torch.ones(2), overwrite=True)
    assert torch.load(path).tolist() == [1, 1]
    for wrong, error in ((tmp_path / "x.txt", ValueError), (tmp_path / "none" / "x.npy", torch.FileError)):
        with pytest.raises(error):
            torch.save(wrong, torch.zeros(2))
    with pytest.raises(TypeError):
        torch.save(tmp_path / "h.npy", torch.zeros(2, dtype=torch.bfloat16))
    with pytest.raises(torch.FileError):
        torch.load(tmp_path / "absent.npy")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
    with pytest.raises(torch.FileError):
        torch.load(tmp_path / "bad.npy")
    assert sorted(p.name for p in pathlib.Path(tmp_path).iterdir()) == ["bad.npy", "x.npy"]


def test_saves_arrays_too_and_takes_the_path_in_either_place(tmp_path):
    a = numpy.arange(6, dtype="i2").reshape(2, 3).T
    for i, arguments in enumerate([(a,), (torch.from_numpy(a),)]):
        torch.save(tmp_path / f"first{i}.npy", *arguments)
        torch.save(*arguments, str(tmp_path / f"second{i}.npy"))
        assert numpy.load(tmp_path / f"first{i}.npy").tolist() == a.tolist()
        assert numpy.load(tmp_path / f"second{i}.npy").tolist() == a.tolist()
    with pytest.raises(TypeError, match="a Tensor or an array must be given"):
        torch.save([1, 2], tmp_path / "list.npy")
    raw = tmp_path / "raw"
    raw.write_bytes(a.tobytes())
    for dtype in (torch.int16, "int16"):
        assert torch.memmap(raw, dtype=dtype, shape=(3, 2)).tolist() == a.tolist()


def test_a_member_whose_name_is_no_utf8_is_read(tmp_path):
    path = tmp_path / "x.npz"
    numpy.savez(path, aXXb=numpy.arange(3), c=numpy.zeros(2))
    path.write_bytes(path.read_bytes().replace(b"aXXb", b"a\xff\xfeb"))
    assert list(torch.load(path)) == ["a\ufffd\ufffdb", "c"]
    assert torch.load(f"{path}::a\ufffd\ufffdb").tolist() == [0, 1, 2]
    torch.save(tmp_path / "y.npz", torch.load(path))
    assert list(numpy.load(tmp_path / "y.npz")) == ["a\ufffd\ufffdb", "c"]


def test_a_member_that_cannot_be_read_blocks_no_other(tmp_path):
    path = tmp_path / "x.npz"
    numpy.savez(path, label="hi", weight=numpy.arange(3))
    label, weight = torch.file_info(path)
    assert (label.name, label.dtype, label.shape) == ("label", None, ())
    assert label.obstacle == "hold numbers, not text (descr '<U2'); save it as numbers"
    assert (weight.obstacle, weight.dtype) == (None, torch.int64) and "unreadable" in repr(label)
    assert torch.load(f"{path}::weight").tolist() == [0, 1, 2]
    hint = f' (or name those that can be read, as "{path}::weight" does)'
    for function in (torch.load, torch.memmap):
        with pytest.raises(torch.FileError) as refused:
            function(path)
        assert str(refused.value) == f'{function.__name__}: "{path}::label" must {label.obstacle}{hint}'
    with pytest.raises(torch.FileError, match="as its bytes are stored it goes along to a file of its own kind only"):
        torch.convert(path, "x", tmp_path / "y.safetensors")


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.safetensors", "x.png", "x.tif", "x.nii", "x.h5"])
def test_a_file_object_is_read_as_the_file_is(tmp_path, name):
    path = tmp_path / name
    x = torch.arange(24).to(torch.uint8).view(4, 6)
    torch.save(path, {"a": x, "b": x.T} if name in ("x.npz", "x.safetensors", "x.h5") else x)
    expected = torch.load(path)
    with path.open("rb") as file:
        for given in (io.BytesIO(path.read_bytes()), file):
            found = torch.load(given)
            if isinstance(expected, dict):
                assert list(found) == list(expected) and all(torch.equal(found[key], expected[key]) for key in found)
            else:
                assert torch.equal(found, expected)


def test_a_file_object_is_read_from_where_it_stands(tmp_path):
    buffer = io.BytesIO()
    buffer.write(b"head")
    numpy.save(buffer, numpy.arange(3))
    buffer.seek(4)
    assert torch.load(buffer).tolist() == [0, 1, 2] and buffer.read() == b""
    assert torch.load(io.BytesIO(b"ab\1\2"), shape=2, dtype=torch.uint8, offset=2).tolist() == [1, 2]


def test_errors_about_a_file_object_name_it():
    with pytest.raises(torch.FileError) as error:
        torch.load(io.BytesIO(b"\x93NUMPY\x01\x00"))
    assert str(error.value) == (
        'npy: "<_io.BytesIO>" ends after 8 bytes and must have at least 10, the start of its header'
    )
    with pytest.raises(TypeError) as error:
        torch.load(io.StringIO("text"))
    assert str(error.value) == "load: a file object must be opened for bytes (mode 'rb'), its read gives str"

    class Failing:
        def read(self, count):
            raise OSError("the line is cut")

    with pytest.raises(OSError, match="the line is cut"):
        torch.load(Failing())


def test_the_files_of_a_pattern_are_stacked_by_the_numbers_in_their_names(tmp_path):
    frames = numpy.arange(12 * 2 * 3, dtype="int16").reshape(12, 2, 3)
    for number, frame in enumerate(frames):
        numpy.save(tmp_path / f"t{number}.npy", frame if number % 2 else numpy.asfortranarray(frame))
    (tmp_path / ".t99.npy").write_bytes(b"not meant")
    pattern = str(tmp_path / "t*.npy")
    assert torch.load(pattern).tolist() == frames.tolist()
    assert torch.load(str(tmp_path / "t[0-3].npy")).tolist() == frames[:4].tolist()
    info = torch.file_info(pattern)[0]
    assert info.shape == (12, 2, 3) and info.chunk == [1, 2, 3] and info.format == "npy 1.0 in 12 files"
    torch.convert(pattern, "x.permute(1, 2, 0)[:, ::2]", tmp_path / "out.npy")
    assert numpy.load(tmp_path / "out.npy").tolist() == frames.transpose(1, 2, 0)[:, ::2].tolist()


def test_stacks_of_named_tensors_keep_what_all_files_say_alike(tmp_path):
    for number in range(3):
        attributes = {"units": "K", "run": number, "_FillValue": float("nan")}
        x = torch.full((2, 3), float(number))
        torch.save(tmp_path / f"run{number}.zarr", x, attributes=attributes, axes=["lat", "lon"])
        torch.save(tmp_path / f"run{number}.npz", {"a": x, "b": -x})
    info = torch.file_info(str(tmp_path / "run?.zarr"))[0]
    assert info.axes == ["file", "lat", "lon"]
    assert sorted(info.attributes) == ["_FillValue", "units"] and info.attributes["units"] == "K"
    found = torch.load(str(tmp_path / "run*.npz") + "::b")
    assert found.shape == (3, 2, 3) and found[:, 1, 2].tolist() == [0, -1, -2]


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    numpy.save(tmp_path / "a1.npy", numpy.zeros((2, 3), "float32"))
    numpy.save(tmp_path / "a2.npy", numpy.zeros((3, 2), "float32"))
    numpy.save(tmp_path / "b1.npy", numpy.zeros((2, 3), "float32"))
    numpy.save(tmp_path / "b2.npy", numpy.zeros((2, 3), "int8"))
    numpy.savez(tmp_path / "c1.npz", a=numpy.zeros(2), b=numpy.zeros(2))

    def text_of(pattern):
        with pytest.raises(torch.FileError) as error:
            torch.load(str(tmp_path / pattern))
        return str(error.value).replace(str(tmp_path) + "/", "")

    assert text_of("a*.npy") == (
        'load: "a2.npy" must have the shape of "a1.npy", (2,3) and not (3,2), '
        'to be stacked with the other files of "a*.npy"'
    )
    assert text_of("b*.npy") == (
        'load: "b2.npy" must have the type of "b1.npy", float32 and not int8, '
        'to be stacked with the other files of "b*.npy"'
    )
    assert text_of("c*.npz") == 'load: "c1.npz" must name one tensor, as "c1.npz::a" does (it names 2: a, b)'
    assert text_of("z*.npy") == 'load: no file has a name like "z*.npy"'
