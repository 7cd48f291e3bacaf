// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "copy/swap_bytes.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/base64.hpp"
#include "io/zarr/element_json.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

template <std::size_t nbytes>
using BitsOf =
    std::conditional_t<nbytes == 1, std::uint8_t,
                       std::conditional_t<nbytes == 2, std::uint16_t,
                                          std::conditional_t<nbytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
void append_element(std::vector<std::byte>& bytes, T value) {
  const auto* const first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

template <class T>
void append_floating(std::vector<std::byte>& bytes, const JsonField& field) {
  using Bits = BitsOf<sizeof(T)>;
  if (field.value().is_number()) {
    return append_element(bytes, convert_element<T>(field.value().get<double>()));
  }
  if (field.value().is_string()) {
    const std::string& text = field.text();
    if (const auto number = number_of_word(text)) return append_element(bytes, convert_element<T>(*number));
    Bits bits = 0;
    if (text.size() == 2 + 2 * sizeof(T) && text.starts_with("0x")) {
      const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
      if (error == std::errc() && end == text.data() + text.size()) return append_element(bytes, bits);
    }
  }
  field.refuse("a number, \"NaN\", \"Infinity\", \"-Infinity\", or \"0x\" and the ", 2 * sizeof(T),
               " digits of ", name(dtype_of<T>));
}

template <class T>
void append_integer(std::vector<std::byte>& bytes, const JsonField& field, int format) {
  constexpr T min = std::numeric_limits<T>::min();
  constexpr T max = std::numeric_limits<T>::max();
  const nlohmann::json& value = field.value();
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(max)) return append_element(bytes, static_cast<T>(number));
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    // Only below 0: others are unsigned.
    if (std::is_signed_v<T> && number >= static_cast<std::int64_t>(min)) {
      return append_element(bytes, static_cast<T>(number));
    }
  } else if (value.is_number_float() && format == 2) {
    // Version 2 was written with 0.0 for integers, too.
    const auto number = value.get<double>();
    if (std::abs(number) < 0x1p53 && std::trunc(number) == number && number >= static_cast<double>(min) &&
        number <= static_cast<double>(max)) {
      return append_element(bytes, static_cast<T>(number));
    }
  }
  field.refuse("an integer from ", min, " to ", max);
}

template <class T>
void append_value(std::vector<std::byte>& bytes, const JsonField& field, int format) {
  if constexpr (is_complex_element<T>) {
    if (!field.value().is_array() || field.value().size() != 2) field.refuse("a list of two numbers");
    for (const JsonField& part : field.items()) append_floating<typename T::value_type>(bytes, part);
  } else if constexpr (std::is_same_v<T, bool>) {
    const nlohmann::json& value = field.value();
    if (format == 2 && value.is_number_unsigned() && value.get<std::uint64_t>() <= 1) {
      return append_element(bytes, value.get<std::uint64_t>() == 1);
    }
    append_element(bytes, field.boolean());
  } else if constexpr (std::is_integral_v<T>) {
    append_integer<T>(bytes, field, format);
  } else {
    append_floating<T>(bytes, field);
  }
}

template <class T>
nlohmann::json floating_json(T value, int format) {
  const auto number = convert_element<double>(value);
  if (std::isfinite(number)) return number;
  using Bits = BitsOf<sizeof(T)>;
  const auto bits = std::bit_cast<Bits>(value);
  const auto plain = std::bit_cast<Bits>(convert_element<T>(std::numeric_limits<double>::quiet_NaN()));
  if (format == 2 || bits == plain || !std::isnan(number)) return word_of_number(number);
  std::string text = "0x";
  for (std::size_t i = 2 * sizeof(T); i-- > 0;) text += "0123456789abcdef"[(bits >> (4 * i)) & 15U];
  return text;
}

}  // namespace

std::vector<std::byte> parse_zarr_fill(const JsonField& field, ZarrElement element, int format,
                                       const std::optional<NumpyTime>& time) {
  // What zarr-python reads for a date or a span that is not named.
  if (time && (field.is("NaT") || (format == 2 && field.is_null()))) return no_time_element();
  if (format == 2 && field.is_null()) return {};
  if (format == 2 && field.value().is_string()) {
    const auto bytes = from_base64(field.text());
    if (bytes && bytes->size() == item_size(element.dtype) && !number_of_word(field.text())) {
      std::vector<std::byte> result(bytes->size());
      const bool is_swapped = element.byte_order == ByteOrder::swapped;
      swap_bytes(result.data(), bytes->data(), bytes->size(),
                 is_swapped ? item_size(component_type(element.dtype)) : 1);
      return result;
    }
  }
  std::vector<std::byte> result;
  visit(element.dtype, [&]<class T>(std::type_identity<T>) { append_value<T>(result, field, format); });
  return result;
}

nlohmann::json zarr_fill_json(const std::vector<std::byte>& fill, DType dtype, int format) {
  if (fill.empty() && format == 2) return nullptr;
  std::vector<std::byte> bytes = fill;
  bytes.resize(item_size(dtype));
  return visit(dtype, [&]<class T>(std::type_identity<T>) -> nlohmann::json {
    if constexpr (is_complex_element<T>) {
      std::array<typename T::value_type, 2> parts;
      std::memcpy(parts.data(), bytes.data(), sizeof parts);
      return nlohmann::json::array({floating_json(parts[0], format), floating_json(parts[1], format)});
    } else if constexpr (std::is_same_v<T, bool>) {
      return bytes[0] != std::byte{0};
    } else {
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      if constexpr (std::is_integral_v<T>)
        return value;
      else
        return floating_json(value, format);
    }
  });
}

}  // namespace tenstride::io
