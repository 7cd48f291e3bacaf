// SPDX-License-Identifier: Apache-2.0
// The kernels of products of integers.

#define TENSTRIDE_REDUCTIONS WholeProducts
#define TENSTRIDE_FIND_KERNEL whole_product_kernel
#include "reduce/kernels/choices-inl.h"
