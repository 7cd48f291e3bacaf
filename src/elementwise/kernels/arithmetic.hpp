// SPDX-License-Identifier: Apache-2.0
// The kernels of element-wise arithmetic: short loops over dense runs of one type, one table of them per
// instruction set. Comparisons have the same form (elementwise/kernels/compare.hpp).
#pragma once

#include <cstddef>
#include <string_view>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::elementwise {

enum class UnaryOp : unsigned char {
  neg,
  abs,  ///< real numbers for complex ones
  bit_not,
  square,
  cube,
  sqrt,
  rsqrt,
  reciprocal,
  reciprocal_square,
  isnan,  ///< these three give a byte, 0 or 1
  isinf,
  isfinite,
};

enum class BinaryOp : unsigned char {
  add,
  sub,
  mul,
  div,
  floor_divide,
  trunc_divide,
  remainder,
  pow,
  maximum,
  minimum,
  bit_and,
  bit_or,
  bit_xor,
};

enum class TernaryOp : unsigned char {
  add_scaled,  ///< a + b * c, rounded after each step
  clamp,       ///< a, not below b, not above c
  where,       ///< b where a byte of a is not 0, else c
  add_halves,  ///< a + b * c of complex32 in complex64; the product is rounded to complex32
};

enum class Extreme : unsigned char { least, greatest };

/// Compute `count` elements of dense runs. `out` may be one of the inputs, element for element, but must not
/// overlap them otherwise. Integer divisions throw RuntimeError "ZeroDivisionError" where a divisor is 0.
using UnaryRow = void (*)(std::byte* out, const std::byte* a, Index count);
using BinaryRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, Index count);
using TernaryRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, const std::byte* c,
                            Index count);

/// Searches a dense run for the best element, if one is better than `best`, which has the run's type. NaN is
/// better than all numbers. Sets `best` to that element and returns its index, of equal ones the first;
/// returns -1 where none is better.
using ExtremeRow = Index (*)(std::byte* best, const std::byte* in, Index count);

struct ArithmeticKernels {
  const char* name;
  /// Each returns a loop for an operation and a type, or nullptr. For `where` the type is that of b and c.
  UnaryRow (*unary)(UnaryOp op, DType type);
  BinaryRow (*binary)(BinaryOp op, DType type);
  TernaryRow (*ternary)(TernaryOp op, DType type);
  ExtremeRow (*extreme)(Extreme which, DType type);
};

/// The table of the definitions, for the types that the processor computes in: integers, float32, float64 and
/// the complex ones. It has nullptr for the small floats, for bool except in `where`, and where a type has no
/// such operation (the remainder of complex numbers). Other tables may have loops for float16 and bfloat16,
/// which compute in float.
const ArithmeticKernels& portable_arithmetic_kernels();

/// The table that goes with the `Kernels` of this name. Precondition for using it: the processor has their
/// instruction set.
const ArithmeticKernels& arithmetic_kernels(std::string_view name);

/// The table that goes with `kernels()`.
const ArithmeticKernels& arithmetic_kernels();

/// Return the fastest loop for an operation and a type; nullptr where the portable table has none.
UnaryRow unary_row(UnaryOp op, DType type);
TENSTRIDE_API BinaryRow binary_row(BinaryOp op, DType type);
TernaryRow ternary_row(TernaryOp op, DType type);
ExtremeRow extreme_row(Extreme which, DType type);

}  // namespace tenstride::elementwise
