// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "io/nifti/fields.hpp"
#include "io/nifti/header.hpp"

namespace tenstride::io {

/// A header's fields as the text of a JSON object, under the names of the format. `pixdim` has one number for
/// each axis and `qfac` is its number before them; `scl_slope` and `scl_inter` are there only where they
/// scale. A number that is not finite is null. Example: `{"descrip":"","aux_file":"","xyzt_units":10,…}`.
std::string nifti_attributes(const NiftiBytes& bytes, const NiftiElement& element, std::size_t rank);

/// The given fields, the colours and the sizes.
std::string attributes_of_fields(const NiftiBytes& bytes, std::span<const NiftiField> fields,
                                 const NiftiElement& element, std::size_t rank);

/// Puts the fields that the JSON object has into a header, the others stay as they are. Keys that are no
/// fields are passed over. Throws ValueError.
void put_nifti_attributes(NiftiOutput& header, std::string_view attributes, std::string_view operation);

/// 3 or 4 where the attributes say that the first axis is one of colours, else 0. Throws ValueError.
Index nifti_colors(std::string_view attributes, std::string_view operation);
Index nifti_colors(const nlohmann::ordered_json& attributes);

}  // namespace tenstride::io
