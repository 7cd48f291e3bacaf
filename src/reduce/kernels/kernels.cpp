// SPDX-License-Identifier: Apache-2.0
#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index reduced_count) {
  const bool is_whole = is_integer(dtype) || dtype == DType::bool_;
  const auto found = [&](FindReduceKernel& whole, FindReduceKernel& other) -> const ReduceKernel& {
    return (is_whole ? whole : other)(reduction, dtype, reduced_count);
  };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      return found(whole_sum_kernel, float_kernel);
    case Reduction::prod:
      return found(dtype == DType::bool_ ? whole_order_kernel : whole_product_kernel, float_kernel);
    case Reduction::min:
    case Reduction::max:
      return found(whole_order_kernel, float_order_kernel);
    case Reduction::any:
    case Reduction::all:
      break;
  }
  return found(whole_order_kernel, truth_kernel);
}

}  // namespace tenstride::detail
