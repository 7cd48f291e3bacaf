# SPDX-License-Identifier: Apache-2.0
"""Files written and read, with NumPy as the other reader."""

from __future__ import annotations

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
