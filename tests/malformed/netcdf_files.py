# SPDX-License-Identifier: Apache-2.0
"""Malformed classic netCDF files: two variables of 2 x 3 float32 and 4 records of 3 int16, with one thing wrong."""

import struct

from malformed_file import Malformed, patched

FORMAT = "netCDF-3"
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12
BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE, INT64 = 1, 2, 3, 4, 5, 6, 10
STREAMING = (1 << 32) - 1


class Header:
    """A header of version 1, 2 or 5, as bytes; numbers are given as they stand in the file."""

    def __init__(self, version=1):
        self.version = version
        self.count = ">Q" if version == 5 else ">I"

    def number(self, value, code=None):
        code = code or self.count
        return struct.pack(code, value & ((1 << 8 * struct.calcsize(code)) - 1))

    def padded(self, data):
        return data + bytes(-len(data) % 4)

    def name(self, text):
        return self.number(len(text)) + self.padded(text)

    def list(self, tag, entries, count=None):
        return self.number(tag, ">I") + self.number(len(entries) if count is None else count) + b"".join(entries)

    def none(self):
        return self.list(0, [])

    def dimension(self, name, length):
        return self.name(name) + self.number(length)

    def attribute(self, name, type_, data, count):
        return self.name(name) + self.number(type_, ">I") + self.number(count) + self.padded(data)

    def variable(self, name, axes, type_, nbytes, begin, attributes=None, rank=None):
        return b"".join(
            [
                self.name(name),
                self.number(len(axes) if rank is None else rank),
                *[self.number(axis) for axis in axes],
                self.none() if attributes is None else attributes,
                self.number(type_, ">I"),
                self.number(nbytes),
                self.number(begin, ">I" if self.version == 1 else ">Q"),
            ]
        )


def netcdf(
    version=1,
    records=4,
    dimensions=((b"time", 0), (b"y", 2), (b"x", 3)),
    dimension_list=None,
    attributes=None,
    variables=None,
    variable_list=None,
    end=0,
):
    """`variables`: the arguments of each, with the place of its elements behind the header's end."""
    header = Header(version)
    variables = variables or [
        (b"a", (1, 2), FLOAT, 24, 0),
        (b"b", (1, 2), FLOAT, 24, 24),
        (b"r", (0, 2), SHORT, 8, 48),
    ]

    def built(begin):
        dims = dimension_list or header.list(DIMENSIONS, [header.dimension(*one) for one in dimensions])
        placed = [header.variable(*one[:4], one[4] + begin, *one[5:]) for one in variables]
        return b"".join(
            [
                b"CDF" + bytes([version]),
                header.number(records),
                dims,
                attributes or header.none(),
                variable_list or header.list(VARIABLES, placed),
            ]
        )

    data = built(0)
    return built(len(data)) + bytes(48 + 24 + end)


def one(*variable, **more):
    """A file of one variable, in place of all."""
    return netcdf(variables=[variable], **more)


def start_files():
    whole = netcdf()
    yield "cut_in_magic", whole[:3], "ends within its magic bytes"
    yield "version_3", patched(whole, 3, b"\3"), "a version that there is not"
    yield "cut_in_records", whole[:6], "ends within the number of records"
    yield "cut_behind_records", whole[:8], "ends before the dimensions"
    yield "cut_in_dimension", whole[:24], "ends within the name of a dimension"
    yield "cut_in_attributes", whole[:54], "ends within the list of attributes"
    yield "cut_in_variables", whole[:100], "ends within the variables"
    yield "cut_before_elements", whole[:-72], "ends before the elements"
    yield "cut_in_elements", whole[:-30], "ends within the elements"
    yield "cut_in_last_record", whole[:-3], "a byte less than all records take"
    yield "empty_file_of_none", b"CDF\1" + bytes(28), "no variable"
    five = netcdf(5)
    yield "five_cut_in_records", five[:10], "ends within the number of records, in CDF-5"
    yield "five_cut", five[:-40], "ends within the elements, in CDF-5"
    yield "two_cut", netcdf(2)[:-40], "ends within the elements, in CDF-2"


def number_files():
    yield "records_too_many", netcdf(records=5), "a record more than there are"
    yield "records_2_31", netcdf(records=1 << 31), "2^31 records"
    yield "five_records_2_62", netcdf(5, records=1 << 62), "2^62 records, whose bytes overflow"
    yield "five_records_negative", netcdf(5, records=-5), "a number of records below 0"
    yield "dimension_negative", netcdf(dimensions=((b"time", 0), (b"y", -2), (b"x", 3))), "a length below 0"
    yield "dimension_long", netcdf(dimensions=((b"time", 0), (b"y", 2), (b"x", 30))), "more than there is"
    two = ((b"time", 0), (b"y", 0), (b"x", 3))
    yield "dimension_two_records", netcdf(dimensions=two), "two dimensions that count records"
    huge = ((b"time", 0), (b"y", 1 << 40), (b"x", 1 << 40))
    yield "five_overflow", netcdf(5, dimensions=huge), "2^80 elements"
    wraps = ((b"time", 0), (b"y", 1 << 31), (b"x", 1 << 31))
    yield "five_wraps", netcdf(5, dimensions=wraps), "sizes whose bytes are 0 in 64 bits"
    terabyte = ((b"time", 0), (b"y", (1 << 31) - 1), (b"x", 100))
    yield "terabyte", netcdf(dimensions=terabyte), "a shape of a terabyte"
    wide = [(bytes([97 + i]), (0, 1), BYTE, 0, 48) for i in range(4)]
    wide_dimensions = ((b"time", 0), (b"y", (1 << 62) - 1))
    yield "five_pitch", netcdf(5, dimensions=wide_dimensions, variables=wide), "records whose bytes overflow"


def list_files():
    header = Header(1)
    dimensions = [header.dimension(b"y", 2)]
    yield "list_tag_wrong", netcdf(dimension_list=header.list(13, dimensions)), "dimensions of another tag"
    yield "list_absent_of_one", netcdf(dimension_list=header.list(0, dimensions)), "a list that is none and has one"
    yield "list_too_long", netcdf(dimension_list=header.list(DIMENSIONS, dimensions, 1 << 30)), "2^30 dimensions"
    yield "list_negative", netcdf(dimension_list=header.list(DIMENSIONS, dimensions, -1)), "less than no dimension"
    yield (
        "list_variables_missing",
        netcdf(variable_list=header.list(ATTRIBUTES, [])),
        "attributes in place of variables",
    )
    yield (
        "list_variables_many",
        netcdf(variable_list=header.list(VARIABLES, [], 1 << 30)),
        "2^30 variables, of which none is",
    )
    yield "list_attributes_many", netcdf(attributes=header.list(ATTRIBUTES, [], 1 << 30)), "2^30 attributes"
    five = Header(5)
    many = five.list(DIMENSIONS, [five.dimension(b"y", 2)], 1 << 62)
    yield "five_list_2_62", netcdf(5, dimension_list=many), "2^62 dimensions"


def name_files():
    header = Header(1)
    dimensions = ((b"time", 0), (b"", 2), (b"x", 3))
    yield "name_empty", netcdf(dimensions=dimensions), "a dimension without a name"
    yield (
        "name_zero",
        netcdf(dimensions=((b"time", 0), (b"\0z", 2), (b"x", 3))),
        "a name of which nothing stands before a zero byte",
    )
    yield "name_twice", netcdf(variables=[(b"a", (1, 2), FLOAT, 24, 0), (b"a", (1, 2), FLOAT, 24, 24)]), "a name twice"
    long = header.number(DIMENSIONS, ">I") + header.number(1) + header.number(1 << 30) + b"name"
    yield "name_long", netcdf(dimension_list=long), "a name of 2^30 bytes"
    negative = header.number(DIMENSIONS, ">I") + header.number(1) + header.number(-4) + b"name"
    yield "name_negative", netcdf(dimension_list=negative), "a name of less than no bytes"


def attribute_files():
    header = Header(1)

    def said(*attribute):
        return netcdf(attributes=header.list(ATTRIBUTES, [header.attribute(*attribute)]))

    yield "attribute_type_0", said(b"title", 0, b"text", 4), "a type 0"
    yield "attribute_type_7", said(b"title", 7, b"text", 4), "a type of CDF-5 in CDF-1"
    yield "attribute_long", said(b"title", CHAR, b"text", 1 << 30), "2^30 characters"
    yield "attribute_negative", said(b"title", CHAR, b"text", -1), "less than no character"
    yield "attribute_doubles", said(b"title", DOUBLE, b"text", (1 << 31) - 1), "2^31 doubles"
    five = Header(5)
    wraps = five.list(ATTRIBUTES, [five.attribute(b"title", INT64, b"text", (1 << 61) + 1)])
    yield "five_attribute_wraps", netcdf(5, attributes=wraps), "numbers whose bytes are 8 in 64 bits"
    own = header.list(ATTRIBUTES, [header.attribute(b"units", 99, b"text", 4)])
    yield "attribute_of_variable", one(b"a", (1, 2), FLOAT, 24, 0, own), "a type 99 of an attribute of a variable"


def variable_files():
    yield "variable_dimension", one(b"a", (1, 7), FLOAT, 24, 0), "a dimension that there is not"
    yield "variable_records_second", one(b"a", (1, 0), FLOAT, 24, 0), "a second axis that counts records"
    yield "variable_rank_2_30", one(b"a", (1, 2), FLOAT, 24, 0, None, 1 << 30), "2^30 axes"
    yield "variable_rank_negative", one(b"a", (1, 2), FLOAT, 24, 0, None, -1), "less than no axis"
    yield "variable_type_0", one(b"a", (1, 2), 0, 24, 0), "a type 0"
    yield "variable_type_10", one(b"a", (1, 2), INT64, 24, 0), "a type of CDF-5 in CDF-1"
    yield "five_variable_type_12", one(b"a", (1, 2), 12, 24, 0, version=5), "a type that there is not"
    yield "variable_in_header", one(b"a", (1, 2), FLOAT, 24, -20), "elements over the header"
    yield "variable_behind_end", one(b"a", (1, 2), FLOAT, 24, 100), "elements behind the file"
    yield "two_variable_2_63", one(b"a", (1, 2), FLOAT, 24, 1 << 63, version=2), "elements from 2^63 on"
    both = [(b"a", (1, 2), FLOAT, 24, 0), (b"b", (1, 2), FLOAT, 24, 20)]
    yield "variables_overlap", netcdf(variables=both), "elements over those of another variable"
    mixed = [(b"a", (1, 2), FLOAT, 24, 32), (b"r", (0, 2), SHORT, 8, 16)]
    yield "variable_in_records", netcdf(variables=mixed), "elements between records"
    records = [(b"r", (0, 2), SHORT, 8, 0), (b"s", (0, 2), SHORT, 8, 4)]
    yield "records_overlap", netcdf(variables=records), "records over those of another variable"
    apart = [(b"r", (0, 2), SHORT, 8, 0), (b"s", (0, 2), SHORT, 8, 12)]
    yield "records_apart", netcdf(variables=apart, records=2), "records that reach into the next ones"
    yield "text_alone", one(b"a", (1, 2), CHAR, 6, 0), "text"
    deep = one(b"a", (1,) * 65, BYTE, 1, 0, dimensions=((b"time", 0), (b"y", 1)))
    yield "variable_65_axes", deep, "65 axes"


def files():
    parts = (start_files, number_files, list_files, name_files, attribute_files, variable_files)
    for part in parts:
        for name, data, wrong in part():
            yield Malformed(name + ".nc", data, wrong)
