// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "io/zarr/json_field.hpp"
#include "io/zarr/metadata.hpp"

namespace tenstride::io {

/// "folder/name".
std::string zarr_file(std::string_view folder, std::string_view name);

/// Refuses an array whose elements, or those of a chunk, have bytes that 64 bits cannot count, or more axes
/// in its chunks than in its shape. `chunk`: where the chunk's shape stands.
void check_zarr_sizes(const JsonField& shape, const JsonField& chunk, const ZarrArray& array);

/// A list of names, one for each axis; null for an axis without one.
std::vector<std::optional<std::string>> parse_dimension_names(const JsonField& field, std::size_t rank);
/// The reverse.
nlohmann::json dimension_names_json(const ZarrArray& array);

/// A list of numbers.
nlohmann::json dims_json(const Dims& dims);

/// The text of zarr.json.
std::string zarr_v3_text(const ZarrArray& array);
/// The texts of .zarray and .zattrs.
std::string zarray_text(const ZarrArray& array);
std::string zattrs_text(const ZarrArray& array);

}  // namespace tenstride::io
