// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/libhdf5_datatype.hpp"
#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// A tensor that the elements of a dataset hold: the elements themselves, or one field of a compound. Array
/// types are axes behind those of the dataset.
/// Example: of {float32 x; struct {int16 a[3]} s[2]} these are x, and s.a with axes (2,3).
struct Hdf5Field {
  /// Names with a dot between them, "s.a"; empty: the elements themselves.
  std::string name;
  /// The number of the member in each compound on the way.
  std::vector<unsigned> members;
  /// The axes that its array types add, and their strides in bytes.
  Dims axes;
  Dims strides;
  /// The byte of an element where it begins, as libhdf5 has the element in memory.
  std::uint64_t begin = 0;
  /// Nothing where tenstride has no such type: then `obstacle` says why, as the end of "must …".
  std::optional<Hdf5Datatype> type;
  std::string obstacle;
  /// The names of an enumeration with their values, as a JSON object; or empty.
  std::string enumeration;
};

/// At least one, and no more than a header of 64 KiB can have. A compound of no field that can be read is one
/// field without a name.
std::vector<Hdf5Field> fields_of_hdf5_type(hid_t type);

/// The type in memory of elements that have this field alone. Pre: the field has a type.
Hdf5Id make_hdf5_field_type(hid_t type, const Hdf5Field& field);

}  // namespace tenstride::io
