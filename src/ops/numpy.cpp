// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/numpy.hpp"

#include "base/message.hpp"
#include "tensor/unchecked.hpp"

/// NumPy's views of tensors: each forwards to its function on layouts.
namespace tenstride::numpy {

Dims byte_strides(const Tensor& x) {
  Dims result = x.strides();
  for (Index& stride : result) stride *= static_cast<Index>(x.itemsize());
  return result;
}

Tensor transpose(const Tensor& x) {
  return with_layout(x, numpy::transpose(x.layout()));
}
Tensor transpose(const Tensor& x, const Dims& axes) {
  return with_layout(x, numpy::transpose(x.layout(), axes));
}
Tensor T(const Tensor& x) {
  return numpy::transpose(x);
}
Tensor mT(const Tensor& x) {
  return with_layout(x, numpy::matrix_transpose(x.layout(), "mT"));
}
Tensor matrix_transpose(const Tensor& x) {
  return with_layout(x, numpy::matrix_transpose(x.layout()));
}
Tensor swapaxes(const Tensor& x, Index axis1, Index axis2) {
  return with_layout(x, numpy::swapaxes(x.layout(), axis1, axis2));
}
Tensor moveaxis(const Tensor& x, const Dims& source, const Dims& destination) {
  return with_layout(x, numpy::moveaxis(x.layout(), source, destination));
}
Tensor rollaxis(const Tensor& x, Index axis, Index start) {
  return with_layout(x, numpy::rollaxis(x.layout(), axis, start));
}
Tensor expand_dims(const Tensor& x, const Dims& axes) {
  return with_layout(x, numpy::expand_dims(x.layout(), axes));
}
Tensor squeeze(const Tensor& x) {
  return with_layout(x, numpy::squeeze(x.layout()));
}
Tensor squeeze(const Tensor& x, Index axis) {
  return with_layout(x, numpy::squeeze(x.layout(), axis));
}
Tensor squeeze(const Tensor& x, const Dims& axes) {
  return with_layout(x, numpy::squeeze(x.layout(), axes));
}
Tensor flip(const Tensor& x) {
  return with_layout(x, numpy::flip(x.layout()));
}
Tensor flip(const Tensor& x, const Dims& axes) {
  return with_layout(x, numpy::flip(x.layout(), axes));
}
Tensor fliplr(const Tensor& x) {
  return with_layout(x, numpy::fliplr(x.layout()));
}
Tensor flipud(const Tensor& x) {
  return with_layout(x, numpy::flipud(x.layout()));
}
Tensor rot90(const Tensor& x, Index k, const Dims& axes) {
  return with_layout(x, numpy::rot90(x.layout(), k, axes));
}
Tensor sliding_window_view(const Tensor& x, const Dims& window_shape, const std::optional<Dims>& axes) {
  return with_layout(x, numpy::sliding_window_view(x.layout(), window_shape, axes)).read_only();
}
Tensor broadcast_to(const Tensor& x, const Dims& shape) {
  return with_layout(x, numpy::broadcast_to(x.layout(), shape)).read_only();
}
Tensor diagonal(const Tensor& x, Index offset, Index axis1, Index axis2) {
  return with_layout(x, numpy::diagonal(x.layout(), offset, axis1, axis2)).read_only();
}
Tensor atleast_3d(const Tensor& x) {
  return with_layout(x, numpy::atleast_3d(x.layout()));
}
Tensor index(const Tensor& x, std::span<const BasicIndex> entries) {
  return with_layout(x, numpy::index(x.layout(), entries));
}

Tensor view_dtype(const Tensor& x, DType dtype) {
  Layout layout = numpy::view_dtype(x.layout(), x.itemsize(), item_size(dtype));
  // A view of no elements passes every check of the bytes, so only its type is changed.
  const Tensor typed = with_layout(x, {{0}, {1}, 0}).view(dtype);
  return with_layout(typed, std::move(layout));
}

Tensor real(const Tensor& x) {
  return x.real();
}

Tensor as_strided(const Tensor& x, const Dims& shape, const Dims& byte_strides) {
  if (shape.size() != byte_strides.size()) {
    detail::throw_numpy_value("as_strided", "byte strides", byte_strides, "be as many as the sizes", shape);
  }
  for (const Index size : shape) {
    if (size < 0) detail::throw_numpy_value("as_strided", "sizes", shape, "have no negative size", x.shape());
  }
  count_elements(shape, "as_strided");
  Layout layout{shape, byte_strides, x.storage_offset()};
  const auto width = static_cast<Index>(x.itemsize());
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const bool matters = !is_empty(layout) && shape[d] != 1;
    if (matters && byte_strides[d] % width != 0)
      detail::throw_numpy_alignment("as_strided", "a stride", byte_strides[d], x.itemsize());
    layout.strides[d] = byte_strides[d] / width;
  }
  const auto count = static_cast<Index>(x.storage().nbytes() / x.itemsize());
  const std::optional<Reach> touched = reach(layout, "as_strided");
  if (touched && (touched->lowest < 0 || touched->highest >= count))
    detail::throw_storage_reach("as_strided", layout, count);
  return with_layout(x, std::move(layout));
}

}  // namespace tenstride::numpy
