// SPDX-License-Identifier: Apache-2.0
// The kernels of minima and maxima of integers.

// Vectors of AVX-512 gain nothing where memory is read: .98 to 1.02 of the time without them (91 cases,
// Xeon). In the L2 cache they would take three quarters of the time.
#define TENSTRIDE_WITHOUT_AVX512
#define TENSTRIDE_REDUCTIONS WholeOrder
#define TENSTRIDE_FIND_KERNEL whole_order_kernel
#include "reduce/kernels/choices-inl.h"
