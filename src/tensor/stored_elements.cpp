// SPDX-License-Identifier: Apache-2.0
#include "tensor/stored_elements.hpp"

#include "tensor/tensor_overlap.hpp"

namespace tenstride::detail {

Tensor stored_as(const Tensor& dst, const Tensor& src) {
  Tensor result = apart_from(dst, src);
  if (dst.is_conj() == result.is_conj() && dst.is_neg() == result.is_neg()) return result;
  if (dst.is_conj()) result = result.conj();
  if (dst.is_neg()) result = result.neg_view();
  return result.resolve_conj().resolve_neg();
}

}  // namespace tenstride::detail
