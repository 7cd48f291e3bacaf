// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/dtype.hpp"

/// The element type that floating numbers have where none is said: `torch.set_default_dtype`. One for the
/// whole process.
namespace tenstride {

/// The element type of factories, of real numbers that meet integers, and of quotients of integers. Example:
/// float32 unless set.
TENSTRIDE_API DType default_dtype() noexcept;
/// The complex type that goes with it: complex128 for float64, complex32 for float16, else complex64.
TENSTRIDE_API DType default_complex_dtype() noexcept;
/// Throws TypeError for a type that is not floating, and for float8.
TENSTRIDE_API void set_default_dtype(DType type);

}  // namespace tenstride
