// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride {

/// One number of any element type, held without loss: a bool, an integer, a real or a complex number.
/// Example: `Scalar(3).dtype() == DType::int64`; `Scalar(2.5).to<float>() == 2.5f`.
class TENSTRIDE_API Scalar {
 public:
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;

  constexpr Scalar() : value_(std::int64_t{0}) {}
  constexpr Scalar(bool value) : value_(value) {}
  template <std::signed_integral T>
  constexpr Scalar(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) constexpr Scalar(T value) : value_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  constexpr Scalar(T value) : value_(static_cast<double>(value)) {}
  template <typename T>
  constexpr Scalar(std::complex<T> value) : value_(std::complex<double>(value.real(), value.imag())) {}

  /// The element type PyTorch gives such a number: bool, int64, float32 or complex64 (PyTorch's defaults); a
  /// number above the range of int64 gives uint64.
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const Value& value() const noexcept { return value_; }
  [[nodiscard]] bool is_bool() const noexcept { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool is_integer() const noexcept;
  [[nodiscard]] bool is_floating_point() const noexcept { return std::holds_alternative<double>(value_); }
  [[nodiscard]] bool is_complex() const noexcept {
    return std::holds_alternative<std::complex<double>>(value_);
  }

  /// The number as an element type, by the library's conversion rules (see element.hpp).
  template <typename T>
  [[nodiscard]] T to() const {
    return std::visit([](auto v) { return convert_element<T>(v); }, value_);
  }

  /// As Python prints it: "True", "3", "2.5", "(1+2j)".
  [[nodiscard]] std::string to_string() const;

  /// Equal by value across kinds, as in Python: Scalar(1) == Scalar(true) == Scalar(1.0).
  friend TENSTRIDE_API bool operator==(const Scalar& a, const Scalar& b);

 private:
  Value value_;
};

/// A number, or a list of such: nested braces, and what `tolist` gives.
/// Example: `Nested n{{1, 2}, {3, 4}}; n[1][0].scalar() == 3`.
class TENSTRIDE_API Nested {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Nested(T value) : scalar_(value) {}
  template <typename T>
  Nested(std::complex<T> value) : scalar_(value) {}
  Nested(Scalar value) : scalar_(value) {}
  Nested(std::initializer_list<Nested> items) : items_(items), is_list_(true) {}
  explicit Nested(std::vector<Nested> items) : items_(std::move(items)), is_list_(true) {}

  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  [[nodiscard]] const Scalar& scalar() const noexcept { return scalar_; }
  [[nodiscard]] const std::vector<Nested>& items() const noexcept { return items_; }
  [[nodiscard]] const Nested& operator[](std::size_t i) const { return items_.at(i); }
  /// As Python prints it: "[[1, 2], [3, 4]]".
  [[nodiscard]] std::string to_string() const;
  friend TENSTRIDE_API bool operator==(const Nested& a, const Nested& b);

 private:
  Scalar scalar_;
  std::vector<Nested> items_;
  bool is_list_ = false;
};

}  // namespace tenstride
