// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/export.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// The elements of `src` in memory that `dst` does not share, their bytes as `dst` stores them: conjugated
/// and negated where its conjugate and its negative bit are set. What fits already is given back as it is.
/// Example: of a plain `src` for `dst.conj()` a copy with each element conjugated.
TENSTRIDE_API Tensor stored_as(const Tensor& dst, const Tensor& src);

/// The element at a position of the storage (in elements), conjugated and negated as the tensor's bits say.
/// Pre: the tensor has memory.
TENSTRIDE_API Scalar scalar_at(const Tensor& tensor, Index position);

}  // namespace tenstride::detail
