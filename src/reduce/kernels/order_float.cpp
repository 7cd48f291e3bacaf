// SPDX-License-Identifier: Apache-2.0
// The kernels of minima and maxima of floating-point numbers.

#define TENSTRIDE_REDUCTIONS FloatOrder
#define TENSTRIDE_FIND_KERNEL float_order_kernel
#include "reduce/kernels/choices-inl.h"
