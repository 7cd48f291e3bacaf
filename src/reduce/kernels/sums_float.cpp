// SPDX-License-Identifier: Apache-2.0
// The kernels of sums, means and products of floating-point and complex numbers.

#define TENSTRIDE_REDUCTIONS FloatSums
#define TENSTRIDE_FIND_KERNEL float_kernel
#include "reduce/kernels/choices-inl.h"
