// SPDX-License-Identifier: Apache-2.0
// Attributes of classic netCDF files, as JSON and as bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/netcdf/header.hpp"
#include "io/netcdf/output.hpp"

namespace tenstride::io {

/// Attributes in the forms of `FileInfo` and `FurtherFacts`: numbers and texts, with the types that netCDF-4
/// would have for them. One that is longer than `max_attribute_elements` or `max_attribute_nbytes` is not
/// read. `elements`: the type of a variable's.
struct NetcdfAttributeTexts {
  std::string values;
  std::string types;
  std::string unread;
};
NetcdfAttributeTexts read_netcdf_attributes(const std::vector<NetcdfAttribute>& attributes,
                                            std::optional<DType> elements);

/// Appends a list of attributes. Each is of the type that `types` says of it, where its value and the version
/// have that; otherwise of the type of the elements where the conventions say so, of int32, or of what holds
/// it. What is neither number nor text nor a list of numbers is written as the text of its JSON; what is
/// empty and a fill value that no element can have are left out.
void put_netcdf_attributes(NetcdfOutput& output, const nlohmann::ordered_json& attributes,
                           const std::string& types, std::optional<DType> elements);

}  // namespace tenstride::io
