// SPDX-License-Identifier: Apache-2.0
// What the operations of arithmetic share: the preparation of operands, their common type, and what is
// refused.
#pragma once

#include <span>
#include <string_view>

#include "elementwise/arithmetic_engine.hpp"
#include "tenstride/elementwise/arithmetic.hpp"

namespace tenstride::detail {

/// An operand as a tensor, and the weight of its type. A number becomes a tensor of rank 0 of its full width.
struct Prepared {
  Tensor tensor;
  TypedOperand typed;
  /// Whether this is a parameter of the operation and not an operand: then it does not count for the result's
  /// layout.
  bool is_parameter = false;
};
Prepared prepare(const Operand& operand);
Prepared prepare_parameter(const Operand& number);
/// Converts a tensor of rank 0 to another type, without an entry in a ledger. On meta returns the tensor
/// itself.
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

/// Returns the common type of all operands. Throws RuntimeError where there is none, where tensors are on two
/// devices, and where the operation does not take that type.
DType meeting_of(std::string_view operation, std::span<const Prepared> operands, Takes takes);
void require_taken(std::string_view operation, DType type, Takes takes);
[[noreturn]] void refuse_type(std::string_view operation, DType type, std::string_view rule);

/// Returns the result's layout, where operand k has been converted to meetings[k], or to the last of these.
Layout result_layout(std::span<const Prepared> operands, std::span<const DType> meetings);
Tensor fresh_result(const Layout& layout, DType dtype, Device device);

/// Throws what `operation` must refuse in place: see arithmetic.hpp. Copies operands that overlap `self` in a
/// way that PyTorch does not detect.
void prepare_in_place(std::string_view operation, const Tensor& self, DType meeting,
                      std::span<Prepared> operands);

/// Computes an operation of two operands in their common type, `meeting`. The result is `self`, which is then
/// the first operand too, or a fresh tensor where `self` is null.
Tensor run_binary(std::string_view operation, elementwise::BinaryOp op, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self);
/// Does the same for small floats, with a second operand that is float32 already.
Tensor run_scaled(std::string_view operation, elementwise::BinaryOp op, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self);
Tensor run_unary(std::string_view operation, elementwise::UnaryRow row, const Tensor& x, DType meeting,
                 DType given, Tensor* self);
/// Does the same for three operands, each with a common type of its own; `given` is the type of the result.
Tensor run_ternary(std::string_view operation, elementwise::TernaryRow row, std::array<Prepared, 3> operands,
                   const std::array<DType, 3>& meetings, DType given, Tensor* self);

/// Computes a comparison of operands whose common type is `meeting`; the row kernel gives bytes that are 0 or
/// 1.
Tensor run_truths(std::string_view operation, elementwise::BinaryRow row, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self);
/// Returns the common type of the two operands of a condition.
DType meeting_of_choice(std::span<const Prepared, 3> operands);
Tensor run_choice(elementwise::TernaryRow row, std::array<Prepared, 3> operands, DType meeting);

/// Computes an operation of two operands in their common type.
Tensor apply_binary(std::string_view operation, elementwise::BinaryOp op, const Operand& a, const Operand& b,
                    Takes takes, Tensor* self);

}  // namespace tenstride::detail
