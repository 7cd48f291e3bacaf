// SPDX-License-Identifier: Apache-2.0
// The attributes that are read, whatever the file.
#pragma once

#include <cstddef>
#include <string>

#include "base/message.hpp"

namespace tenstride::io {

/// Elements of an attribute that is read.
inline constexpr std::size_t max_attribute_elements = std::size_t{1} << 20;
/// Bytes of one that is read.
inline constexpr std::size_t max_attribute_nbytes = std::size_t{1} << 24;
/// Attributes of a tensor or group that are read, as many as netCDF promises; to look each up takes time that
/// grows with their number.
inline constexpr std::size_t max_attributes = 8192;

/// Why a longer one is not.
inline std::string attribute_too_long() {
  return tenstride::detail::message("it is longer than ", max_attribute_elements, " elements or ",
                                    max_attribute_nbytes >> 20, " MiB");
}

}  // namespace tenstride::io
