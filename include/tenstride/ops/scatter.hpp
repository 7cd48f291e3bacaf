// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "tenstride/ops/indexing.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/tensor/tensor.hpp"

/// Elements read from, and written to, places that a tensor of integers names along one axis: PyTorch's
/// gather, scatter, take, put and index families, with their names, argument order and refusals.
///
/// An index tensor holds int64; `index_select` and `index_add` take int32 too. Throw AxisError, and
/// RuntimeError where dtypes or shapes do not fit. What is written in place must not share memory with
/// itself, with the index or with the source (RuntimeError). Of two elements for one place the later one
/// stays; sums and products take them in the order of the index.
namespace tenstride {

// Reading. The results are fresh and row-major.

/// Along `dim` the element that the index names: `result[i][j] = x[index[i][j]][j]` for dim 0. The result has
/// the index's shape, which must not exceed x's but along `dim`. Throws RuntimeError for a number outside
/// [0, size). Example: `gather(tensor({{1, 2}, {3, 4}}), 1, tensor({{1}, {0}}))` is {{2}, {3}}.
TENSTRIDE_API Tensor gather(const Tensor& x, Index dim, const Tensor& index,
                            Caller caller = Caller::current());
/// `gather` with x and the indices broadcast to each other but along `dim`; without an axis of the flattened
/// tensors, which must be possible as views.
TENSTRIDE_API Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<Index> dim = {},
                                    Caller caller = Caller::current());
/// Elements by their number in row-major order, negative ones from the end. The result has the index's shape.
/// Throws IndexError. Example: `take(tensor({{1, 2}, {3, 4}}), tensor({0, -1}))` is {1, 4}.
TENSTRIDE_API Tensor take(const Tensor& x, const Tensor& index, Caller caller = Caller::current());
/// The slices of one axis that an index of rank 1 (or 0) lists. Throws IndexError for a number outside
/// [0, size); RuntimeError on axis 1, as PyTorch. Example: `index_select(x, 1, tensor({2, 0}))` of shape
/// (4,3) has the shape (4,2).
TENSTRIDE_API Tensor index_select(const Tensor& x, Index dim, const Tensor& index,
                                  Caller caller = Caller::current());

// Writing to single elements: `self[index[i][j]][j] = src[i][j]` for dim 0. The index must not exceed self
// but along `dim`, nor the source anywhere. Throws RuntimeError for a number outside [0, size).

TENSTRIDE_API Tensor& scatter_(Tensor& self, Index dim, const Tensor& index, const Tensor& src,
                               Caller caller = Caller::current());
TENSTRIDE_API Tensor& scatter_(Tensor& self, Index dim, const Tensor& index, const Scalar& value,
                               Caller caller = Caller::current());
/// Adds to what stands there. Sums of small floats are rounded once, at the end.
TENSTRIDE_API Tensor& scatter_add_(Tensor& self, Index dim, const Tensor& index, const Tensor& src,
                                   Caller caller = Caller::current());

/// Whether what stands there is one of the values that are reduced.
enum class IncludeSelf : unsigned char { no, yes };
/// Reduces all values for one place: sum, prod, mean, max (PyTorch's "amax") or min. Throws ValueError for
/// any and all. Means of integers are rounded down; of bools there are none. Complex numbers have no order.
/// Example: of self {1, 1}, index {0, 0} and src {4, 5} the mean without self is {4.5, 1}.
TENSTRIDE_API Tensor& scatter_reduce_(Tensor& self, Index dim, const Tensor& index, const Tensor& src,
                                      Reduction reduce, IncludeSelf include_self = IncludeSelf::yes,
                                      Caller caller = Caller::current());
/// Reduces one value into the places that the index names.
TENSTRIDE_API Tensor& scatter_reduce_(Tensor& self, Index dim, const Tensor& index, const Scalar& value,
                                      Reduction reduce, Caller caller = Caller::current());

/// Whether values are added to the elements, each as often as it is indexed, or take their place.
enum class Accumulate : unsigned char { no, yes };
/// Writes the source's elements to those that have the index's numbers in row-major order. Throws IndexError.
TENSTRIDE_API Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source,
                           Accumulate accumulate = Accumulate::no, Caller caller = Caller::current());

// Writing to slices of one axis that an index of rank 1 (or 0) lists.

/// Throws IndexError for a number outside [0, size).
TENSTRIDE_API Tensor& index_copy_(Tensor& self, Index dim, const Tensor& index, const Tensor& source,
                                  Caller caller = Caller::current());
/// Negative numbers count from the end. Throws IndexError. May write to elements that share memory.
TENSTRIDE_API Tensor& index_fill_(Tensor& self, Index dim, const Tensor& index, const Scalar& value,
                                  Caller caller = Caller::current());
/// Adds `alpha` times the source, alpha converted to self's dtype. Throws IndexError for a number outside
/// [0, size); RuntimeError along the first or last of several axes where alpha is 1, as PyTorch.
TENSTRIDE_API Tensor& index_add_(Tensor& self, Index dim, const Tensor& index, const Tensor& source,
                                 const Scalar& alpha = 1, Caller caller = Caller::current());

// Writing where `x[indices]` would read.

/// `x[indices] = values`, where the values broadcast to the indexed shape without axes in front. Throws
/// IndexError, ShapeError, and RuntimeError where dtypes differ or what is read shares x's memory.
/// Example: of zeros(2), {tensor({0, 0})}, ones(2) and Accumulate::yes gives 2 0.
TENSTRIDE_API Tensor& index_put_(Tensor& x, std::span<const TensorIndex> indices, const Tensor& values,
                                 Accumulate accumulate = Accumulate::no, Caller caller = Caller::current());
/// `index_put_` on a copy of x.
TENSTRIDE_API Tensor index_put(const Tensor& x, std::span<const TensorIndex> indices, const Tensor& values,
                               Accumulate accumulate = Accumulate::no, Caller caller = Caller::current());

// The same as fresh tensors: row-major, but laid out as `clone` does for put and index_fill.

TENSTRIDE_API Tensor scatter(const Tensor& x, Index dim, const Tensor& index, const Tensor& src,
                             Caller caller = Caller::current());
TENSTRIDE_API Tensor scatter(const Tensor& x, Index dim, const Tensor& index, const Scalar& value,
                             Caller caller = Caller::current());
TENSTRIDE_API Tensor scatter_add(const Tensor& x, Index dim, const Tensor& index, const Tensor& src,
                                 Caller caller = Caller::current());
TENSTRIDE_API Tensor scatter_reduce(const Tensor& x, Index dim, const Tensor& index, const Tensor& src,
                                    Reduction reduce, IncludeSelf include_self = IncludeSelf::yes,
                                    Caller caller = Caller::current());
TENSTRIDE_API Tensor scatter_reduce(const Tensor& x, Index dim, const Tensor& index, const Scalar& value,
                                    Reduction reduce, Caller caller = Caller::current());
TENSTRIDE_API Tensor put(const Tensor& x, const Tensor& index, const Tensor& source,
                         Accumulate accumulate = Accumulate::no, Caller caller = Caller::current());
TENSTRIDE_API Tensor index_copy(const Tensor& x, Index dim, const Tensor& index, const Tensor& source,
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor index_fill(const Tensor& x, Index dim, const Tensor& index, const Scalar& value,
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor index_add(const Tensor& x, Index dim, const Tensor& index, const Tensor& source,
                               const Scalar& alpha = 1, Caller caller = Caller::current());

}  // namespace tenstride
