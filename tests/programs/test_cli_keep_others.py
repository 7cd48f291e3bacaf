#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`convert --keep-others`: options of elements are about the tensors that are named. The others are read back by the
libraries of each format."""

import json
import zipfile

import h5py
import netCDF4
import numpy
import numpy.lib.format
import safetensors.numpy
import zarr
from cli_case import Case, main

W = numpy.arange(6, dtype="float32").reshape(2, 3) + 0.25
#: What another type, a factor, and another order would change.
OTHERS = {
    "ids": numpy.array([2049, 70001], "int64"),
    "f": numpy.asfortranarray(numpy.arange(6, dtype="float64").reshape(3, 2) / 3),
    "row": numpy.array([[1e300, -0.0, numpy.nan]]),
    "mask": numpy.array([True, False]),
    "step": numpy.array(9, "uint8"),
}
#: Options, and what they make of the transpose of W.
OPTIONS = {
    "dtype": (["--dtype", "int16"], W.T.astype("int16")),
    "scale": (["--scale", "0.5"], W.T * numpy.float32(0.5)),
    "shift": (["--shift", "3"], W.T + numpy.float32(3)),
    "axis": (["--scale", "1,2,4", "--axis", "0"], W.T * numpy.array([[1], [2], [4]], "float32")),
    "rescale": (["--rescale"], W.T),
    "all": (["--dtype", "float64", "--scale", "0.5,2", "--shift=-1", "--axis=-1"], W.T * [0.5, 2.0] - 1.0),
}


def save_npz(path, tensors):
    numpy.savez(path, **tensors)


def load_npz(path):
    with numpy.load(path) as archive:
        return dict(archive)


def fortran_orders(path):
    """{name: whether the header says so}"""
    orders = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                numpy.lib.format.read_magic(member)
                orders[name.removesuffix(".npy")] = numpy.lib.format.read_array_header_1_0(member)[1]
    return orders


def save_safetensors(path, tensors):
    safetensors.numpy.save_file(
        {name: numpy.ascontiguousarray(x).reshape(x.shape) for name, x in tensors.items()}, path
    )


def save_zarr(path, tensors):
    group = zarr.open_group(path, mode="w")
    for name, tensor in tensors.items():
        array = group.create_array(name, shape=tensor.shape, dtype=tensor.dtype)
        array[...] = tensor
        array.attrs["of"] = name


def load_zarr(path):
    group = zarr.open_group(path, mode="r")
    return {name: numpy.asarray(group[name][...]) for name in group.array_keys()}


def save_hdf5(path, tensors):
    with h5py.File(path, "w") as file:
        for name, tensor in tensors.items():
            file.create_dataset(name, data=tensor).attrs["of"] = name


def load_hdf5(path):
    with h5py.File(path) as file:
        return {name: numpy.asarray(dataset[()]) for name, dataset in file.items()}


def save_netcdf(path, tensors):
    with netCDF4.Dataset(path, "w") as file:
        for name, tensor in tensors.items():
            axes = [f"{name}_{axis}" for axis in range(tensor.ndim)]
            for axis, size in zip(axes, tensor.shape):
                file.createDimension(axis, size)
            variable = file.createVariable(name, tensor.dtype, axes)
            variable[...] = tensor
            variable.of = name


def load_netcdf(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {name: numpy.asarray(variable[...]) for name, variable in file.variables.items()}


FORMATS = {
    "npz": (save_npz, load_npz),
    "safetensors": (save_safetensors, safetensors.numpy.load_file),
    "zarr": (save_zarr, load_zarr),
    "h5": (save_hdf5, load_hdf5),
    "nc": (save_netcdf, load_netcdf),
}


class KeepOthers(Case):
    def others_of(self, suffix):
        """netCDF has no bool."""
        return {name: x for name, x in OTHERS.items() if suffix != "nc" or x.dtype != bool}

    def expect_same(self, found, wanted):
        self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape))
        self.assertEqual(found.tobytes(), wanted.tobytes())

    def convert(self, *arguments):
        return self.run_tool("convert", *arguments)

    def test_each_option_is_about_the_tensors_that_are_named(self):
        for suffix, (save, load) in FORMATS.items():
            others = self.others_of(suffix)
            save(self.path(f"k.{suffix}"), {"w": W, **others})
            for name, (options, wanted) in OPTIONS.items():
                with self.subTest(suffix, options=name):
                    output = f"{name}.{suffix}"
                    self.convert(f"k.{suffix}::w", "x.t()", "-o", output, "--keep-others", "--verify", *options)
                    found = load(self.path(output))
                    self.assertEqual(found.keys(), {"w", *others})
                    self.expect_same(found["w"], wanted)
                    for other, tensor in others.items():
                        self.expect_same(found[other], tensor)

    def test_every_pair_of_formats(self):
        for source, (save, _) in FORMATS.items():
            tensors = self.others_of("nc")
            save(self.path(f"k.{source}"), {"w": W, **tensors})
            for suffix, (_, load) in FORMATS.items():
                with self.subTest(source, suffix=suffix):
                    output = f"{source}.{suffix}"
                    options = ["--keep-others", "--dtype", "float64", "--scale", "0.5"]
                    self.convert(f"k.{source}::w", "x.t()", "-o", output, *options)
                    found = load(self.path(output))
                    self.expect_same(found["w"], W.T.astype("float64") * 0.5)
                    for other, tensor in tensors.items():
                        self.expect_same(found[other], tensor)

    def test_archives_keep_the_order_of_the_others(self):
        save_npz(self.path("k.npz"), {"w": W, **OTHERS})
        before = fortran_orders(self.path("k.npz"))
        self.assertEqual([name for name, is_fortran in before.items() if is_fortran], ["f"])
        for order in "CF":
            self.convert("k.npz::w", "x + 1", "-o", f"{order}.npz", "--keep-others", "--order", order)
            self.assertEqual(fortran_orders(self.path(f"{order}.npz")), {**before, "w": order == "F"})
            for other, tensor in OTHERS.items():
                self.expect_same(load_npz(self.path(f"{order}.npz"))[other], tensor)

    def test_the_scaling_of_each_is_its_own(self):
        save_netcdf(self.path("t.nc"), {"w": W, "lat": numpy.array([10.0, 20.0])})
        with netCDF4.Dataset(self.path("t.nc"), "a") as file:
            for name, scale, shift in (("a", 0.5, 10.0), ("b", 0.25, -3.0), ("kept", 2.0, 0.0)):
                variable = file.createVariable(name, "i2", ["w_1"])
                variable[:] = [1, 2, 3]
                variable.scale_factor, variable.add_offset = scale, shift
        self.convert("t.nc::?", "x", "-o", "y.nc", "--keep-others", "--rescale", "--verify")
        found = load_netcdf(self.path("y.nc"))
        self.expect_same(found["a"], numpy.array([10.5, 11, 11.5], "float32"))
        self.expect_same(found["b"], numpy.array([-2.75, -2.5, -2.25], "float32"))
        self.expect_same(found["kept"], numpy.array([1, 2, 3], "int16"))
        with netCDF4.Dataset(self.path("y.nc")) as file:
            self.assertEqual(file["kept"].ncattrs(), ["scale_factor", "add_offset"])
            self.assertEqual((file["kept"].scale_factor, file["a"].ncattrs()), (2.0, ["_FillValue"]))

    def test_attributes_stay(self):
        save_zarr(self.path("k.zarr"), {"w": W, "ids": OTHERS["ids"]})
        self.convert("k.zarr::w", "x.t()", "-o", "y.zarr", "--keep-others", "--scale", "2")
        self.assertEqual(dict(zarr.open_group(self.path("y.zarr"))["ids"].attrs), {"of": "ids"})

    def test_little_memory_and_several_tasks(self):
        w = numpy.arange(300 * 400, dtype="float32").reshape(300, 400)
        others = {"ids": numpy.arange(70000, 170000), "f": numpy.linspace(0, 1, 1000).reshape(10, 100)}
        for suffix in ("safetensors", "zarr"):
            save, load = FORMATS[suffix]
            save(self.path(f"k.{suffix}"), {"w": w, **others})
            call = [f"k.{suffix}::w", "x.t()", "--keep-others", "--dtype", "float16", "--scale", "0.001"]
            self.convert(*call, "-o", f"m.{suffix}", "--max-mem", "512M", "--verify")
            for number in (2, 1):
                self.convert(*call, "-o", f"t.{suffix}", "--task", f"{number}/2")
            for output in "mt":
                found = load(self.path(f"{output}.{suffix}"))
                self.expect_same(found["w"], (w.T * numpy.float32(0.001)).astype("float16"))
                for other, tensor in others.items():
                    self.expect_same(found[other], tensor)

    def test_the_bill_says_what_becomes_of_each(self):
        call = ["x.t()", "--keep-others", "--dtype", "float16", "--scale", "0.5", "--dry-run"]
        for suffix in ("npz", "safetensors"):
            FORMATS[suffix][0](self.path(f"k.{suffix}"), {"w": W, "ids": OTHERS["ids"]})
            said = json.loads(self.convert(f"k.{suffix}::w", "-o", f"y.{suffix}", *call, "--json").stdout)
            self.assertTrue(said["dry_run"])
            facts = {
                one["name"]: (one["spec"], one["output"]["dtype"], one["output"]["scale"]) for one in said["tensors"]
            }
            self.assertEqual(facts, {"w": ("x.t()", "float16", [0.5]), "ids": ("x", "int64", [])})
        said = self.convert("k.npz::w", "-o", "y.npz", *call).stdout
        self.assertEqual(
            said,
            "w    float32  (2,3)  x.t()          float16  (3,2)  row-major, times 0.5\n"
            "ids  int64    (2)    kept as it is  int64    (2)    row-major\n"
            "dry run: nothing but the headers was read, nothing was written\n",
        )
        self.assertEqual(self.names(), ["k.npz", "k.safetensors"])

    def test_archives_are_verified_element_by_element(self):
        save_npz(self.path("k.npz"), {"w": W, "ids": OTHERS["ids"]})
        done = self.convert("k.npz::w", "x.t()", "-o", "y.npz", "--keep-others", "--verify")
        lines = done.stdout.splitlines()[-2:]
        self.assertEqual(
            lines,
            ["wrote y.npz: 2 tensors, 40 B", "verified: all 8 elements are what they must be, one by one"],
        )
        done = self.convert("k.npz", "x", "-o", "z.npz", "--verify", "--json")
        self.assertEqual(json.loads(done.stdout)["verified"], 8)


if __name__ == "__main__":
    main()
