// SPDX-License-Identifier: Apache-2.0
// Attributes that speak of elements, by the conventions of netCDF and CF.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Whether an attribute has the type of the elements by the conventions of netCDF and CF.
bool has_type_of_elements(std::string_view name);

/// Sets scale and shift as the attributes `scale_factor` and `add_offset` say; attributes that are no finite
/// numbers say nothing here, and are refused by `rescaling_of`.
void take_scaling_of_attributes(FileInfo& info);

/// The type that the bits of stored elements are read as: what `_Unsigned` says of integers.
DType stored_type(const FileInfo& info, const nlohmann::ordered_json& attributes);

/// The numbers of an attribute; the texts "NaN", "Infinity" and "-Infinity" are numbers, too. Nothing where
/// it is anything else.
std::optional<std::vector<Scalar>> numbers_of(const nlohmann::ordered_json& attribute);

/// A number as an element of the type; nothing where an integer type has no such number, and of bool.
std::optional<Scalar> as_element(const Scalar& number, DType type);

/// A number of the signed or unsigned integer type as the element of `type`, which has its bits.
/// Example: -1 of int8 is 255 of uint8, and so is 255.
std::optional<Scalar> as_reinterpreted(const Scalar& number, DType file_type, DType type);

/// What netCDF stores where nothing was written; nothing for types that it does not have.
std::optional<Scalar> netcdf_fill(DType type);

}  // namespace tenstride::io
