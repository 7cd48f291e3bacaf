// SPDX-License-Identifier: Apache-2.0
// Elements repeated: repeat, tile and repeat_interleave. A repetition is an expanded axis, copied once.
#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "ops/gather.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/ops/ops.hpp"

namespace tenstride {
namespace {

/// A shape with so many axes of size 1 in front that it has `rank`.
Dims padded(const Dims& shape, std::size_t rank) {
  Dims result = Dims::filled(rank - std::min(rank, shape.size()), 1);
  for (const Index size : shape) result.push_back(size);
  return result;
}

/// Every axis of the result is seen as (repeats, size), of the source as (repeats, size) with a stride of 0.
Tensor repeated(std::string_view operation, const Tensor& x, const Dims& repeats) {
  if (repeats.size() < x.layout().rank()) {
    throw ShapeError(
        detail::message(operation, ": repeats ", repeats, " must be at least as many as the tensor's axes, ",
                        x.dim(), " (shape ", x.shape(), ")"),
        x.shape(), repeats);
  }
  const Dims sizes = padded(x.shape(), repeats.size());
  Dims shape = sizes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    shape[d] = checked_multiply(sizes[d], repeats[d], operation);
    if (shape[d] >= 0) continue;
    throw ShapeError(detail::message(operation, ": repeats ", repeats, " must not be negative, that of axis ",
                                     d, " is (shape ", x.shape(), ")"),
                     x.shape(), repeats);
  }
  Tensor result = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  if (result.numel() == 0) return result;
  const Tensor source = x.expand(sizes);
  Layout from{{}, {}, source.storage_offset()};
  Layout to{{}, {}, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index stride = result.strides()[d];
    if (repeats[d] != 1) {
      from.shape.push_back(repeats[d]);
      from.strides.push_back(0);
      to.shape.push_back(repeats[d]);
      to.strides.push_back(sizes[d] * stride);
    }
    if (sizes[d] == 1) continue;
    from.shape.push_back(sizes[d]);
    from.strides.push_back(source.strides()[d]);
    to.shape.push_back(sizes[d]);
    to.strides.push_back(stride);
  }
  Tensor target = with_layout(result, to);
  copy_elements(target, with_layout(source, from));
  return result;
}

/// How often each index of the axis is repeated.
std::vector<Index> read_repeats(const Tensor& repeats, Index size) {
  if (repeats.dtype() != DType::int64 && repeats.dtype() != DType::int32) {
    throw RuntimeError(
        detail::message("repeat_interleave: repeats must be int64 or int32, not ", name(repeats.dtype())));
  }
  if (repeats.dim() > 1) {
    throw RuntimeError(
        detail::message("repeat_interleave: repeats must have at most 1 axis (shape ", repeats.shape(), ")"));
  }
  if (!repeats.has_memory()) {
    throw RuntimeError(detail::message("repeat_interleave: repeats on ", name(repeats.device()),
                                       " has no elements to be read"));
  }
  if (repeats.numel() != 1 && repeats.numel() != size) {
    throw RuntimeError(detail::message("repeat_interleave: repeats of shape ", repeats.shape(),
                                       " must hold 1 number or ", size, ", one for each index of the axis"));
  }
  std::vector<Index> counts = repeats.expand({size}).to_vector<Index>();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] >= 0) continue;
    throw RuntimeError(detail::message("repeat_interleave: repeats must not be negative, that of index ", i,
                                       " is ", counts[i]));
  }
  return counts;
}

}  // namespace

Tensor Tensor::repeat(const Dims& repeats, Caller caller) const {
  return repeated(detail::OperationScope("repeat", caller), *this, repeats);
}

Tensor Tensor::tile(const Dims& dims, Caller caller) const {
  return repeated(detail::OperationScope("tile", caller), *this,
                  padded(dims, std::max(dims.size(), layout_.rank())));
}

Tensor Tensor::repeat_interleave(Index repeats, std::optional<Index> dim, Caller caller) const {
  const detail::OperationScope scope("repeat_interleave", caller);
  if (repeats < 0) {
    throw RuntimeError(detail::message("repeat_interleave: repeats ", repeats, " must not be negative"));
  }
  if (dim && layout_.rank() == 0) detail::throw_no_axes("repeat_interleave");
  const std::size_t d = dim ? wrap_axis("repeat_interleave", *dim, shape()) : 0;
  Dims shape_of_result = dim ? shape() : Dims{numel()};
  shape_of_result[d] = checked_multiply(shape_of_result[d], repeats, "repeat_interleave");
  // Without an axis every element is repeated by itself: an innermost axis over any layout.
  const Layout grown = tenstride::unsqueeze(layout_, dim ? static_cast<Index>(d) + 1 : -1);
  Dims expanded = grown.shape;
  expanded[dim ? d + 1 : layout_.rank()] = repeats;
  const Tensor view = with_layout(*this, tenstride::expand(grown, expanded, "repeat_interleave"));
  const Tensor copied = materialize(view, row_major(expanded), dtype_);
  return with_layout(copied, {shape_of_result, row_major_strides(shape_of_result, "repeat_interleave"), 0});
}

Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<Index> dim, Caller caller) const {
  const detail::OperationScope scope("repeat_interleave", caller);
  if (!dim) return flatten().repeat_interleave(repeats, 0);
  if (layout_.rank() == 0) detail::throw_no_axes("repeat_interleave");
  const std::size_t d = wrap_axis("repeat_interleave", *dim, shape());
  const auto axis = static_cast<Index>(d);
  const std::vector<Index> counts = read_repeats(repeats, shape()[d]);
  Dims size = shape();
  size[d] = 0;
  for (const Index count : counts) size[d] = checked_add(size[d], count, "repeat_interleave");
  Tensor result = empty(size, {.dtype = dtype_, .device = device()});
  detail::copy_by("boxes", result, *this, result.numel(), [&] {
    if (!has_memory() || result.numel() == 0) return;
    std::vector<Index> starts;
    starts.reserve(static_cast<std::size_t>(size[d]));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      starts.insert(starts.end(), static_cast<std::size_t>(counts[i]), static_cast<Index>(i) * strides()[d]);
    }
    // One box for each index of the result's axis: all the other axes.
    detail::Boxes boxes{starts,
                        {{size[d]}, {result.strides()[d]}, 0},
                        result.select(axis, 0).layout(),
                        select(axis, 0).layout()};
    detail::gather_boxes(result, *this, boxes);
  });
  return result;
}

}  // namespace tenstride
