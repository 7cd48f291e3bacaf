// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tenstride/tensor/factory.hpp"

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

/// Whether `fill_diagonal_` goes on below the first block of a tall matrix.
enum class Wrap : unsigned char { no, yes };
/// Writes the number to the elements (i, i, …) of a tensor whose axes have one size, or of a matrix. `wrap`
/// goes on below them in a matrix of more rows than columns, one row left out after each block, as NumPy's
/// does. Throws RuntimeError below rank 2, and for axes of different sizes. Example: of shape (5,3) with wrap
/// also the element (4,0).
TENSTRIDE_API Tensor& fill_diagonal_(Tensor& self, const Scalar& value, Wrap wrap = Wrap::no,
                                     Caller caller = Caller::current());
/// The sum of the elements (i, i) of a matrix; of integers int64. Throws RuntimeError for other ranks and for
/// bools.
TENSTRIDE_API Tensor trace(const Tensor& x, Caller caller = Caller::current());
/// Zeros above (tril_) or below (triu_) a diagonal of each matrix; the other elements stay. Throws
/// RuntimeError below rank 2.
TENSTRIDE_API Tensor& tril_(Tensor& self, Index diagonal = 0, Caller caller = Caller::current());
TENSTRIDE_API Tensor& triu_(Tensor& self, Index diagonal = 0, Caller caller = Caller::current());
/// Rows and columns of the elements on and below (above) a diagonal of a matrix of that size, in row-major
/// order: shape (2, n) of int64 or int32. Throws RuntimeError for negative sizes and other types. Example:
/// `tril_indices(2, 2)` is [[0, 1, 1], [0, 0, 1]].
TENSTRIDE_API Tensor tril_indices(Index row, Index col, Index offset = 0, const TensorOptions& options = {},
                                  Caller caller = Caller::current());
TENSTRIDE_API Tensor triu_indices(Index row, Index col, Index offset = 0, const TensorOptions& options = {},
                                  Caller caller = Caller::current());

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
