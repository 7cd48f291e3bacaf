// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/hdf5/libhdf5_datatype.hpp"

namespace tenstride::io {

/// The attribute that has the names of an enumeration.
inline constexpr const char* hdf5_enumeration_attribute = "enum";

/// The names of an enumeration with their values, as a JSON object. Example: `{"RED":0,"GREEN":1}`.
std::string hdf5_enumeration_text(hid_t type, const Hdf5Datatype& known);

/// Attributes with such names among them, unless one of them has that name already. `names` may be empty.
std::string with_enumeration(const std::string& attributes, const std::string& names);

/// The enumeration that attributes name, of elements of the type; not open where they name none.
Hdf5Id make_hdf5_enumeration(const std::string& attributes, DType dtype);

}  // namespace tenstride::io
