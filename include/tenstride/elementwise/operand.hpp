// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <type_traits>

#include "tenstride/tensor/tensor.hpp"

/// Operands of operators, with the place in the source where they are written. An operator of C++ has no room
/// for a last argument `Caller`, so its operands bring the place along: they are made where the operator is
/// written.
namespace tenstride {

/// A number and where it was written.
class PlacedNumber {
 public:
  PlacedNumber(const Scalar& number, Caller caller = Caller::current()) : number_(number), caller_(caller) {}
  template <class Number>
  requires(std::is_arithmetic_v<Number>) PlacedNumber(Number number, Caller caller = Caller::current())
      : number_(number), caller_(caller) {}
  template <class Part>
  PlacedNumber(std::complex<Part> number, Caller caller = Caller::current())
      : number_(number), caller_(caller) {}

  [[nodiscard]] const Scalar& number() const noexcept { return number_; }
  [[nodiscard]] const Caller& caller() const noexcept { return caller_; }

 private:
  Scalar number_;
  Caller caller_;
};

/// A tensor and where it was written. Refers to the tensor, so it is for arguments alone.
class PlacedTensor {
 public:
  PlacedTensor(const Tensor& tensor, Caller caller = Caller::current()) : tensor_(&tensor), caller_(caller) {}

  [[nodiscard]] const Tensor& tensor() const noexcept { return *tensor_; }
  [[nodiscard]] const Caller& caller() const noexcept { return caller_; }

 private:
  const Tensor* tensor_;
  Caller caller_;
};

/// A tensor or a number, and where it was written. Refers to the tensor, so it is for arguments alone.
class Operand : private PlacedNumber {
 public:
  using PlacedNumber::PlacedNumber;
  Operand(const Tensor& tensor, Caller caller = Caller::current())
      : PlacedNumber(Scalar(), caller), tensor_(&tensor) {}

  [[nodiscard]] bool is_tensor() const noexcept { return tensor_ != nullptr; }
  /// Pre: is_tensor().
  [[nodiscard]] const Tensor& tensor() const noexcept { return *tensor_; }
  /// Pre: !is_tensor().
  using PlacedNumber::caller;
  using PlacedNumber::number;

 private:
  const Tensor* tensor_ = nullptr;
};

}  // namespace tenstride
