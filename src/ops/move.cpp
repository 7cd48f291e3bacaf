// SPDX-License-Identifier: Apache-2.0
// Elements in other places: flip, rot90, roll.
#include <cstring>

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

// flip

Tensor flipped(const Tensor& x, const Dims& dims) {
  const Tensor view = with_layout(x, flip_view(x.layout(), dims));
  return materialize(view, layout_like(x.layout(), MemoryFormat::preserve, "flip"), x.dtype());
}

// roll

/// A rolled axis: output element `cut` is input element 0. An axis that is not rolled has cut 0.
struct RolledAxis {
  std::size_t axis = 0;
  Index cut = 0;
};

/// shift modulo size, not negative. Pre: size > 0.
Index modulo(Index shift, Index size) {
  const Index rest = shift % size;
  return rest < 0 ? rest + size : rest;
}

/// One copy for each combination of the two parts of every rolled axis.
void copy_rolled(Tensor dst, const Tensor& src, std::span<const RolledAxis> axes) {
  if (axes.empty()) {
    copy_elements(dst, src);
    return;
  }
  const auto axis = static_cast<Index>(axes[0].axis);
  const Index size = src.shape()[axes[0].axis];
  const Index cut = axes[0].cut;
  const std::span<const RolledAxis> rest = axes.subspan(1);
  copy_rolled(dst.narrow(axis, cut, size - cut), src.narrow(axis, 0, size - cut), rest);
  if (cut > 0) copy_rolled(dst.narrow(axis, 0, cut), src.narrow(axis, size - cut, cut), rest);
}

/// The layout of PyTorch's roll along one axis: that of `cat` of the two parts.
Layout rolled_layout(const Layout& layout, std::size_t axis, Index cut) {
  const Index size = layout.shape[axis];
  const auto d = static_cast<Index>(axis);
  const MemoryFormat tail = suggested_memory_format(narrow(layout, d, size - cut, cut));
  const MemoryFormat head = suggested_memory_format(narrow(layout, d, 0, size - cut));
  const MemoryFormat format = tail == head ? head : MemoryFormat::contiguous;
  return {layout.shape, format_strides(layout.shape, format, "roll"), 0};
}

/// Elements from..to-1 of src in row-major order, as boxes, each copied to its place in a dense run.
void copy_range(Tensor run, const Tensor& src, Index from, Index to) {
  if (from >= to) return;
  if (src.dim() == 0) {
    Tensor one = run.view(Dims{});
    copy_elements(one, src);
    return;
  }
  const Index inner = src.numel() / src.size(0);
  const auto part = [&](Index begin, Index end) { return run.narrow(0, begin - from, end - begin); };
  const auto row_rest = [&](Index begin, Index end) {  // within one row
    const Index row = begin / inner;
    copy_range(part(begin, end), src.select(0, row), begin - row * inner, end - row * inner);
  };
  const Index first_row = ceil_divide(from, inner);
  const Index end_row = to / inner;
  if (first_row > end_row) {
    row_rest(from, to);
    return;
  }
  if (from < first_row * inner) row_rest(from, first_row * inner);
  if (first_row < end_row) {
    const Tensor rows = src.narrow(0, first_row, end_row - first_row);
    Tensor box = part(first_row * inner, end_row * inner).view(rows.shape());
    copy_elements(box, rows);
  }
  if (end_row * inner < to) row_rest(end_row * inner, to);
}

Tensor rolled_flat(const Tensor& x, Index shift) {
  const Layout layout{x.shape(), row_major_strides(x.shape(), "roll"), 0};
  Tensor result = empty(layout.shape, {.dtype = x.dtype(), .device = x.device()});
  const Index count = x.numel();
  if (count == 0) return x.dim() == 1 ? x.clone() : result;  // PyTorch views it in its own shape
  const Index cut = modulo(shift, count);
  const Tensor run = result.view({count});
  copy_range(run.narrow(0, cut, count - cut), x, 0, count - cut);
  copy_range(run.narrow(0, 0, cut), x, count - cut, count);
  return result;
}

}  // namespace

Tensor Tensor::flip(const Dims& dims, Caller caller) const {
  const detail::OperationScope scope("flip", caller);
  return flipped(*this, dims);
}

Tensor Tensor::fliplr(Caller caller) const {
  const detail::OperationScope scope("fliplr", caller);
  if (dim() < 2) detail::throw_rank("fliplr", shape(), "must have at least 2 axes");
  return flipped(*this, {1});
}

Tensor Tensor::flipud(Caller caller) const {
  const detail::OperationScope scope("flipud", caller);
  if (dim() < 1) detail::throw_rank("flipud", shape(), "must have at least 1 axis");
  return flipped(*this, {0});
}

Tensor Tensor::rot90(Index k, const Dims& dims, Caller caller) const {
  const detail::OperationScope scope("rot90", caller);
  if (dims.size() != 2) {
    throw RuntimeError(detail::message("rot90: dims ", dims, " must name 2 axes (shape ", shape(), ")"));
  }
  if (dim() < 2) detail::throw_rank("rot90", shape(), "must have at least 2 axes");
  for (const Index axis : dims) {
    if (axis >= -dim() && axis < dim()) continue;
    throw RuntimeError(detail::message("rot90: axis ", axis, " must lie in [", -dim(), ",", dim() - 1,
                                       "] (shape ", shape(), ")"));
  }
  if ((dims[0] - dims[1]) % dim() == 0) detail::throw_equal_axes("rot90", dims[0], shape());
  switch (modulo(k, 4)) {
    case 1:
      return flipped(*this, {dims[1]}).transpose(dims[0], dims[1]);
    case 2:
      return flipped(*this, dims);
    case 3:
      return flipped(*this, {dims[0]}).transpose(dims[0], dims[1]);
    default:
      return clone(MemoryFormat::contiguous);
  }
}

Tensor Tensor::roll(const Dims& shifts, const Dims& dims, Caller caller) const {
  const detail::OperationScope scope("roll", caller);
  if (shifts.empty()) throw RuntimeError("roll: at least one shift must be given");
  if (dims.empty() && shifts.size() == 1) return rolled_flat(*this, shifts[0]);
  if (shifts.size() != dims.size()) {
    throw RuntimeError(detail::message("roll: shifts ", shifts, " and dims ", dims, " must be as many (",
                                       shifts.size(), " and ", dims.size(), " given)"));
  }
  if (numel() == 0) return clone();
  if (dim() == 0) detail::throw_no_axes("roll");
  Layout layout = layout_;
  std::vector<RolledAxis> axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t axis = wrap_axis("roll", dims[i], shape());
    const Index size = layout_.shape[axis];
    const Index cut = modulo(shifts[i], size);
    layout = rolled_layout(layout, axis, cut);
    const auto same =
        std::find_if(axes.begin(), axes.end(), [axis](const RolledAxis& one) { return one.axis == axis; });
    if (same == axes.end()) {
      axes.push_back({axis, cut});
    } else {
      same->cut = modulo(same->cut - (size - cut), size);  // (a + b) mod size without overflow
    }
  }
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = dtype_, .device = device()});
  std::erase_if(axes, [](const RolledAxis& one) { return one.cut == 0; });
  copy_rolled(result, *this, axes);
  return result;
}

}  // namespace tenstride
