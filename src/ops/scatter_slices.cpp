// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "ops/gather.hpp"
#include "ops/scatter_parts.hpp"
#include "tensor/stored_elements.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/layout/coalesce.hpp"
#include "tenstride/ops/scatter.hpp"
#include "tenstride/tensor/factory.hpp"

/// Slices of one axis: index_select, index_copy, index_fill and index_add.
namespace tenstride {
namespace {

using detail::message;
using detail::OperationScope;

void require_vector(std::string_view operation, const Tensor& index, ErrorKind kind) {
  if (index.dim() <= 1) return;
  const std::string text =
      message(operation, ": the index must have at most 1 axis (shape ", index.shape(), ")");
  if (kind == ErrorKind::index) throw IndexError(text, index.dim(), 0, 1);
  throw RuntimeError(text);
}

void require_short_int(std::string_view operation, const Tensor& index) {
  if (index.dtype() == DType::int64 || index.dtype() == DType::int32) return;
  throw RuntimeError(
      message(operation, ": the index's dtype ", name(index.dtype()), " must be int64 or int32"));
}

/// The layout without the axis.
Layout slice_of(const Layout& layout, std::size_t axis) {
  Layout slice = layout;
  slice.shape.erase(axis);
  slice.strides.erase(axis);
  return slice;
}

/// The layout of one axis alone, from position 0.
Layout axis_of(const Layout& layout, std::size_t axis) {
  return {{layout.shape[axis]}, {layout.strides[axis]}, 0};
}

detail::Boxes boxes_of(const Tensor& distances, const Layout& dense, const Layout& scattered,
                       std::size_t axis) {
  return {{distances.data<Index>(), static_cast<std::size_t>(distances.numel())},
          axis_of(dense, axis),
          slice_of(dense, axis),
          slice_of(scattered, axis)};
}

/// Each slice of the source to where the index says. Of slices without elements the index is not looked at.
void write_slices(std::string_view operation, Tensor& self, std::size_t axis, const Tensor& index,
                  Index lowest, const Tensor& source) {
  if (!self.has_memory() || count_elements(slice_of(self.layout(), axis).shape) == 0) return;
  const ErrorKind kind = self.numel() == 0 ? ErrorKind::runtime : ErrorKind::index;
  const Tensor distances = detail::slice_distances(operation, self.layout(), axis, index, lowest, kind);
  const Tensor stored = detail::stored_as(self, source);
  detail::copy_by("boxes", self, stored, stored.numel(), [&] {
    detail::scatter_boxes(self, stored, boxes_of(distances, stored.layout(), self.layout(), axis));
  });
}

void require_same_slices(std::string_view operation, const Tensor& self, const Tensor& source,
                         std::size_t axis) {
  const auto slice = [&](const Tensor& x) {
    return x.dim() == 0 ? Dims{} : slice_of(x.layout(), std::min(axis, x.layout().rank() - 1)).shape;
  };
  if (slice(self) == slice(source)) return;
  throw RuntimeError(message(operation, ": the source of shape ", source.shape(),
                             " must have the tensor's shape ", self.shape(), " but on axis ", axis));
}

Index size_along(const Tensor& source, std::size_t axis) {
  return source.dim() == 0 ? 1 : source.shape()[axis];
}

[[noreturn]] void throw_count(std::string_view operation, const Tensor& index, const Tensor& source,
                              std::size_t axis, ErrorKind kind) {
  const std::string text = message(operation, ": the index of shape ", index.shape(),
                                   " must have a number for each slice of the source of shape ",
                                   source.shape(), " on axis ", axis);
  const Index wanted = size_along(source, axis);
  if (kind == ErrorKind::index) throw IndexError(text, index.numel(), wanted, wanted);
  throw RuntimeError(text);
}

[[noreturn]] void throw_ranks(std::string_view operation, const Tensor& self, const Tensor& source,
                              ErrorKind kind) {
  const std::string text = message(operation, ": the source of shape ", source.shape(),
                                   " must have as many axes as the tensor of shape ", self.shape());
  if (kind == ErrorKind::index) throw IndexError(text, source.dim(), self.dim(), self.dim());
  throw RuntimeError(text);
}

/// Checks in PyTorch's order, which decides on the kind of the error.
void require_copyable(const Tensor& self, std::size_t axis, const Tensor& index, const Tensor& source) {
  constexpr std::string_view operation = "index_copy_";
  constexpr auto kind = ErrorKind::index;
  require_vector(operation, index, kind);
  if (source.dim() == 0 && index.numel() != 1) throw_count(operation, index, source, axis, kind);
  if (source.dim() != self.dim() && source.dim() > 0 && self.dim() > 0) {
    throw_ranks(operation, self, source, kind);
  }
  detail::require_int64(operation, index, ErrorKind::runtime);
  detail::require_one_dtype(operation, self, source);
  require_same_slices(operation, self, source, axis);
  if (index.numel() != size_along(source, axis)) throw_count(operation, index, source, axis, kind);
}

void require_addable(const Tensor& self, std::size_t axis, const Tensor& index, const Tensor& source) {
  constexpr std::string_view operation = "index_add_";
  constexpr auto kind = ErrorKind::runtime;
  require_vector(operation, index, ErrorKind::index);
  require_short_int(operation, index);
  detail::require_one_dtype(operation, self, source);
  if (source.dim() == 0 && index.numel() != 1) throw_count(operation, index, source, axis, ErrorKind::index);
  if (source.dim() > 0 && axis >= source.layout().rank()) throw_ranks(operation, self, source, kind);
  if (index.numel() != size_along(source, axis)) throw_count(operation, index, source, axis, kind);
  if (source.dim() != self.dim()) throw_ranks(operation, self, source, kind);
  require_same_slices(operation, self, source, axis);
}

/// What is written in place must be distinct, and apart from what is read.
void require_writable(std::string_view operation, Tensor& self, const Tensor& index, const Tensor& source) {
  static_cast<void>(self.mutable_storage_data());
  detail::require_distinct_elements(operation, self);
  detail::require_no_overlap(operation, self, index);
  detail::require_no_overlap(operation, self, source);
  detail::require_readable_index(operation, self, index);
}

/// Whether slices are added as a whole: they are dense, and of more elements than a call of add_ (about 300
/// ns) is worth.
bool adds_slices(const Layout& self, std::size_t axis) {
  constexpr Index least = 64;
  const Layout slice = coalesce(slice_of(self, axis));
  return slice.rank() > 0 && slice.strides.back() == 1 && slice.shape.back() >= least;
}

/// Element by element, in the order of the index.
void add_elements(Tensor& self, std::size_t axis, const Tensor& index, const Tensor& source) {
  Dims along = Dims::filled(self.layout().rank(), 1);
  along[axis] = index.numel();
  const Tensor numbers = index.view(along).expand(source.shape());
  const Tensor positions = detail::positions_along("index_add_", self.layout(), numbers, axis);
  detail::combine_elements("index_add_", elementwise::BinaryOp::add, self, source, positions);
}

/// Whether PyTorch takes `scatter_add_` for it where alpha is 1: sums of small floats are rounded once.
bool is_scatter_add(const Tensor& self, std::size_t axis, const Tensor& index) {
  const std::size_t last = self.layout().rank() - 1;
  return last > 0 && (axis == 0 || axis == last) && index.dtype() == DType::int64;
}

}  // namespace

Tensor index_select(const Tensor& x, Index dim, const Tensor& index, Caller caller) {
  const OperationScope scope("index_select", caller);
  require_vector("index_select", index, ErrorKind::index);
  require_short_int("index_select", index);
  const std::size_t axis = detail::axis_or_first("index_select", dim, x.shape());
  if (x.dim() == 0 && index.numel() != 1) {
    throw RuntimeError(message("index_select: the index of shape ", index.shape(),
                               " must have 1 number for a tensor of shape ()"));
  }
  const Tensor source = detail::at_least_rank_1(x);
  Dims shape = source.shape();
  shape[axis] = index.numel();
  Tensor result = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  detail::require_readable_index("index_select", x, index);
  const Tensor given = x.dim() == 0 ? result.squeeze(0) : result;
  if (!x.has_memory()) return given;
  // The kinds are PyTorch's: it has a way of its own for axis 1.
  const bool is_runtime = x.dim() > 1 && (axis == 1 || x.numel() == 0);
  const ErrorKind kind = is_runtime ? ErrorKind::runtime : ErrorKind::index;
  const Tensor distances = detail::slice_distances("index_select", source.layout(), axis, index, 0, kind);
  detail::copy_by("boxes", result, source, result.numel(), [&] {
    detail::gather_boxes(result, source, boxes_of(distances, result.layout(), source.layout(), axis));
  });
  return given;
}

Tensor& index_copy_(Tensor& self, Index dim, const Tensor& index, const Tensor& source, Caller caller) {
  const OperationScope scope("index_copy_", caller);
  const std::size_t axis = detail::axis_or_first("index_copy_", dim, self.shape());
  require_writable("index_copy_", self, index, source);
  require_copyable(self, axis, index, source);
  Tensor target = detail::at_least_rank_1(self);
  Dims shape = target.shape();
  shape[axis] = index.numel();
  write_slices("index_copy_", target, axis, index, 0, source.reshape(shape));
  return self;
}

Tensor& index_fill_(Tensor& self, Index dim, const Tensor& index, const Scalar& value, Caller caller) {
  const OperationScope scope("index_fill_", caller);
  detail::require_int64("index_fill_", index, ErrorKind::index);
  require_vector("index_fill_", index, ErrorKind::runtime);
  const std::size_t axis = detail::axis_or_first("index_fill_", dim, self.shape());
  if (value.is_complex() && !is_complex(self.dtype())) {
    throw RuntimeError(message("index_fill_: the value ", value.to_string(), " must be real for dtype ",
                               name(self.dtype())));
  }
  const Tensor one = detail::element_of(self, value);
  static_cast<void>(self.mutable_storage_data());
  detail::require_no_overlap("index_fill_", self, index);
  detail::require_readable_index("index_fill_", self, index);
  Tensor target = detail::at_least_rank_1(self);
  Dims shape = target.shape();
  shape[axis] = index.numel();
  write_slices("index_fill_", target, axis, index, -target.shape()[axis], one.expand(shape));
  return self;
}

Tensor& index_add_(Tensor& self, Index dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
                   Caller caller) {
  const OperationScope scope("index_add_", caller);
  const std::size_t axis = detail::axis_or_first("index_add_", dim, self.shape());
  require_addable(self, axis, index, source);
  require_writable("index_add_", self, index, source);
  if (!self.has_memory() || (self.numel() == 0 && self.dim() > 1)) return self;
  Tensor target = detail::at_least_rank_1(self);
  const Tensor added = detail::at_least_rank_1(detail::apart_from(self, source));
  const Scalar factor = detail::element_of(self, alpha).item();
  const bool is_scattered = factor == Scalar(1) && is_scatter_add(target, axis, index);
  const Tensor distances = detail::slice_distances("index_add_", target.layout(), axis, index, 0,
                                                   is_scattered ? ErrorKind::runtime : ErrorKind::index);
  if (is_scattered && is_floating_point(self.dtype()) && self.element_size() < sizeof(float)) {
    Tensor sums = target.to(DType::float32);
    add_elements(sums, axis, index, added.to(DType::float32));
    copy_elements(target, sums);
    return self;
  }
  // Of rank 1 the product is rounded before the sum, as in PyTorch.
  const bool is_scaled = target.dim() == 1 && factor != Scalar(1);
  const Tensor scaled = is_scaled ? mul(added, factor) : added;
  const bool is_plain = is_scaled || factor == Scalar(1);
  if (is_plain && !adds_slices(target.layout(), axis) && self.is_resolved()) {
    add_elements(target, axis, index, scaled);
    return self;
  }
  Layout layout = slice_of(target.layout(), axis);
  const Index first = layout.offset;
  for (Index k = 0; k < index.numel(); ++k) {
    layout.offset = first + distances.data<Index>()[k];
    Tensor part = with_layout(target, layout);
    add_(part, scaled.select(static_cast<Index>(axis), k), is_plain ? Scalar(1) : factor);
  }
  return self;
}

Tensor index_copy(const Tensor& x, Index dim, const Tensor& index, const Tensor& source, Caller caller) {
  const OperationScope scope("index_copy", caller);
  Tensor result = x.clone(MemoryFormat::contiguous);
  return index_copy_(result, dim, index, source);
}
Tensor index_fill(const Tensor& x, Index dim, const Tensor& index, const Scalar& value, Caller caller) {
  const OperationScope scope("index_fill", caller);
  Tensor result = x.clone();
  return index_fill_(result, dim, index, value);
}
Tensor index_add(const Tensor& x, Index dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
                 Caller caller) {
  const OperationScope scope("index_add", caller);
  Tensor result = x.clone(MemoryFormat::contiguous);
  return index_add_(result, dim, index, source, alpha);
}

}  // namespace tenstride
