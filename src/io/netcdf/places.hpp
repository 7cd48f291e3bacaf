// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/netcdf/header.hpp"

namespace tenstride::io {

/// The file around a header.
struct NetcdfFile {
  std::uint64_t header_nbytes = 0;
  std::uint64_t nbytes = 0;
  const std::string& path;
  std::string_view operation;
};

/// Sets the bytes of the variables, the pitch and the number of records: as many as are given, otherwise as
/// the file is long enough for. Throws FileError where elements do not lie in the file, or over others.
void place_netcdf_variables(NetcdfHeader& header, const std::optional<std::uint64_t>& records,
                            const NetcdfFile& file);

}  // namespace tenstride::io
