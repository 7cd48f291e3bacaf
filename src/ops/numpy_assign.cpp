// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/ops/numpy.hpp"

/// NumPy's assignment, correct where both sides lie in the same memory.
namespace tenstride::numpy {
Tensor& copyto(Tensor& dst, const Tensor& src, Caller caller) {
  const detail::OperationScope scope("copyto", caller);
  // The kinds stand in NumPy's order: what is of a lower one goes into a higher one.
  if (tenstride::detail::facts(src.dtype()).kind > tenstride::detail::facts(dst.dtype()).kind) {
    throw TypeError(detail::message("copyto: dtype ", name(src.dtype()), " must go into ", name(dst.dtype()),
                                    " within its kind (casting='same_kind'); convert it with .to(dtype)"));
  }
  detail::require_distinct_elements("copyto", dst);
  const Tensor source = numpy::broadcast_to(src, dst.shape());
  return dst.copy_(detail::apart_from(dst, source));
}

}  // namespace tenstride::numpy
