// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/hdf5/libhdf5.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/io/element_order.hpp"

namespace tenstride::io {

/// A datatype of a file that is one of tenstride's.
struct Hdf5Datatype {
  DType dtype = DType::uint8;
  ByteOrder byte_order = ByteOrder::native;
  /// Whether the bytes in the file are those of the dtype, but for their order; otherwise libhdf5 converts
  /// them.
  bool is_plain = true;
};

/// Nothing for a type that tenstride does not have. 16-bit floats are told by their fields, bool is h5py's
/// enumeration {FALSE, TRUE}, complex types are h5py's compound {r, i}. Other enumerations are their
/// integers, bit fields are unsigned integers.
std::optional<Hdf5Datatype> read_hdf5_datatype(hid_t type);

/// "strings", "a compound {a, b, …}", "an integer of 3 bytes": behind "have a type that tenstride has, not ".
std::string hdf5_datatype_text(hid_t type);

/// The type of elements in memory; in a file of this machine's byte order it is the same. Pre: not one of
/// float8.
Hdf5Id make_hdf5_datatype(DType dtype);
/// The same for elements of a type of a file, which libhdf5 then converts. Pre: `known` is that type.
Hdf5Id make_hdf5_memory_type(hid_t type, const Hdf5Datatype& known);

/// The name of a member of a compound or an enumeration.
std::string hdf5_member_name(hid_t type, unsigned number);
/// Whether elements have parts of any length, which lie elsewhere in the file.
bool has_variable_parts(hid_t type);

}  // namespace tenstride::io
