#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What xarray shows of variables that go along by --keep-others. Needs xarray, zarr and netCDF4, else it is skipped."""

import json
import pathlib
import unittest
import warnings

from cli_case import Case, main

try:
    import netCDF4  # noqa: F401
    import numpy
    import xarray
    import zarr  # noqa: F401
except ImportError:
    xarray = None


def refuse(word):
    raise AssertionError(f"{word} is no JSON")


@unittest.skipIf(xarray is None, "xarray, zarr or netCDF4 is not installed")
class KeptOthers(Case):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")
        x, nan = ("x",), float("nan")
        days = {"units": "days since 2000-01-01", "calendar": "proleptic_gregorian"}
        fill = {"_FillValue": numpy.int16(-999), "scale_factor": 0.5}
        self.dataset = xarray.Dataset(
            {
                "a": (("y", "x"), numpy.arange(6, dtype="float32").reshape(2, 3), {"_FillValue": numpy.float32(nan)}),
                "packed": (x, numpy.array([0, -999, 4], "int16"), fill),
                "zeros": (x, numpy.array([0, 1, 0], "int64"), {"valid_max": nan}),
            },
            {"t": (x, numpy.array([0, 1, 2]), days), "crs": ((), numpy.int32(0), {"name": "unknown"})},
        )

    def shown(self, name):
        options = {"engine": "netcdf4"} if name.endswith(".nc") else {"engine": "zarr", "consolidated": False}
        with xarray.open_dataset(self.path(name), **options) as dataset:
            return dataset.load()

    def test_xarray_shows_them_alike(self):
        self.dataset.to_netcdf(self.path("from.nc"), engine="netcdf4")
        for version in (2, 3):
            self.dataset.to_zarr(self.path(f"from{version}.zarr"), zarr_format=version, consolidated=False)
        for source in ("from.nc", "from2.zarr", "from3.zarr"):
            for to, options in (
                ("to.nc", ()),
                ("to.zarr", ("--zarr-format", "2")),
                ("to.zarr", ("--zarr-format", "3")),
            ):
                call = ("convert", f"{source}::a", "x.t()", "-o", to, "--keep-others", "--force", *options)
                self.run_tool(*call)
                found, wanted = self.shown(to), self.shown(source)
                self.assertEqual(sorted(found.variables), sorted(wanted.variables))
                for name, variable in wanted.variables.items():
                    xarray.testing.assert_equal(found[name].variable.transpose(*variable.dims), variable)
                    self.assertEqual(found[name].dtype, variable.dtype, name)
                for path in pathlib.Path(self.path("to.zarr")).rglob("*"):
                    if path.name in ("zarr.json", ".zarray", ".zattrs", ".zgroup"):
                        json.loads(path.read_text(), parse_constant=refuse)


if __name__ == "__main__":
    main()
