// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/elementwise/compare.hpp"
#include "tenstride/tensor/ops_views.hpp"

/// Everything PyTorch offers as a function on shapes and layouts. Here: what makes one tensor of several, and
/// what moves or repeats elements. All results are fresh tensors; each element is copied once.
namespace tenstride {

// Several tensors to one. Element types meet in promote_types; all tensors must be on one device
// (RuntimeError). The result is contiguous, or channels_last where every input suggests that format.

/// One after the other along an axis; the other sizes must agree. Tensors of shape (0) are skipped, as in
/// PyTorch. Throws ShapeError, AxisError. Example: shapes (2,3) and (2,1) along axis 1 give (2,4).
TENSTRIDE_API Tensor cat(TensorList tensors, Index dim = 0, Caller caller = Caller::current());
TENSTRIDE_API Tensor concat(TensorList tensors, Index dim = 0, Caller caller = Caller::current());
TENSTRIDE_API Tensor concatenate(TensorList tensors, Index dim = 0, Caller caller = Caller::current());
/// Along a new axis; all shapes must be equal. Example: three of shape (2,3) along axis 1 give (2,3,3).
TENSTRIDE_API Tensor stack(TensorList tensors, Index dim = 0, Caller caller = Caller::current());
/// Along axis 1, or 0 for rank 1 (and 0, which becomes 1).
TENSTRIDE_API Tensor hstack(TensorList tensors, Caller caller = Caller::current());
/// Along axis 0, with at least 2 axes.
TENSTRIDE_API Tensor vstack(TensorList tensors, Caller caller = Caller::current());
TENSTRIDE_API Tensor row_stack(TensorList tensors, Caller caller = Caller::current());
/// Along axis 2, with at least 3 axes.
TENSTRIDE_API Tensor dstack(TensorList tensors, Caller caller = Caller::current());
/// hstack with tensors of rank 0 and 1 as columns.
TENSTRIDE_API Tensor column_stack(TensorList tensors, Caller caller = Caller::current());
/// Matrices (rank 1: a row, rank 0: one element) along the diagonal of a matrix of zeros. Of nothing: (1,0).
TENSTRIDE_API Tensor block_diag(TensorList tensors, Caller caller = Caller::current());

// The same written into `out`, which is given back: PyTorch's `out=`. Where its shape differs it is resized,
// else it keeps its strides. Throws RuntimeError where the common element type is of a higher kind than
// out's, and where elements of `out` share memory with each other or with an input.
TENSTRIDE_API Tensor& cat_out(Tensor& out, TensorList tensors, Index dim = 0,
                              Caller caller = Caller::current());
TENSTRIDE_API Tensor& stack_out(Tensor& out, TensorList tensors, Index dim = 0,
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor& hstack_out(Tensor& out, TensorList tensors, Caller caller = Caller::current());
TENSTRIDE_API Tensor& vstack_out(Tensor& out, TensorList tensors, Caller caller = Caller::current());
TENSTRIDE_API Tensor& dstack_out(Tensor& out, TensorList tensors, Caller caller = Caller::current());
TENSTRIDE_API Tensor& column_stack_out(Tensor& out, TensorList tensors, Caller caller = Caller::current());

/// All ways to take one element of each vector, one a row, the last vector's changing fastest; of one vector
/// that itself. Example: of {0, 1} and {5, 6} the rows {0, 5}, {0, 6}, {1, 5}, {1, 6}.
TENSTRIDE_API Tensor cartesian_prod(TensorList tensors, Caller caller = Caller::current());
/// Whether an element may be taken more than once.
enum class Replacement : unsigned char { no, yes };
/// All ways to take r elements of a vector in their order, one a row.
/// Example: of {1, 2, 3} by 2 the rows {1, 2}, {1, 3}, {2, 3}.
TENSTRIDE_API Tensor combinations(const Tensor& x, Index r = 2, Replacement replacement = Replacement::no,
                                  Caller caller = Caller::current());

/// `ij`: axis i of each grid runs along tensor i. `xy`: the first two axes swapped, as for an image.
enum class MeshIndexing : unsigned char { ij, xy };
/// One view per tensor (of rank 0 or 1), expanded over the sizes of the others. Element types must be equal.
/// Example: of sizes 2 and 3 two grids of shape (2,3), or (3,2) with `xy`.
TENSTRIDE_API std::vector<Tensor> meshgrid(TensorList tensors, MeshIndexing indexing = MeshIndexing::ij);

// Elements moved and repeated: the methods as functions.

inline Tensor flip(const Tensor& x, const Dims& dims, Caller caller = Caller::current()) {
  return x.flip(dims, caller);
}
inline Tensor fliplr(const Tensor& x, Caller caller = Caller::current()) {
  return x.fliplr(caller);
}
inline Tensor flipud(const Tensor& x, Caller caller = Caller::current()) {
  return x.flipud(caller);
}
/// k quarter turns in the plane of two axes, from the first towards the second.
inline Tensor rot90(const Tensor& x, Index k = 1, const Dims& dims = {0, 1},
                    Caller caller = Caller::current()) {
  return x.rot90(k, dims, caller);
}
/// Element i goes to i + shift, around the end; without axes in row-major order of all elements.
inline Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims = {},
                   Caller caller = Caller::current()) {
  return x.roll(shifts, dims, caller);
}
/// The whole tensor so many times along each axis; more counts than axes add axes in front (`tile`: fewer
/// count as 1).
inline Tensor repeat(const Tensor& x, const Dims& repeats, Caller caller = Caller::current()) {
  return x.repeat(repeats, caller);
}
inline Tensor tile(const Tensor& x, const Dims& dims, Caller caller = Caller::current()) {
  return x.tile(dims, caller);
}
/// Each element so many times in a row, along an axis or of the flattened tensor.
inline Tensor repeat_interleave(const Tensor& x, Index repeats, std::optional<Index> dim = {},
                                Caller caller = Caller::current()) {
  return x.repeat_interleave(repeats, dim, caller);
}
inline Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<Index> dim = {},
                                Caller caller = Caller::current()) {
  return x.repeat_interleave(repeats, dim, caller);
}
/// The elements on and below (tril) or above (triu) a diagonal of each matrix, zero elsewhere; contiguous.
inline Tensor tril(const Tensor& x, Index diagonal = 0, Caller caller = Caller::current()) {
  return x.tril(diagonal, caller);
}
inline Tensor triu(const Tensor& x, Index diagonal = 0, Caller caller = Caller::current()) {
  return x.triu(diagonal, caller);
}

}  // namespace tenstride
