#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files some of whose members cannot be read: the others are, and `--keep-others` takes along the bytes of the rest.
What was written is read by the libraries of each format."""

import json
import unittest
import warnings
import zipfile

import h5py
import netCDF4
import numpy
import safetensors.numpy
import zarr
from cli_case import Case, main

try:
    import xarray
except ImportError:
    xarray = None

W = numpy.arange(6, dtype="float32").reshape(2, 3)
TEXT = "hold numbers, not text (descr '<U2'); save it as numbers"
OWN_KIND = "as its bytes are stored it goes along to a file of its own kind only, not to a safetensors file"
NO_TYPE = "have elements of a type that tenstride has, not "
#: What numpy.savez writes of these is no array of numbers.
STRANGERS = {
    "label": numpy.array("hi"),
    "objects": numpy.array([{"a": 1}, None], dtype=object),
    "codes": numpy.array([b"ab", b"c"]),
    "fields": numpy.array([(1.5, 2)], dtype=[("x", "<f4"), ("y", "<i8")]),
    "format": numpy.array(b"csr"),  # of scipy.sparse.save_npz
}


class UnreadableMembers(Case):
    def obstacles(self, address):
        told = json.loads(self.run_tool("info", address, "--json").stdout)
        return {one["name"]: one.get("obstacle") for one in told.get("tensors", [told])}

    def convert(self, *arguments, **extra):
        return self.run_tool("convert", *arguments, **extra)

    def test_archives_are_listed_and_read(self):
        for save in (numpy.savez, numpy.savez_compressed):
            save(self.path("x.npz"), w=W, **STRANGERS)
            told = self.obstacles("x.npz")
            self.assertEqual(list(told), ["w", *STRANGERS])
            self.assertEqual([name for name, obstacle in told.items() if obstacle is None], ["w"])
            self.assertEqual((told["label"], self.obstacles("x.npz::label")), (TEXT, {"label": TEXT}))
            self.assertIn("structures of several fields", told["fields"])
            self.assertIn("6 tensors, 24 B, npz", self.run_tool("info", "x.npz").stdout)
            self.assertIn("checksum", self.run_tool("info", "x.npz::w", "--checksum").stdout)
            self.run_tool("info", "x.npz", "--checksum")
            self.convert("x.npz::w", "x.t()", "-o", "w.npy", "--force")
            self.assertEqual(numpy.load(self.path("w.npy")).tolist(), W.T.tolist())
        # A chain on the whole file is for those that it fits.
        self.convert("x.npz", "x.t()", "-o", "y.npz")
        with numpy.load(self.path("y.npz"), allow_pickle=True) as archive:
            self.assertEqual(sorted(archive), sorted(["w", *STRANGERS]))
            self.assertEqual((archive["w"].tolist(), str(archive["label"])), (W.T.tolist(), "hi"))
        self.fails(1, f'convert: "x.npz::label" must {TEXT}', "convert", "x.npz::label", "x", "-o", "y.npy")

    def test_archives_keep_members_as_they_are_stored(self):
        numpy.savez(self.path("s.npz"), w=W, **STRANGERS)
        numpy.savez_compressed(self.path("d.npz"), w=W, **STRANGERS)
        for source in "sd":
            for options in ([], ["--compress"]):
                done = self.convert(
                    f"{source}.npz::w", "x.t()", "-o", "y.npz", "--keep-others", "--verify", "--force", *options
                )
                self.assertIn("copied as its bytes are stored: label\n", done.stdout)
                with numpy.load(self.path("y.npz"), allow_pickle=True) as archive:
                    self.assertEqual(set(archive), {"w", *STRANGERS})
                    self.assertEqual(archive["w"].tolist(), W.T.tolist())
                    for name, wanted in STRANGERS.items():
                        self.assertEqual((archive[name].dtype, archive[name].tolist()), (wanted.dtype, wanted.tolist()))
                with zipfile.ZipFile(self.path("y.npz")) as archive:
                    self.assertIsNone(archive.testzip())
                    method = zipfile.ZIP_STORED if source == "s" else zipfile.ZIP_DEFLATED
                    self.assertEqual(archive.getinfo("label.npy").compress_type, method)
        said = json.loads(self.convert("s.npz::w", "x", "-o", "z.npz", "--keep-others", "--json").stdout)
        self.assertEqual((said["as_stored"], len(said["tensors"])), (list(STRANGERS), 1))

    def test_what_no_other_kind_of_file_takes_can_be_left_out(self):
        numpy.savez(self.path("x.npz"), w=W, label="hi", last="ho", n=numpy.arange(3))
        call = ["convert", "x.npz::w", "x.t()", "-o", "y.safetensors", "--keep-others"]
        message = f"convert: \"x.npz::label\" must {TEXT}; {OWN_KIND} (--leave-out 'label' leaves it out)"
        self.fails(1, message, *call)
        self.run_tool(*call, "--leave-out", "la*")
        found = safetensors.numpy.load_file(self.path("y.safetensors"))
        self.assertEqual({name: x.tolist() for name, x in found.items()}, {"w": W.T.tolist(), "n": [0, 1, 2]})
        done = self.run_tool(*call, "--leave-out", "lable", code=1)
        self.assertIn('must have a tensor "lable" (it has 4: w, label, last, n; did you mean "label"?)', done.stderr)
        call = ["convert", "x.npz", "x", "-o", "z.safetensors"]
        self.fails(1, message, *call)
        self.run_tool(*call, "--leave-out", "la*")
        self.assertEqual(sorted(safetensors.numpy.load_file(self.path("z.safetensors"))), ["n", "w"])

    def test_members_that_are_encrypted_or_damaged(self):
        numpy.savez(self.path("x.npz"), w=W, n=numpy.arange(3))
        data = bytearray((self.folder / "x.npz").read_bytes())
        data[data.rindex(b"PK\1\2") + 8] |= 1  # of n.npy, the last of the directory
        self.write("x.npz", bytes(data))
        self.assertEqual(self.obstacles("x.npz"), {"w": None, "n": "be stored without encryption"})
        self.fails(
            1,
            "convert: \"x.npz::n\" must be stored without encryption (--leave-out 'n' leaves it out)",
            *["convert", "x.npz::w", "x", "-o", "y.npz", "--keep-others"],
        )

    def test_checkpoints_of_which_a_file_is_missing(self):
        safetensors.numpy.save_file({"w": W}, self.path("m-1.safetensors"))
        index = {"metadata": {}, "weight_map": {"w": "m-1.safetensors", "v": "m-2.safetensors"}}
        self.write("m.safetensors.index.json", json.dumps(index).encode())
        missing = '"m-2.safetensors" must be a file that can be opened (No such file or directory))'
        obstacle = f"be in a file that can be read (info: {missing}"
        self.assertEqual(self.obstacles("m.safetensors.index.json"), {"w": None, "v": obstacle})
        self.convert("m.safetensors.index.json::w", "x.t()", "-o", "w.npy")
        self.assertEqual(numpy.load(self.path("w.npy")).tolist(), W.T.tolist())
        call = ["m.safetensors.index.json::w", "x", "-o", "y.safetensors", "--keep-others"]
        self.assertIn("(--leave-out 'v' leaves it out)", self.convert(*call, code=1).stderr)
        self.convert(*call, "--leave-out", "v")

    def save_zarr(self, name, zarr_format):
        """A group with text and bytes, as zarr-python writes them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            group = zarr.open_group(self.path(name), mode="w", zarr_format=zarr_format)
            group.create_array("w", data=W)
            group.create_array("in/names", data=numpy.array(["ab", "c", "d"]))
            group.create_array("codes", data=STRANGERS["codes"], attributes={"of": "codes"})
            words = group.create_array("words", shape=(3,), dtype=str, chunks=(2,))
            words[:] = ["x", "", "zz"]

    def expect_zarr(self, name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            group = zarr.open_group(self.path(name), mode="r")
            self.assertEqual(group["w"][...].tolist(), W.T.tolist())
            self.assertEqual(group["in/names"][...].tolist(), ["ab", "c", "d"])
            self.assertEqual(list(group["words"][...]), ["x", "", "zz"])
            self.assertEqual(group["codes"][...].tolist(), STRANGERS["codes"].tolist())
            self.assertEqual(dict(group["codes"].attrs), {"of": "codes"})

    def test_zarr_groups(self):
        types = {
            2: {"codes": "|S2", "in/names": "<U2", "words": "|O"},
            3: {"codes": "null_terminated_bytes", "in/names": "fixed_length_utf32", "words": "string"},
        }
        for version, unknown in types.items():
            name = f"g{version}.zarr"
            self.save_zarr(name, version)
            rules = {member: NO_TYPE + kind for member, kind in unknown.items()}
            self.assertEqual(self.obstacles(name), {**rules, "w": None})
            self.assertIn("(3)", self.run_tool("info", f"{name}::words").stdout)
            done = self.run_tool("convert", name, "x.t()", "-o", "y.npz", code=1)
            self.assertIn(f'convert: "{name}/codes" must ', done.stderr)
            self.assertIn("(--leave-out 'codes' leaves it out)", done.stderr)
            call = [f"{name}::w", "x.t()", "--keep-others"]
            for options in (["--verify"], ["--metadata-only"], ["--chunks", "2,2", "--max-mem", "512M"]):
                if "--metadata-only" not in options:
                    options = [*options, "--zarr-format", str(version)]
                self.convert(*call, "-o", "y.zarr", "--force", *options)
                self.expect_zarr("y.zarr")
            for number in (2, 1):
                self.convert(*call, "-o", f"t{version}.zarr", "--task", f"{number}/2", "--zarr-format", str(version))
            self.expect_zarr(f"t{version}.zarr")
        done = self.convert("g2.zarr::w", "x.t()", "-o", "z.zarr", "--keep-others", code=1)
        self.assertIn("must be of version 3 of Zarr as the group that is written, not 2", done.stderr)
        self.assertNotIn("z.zarr", self.names())

    def test_a_zarr_array_without_a_group(self):
        arrays = {"fixed": (["ab", "c"], "U2"), "text": (["ab", "c"], str), "bytes": ([b"ab", b"c"], "S2")}
        types = {
            2: {"fixed": "<U2", "text": "|O", "bytes": "|S2"},
            3: {"fixed": "fixed_length_utf32", "text": "string", "bytes": "null_terminated_bytes"},
        }
        for version, unknown in types.items():
            for kind, (elements, dtype) in arrays.items():
                name, obstacle = f"{kind}{version}.zarr", NO_TYPE + unknown[kind]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    array = zarr.create_array(self.path(name), shape=(2,), dtype=dtype, zarr_format=version)
                    array[...] = numpy.array(elements, dtype=object if dtype is str else dtype)
                told = json.loads(self.run_tool("info", name, "--json").stdout)
                self.assertEqual((told["obstacle"], told["shape"]), (obstacle, [2]))
                self.assertIn(unknown[kind], self.run_tool("info", name).stdout)
                refusal = f'tenstride: convert: "{name}" must {obstacle}\n'
                for options in ([], ["--keep-others"]):
                    done = self.convert(name, "x", "-o", "y.npy", *options, code=1)
                    self.assertEqual(done.stderr, refusal)

    def test_damaged_metadata_of_a_zarr_array_block_no_other(self):
        self.save_zarr("g.zarr", 3)
        (self.folder / "g.zarr/codes/zarr.json").write_text("{")
        told = self.obstacles("g.zarr")
        self.assertIsNone(told["w"])
        self.assertTrue(told["codes"].startswith('be an array that can be read (zarr: "g.zarr/codes/zarr.json"'))
        call = ["g.zarr::w", "x.t()", "-o", "y.zarr", "--keep-others"]
        self.assertIn("(--leave-out 'codes' leaves it out)", self.convert(*call, code=1).stderr)
        self.convert(*call, "--leave-out", "codes")

    @unittest.skipIf(xarray is None, "xarray is not installed")
    def test_what_xarray_writes(self):
        data = xarray.Dataset(
            {"t2m": (("station", "time"), W)},
            coords={
                "station": ["ab", "c"],
                "time": numpy.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[ns]"),
            },
        )
        transposed = data.transpose("time", "station")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for version in (2, 3):
                data.to_zarr(self.path(f"x{version}.zarr"), zarr_format=version)
                options = ["--zarr-format", str(version)]
                self.convert(f"x{version}.zarr::t2m", "x.t()", "-o", f"y{version}.zarr", "--keep-others", *options)
                xarray.testing.assert_equal(
                    xarray.open_zarr(self.path(f"y{version}.zarr"), consolidated=False), transposed
                )
            data.to_netcdf(self.path("x.nc"))
            for options in ([], ["--codec", "gzip:1"]):
                self.convert("x.nc::t2m", "x.t()", "-o", "y.nc", "--keep-others", "--force", *options)
                with xarray.open_dataset(self.path("y.nc")) as found:
                    xarray.testing.assert_equal(found, transposed)

    def test_netcdf_with_texts(self):
        """As WRF writes Times, and texts of any length, of which one is a coordinate."""
        times = numpy.array(["2020-01-01_00:00:00", "2020-01-02_00:00:00"], "S19")
        with netCDF4.Dataset(self.path("x.nc"), "w") as file:
            for name, size in (("Time", None), ("DateStrLen", 19), ("place", 3)):
                file.createDimension(name, size)
            variable = file.createVariable("Times", "S1", ("Time", "DateStrLen"))
            variable[:] = netCDF4.stringtochar(times)
            variable.note = "UTC"
            file.createVariable("T2", "f4", ("Time", "place"))[:] = W
            for name in ("place", "station"):
                file.createVariable(name, str, ("place",))[:] = numpy.array(["a", "", "ccc"], object)
        self.assertEqual([name for name, obstacle in self.obstacles("x.nc").items() if obstacle is None], ["T2"])
        for options in ([], ["--chunks", "2,2"], ["--dtype", "float64", "--max-mem", "512M"]):
            self.convert("x.nc::T2", "x.t()", "-o", "y.nc", "--keep-others", "--verify", "--force", *options)
            with netCDF4.Dataset(self.path("y.nc")) as file:
                sizes = {name: dimension.size for name, dimension in file.dimensions.items()}
                self.assertEqual(sizes, {"Time": 2, "DateStrLen": 19, "place": 3})
                self.assertEqual(file["T2"].dimensions, ("place", "Time"))
                self.assertEqual(file["T2"][:].tolist(), W.T.tolist())
                self.assertEqual((file["Times"].dimensions, file["Times"].note), (("Time", "DateStrLen"), "UTC"))
                self.assertEqual(netCDF4.chartostring(file["Times"][:]).tolist(), [text.decode() for text in times])
                for name in ("place", "station"):
                    self.assertEqual((file[name].dimensions, list(file[name][:])), (("place",), ["a", "", "ccc"]))

    def test_hdf5_objects(self):
        compound = numpy.array([(1.5, b"ab"), (2.5, b"c")], dtype=[("x", "<f4"), ("s", "S2")])
        with h5py.File(self.path("x.h5"), "w") as file:
            file["w"] = W
            file["in/text"] = ["x", "", "zz"]
            file["in/text"].attrs["units"] = "1"
            file.create_dataset("compound", data=compound, chunks=(1,), compression="gzip")
            file["rows"] = numpy.array([numpy.arange(2), numpy.arange(3)], dtype=h5py.vlen_dtype("int32"))
            file["kind"] = numpy.array([0, 5], dtype=h5py.enum_dtype({"A": 0, "B": 5}, "uint8"))
            file["place"] = numpy.array([file["w"].ref], dtype=h5py.ref_dtype)
        call = ["x.h5::w", "x.t()", "-o", "y.h5", "--keep-others"]
        message = 'convert: "x.h5::place" must have a type that tenstride has, not references'
        self.fails(1, message + " (--leave-out 'place' leaves it out)", "convert", *call)
        for options in ([], ["--chunks", "2,2", "--codec", "gzip:1"]):
            self.convert(*call, "--leave-out", "place", "--verify", "--force", *options)
            with h5py.File(self.path("y.h5")) as file:
                self.assertEqual(file["w"][()].tolist(), W.T.tolist())
                self.assertEqual(file["in/text"].asstr()[()].tolist(), ["x", "", "zz"])
                self.assertEqual(dict(file["in/text"].attrs), {"units": "1"})
                self.assertEqual(file["compound"][()].tolist(), compound.tolist())
                self.assertEqual((file["compound"].chunks, file["compound"].compression), ((1,), "gzip"))
                self.assertEqual([row.tolist() for row in file["rows"][()]], [[0, 1], [0, 1, 2]])
                self.assertEqual(h5py.check_enum_dtype(file["kind"].dtype), {"A": 0, "B": 5})
                self.assertNotIn("place", file)
                self.assertNotIn("compound.x", file)
        without = [word for name in ("in/*", "compound.s", "rows", "place") for word in ("--leave-out", name)]
        self.convert("x.h5::w", "x", "-o", "y.safetensors", "--keep-others", *without)
        found = safetensors.numpy.load_file(self.path("y.safetensors"))
        self.assertEqual(
            {name: x.tolist() for name, x in found.items() if name != "w"}, {"compound.x": [1.5, 2.5], "kind": [0, 5]}
        )

    def test_compounds_are_kept_whole_unless_a_field_is_converted(self):
        array = numpy.zeros(3, [("x", "<f4"), ("y", "<i4", (2,)), ("s", "S2")])
        array["x"], array["y"], array["s"] = [1, 2, 3], 7, [b"a", b"b", b"c"]
        with h5py.File(self.path("x.h5"), "w") as file:
            file["table"], file["w"] = array, W
            file["table"].attrs["units"] = "m"
        done = self.convert("x.h5::w", "x.t()", "-o", "y.h5", "--keep-others")
        self.assertIn("copied as its bytes are stored: table.x\n", done.stdout)
        with h5py.File(self.path("y.h5")) as file:
            self.assertEqual(sorted(file), ["table", "w"])
            self.assertTrue((file["table"][()] == array).all())
            self.assertEqual(dict(file["table"].attrs), {"units": "m"})
        call = ["x.h5::table.y", "x.t()", "-o", "z.h5", "--keep-others"]
        message = (
            '"x.h5::table.s" must be left out: it is copied with its compound alone, of which "table.y" is converted'
        )
        self.fails(1, "convert: " + message, "convert", *call)
        self.convert(*call, "--leave-out", "table.s")
        with h5py.File(self.path("z.h5")) as file:
            self.assertEqual(sorted(file), ["table.x", "table.y", "w"])
            self.assertEqual((file["table.x"][()].tolist(), file["table.y"].shape), ([1, 2, 3], (2, 3)))


if __name__ == "__main__":
    main()
