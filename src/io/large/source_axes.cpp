// SPDX-License-Identifier: Apache-2.0
#include "io/large/source_axes.hpp"

#include <algorithm>
#include <cstdlib>

#include "io/large/file_chain.hpp"

namespace tenstride::io {
namespace {

/// The axis that a stride of a row-major source steps along from `first` on: the one of the longest stride
/// that fits into it. Axes of size 1 have no steps.
std::optional<SourceAxis> axis_of_stride(const Layout& source, const Dims& first, Index stride,
                                         Index extent) {
  for (std::size_t axis = 0; axis < source.rank(); ++axis) {
    const Index own = source.strides[axis], size = source.shape[axis];
    if (size <= 1 || own > std::abs(stride)) continue;
    if (stride % own != 0) return std::nullopt;
    const SourceAxis found{axis, first[axis], stride / own, extent, size};
    // Elements further away are those of another axis: axes that a reshape joined.
    const Index last = found.first + found.step * std::max<Index>(extent - 1, 0);
    if (last < 0 || last >= size) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

bool has_axis(const SourceAxes& axes, std::size_t axis) {
  return std::any_of(axes.begin(), axes.end(),
                     [axis](const auto& found) { return found && found->axis == axis; });
}

/// Parts of one axis that are several are none of them the axis.
void forget_repeated(SourceAxes& axes) {
  const SourceAxes found = axes;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto is_same = [&](const auto& other) {
      return other && found[d] && other->axis == found[d]->axis;
    };
    if (std::count_if(found.begin(), found.end(), is_same) > 1) axes[d].reset();
  }
}

/// For each axis of what a chain gives, the axis of a row-major source that it is.
SourceAxes axes_of_chain(const FileChain& chain, const Dims& shape) {
  SourceAxes axes(chain.shape.size());
  if (!chain.obstacle.empty() || chain.copies.size() != 1) return axes;
  const std::optional<ChainCopy> copy = split_along(chain.copies[0], chain.shape);
  const Layout source = row_major(shape);
  if (!copy || is_empty(source)) return axes;
  const Dims first = unravel(copy->src.offset, shape);
  const Dims rows = row_major_strides(chain.shape);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::size_t d = 0; d < copy->dst.rank(); ++d) {
      const bool is_whole = copy->dst.strides[d] == rows[axis] && copy->dst.shape[d] == chain.shape[axis];
      if (!is_whole || copy->src.strides[d] == 0) continue;
      axes[axis] = axis_of_stride(source, first, copy->src.strides[d], copy->src.shape[d]);
    }
  }
  forget_repeated(axes);
  // An axis of one index is no loop of a copy; as a view it has the stride of the axis that it was cut from.
  for (std::size_t axis = 0; chain.view && axis < axes.size(); ++axis) {
    if (axes[axis] || chain.shape[axis] != 1 || chain.view->strides[axis] == 0) continue;
    const auto found = axis_of_stride(source, first, chain.view->strides[axis], 1);
    if (found && !has_axis(axes, found->axis)) axes[axis] = found;
  }
  return axes;
}

/// The axes, followed on a tensor that has no axis of size 1, since those cannot be told by strides; nothing
/// where the chain does something else there: it names sizes, or squeezes.
std::optional<SourceAxes> axes_without_short_ones(const FileInfo& source, std::string_view chain,
                                                  std::size_t rank) {
  FileInfo longer = source;
  Dims shape = source.layout.shape;
  for (Index& size : shape) size = std::max<Index>(size, 2);
  longer.layout = row_major(shape);
  try {
    const FileChain followed = follow(chain, longer);
    if (followed.shape.size() == rank) return axes_of_chain(followed, shape);
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

ResultOrigin origin_of_result(const FileInfo& source, std::string_view chain) {
  FileInfo plain = source;
  plain.layout = row_major(source.layout.shape);
  FileChain real = follow(chain, plain);
  ResultOrigin result{source,         real.shape,       real.dtype,    {},
                      real.reduction, real.conversions, real.obstacle, real.is_computed};
  const Dims& shape = source.layout.shape;
  std::optional<SourceAxes> axes;
  if (std::find(shape.begin(), shape.end(), 1) != shape.end()) {
    axes = axes_without_short_ones(source, chain, real.shape.size());
  }
  result.axes = axes ? *axes : axes_of_chain(real, shape);
  for (std::size_t d = 0; d < result.axes.size(); ++d) {
    if (!result.axes[d]) continue;
    SourceAxis& axis = *result.axes[d];
    axis.extent = real.shape[d];
    axis.size = shape[axis.axis];
    if (axis.extent <= 1) axis.step = 1;
    if (axis.size == 1) axis.first = 0;
  }
  return result;
}

}  // namespace tenstride::io
