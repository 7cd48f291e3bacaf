// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/message.hpp"
#include "io/input.hpp"
#include "io/nifti/analyze.hpp"
#include "io/nifti/attributes.hpp"
#include "io/nifti/fields.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

class NiftiCheck {
 public:
  NiftiCheck(std::span<const std::byte> start, std::uint64_t file_size, std::string_view name)
      : start_(start), file_size_(file_size), name_(name) {}

  [[nodiscard]] NiftiHeader header() const {
    const NiftiBytes bytes = find();
    NiftiHeader result;
    result.version = static_cast<int>(bytes.version());
    result.byte_order = bytes.order();
    result.is_analyze = is_analyze(bytes.version());
    result.files = result.is_analyze ? NiftiFiles::pair : files_of(bytes.version());
    const NiftiElement element = parse_nifti_datatype(bytes.integer(nifti_field::datatype), name_);
    result.dtype = element.dtype;
    const Dims shape = shape_of(bytes);
    set_layout(result, shape, element.colors);
    result.axis_names = names_of(bytes, shape.size(), element.colors, result.is_analyze);
    result.data_begin = begin_of(bytes, result.files);
    if (result.is_analyze) {
      result.attributes = analyze_attributes(bytes, element, shape.size());
      return result;
    }
    const double slope = bytes.number(nifti_field::scl_slope);
    // The format leaves colours as they are, whatever the slope is.
    if (element.colors == 0 && slope != 0 && std::isfinite(slope)) {
      const double inter = bytes.number(nifti_field::scl_inter);
      result.scl_slope = slope;
      result.scl_inter = std::isfinite(inter) ? inter : 0;
    }
    result.attributes = nifti_attributes(bytes, element, shape.size());
    if (result.files == NiftiFiles::single) check_nifti_data(result, file_size_, name_);
    return result;
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message("nifti: \"", name_, "\" ", pieces...), std::string(name_));
  }

  /// The version and the byte order, which the first number tells: the header's own length.
  [[nodiscard]] NiftiBytes find() const {
    constexpr NiftiField sizeof_hdr{"sizeof_hdr", {NiftiFieldType::int32, 0}, {NiftiFieldType::int32, 0}, 1};
    if (start_.size() >= 4) {
      for (const NiftiVersion version : {NiftiVersion::one, NiftiVersion::two}) {
        for (const ByteOrder order : {ByteOrder::native, ByteOrder::swapped}) {
          const NiftiBytes bytes(start_, version, order);
          const std::size_t nbytes = nifti_header_nbytes(version);
          if (bytes.integer(sizeof_hdr) != static_cast<std::int64_t>(nbytes)) continue;
          if (start_.size() < nbytes) {
            refuse("ends after ", start_.size(), " bytes and must have at least ", nbytes, ", its header");
          }
          return bytes;
        }
      }
    }
    refuse("must begin with the length of a NIfTI header, 348 or 540 in 4 bytes, it begins with ",
           describe_start(start_));
  }

  /// Where NIfTI has its mark, ANALYZE 7.5 has a number, the least element.
  [[nodiscard]] bool is_analyze(NiftiVersion version) const {
    return version == NiftiVersion::one && start_[344] != std::byte{'n'};
  }

  [[nodiscard]] NiftiFiles files_of(NiftiVersion version) const {
    using namespace std::string_view_literals;
    const bool is_one = version == NiftiVersion::one;
    const std::string_view chars(reinterpret_cast<const char*>(start_.data()), start_.size());
    const std::string_view magic = is_one ? chars.substr(344, 4) : chars.substr(4, 8);
    if (magic == (is_one ? "n+1\0"sv : "n+2\0\r\n\x1a\n"sv)) return NiftiFiles::single;
    if (magic == (is_one ? "ni1\0"sv : "ni2\0\r\n\x1a\n"sv)) return NiftiFiles::pair;
    refuse("must have the mark ", is_one ? "'n+1' or 'ni1'" : "'n+2' or 'ni2'", " at byte ", is_one ? 344 : 4,
           ", it has ", describe_start(std::as_bytes(std::span(magic))));
  }

  [[nodiscard]] Dims shape_of(const NiftiBytes& bytes) const {
    const std::int64_t rank = bytes.integer(nifti_field::dim);
    if (rank < 1 || rank > 7) refuse("has dim[0] = ", rank, " axes and must have 1 to 7");
    Dims shape;
    for (std::size_t d = 1; d <= static_cast<std::size_t>(rank); ++d) {
      const std::int64_t size = bytes.integer(nifti_field::dim, d);
      if (size < 1) refuse("has dim[", d, "] = ", size, ", a size, which must be at least 1");
      shape.push_back(size);
    }
    return shape;
  }

  void set_layout(NiftiHeader& result, const Dims& shape, Index colors) const {
    Dims all;
    if (colors > 0) all.push_back(colors);
    for (const Index size : shape) all.push_back(size);
    std::optional<Index> nbytes = static_cast<Index>(item_size(result.dtype));
    for (const Index size : all) nbytes = nbytes ? try_multiply(*nbytes, size) : nbytes;
    if (!nbytes) refuse("has the shape ", all, ", whose bytes must fit a signed 64-bit integer");
    result.layout = column_major(all);
    result.nbytes = static_cast<std::uint64_t>(*nbytes);
  }

  [[nodiscard]] static std::vector<std::string> names_of(const NiftiBytes& bytes, std::size_t rank,
                                                         Index colors, bool is_analyze) {
    constexpr std::array<std::string_view, 7> names{"x", "y", "z", "t", "c", "v", "w"};
    std::vector<std::string> result;
    if (colors > 0) result.emplace_back(colors == 3 ? "rgb" : "rgba");
    // 8, 16 and 24 are units of time; 32, 40 and 48 of frequencies and shifts.
    const bool has_time = is_analyze || (bytes.integer(nifti_field::xyzt_units) & 0x38) <= 24;
    for (std::size_t d = 0; d < rank; ++d) result.emplace_back(d == 3 && !has_time ? "" : names[d]);
    return result;
  }

  [[nodiscard]] std::uint64_t begin_of(const NiftiBytes& bytes, NiftiFiles files) const {
    const std::size_t least = files == NiftiFiles::pair ? 0 : nifti_start_nbytes(bytes.version());
    const auto refuse_offset = [&](std::string_view given) {
      refuse("has vox_offset = ", given, ", which must be an integer from ", least, " to ", INT64_MAX);
    };
    if (bytes.version() == NiftiVersion::two) {
      const std::int64_t given = bytes.integer(nifti_field::vox_offset);
      if (given < static_cast<std::int64_t>(least)) refuse_offset(std::to_string(given));
      return static_cast<std::uint64_t>(given);
    }
    const double given = bytes.number(nifti_field::vox_offset);
    constexpr double beyond = 9223372036854775808.0;
    if (!(given >= static_cast<double>(least) && given < beyond) || std::floor(given) != given) {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.9g", given);
      refuse_offset(text.data());
    }
    return static_cast<std::uint64_t>(given);
  }

  std::span<const std::byte> start_;
  std::uint64_t file_size_;
  std::string_view name_;
};

}  // namespace

NiftiHeader parse_nifti_header(std::span<const std::byte> start, std::uint64_t file_size,
                               std::string_view name) {
  const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file_size));
  return NiftiCheck(start.first(held), file_size, name).header();
}

std::string parse_nifti_extensions(std::string_view bytes, ByteOrder order) {
  constexpr std::size_t least = 8;
  std::string extensions;
  while (bytes.size() >= least) {
    std::array<std::uint32_t, 2> words{};  // size and code
    std::memcpy(words.data(), bytes.data(), least);
    if (order == ByteOrder::swapped) {
      for (std::uint32_t& word : words) word = __builtin_bswap32(word);
    }
    const std::size_t nbytes = words[0];
    if (nbytes < least || nbytes > bytes.size()) break;
    extensions.append(reinterpret_cast<const char*>(words.data()), least);
    extensions += bytes.substr(least, nbytes - least);
    bytes.remove_prefix(nbytes);
  }
  return extensions;
}

void check_nifti_data(const NiftiHeader& header, std::uint64_t data_size, std::string_view data_name) {
  if (header.data_begin <= data_size && header.nbytes <= data_size - header.data_begin) return;
  throw FileError(message("nifti: \"", data_name, "\" ends after ", data_size, " bytes and must hold ",
                          header.nbytes, " bytes of elements from byte ", header.data_begin, " on (shape ",
                          header.layout.shape, ", ", name(header.dtype), ")"),
                  std::string(data_name));
}

}  // namespace tenstride::io
