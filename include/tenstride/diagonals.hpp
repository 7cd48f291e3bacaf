// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tenstride/tensor.hpp"

/// Diagonals out of matrices and into them, and copies of a tensor with one of its views replaced.
namespace tenstride {

/// The diagonal of a matrix as a dense vector; of a vector the matrix that has it on its diagonal. Throws
/// RuntimeError for other ranks. Example: `diag(tensor({1, 2}), 1)` has the shape (3,3).
TENSTRIDE_API Tensor diag(const Tensor& x, Index diagonal = 0, Caller caller = Caller::current());
/// The last axis on the diagonal of a plane of zeros, whose two axes become `dim1` and `dim2` of the result.
/// Example: of shape (2,3) the shape (2,3,3).
TENSTRIDE_API Tensor diag_embed(const Tensor& x, Index offset = 0, Index dim1 = -2, Index dim2 = -1,
                                Caller caller = Caller::current());
/// `diag` of the flattened tensor.
TENSTRIDE_API Tensor diagflat(const Tensor& x, Index offset = 0, Caller caller = Caller::current());

// A copy of the tensor in which the view of the name holds `src`, which must have the view's shape
// (RuntimeError); its elements are converted. The copy keeps strides and offset, and so the whole storage;
// where an axis has stride 0 it is dense.

TENSTRIDE_API Tensor diagonal_scatter(const Tensor& x, const Tensor& src, Index offset = 0, Index dim1 = 0,
                                      Index dim2 = 1, Caller caller = Caller::current());
TENSTRIDE_API Tensor select_scatter(const Tensor& x, const Tensor& src, Index dim, Index index,
                                    Caller caller = Caller::current());
TENSTRIDE_API Tensor slice_scatter(const Tensor& x, const Tensor& src, Index dim = 0,
                                   std::optional<Index> start = {}, std::optional<Index> end = {},
                                   Index step = 1, Caller caller = Caller::current());
TENSTRIDE_API Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const Dims& size,
                                        const Dims& stride, std::optional<Index> storage_offset = {},
                                        Caller caller = Caller::current());

}  // namespace tenstride
