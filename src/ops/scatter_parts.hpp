// SPDX-License-Identifier: Apache-2.0
// What the gather, scatter, take, put and index families share: the positions of the indexed elements, and
// what is refused.
#pragma once

#include <string_view>

#include "elementwise/kernels/arithmetic.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// For each element of `index`, in row-major order, the position in `layout` of the element with its
/// coordinates and the index's number along `axis`: dense, of int64. Throws RuntimeError for a number outside
/// [0, size). Pre: of layout's rank, and not larger but along the axis.
Tensor positions_along(std::string_view operation, const Layout& layout, const Tensor& index,
                       std::size_t axis);
/// Returns the position of the element with each number in row-major order. Throws IndexError outside [-n,
/// n).
Tensor positions_of_numbers(std::string_view operation, const Layout& layout, const Tensor& index);
/// Returns the offset of each slice in `index` from the first one: number times stride. Throws an error of
/// the kind outside [lowest, size); negative numbers count from the end. Pre: integers.
Tensor slice_distances(std::string_view operation, const Layout& layout, std::size_t axis,
                       const Tensor& index, Index lowest, ErrorKind kind);

/// Returns the axis, where rank 0 counts as rank 1.
std::size_t axis_or_first(std::string_view operation, Index dim, const Dims& shape);
/// Returns a tensor of rank 0 as one of shape (1).
Tensor at_least_rank_1(const Tensor& x);

void require_int64(std::string_view operation, const Tensor& index, ErrorKind kind);
void require_one_dtype(std::string_view operation, const Tensor& self, const Tensor& source);
/// Throws for an index on meta where self has elements.
void require_readable_index(std::string_view operation, const Tensor& self, const Tensor& index);

/// Returns the value as a tensor of rank 0 with self's dtype, without an entry in a ledger.
Tensor element_of(const Tensor& self, const Scalar& value);

/// Read the elements at the positions into a dense result, or write those of a source there, in row-major
/// order.
void read_elements(Tensor& result, const Tensor& x, const Tensor& positions);
void write_elements(Tensor& self, const Tensor& src, const Tensor& positions);
/// Puts each element of the source to what stands at its position, one after the other: `self = op(self,
/// src)`, of add, mul, maximum and minimum. Bools are added as `or`, multiplied as `and`. Throws RuntimeError
/// where the dtype has no such operation. Small floats are rounded after each.
void combine_elements(std::string_view operation, elementwise::BinaryOp op, Tensor& self, const Tensor& src,
                      const Tensor& positions);

}  // namespace tenstride::detail
