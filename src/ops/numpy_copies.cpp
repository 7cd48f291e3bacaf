// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "memory/watch.hpp"
#include "ops/along.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/tensor/factory.hpp"

/// NumPy's functions that copy, or may.
namespace tenstride::numpy {
namespace {

/// A writable tensor of the layout and x's dtype and device.
Tensor allocate(const Tensor& x, const Layout& layout) {
  return tenstride::empty_strided(layout.shape, layout.strides, {.dtype = x.dtype(), .device = x.device()});
}

Tensor copy_as(const Tensor& x, const Layout& layout) {
  return materialize(x, layout, x.dtype());
}

/// The dense copy of x in C order, seen as one axis.
Tensor flat_copy(const Tensor& x) {
  const Layout flat = fresh({x.numel()});
  if (is_empty(flat)) return allocate(x, flat);
  return with_layout(copy_as(x, fresh(x.shape())), flat);
}

bool has_order(const Tensor& x, Order order) {
  if (order == Order::C) return is_c_contiguous(x);
  if (order == Order::F) return is_f_contiguous(x);
  return true;
}

Tensor as_order(const Tensor& x, Order order, CopyRule rule, std::string_view operation) {
  const bool is_fine = has_order(x, order);
  if (rule == CopyRule::never && !is_fine) {
    detail::throw_numpy_copy(operation, x.layout(), "be in order " + std::string(name(order)));
  }
  const Tensor dense = is_fine && rule != CopyRule::always ? x : numpy::copy(x, order);
  return with_layout(dense, with_rank_at_least(dense.layout(), 1));
}

std::vector<Layout> layouts_of(std::span<const Tensor> tensors) {
  std::vector<Layout> layouts;
  for (const Tensor& x : tensors) layouts.push_back(x.layout());
  return layouts;
}

/// Fills dst with src moved along each axis by its offset, which lies in [0, size).
void copy_rolled(Tensor dst, const Tensor& src, const Dims& offsets, std::size_t axis) {
  while (axis < offsets.size() && offsets[axis] == 0) ++axis;
  if (axis == offsets.size()) {
    copy_elements(dst, src);
    return;
  }
  const auto d = static_cast<Index>(axis);
  const Index size = src.shape()[axis];
  const Index offset = offsets[axis];
  copy_rolled(dst.narrow(d, offset, size - offset), src.narrow(d, 0, size - offset), offsets, axis + 1);
  copy_rolled(dst.narrow(d, 0, offset), src.narrow(d, size - offset, offset), offsets, axis + 1);
}

}  // namespace

Tensor reshape(const Tensor& x, const Dims& shape, Order order, CopyRule rule, Caller caller) {
  if (order == Order::K) detail::throw_numpy_order_k("reshape");
  const Dims wanted = infer_shape(x.layout(), shape);
  if (detail::watch != nullptr) [[unlikely]] {
    detail::watch->reshaped(x.shape(), wanted, "reshape", caller);
  }
  const detail::OperationScope scope("reshape", caller);
  order = resolve_order(x.layout(), order);
  if (rule != CopyRule::always) {
    if (const auto layout = try_reshape(x.layout(), shape, order)) return with_layout(x, *layout);
  }
  if (rule == CopyRule::never)
    detail::throw_numpy_copy("reshape", x.layout(), "take the shape " + detail::to_text(wanted));
  const detail::ReasonScope reason([&] {
    return rule == CopyRule::always ? std::string("copy = always was asked for")
                                    : detail::message("no view of ", x.shape(), ":", x.strides(),
                                                      " has the shape ", wanted, " in order ", name(order));
  });
  return with_layout(numpy::copy(x, order), {wanted, dense_strides(wanted, order, "reshape"), 0});
}

Tensor ravel(const Tensor& x, Order order, CopyRule rule, Caller caller) {
  const detail::OperationScope scope("ravel", caller);
  order = resolve_order(x.layout(), order);
  if (rule != CopyRule::always) {
    if (const auto layout = try_ravel(x.layout(), order)) return with_layout(x, *layout);
  }
  if (rule == CopyRule::never) detail::throw_numpy_copy("ravel", x.layout(), "become one axis");
  return numpy::flatten(x, order);
}

Tensor flatten(const Tensor& x, Order order, Caller caller) {
  const detail::OperationScope scope("flatten", caller);
  switch (resolve_order(x.layout(), order)) {
    case Order::F:
      return flat_copy(numpy::transpose(x));
    case Order::K:
      return flat_copy(numpy::transpose(x, axes_in_iteration_order(x.layout())));
    default:
      return flat_copy(x);
  }
}

Tensor copy(const Tensor& x, Order order, Caller caller) {
  const detail::OperationScope scope("copy", caller);
  return copy_as(x, layout_like(x.layout(), order, "copy"));
}

Tensor ascontiguousarray(const Tensor& x, CopyRule rule, Caller caller) {
  const detail::OperationScope scope("ascontiguousarray", caller);
  return as_order(x, Order::C, rule, "ascontiguousarray");
}
Tensor asfortranarray(const Tensor& x, CopyRule rule, Caller caller) {
  const detail::OperationScope scope("asfortranarray", caller);
  return as_order(x, Order::F, rule, "asfortranarray");
}

Tensor asarray(const Tensor& x, Order order, CopyRule rule, Caller caller) {
  const detail::OperationScope scope("asarray", caller);
  if (rule != CopyRule::always && has_order(x, order)) return x;
  if (rule == CopyRule::never)
    detail::throw_numpy_copy("asarray", x.layout(), "be in order " + std::string(name(order)));
  return numpy::copy(x, order);
}

Tensor astype(const Tensor& x, DType dtype, Order order, CopyRule rule, Caller caller) {
  const detail::OperationScope scope("astype", caller);
  // Order A takes contiguous arrays of either order as they are, and copies all others.
  const bool is_ordered = order == Order::A ? is_c_contiguous(x) || is_f_contiguous(x) : has_order(x, order);
  if (rule != CopyRule::always && is_ordered && dtype == x.dtype()) return x;
  if (rule == CopyRule::never)
    detail::throw_numpy_copy("astype", x.layout(),
                             detail::message("be ", tenstride::name(dtype), " in order ", name(order)));
  return materialize(x, layout_like(x.layout(), order, "astype"), dtype);
}

Tensor empty_like(const Tensor& x, Order order, Caller caller) {
  const detail::OperationScope scope("empty_like", caller);
  return allocate(x, layout_like(x.layout(), order));
}

Tensor imag(const Tensor& x, Caller caller) {
  const detail::OperationScope scope("imag", caller);
  if (x.is_complex()) return x.imag();
  Tensor zeros = allocate(x, fresh(x.shape(), is_fortran(x.layout()) ? Order::F : Order::C, "imag"));
  zeros.zero_();
  return zeros.read_only();
}

Tensor concatenate(std::span<const Tensor> tensors, std::optional<Index> axis, Caller caller) {
  const detail::OperationScope scope("concatenate", caller);
  if (tensors.empty()) throw ValueError("concatenate: at least one tensor must be given");
  if (!axis) {
    std::vector<Tensor> flat;
    for (const Tensor& x : tensors) flat.push_back(numpy::ravel(x));
    return numpy::concatenate(flat, 0);
  }
  const Tensor& first = tensors.front();
  if (first.dim() == 0) detail::throw_numpy_rank("concatenate", "at least 1 axis", first.shape());
  const std::size_t d = detail_views::wrap("concatenate", *axis, first.shape());
  Dims shape = first.shape();
  shape[d] = 0;
  for (const Tensor& x : tensors) {
    Dims expected = x.shape();
    if (x.dim() == first.dim()) expected[d] = first.shape()[d];
    if (expected != first.shape())
      detail::throw_numpy_value("concatenate", "shape", x.shape(),
                                "agree with the first's on all axes but the joined one", first.shape());
    if (x.dtype() != first.dtype())
      throw TypeError(detail::message("concatenate: the dtypes ", tenstride::name(first.dtype()), " and ",
                                      tenstride::name(x.dtype()), " must be one; use astype first"));
    shape[d] = checked_add(shape[d], x.shape()[d], "concatenate");
  }
  Tensor result = allocate(first, concatenated(layouts_of(tensors), shape));
  detail::copy_along(result, d, tensors);
  return result;
}

Tensor stack(std::span<const Tensor> tensors, Index axis, Caller caller) {
  const detail::OperationScope scope("stack", caller);
  if (tensors.empty()) throw ValueError("stack: at least one tensor must be given");
  const Tensor& first = tensors.front();
  for (const Tensor& x : tensors) {
    if (x.shape() != first.shape())
      detail::throw_numpy_value("stack", "shape", x.shape(), "be the first's", first.shape());
  }
  const std::size_t d =
      detail_views::wrap("stack", axis, first.shape(), static_cast<std::size_t>(first.dim()) + 1);
  std::vector<Tensor> expanded;
  for (const Tensor& x : tensors) {
    Layout layout = x.layout();
    layout.shape.insert(d, 1);
    layout.strides.insert(d, 0);
    expanded.push_back(with_layout(x, std::move(layout)));
  }
  return numpy::concatenate(expanded, static_cast<Index>(d));
}

Tensor tile(const Tensor& x, const Dims& reps, Caller caller) {
  const detail::OperationScope scope("tile", caller);
  for (const Index count : reps) {
    if (count < 0) detail::throw_numpy_value("tile", "repeats", reps, "not be negative", x.shape());
  }
  if (std::all_of(reps.begin(), reps.end(), [](Index count) { return count == 1; })) {
    const Tensor copied = numpy::copy(x);
    return with_layout(copied, with_rank_at_least(copied.layout(), reps.size()));
  }
  const Tensor source = with_layout(x, with_rank_at_least(x.layout(), reps.size()));
  const Layout& layout = source.layout();
  const std::size_t added = layout.rank() - reps.size();
  // Each repeated axis stands twice in the copy: once for the repeats, once for its elements.
  Dims shape = source.shape();
  Layout repeated{{}, {}, layout.offset};
  Index row = 1;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const Index count = d < added ? 1 : reps[d - added];
    row = count == 1 ? row * layout.shape[d] : layout.shape[d];
    shape[d] = checked_multiply(shape[d], count, "tile");
    if (count != 1 && layout.shape[d] != 1) {
      repeated.shape.push_back(count);
      repeated.strides.push_back(0);
    }
    const bool is_spread = layout.shape[d] == 1;
    repeated.shape.push_back(is_spread ? count : layout.shape[d]);
    repeated.strides.push_back(is_spread ? 0 : layout.strides[d]);
  }
  if (source.numel() == 0) return numpy::reshape(source, shape);
  const Tensor copied = copy_as(with_layout(source, repeated), fresh(repeated.shape));
  // NumPy makes the copy as a matrix whose rows begin at the last repeated axis, then reshapes it: without
  // elements it keeps the strides of a fresh array only where that shape was the wanted one.
  if (shape == Dims{0, row}) return with_layout(copied, fresh(shape));
  return with_layout(copied, {shape, row_major_strides(shape, "tile"), 0});
}

Tensor repeat(const Tensor& x, Index repeats, std::optional<Index> axis, Caller caller) {
  const detail::OperationScope scope("repeat", caller);
  const Tensor source = !axis || x.dim() == 0 ? numpy::ravel(x) : x;
  const std::size_t d = detail_views::wrap("repeat", axis.value_or(0), source.shape());
  if (repeats < 0 && source.shape()[d] != 0)  // nothing to repeat: NumPy asks no further
    detail::throw_numpy_number("repeat", "the number of repeats", repeats, "not be negative", x.shape());
  Dims shape = source.shape();
  shape[d] = checked_multiply(shape[d], repeats, "repeat");
  const Layout wanted = fresh(shape, Order::C, "repeat");
  if (is_empty(wanted)) return allocate(x, wanted);
  Layout repeated = source.layout();
  repeated.shape.insert(d + 1, repeats);
  repeated.strides.insert(d + 1, 0);
  return with_layout(copy_as(with_layout(source, repeated), fresh(repeated.shape)), wanted);
}

Tensor repeat(const Tensor& x, const Tensor& repeats, std::optional<Index> axis, Caller caller) {
  const detail::OperationScope scope("repeat", caller);
  const bool is_count = repeats.dtype() == DType::bool_ || is_integer(repeats.dtype());
  if (!is_count || repeats.dtype() == DType::uint64) {
    throw TypeError(detail::message("repeat: repeats of dtype ", tenstride::name(repeats.dtype()),
                                    " must be integers that int64 holds"));
  }
  if (repeats.dim() > 1) {
    throw ValueError(
        detail::message("repeat: repeats must have at most 1 axis (shape ", repeats.shape(), ")"));
  }
  if (repeats.numel() == 1) return numpy::repeat(x, repeats.item<Index>(), axis);
  const Tensor source = !axis || x.dim() == 0 ? numpy::ravel(x) : x;
  const std::size_t d = detail_views::wrap("repeat", axis.value_or(0), source.shape());
  if (repeats.numel() != source.shape()[d]) {
    throw ValueError(detail::message("repeat: repeats of shape ", repeats.shape(), " must be one number or ",
                                     source.shape()[d], ", one for each element of axis ", d));
  }
  if (repeats.numel() > 0 && lt(repeats, 0).any().item<bool>()) {
    throw ValueError("repeat: repeats must not be negative");
  }
  const Tensor made = source.repeat_interleave(repeats.to(DType::int64), static_cast<Index>(d));
  return with_layout(made, fresh(made.shape(), Order::C, "repeat"));
}

Tensor roll(const Tensor& x, const Dims& shift, const std::optional<Dims>& axes, Caller caller) {
  const detail::OperationScope scope("roll", caller);
  if (!axes)
    return numpy::reshape(numpy::roll(numpy::ravel(x), shift, Dims::filled(shift.size(), 0)), x.shape());
  const bool agree = shift.size() == axes->size() || shift.size() == 1 || axes->size() == 1;
  if (x.dim() == 0 && axes->empty()) detail::throw_numpy_rank("roll", "an axis to roll along", x.shape());
  if (!agree) detail::throw_numpy_value("roll", "shifts", shift, "be one or as many as the axes", x.shape());
  const bool none = shift.empty() || axes->empty();
  const std::size_t count = none ? 0 : std::max(shift.size(), axes->size());
  Dims offsets = Dims::filled(x.shape().size(), 0);
  for (const Index axis : *axes) detail_views::wrap("roll", axis, x.shape());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = detail_views::wrap("roll", (*axes)[axes->size() == 1 ? 0 : i], x.shape());
    const Index size = std::max<Index>(x.shape()[d], 1);
    const Index moved = shift[shift.size() == 1 ? 0 : i] % size;
    offsets[d] = (offsets[d] + moved + size) % size;
  }
  Tensor result = numpy::empty_like(x);
  copy_rolled(result, x, offsets, 0);
  return result;
}

}  // namespace tenstride::numpy
