// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/input.hpp"
#include "io/npy/descr.hpp"
#include "io/npy/literal.hpp"
#include "io/npy/npy_info.hpp"
#include "tenstride/io/npy.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t header_alignment = 64;

/// A header's place in the file.
struct HeaderPlace {
  int version = 1;
  std::size_t begin = 0;
  std::size_t length = 0;
};

class HeaderCheck {
 public:
  HeaderCheck(std::span<const std::byte> start, std::size_t file_size, std::string_view name)
      : start_(start.first(std::min(start.size(), file_size))), file_size_(file_size), name_(name) {}

  [[nodiscard]] NpyHeader header() const {
    const HeaderPlace place = find();
    const std::string_view text(reinterpret_cast<const char*>(start_.data()) + place.begin, place.length);
    const NpyDictionary dictionary = parse_npy_dictionary(text, name_);
    NpyElement element = parse_npy_descr(dictionary.descr);
    NpyHeader result;
    result.obstacle = std::move(element.obstacle);
    result.version = place.version;
    result.dtype = element.dtype;
    result.numpy_dtype = std::move(element.numpy_dtype);
    result.byte_order = element.byte_order;
    result.data_begin = place.begin + place.length;
    result.layout = layout_of(dictionary);
    if (!result.obstacle.empty()) return result;
    const Index count = numel(result.layout);
    const std::optional<Index> nbytes = try_multiply(count, static_cast<Index>(item_size(element.dtype)));
    if (!nbytes) refuse("has the shape ", dictionary.shape, ", whose bytes must fit a signed 64-bit integer");
    result.nbytes = static_cast<std::size_t>(*nbytes);
    check_length(result);
    return result;
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message("npy: \"", name_, "\" ", pieces...), std::string(name_));
  }
  [[nodiscard]] std::size_t byte(std::size_t at) const { return std::to_integer<std::size_t>(start_[at]); }

  [[nodiscard]] HeaderPlace find() const {
    const std::string_view chars(reinterpret_cast<const char*>(start_.data()), start_.size());
    if (chars.substr(0, magic.size()) != magic.substr(0, chars.size()) || chars.empty()) {
      refuse("must begin with the bytes 93 4e 55 4d 50 59 of a .npy file, it begins with ",
             describe_start(start_));
    }
    require_start(magic.size() + 2);
    const std::size_t major = byte(6);
    const std::size_t minor = byte(7);
    if (major < 1 || major > 3 || minor != 0) {
      refuse("has version ", major, ".", minor, " and must have 1.0, 2.0 or 3.0");
    }
    HeaderPlace place;
    place.version = static_cast<int>(major);
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    place.begin = magic.size() + 2 + length_bytes;
    require_start(place.begin);
    for (std::size_t i = 0; i < length_bytes; ++i) place.length |= byte(magic.size() + 2 + i) << (8 * i);
    if (place.length > file_size_ - place.begin) {
      refuse("announces a header of ", place.length, " bytes and must have them, but ends ",
             file_size_ - place.begin, " bytes after byte ", place.begin);
    }
    if (place.length > max_npy_header) {
      refuse("announces a header of ", place.length, " bytes, which must be at most ", max_npy_header);
    }
    require_start(place.begin + place.length);
    return place;
  }

  void require_start(std::size_t wanted) const {
    if (start_.size() >= wanted) return;
    refuse("ends after ", start_.size(), " bytes and must have at least ", wanted,
           ", the start of its header");
  }

  [[nodiscard]] Layout layout_of(const NpyDictionary& dictionary) const {
    try {
      return dictionary.fortran_order ? column_major(dictionary.shape) : row_major(dictionary.shape);
    } catch (const OverflowError&) {
      refuse("has the shape ", dictionary.shape, ", whose elements must fit a signed 64-bit integer");
    }
  }

  void check_length(const NpyHeader& header) const {
    const std::size_t held = file_size_ - header.data_begin;
    if (held == header.nbytes || file_size_ == unknown_file_size) return;
    refuse("holds ", held, " bytes of elements and must hold ", header.nbytes, " (shape ",
           header.layout.shape, ", ", tenstride::name(header.dtype),
           "): ", held < header.nbytes ? header.nbytes - held : held - header.nbytes,
           held < header.nbytes ? " are missing" : " too many");
  }

  std::span<const std::byte> start_;
  std::size_t file_size_;
  std::string_view name_;
};

}  // namespace

NpyHeader parse_any_npy_header(std::span<const std::byte> start_of_file, std::size_t file_size,
                               std::string_view name) {
  return HeaderCheck(start_of_file, file_size, name).header();
}

NpyHeader parse_npy_header(std::span<const std::byte> start_of_file, std::size_t file_size,
                           std::string_view name) {
  NpyHeader header = parse_any_npy_header(start_of_file, file_size, name);
  if (header.obstacle.empty()) return header;
  throw FileError(message("npy: \"", name, "\" must ", header.obstacle), std::string(name));
}

std::string npy_head(const Dims& shape, DType dtype, ElementOrder order, std::string_view attributes,
                     std::string_view operation) {
  std::optional<std::string> descr = npy_descr(dtype);
  if (const std::optional<NumpyTime> time = find_numpy_time(attributes, dtype)) {
    descr->replace(1, std::string::npos, numpy_time_code(*time));
  }
  if (!descr) {
    throw TypeError(message(operation, ": elements of ", tenstride::name(dtype),
                            " must be of a type that NumPy has; use .to(",
                            is_complex(dtype) ? "complex64" : "float32", ")"));
  }
  const Index count = count_elements(shape, operation);
  checked_multiply(count, static_cast<Index>(item_size(dtype)), operation);
  // Where both orders are the same, NumPy says C.
  const bool is_fortran = order == ElementOrder::column_major && !is_contiguous(column_major(shape));
  std::string text =
      message("{'descr': '", *descr, "', 'fortran_order': ", is_fortran ? "True" : "False", ", 'shape': (");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += message(d == 0 ? "" : ", ", shape[d]);
  }
  text += shape.size() == 1 ? ",), }" : "), }";
  if (!shape.empty()) {
    // NumPy leaves room for the growing axis to become the longest number there is.
    constexpr std::size_t longest_size = 21;
    text.append(longest_size - std::to_string(is_fortran ? shape.back() : shape.front()).size(), ' ');
  }
  const std::size_t before = magic.size() + 4;
  text.append(header_alignment - (before + text.size() + 1) % header_alignment, ' ');
  text += '\n';
  // A header of 64 sizes of 19 digits is far below the 65535 bytes of version 1.0.
  const std::array<char, 4> version_and_length{1, 0, static_cast<char>(text.size() & 0xff),
                                               static_cast<char>(text.size() >> 8)};
  return std::string(magic) + std::string(version_and_length.data(), version_and_length.size()) + text;
}

namespace detail {

std::string npy_header_text(const Dims& shape, DType dtype, ElementOrder order, std::string_view operation) {
  return npy_head(shape, dtype, order, {}, operation);
}

}  // namespace detail
}  // namespace tenstride::io
