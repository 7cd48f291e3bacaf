// SPDX-License-Identifier: Apache-2.0
// The header of a classic netCDF file: CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data), as "File Format
// Specifications" in the NetCDF User's Guide defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/format.hpp"

namespace tenstride::io {

/// An attribute of a variable, or of the file. Its values lie in the bytes that the header was parsed from.
struct NetcdfAttribute {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t count = 0;
  /// Big-endian.
  std::span<const std::byte> values;
};

struct NetcdfDimension {
  std::string name;
  Index length = 0;
  bool is_record = false;
};

struct NetcdfVariable {
  std::string name;
  std::vector<std::size_t> dimensions;
  std::vector<NetcdfAttribute> attributes;
  std::uint32_t type = 0;
  /// The byte of the first element.
  std::uint64_t begin = 0;
  /// Bytes of all elements; of those of one record where the variable has records.
  std::uint64_t nbytes = 0;
  /// Whether the first axis counts records.
  bool has_records = false;
};

struct NetcdfHeader {
  /// 1, 2 or 5.
  int version = 1;
  /// Bytes from one record to the next, and how many there are.
  std::uint64_t record_pitch = 0;
  Index records = 0;
  std::vector<NetcdfDimension> dimensions;
  std::vector<NetcdfAttribute> attributes;
  std::vector<NetcdfVariable> variables;
};

/// A header is not longer.
inline constexpr std::uint64_t max_netcdf_header = std::uint64_t{1} << 26;

/// "CDF" with a byte of the version, 1, 2 or 5.
bool is_netcdf(const FileStart& start);

/// Parses the header of a whole file, and checks that all elements lie in it, each variable's by themselves.
/// Throws FileError that begins with the operation. Example: of a file with t2m(time, lat, lon) of int16,
/// where time counts 8 records of 721 x 1440, `variables[0].nbytes` is 2076480 and `record_pitch` as much.
NetcdfHeader parse_netcdf_header(std::span<const std::byte> file, const std::string& path,
                                 std::string_view operation);

}  // namespace tenstride::io
