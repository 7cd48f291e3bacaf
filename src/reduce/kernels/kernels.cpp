// SPDX-License-Identifier: Apache-2.0
#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index reduced_count) {
  const bool is_whole = is_integer(dtype) || dtype == DType::bool_;
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      return is_whole ? whole_sum_kernel(dtype, reduced_count) : float_kernel(reduction, dtype);
    case Reduction::prod:
      if (dtype == DType::bool_) return whole_order_kernel(reduction, dtype);
      return is_whole ? whole_product_kernel(dtype) : float_kernel(reduction, dtype);
    case Reduction::min:
    case Reduction::max:
      return is_whole ? whole_order_kernel(reduction, dtype) : float_order_kernel(reduction, dtype);
    case Reduction::any:
    case Reduction::all:
      break;
  }
  return is_whole ? whole_order_kernel(reduction, dtype) : truth_kernel(reduction, dtype);
}

}  // namespace tenstride::detail
