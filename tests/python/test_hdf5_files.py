# SPDX-License-Identifier: Apache-2.0
"""HDF5 files as people have them, read beside h5py: links, types, filters and virtual datasets."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy
import pytest
import tenstride as torch

h5py = pytest.importorskip("h5py")
hdf5plugin = pytest.importorskip("hdf5plugin")

A = numpy.arange(35, dtype="int32").reshape(5, 7)


def obstacles(path):
    return {info.name: info.obstacle for info in torch.file_info(path) if info.obstacle}


def names(path):
    return [info.name for info in torch.file_info(path)]


def array_of(file, name):
    """What h5py gives of a dataset, or of a field of a compound behind dots."""
    parts = name.split(".")
    count = next(n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in file)
    array, fields = file[".".join(parts[:count])][()], parts[count:]
    while fields:
        count = next(n for n in range(1, len(fields) + 1) if ".".join(fields[:n]) in array.dtype.names)
        array, fields = array[".".join(fields[:count])], fields[count:]
    return numpy.asarray(array)


def compare_all(path):
    """Everything that can be read is what h5py reads. Returns the names."""
    read = [info.name for info in torch.file_info(path) if not info.obstacle]
    with h5py.File(path) as file:
        for name in read:
            wanted = array_of(file, name)
            found = numpy.asarray(torch.load(f"{path}::{name}"))
            assert found.shape == wanted.shape and found.dtype == wanted.dtype.newbyteorder("="), name
            assert numpy.array_equal(found, wanted), name
    return read


@pytest.fixture
def linked(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = A
        file.create_dataset("packed", data=A, chunks=(2, 3), compression="gzip")
        file.create_dataset("rounded", data=A, chunks=(2, 3), scaleoffset=0)
        file["g/deep"] = A[0]
        file["back"] = h5py.ExternalLink("x.h5", "/")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a/data"] = A
        file["a/up"] = h5py.SoftLink("/")
        file["b"] = file["a"]
        file["hard"] = file["a/data"]
        file["soft"] = h5py.SoftLink("a/data")
        file["group"] = h5py.SoftLink("/a")
        for name in ("x", "packed", "rounded"):
            file["out_" + name] = h5py.ExternalLink("other.h5", name)
        file["out"] = h5py.ExternalLink("other.h5", "/")
    return tmp_path / "x.h5"


def test_links_of_every_kind_are_followed(linked):
    inner = ["g/deep", "packed", "rounded", "x"]
    read = compare_all(linked)
    outside = ["out_packed", "out_rounded", "out_x", *["out/" + name for name in inner]]
    assert read == sorted(["a/data", "b/data", "group/data", "hard", "soft", *outside])
    assert not obstacles(linked)
    assert read == names(linked)


def test_links_are_followed_from_another_folder(linked, monkeypatch):
    monkeypatch.chdir(linked.parent.parent)
    assert compare_all(f"{linked.parent.name}/x.h5")
    monkeypatch.chdir(linked.parent)
    assert compare_all("x.h5")


def test_paths_from_the_root(linked):
    for name in ("/a/data", "a/data", "/soft", "/out/g/deep"):
        wanted = A[0] if name.endswith("deep") else A
        assert torch.load(f"{linked}::{name}").tolist() == wanted.tolist()
    assert [info.name for info in torch.file_info(f"{linked}::/out_*")] == ["out_packed", "out_rounded", "out_x"]
    with pytest.raises(torch.FileError, match='must have a tensor "a/none"'):
        torch.load(f"{linked}::/a/none")


def test_links_that_lead_nowhere_are_obstacles(tmp_path):
    path = tmp_path / "x.h5"
    (tmp_path / "text.h5").write_text("no HDF5 file")
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    with h5py.File(path, "w") as file:
        file["data"] = A
        file["loop"] = h5py.SoftLink("/loop")
        file["nowhere"] = h5py.SoftLink("/b")
        file["no_file"] = h5py.ExternalLink("none.h5", "/x")
        file["no_hdf5"] = h5py.ExternalLink("text.h5", "/x")
        file["no_object"] = h5py.ExternalLink("other.h5", "/x")
    lead = "lead to an object that can be opened, it is a "
    assert obstacles(path) == {
        "loop": lead + 'soft link to "/loop" (libhdf5: too many links)',
        "nowhere": lead + 'soft link to "/b" (libhdf5: component not found)',
        "no_file": lead + f'link to "/x" in the file "none.h5" (open: "{tmp_path}/none.h5" must be a file that can be '
        "opened (No such file or directory))",
        "no_hdf5": lead + f'link to "/x" in the file "text.h5" (open: "{tmp_path}/text.h5" must be an HDF5 file, it '
        "has no signature of HDF5)",
        "no_object": lead + 'link to "/x" in the file "other.h5" (libhdf5: object \'x\' doesn\'t exist)',
    }
    assert compare_all(path) == ["data"]


def test_groups_that_multiply_by_links_end(tmp_path):
    """Each of 30 groups has two links to the next: 2^30 paths."""
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["g0/data"] = A
        for i in range(1, 30):
            group = file.create_group(f"g{i}")
            group["l"] = group["r"] = file[f"g{i - 1}"]
    found = names(path)
    assert {"g0/data", "g1/l/data", "g1/r/data"} <= set(found)
    assert len(found) < 30000


def test_files_that_link_to_each_other_end(tmp_path):
    for name, other in ("ab", "ba"):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file["data"] = A
            file["other"] = h5py.ExternalLink(f"./{other}.h5", "/")
    assert compare_all(tmp_path / "a.h5") == ["data", "other/data"]


INNER = numpy.dtype([("a", "<i2", (2, 3)), ("b", ">f8")])
COLOURS = h5py.enum_dtype({"RED": 0, "GREEN": 5, "BLUE": 250}, "uint8")
COMPOUND = numpy.dtype(
    [("x", "<f4"), ("in", INNER), ("many", INNER, (2,)), ("flag", "?"), ("z", "<c8"), ("text", "S3"), ("c", COLOURS)]
)


def compounds(shape=(4, 3)):
    array = numpy.zeros(shape, COMPOUND)
    count = numpy.arange(array.size).reshape(shape)
    array["x"], array["z"], array["flag"], array["c"] = count / 2, count * 1j, count % 2, 5
    array["in"]["a"] = numpy.arange(array.size * 6).reshape(*shape, 2, 3)
    array["many"]["b"] = numpy.arange(array.size * 2).reshape(*shape, 2) / 7
    array["many"]["a"] = 3
    return array


FIELDS = ["x", "in.a", "in.b", "many.a", "many.b", "flag", "z", "text", "c"]


def test_compounds_are_their_fields(tmp_path):
    path = tmp_path / "x.h5"
    array = compounds()
    with h5py.File(path, "w") as file:
        file["flat"] = array
        file["flat"].attrs["units"] = "m"
        file["scalar"] = array[1, 2]
        file.create_dataset("some", (4, 3), COMPOUND)
        file.create_dataset("chunks", data=array, chunks=(3, 2), shuffle=True, compression="gzip")
        file.create_dataset("blosc", data=array, chunks=(3, 2), **hdf5plugin.Blosc())
        file.create_dataset("bitshuffle", data=array, chunks=(3, 2), **hdf5plugin.Bitshuffle(cname="zstd"))
        file.create_dataset("zstd", data=array, chunks=(3, 2), **hdf5plugin.Zstd())
        file.create_dataset("bzip2", data=array, chunks=(3, 2), **hdf5plugin.BZip2())
        file.create_dataset("lz4", data=array, chunks=(3, 2), **hdf5plugin.LZ4())
        file.create_dataset("lzf", data=array, chunks=(3, 2), compression="lzf")
    datasets = ["bitshuffle", "blosc", "bzip2", "chunks", "flat", "lz4", "lzf", "scalar", "some", "zstd"]
    assert names(path) == [f"{name}.{field}" for name in datasets for field in FIELDS]
    assert set(obstacles(path)) == {f"{name}.text" for name in datasets}
    assert obstacles(path)["flat.text"] == "have a type that tenstride has, not strings"
    assert len(compare_all(path)) == len(datasets) * (len(FIELDS) - 1)
    info = torch.file_info(f"{path}::flat.x")[0]
    assert (info.format, info.attributes) == ("HDF5 compound", {"units": "m"})
    assert torch.file_info(f"{path}::flat.c")[0].attributes == {
        "units": "m",
        "enum": {"RED": 0, "GREEN": 5, "BLUE": 250},
    }


def test_fields_that_are_aligned_are_mapped(tmp_path):
    path = tmp_path / "x.h5"
    array = numpy.zeros((5, 2), [("x", "<f4"), ("y", "<i4"), ("p", "<f8", (3,)), ("b", ">i4")])
    array["x"], array["y"] = numpy.arange(10).reshape(5, 2), 7
    array["p"] = numpy.arange(30).reshape(5, 2, 3)
    with h5py.File(path, "w", alignment_threshold=1, alignment_interval=64) as file:
        file["aligned"] = array[["x", "y", "p"]].astype([("x", "<f4"), ("y", "<i4"), ("p", "<f8", (3,))])
        file["odd"] = array[["x", "p", "b"]].astype([("x", "<f4"), ("p", "<f8", (3,)), ("b", ">i4")])
    mapped = {info.name: info.is_mapped for info in torch.file_info(path)}
    assert [name for name, is_mapped in mapped.items() if is_mapped] == ["aligned.x", "aligned.y", "aligned.p", "odd.x"]
    found = torch.memmap(f"{path}::aligned.p")
    assert found.stride() == (8, 4, 1) and found.tolist() == array["p"].tolist()
    assert torch.memmap(f"{path}::aligned.x").stride() == (16, 8)
    assert len(compare_all(path)) == 6


def test_compounds_with_texts_of_any_length(tmp_path):
    path = tmp_path / "x.h5"
    array = numpy.zeros(3, [("n", "<i4"), ("t", h5py.string_dtype()), ("m", "<f8", (2,)), ("r", h5py.ref_dtype)])
    array["n"], array["t"], array["m"] = [1, 2, 3], ["a", "", "bcd"], numpy.arange(6).reshape(3, 2)
    with h5py.File(path, "w") as file:
        array["r"] = file.ref
        file["flat"] = array
        file.create_dataset("chunks", data=array, chunks=(2,), compression="gzip")
        file["names.with.dots"] = array[["n"]].astype([("a.b", "<i4")])
    assert compare_all(path) == ["chunks.n", "chunks.m", "flat.n", "flat.m", "names.with.dots.a.b"]
    assert set(obstacles(path)) == {"chunks.t", "chunks.r", "flat.t", "flat.r"}


def test_objects_that_have_the_name_of_a_field_come_first(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["g/a"] = numpy.ones(2, [("x", "<f4"), ("y", "<f4")])
        file["g/a.x"] = A
    assert names(path) == ["g/a.y", "g/a.x"]
    assert torch.load(f"{path}::g/a.x").tolist() == A.tolist()
    with pytest.raises(torch.FileError, match='must have a tensor "g/a"'):
        torch.load(f"{path}::g/a")


def test_compounds_without_numbers_stay_whole(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["texts"] = numpy.array([(b"a", b"b")], [("a", "S1"), ("b", "S2")])
    assert obstacles(path) == {"texts": "have a type that tenstride has, not a compound {a, b}"}


def test_compounds_of_thousands_of_fields(tmp_path):
    """A header takes no more than 64 KiB."""
    path = tmp_path / "x.h5"
    kind = numpy.dtype([(f"f{i}", "<i4") for i in range(900)])
    array = numpy.arange(1800, dtype="<i4").reshape(2, 900).view(kind)[:, 0]
    with h5py.File(path, "w") as file:
        file["a"] = array
    assert names(path) == [f"a.f{i}" for i in range(900)]
    assert torch.load(f"{path}::a.f899").tolist() == [899, 1799]


@pytest.mark.parametrize("order", "<>")
def test_enumerations_bit_fields_and_arrays(tmp_path, order):
    path = tmp_path / "x.h5"
    chunked = {"chunks": (2,), "compression": "gzip", "shuffle": True}
    with h5py.File(path, "w") as file:
        kind = h5py.enum_dtype({"NO": -3, "YES": 70000}, order + "i4")
        file.create_dataset("enumeration", data=numpy.array([-3, 70000, -3, 1], order + "i4"), dtype=kind)
        file.create_dataset("packed", data=numpy.array([-3, 70000, -3, 1], order + "i4"), dtype=kind, **chunked)
        file["bool"] = numpy.array([True, False])
        array = numpy.dtype((order + "f4", (2, 3)))
        for name, options in (("array", {}), ("chunks", chunked), ("nothing", {}), ("filled", {"chunks": (2,)})):
            data = file.create_dataset(name, (5,), array, **options)
            if name in ("array", "chunks"):
                data[...] = numpy.arange(30).reshape(5, 2, 3)
        file["array"].attrs["enum"] = "mine"
        file.attrs.create("kind", 70000, dtype=kind)
        kind = h5py.h5t.STD_B16LE if order == "<" else h5py.h5t.STD_B16BE
        bits = h5py.h5d.create(file.id, b"bits", kind, h5py.h5s.create_simple((3,)))
        values = numpy.array([1, 2, 0xFF00], order + "u2")
        bits.write(h5py.h5s.ALL, h5py.h5s.ALL, values, kind)
        attribute = h5py.h5a.create(file.id, b"bits", kind, h5py.h5s.create_simple((3,)))
        attribute.write(values, kind)
    infos = {info.name: info for info in torch.file_info(path)}
    assert not obstacles(path)
    for name in ("enumeration", "packed"):
        assert infos[name].attributes == {"enum": {"NO": -3, "YES": 70000}}
        assert infos[name].dtype == torch.int32
        assert torch.load(f"{path}::{name}").tolist() == [-3, 70000, -3, 1]
    assert (infos["bool"].dtype, infos["bool"].attributes) == (torch.bool, {})
    assert infos["array"].shape == (5, 2, 3) and infos["array"].attributes == {"enum": "mine"}
    assert infos["bits"].dtype == torch.uint16 and torch.load(f"{path}::bits").tolist() == [1, 2, 0xFF00]
    assert compare_all(path) == ["array", "bits", "bool", "chunks", "enumeration", "filled", "nothing", "packed"]


@pytest.mark.parametrize("options", [{}, {"chunks": (2, 2)}, {"codec": "none"}])
def test_enumerations_are_written_as_such(tmp_path, options):
    kind = h5py.enum_dtype({"NO": -3, "YES": 70000}, ">i4")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("x", data=numpy.array([[-3, 70000, -3], [0, 1, 2]], ">i4"), dtype=kind)
        file["x"].attrs["units"] = "m"
    torch.convert(f"{tmp_path}/x.h5::x", "x.t()", tmp_path / "y.h5", **options)
    with h5py.File(tmp_path / "y.h5") as file:
        (found,) = file.values()
        assert h5py.check_enum_dtype(found.dtype) == {"NO": -3, "YES": 70000}
        assert found[()].tolist() == [[-3, 0], [70000, 1], [-3, 2]]
        assert dict(found.attrs) == {"units": "m"}
    torch.convert(f"{tmp_path}/x.h5::x", "x.to(torch.float32)", tmp_path / "z.h5")
    (info,) = torch.file_info(tmp_path / "z.h5")
    assert (info.dtype, info.attributes) == (torch.float32, {"enum": '{"NO":-3,"YES":70000}', "units": "m"})


def test_arrays_have_at_most_32_axes(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (1,) * 30, numpy.dtype(("i4", (2, 1, 2))))
        file.create_dataset("y", (1,) * 29, numpy.dtype(("i4", (2, 1, 2))))
    assert obstacles(path) == {"x": "have at most 32 axes, not 33"}
    assert torch.load(f"{path}::y").numel() == 4


FILTERS = {
    **{f"blosc_{name}": hdf5plugin.Blosc(name) for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")},
    "blosc_bits": hdf5plugin.Blosc("zstd", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
    "bzip2": hdf5plugin.BZip2(),
    "lz4": hdf5plugin.LZ4(),
    "lz4_blocks": hdf5plugin.LZ4(nbytes=64),
    "zstd": hdf5plugin.Zstd(),
    "bits": hdf5plugin.Bitshuffle(cname="none"),
    "bits_lz4": hdf5plugin.Bitshuffle(cname="lz4"),
    "bits_zstd": hdf5plugin.Bitshuffle(cname="zstd"),
    "bits_blocks": hdf5plugin.Bitshuffle(nelems=64, cname="none"),
    "bits_lz4_blocks": hdf5plugin.Bitshuffle(nelems=64, cname="lz4"),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_decoded_without_plugins(tmp_path, name):
    path = tmp_path / "x.h5"
    random = numpy.random.default_rng(1).integers(0, 2**31, (50, 101))
    with h5py.File(path, "w") as file:
        for descr in ("u1", "<i2", ">i2", "<i4", "<f8", "<c16", "?"):
            for values, kind in ((random // 2**23, "small"), (random, "any")):
                data = values.astype(bool) if descr == "?" else values.astype(descr)
                file.create_dataset(f"{kind}/{descr}", data=data, chunks=(7, 33), **FILTERS[name])
        for count in (1, 7, 8, 21, 1033):
            file.create_dataset(f"short/{count}", data=numpy.arange(count), chunks=(count,), **FILTERS[name])
        file.create_dataset(
            "many", data=random, chunks=(7, 33), shuffle=True, fletcher32=True, fillvalue=3, **FILTERS[name]
        )
        partly = file.create_dataset("partly", (50, 101), "i4", chunks=(7, 33), fillvalue=3, **FILTERS[name])
        partly[:9] = random[:9]
    assert len(compare_all(path)) == 21 and not obstacles(path)
    codec = "bitshuffle" if name.startswith("bits") else name.partition("_")[0]
    assert torch.file_info(f"{path}::many")[0].codec == f"fletcher32, {codec}, shuffle"


def test_filters_that_are_not_known_are_named(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("blosc2", data=A, chunks=(2, 3), **hdf5plugin.Blosc2())
        file.create_dataset("zfp", data=A.astype("f4"), chunks=(2, 4), **hdf5plugin.Zfp())
    text = "be compressed by filters that can be read, not by {} (number {}); a plugin in a folder of HDF5_PLUGIN_PATH "
    text += "lets libhdf5 read it"
    assert obstacles(path) == {"blosc2": text.format("blosc2", 32026), "zfp": text.format("zfp", 32013)}


def test_plugins_of_libhdf5_are_used(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=A, chunks=(2, 3), **hdf5plugin.Blosc2())
    code = f"import tenstride; print(tenstride.load({str(path) + '::x'!r}).tolist())"
    environment = {**os.environ, "HDF5_PLUGIN_PATH": hdf5plugin.PLUGINS_PATH}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{A.tolist()}\n", "")


def test_virtual_datasets(tmp_path, monkeypatch):
    path = tmp_path / "x.h5"
    for i in range(3):
        with h5py.File(tmp_path / f"s{i}.h5", "w") as file:
            file.create_dataset("d", data=A + i, chunks=(2, 3), **hdf5plugin.Zstd())
            file["compound"] = compounds()
    stack = h5py.VirtualLayout((3, 6, 7), "i4")
    fields = h5py.VirtualLayout((4, 3), COMPOUND)
    fields[...] = h5py.VirtualSource("s0.h5", "compound", (4, 3))
    for i in range(3):
        stack[i, :5] = h5py.VirtualSource(f"s{i}.h5", "d", (5, 7))
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file["own"] = A
        own = h5py.VirtualLayout((5, 7), "i4")
        own[...] = h5py.VirtualSource(file["own"])
        file.create_virtual_dataset("own_again", own)
        file.create_virtual_dataset("stack", stack, fillvalue=-1)
        file.create_virtual_dataset("fields", fields)
    read = ["own", "own_again", "stack"]
    assert [name for name in compare_all(path) if not name.startswith("fields")] == read
    monkeypatch.chdir(tmp_path)
    assert len(compare_all("x.h5")) == len(read) + len(FIELDS) - 1


def test_virtual_datasets_whose_sources_are_missing(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file["d"] = A
    no_file, no_dataset = h5py.VirtualLayout((2, 5, 7), "i4"), h5py.VirtualLayout((5, 7), "i4")
    no_file[0] = h5py.VirtualSource("s.h5", "d", (5, 7))
    no_file[1] = h5py.VirtualSource("none.h5", "d", (5, 7))
    no_dataset[...] = h5py.VirtualSource("s.h5", "none", (5, 7))
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file.create_virtual_dataset("no_file", no_file)
        file.create_virtual_dataset("no_dataset", no_dataset)
    assert obstacles(path) == {
        "no_dataset": 'have all sources of its elements, "none" of the file "s.h5" cannot be read '
        f'("{tmp_path}/s.h5" has no such dataset)',
        "no_file": 'have all sources of its elements, "d" of the file "none.h5" cannot be read '
        f'(open: "{tmp_path}/none.h5" must be a file that can be opened (No such file or directory))',
    }


def test_sources_of_virtual_datasets_that_cannot_be_read(tmp_path):
    """libhdf5 fills what stands behind them, too."""
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file.create_dataset("d", data=A, chunks=(2, 3), **hdf5plugin.Blosc2())

    def write_virtual(name, source, dataset):
        layout = h5py.VirtualLayout((5, 7), "i4")
        layout[...] = h5py.VirtualSource(source, dataset, (5, 7))
        with h5py.File(tmp_path / name, "w", libver=("v110", "v110")) as file:
            file.create_virtual_dataset("v", layout)

    write_virtual("packed.h5", "s.h5", "d")
    write_virtual("behind.h5", "gone.h5", "d")
    write_virtual("outer.h5", "behind.h5", "v")
    write_virtual("a.h5", "b.h5", "v")
    write_virtual("b.h5", "a.h5", "v")
    packed = (
        f'"d" of the file "s.h5" cannot be read ("{tmp_path}/s.h5" must be compressed by filters that can be read, '
    )
    assert packed + "not by blosc2 (number 32026)" in obstacles(tmp_path / "packed.h5")["v"]
    outer = obstacles(tmp_path / "outer.h5")["v"]
    assert outer.startswith('have all sources of its elements, "v" of the file "behind.h5" cannot be read (')
    assert f'"{tmp_path}/gone.h5" must be a file that can be opened' in outer
    assert "have at most 8 virtual datasets behind one another" in obstacles(tmp_path / "a.h5")["v"]


VERSIONS = ["earliest", "v108", "v110", "v112", "v114"]
KINDS = {
    "plain": {},
    "gzip": {"chunks": (2, 3), "compression": "gzip", "shuffle": True},
    "grows": {"chunks": (2, 3), "maxshape": (None, None)},
    "grows_once": {"chunks": (2, 3), "maxshape": (None, 7), "compression": "lzf"},
    "one_chunk": {"chunks": (5, 7), "fletcher32": True},
    "compact": {"track_order": True},
}


def test_files_of_every_version_that_libhdf5_reads(tmp_path):
    """Numbers and groups are the same from 1.8 to 1.14; of enumerations and compounds, 1.12 writes a version of its
    own, which HDF5 1.10 refuses."""
    read = 0
    descrs = itertools.cycle(["<i4", ">f8", "<u2"])
    for low, high in itertools.combinations_with_replacement(VERSIONS, 2):
        if high != "earliest":
            descr = next(descrs)
            path = tmp_path / f"{low}-{high}.h5"
            with h5py.File(path, "w", libver=(low, high), track_order=low != "earliest") as file:
                for name, options in KINDS.items():
                    data = file.create_dataset(f"g/{name}", data=A.astype(descr), **options)
                    data.attrs["units"] = "m"
                    data.attrs["list"] = [1, 2]
                for i in range(10):
                    file[f"many/{i}"] = numpy.float32(i)
                file["soft"] = h5py.SoftLink("/g/plain")
            assert not obstacles(path), path.name
            assert len(compare_all(path)) == len(KINDS) + 11
            read += 1
    assert read == 14
