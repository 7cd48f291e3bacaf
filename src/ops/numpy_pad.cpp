// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/tensor/factory.hpp"

/// NumPy's pad: the elements in the middle of a wider array, and copies of views around them.
namespace tenstride::numpy {
namespace {

void copy_into(Tensor target, const Tensor& source) {
  copy_elements(target, source.expand(target.shape()));
}

/// An axis of the result: `size` elements behind `before` others.
struct PaddedAxis {
  Index axis;
  Index before;
  Index size;
  Index after;
};

/// A run of the padding: `length` elements that are elements of the middle from `first` on, upwards or
/// downwards.
struct PaddingRun {
  Index first;
  Index length;
  bool is_reversed;
};

/// The run that begins at a position relative to the first element of the middle.
PaddingRun run_at(PadMode mode, Index position, Index size) {
  // The elements and their mirror image make a period; the image lacks both ends where they are not doubled.
  const Index mirrored = mode == PadMode::wrap ? 0 : mode == PadMode::symmetric ? size : size - 2;
  const Index period = size + mirrored;
  const Index within = (position % period + period) % period;
  if (within < size) return {within, size - within, false};
  const Index last = mode == PadMode::symmetric ? size - 1 : size - 2;
  return {last - (within - size), period - within, true};
}

/// Fills positions [begin, end) of the axis, which lie outside of the middle.
void fill_periodic(const Tensor& whole, const PaddedAxis& at, PadMode mode, Index begin, Index end) {
  while (begin < end) {
    const PaddingRun run = run_at(mode, begin - at.before, at.size);
    const Index length = std::min(run.length, end - begin);
    const Index lowest = run.is_reversed ? run.first - length + 1 : run.first;
    const Tensor source = whole.narrow(at.axis, at.before + lowest, length);
    copy_into(whole.narrow(at.axis, begin, length),
              run.is_reversed ? numpy::flip(source, {at.axis}) : source);
    begin += length;
  }
}

void fill_axis(const Tensor& whole, const PaddedAxis& at, PadMode mode, std::span<const Tensor> values) {
  const Index behind = at.before + at.size;
  if (mode == PadMode::constant) {
    copy_into(whole.narrow(at.axis, 0, at.before), values[0]);
    copy_into(whole.narrow(at.axis, behind, at.after), values[1]);
  } else if (mode == PadMode::edge || (mode == PadMode::reflect && at.size == 1)) {
    copy_into(whole.narrow(at.axis, 0, at.before), whole.narrow(at.axis, at.before, 1));
    copy_into(whole.narrow(at.axis, behind, at.after), whole.narrow(at.axis, behind - 1, 1));
  } else {
    fill_periodic(whole, at, mode, 0, at.before);
    fill_periodic(whole, at, mode, behind, behind + at.after);
  }
}

}  // namespace

Tensor pad(const Tensor& x, std::span<const PadWidth> widths, PadMode mode, std::span<const Tensor> values,
           Caller caller) {
  const detail::OperationScope scope("pad", caller);
  const std::size_t rank = x.layout().rank();
  if (widths.size() != rank) {
    throw ValueError(detail::message("pad: ", widths.size(),
                                     " pairs of widths must be one for each axis (shape ", x.shape(), ")"));
  }
  const bool needs_elements = mode != PadMode::constant && mode != PadMode::empty;
  Dims shape = x.shape();
  for (std::size_t d = 0; d < rank; ++d) {
    const auto [before, after] = widths[d];
    if (before < 0 || after < 0) {
      throw ValueError(
          detail::message("pad: widths ", before, " and ", after, " of axis ", d, " must not be negative"));
    }
    if (needs_elements && shape[d] == 0 && (before > 0 || after > 0)) {
      throw ValueError(
          detail::message("pad: axis ", d, " must have elements to be widened by (shape ", x.shape(), ")"));
    }
    shape[d] = checked_add(checked_add(shape[d], before, "pad"), after, "pad");
  }
  const Order order = is_f_contiguous(x) && !is_c_contiguous(x) ? Order::F : Order::C;
  const Layout layout = fresh(shape, order, "pad");
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = x.dtype(), .device = x.device()});
  // The middle of each axis; an axis that is done is whole.
  std::vector<Tensor> middles{result};
  for (std::size_t d = rank; d-- > 0;) {
    middles.push_back(middles.back().narrow(static_cast<Index>(d), widths[d].before, x.shape()[d]));
  }
  copy_into(middles.back(), x);
  if (mode == PadMode::empty || result.numel() == 0) return result;
  for (std::size_t d = 0; d < rank; ++d) {
    const PaddedAxis at{static_cast<Index>(d), widths[d].before, x.shape()[d], widths[d].after};
    fill_axis(middles[rank - 1 - d], at, mode, mode == PadMode::constant ? values.subspan(2 * d, 2) : values);
  }
  return result;
}

}  // namespace tenstride::numpy
