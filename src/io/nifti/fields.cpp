// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/fields.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenstride::io {
namespace {

/// A double whose shortest text is that of the float. Example: 0.1 for 0.1f, not 0.10000000149011612.
double shortest_double(float value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = value;
  std::from_chars(text.data(), end, result);
  return result;
}

template <typename Number>
void replace_number(std::string& bytes, std::size_t begin, Number value) {
  std::memcpy(bytes.data() + begin, &value, sizeof value);
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::size_t width(NiftiFieldType type) {
  switch (type) {
    case NiftiFieldType::int16:
      return 2;
    case NiftiFieldType::int32:
    case NiftiFieldType::float32:
      return 4;
    case NiftiFieldType::int64:
    case NiftiFieldType::float64:
      return 8;
    case NiftiFieldType::text:
    case NiftiFieldType::uint8:
      break;
  }
  return 1;
}

bool is_integer(NiftiFieldType type) {
  return type != NiftiFieldType::text && type != NiftiFieldType::float32 && type != NiftiFieldType::float64;
}

std::uint64_t NiftiBytes::bits(const NiftiField& field, std::size_t i) const {
  const NiftiFieldPlace place = field.place(version_);
  const std::size_t nbytes = width(place.type);
  const bool is_little = (order_ == ByteOrder::native) == (std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  for (std::size_t b = 0; b < nbytes; ++b) {
    const std::size_t at = place.begin + i * nbytes + (is_little ? nbytes - 1 - b : b);
    value = value << 8 | std::to_integer<std::uint64_t>(header_[at]);
  }
  return value;
}

std::int64_t NiftiBytes::integer(const NiftiField& field, std::size_t i) const {
  const std::uint64_t value = bits(field, i);
  switch (field.place(version_).type) {
    case NiftiFieldType::int16:
      return static_cast<std::int16_t>(value);
    case NiftiFieldType::int32:
      return static_cast<std::int32_t>(value);
    default:
      return static_cast<std::int64_t>(value);
  }
}

double NiftiBytes::number(const NiftiField& field, std::size_t i) const {
  const std::uint64_t value = bits(field, i);
  switch (field.place(version_).type) {
    case NiftiFieldType::float32:
      return shortest_double(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
    case NiftiFieldType::float64:
      return std::bit_cast<double>(value);
    default:
      return static_cast<double>(integer(field, i));
  }
}

std::string_view NiftiBytes::text(const NiftiField& field) const {
  const std::string_view all(reinterpret_cast<const char*>(header_.data()) + field.place(version_).begin,
                             field.count);
  return all.substr(0, all.find('\0'));
}

bool NiftiOutput::holds(const NiftiField& field, std::int64_t value) const {
  const auto fits = [&]<typename Number>(Number) {
    return value >= std::int64_t{std::numeric_limits<Number>::min()} &&
           value <= std::int64_t{std::numeric_limits<Number>::max()};
  };
  switch (field.place(version_).type) {
    case NiftiFieldType::uint8:
      return fits(std::uint8_t{});
    case NiftiFieldType::int16:
      return fits(std::int16_t{});
    case NiftiFieldType::int32:
      return fits(std::int32_t{});
    default:
      return true;
  }
}

void NiftiOutput::put(const NiftiField& field, std::int64_t value, std::size_t i) {
  const NiftiFieldPlace place = field.place(version_);
  const std::size_t begin = place.begin + i * width(place.type);
  switch (place.type) {
    case NiftiFieldType::uint8:
      return replace_number(bytes_, begin, static_cast<std::uint8_t>(value));
    case NiftiFieldType::int16:
      return replace_number(bytes_, begin, static_cast<std::int16_t>(value));
    case NiftiFieldType::int32:
      return replace_number(bytes_, begin, static_cast<std::int32_t>(value));
    case NiftiFieldType::int64:
      return replace_number(bytes_, begin, value);
    default:
      return put_number(field, static_cast<double>(value), i);
  }
}

void NiftiOutput::put_number(const NiftiField& field, double value, std::size_t i) {
  const NiftiFieldPlace place = field.place(version_);
  const std::size_t begin = place.begin + i * width(place.type);
  if (place.type == NiftiFieldType::float64) return replace_number(bytes_, begin, value);
  // A finite number beyond float32 has no defined conversion.
  constexpr double largest = std::numeric_limits<float>::max();
  replace_number(bytes_, begin,
                 static_cast<float>(std::isfinite(value) ? std::clamp(value, -largest, largest) : value));
}

void NiftiOutput::put_text(const NiftiField& field, std::string_view text) {
  std::size_t length = std::min<std::size_t>(text.size(), field.count);
  while (length > 0 && length < text.size() && is_continuation(text[length])) --length;
  put_bytes(field.place(version_).begin, text.substr(0, length));
}

}  // namespace tenstride::io
