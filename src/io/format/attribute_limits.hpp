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
/// How many are read of a tensor or group, as many as netCDF promises, and members of an object among them:
/// each is looked for among those before it.
inline constexpr std::size_t max_attributes = 8192;

/// Why a longer one is not.
inline std::string attribute_too_long() {
  return tenstride::detail::message("it is longer than ", max_attribute_elements, " elements or ",
                                    max_attribute_nbytes >> 20, " MiB");
}

/// Attributes that are not read, all together, as `FurtherFacts::unread_attributes` says it.
inline std::string no_attributes_read(const std::string& reason) {
  return R"({"attributes":")" + reason + "\"}";
}
inline std::string too_many_attributes() {
  return no_attributes_read(
      tenstride::detail::message("they are more than ", max_attributes, " at one place"));
}

/// Empties attributes that have more members than are read, and says so as `FurtherFacts::unread_attributes`
/// does; gives nothing where it leaves them.
std::string take_too_many_attributes(std::string& attributes);

}  // namespace tenstride::io
