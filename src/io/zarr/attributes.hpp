// SPDX-License-Identifier: Apache-2.0
// Attributes on their way into a Zarr array and out of it. Its files are JSON by the letter, which has no NaN
// and no infinities; and the fill value stands where and how xarray looks for it: in version 2 as the array's
// own fill_value, in version 3 as the attribute `_FillValue`, whose floating numbers are base64.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/format/numpy_dtype.hpp"
#include "io/zarr/metadata.hpp"

namespace tenstride::io {

/// Attributes as `FileInfo` has them, of those that a file has: `_FillValue` is a number; "NaN", "Infinity"
/// and "-Infinity" are numbers in lists of numbers, and alone where an attribute is always a number, as
/// valid_min is. Example, of float32: `{"_FillValue":"AAAAAAAA+H8="}` gives `{"_FillValue":NaN}`.
nlohmann::json parse_zarr_attributes(nlohmann::json attributes, DType dtype);

/// The reverse, without the names of axes and what the type says: JSON by the letter, in which those words
/// stand for numbers. Left out are a `_FillValue` that no element can have, one that the array's fill_value
/// says already, and NaN among missing_value, which readers would take for a text; NaN is missing without it.
nlohmann::json zarr_attributes_json(const ZarrArray& array);

/// Says among the attributes that elements are times, where they are.
void add_time_attribute(ZarrArray& array, const std::optional<NumpyTime>& time);

/// Attributes of a group, where words are numbers in lists of numbers; and the reverse, JSON by the letter.
nlohmann::json parse_zarr_group_attributes(nlohmann::json attributes);
nlohmann::json zarr_group_attributes_json(const std::string& attributes);

/// Whether each axis has a name; of an array without axes always.
bool has_axis_names(const ZarrArray& array);

/// Whether the array's fill_value marks missing elements, too: in version 2 where its axes have names, which
/// is what xarray opens. An array without axes cannot be told by them, but by a `_FillValue` that is the
/// same.
bool has_missing_fill(const ZarrArray& array);

/// The element that marks missing ones, by the attributes of a new array, in which it is made one of the
/// type: a missing_value that JSON does not have becomes `_FillValue` where there is no other, and a
/// `_FillValue` that no element can have is left out. Empty where none does.
std::vector<std::byte> take_missing_element(nlohmann::json& attributes, DType dtype);

}  // namespace tenstride::io
