// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf/header.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/netcdf/places.hpp"
#include "io/netcdf/types.hpp"
#include "io/stream/big_endian.hpp"

namespace tenstride::io {
namespace {

using namespace std::string_view_literals;
using tenstride::detail::message;

/// Reads one number after the other.
class NetcdfParser {
 public:
  NetcdfParser(std::span<const std::byte> file, const std::string& path, std::string_view operation)
      : bytes_(file.first(std::min<std::size_t>(file.size(), max_netcdf_header))),
        file_nbytes_(file.size()),
        path_(path),
        operation_(operation) {}

  NetcdfHeader parse() {
    NetcdfHeader header;
    header.version = version_ = std::to_integer<int>(take(4, "its version")[3]);
    constexpr std::uint64_t streaming = 0xffffffff;
    const std::uint64_t records = number(count_width(), "the number of records");
    const bool is_counted = version_ == 5 ? records == UINT64_MAX : records == streaming;
    parse_dimensions(header);
    header.attributes = parse_attribute_list("the file");
    parse_variables(header);
    place_netcdf_variables(header, is_counted ? std::nullopt : std::optional(records),
                           {at_, file_nbytes_, path_, operation_});
    return header;
  }

 private:
  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message(operation_, ": \"", path_, "\" ", pieces...), path_);
  }

  [[nodiscard]] std::size_t count_width() const { return version_ == 5 ? 8 : 4; }

  std::span<const std::byte> take(std::uint64_t nbytes, std::string_view what) {
    if (nbytes > bytes_.size() - at_) {
      if (bytes_.size() < file_nbytes_)
        refuse("must have a header of at most ", max_netcdf_header >> 20, " MiB, ", what, " lies behind");
      refuse("ends after ", file_nbytes_, " bytes, within its header (", what, ")");
    }
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(nbytes));
    at_ += taken.size();
    return taken;
  }

  /// A big-endian number.
  std::uint64_t number(std::size_t width, std::string_view what) { return big_endian(take(width, what)); }

  /// A number that is not negative.
  std::uint64_t count(std::string_view what) {
    const std::size_t width = count_width();
    const std::uint64_t value = number(width, what);
    if (value >> (8 * width - 1) != 0) refuse("must not have ", what, " below 0");
    return value;
  }

  std::span<const std::byte> take_padded(std::uint64_t nbytes, std::string_view what) {
    const auto taken = take(nbytes, what);
    take((4 - nbytes % 4) % 4, what);
    return taken;
  }

  std::string name(std::string_view what) {
    const std::string whose = message("the name of ", what);
    const auto bytes = take_padded(count(whose), whose);
    // Zeros end a name, as in netCDF-C: files from Fortran are padded so.
    std::string_view chars(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    chars = chars.substr(0, chars.find('\0'));
    if (chars.empty()) refuse("has ", whose, ", which must have a byte at least that is not zero");
    return valid_utf8(chars);
  }

  /// How many entries a list has; `what` are they.
  std::uint64_t list(unsigned kind, std::string_view what) {
    const auto tag = static_cast<unsigned>(number(4, message("the list of ", what)));
    const std::uint64_t entries = count(message("the number of ", what));
    if (tag == kind) return entries;
    if (tag == 0 && entries == 0) return 0;
    refuse("has a list of ", what, " that begins with ", tag, ", which must be ", kind, ", or 0 for none");
  }

  void parse_dimensions(NetcdfHeader& header) {
    const std::uint64_t entries = list(netcdf_list::dimensions, "dimensions");
    for (std::uint64_t i = 0; i < entries; ++i) {
      NetcdfDimension dimension;
      dimension.name = name(message("dimension ", i));
      dimension.length = static_cast<Index>(count(message("the length of dimension ", i)));
      dimension.is_record = dimension.length == 0;
      const auto is_record = [](const NetcdfDimension& other) { return other.is_record; };
      if (dimension.is_record && std::any_of(header.dimensions.begin(), header.dimensions.end(), is_record)) {
        refuse("has two dimensions of length 0, of which one at most must be that of records");
      }
      header.dimensions.push_back(std::move(dimension));
    }
  }

  std::uint32_t type(std::string_view what) {
    const std::uint64_t given = number(4, message("the type of ", what));
    if (given == 0 || given > last_netcdf_type(version_)) {
      refuse("has the type ", given, " of ", what, ", which must be 1 to ", last_netcdf_type(version_),
             " in CDF-", version_);
    }
    return static_cast<std::uint32_t>(given);
  }

  std::vector<NetcdfAttribute> parse_attribute_list(std::string_view owner) {
    std::vector<NetcdfAttribute> attributes;
    const std::uint64_t entries = list(netcdf_list::attributes, message("attributes of ", owner));
    for (std::uint64_t i = 0; i < entries; ++i) {
      NetcdfAttribute attribute;
      const std::string what = message("attribute ", i, " of ", owner);
      attribute.name = name(what);
      attribute.type = type(what);
      attribute.count = count(message("the length of ", what));
      const std::size_t item = netcdf_item(attribute.type);
      if (attribute.count > file_nbytes_ / item) take(UINT64_MAX, what);
      attribute.values = take_padded(attribute.count * item, what);
      attributes.push_back(std::move(attribute));
    }
    return attributes;
  }

  void parse_variables(NetcdfHeader& header) {
    const std::uint64_t entries = list(netcdf_list::variables, "variables");
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < entries; ++i) {
      NetcdfVariable variable;
      variable.name = name(message("variable ", i));
      if (!names.insert(variable.name).second) refuse("must not have two variables \"", variable.name, '"');
      const std::string what = message("variable \"", variable.name, '"');
      const std::uint64_t rank = count(message("the number of axes of ", what));
      for (std::uint64_t d = 0; d < rank; ++d) {
        const std::uint64_t number = count(message("axis ", d, " of ", what));
        if (number >= header.dimensions.size()) {
          refuse("has ", what, " of dimension ", number, ", which must be one of ", header.dimensions.size());
        }
        if (d > 0 && header.dimensions[number].is_record)
          refuse("has ", what, " whose axis ", d, " counts records, which only the first must");
        variable.dimensions.push_back(static_cast<std::size_t>(number));
      }
      variable.has_records = rank > 0 && header.dimensions[variable.dimensions[0]].is_record;
      variable.attributes = parse_attribute_list(what);
      variable.type = type(what);
      number(count_width(), message("the size of ", what));  // follows from the shape; of 4 GiB it is wrong
      variable.begin = number(version_ == 1 ? 4 : 8, message("the place of ", what));
      header.variables.push_back(std::move(variable));
    }
  }

  std::span<const std::byte> bytes_;
  std::uint64_t file_nbytes_ = 0;
  const std::string& path_;
  std::string_view operation_;
  std::size_t at_ = 0;
  int version_ = 1;
};

}  // namespace

bool is_netcdf(const FileStart& start) {
  const std::string_view chars(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size());
  return chars.starts_with("CDF\1"sv) || chars.starts_with("CDF\2"sv) || chars.starts_with("CDF\5"sv);
}

NetcdfHeader parse_netcdf_header(std::span<const std::byte> file, const std::string& path,
                                 std::string_view operation) {
  return NetcdfParser(file, path, operation).parse();
}

}  // namespace tenstride::io
