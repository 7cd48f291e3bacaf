// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf/places.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/netcdf/types.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Bytes of the file, and whose they are.
struct PlacedBytes {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
  std::string_view name;
};

class NetcdfPlaces {
 public:
  NetcdfPlaces(NetcdfHeader& header, const NetcdfFile& file) : header_(header), file_(file) {}

  void place(const std::optional<std::uint64_t>& records) {
    for (NetcdfVariable& variable : header_.variables) set_nbytes(variable);
    set_pitch();
    header_.records = static_cast<Index>(records ? given_records(*records) : counted_records());
    for (const NetcdfVariable& variable : header_.variables) check_inside(variable);
    check_overlaps();
  }

 private:
  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message(file_.operation, ": \"", file_.path, "\" ", pieces...), file_.path);
  }

  void set_nbytes(NetcdfVariable& variable) const {
    std::optional<Index> nbytes = static_cast<Index>(netcdf_item(variable.type));
    for (const std::size_t number : variable.dimensions) {
      const NetcdfDimension& dimension = header_.dimensions[number];
      if (nbytes && !dimension.is_record) nbytes = try_multiply(*nbytes, dimension.length);
    }
    if (!nbytes) refuse("has variable \"", variable.name, "\", whose bytes must fit a signed 64-bit integer");
    variable.nbytes = static_cast<std::uint64_t>(*nbytes);
  }

  /// Each variable's part of a record is filled up to a multiple of 4 bytes, but that of a single one of
  /// bytes or shorts.
  void set_pitch() {
    std::optional<Index> pitch = 0;
    std::size_t count = 0;
    std::uint64_t last = 0;
    for (const NetcdfVariable& variable : header_.variables) {
      if (!variable.has_records) continue;
      ++count;
      last = variable.nbytes;
      const std::optional<Index> end = try_add(static_cast<Index>(variable.nbytes), 3);
      if (pitch) pitch = end ? try_add(*pitch, *end / 4 * 4) : std::nullopt;
    }
    if (!pitch) refuse("has records whose bytes must fit a signed 64-bit integer");
    header_.record_pitch = count == 1 ? last : static_cast<std::uint64_t>(*pitch);
  }

  [[nodiscard]] std::uint64_t given_records(std::uint64_t given) const {
    if (given > static_cast<std::uint64_t>(INT64_MAX)) refuse("must not have the number of records below 0");
    return given;
  }

  /// The whole records of a file whose writer was interrupted: those that every record variable has.
  [[nodiscard]] std::uint64_t counted_records() const {
    std::optional<std::uint64_t> records;
    for (const NetcdfVariable& variable : header_.variables) {
      if (!variable.has_records) continue;
      const bool has_one = variable.begin <= file_.nbytes && variable.nbytes <= file_.nbytes - variable.begin;
      const std::uint64_t behind = has_one ? file_.nbytes - variable.begin - variable.nbytes : 0;
      const std::uint64_t held = has_one ? behind / header_.record_pitch + 1 : 0;
      records = std::min(records.value_or(held), held);
    }
    return records.value_or(0);
  }

  /// From the first to the last element, all records included.
  [[nodiscard]] std::uint64_t reach_of(const NetcdfVariable& variable) const {
    if (!variable.has_records) return variable.nbytes;
    if (header_.records == 0) return 0;
    const std::optional<Index> before =
        try_multiply(header_.records - 1, static_cast<Index>(header_.record_pitch));
    const std::optional<Index> all =
        before ? try_add(*before, static_cast<Index>(variable.nbytes)) : std::nullopt;
    if (!all)
      refuse("has ", header_.records, " records, whose bytes must fit a signed 64-bit integer (variable \"",
             variable.name, "\")");
    return static_cast<std::uint64_t>(*all);
  }

  void check_inside(const NetcdfVariable& variable) const {
    const std::uint64_t nbytes = reach_of(variable);
    if (nbytes == 0) return;
    if (variable.begin < file_.header_nbytes) {
      refuse("has variable \"", variable.name, "\" begin at byte ", variable.begin,
             ", which must not lie before byte ", file_.header_nbytes, ", the header's end");
    }
    if (variable.begin <= file_.nbytes && nbytes <= file_.nbytes - variable.begin) return;
    const std::string records =
        variable.has_records ? message(" (", header_.records, " records)") : std::string();
    refuse("has ", file_.nbytes, " bytes and must have ", nbytes, " of variable \"", variable.name, "\"",
           records, " from byte ", variable.begin, " on (it is cut off, or its header is damaged)");
  }

  void check_overlaps() const {
    std::vector<PlacedBytes> fixed, record;
    for (const NetcdfVariable& variable : header_.variables) {
      if (reach_of(variable) == 0) continue;
      (variable.has_records ? record : fixed).push_back({variable.begin, variable.nbytes, variable.name});
    }
    require_apart(record);
    if (!record.empty()) {
      // All records are one part of the file; the last variable's part of one ends before the first one's of
      // the next.
      const auto last = record.back();
      const std::uint64_t width = last.begin + last.nbytes - record.front().begin;
      if (width > header_.record_pitch) {
        refuse("has variables \"", record.front().name, "\" and \"", last.name,
               "\", whose records reach over ", width, " bytes and must follow each other at ",
               header_.record_pitch);
      }
      const auto repeated = static_cast<std::uint64_t>(header_.records - 1) * header_.record_pitch;
      fixed.push_back({record.front().begin, repeated + width, record.front().name});
    }
    require_apart(fixed);
  }

  /// Sorts them.
  void require_apart(std::vector<PlacedBytes>& parts) const {
    std::sort(parts.begin(), parts.end(),
              [](const PlacedBytes& a, const PlacedBytes& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const PlacedBytes &before = parts[i - 1], &part = parts[i];
      if (part.begin - before.begin >= before.nbytes) continue;
      refuse("has variable \"", part.name, "\" begin at byte ", part.begin,
             ", which must not lie before byte ", before.begin + before.nbytes, ", where \"", before.name,
             "\" ends");
    }
  }

  NetcdfHeader& header_;
  const NetcdfFile& file_;
};

}  // namespace

void place_netcdf_variables(NetcdfHeader& header, const std::optional<std::uint64_t>& records,
                            const NetcdfFile& file) {
  NetcdfPlaces(header, file).place(records);
}

}  // namespace tenstride::io
