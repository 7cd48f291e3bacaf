// SPDX-License-Identifier: Apache-2.0
// Dates and spans of time of NumPy's: tensors of int64 with an attribute that says what their elements count.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/result_origin.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

class ResultAttributes;

/// The attribute, whose value is the name that NumPy has: "datetime64[ns]", "timedelta64[25s]".
inline constexpr const char* numpy_dtype_key = "numpy_dtype";

/// The smallest int64 is NaT, no time.
struct NumpyTime {
  /// Whether elements are spans of time; otherwise they count from 1970-01-01 on.
  bool is_span = false;
  /// "ns", "D"; empty: NumPy's generic unit.
  std::string unit{};
  /// How many units an element counts.
  Index count = 1;

  friend bool operator==(const NumpyTime&, const NumpyTime&) = default;
};

/// Of "datetime64[25s]"; nothing for what is no such name.
std::optional<NumpyTime> parse_numpy_dtype(std::string_view text);
/// Of NumPy's code, "M8[25s]", without its byte order.
std::optional<NumpyTime> parse_numpy_time_code(std::string_view code);
/// Whether NumPy has the unit: "ns"; not of the generic one.
bool is_numpy_unit(std::string_view unit);

/// The reverse: "datetime64[25s]".
std::string numpy_dtype_text(const NumpyTime& time);
/// "M8[25s]".
std::string numpy_time_code(const NumpyTime& time);

/// The bytes of NaT.
std::vector<std::byte> no_time_element();

/// What the attributes say of the elements of a type; nothing where it is not int64.
std::optional<NumpyTime> find_time_attribute(const nlohmann::ordered_json& attributes, DType dtype);
std::optional<NumpyTime> find_numpy_time(std::string_view attributes, DType dtype);

/// Gives elements that are times the `units` of CF (and spans the `dtype` of xarray's) in place of the
/// attribute, where CF has such. Example: datetime64[ns] are "nanoseconds since 1970-01-01".
void write_time_units(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
