// SPDX-License-Identifier: Apache-2.0
// The fixed part of a NIfTI file: https://nifti.nimh.nih.gov/nifti-1 and https://nifti.nimh.nih.gov/nifti-2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/io/npy.hpp"

namespace tenstride::io {

/// NIfTI-1 has a header of 348 bytes, NIfTI-2 one of 540.
enum class NiftiVersion : unsigned char { one = 1, two = 2 };

constexpr std::size_t nifti_header_nbytes(NiftiVersion version) {
  return version == NiftiVersion::one ? 348 : 540;
}
/// Where the elements of a single file begin at the earliest: behind the header and the 4 bytes that say
/// whether extensions follow.
constexpr std::size_t nifti_start_nbytes(NiftiVersion version) {
  return nifti_header_nbytes(version) + 4;
}

enum class NiftiFieldType : unsigned char { text, uint8, int16, int32, int64, float32, float64 };

/// Bytes of one number, or of one character.
std::size_t width(NiftiFieldType type);

struct NiftiFieldPlace {
  NiftiFieldType type = NiftiFieldType::text;
  std::uint16_t begin = 0;
};

/// A field of the header in both versions.
struct NiftiField {
  std::string_view name;
  NiftiFieldPlace one;
  NiftiFieldPlace two;
  /// Numbers, or bytes of a text.
  std::uint16_t count = 1;

  [[nodiscard]] NiftiFieldPlace place(NiftiVersion version) const {
    return version == NiftiVersion::one ? one : two;
  }
};

/// The fields that say where the elements are and what they mean.
namespace nifti_field {
using enum NiftiFieldType;
inline constexpr NiftiField dim{"dim", {int16, 40}, {int64, 16}, 8};
inline constexpr NiftiField datatype{"datatype", {int16, 70}, {int16, 12}};
inline constexpr NiftiField bitpix{"bitpix", {int16, 72}, {int16, 14}};
inline constexpr NiftiField pixdim{"pixdim", {float32, 76}, {float64, 104}, 8};
inline constexpr NiftiField vox_offset{"vox_offset", {float32, 108}, {int64, 168}};
inline constexpr NiftiField scl_slope{"scl_slope", {float32, 112}, {float64, 176}};
inline constexpr NiftiField scl_inter{"scl_inter", {float32, 116}, {float64, 184}};
inline constexpr NiftiField xyzt_units{"xyzt_units", {uint8, 123}, {int32, 500}};
inline constexpr NiftiField sform_code{"sform_code", {int16, 254}, {int32, 348}};
inline constexpr NiftiField srow_x{"srow_x", {float32, 280}, {float64, 400}, 4};
inline constexpr NiftiField srow_y{"srow_y", {float32, 296}, {float64, 432}, 4};
inline constexpr NiftiField srow_z{"srow_z", {float32, 312}, {float64, 464}, 4};

/// The fields that are kept as attributes under their own names, the last two where they scale.
inline constexpr std::array<NiftiField, 29> kept{{
    {"descrip", {text, 148}, {text, 240}, 80},
    {"aux_file", {text, 228}, {text, 320}, 24},
    xyzt_units,
    {"dim_info", {uint8, 39}, {uint8, 524}},
    {"intent_code", {int16, 68}, {int32, 504}},
    {"intent_name", {text, 328}, {text, 508}, 16},
    {"intent_p1", {float32, 56}, {float64, 80}},
    {"intent_p2", {float32, 60}, {float64, 88}},
    {"intent_p3", {float32, 64}, {float64, 96}},
    {"slice_start", {int16, 74}, {int64, 224}},
    {"slice_end", {int16, 120}, {int64, 232}},
    {"slice_code", {uint8, 122}, {int32, 496}},
    {"slice_duration", {float32, 132}, {float64, 208}},
    {"toffset", {float32, 136}, {float64, 216}},
    {"cal_max", {float32, 124}, {float64, 192}},
    {"cal_min", {float32, 128}, {float64, 200}},
    {"qform_code", {int16, 252}, {int32, 344}},
    sform_code,
    {"quatern_b", {float32, 256}, {float64, 352}},
    {"quatern_c", {float32, 260}, {float64, 360}},
    {"quatern_d", {float32, 264}, {float64, 368}},
    {"qoffset_x", {float32, 268}, {float64, 376}},
    {"qoffset_y", {float32, 272}, {float64, 384}},
    {"qoffset_z", {float32, 276}, {float64, 392}},
    srow_x,
    srow_y,
    srow_z,
    scl_slope,
    scl_inter,
}};
}  // namespace nifti_field

/// The bytes of a header, to be read by fields.
class NiftiBytes {
 public:
  /// Pre: `header` has the bytes of the version's header.
  NiftiBytes(std::span<const std::byte> header, NiftiVersion version, ByteOrder order)
      : header_(header), version_(version), order_(order) {}

  [[nodiscard]] NiftiVersion version() const noexcept { return version_; }
  [[nodiscard]] ByteOrder order() const noexcept { return order_; }
  /// Number `i` of an integer field.
  [[nodiscard]] std::int64_t integer(const NiftiField& field, std::size_t i = 0) const;
  /// Number `i` of a field of any numbers. One of 32 bits is given as the shortest decimal that stands for
  /// it: 0.1 where the file has the float32 0.1.
  [[nodiscard]] double number(const NiftiField& field, std::size_t i = 0) const;
  /// A text up to its first zero byte, as the file has it.
  [[nodiscard]] std::string_view text(const NiftiField& field) const;

 private:
  [[nodiscard]] std::uint64_t bits(const NiftiField& field, std::size_t i) const;

  std::span<const std::byte> header_;
  NiftiVersion version_;
  ByteOrder order_;
};

/// A header that is being written, in this machine's byte order; zeros at first.
class NiftiOutput {
 public:
  explicit NiftiOutput(NiftiVersion version) : bytes_(nifti_start_nbytes(version), '\0'), version_(version) {}

  [[nodiscard]] NiftiVersion version() const noexcept { return version_; }
  /// Whether the field of this version can hold the number.
  [[nodiscard]] bool holds(const NiftiField& field, std::int64_t value) const;
  /// Pre: holds(field, value), of an integer field.
  void put(const NiftiField& field, std::int64_t value, std::size_t i = 0);
  /// Writes a value of a field of floating numbers.
  void put_number(const NiftiField& field, double value, std::size_t i = 0);
  /// Writes as much of the text as fits; characters of UTF-8 are not cut.
  void put_text(const NiftiField& field, std::string_view text);
  /// The bytes from `begin` on, as they are.
  void put_bytes(std::size_t begin, std::string_view bytes) { bytes_.replace(begin, bytes.size(), bytes); }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
  NiftiVersion version_;
};

/// Whether the numbers of a field are integers.
bool is_integer(NiftiFieldType type);

}  // namespace tenstride::io
