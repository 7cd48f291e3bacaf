# SPDX-License-Identifier: Apache-2.0
"""Files of several tensors and files without a header, with the libraries that others read and write them by."""

from __future__ import annotations

import json
import zipfile

import ml_dtypes
import numpy
import pytest
import safetensors.numpy
import tenstride as torch
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as arrays

# What NumPy, npz and safetensors have in common.
DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
DTYPES += ["float16", "float32", "float64", "complex64"]


def numbers(dtype, shape=(2, 3, 4)):
    """0, 1, 2, … in the type."""
    count = int(numpy.prod(shape))
    return (numpy.arange(count) % 2 == 1 if dtype == "bool" else numpy.arange(count).astype(dtype)).reshape(shape)


def views(array):
    """The same array in several orders, and parts of it."""
    return {
        "C": numpy.ascontiguousarray(array),
        "F": numpy.asfortranarray(array),
        "permuted": array.transpose(2, 0, 1),
        "sliced": array[:, 1:, ::2],
        "backwards": array[::-1, :, ::-1],
        "expanded": numpy.broadcast_to(array[:1], (5, *array.shape[1:])),
        "empty": array[:, :0],
        "scalar": array[1, 2, 3],
    }


def assert_same(found, wanted):
    """Element for element, with the type; `found` is an array or a Tensor."""
    array = numpy.asarray(found)
    assert array.dtype == wanted.dtype and array.shape == wanted.shape
    assert array.tobytes() == numpy.ascontiguousarray(wanted).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors_reads_what_is_saved(tmp_path, dtype):
    path = tmp_path / "x.safetensors"
    wanted = views(numbers(dtype))
    torch.save(path, wanted)
    found = safetensors.numpy.load_file(path)
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert_same(found[name], numpy.asarray(array))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_safetensors_saved_is_read(tmp_path, dtype):
    path = tmp_path / "x.safetensors"
    wanted = {name: numpy.ascontiguousarray(array) for name, array in views(numbers(dtype)).items()}
    wanted["scalar"] = numpy.asarray(wanted["scalar"].reshape(()))
    safetensors.numpy.save_file(wanted, path, metadata={"format": "np"})
    for found in (torch.load(path), torch.memmap(path)):
        assert found.keys() == wanted.keys()
        for name, array in wanted.items():
            assert_same(found[name], array)
    assert {info.name: info.shape for info in torch.file_info(path)} == {
        name: array.shape for name, array in wanted.items()
    }
    assert all(info.attributes == {"format": "np"} for info in torch.file_info(path))


def test_arrays_in_fortran_order_keep_their_elements(tmp_path):
    # safetensors itself writes the bytes of such an array as they lie, and reads back another one.
    array = numpy.asfortranarray(numbers("float32", (2, 3)))
    torch.save(tmp_path / "x.safetensors", {"w": array})
    assert_same(safetensors.numpy.load_file(tmp_path / "x.safetensors")["w"], array)
    assert_same(torch.load(tmp_path / "x.safetensors::w"), array)


@pytest.mark.parametrize("code", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_of_ml_dtypes(tmp_path, code):
    # F-order too: float8 of safetensors cannot be an array of NumPy's own.
    array = numpy.arange(6).astype(getattr(ml_dtypes, code)).reshape(2, 3)
    tensor = torch.arange(6).view(2, 3).to(getattr(torch, code))
    torch.save(tmp_path / "x.safetensors", {"w": tensor, "t": tensor.t()})
    entries = dict(safetensors.deserialize((tmp_path / "x.safetensors").read_bytes()))
    assert bytes(entries["w"]["data"]) == array.tobytes()
    assert bytes(entries["t"]["data"]) == numpy.ascontiguousarray(array.T).tobytes()
    assert entries["t"]["shape"] == [3, 2]
    assert torch.load(tmp_path / "x.safetensors::t").tolist() == array.T.astype(float).tolist()
    if code == "bfloat16":
        safetensors.numpy.save_file({"w": array}, tmp_path / "y.safetensors")
        found = torch.load(tmp_path / "y.safetensors::w")
        assert found.dtype == torch.bfloat16 and found.tolist() == array.astype(float).tolist()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex128"])
def test_numpy_reads_archives(tmp_path, dtype, compressed):
    wanted = views(numbers(dtype))
    for fortran_order in (False, True):
        path = tmp_path / f"{fortran_order}.npz"
        torch.save(path, wanted, compressed=compressed, fortran_order=fortran_order)
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
            assert {entry.compress_type for entry in archive.infolist()} == {method}
        with numpy.load(path) as found:
            assert found.files == list(wanted)
            for name, array in wanted.items():
                assert_same(found[name], numpy.asarray(array))
            assert found["permuted"].flags.f_contiguous == fortran_order


@pytest.mark.parametrize("name", ["x.npy", "x.safetensors", "x.zarr", "x.raw"])
def test_compression_is_refused_where_there_is_none(tmp_path, name):
    with pytest.raises(ValueError, match=r"save: compression must go with \.npz, \.tif or \.tiff, not with "):
        torch.save(tmp_path / name, torch.zeros(3), compressed=True)
    assert not any(tmp_path.iterdir())


def test_the_crc_of_stored_members_is_checked(tmp_path):
    numpy.savez(tmp_path / "x.npz", a=numpy.arange(1000.0))
    raw = bytearray((tmp_path / "x.npz").read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / "x.npz").write_bytes(raw)
    with pytest.raises(torch.FileError, match="is damaged: its CRC-32 must be that of the directory"):
        torch.load(tmp_path / "x.npz")


@pytest.mark.parametrize("save", [numpy.savez, numpy.savez_compressed])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex128"])
def test_archives_of_numpy_are_read(tmp_path, dtype, save):
    path = tmp_path / "x.npz"
    wanted = views(numbers(dtype))
    if dtype != "bool":
        wanted["swapped"] = numbers(dtype).astype(numbers(dtype).dtype.newbyteorder())
    save(path, **wanted)
    found = torch.load(path)
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        native = numpy.asarray(array)
        assert_same(found[name], native.astype(native.dtype.newbyteorder("=")))
    infos = {info.name: info for info in torch.file_info(path)}
    assert infos["C"].format == ("npz, stored" if save is numpy.savez else "npz, deflated")
    assert infos["C"].codec == (None if save is numpy.savez else "deflate")
    assert infos["F"].strides == torch.load(f"{path}::F").stride() == (1, 2, 6)
    if dtype not in ("bool", "uint8", "int8"):
        assert infos["swapped"].is_byte_swapped and not infos["swapped"].is_mapped


def test_an_archive_that_is_written_without_seeking(tmp_path):
    class Pipe:
        """Takes bytes one after the other, as a pipe does."""

        def __init__(self, file):
            self.file = file

        def write(self, data):
            return self.file.write(data)

        def flush(self):
            self.file.flush()

    path = tmp_path / "x.npz"
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file), "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a", "b"):
            with archive.open(f"{name}.npy", "w", force_zip64=name == "b") as member:
                numpy.lib.format.write_array(member, numbers("float32"))
    found = torch.load(path)
    assert list(found) == ["a", "b"]
    for tensor in found.values():
        assert_same(tensor, numbers("float32"))


def test_maps_share_the_file_and_loads_do_not(tmp_path):
    path = tmp_path / "x.safetensors"
    torch.save(path, {"a": torch.zeros(3), "b": torch.arange(4)})
    torch.memmap(path, "r+")["b"][0] = 9
    assert torch.load(path)["a"].tolist() == [0, 0, 0]
    assert torch.load(f"{path}::b").tolist() == [9, 1, 2, 3]
    loaded = torch.load(f"{path}::b")
    loaded[0] = 7
    assert torch.load(f"{path}::b").tolist() == [9, 1, 2, 3]
    assert torch.memmap(f"{path}::b").is_read_only and not loaded.is_read_only
    torch.save(tmp_path / "s.npz", {"a": torch.zeros(3)})
    torch.memmap(tmp_path / "s.npz", "c")["a"][0] = 9
    with pytest.raises(torch.FileError, match="must not be mapped to be written: the file has a CRC-32"):
        torch.memmap(tmp_path / "s.npz", "r+")
    assert numpy.load(tmp_path / "s.npz", allow_pickle=False)["a"].tolist() == [0, 0, 0]
    torch.save(tmp_path / "d.npz", {"a": torch.zeros(3)}, compressed=True)
    with pytest.raises(torch.FileError, match="compressed by deflate; load it"):
        torch.memmap(tmp_path / "d.npz")


def test_one_name_gives_a_tensor_and_patterns_a_dict(tmp_path):
    path = tmp_path / "m.safetensors"
    torch.save(path, {"a.w": torch.zeros(2), "b.w": torch.ones(3), "c": torch.zeros(1)})
    assert list(torch.load(f"{path}::*.w")) == ["a.w", "b.w"]
    assert torch.load(f"{path}::b.w").tolist() == [1, 1, 1]
    assert list(torch.load(f"{path}::c*")) == ["c"]
    with pytest.raises(torch.FileError, match=r'must have a tensor "b\.v" .*did you mean "b\.w"'):
        torch.load(f"{path}::b.v")


def test_names_with_zero_bytes_are_whole(tmp_path):
    torch.save(tmp_path / "x.safetensors", {"a\0b": torch.zeros(1), "a\0c": torch.ones(1)})
    assert list(torch.load(tmp_path / "x.safetensors")) == ["a\0b", "a\0c"]
    with pytest.raises(ValueError, match=r"save: the name of a tensor in an \.npz file must have no zero byte"):
        torch.save(tmp_path / "x.npz", {"a\0b": torch.zeros(1)})


def test_facts_of_a_file(tmp_path):
    path = tmp_path / "m.safetensors"
    torch.save(path, {"w": torch.zeros(2, 3, dtype=torch.bfloat16)}, attributes={"format": "pt", "step": 3})
    (info,) = torch.file_info(path)
    assert (info.name, info.path, info.format) == ("w", str(path), "safetensors")
    assert (info.shape, info.strides, info.dtype) == ((2, 3), (3, 1), torch.bfloat16)
    assert (info.is_mapped, info.is_byte_swapped, info.codec) == (True, False, None)
    assert (list(info.axes), list(info.chunk), info.scale, info.shift) == ([], [], 1, 0)
    assert info.attributes == {"format": "pt", "step": "3"}
    assert repr(info) == f"<tenstride.FileInfo {path}::w bfloat16 (2,3) safetensors>"
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata() == {"format": "pt", "step": "3"}


@pytest.mark.parametrize("version", [2, 3])
def test_nan_among_attributes_is_a_number_in_every_file(tmp_path, version):
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    given = {"_FillValue": float("nan"), "valid_range": [float("-inf"), 1.5], "units": "K"}
    zarr.create_array(tmp_path / "x.zarr", data=numpy.ones((2, 3), "float32"), zarr_format=version, attributes=given)
    (info,) = torch.file_info(tmp_path / "x.zarr")
    assert repr(info.attributes) == repr(dict(sorted(given.items())))
    tensor = torch.load(tmp_path / "x.zarr")
    torch.save(tmp_path / "x.h5", {"x": tensor}, attributes=info.attributes)
    with h5py.File(tmp_path / "x.h5") as file:
        found = file["x"].attrs
        assert numpy.isnan(found["_FillValue"]).all() and found["_FillValue"].dtype == "float32"
        assert found["valid_range"].tolist() == [float("-inf"), 1.5] and found["units"] == "K"
    (info,) = torch.file_info(tmp_path / "x.h5")
    assert repr(info.attributes) == repr(dict(sorted(given.items())))
    torch.save(tmp_path / "y.zarr", tensor, attributes=info.attributes, zarr_format=version)
    (info,) = torch.file_info(tmp_path / "y.zarr")
    assert repr(info.attributes) == repr(dict(sorted(given.items())))
    # JSON has no such numbers: tests/python/test_formats_zarr_readers.py.
    fill = "NaN" if version == 2 else "AAAAAAAA+H8="
    wanted = {"_FillValue": fill, "units": "K", "valid_range": ["-Infinity", 1.5]}
    assert zarr.open_array(tmp_path / "y.zarr").attrs.asdict() == wanted


def test_tied_tensors_are_written_once(tmp_path):
    x = torch.arange(6).view(2, 3)
    tensors = {"embed": x, "head": x.view(2, 3), "transposed": x.t()}
    torch.save(tmp_path / "all.safetensors", tensors)
    torch.save(tmp_path / "once.safetensors", tensors, tied="once")
    assert set(safetensors.numpy.load_file(tmp_path / "all.safetensors")) == {"embed", "head", "transposed"}
    assert set(safetensors.numpy.load_file(tmp_path / "once.safetensors")) == {"embed", "transposed"}
    with safetensors.safe_open(tmp_path / "once.safetensors", "np") as file:
        assert file.metadata() == {"head": "embed"}
    with pytest.raises(ValueError, match="save: tied 'twice' must be 'write' or 'once'"):
        torch.save(tmp_path / "x.safetensors", tensors, tied="twice")


@pytest.mark.parametrize("dtype", ["<i2", ">i2", "<f8", ">c8", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_files_without_a_header(tmp_path, dtype, order):
    array = numpy.arange(6).astype(dtype).reshape(2, 3)
    path = tmp_path / "x.raw"
    path.write_bytes(b"head" + array.tobytes(order))
    native = array.dtype.newbyteorder("=")
    given = {"shape": (2, 3), "dtype": getattr(torch, native.name), "offset": 4, "order": order}
    found = torch.load(path, **given, byteswap=not array.dtype.isnative)
    assert_same(found, array.astype(native))
    assert found.stride() == ((3, 1) if order == "C" else (1, 2))
    with pytest.raises(ValueError, match="load: dtype, order, offset and byteswap must go with a shape"):
        torch.load(path, offset=4)
    with pytest.raises(ValueError, match="load: order 'K' must be 'C' or 'F'"):
        torch.load(path, shape=(2, 3), order="K")


def arrays_of_any_strides():
    """Small arrays of any type, some of them views with steps, backwards or with their axes permuted."""
    shapes = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
    whole = st.sampled_from(DTYPES).flatmap(lambda dtype: shapes.flatmap(lambda shape: arrays.arrays(dtype, shape)))

    @st.composite
    def view(draw):
        array = draw(whole)
        steps = tuple(slice(None, None, draw(st.sampled_from([1, 2, -1]))) for _ in array.shape)
        return array[steps].transpose(draw(st.permutations(range(array.ndim)))) if array.ndim else array

    return view()


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0/\\:"), min_size=1, max_size=12)
TENSORS = st.dictionaries(
    NAMES.filter(lambda name: name != "__metadata__"), arrays_of_any_strides(), min_size=1, max_size=5
)
PROPERTY = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


@PROPERTY
@given(wanted=TENSORS)
def test_any_tensors_in_a_safetensors_file(tmp_path, wanted):
    path = tmp_path / "x.safetensors"
    torch.save(path, wanted, overwrite=True)
    for found in (safetensors.numpy.load_file(path), torch.load(path)):
        assert found.keys() == wanted.keys()
        for name, array in wanted.items():
            assert_same(found[name], array)
    header = path.read_bytes()
    length = int.from_bytes(header[:8], "little")
    assert length % 8 == 0 and json.loads(header[8 : 8 + length]).keys() == wanted.keys()


@PROPERTY
@given(wanted=TENSORS, compressed=st.booleans(), fortran_order=st.booleans())
def test_any_tensors_in_an_archive(tmp_path, wanted, compressed, fortran_order):
    path = tmp_path / "x.npz"
    torch.save(path, wanted, overwrite=True, compressed=compressed, fortran_order=fortran_order)
    with numpy.load(path) as theirs:
        for found in (theirs, torch.load(path)):
            assert found.keys() == wanted.keys()
            for name, array in wanted.items():
                assert_same(found[name], array)
