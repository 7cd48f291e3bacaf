// SPDX-License-Identifier: Apache-2.0
// What an attribute of HDF5 is of, beside its value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "io/hdf5/libhdf5.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// Type and shape of an attribute. Example: netCDF's `units = "K"` is {.is_text = true, .text_nbytes = 1,
/// .is_ascii = true}, h5py's numpy.float32([1, 2]) is {.dtype = DType::float32, .shape = {2}}.
struct Hdf5AttributeType {
  /// The type of numbers.
  DType dtype = DType::float64;
  /// Whether numbers are of the type of the elements, as _FillValue is; `dtype` is that then.
  bool is_of_elements = false;
  /// Whether the bytes of numbers stand in the other order than this machine's.
  bool is_byte_swapped = false;
  bool is_text = false;
  /// The length of a text; 0: each has its own.
  std::size_t text_nbytes = 0;
  bool is_ascii = false;
  /// What fills a text that is shorter, as H5T_str_t.
  int padding = H5T_STR_NULLTERM;
  /// Whether there is no value at all (a null dataspace).
  bool is_null = false;
  /// Empty: a scalar.
  std::vector<hsize_t> shape{};
  friend bool operator==(const Hdf5AttributeType&, const Hdf5AttributeType&) = default;
};

/// The type that a value is written with where nothing else is said; nothing for a value that is no number,
/// truth or text, nor a list of them. `elements`: the type of the dataset's; nothing of a group.
std::optional<Hdf5AttributeType> usual_hdf5_type(std::string_view name, const nlohmann::ordered_json& value,
                                                 std::optional<DType> elements);

/// The datatype and the dataspace.
Hdf5Id make_hdf5_attribute_type(const Hdf5AttributeType& type);
Hdf5Id make_hdf5_attribute_space(const Hdf5AttributeType& type);

/// The type as in `FurtherFacts::attribute_types`, and back; nothing for what the first does not give.
nlohmann::ordered_json to_json(const Hdf5AttributeType& type);
std::optional<Hdf5AttributeType> parse_hdf5_attribute_type(const nlohmann::ordered_json& json,
                                                           std::optional<DType> elements);

}  // namespace tenstride::io
