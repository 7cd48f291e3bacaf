// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tenstride/tensor/tensor.hpp"

/// Reductions over axes, on which `reduce` of reduce_pattern.hpp is built.
namespace tenstride {

enum class Reduction : unsigned char { sum, mean, prod, min, max, any, all };
/// "sum", "mean", "prod", "min", "max", "any" or "all".
TENSTRIDE_API std::string_view name(Reduction reduction);
/// The reduction of a name. Throws ValueError where there is none.
TENSTRIDE_API Reduction parse_reduction(std::string_view name);

/// The element type of the result, as in PyTorch: sum and prod of bool and integers give int64; any and
/// all give bool, of uint8 uint8; otherwise the type stays. Throws RuntimeError for what PyTorch or einops
/// refuses: mean of bool, integers and complex numbers, min and max of complex numbers, all of float8.
TENSTRIDE_API DType reduced_dtype(Reduction reduction, DType dtype);

/// Reduces the named axes, which are removed; the others keep their order. The result is row-major. Throws
/// AxisError and ShapeError for the axes; IndexError for min and max over no element.
///
/// Floating sums and products are computed pairwise in double (complex<double>), with one rounding at the
/// end; the order depends on the layout alone, so results are the same for any number of threads and on every
/// instruction set. Integers wrap modulo 2^64. NaN wins in min and max, and is true; -0 is less than 0. Each
/// element is read once. Example: `reduce_axes(ones({2, 3}), {1}, Reduction::sum)` is (3, 3).
TENSTRIDE_API Tensor reduce_axes(const Tensor& x, const Dims& axes, Reduction reduction,
                                 Caller caller = Caller::current());

}  // namespace tenstride
