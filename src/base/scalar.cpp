// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/scalar.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "tenstride/base/default_dtype.hpp"

namespace tenstride {
namespace {

using Complex = std::complex<double>;

/// The shortest text that gives the number back, as Python's float_repr lays it out: positional where the
/// decimal exponent lies in [-4, 16), else with an exponent of two digits or more.
std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c != '.') digits += c;
  }
  const auto count = static_cast<int>(digits.size());
  int exponent = 0;
  const bool is_small = text[mark + 1] == '-';
  std::from_chars(text.data() + mark + 2, end, exponent);
  if (is_small) exponent = -exponent;

  std::string result = std::signbit(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    result += digits.substr(0, 1);
    if (count > 1) result += "." + digits.substr(1);
    return result.append(text.substr(mark));
  }
  if (exponent < 0) return result + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent + 1);
  if (count <= exponent + 1) return result + digits + std::string(whole - digits.size(), '0');
  return result + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string python_repr(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".ein") == std::string::npos) text += ".0";
  return text;
}

/// Python leaves out a real part of +0 and then the parentheses too; parts have no ".0".
std::string python_repr(Complex value) {
  std::string imaginary = shortest(value.imag()) + "j";
  if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
  if (imaginary.front() != '-') imaginary.insert(0, "+");
  return "(" + shortest(value.real()) + imaginary + ")";
}

std::string python_repr(bool value) {
  return value ? "True" : "False";
}
std::string python_repr(std::int64_t value) {
  return std::to_string(value);
}
std::string python_repr(std::uint64_t value) {
  return std::to_string(value);
}

/// Whether an integer and a double are the same number; no digit is lost on the way.
template <typename Integer>
bool is_same_number(Integer a, double b) {
  // One above the largest Integer: a power of two, so exact as a double.
  constexpr double limit = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  if (!(b < limit) || b < (std::is_signed_v<Integer> ? -limit : 0.0)) return false;
  const auto truncated = static_cast<Integer>(b);
  return truncated == a && static_cast<double>(truncated) == b;
}

/// The imaginary part, 0 for real numbers.
template <typename T>
double imaginary_part(T value) {
  if constexpr (std::is_same_v<T, Complex>) {
    return value.imag();
  } else {
    return 0;
  }
}

/// The real part without loss: bools as the integers 0 and 1.
template <typename T>
auto real_part(T value) {
  if constexpr (std::is_same_v<T, Complex>) {
    return value.real();
  } else if constexpr (std::is_same_v<T, bool>) {
    return std::int64_t{value};
  } else {
    return value;
  }
}

}  // namespace

DType Scalar::dtype() const {
  if (is_bool()) return DType::bool_;
  if (is_floating_point()) return default_dtype();
  if (is_complex()) return default_complex_dtype();
  const auto* const unsigned_value = std::get_if<std::uint64_t>(&value_);
  return unsigned_value != nullptr && !std::in_range<std::int64_t>(*unsigned_value) ? DType::uint64
                                                                                    : DType::int64;
}

bool Scalar::is_integer() const noexcept {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
}

std::string Scalar::to_string() const {
  return std::visit([](auto value) { return python_repr(value); }, value_);
}

bool operator==(const Scalar& a, const Scalar& b) {
  return std::visit(
      [](auto left, auto right) {
        const auto x = real_part(left);
        const auto y = real_part(right);
        using X = std::remove_const_t<decltype(x)>;
        using Y = std::remove_const_t<decltype(y)>;
        if (imaginary_part(left) != imaginary_part(right)) return false;
        if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
          return std::cmp_equal(x, y);
        } else if constexpr (std::is_integral_v<X>) {
          return is_same_number(x, y);
        } else if constexpr (std::is_integral_v<Y>) {
          return is_same_number(y, x);
        } else {
          return x == y;
        }
      },
      a.value_, b.value_);
}

std::string Nested::to_string() const {
  if (!is_list_) return scalar_.to_string();
  std::string text = "[";
  for (const Nested& item : items_) {
    if (text.size() > 1) text += ", ";
    text += item.to_string();
  }
  return text + "]";
}

bool operator==(const Nested& a, const Nested& b) {
  if (a.is_list_ != b.is_list_) return false;
  return a.is_list_ ? a.items_ == b.items_ : a.scalar_ == b.scalar_;
}

}  // namespace tenstride
