// SPDX-License-Identifier: Apache-2.0
// The kernels of sums of integers.

#define TENSTRIDE_REDUCTIONS WholeSums
#define TENSTRIDE_FIND_KERNEL whole_sum_kernel
#include "reduce/kernels/choices-inl.h"
