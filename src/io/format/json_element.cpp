// SPDX-License-Identifier: Apache-2.0
#include "io/format/json_element.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "io/format/python_json.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

using ElementJson = nlohmann::ordered_json;

template <class T>
std::optional<T> integer_of(const ElementJson& value) {
  constexpr T min = std::numeric_limits<T>::min();
  constexpr T max = std::numeric_limits<T>::max();
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(max)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    const bool is_negative_one_of_type = std::is_signed_v<T> && number >= static_cast<std::int64_t>(min);
    if (number < 0 ? is_negative_one_of_type : static_cast<std::uint64_t>(number) <= std::uint64_t{max}) {
      return static_cast<T>(number);
    }
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (std::trunc(number) == number && number >= static_cast<double>(min) && number < end) {
      return static_cast<T>(number);
    }
  }
  return std::nullopt;
}

template <class T>
std::optional<T> element_of(const ElementJson& value) {
  if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    const bool is_pair = value.is_array() && value.size() == 2;
    const std::optional<Part> real = element_of<Part>(is_pair ? value[0] : value);
    const std::optional<Part> imaginary = is_pair ? element_of<Part>(value[1]) : Part();
    return real && imaginary ? std::optional(T(*real, *imaginary)) : std::nullopt;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (value.is_boolean()) return value.get<bool>();
    const std::optional<std::uint8_t> number = integer_of<std::uint8_t>(value);
    return number && *number <= 1 ? std::optional(*number == 1) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    return integer_of<T>(value);
  } else {
    const std::optional<double> number = number_or_word(value);
    return number ? std::optional(convert_element<T>(*number)) : std::nullopt;
  }
}

template <class T>
ElementJson number_json(T value) {
  if constexpr (is_complex_element<T>) {
    return ElementJson::array({number_json(value.real()), number_json(value.imag())});
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    return shortest_double(value);
  } else {
    return convert_element<double>(value);
  }
}

}  // namespace

std::optional<std::vector<std::byte>> element_of_json(const ElementJson& value, DType dtype) {
  if (value.is_array() && value.size() == 1) return element_of_json(value.front(), dtype);
  return visit(dtype, [&]<class T>(std::type_identity<T>) -> std::optional<std::vector<std::byte>> {
    const std::optional<T> element = element_of<T>(value);
    if (!element) return std::nullopt;
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &*element, sizeof(T));
    return bytes;
  });
}

ElementJson json_of_element(std::span<const std::byte> element, DType dtype) {
  return visit(dtype, [&]<class T>(std::type_identity<T>) -> ElementJson {
    T value{};
    std::memcpy(&value, element.data(), sizeof value);
    return number_json(value);
  });
}

double shortest_double(float number) {
  std::array<char, 32> text{};
  double result = static_cast<double>(number);
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  if (std::isfinite(number)) std::from_chars(text.data(), written.ptr, result);
  return result;
}

}  // namespace tenstride::io
