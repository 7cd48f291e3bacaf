// SPDX-License-Identifier: Apache-2.0
// The types of classic netCDF files by their numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// Numbers are big-endian in a file.
inline constexpr bool is_netcdf_swapped = std::endian::native == std::endian::little;

/// What each list of a header begins with.
namespace netcdf_list {
inline constexpr unsigned dimensions = 10;
inline constexpr unsigned variables = 11;
inline constexpr unsigned attributes = 12;
}  // namespace netcdf_list

/// The number of the type of texts.
inline constexpr std::uint32_t netcdf_char = 2;

/// The element type with a number; nothing for `netcdf_char` and for numbers that no version has.
/// Example: 5 is float32.
constexpr std::optional<DType> netcdf_dtype(std::uint32_t number) {
  switch (number) {
    case 1:
      return DType::int8;
    case 3:
      return DType::int16;
    case 4:
      return DType::int32;
    case 5:
      return DType::float32;
    case 6:
      return DType::float64;
    case 7:
      return DType::uint8;
    case 8:
      return DType::uint16;
    case 9:
      return DType::uint32;
    case 10:
      return DType::int64;
    case 11:
      return DType::uint64;
    default:
      return std::nullopt;
  }
}

/// The last type of a version, 1, 2 or 5.
constexpr std::uint32_t last_netcdf_type(int version) {
  return version == 5 ? 11 : 6;
}

/// The number of an element type; nothing where netCDF lacks it. Example: 8, of version 5, for uint16.
constexpr std::optional<std::uint32_t> netcdf_type(DType dtype) {
  for (std::uint32_t number = 1; number <= last_netcdf_type(5); ++number) {
    if (netcdf_dtype(number) == dtype) return number;
  }
  return std::nullopt;
}

/// Bytes of one element. Pre: the number is one of a type.
constexpr std::size_t netcdf_item(std::uint32_t number) {
  const std::optional<DType> dtype = netcdf_dtype(number);
  return dtype ? item_size(*dtype) : 1;
}

}  // namespace tenstride::io
