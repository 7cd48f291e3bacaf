// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tenstride/tensor/tensor.hpp"

/// Elements chosen by a truth value: where they stand, what they are, and other ones in their place. Masks
/// are of bools (RuntimeError) and broadcast with the tensor. What a result's shape depends on must not be on
/// meta (RuntimeError).
namespace tenstride {

/// The index of each element that is not 0, in row-major order: int64 of shape (n, rank), of which each
/// column is dense, as in PyTorch. Example: `nonzero(tensor({{0, 1}, {1, 0}}))` is {{0, 1}, {1, 0}}.
TENSTRIDE_API Tensor nonzero(const Tensor& x, Caller caller = Caller::current());
/// Its columns, one for each axis; of rank 0 as of shape (1).
TENSTRIDE_API std::vector<Tensor> nonzero_as_tuple(const Tensor& x, Caller caller = Caller::current());
/// Another name of `nonzero`.
TENSTRIDE_API Tensor argwhere(const Tensor& x, Caller caller = Caller::current());

/// The elements where the mask is true, in row-major order, of rank 1.
/// Example: `masked_select(arange(4), gt(arange(4), 1))` is {2, 3}.
TENSTRIDE_API Tensor masked_select(const Tensor& x, const Tensor& mask, Caller caller = Caller::current());

// In place the mask broadcasts to self's shape; the fresh results are row-major, of the common shape.

/// The source's elements, in row-major order, to where the mask is true. Throws RuntimeError where they are
/// too few, where dtypes differ, or where elements of self share memory.
TENSTRIDE_API Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source,
                                      Caller caller = Caller::current());
TENSTRIDE_API Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source,
                                    Caller caller = Caller::current());
/// One value, converted to self's dtype, to where the mask is true.
TENSTRIDE_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value,
                                   Caller caller = Caller::current());
TENSTRIDE_API Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value,
                                 Caller caller = Caller::current());

/// Numbers in row-major order of a shape, as indexes: int64 views of one tensor, one for each axis. Numbers
/// outside wrap around. Throws TypeError for other numbers than integers, ValueError for a negative size.
/// Example: of 5 in (3,4) these are 1 and 1.
TENSTRIDE_API std::vector<Tensor> unravel_index(const Tensor& indices, const Dims& shape,
                                                Caller caller = Caller::current());

}  // namespace tenstride
