// SPDX-License-Identifier: Apache-2.0
// What the operations of arithmetic share: operands made ready, their common type, and the refusals.
#pragma once

#include <span>
#include <string_view>

#include "elementwise/arithmetic_engine.hpp"
#include "tenstride/arithmetic.hpp"

namespace tenstride::detail {

/// An operand as a tensor, and how much its type counts. A number keeps its full width in a tensor of rank 0.
struct Prepared {
  Tensor tensor;
  TypedOperand typed;
  /// A parameter of the operation, no operand: the result's layout does not ask it.
  bool is_parameter = false;
};
Prepared prepare(const Operand& operand);
Prepared prepare_parameter(const Operand& number);
/// A tensor of rank 0 as another type: no copy that a ledger is told of. On meta the tensor itself.
Tensor number_as(const Tensor& x, DType type);

/// Which element types an operation takes.
enum class Takes : unsigned char {
  numbers,   ///< all but float8
  not_bool,  ///< and not bool
  real,      ///< all but float8 and complex numbers
  real_not_bool,
  bits,  ///< bool and integers
  all,
};

/// The type in which all meet. Throws RuntimeError where there is none, where tensors are on two devices, and
/// where the operation does not take it.
DType meeting_of(std::string_view operation, std::span<const Prepared> operands, Takes takes);
void require_taken(std::string_view operation, DType type, Takes takes);
[[noreturn]] void refuse_type(std::string_view operation, DType type, std::string_view rule);

/// The result's layout, of operands that have become `meeting` each (the last one given counts for the rest).
Layout result_layout(std::span<const Prepared> operands, std::span<const DType> meetings);
Tensor fresh_result(const Layout& layout, DType dtype, Device device);

/// Throws what `operation` in place must refuse: see arithmetic.hpp. What may overlap though PyTorch does not
/// see it is copied first.
void prepare_in_place(std::string_view operation, const Tensor& self, DType meeting,
                      std::span<Prepared> operands);

/// One operation of two operands that meet in `meeting`; `given` is the type of the result. It goes into
/// `self` where there is one, which is the first operand too, else into a fresh tensor. Gives the result.
Tensor run_binary(std::string_view operation, copy::BinaryRow row, std::array<Prepared, 2> operands,
                  DType meeting, DType given, Tensor* self);
/// The same of small floats with a second operand that is float32 already.
Tensor run_scaled(std::string_view operation, copy::BinaryRow row, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self);
Tensor run_unary(std::string_view operation, copy::UnaryRow row, const Tensor& x, DType meeting, DType given,
                 Tensor* self);
/// The operands' own meeting types; `given` of the result.
Tensor run_ternary(std::string_view operation, copy::TernaryRow row, std::array<Prepared, 3> operands,
                   const std::array<DType, 3>& meetings, DType given, Tensor* self);

/// A row of bytes that are 0 or 1, of operands that meet in `meeting`.
Tensor run_truths(std::string_view operation, copy::BinaryRow row, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self);
/// A condition and two operands that meet in a type of any kind.
DType meeting_of_choice(std::span<const Prepared, 3> operands);
Tensor run_choice(copy::TernaryRow row, std::array<Prepared, 3> operands, DType meeting);

/// The operation of two operands by its row's name, on the types as they meet.
Tensor apply_binary(std::string_view operation, copy::BinaryOp op, const Operand& a, const Operand& b,
                    Takes takes, Tensor* self);

}  // namespace tenstride::detail
